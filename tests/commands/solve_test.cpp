// `carom solve` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

TEST(Solve, good_rows_give_exit_code_0_and_a_summary_on_stdout) {
  const TemporaryFile input(csv_of({body_row(), body_row()})), output;
  const Ended run = carom("solve " + input.name() + " -o " + output.name());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  expect_within("2 contacts, body form, series, double\n", run.out);
  expect_within("contacts/s", run.out);
  const io::Table results = table_of(output.text());
  ASSERT_EQ(results.rows(), 2u);
  EXPECT_EQ(results.cell(1, results.find("status")), "ok");
  EXPECT_GT(results.numbers("impulse_z")[0], 0);
}

TEST(Solve, a_dash_writes_the_results_and_nothing_else_to_stdout) {
  const TemporaryFile input(csv_of({space_row()}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 0);
  expect_within("1 contacts, contact-space form", run.err);
  const io::Table results = table_of(run.out);
  ASSERT_EQ(results.rows(), 1u);
  EXPECT_EQ(results.cell(0, results.find("status")), "ok");
}

TEST(Solve, bad_rows_give_exit_code_1_and_are_named_by_line_and_column) {
  const Row good = space_row();
  const TemporaryFile input(csv_of({good, with(good, "u0_x", "abc"), with(good, "restitution", "2"), good}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 1);
  expect_within("carom: " + input.name() + ":3: column u0_x: 'abc' is not a number\n", run.err);
  expect_within("carom: " + input.name() + ":4: column restitution: 2 is outside [0, 1] (restitution_out_of_range)\n",
                run.err);
  const io::Table results = table_of(run.out);
  const std::size_t status = results.find("status");
  ASSERT_EQ(results.rows(), 4u);
  EXPECT_EQ(results.cell(1, status), "unreadable");
  EXPECT_EQ(results.cell(2, status), "restitution_out_of_range");
  EXPECT_EQ(results.numbers("p_z")[2], 0);
  EXPECT_EQ(results.cell(3, results.find("p_z")), results.cell(0, results.find("p_z")));
}

/// A text in which the columns have the names that they had in carom 0.1.
std::string with_old_names(std::string text) {
  const std::pair<std::string, std::string> names[] = {
      {",r_a_", ",lever_a_"}, {",r_b_", ",lever_b_"}, {",separation,", ",gap,"}};
  for (const auto& [name, old_name] : names)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += old_name.size())
      text.replace(at, name.size(), old_name);
  return text;
}

TEST(Solve, files_with_the_names_of_carom_0_1_give_results_with_the_names_of_today) {
  const std::string example = CAROM_EXAMPLES_DIR "/scene/contacts.csv";
  for (const auto& [path, options] :
       {std::pair<std::string, std::string>{golden + "/bodies3d.csv", ""}, {example, " --scene --time-step 0.01"}}) {
    std::ifstream stream(path);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    const TemporaryFile now(text), old(with_old_names(text));
    ASSERT_NE(now.text(), old.text());
    const Ended expected = carom("solve " + now.name() + options + " -o -"),
                run = carom("solve " + old.name() + options + " -o -");
    EXPECT_EQ(expected.exit_code, 0) << expected.err;
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(run.out == expected.out) << path;
  }
  const TemporaryFile both(csv_of({with(body_row(), "lever_a_x", "0.5")}));
  const Ended refused = carom("solve " + both.name() + " -o -");
  EXPECT_EQ(refused.exit_code, 2);
  expect_within("the columns 'r_a_x' and 'lever_a_x' are the same: 'r_a_x' is the name of both\n", refused.err);
}

TEST(Solve, prints_20_faults_unless_all_are_asked_for) {
  const TemporaryFile input(csv_of(std::vector<Row>(25, with(space_row(), "friction", "-1"))));
  const auto faults = [](const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find("is negative"); at != std::string::npos; at = text.find("is negative", at + 1)) ++count;
    return count;
  };
  const Ended some = carom("solve " + input.name() + " -o /dev/null");
  EXPECT_EQ(faults(some.err), 20u);
  expect_within("5 more faults", some.err);
  EXPECT_EQ(faults(carom("solve " + input.name() + " -o /dev/null --all-faults").err), 25u);
}

TEST(Solve, all_rows_of_a_golden_file_come_out_in_order) {
  const io::Table input = io::read_csv(golden + "/incremental3d.csv");
  const Ended run = carom("solve " + golden + "/incremental3d.csv -o -");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const io::Table output = table_of(run.out);
  ASSERT_EQ(output.rows(), input.rows());
  for (std::size_t row = 0; row < input.rows(); ++row) {
    for (const char* name : {"case", "kind", "restitution_law", "k_xx", "u0_z", "restitution"})
      EXPECT_EQ(output.cell(row, output.find(name)), input.cell(row, input.find(name)));
    EXPECT_EQ(output.cell(row, output.find("status")), "ok");
  }
}

TEST(Solve, integrates_by_series_unless_told_otherwise) {
  const TemporaryFile input(csv_of({space_row()}));
  const auto results = [&](const std::string& options) {
    const Ended run = carom("solve " + input.name() + " -o - " + options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run;
  };
  const Ended silent = results(""), series = results("--integrator series"), euler = results("--integrator euler");
  EXPECT_EQ(silent.out, series.out);
  EXPECT_NE(silent.out, euler.out);
  expect_within("series, double\n", silent.err);
  expect_within("euler with 200 steps, double\n", euler.err);
  expect_within("euler with 70 steps, double\n", results("--integrator euler --steps 70").err);
}

TEST(Solve, restitution_is_the_law_of_rows_that_name_none) {
  const Row silent = space_row();
  const auto p_z = [](const std::vector<Row>& rows, const std::string& options) {
    const TemporaryFile input(csv_of(rows));
    const Ended run = carom("solve " + input.name() + " -o - " + options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return table_of(run.out).numbers("p_z");
  };
  std::vector<Row> telling;
  std::vector<double> of_option;
  for (const std::string law : {"energetic", "kinetic", "kinematic"}) {
    telling.push_back(with(silent, "restitution_law", law));
    of_option.push_back(p_z({silent}, "--restitution-law " + law)[0]);
  }
  EXPECT_EQ(p_z({silent}, "")[0], of_option[0]);
  EXPECT_NE(of_option[0], of_option[1]);
  EXPECT_NE(of_option[0], of_option[2]);
  EXPECT_NE(of_option[1], of_option[2]);
  for (const std::string options : {"", "--restitution-law kinetic", "--restitution-law kinematic"})
    EXPECT_EQ(p_z(telling, options), of_option) << options;
}

TEST(Solve, under_the_kinematic_law_the_normal_velocity_is_reversed_e_times) {
  const TemporaryFile input(csv_of({space_row()}));
  const Ended run = carom("solve " + input.name() + " -o - --restitution-law kinematic");
  // u_z = 0.5 of a sum of a few products of the size of |u0| = 1.35, each off by a rounding of 2^-53.
  EXPECT_NEAR(table_of(run.out).numbers("u_z")[0], 0.5, 16 * 0x1p-53);
}

TEST(Solve, with_euler_rows_of_the_other_laws_are_faults_by_name) {
  const Row row = space_row();
  const TemporaryFile input(csv_of({with(row, "restitution_law", "energetic"), with(row, "restitution_law", "kinetic"),
                                    with(row, "restitution_law", "kinematic")}));
  for (const std::string options : {"", " --reference"}) {
    const Ended run = carom("solve " + input.name() + " -o - --integrator euler" + options);
    EXPECT_EQ(run.exit_code, 1);
    expect_within(input.name() + ":3: column restitution_law: kinetic needs the integrator series", run.err);
    expect_within(input.name() + ":4: column restitution_law: kinematic needs the integrator series", run.err);
    const io::Table output = table_of(run.out);
    const std::size_t status = output.find("status");
    ASSERT_EQ(output.rows(), 3u);
    EXPECT_EQ(output.cell(0, status), "ok");
    EXPECT_EQ(output.cell(1, status), "restitution_law_unavailable");
    EXPECT_EQ(output.cell(2, status), "restitution_law_unavailable");
  }
}

TEST(Solve, infinite_friction_is_legal_and_stops_slip_with_both_integrators) {
  const TemporaryFile input(csv_of({with(space_row(), "friction", "inf")}));
  for (const std::string integrator : {"series", "euler"}) {
    const Ended run = carom("solve " + input.name() + " -o - --integrator " + integrator);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table output = table_of(run.out);
    EXPECT_TRUE(output.cell(0, output.find("path")).starts_with("stick_in_c+stable")) << integrator;
  }
}

TEST(Solve, more_steps_come_nearer_to_the_golden_set) {
  const io::Table expected = io::read_csv(golden + "/bodies3d.csv");
  const auto error = [&](const std::string& steps) {
    const Ended run = carom("solve " + golden + "/bodies3d.csv -o - --integrator euler --steps " + steps);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table output = table_of(run.out);
    double sum = 0;
    for (const char* name : {"new_velocity_a_x", "new_velocity_a_y", "new_velocity_a_z"}) {
      const auto got = output.numbers(name), wanted = expected.numbers(name);
      for (std::size_t row = 0; row < got.size(); ++row) sum += std::abs(got[row] - wanted[row]);
    }
    return sum;
  };
  // First order: four times the steps leave a quarter of the error, summed over many contacts; half is safe.
  EXPECT_LT(error("400"), 0.5 * error("100"));
}

TEST(Solve, the_reference_of_the_integrator_agrees_and_details_are_written) {
  const TemporaryFile input(csv_of({body_row()}));
  std::vector<double> separation;
  for (const std::string integrator : {"series", "euler"}) {
    const std::string command = "solve " + input.name() + " -o - --details --integrator " + integrator;
    const io::Table lanes = table_of(carom(command).out), reference = table_of(carom(command + " --reference").out);
    EXPECT_EQ(lanes.header(), reference.header());
    ASSERT_EQ(lanes.rows(), 1u);
    EXPECT_EQ(lanes.cell(0, lanes.find("path")), reference.cell(0, reference.find("path")));
    for (const char* name : {"new_separation_velocity_x", "new_separation_velocity_y", "new_separation_velocity_z"}) {
      ASSERT_NE(lanes.find(name), io::Table::none);
      // Euler's steps, fewer than 1000, each round velocities below 4 m/s by 2^-52 at most.
      EXPECT_NEAR(lanes.numbers(name)[0], reference.numbers(name)[0], 1000 * 0x1p-52) << integrator << " " << name;
    }
    separation.push_back(reference.numbers("new_separation_velocity_z")[0]);
  }
  EXPECT_GT(std::abs(separation[0] - separation[1]), 1e-6) << "the references must not be the same one";
}

TEST(Solve, float_numbers_have_9_digits_and_are_floats) {
  const TemporaryFile input(csv_of({body_row()}));
  const Ended run = carom("solve " + input.name() + " -o - --precision float --details");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const io::Table output = table_of(run.out);
  const io::Table in_double = table_of(carom("solve " + input.name() + " -o - --details").out);
  const std::string name = "new_velocity_a_x";
  const std::string cell(output.cell(0, output.find(name)));
  char again[32];
  std::snprintf(again, sizeof again, "%.9g", static_cast<double>(std::strtof(cell.c_str(), nullptr)));
  EXPECT_EQ(cell, again);
  EXPECT_NE(cell, in_double.cell(0, in_double.find(name)));
}

TEST(Solve, the_thread_count_and_the_isa_are_those_asked_for) {
  const TemporaryFile input(csv_of({body_row()}));
  for (const std::string isa : nlohmann::json::parse(carom("info --json").out)["isas"])
    expect_within("solved on " + isa + " with 1 thread in",
                  carom("solve " + input.name() + " -o /dev/null --threads 1 --isa " + isa).out);
}

TEST(Solve, restitution_above_1_is_a_fault_unless_it_is_asked_for) {
  const TemporaryFile input(csv_of({with(space_row(), "restitution", "1.5")}));
  const std::string solve = "solve " + input.name() + " -o -";
  EXPECT_EQ(carom(solve).exit_code, 1);
  const Ended less = carom(solve + " --max-restitution 1.4");
  EXPECT_EQ(less.exit_code, 1);
  expect_within("column restitution: 1.5 is outside [0, 1.4] (restitution_out_of_range)\n", less.err);
  EXPECT_EQ(carom(solve + " --max-restitution 1.5").exit_code, 0);
  EXPECT_EQ(carom(solve + " --max-restitution 0.9").exit_code, 2);
}

TEST(Solve, a_header_alone_is_fine) {
  const std::string text = csv_of({space_row()});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(table_of(run.out).rows(), 0u);
  EXPECT_TRUE(run.out.ends_with(",u_x,u_y,u_z,p_x,p_y,p_z,status,path\n")) << run.out;
}

}  // namespace
}  // namespace carom::test
