// Runs `carom compare` like a user.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

TEST(Compare, json_tells_the_comparison_and_nothing_else_is_on_stdout) {
  const Ended run = carom("compare " + golden + "/bodies3d.csv --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const io::Table input = io::read_csv(golden + "/bodies3d.csv");
  EXPECT_EQ(json["contacts"], input.rows());
  EXPECT_EQ(json["form"], "bodies");
  EXPECT_EQ(json["bad_rows"], 0);
  EXPECT_EQ(json["integrator"], "series");
  EXPECT_TRUE(json["steps"].is_null());
  EXPECT_EQ(json["restitution_law"], "energetic");
  EXPECT_EQ(json["lanes"]["by_status"], json["reference"]["by_status"]);
  EXPECT_EQ(json["velocity_difference"]["rows"], json["lanes"]["by_status"]["ok"]);
  EXPECT_GE(json["velocity_difference"]["largest"], json["velocity_difference"]["median"]);
  EXPECT_GT(json["lanes"]["contacts_per_second"], 0);
  EXPECT_GT(json["reference"]["contacts_per_second"], 0);
  EXPECT_GE(json["repetitions"], 3);
  EXPECT_TRUE(json["expected"].contains("impulse"));
  EXPECT_EQ(json["expected"]["path"]["rows"], input.rows());
}

TEST(Compare, series_is_held_against_the_exact_reference_and_euler_against_its_own) {
  const auto compare = [](const std::string& options) {
    return nlohmann::json::parse(carom("compare " + golden + "/bodies3d.csv --json " + options).out);
  };
  const auto series = compare(""), euler = compare("--integrator euler --steps 100");
  EXPECT_EQ(euler["steps"], 100);
  for (const auto& json : {series, euler}) {
    // The terms |I^-1| |r|^2 of K are up to 1212 times as large as K: they cancel. Euler also rounds u in each of up to
    // 900 steps.
    EXPECT_LT(json["velocity_difference"]["largest"], 0x1p-52 * (1212 + 900));
    EXPECT_EQ(json["path_differences"].size(), 0u);
  }
  // At 1 / N = 0.01 half of Euler's results differ by more than 1e-4 from the exact ones; series differ only by
  // rounding.
  for (const char* side : {"lanes", "reference"}) {
    EXPECT_LT(series["expected"]["new_velocity_a"][side]["median"], 0x1p-50);
    EXPECT_GT(euler["expected"]["new_velocity_a"][side]["median"], 1e-4);
    EXPECT_EQ(series["expected"]["path"][std::string(side) == "lanes" ? "lanes_differ" : "reference_differs"], 0);
  }
}

TEST(Compare, the_results_in_the_file_are_expected_values) {
  const TemporaryFile input(csv_of({space_row(), space_row()}));
  const io::Table results = table_of(carom("solve " + input.name() + " -o -").out);
  const double speed = std::hypot(0.75, 0.5, 1.0);
  const double shift = 0.25;
  std::string text, separator;
  for (const std::string& name : results.header()) text += std::exchange(separator, ",") + name;
  for (std::size_t row = 0; row < 2; ++row) {
    separator = "\n";
    for (std::size_t column = 0; column < results.header().size(); ++column) {
      std::string cell(results.cell(row, column));
      if (row == 1 && results.header()[column] == "u_y") {
        char shifted[32];
        std::snprintf(shifted, sizeof shifted, "%.17g", std::stod(cell) + shift);
        cell = shifted;
      }
      if (row == 1 && results.header()[column] == "path") cell = "separating";
      text += std::exchange(separator, ",") + cell;
    }
  }
  const TemporaryFile expected(text + "\n");
  const Ended run = carom("compare " + expected.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out)["expected"];
  EXPECT_EQ(json["u"]["lanes"]["rows"], 2);
  EXPECT_EQ(json["u"]["lanes"]["line"], 3);
  // Two roundings: of the shifted cell to double, and of the difference.
  EXPECT_NEAR(json["u"]["lanes"]["largest"], shift / speed, 1e-15);
  EXPECT_EQ(json["p"]["lanes"]["largest"], 0.0);
  EXPECT_EQ(json["path"]["lanes_differ"], 1);
  EXPECT_EQ(json["status"]["lanes_differ"], 0);
}

TEST(Compare, bad_rows_give_exit_code_1_and_the_others_are_compared) {
  const TemporaryFile input(csv_of({space_row(), with(space_row(), "k_zz", "")}));
  const Ended run = carom("compare " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column k_zz: the cell is empty", run.err);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["bad_rows"], 1);
  EXPECT_EQ(json["lanes"]["by_status"]["unreadable"], 1);
  EXPECT_EQ(json["velocity_difference"]["rows"], 1);
}

TEST(Compare, in_float_the_reference_gets_the_rounded_numbers) {
  // Without friction the tangential velocity does not change. Floats near 1e6 are 1/16 apart, so 1e6 + 0.03 becomes
  // 1e6. A reference that got the unrounded number would differ by 3e-8 of |u0|.
  Row row = with(with(space_row(), "friction", "0"), "u0_x", "1000000.03");
  for (const std::string name : {"k_xy", "k_xz", "k_yz"}) row = with(row, name, "0");
  const TemporaryFile input(csv_of({row}));
  const auto json = nlohmann::json::parse(carom("compare " + input.name() + " --json --precision float").out);
  EXPECT_EQ(json["precision"], "float");
  // The remaining difference is the rounding of u_z, about 1 m/s: 2^-24 times 1e-6 |u0|.
  EXPECT_LT(json["velocity_difference"]["largest"], 1e-9);
}

TEST(Compare, text_tells_differences_paths_energy_and_throughput) {
  const Ended run = carom("compare " + golden + "/bodies3d.csv");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"body form, series\n", "separation velocity / |u0|", "paths that differ",
                           "largest energy gain", "difference to the results in the file", "contacts/s", "ratio"})
    expect_within(part, run.out);
}

TEST(Compare, planar_lanes_agree_with_the_reference_and_the_golden_set) {
  const Ended run = carom("compare " + golden + "/planar.csv --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["form"], "planar_contact_space");
  EXPECT_EQ(json["law"], "incremental");
  EXPECT_EQ(json["bad_rows"], 0);
  // Some dozens of operations; the condition of K, 2^10, multiplies their rounding.
  EXPECT_LT(json["velocity_difference"]["largest"], 64 * 0x1p-52 * 0x1p10);
  for (const char* side : {"lanes", "reference"}) {
    EXPECT_EQ(json["expected"]["u"][side]["rows"], json["contacts"]);
    EXPECT_LT(json["expected"]["u"][side]["median"], 0x1p-50);
    // The golden set has this accuracy.
    EXPECT_LT(json["expected"]["u"][side]["largest"], 3e-11);
  }
  EXPECT_EQ(json["expected"]["path"]["lanes_differ"], 0);
}

TEST(Compare, planar_results_in_the_file_are_expected_values_with_their_scales) {
  const TemporaryFile input(csv_of({planar_body_row()}));
  const Ended solved = carom("solve " + input.name() + " -o -");
  const io::Table results = table_of(solved.out);
  Row row;
  for (std::size_t i = 0; i < results.header().size(); ++i)
    row.emplace_back(results.header()[i], std::string(results.cell(0, i)));
  const TemporaryFile exact(csv_of({row}));
  const auto same = nlohmann::json::parse(carom("compare " + exact.name() + " --json").out)["expected"];
  for (const char* name : {"impulse", "new_velocity_a", "new_angular_velocity_a", "new_velocity_b"})
    EXPECT_EQ(same[name]["lanes"]["largest"], 0.0) << name;
  // |u0| = sqrt(5) m/s, |r| = sqrt(0.29) m.
  row = with(row, "new_angular_velocity_a", "100");
  const TemporaryFile wrong(csv_of({row}));
  const double spin = results.numbers("new_angular_velocity_a")[0];
  const auto json = nlohmann::json::parse(carom("compare " + wrong.name() + " --json").out)["expected"];
  EXPECT_NEAR(json["new_angular_velocity_a"]["lanes"]["largest"], (100 - spin) * std::sqrt(0.29 / 5), 1e-12);
}

TEST(Compare, laws_are_held_against_their_definitions) {
  for (const Row& row : {with_law_parameters(body_row()), with_law_parameters(planar_body_row())}) {
    const TemporaryFile input(csv_of({row, with(row, "restitution", "1")}));
    for (const std::string law : {"frictionless", "smith", "brach", "composite"}) {
      const auto json = nlohmann::json::parse(carom("compare " + input.name() + " --json --law " + law).out);
      EXPECT_EQ(json["law"], law);
      EXPECT_EQ(json["bad_rows"], 0);
      EXPECT_EQ(json["velocity_difference"]["rows"], 2);
      // The condition of K is below 10; the laws take some hundred operations.
      EXPECT_LT(json["velocity_difference"]["largest"], 1000 * 0x1p-52) << law;
    }
  }
}

TEST(Compare, a_header_alone_is_fine) {
  const std::string text = csv_of({body_row()});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  const Ended run = carom("compare " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["contacts"], 0);
}

}  // namespace
}  // namespace carom::test
