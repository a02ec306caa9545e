// Input and output of the command: standard input, output files that appear only when complete, files that can't be
// written, and files too large to be held in memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() { fs::create_directory(path_); }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("carom_test_folder_" + std::to_string(getpid()));
};

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const std::vector<std::string> only_output = {"out.csv"};

TEST(StandardInput, is_what_a_dash_reads_in_every_command) {
  const TemporaryFile input(csv_of({space_row(), space_row()}));
  for (const std::string command : {"solve - -o -", "compare - --json", "check - --json", "compare-laws - --json"}) {
    const Ended from_file = carom(std::string(command).replace(command.find('-'), 1, input.name()));
    for (const std::string& line :
         {"carom " + command + " < " + input.name(), "cat " + input.name() + " | carom " + command}) {
      const Ended run = shell(line);
      EXPECT_EQ(run.exit_code, 0) << command << ": " << run.err;
      if (command.starts_with("solve")) {
        EXPECT_EQ(run.out, from_file.out);
        expect_within("standard input: 2 contacts", run.err);
      } else {
        expect_within("\"file\": \"standard input\"", run.out);
        expect_within("\"contacts\": 2", run.out);
      }
    }
  }
}

TEST(StandardInput, is_read_once_under_whatever_name) {
  const TemporaryFile input(csv_of({space_row(), space_row()}));
  for (const std::string command : {"solve /dev/stdin -o /dev/null", "compare /dev/stdin"}) {
    const Ended run = shell("cat " + input.name() + " | carom " + command);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_within("/dev/stdin: 2 contacts", run.out);
  }
}

TEST(StandardInput, is_named_in_errors) {
  const TemporaryFile bad(csv_of({space_row(), with(space_row(), "u0_x", "abc")}));
  for (const std::string command : {"solve - -o /dev/null", "compare -", "check -", "compare-laws -"}) {
    const Ended run = carom(command + " < " + bad.name());
    EXPECT_EQ(run.exit_code, 1) << command;
    expect_within("carom: standard input:3: column u0_x: 'abc' is not a number\n", run.err);
    const Ended empty = carom(command + " < /dev/null");
    EXPECT_EQ(empty.exit_code, 2) << command;
    EXPECT_EQ(empty.err, "carom: standard input is empty: it has no header line\n");
    const Ended folder = carom(command + " < /");
    EXPECT_EQ(folder.exit_code, 2) << command;
    EXPECT_EQ(folder.err, "carom: standard input can't be read: Is a directory\n");
  }
}

TEST(Output, takes_its_place_when_it_is_complete_and_leaves_nothing_else) {
  const TemporaryFile input(csv_of({space_row()}));
  const TemporaryFolder folder;
  const std::string out = (folder / "out.csv").string();
  ASSERT_EQ(carom("solve " + input.name() + " -o " + out).exit_code, 0);
  const std::string results = read(out);
  EXPECT_EQ(table_of(results).rows(), 1u);
  EXPECT_EQ(folder.names(), only_output);

  // An unclosed quote is detected only after rows have been written.
  const TemporaryFile broken(csv_of({space_row()}) + "\"1");
  for (const std::string command : {"solve", "check --law smith", "compare-laws"}) {
    const Ended run = carom(command + " " + broken.name() + " -o " + out);
    EXPECT_EQ(run.exit_code, 2) << command;
    expect_within("does not close", run.err);
    EXPECT_EQ(read(out), results) << command;
    EXPECT_EQ(folder.names(), only_output) << command;
  }
}

TEST(Output, of_an_interrupted_run_is_what_was_there_before) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out.csv";
  std::vector<int> signals = {SIGINT,  SIGTERM,   SIGHUP,  SIGUSR1, SIGUSR2,  SIGALRM,
                              SIGXCPU, SIGVTALRM, SIGPROF, SIGPIPE, SIGRTMIN, SIGRTMAX};
  // Sanitizers install their own handlers for these signals.
  if (support::fast_build) signals.insert(signals.end(), {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS});
  signals.push_back(SIGKILL);  // leaves its part
  const rlimit no_core{0, 0};
  for (const int signal : signals) {
    write(out, "old");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setrlimit(RLIMIT_CORE, &no_core);
      dup2(ends[0], STDIN_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl(CAROM_COMMAND, "carom", "solve", "-", "-o", out.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[0]);
    const std::string some = csv_of({space_row()});
    EXPECT_EQ(::write(ends[1], some.data(), some.size()), static_cast<ssize_t>(some.size()));
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (folder.names().size() < 2 && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(folder.names().size(), 2u) << "the part is beside its place";
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    close(ends[1]);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_EQ(read(out), "old");
    // SIGKILL cannot be handled.
    if (signal != SIGKILL) {
      EXPECT_EQ(folder.names(), only_output) << signal;
    }
  }
}

// By default the system kills the process.
TEST(Output, that_exceeds_the_limit_of_a_file_is_an_error) {
  const TemporaryFile input, scenes;
  for (const auto& [file, distribution] : {std::pair(&input, "matrices"), {&scenes, "chains"}})
    ASSERT_EQ(
        carom("generate --contacts 2000 --distribution " + std::string(distribution) + " -o " + file->name()).exit_code,
        0);
  const TemporaryFolder folder;
  for (const std::string& command :
       {"solve " + input.name() + " -o ", "solve --scene --method pgs " + scenes.name() + " -o ",
        "convert " + input.name() + " ", "check --law smith " + input.name() + " -o ",
        std::string("generate --contacts 2000 -o ")}) {
    const Ended run = shell("ulimit -f 64; carom " + command + (folder / "out.csv").string());
    EXPECT_EQ(run.exit_code, 2) << command;
    expect_within("out.csv can't be written: File too large", run.err);
    EXPECT_TRUE(folder.names().empty()) << command;
  }
  const Ended run = shell("ulimit -f 64; carom solve " + input.name() + " -o - > " + (folder / "all").string());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "carom: standard output can't be written: File too large\n");
}

TEST(Output, keeps_the_rights_of_the_file_that_it_replaces_and_follows_links) {
  const TemporaryFile input(csv_of({space_row()}));
  const TemporaryFolder folder;
  const fs::path out = folder / "out.csv", link = folder / "link.csv", loose = folder / "loose.csv";
  const auto rights = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  write(out, "old");
  fs::permissions(out, static_cast<fs::perms>(0640));
  fs::create_symlink("out.csv", link);
  ASSERT_EQ(carom("solve " + input.name() + " -o " + link.string()).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(table_of(read(out)).rows(), 1u);
  EXPECT_EQ(rights(out), 0640u);

  // A link to a missing file. The new file has the usual permissions of new files.
  fs::remove(link);
  fs::create_symlink(loose, link);
  const mode_t mask = umask(027);
  const Ended run = carom("solve " + input.name() + " -o " + link.string());
  umask(mask);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(table_of(read(loose)).rows(), 1u);
  EXPECT_EQ(rights(loose), 0640u);
}

TEST(Output, that_is_no_regular_file_is_written_where_it_is) {
  const TemporaryFile input(csv_of({space_row()}));
  const std::string expected = carom("solve " + input.name() + " -o -").out;
  for (const std::string& line : {"carom solve " + input.name() + " -o /dev/stderr > /dev/null",
                                  "carom solve " + input.name() + " -o /dev/stderr 2>&1 > /dev/null | cat >&2"})
    EXPECT_EQ(shell(line).err, expected);
  EXPECT_EQ(carom("solve " + input.name() + " -o /dev/null").exit_code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Output, that_cannot_be_written_is_an_error_with_its_name_and_the_reason) {
  const TemporaryFile input(csv_of({space_row()}));
  const TemporaryFolder folder;
  write(folder / "file", "");
  const auto error_of = [&](const std::string& path) {
    std::string error;
    for (const std::string command : {"solve", "check --law smith", "compare-laws"}) {
      const Ended run = carom(command + " " + input.name() + " -o " + path);
      EXPECT_EQ(run.exit_code, 2) << command;
      EXPECT_EQ(run.out, "") << command;
      if (!error.empty()) {
        EXPECT_EQ(run.err, error) << command;
      }
      error = run.err;
    }
    return error;
  };
  const auto says = [](const std::string& name, const std::string& reason) {
    return "carom: " + name + " can't be written: " + reason + "\n";
  };
  EXPECT_EQ(error_of("/dev/full"), says("/dev/full", "No space left on device"));
  EXPECT_EQ(error_of("/absent/file.csv"), says("/absent/file.csv", "No such file or directory"));
  EXPECT_EQ(error_of("/"), says("/", "Is a directory"));
  const std::string below_a_file = (folder / "file").string() + "/out.csv";
  EXPECT_EQ(error_of(below_a_file), says(below_a_file, "Not a directory"));
  if (geteuid() == 0) return;  // whom no rights stop
  const std::string read_only = (folder / "read_only.csv").string();
  write(read_only, "kept");
  fs::permissions(read_only, static_cast<fs::perms>(0444));
  EXPECT_EQ(error_of(read_only), says(read_only, "Permission denied"));
  EXPECT_EQ(read(read_only), "kept");
}

TEST(Output, of_reports_that_cannot_be_written_is_an_error_too) {
  const TemporaryFile input(csv_of({space_row()}));
  for (const std::string& command :
       {"solve " + input.name() + " -o -", "solve " + input.name() + " -o /dev/null", "compare " + input.name(),
        "check " + input.name() + " --json", std::string("laws"), std::string("info"), std::string("--help")}) {
    const Ended run = carom(command + " > /dev/full");
    EXPECT_EQ(run.exit_code, 2) << command;
    expect_within("carom: standard output can't be written: No space left on device\n", run.err);
  }
}

/// Peak resident memory of a run [B].
std::size_t peak_of(const std::string& arguments) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec '" CAROM_COMMAND "' " + arguments + " > /dev/null 2>&1").c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments;
#ifdef __APPLE__
  constexpr std::size_t unit = 1;
#else
  constexpr std::size_t unit = 1024;
#endif
  return static_cast<std::size_t>(usage.ru_maxrss) * unit;
}

// solve reads, solves and writes the file block by block.
TEST(Memory, of_solve_does_not_grow_with_the_file) {
  const std::string row = "2,-0.2,1.5,0.75,-1,0.3,0.5\n";
  const auto peak_of_rows = [&](std::size_t rows) {
    const TemporaryFile input("k_xx,k_xy,k_yy,u0_x,u0_y,friction,restitution\n");
    {
      std::ofstream file(input.path(), std::ios::app);
      for (std::size_t i = 0; i < rows; ++i) file << row;
    }
    return peak_of("solve " + input.name() + " --threads 2 -o /dev/null");
  };
  // The number of blocks in use at once depends on the timing of the threads, so the peak differs from run to run. It
  // stays far below the size of the rows' text.
  constexpr std::size_t fewer = 16 * 65536 + 1, more = 3 * fewer;
  const std::size_t small = peak_of_rows(fewer), large = peak_of_rows(more);
  EXPECT_LT(large, small + (more - fewer) * row.size() / 2);
}

// Bytes per row as in docs/contact-files.md, plus a tenth for pages and the allocator.
TEST(Memory, of_whole_files_is_what_the_documentation_says) {
  constexpr std::size_t fewer = 20000, more = 80000;
  for (const std::string distribution : {"matrices", "chains"}) {
    const TemporaryFile small, large;
    for (const auto& [rows, file] : {std::pair(fewer, &small), {more, &large}})
      ASSERT_EQ(carom("generate --contacts " + std::to_string(rows) + " --distribution " + distribution + " -o " +
                      file->name())
                    .exit_code,
                0);
    const std::size_t of_file = (fs::file_size(large.path()) - fs::file_size(small.path())) / (more - fewer);
    const auto expect_bytes = [&](const std::string& command, const std::string& options, std::size_t bytes) {
      const std::size_t few = peak_of(command + small.name() + options),
                        many = peak_of(command + large.name() + options);
      EXPECT_LT((many - few) / (more - fewer), of_file + bytes + bytes / 10) << command << options;
    };
    if (distribution == "chains") {
      expect_bytes("solve --scene --method pgs ", " --threads 2 -o /dev/null", 790);
    } else {
      expect_bytes("compare ", " --law no-slip --threads 2", 360);
      expect_bytes("compare ", " --law no-slip --threads 2 --precision float", 370);
    }
  }
}

}  // namespace
}  // namespace carom::test
