// Wrong and right usage of the command.
#include <gtest/gtest.h>

#include <carom/solver.hpp>
#include <string>
#include <vector>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

TEST(Usage, errors_give_exit_code_2_and_begin_with_the_name_of_the_command) {
  const TemporaryFile input(csv_of({space_row()}));
  const TemporaryFile other("x,y\n1,2\n");
  for (const std::string& arguments : std::vector<std::string>{
           "", "resolve", "solve " + input.name(), "solve absent.csv -o -", "solve " + other.name() + " -o -",
           "solve " + input.name() + " -o /absent/file.csv",
           "solve " + input.name() + " -o - --integrator euler --steps 0",
           "solve " + input.name() + " -o - --integrator euler --steps ten",
           "solve " + input.name() + " -o - --restitution-law elastic",
           "solve " + input.name() + " -o - --precision half", "solve " + input.name() + " -o - --isa mmx",
           "solve " + input.name() + " -o - --integrator rk4", "solve " + input.name() + " -o - --threads -1",
           "solve " + input.name() + " -o - --reference --precision float", "compare absent.csv --json",
           "check absent.csv", "compare-laws absent.csv", "laws contacts.csv", "info --verbose"}) {
    const Ended run = carom(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_TRUE(run.err.starts_with("carom: ")) << arguments << ": " << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }
}

TEST(Usage, an_option_that_the_integrator_has_no_use_for_is_an_error_that_names_both) {
  const TemporaryFile input(csv_of({space_row()}));
  for (const std::string& command :
       {"compare " + input.name(), "solve " + input.name() + " -o -", "solve " + input.name() + " -o - --reference"}) {
    for (const std::string series : {"", " --integrator series"}) {
      const Ended steps = carom(command + series + " --steps 200");
      EXPECT_EQ(steps.exit_code, 2);
      EXPECT_EQ(steps.out, "");
      expect_within("--steps needs --integrator euler", steps.err);
    }
    for (const std::string law : {"kinetic", "kinematic"}) {
      const Ended euler = carom(command + " --integrator euler --restitution-law " + law);
      EXPECT_EQ(euler.exit_code, 2);
      EXPECT_EQ(euler.out, "");
      expect_within("--restitution-law " + law + " needs --integrator series", euler.err);
    }
  }
}

TEST(Usage, the_input_file_is_never_overwritten) {
  const std::string text = csv_of({space_row()});
  const TemporaryFile input(text);
  const Ended run = carom("solve " + input.name() + " -o " + input.name());
  EXPECT_EQ(run.exit_code, 2);
  expect_within("is the input file", run.err);
  EXPECT_EQ(input.text(), text);
}

TEST(Usage, numbers_of_options_are_finite_and_within_the_bounds_of_the_library) {
  const TemporaryFile input(csv_of({space_row()}));
  const std::string solve = "solve " + input.name() + " -o - ", check = "check " + input.name() + " ";
  const std::string threads = std::to_string(Execution::max_threads), steps = std::to_string(Options::max_steps);
  const auto expect_refused = [](const std::string& command, const std::string& option, const std::string& value,
                                 const std::string& range) {
    for (const std::string reference : {"", " --reference"}) {
      const Ended run = carom(command + option + " " + value + reference);
      EXPECT_EQ(run.exit_code, 2) << option << ' ' << value;
      EXPECT_EQ(run.out, "");
      expect_within("carom: " + option + ": " + value + " is not a " + range + "\n", run.err);
    }
  };
  for (const std::string value : {"nan", "-nan", "inf", "-1", "1e400", "1.5", "x"})
    expect_refused(check, "--tolerance", value, "number in [0, 1]");
  for (const std::string value : {"nan", "inf", "0.5", "101", "1e400"})
    expect_refused(solve, "--max-restitution", value, "number in [1, 100]");
  for (const std::string value : {"-1", "1025", "65536", "99999999999999999999", "nan", "1.5"})
    expect_refused(solve, "--threads", value, "whole number in [0, " + threads + "]");
  for (const std::string value : {"-1", "0", "1073741825", "99999999999999999999", "nan", "2e2"})
    expect_refused(solve + "--integrator euler ", "--steps", value, "whole number in [1, " + steps + "]");
  EXPECT_EQ(carom(solve + "--threads " + threads).exit_code, 0);
  EXPECT_EQ(carom(check + "--tolerance 1").exit_code, 0);
}

TEST(Usage, help_gives_exit_code_0_and_examples) {
  for (const std::string command : {"", "solve ", "compare ", "check ", "compare-laws ", "laws ", "info "}) {
    const Ended run = carom(command + "--help");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    expect_within("carom " + (command.empty() ? "solve " : command), run.out);
    expect_within("Exit code:", run.out);
  }
}

}  // namespace
}  // namespace carom::test
