// `carom solve` of contact systems, as a user runs it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "io/fclib/fclib.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

const std::string rover = CAROM_SYSTEMS_DIR "/Rover1039.hdf5", boxes = CAROM_SYSTEMS_DIR "/BoxesStack1-i100000-32.hdf5";

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

TEST(SolveSystems, one_is_written_with_its_solution_which_a_second_run_replaces_by_the_same) {
  const TemporaryFile out({}, ".hdf5"), again({}, ".hdf5");
  const Ended run = carom("solve " + boxes + " -o " + out.name());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within(boxes, run.out);
  EXPECT_GT(out.text().size(), text_of(boxes).size());
  // The problem is still in it.
  const io::FclibProblem problem = io::read_fclib(boxes), copy = io::read_fclib(out.name());
  EXPECT_EQ(problem.velocity, copy.velocity);
  EXPECT_EQ(problem.block, copy.block);
  EXPECT_EQ(carom("solve " + out.name() + " -o " + again.name()).exit_code, 0);
  EXPECT_TRUE(again.text() == out.text());
}

TEST(SolveSystems, json_tells_error_iterations_and_seconds) {
  const Ended run = carom("solve " + rover + " --json --tolerance 1e-10");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LE(json["error"], 1e-10);
  EXPECT_EQ(json["tolerance"], 1e-10);
  EXPECT_EQ(json["contacts"], 4);
  EXPECT_EQ(json["solved"], true);
  EXPECT_EQ(json["iterations"], json["pgs_iterations"].get<int>() + json["interior_point_iterations"].get<int>() +
                                    json["newton_iterations"].get<int>());
  EXPECT_GT(json["seconds"], 0);
}

TEST(SolveSystems, json_takes_the_name_of_a_file_that_is_not_utf8) {
  const TemporaryFile odd(text_of(rover), "\xff.hdf5");
  const Ended run = carom("solve " + odd.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("\xEF\xBF\xBD.hdf5", nlohmann::json::parse(run.out)["file"]);
}

TEST(SolveSystems, several_are_a_table) {
  const Ended run = carom("solve " + rover + " " + boxes);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within(rover, run.out);
  expect_within(boxes, run.out);
  expect_within("2 of 2 solved", run.out);
}

TEST(SolveSystems, one_that_misses_the_tolerance_gives_exit_code_1_and_is_written) {
  const TemporaryFile out({}, ".hdf5");
  const Ended run = carom("solve " + boxes + " --budget 2 -o " + out.name());
  EXPECT_EQ(run.exit_code, 1);
  expect_within("not solved: 1 island", run.out);
  EXPECT_EQ(io::read_fclib(out.name()).contacts(), 52u);
}

TEST(SolveSystems, in_float_are_solved_to_1e_4) {
  const Ended run = carom("solve " + rover + " --precision float --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["tolerance"], 1e-4);
}

TEST(SolveSystems, misuse_gives_exit_code_2_and_names_it) {
  const TemporaryFile table("x,y\n1,2\n"), out({}, ".hdf5");
  const TemporaryFile cut(text_of(rover).substr(0, 3000), ".hdf5");
  const struct {
    std::string arguments, named;
  } cases[] = {
      {rover + " " + boxes + " -o " + out.name(), "--output"},
      {rover + " " + table.name(), table.name()},
      {rover + " absent.hdf5", "absent.hdf5"},
      {rover + " --law smith", "--law is an option of single contacts"},
      {rover + " --scene", "--scene is for contact files"},
      {rover + " --tolerance 2", "--tolerance"},
      {rover + " -o " + rover, "is the input file"},
      {cut.name(), "is not a sound HDF5 file"},
      {table.name() + " -o - --json", "--json is for contact systems"},
      {table.name() + " -o - --budget 5", "--budget is an option of ncp and contact systems"},
      {table.name(), "--output is required"},
  };
  for (const auto& [arguments, named] : cases) {
    const Ended run = carom("solve " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    expect_within(named, run.err);
    EXPECT_EQ(run.out, "") << arguments;
  }
}

}  // namespace
}  // namespace carom::test
