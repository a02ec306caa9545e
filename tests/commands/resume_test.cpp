// Interrupted runs over HDF5 files, and runs that resume them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

/// Seven blocks of contacts, the results of an uninterrupted run, and the path of an interrupted one.
class Resume : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    input_ = new TemporaryFile({}, ".h5");
    whole_ = new TemporaryFile({}, ".h5");
    ASSERT_EQ(
        carom("generate --contacts 100000 --distribution matrices --precision float -o " + input_->name()).exit_code,
        0);
    const Ended run = carom(solve_to(whole_->name()));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    summary_ = without_speed(run.out);
  }
  static void TearDownTestSuite() {
    delete input_;
    delete whole_;
  }
  ~Resume() override {
    for (const std::string suffix : {"", ".part", ".journal"}) fs::remove(out_ + suffix);
  }

  static std::string solve_to(const std::string& out) {
    return "solve " + input_->name() + " -o " + out + " --law no-slip --precision float --checkpoint 0 --threads 1";
  }
  static std::string without_speed(const std::string& text) {
    const std::size_t begin = text.find("solved on");
    return text.substr(0, begin) + text.substr(text.find('\n', begin));
  }

  std::size_t moments() const {
    std::ifstream journal(out_ + ".journal");
    const auto lines = std::count(std::istreambuf_iterator<char>(journal), std::istreambuf_iterator<char>(), '\n');
    return static_cast<std::size_t>(lines);
  }

  /// Sends a run the signal when its journal has this many lines (the first is there from the start). Returns how the
  /// run ended. Repeats runs that complete before the signal.
  int broken_off(int signal, std::size_t lines) const {
    for (int run = 0; run < 100; ++run) {
      const int status = ended_by(signal, lines);
      if (fs::exists(out_ + ".part")) return status;
      fs::remove(out_);
      fs::remove(out_ + ".journal");  // of a run that was killed when its file had its name
    }
    ADD_FAILURE() << "all runs were complete before they were killed";
    return 0;
  }
  int ended_by(int signal, std::size_t lines) const {
    return ended_by(signal, [this, lines] { return moments() >= lines; });
  }
  int ended_by(int signal, const std::function<bool()>& is_time) const {
    const pid_t child = fork();
    if (child == 0) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      execl("/bin/sh", "sh", "-c", ("exec '" CAROM_COMMAND "' " + solve_to(out_)).c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    int status = 0;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    pid_t ended = 0;
    while (!is_time() && ended == 0 && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0 && kill(child, signal) == 0) waitpid(child, &status, 0);
    return status;
  }

  void expect_resumed_as_unbroken() const {
    const Ended run = carom(solve_to(out_) + " --resume");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(without_speed(run.out), summary_);
    expect_complete();
  }
  void expect_complete() const {
    std::ostringstream bytes;
    bytes << std::ifstream(out_, std::ios::binary).rdbuf();
    EXPECT_TRUE(bytes.str() == whole_->text());
    EXPECT_FALSE(fs::exists(out_ + ".part"));
    EXPECT_FALSE(fs::exists(out_ + ".journal"));
  }

  static inline TemporaryFile *input_ = nullptr, *whole_ = nullptr;
  static inline std::string summary_;
  const std::string out_ =
      (fs::temp_directory_path() / ("carom_test_resumed_" + std::to_string(getpid()) + ".h5")).string();
};

TEST_F(Resume, after_a_kill_at_any_moment_gives_the_bits_of_an_unbroken_run) {
  for (const std::size_t lines : {1u, 2u, 3u, 4u}) {
    broken_off(SIGKILL, lines);
    expect_resumed_as_unbroken();
    fs::remove(out_);
  }
}

TEST_F(Resume, after_an_interruption_goes_on_behind_its_last_block) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGXCPU}) {
    const int status = broken_off(signal, 2);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    expect_resumed_as_unbroken();
    fs::remove(out_);
  }
}

// The signal comes as soon as the .part file exists: before or after the first block.
TEST_F(Resume, is_not_needed_after_an_interruption_before_the_first_block) {
  std::size_t without_rows = 0;
  for (int run = 0; run < 20; ++run) {
    const int signal = run % 2 == 0 ? SIGTERM : SIGUSR1;
    const int status = ended_by(signal, [this] { return fs::exists(out_ + ".part"); });
    if (fs::exists(out_)) {
      fs::remove(out_);
      continue;
    }
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(fs::exists(out_ + ".part"), fs::exists(out_ + ".journal"));
    EXPECT_NE(moments(), 1u) << "a journal without rows";
    if (!fs::exists(out_ + ".part")) ++without_rows;
    for (const std::string suffix : {".part", ".journal"}) fs::remove(out_ + suffix);
  }
  EXPECT_GT(without_rows, 0u);
}

TEST_F(Resume, is_what_a_second_run_asks_for) {
  broken_off(SIGKILL, 2);
  const Ended refused = carom(solve_to(out_));
  EXPECT_EQ(refused.exit_code, 2);
  expect_within("rows of an earlier run: --resume goes on with it", refused.err);
  // An incomplete last line is ignored.
  std::ofstream(out_ + ".journal", std::ios::app) << "{\"rows\": 100000";
  expect_resumed_as_unbroken();
}

TEST_F(Resume, without_an_earlier_run_begins) {
  expect_resumed_as_unbroken();
}

TEST_F(Resume, is_of_no_use_for_a_file_that_found_no_room_from_the_start) {
  const Ended run = shell("ulimit -f 64; carom " + solve_to(out_));
  EXPECT_EQ(run.exit_code, 2) << run.out;
  expect_within("can't be written: File too large", run.err);
  EXPECT_FALSE(fs::exists(out_ + ".part"));
  EXPECT_FALSE(fs::exists(out_ + ".journal"));
  expect_resumed_as_unbroken();
}

TEST_F(Resume, refuses_other_options_and_another_input) {
  broken_off(SIGKILL, 2);
  const Ended options = carom(solve_to(out_) + " --resume --details");
  EXPECT_EQ(options.exit_code, 2);
  expect_within("was begun with other options: --details was false and is true", options.err);
  const fs::file_time_type time = fs::last_write_time(input_->path());
  fs::last_write_time(input_->path(), time + std::chrono::seconds(1));
  const Ended input = carom(solve_to(out_) + " --resume");
  fs::last_write_time(input_->path(), time);
  EXPECT_EQ(input.exit_code, 2);
  expect_within("was begun with another input", input.err);
  expect_resumed_as_unbroken();
}

TEST_F(Resume, is_of_hdf5_alone) {
  for (const std::string out : {"-", "/dev/null"}) {
    const Ended run = carom("solve " + input_->name() + " -o " + out + " --resume");
    EXPECT_EQ(run.exit_code, 2);
    expect_within("--resume needs HDF5 files", run.err);
  }
}

}  // namespace
}  // namespace carom::test
