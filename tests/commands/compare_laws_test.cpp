// `carom compare-laws` as a user runs it.
#include <gtest/gtest.h>

#include <carom/law_info.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"

namespace carom::test {
namespace {

// Planar, K = diag(2, 1), u0 = (s, -1), e = 0, no coupling: the frictionless law gives (0, 1), no slip (-s / 2, 1).
Row row_of_slip(const std::string& slip) {
  return {{"k_xx", "2"},  {"k_xy", "0"},     {"k_yy", "1"},       {"u0_x", slip},
          {"u0_y", "-1"}, {"friction", "9"}, {"restitution", "0"}};
}

nlohmann::json compare(const std::vector<Row>& rows, const std::string& options = "", int exit_code = 0) {
  const TemporaryFile input(csv_of(rows));
  const Ended run = carom("compare-laws " + input.name() + " --json " + options);
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  return nlohmann::json::parse(run.out);
}

TEST(CompareLaws, distances_are_those_of_the_impulses_relative_to_the_first) {
  std::vector<Row> rows;
  for (int i = 1; i <= 10; ++i) rows.push_back(row_of_slip(std::to_string(2 * i)));
  const auto json = compare(rows, "--laws frictionless,no-slip");
  ASSERT_EQ(json["distances"].size(), 2u);
  // The ten distances are s / 2 = 1, ..., 10; the median is the 5th, the percentile the 9th. They are relative to |p| =
  // 1 in one direction and to sqrt(1 + i^2) in the other. All have rounding errors of a few operations.
  const auto& there = json["distances"][0];
  EXPECT_EQ(there["law"], "frictionless");
  EXPECT_EQ(there["other"], "no-slip");
  EXPECT_EQ(there["rows"], 10);
  EXPECT_NEAR(there["median"], 5, 16 * 0x1p-50);
  EXPECT_NEAR(there["percentile_90"], 9, 16 * 0x1p-50);
  EXPECT_NEAR(there["largest"], 10, 16 * 0x1p-50);
  EXPECT_EQ(there["line"], 11);
  const auto& back = json["distances"][1];
  EXPECT_EQ(back["law"], "no-slip");
  EXPECT_NEAR(back["median"], 5 / std::sqrt(26), 16 * 0x1p-52);
  EXPECT_NEAR(back["largest"], 10 / std::sqrt(101), 16 * 0x1p-52);
}

TEST(CompareLaws, without_friction_and_coupling_the_laws_agree) {
  const Row row = with(row_of_slip("1"), "friction", "0");
  const auto json = compare({row, with(row, "restitution", "0.5")});
  for (const auto& distance : json["distances"]) {
    if (distance["law"] == "no-slip" || distance["other"] == "no-slip") {
      EXPECT_GT(distance["median"], 0.1) << distance.dump();
    } else {
      EXPECT_LT(distance["largest"], 64 * 0x1p-52) << distance.dump();
    }
  }
}

TEST(CompareLaws, every_law_with_columns_takes_part_whatever_the_rows_name_and_however_they_are_solved) {
  const Row row = with(with_law_parameters(planar_body_row()), "law", "smith");
  for (const std::string reference : {"", "--reference"}) {
    const auto json = compare({row}, reference);
    EXPECT_EQ(json["laws"].size(), law_count);
    EXPECT_EQ(json["distances"].size(), law_count * (law_count - 1));
    for (const auto& law : json["laws"]) EXPECT_EQ(law["resolved"], 1) << law.dump();
    EXPECT_GT(json["distances"][0]["median"], 0);
  }
  const auto in_space = compare({with_law_parameters(space_row())});
  EXPECT_EQ(in_space["laws"].size(), law_count - 1);
  EXPECT_EQ(in_space["skipped"][0]["law"], "pfeiffer-glocker");
}

TEST(CompareLaws, rows_that_a_law_does_not_solve_count_as_such_and_stay_out_of_its_distances) {
  const Row row = with_law_parameters(space_row());
  const auto json =
      compare({row, with(row, "fraction", ""), with(row, "fraction", "2")}, "--laws incremental,polar,smith");
  EXPECT_EQ(json["bad_rows"], 0);
  EXPECT_EQ(json["laws"][1]["resolved"], 1);
  EXPECT_EQ(json["laws"][1]["not_solved"], 2);
  EXPECT_EQ(json["distances"][0]["rows"], 1);
  EXPECT_EQ(json["distances"][1]["rows"], 3);
}

TEST(CompareLaws, gains_of_energy_are_counted_with_the_largest) {
  const auto json = nlohmann::json::parse(carom("compare-laws " + golden + "/planar.csv --json").out);
  for (const auto& law : json["laws"]) {
    const bool gains = law["energy_gains"] > 0;
    EXPECT_EQ(law["max_energy_gain"] > 0, gains);
    EXPECT_EQ(law["energy_gain_line"].is_null(), !gains);
    if (law["law"] == "whittaker") {
      EXPECT_TRUE(gains);
    }
    if (!law_info(law_from_string(law["law"].get<std::string>())).may_gain_energy) {
      EXPECT_FALSE(gains) << law.dump();
    }
  }
}

TEST(CompareLaws, bad_rows_give_exit_code_1_and_the_others_are_compared) {
  const TemporaryFile input(csv_of({row_of_slip("1"), row_of_slip("fast"), with(row_of_slip("1"), "friction", "-1")}));
  const Ended run = carom("compare-laws " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column u0_x: 'fast' is not a number\n", run.err);
  expect_within(":4: column friction: -1 is negative (negative_friction)\n", run.err);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["bad_rows"], 2);
  for (const auto& law : json["laws"]) {
    EXPECT_EQ(law["resolved"], 1);
    EXPECT_EQ(law["not_solved"], 0);
  }
}

TEST(CompareLaws, the_csv_has_a_line_for_every_pair_with_the_numbers_of_json) {
  const std::vector<Row> rows = {row_of_slip("1"), row_of_slip("3")};
  const TemporaryFile input(csv_of(rows)), output;
  ASSERT_EQ(carom("compare-laws " + input.name() + " -o " + output.name()).exit_code, 0);
  const io::Table csv = table_of(output.text());
  const auto distances = compare(rows)["distances"];
  ASSERT_EQ(csv.rows(), distances.size());
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    EXPECT_EQ(csv.cell(i, csv.find("law")), distances[i]["law"].get<std::string>());
    EXPECT_EQ(csv.cell(i, csv.find("other")), distances[i]["other"].get<std::string>());
    for (const std::string name : {"median", "percentile_90", "largest", "line", "rows"})
      EXPECT_EQ(csv.numbers(name)[i], distances[i][name].get<double>()) << name;
  }
}

TEST(CompareLaws, text_tells_counts_and_distances_to_the_first_law) {
  const Ended run = carom("compare-laws " + golden + "/algebraic3d.csv --laws smith,frictionless,whittaker");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("600 contacts, contact-space form, double\n", run.out);
  expect_within("difference of the impulse to that of smith, relative to the latter\n", run.out);
  EXPECT_EQ(run.out.find("incremental"), std::string::npos);
}

TEST(CompareLaws, wrong_usage_gives_exit_code_2) {
  const TemporaryFile input(csv_of({space_row()}));
  for (const std::string arguments :
       {"--laws newton", "--laws smith,brach", "--laws smith,smith", "--laws pfeiffer-glocker", "--json -o -",
        "--reference --precision float", "-o /absent/file.csv"}) {
    const Ended run = carom("compare-laws " + input.name() + " " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_TRUE(run.err.starts_with("carom: ")) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }
}

TEST(CompareLaws, a_header_alone_is_fine) {
  const std::string text = csv_of({space_row()});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  const Ended run = carom("compare-laws " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["contacts"], 0);
  EXPECT_TRUE(json["distances"][0]["median"].is_null());
}

}  // namespace
}  // namespace carom::test
