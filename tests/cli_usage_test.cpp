// Wrong and right usage of the command.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/contact_tables.hpp"
#include "support/temporary_file.hpp"

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
           "solve " + input.name() + " -o - --restitution elastic", "solve " + input.name() + " -o - --precision half",
           "solve " + input.name() + " -o - --isa mmx", "solve " + input.name() + " -o - --integrator rk4",
           "solve " + input.name() + " -o - --threads -1",
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
      const Ended euler = carom(command + " --integrator euler --restitution " + law);
      EXPECT_EQ(euler.exit_code, 2);
      EXPECT_EQ(euler.out, "");
      expect_within("--restitution " + law + " needs --integrator series", euler.err);
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

TEST(Usage, a_full_disk_is_an_error) {
  const TemporaryFile input(csv_of({space_row()}));
  const Ended run = carom("solve " + input.name() + " -o /dev/full");
  EXPECT_EQ(run.exit_code, 2);
  expect_within("could not be written", run.err);
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
