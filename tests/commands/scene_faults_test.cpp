// Faults in files of scenes, and wrong usage of `carom solve --scene`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/files/run_command.hpp"
#include "support/files/scene_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

std::string cell(const io::Table& table, std::size_t row, const std::string& name) {
  return std::string(table.cell(row, table.find(name)));
}

Ended solved(const std::vector<Row>& rows, const std::string& options = "") {
  const TemporaryFile input(csv_of(rows));
  const std::string method = options.find("--method") == std::string::npos ? "--method pgs " : "";
  return carom("solve --scene " + input.name() + " -o - " + method + options);
}

// The part of a message after the name of the file.
std::string named(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin), name = text.find(".csv", begin);
    result += name < end ? text.substr(name + 4, end + 1 - name - 4) : text.substr(begin, end + 1 - begin);
    begin = end + 1;
  }
  return result;
}

void expect_same_results(const io::Table& got, std::size_t row, const io::Table& expected, std::size_t expected_row) {
  for (const std::string& name : expected.header())
    EXPECT_EQ(cell(got, row, name), cell(expected, expected_row, name)) << name;
}

TEST(SceneFaults, rows_that_disagree_about_a_body_name_both_lines_and_the_column) {
  const std::vector<Row> good = {ball_row("1", {0, "1"}, {1}), ball_row("1", {1}, {2, "-1"})};
  const std::vector<Row> rows = {good[0], ball_row("1", {3, "1"}, {1, "0.5"}), good[1]};
  const Ended run = solved(rows);
  EXPECT_EQ(run.exit_code, 1);
  expect_within(
      ":3: column velocity_b_x: 0.5 for body 1, but line 2 has 0 in column velocity_b_x (body_state_disagrees)\n",
      named(run.err));
  const io::Table got = table_of(run.out), expected = table_of(solved(good).out);
  ASSERT_EQ(got.rows(), 3u);
  EXPECT_EQ(cell(got, 1, "status"), "body_state_disagrees");
  EXPECT_EQ(cell(got, 1, "path"), "");
  EXPECT_EQ(got.numbers("impulse_x")[1], 0);
  // Body 1 moves as the other rows have it; body 3 occurs only in the bad row.
  EXPECT_EQ(cell(got, 1, "new_velocity_b_x"), cell(got, 0, "new_velocity_b_x"));
  EXPECT_EQ(cell(got, 1, "new_velocity_a_x"), "1");
  expect_same_results(got, 0, expected, 0);
  expect_same_results(got, 2, expected, 1);
  expect_within("  body_state_disagrees                              1\n", run.err);
}

TEST(SceneFaults, every_column_of_a_bodys_state_counts_whichever_its_side) {
  for (const std::string name : {"inverse_mass_", "inverse_inertia_", "velocity_", "angular_velocity_"})
    for (const std::string& part : name == "inverse_mass_"      ? std::vector<std::string>{""}
                                   : name == "inverse_inertia_" ? std::vector<std::string>{"_xx", "_xy", "_zz"}
                                                                : std::vector<std::string>{"_x", "_y", "_z"}) {
      const Ended run =
          solved({ball_row("1", {0, "1"}, {1}), with(ball_row("1", {1}, {2}), name + "a" + part, "0.25")});
      EXPECT_EQ(run.exit_code, 1) << name << part;
      expect_within(":3: column " + name + "a" + part + ": 0.25 for body 1, but line 2 has ", named(run.err));
      expect_within(" in column " + name + "b" + part + " (body_state_disagrees)\n", named(run.err));
    }
}

TEST(SceneFaults, a_row_that_disagrees_about_both_bodies_names_both) {
  const Ended run = solved({ball_row("1", {0, "1"}, {1}), ball_row("1", {1, "2"}, {0, "3"})});
  expect_within(":3: column velocity_a_x: 2 for body 1, but line 2 has 0 in column velocity_b_x", named(run.err));
  expect_within(":3: column velocity_b_x: 3 for body 0, but line 2 has 1 in column velocity_a_x", named(run.err));
}

TEST(SceneFaults, a_row_that_is_left_out_tells_of_no_body) {
  const Row first = ball_row("1", {0, "1"}, {1});
  // The second row disagrees about body 0, so that body 2 is as in the third row.
  const Ended run = solved({first, ball_row("1", {0, "2"}, {2, "7"}), ball_row("1", {2, "8"}, {3}),
                            with(ball_row("1", {4, "9"}, {5}), "friction", "x"), ball_row("1", {4, "1"}, {5})});
  EXPECT_EQ(run.exit_code, 1);
  const io::Table got = table_of(run.out);
  std::vector<std::string> statuses;
  for (std::size_t row = 0; row < got.rows(); ++row) statuses.push_back(cell(got, row, "status"));
  EXPECT_EQ(statuses, (std::vector<std::string>{"ok", "body_state_disagrees", "ok", "unreadable", "ok"}));
}

TEST(SceneFaults, equal_numbers_agree_however_they_are_written_and_steps_are_apart) {
  const Ended run = solved({ball_row("1", {0, "1"}, {1}), ball_row("1", {1, "-0.0"}, {2, "-1e0"}),
                            ball_row("2", {0, "2"}, {1, "1"}), ball_row("1.0", {2, "-1"}, {3, "-2"})});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("4 contacts in 2 scenes", run.err);
}

TEST(SceneFaults, the_immovable_world_has_zeros) {
  for (const std::string column : {"inverse_mass_b", "velocity_b_x", "angular_velocity_b_z"})
    for (const std::string text : {"1", "nan"}) {
      const Ended run = solved({with(ball_row("1", {0, "1"}, world), column, text)});
      EXPECT_EQ(run.exit_code, 1) << column;
      expect_within(":2: column " + column + ": " + text +
                        ", but body -1 is the immovable world, with 0 (body_state_disagrees)\n",
                    named(run.err));
    }
  EXPECT_EQ(solved({ball_row("1", {0, "1"}, world)}).exit_code, 0);
}

TEST(SceneFaults, a_state_that_is_not_finite_is_a_fault_of_its_row_alone) {
  const std::vector<Row> good = ball_rows("1", {"1", "0", "-1"});
  for (const std::string text : {"nan", "inf"}) {
    for (const bool comes_first : {true, false}) {
      const Row bad = ball_row("1", {1, text}, {5, "-3"});
      const Ended run = solved(comes_first ? std::vector{bad, good[0], good[1]} : std::vector{good[0], good[1], bad});
      EXPECT_EQ(run.exit_code, 1);
      const std::size_t at = comes_first ? 0 : 2, next = comes_first ? 1 : 0;
      expect_within(":" + std::to_string(at + 2) + ": column velocity_a_x: " + text, named(run.err));
      const io::Table got = table_of(run.out), expected = table_of(solved(good).out);
      EXPECT_EQ(cell(got, at, "status"), text == "nan" ? "not_a_number" : "infinite");
      expect_same_results(got, next, expected, 0);
      expect_same_results(got, next + 1, expected, 1);
    }
  }
}

TEST(SceneFaults, a_body_that_touches_itself) {
  // The row's own states differ; it is the wrong index that counts.
  const Row bad = ball_row("1", {0, "1"}, {0, "-1"});
  const Ended run = solved({bad, ball_row("1", {0, "2"}, {1})});
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":2: column body_a: 0 is body_b too: the contact is one of a body with itself (same_body)\n",
                named(run.err));
  const io::Table got = table_of(run.out);
  EXPECT_EQ(cell(got, 0, "status"), "same_body");
  EXPECT_EQ(cell(got, 1, "status"), "ok");
}

TEST(SceneFaults, an_index_or_a_step_that_can_not_be_read) {
  const std::string body = "a body: a whole number from -1 to 2147483647\n";
  const Row row = ball_row("1", {0, "1"}, {1});
  const auto expect_unreadable = [&](const std::string& column, const std::string& text, const std::string& message) {
    const Ended run = solved({row, with(with(row, "body_a", "2"), column, text)});
    EXPECT_EQ(run.exit_code, 1) << column << text;
    expect_within(":3: column " + column + ": " + message, named(run.err));
    const io::Table got = table_of(run.out);
    EXPECT_EQ(cell(got, 1, "status"), "unreadable");
    EXPECT_EQ(cell(got, 0, "status"), "ok");
  };
  for (const std::string column : {"body_a", "body_b"}) {
    for (const std::string text : {"x", "1.5", "2147483648", "-2147483649", "nan", "inf"})
      expect_unreadable(column, text, "'" + text + "' is not " + body);
    expect_unreadable(column, "", "the cell is empty\n");
  }
  for (const std::string text : {"x", "nan", "inf"})
    expect_unreadable("scene_step", text, "'" + text + "' is not a number\n");
  expect_unreadable("scene_step", "", "the cell is empty\n");
}

TEST(SceneFaults, an_index_below_minus_one_is_out_of_range) {
  const Row row = ball_row("1", {0, "1"}, {1});
  const Ended run = solved({row, with(row, "body_b", "-2")});
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column body_b: -2 is below -1 (body_index_out_of_range)\n", named(run.err));
  EXPECT_EQ(cell(table_of(run.out), 1, "status"), "body_index_out_of_range");
}

TEST(SceneFaults, columns_of_the_method_must_be_filled_and_others_are_not_read) {
  const Row row = ball_row("1", {0, "1"}, {1});
  const auto status = [&](const std::string& column, const std::string& text, const std::string& method) {
    const Ended run = solved({with(row, column, text)}, "--method " + method);
    return cell(table_of(run.out), 0, "status");
  };
  for (const std::string text : {"", "x"}) {
    EXPECT_EQ(status("separation", text, "pgs"), "ok");
    EXPECT_EQ(status("separation", text, "bender-schmitt --phase resting --time-step 0.01"), "unreadable");
    EXPECT_EQ(status("slop", text, "pgs"), "ok");
    EXPECT_EQ(status("slop", text, "substeps --time-step 0.01"), "unreadable");
    EXPECT_EQ(status("static_friction", text, "sequential-impacts"), "ok");
    EXPECT_EQ(status("static_friction", text, "ncp"), "ok");
    EXPECT_EQ(status("separation", text, "pgs --position-correction --time-step 0.01"), "unreadable");
    EXPECT_EQ(status("static_friction", text, "bender-schmitt --phase collisions"), "unreadable");
    EXPECT_EQ(status("target_velocity", text, "sequential-impacts"), "unreadable");
  }
  EXPECT_EQ(status("law", "x", "pgs"), "ok");
  EXPECT_EQ(status("law", "x", "sequential-impacts"), "unreadable");
  for (const std::string text : {"x", "-1", "1.5", "18446744073709551616"}) {
    EXPECT_EQ(status("key", text, "pgs"), "unreadable");
    EXPECT_EQ(status("key", text, "sequential-impacts"), "ok");
  }
  for (const std::string text : {"", "0", "18446744073709551615"}) EXPECT_EQ(status("key", text, "pgs"), "ok");
}

TEST(SceneFaults, a_negative_slop_is_named) {
  const Ended run =
      solved({with(ball_row("1", {0, "1"}, {1}), "slop", "-0.001")}, "--method substeps --time-step 0.01");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":2: column slop: -0.001 is negative (negative_slop)\n", named(run.err));
}

TEST(SceneFaults, static_friction_below_friction_and_numbers_that_are_not_finite) {
  const Row row = with(with(ball_row("1", {0, "1"}, {1}), "friction", "0.5"), "static_friction", "0.4");
  const Ended below = solved({row});
  EXPECT_EQ(below.exit_code, 1);
  expect_within(":2: column static_friction: 0.4 is below the friction, 0.5 (static_friction_below_friction)\n",
                named(below.err));
  EXPECT_EQ(solved({with(row, "static_friction", "inf")}).exit_code, 0);
  const Ended target = solved({with(with(row, "static_friction", "inf"), "target_velocity", "nan")});
  expect_within(":2: column target_velocity: nan is not a number (not_a_number)\n", named(target.err));
}

void expect_refused(const std::string& text, const std::string& options, const std::string& message) {
  const TemporaryFile input(text);
  const Ended run = carom("solve " + input.name() + " -o - " + options);
  EXPECT_EQ(run.exit_code, 2) << options;
  EXPECT_EQ(run.out, "");
  expect_within(message, run.err);
}

TEST(SceneFaults, files_without_scenes_are_errors_that_name_what_is_missing) {
  const Row row = ball_row("1", {0, "1"}, {1});
  expect_refused(csv_of({without(row, "body_b")}), "--scene --method pgs",
                 ":1: --scene needs the column body_b, which is missing\n");
  expect_refused(csv_of({body_row()}), "--scene --method pgs",
                 ":1: --scene needs the columns scene_step, body_a, body_b, which are missing\n");
  expect_refused(csv_of({space_row()}), "--scene --method pgs",
                 "--scene needs both bodies' states in 3D (body form), and the file holds the contact-space form\n");
  expect_refused(csv_of({planar_body_row()}), "--scene --method pgs", "the file holds the planar body form\n");
  expect_refused(
      csv_of({with(with(row, "surface_velocity_x", "1"), "surface_velocity_z", "0")}), "--scene --method pgs",
      "all three columns of surface_velocity must be there or none: the column surface_velocity_y is missing\n");
}

TEST(SceneFaults, options_that_do_not_fit_are_errors_that_name_who_has_them) {
  const std::string text = csv_of({ball_row("1", {0, "1"}, {1})});
  expect_refused(text, "--method sequential-impacts", "carom: --method requires --scene\n");
  expect_refused(text, "--scene",
                 "carom: --scene needs --time-step for substeps, the default method, or another --method, as");
  expect_refused(text, "--gravity 0,0,-9.81",
                 "carom: --gravity is an option of scenes, and not of single contacts, without --scene\n");
  expect_refused(text, "--iterations 4",
                 "carom: --iterations is an option of substeps and pgs, and not of single contacts, without --scene\n");
  for (const std::string option : {"--law whittaker", "--restitution-law kinetic", "--integrator euler"})
    for (const std::string method : {"pgs", "bender-schmitt"})
      expect_refused(text, "--scene " + option + " --method " + method,
                     "carom: " + option.substr(0, option.find(' ')) +
                         " is an option of single contacts and sequential-impacts, and not of " + method + "\n");
  expect_refused(text, "--scene --method pgs --budget 10",
                 "carom: --budget is an option of ncp and contact systems (HDF5), and not of "
                 "pgs\n");
  expect_refused(text, "--scene --time-step 1 --position-correction",
                 "carom: --position-correction is an option of pgs, and not of substeps\n");
  expect_refused(text, "--scene --method ncp --error-mass 1",
                 "carom: --error-mass is an option of contact systems (HDF5), and not of ncp\n");
  expect_refused(text, "--scene --method ncp --reference", "carom: --reference has no method ncp");
  expect_refused(text, "--scene --method sequential-impacts --law brach",
                 "--law brach reads the columns impulse_ratio_1, impulse_ratio_2, which are missing\n");
  expect_refused(text, "--scene --method sequential-impacts --steps 3", "--steps needs --integrator euler");
  expect_refused(text, "--scene --method pgs --reference --precision float",
                 "--reference excludes --precision float\n");
  expect_refused(text, "--scene --method fast", "--method: fast not in ");
}

TEST(SceneFaults, what_the_library_refuses_is_told_before_the_file_is_read) {
  const std::string text = "not a contact file\n";
  expect_refused(text, "--scene --method substeps", "carom: the option time_step is 0");
  expect_refused(text, "--scene --method bender-schmitt", "carom: the option time_step is 0");
  expect_refused(text, "--scene --method ncp --gravity 0,0,-9.81", "carom: the option time_step is 0");
  expect_refused(text, "--scene --method ncp --pgs-iterations 4", "ncp.pgs_iterations");
  expect_refused(text, "--scene --time-step 1 --min-substeps 4 --max-substeps 3", "substeps.max_substeps is 3");
}

TEST(SceneFaults, values_out_of_their_ranges_are_named_with_the_range) {
  const std::string text = csv_of({ball_row("1", {0, "1"}, {1})});
  for (const std::string value : {"-1", "nan", "inf", "1001", "x"})
    expect_refused(text, "--scene --time-step " + value,
                   "carom: --time-step: " + value + " is not a number in [0, 1000]\n");
  for (const std::string value : {"-0.1", "1.1", "nan"})
    expect_refused(text, "--scene --method pgs --tolerance " + value,
                   "carom: --tolerance: " + value + " is not a number in [0, 1]\n");
  for (const std::string value : {"0", "1073741825", "1.5"})
    expect_refused(text, "--scene --method pgs --iterations " + value,
                   "carom: --iterations: " + value + " is not a whole number in [1, 1073741824]\n");
  for (const std::string value : {"0.009", "2"})
    expect_refused(text, "--scene --method pgs --relaxation " + value,
                   "carom: --relaxation: " + value + " is not a number in [0.01, 2)\n");
  expect_refused(text, "--scene --time-step 1 --max-speed inf", "--max-speed: inf is not a number in [0, 3.4e38]\n");
  expect_refused(text, "--scene --time-step 1 --gravity 0,inf,0", "--gravity: inf is not a finite number\n");
  for (const std::string value : {"1", "0,1", "0,1,2,3", "0,,1"})
    expect_refused(text, "--scene --time-step 1 --gravity " + value, "carom: --gravity: ");
  expect_refused(text, "--scene --method bender-schmitt --phase up",
                 "carom: --phase: up not in both|collisions|resting\n");
  for (const std::string value : {"-1", "18446744073709551616"})
    expect_refused(text, "--scene --method sequential-impacts --seed " + value,
                   "carom: --seed: " + value + " is not a whole number\n");
}

}  // namespace
}  // namespace carom::test
