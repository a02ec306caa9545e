// Runs of several ranks, as mpirun starts them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/files/run_command.hpp"
#include "support/files/scene_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

const std::string as_root = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ";

/// The command on several ranks, with any number of cores.
Ended on_ranks(int ranks, const std::string& arguments) {
  return shell(as_root + "mpirun -n " + std::to_string(ranks) + " --oversubscribe --bind-to none '" CAROM_COMMAND "' " +
               arguments);
}

/// All lines except the lines with times.
std::string without_times(const std::string& text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (!line.starts_with("solved ")) kept += line + '\n';
    begin = end + 1;
  }
  return kept;
}

/// The place of a result, and the files next to it.
class Place {
 public:
  Place() : name_((fs::temp_directory_path() / ("carom_test_ranks_" + std::to_string(getpid()) + ".h5")).string()) {}
  ~Place() {
    for (const std::string suffix : {"", ".part", ".journal", ".journal.1", ".journal.2"}) fs::remove(name_ + suffix);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::string& name() const { return name_; }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(name_, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t lines_of_journal(const std::string& suffix) const {
    std::ifstream journal(name_ + ".journal" + suffix);
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(journal), std::istreambuf_iterator<char>(), '\n'));
  }
  bool has_remains() const {
    return fs::exists(name_ + ".part") || fs::exists(name_ + ".journal") || fs::exists(name_ + ".journal.1");
  }

 private:
  std::string name_;
};

constexpr std::size_t rows = 100000, block = 16384;

/// Seven blocks of contacts, three of which are bad. The column `note` has two words in turn.
std::string table() {
  std::string text = "note,k_xx,k_xy,k_xz,k_yy,k_yz,k_zz,u0_x,u0_y,u0_z,friction,restitution\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_bad = row == 5 || row == 3 * block || row == rows - 1;
    text += std::string(row % 2 == 0 ? "even" : "odd") + ",2,0.1,-0.2,2.5,0.3,1.5," + std::to_string(row) +
            ",-0.5,-1,0.3," + (is_bad ? "1.5\n" : "0.5\n");
  }
  return text;
}

class Ranks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryFile csv(table()), whole({}, ".h5");
    input_ = new TemporaryFile({}, ".h5");
    ASSERT_EQ(carom("convert " + csv.name() + " " + input_->name()).exit_code, 0);
    const Ended run = carom("solve " + input_->name() + " -o " + whole.name() + slowly);
    whole_ = new Ended{run.exit_code, without_times(run.out), run.err};
    results_ = new std::string(whole.text());
  }
  static void TearDownTestSuite() {
    delete input_;
    delete whole_;
    delete results_;
  }

  static std::string solve_to(const Place& out) { return "solve " + input_->name() + " -o " + out.name() + slowly; }

  static void expect_whole(const Ended& run, const Place& out) {
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_EQ(without_times(run.out), whole_->out);
    EXPECT_TRUE(out.text() == *results_);
    EXPECT_FALSE(out.has_remains());
  }

  /// mpirun adds its own text for exit code 1.
  static void expect_all_faults(const std::string& err) {
    for (const std::string row : {"row 6:", "row 49153:", "row 100000:"})
      expect_within(row + " column restitution: 1.5 is outside [0, 1] (restitution_out_of_range)", err);
  }

  /// A run that is broken off. One that was complete before that does not count.
  static Ended broken_off(const Place& out, const std::function<Ended()>& run) {
    for (int turn = 0; turn < 50; ++turn) {
      fs::remove(out.name());
      Ended ended = run();
      if (fs::exists(out.name() + ".part")) return ended;
    }
    ADD_FAILURE() << "all runs were complete before they were broken off";
    return {};
  }

  // The reference takes its time, in which a rank can be killed.
  static constexpr const char* slowly = " --reference --checkpoint 0";

  static inline TemporaryFile* input_ = nullptr;
  static inline Ended* whole_ = nullptr;
  static inline std::string* results_ = nullptr;
};

TEST_F(Ranks, of_any_number_give_the_bits_the_faults_and_the_counts_of_one_process) {
  ASSERT_EQ(whole_->exit_code, 1) << whole_->err;
  for (const int ranks : {1, 2, 3}) {
    const Place out;
    const Ended run = on_ranks(ranks, solve_to(out));
    expect_whole(run, out);
    expect_all_faults(run.err);
    EXPECT_LT(run.err.find("row 6:"), run.err.find("row 49153:"));
    EXPECT_LT(run.err.find("row 49153:"), run.err.find("row 100000:"));
  }
}

TEST_F(Ranks, one_that_is_killed_leaves_a_file_that_any_number_of_ranks_resumes) {
  for (const int victim : {0, 1, 2}) {
    const Place out;
    const std::string journal = out.name() + ".journal" + (victim == 0 ? "" : "." + std::to_string(victim));
    // The rank that is to die is killed as soon as its journal has a moment.
    const Ended run = broken_off(out, [&] {
      return shell("export JOURNAL=" + journal + " VICTIM=" + std::to_string(victim) + " " + as_root +
                   "\nmpirun -n 3 --oversubscribe --bind-to none sh -c '\n" +
                   "if [ $OMPI_COMM_WORLD_RANK = $VICTIM ]; then\n" +
                   "  (until [ -f $JOURNAL ] && [ $(wc -l <$JOURNAL) -ge 2 ]; do sleep 0.002; done; kill -9 $$) &\n" +
                   "fi\nexec " CAROM_COMMAND " " + solve_to(out) + "'");
    });
    EXPECT_EQ(run.exit_code, 128 + SIGKILL);
    expect_within("process rank " + std::to_string(victim), run.err);
    expect_within("exited on signal 9", run.err);
    EXPECT_TRUE(fs::exists(out.name() + ".part"));

    const Ended refused = carom(solve_to(out));
    EXPECT_EQ(refused.exit_code, 2);
    expect_within("rows of an earlier run: --resume goes on with it", refused.err);
    const Ended resumed =
        victim == 0 ? carom(solve_to(out) + " --resume") : on_ranks(victim + 1, solve_to(out) + " --resume");
    expect_whole(resumed, out);
    expect_all_faults(run.err + resumed.err);
  }
}

TEST_F(Ranks, count_once_where_the_file_gets_its_name_at_a_second_turn) {
  const Place out;
  // A directory that comes after the start has the name in the end.
  const Ended run =
      shell("(until [ -f " + out.name() + ".journal ]; do sleep 0.002; done; mkdir " + out.name() + ") &\n" + as_root +
            "mpirun -n 3 --oversubscribe --bind-to none " CAROM_COMMAND " " + solve_to(out));
  EXPECT_EQ(run.exit_code, 2);
  expect_within("can't be written", run.err);
  expect_within("--resume goes on with it", run.err);
  ASSERT_TRUE(fs::is_directory(out.name()));
  fs::remove(out.name());
  const Ended resumed = carom(solve_to(out) + " --resume");
  expect_whole(resumed, out);
  expect_all_faults(run.err + resumed.err);
}

TEST_F(Ranks, stop_all_with_one_message_where_one_fails) {
  // A code without a word in the last row, which the last rank reads.
  std::string bytes = input_->text(), pattern;
  for (int i = 0; i < 500; ++i) pattern += std::string("\0\1", 2);
  const std::size_t notes = bytes.find(pattern);
  ASSERT_NE(notes, std::string::npos);
  bytes[notes + rows - 1] = 77;
  const TemporaryFile damaged(bytes, ".h5");
  const Place out;
  const Ended run = on_ranks(3, "solve " + damaged.name() + " -o " + out.name() + slowly);
  EXPECT_EQ(run.exit_code, 2);
  expect_within("carom: rank 2 on ", run.err);
  expect_within("dataset note has no word for 77 at row 100000", run.err);
  EXPECT_EQ(run.err.find("has no word"), run.err.rfind("has no word"));
  expect_within("--resume goes on with it", run.err);

  const Ended wrong = on_ranks(3, "solve " + input_->name() + " -o " + out.name() + " --steps 3");
  EXPECT_EQ(wrong.exit_code, 2);
  expect_within("--steps needs --integrator euler", wrong.err);
  EXPECT_EQ(wrong.err.find("--steps needs"), wrong.err.rfind("--steps needs"));
}

TEST_F(Ranks, write_a_file_whose_name_is_no_text) {
  const Place out;
  const fs::path odd = out.name() + "\xff.h5";
  for (const std::string command : {"solve ", "sweep "}) {
    const Ended run = on_ranks(2, command + input_->name() + " -o '" + odd.string() + "'");
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_TRUE(fs::remove(odd)) << run.err;
  }
}

TEST_F(Ranks, of_any_number_give_a_study_the_bits_of_one_process) {
  const TemporaryFile whole({}, ".h5");
  const std::string study = "sweep " + input_->name() + " --friction 0,0.5 --law smith -o ";
  const Ended one = carom(study + whole.name());
  ASSERT_EQ(one.exit_code, 1) << one.err;
  for (const int ranks : {2, 3}) {
    const Place out;
    const Ended run = on_ranks(ranks, study + out.name());
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_EQ(run.out, one.out);
    EXPECT_TRUE(out.text() == whole.text());
    EXPECT_FALSE(out.has_remains());
  }
}

TEST_F(Ranks, are_started_by_a_job_that_queues_again_when_it_was_interrupted) {
  const Place out;
  const TemporaryFile queue, started, interrupted;
  const std::string journal = out.name() + ".journal", pids = interrupted.name() + ".pid";
  std::ofstream(started.name()) << "mpirun -n 2 --oversubscribe --bind-to none \"$@\"";
  // Slurm sends its signal to the ranks.
  std::ofstream(interrupted.name()) << "echo >" + pids + "; (until [ -f " + journal + " ] && [ $(wc -l <" + journal +
                                           ") -ge 2 ]; do sleep 0.002; done; kill -TERM $(cat " + pids + "); rm " +
                                           pids + ") &\nmpirun -n 2 --oversubscribe --bind-to none sh -c 'echo $$ >>" +
                                           pids + "; exec \"$@\"' sh \"$@\"";
  // In the place of Slurm: scontrol stores its arguments, and the script starts ranks.
  const auto job = [&](const TemporaryFile& launch, const std::string& restarts = "0") {
    const TemporaryFile script("scontrol() { echo \"$@\" >>" + queue.name() + "; }\nexport -f scontrol\nexport " +
                               as_root + "CAROM=" CAROM_COMMAND " SLURM_JOB_ID=17 SLURM_RESTART_COUNT=" + restarts +
                               " CAROM_LAUNCH='bash " + launch.name() +
                               "'\nbash " CAROM_EXAMPLES_DIR "/slurm/solve.sbatch " + input_->name() + " " +
                               out.name() + slowly);
    return shell("bash " + script.name());
  };
  const Ended first = broken_off(out, [&] { return job(interrupted); });
  EXPECT_NE(first.exit_code, 0);
  expect_within("--resume goes on with it", first.err);
  EXPECT_EQ(queue.text(), "requeue 17\n");
  expect_whole(job(started), out);
  EXPECT_EQ(queue.text(), "requeue 17\n");
  const Ended last = broken_off(out, [&] { return job(interrupted, "20"); });
  expect_within("not complete after 20 turns", last.err);
  EXPECT_EQ(queue.text(), "requeue 17\n");
}

TEST_F(Ranks, need_files_that_have_a_place_for_every_row) {
  const TemporaryFile csv(table().substr(0, 2000));
  const Ended run = on_ranks(2, "solve " + csv.name() + " -o /dev/null");
  EXPECT_EQ(run.exit_code, 2);
  expect_within("2 ranks need HDF5 files", run.err);
}

/// Scenes of 20 contacts each, enough for four parts of a file.
TEST(RanksOfOtherCommands, are_refused_by_commands_that_would_each_do_the_whole_work) {
  const Place place;
  const Ended ended = on_ranks(2, "generate --contacts 10 -o '" + place.name() + "'");
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("generate is for one process"), std::string::npos) << ended.err;
  EXPECT_FALSE(fs::exists(place.name()));
}

TEST(RanksOnScenes, give_the_bits_and_the_tables_of_one_process) {
  std::vector<Row> balls;
  for (int scene = 0; scene < 700; ++scene) {
    std::vector<std::string> velocities(21, "0");
    velocities[0] = std::to_string(1 + scene % 7);
    for (const Row& row : ball_rows(std::to_string(scene), velocities)) balls.push_back(row);
  }
  const TemporaryFile csv(csv_of(balls)), input({}, ".h5"), whole({}, ".h5");
  ASSERT_EQ(carom("convert " + csv.name() + " " + input.name()).exit_code, 0);
  const auto without_ms = [](const std::string& text) {
    std::string kept;
    std::istringstream lines(without_times(text));
    for (std::string line; std::getline(lines, line);) {
      kept += line.substr(0, line.find_last_not_of(' ', line.find_last_of(' ')) + 1) + '\n';
    }
    return kept;
  };
  const Ended one = carom("solve --scene --method pgs " + input.name() + " -o " + whole.name());
  ASSERT_EQ(one.exit_code, 0) << one.err;
  expect_within("14000 contacts in 700 scenes", one.out);
  // The whole table at once gives the same results.
  const TemporaryFile results, again({}, ".h5");
  ASSERT_EQ(carom("solve --scene --method pgs " + csv.name() + " -o " + again.name()).exit_code, 0);
  EXPECT_TRUE(again.text() == whole.text());
  for (const int ranks : {2, 3}) {
    const Place out;
    const Ended run = on_ranks(ranks, "solve --scene --method pgs " + input.name() + " -o " + out.name());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(without_ms(run.out), without_ms(one.out));
    EXPECT_TRUE(out.text() == whole.text());
  }
}

TEST(RanksOnSystems, take_a_file_each) {
  const std::string files = CAROM_SYSTEMS_DIR "/Rover1039.hdf5 " CAROM_SYSTEMS_DIR "/BoxesStack1-i100000-32.hdf5";
  const auto columns = [](const std::string& text) {  // without the last, of times
    std::string kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && line.find("solved") == std::string::npos;)
      kept += line.substr(0, line.find_last_not_of(' ', line.find_last_of(' ')) + 1) + '\n';
    return kept;
  };
  const Ended one = carom("solve " + files), three = on_ranks(3, "solve " + files);
  EXPECT_EQ(three.exit_code, 0) << three.err;
  EXPECT_EQ(columns(three.out), columns(one.out));
  expect_within("2 of 2 solved", three.out);
}

}  // namespace
}  // namespace carom::test
