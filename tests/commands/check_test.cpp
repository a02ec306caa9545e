// `carom check` as a user runs it.
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

// K = diag(1.5, 1.5, 1), u0 = (1, 0, -2): for p = (x, 0, z) the energy lost is -x + 2 z - 0.75 x^2 - 0.5 z^2 and
// u_z = -2 + z. With a trace of 4 all of it is exact.
Row diagonal(const std::string& p_x, const std::string& p_z) {
  Row row = {{"k_xx", "1.5"}, {"k_xy", "0"}, {"k_xz", "0"},  {"k_yy", "1.5"},     {"k_yz", "0"},       {"k_zz", "1"},
             {"u0_x", "1"},   {"u0_y", "0"}, {"u0_z", "-2"}, {"friction", "0.5"}, {"restitution", "0"}};
  return with(with(with(row, "p_x", p_x), "p_y", "0"), "p_z", p_z);
}

// The same in the plane.
Row planar_diagonal(const std::string& p_x, const std::string& p_y) {
  const Row row = {{"k_xx", "1.5"}, {"k_xy", "0"},       {"k_yy", "1"},       {"u0_x", "1"},
                   {"u0_y", "-2"},  {"friction", "0.5"}, {"restitution", "0"}};
  return with(with(row, "p_x", p_x), "p_y", p_y);
}

nlohmann::json check(const std::vector<Row>& rows, const std::string& options = "", int exit_code = 0) {
  const TemporaryFile input(csv_of(rows));
  const Ended run = carom("check " + input.name() + " --json " + options);
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  return nlohmann::json::parse(run.out);
}

TEST(Check, impulses_of_the_file_are_told_with_the_bound_and_the_amount) {
  for (const bool planar : {false, true}) {
    const auto row = [&](const char* t, const char* n) { return planar ? planar_diagonal(t, n) : diagonal(t, n); };
    // One in the region; one that loses 10 - 12.5 J; one that leaves the bodies approaching at 1 m/s; one beyond the
    // cone by 1.75 - 0.5 * 2; one that pulls by 1, and so is beyond the cone by 0.5, approaches at 3 m/s and loses -2 -
    // 0.5 J.
    const auto json = check({row("-0.5", "2"), row("0", "5"), row("0", "1"), row("-1.75", "2"), row("0", "-1")});
    EXPECT_EQ(json["bad_rows"], 0);
    ASSERT_EQ(json["checks"].size(), 1u);
    const auto& file = json["checks"][0];
    EXPECT_EQ(file["impulses_of"], "the file");
    EXPECT_EQ(file["checked"], 5);
    EXPECT_EQ(file["outside"], 4);
    EXPECT_EQ(json["outside"], 4);
    const auto& rows = file["rows"];
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0]["line"], 3);
    EXPECT_EQ(rows[0]["beyond"], nlohmann::json({{"energy", 2.5}}));
    EXPECT_EQ(rows[1]["beyond"], nlohmann::json({{"non_penetration", 1.0}}));
    EXPECT_EQ(rows[2]["line"], 5);
    EXPECT_EQ(rows[2]["beyond"], nlohmann::json({{"cone", 0.75}}));
    EXPECT_EQ(rows[3]["beyond"],
              nlohmann::json({{"energy", 2.5}, {"non_penetration", 3.0}, {"tension", 1.0}, {"cone", 0.5}}));
    EXPECT_EQ(file["bounds"]["energy"]["rows"], 2);
    EXPECT_EQ(file["bounds"]["energy"]["unit"], "J");
    // 1/2 u0 K^-1 u0 = 1/2 (1 / 1.5 + 4) = 7 / 3 J, by a few operations.
    EXPECT_NEAR(file["bounds"]["energy"]["relative"], 2.5 * 3 / 7, 8 * 0x1p-52);
    EXPECT_EQ(file["bounds"]["non_penetration"]["amount"], 3.0);
    EXPECT_EQ(file["bounds"]["non_penetration"]["line"], 6);
    EXPECT_EQ(file["bounds"]["tension"]["rows"], 1);
    EXPECT_EQ(file["bounds"]["cone"]["rows"], 2);
  }
}

TEST(Check, text_names_rows_bounds_amounts_and_units) {
  const TemporaryFile input(csv_of({diagonal("-0.5", "2"), diagonal("0", "-1")}));
  const Ended run = carom("check " + input.name());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("2 contacts, contact-space form, double; tolerance 1.42e-14\n", run.out);
  expect_within("farthest outside\n", run.out);
  expect_within("  line 3: gains energy by 2.5 J, penetrates by 3 m/s, pulls by 1 N s, leaves the cone by 0.5 N s\n",
                run.out);
}

TEST(Check, twenty_rows_are_listed_and_json_tells_all) {
  const std::vector<Row> rows(25, diagonal("0", "1"));
  const TemporaryFile input(csv_of(rows));
  const std::string text = carom("check " + input.name()).out;
  std::size_t listed = 0;
  for (auto at = text.find(": penetrates"); at != std::string::npos; at = text.find(": penetrates", at + 1)) ++listed;
  EXPECT_EQ(listed, 20u);
  expect_within("and 5 more", text);
  EXPECT_EQ(check(rows)["checks"][0]["rows"].size(), 25u);
}

TEST(Check, the_tolerance_is_relative_to_the_scale_of_the_bound) {
  // Approach is left at 1 m/s, of |u0| = sqrt(5) m/s: 0.4472.
  EXPECT_EQ(check({diagonal("0", "1")}, "--tolerance 0.447")["outside"], 1);
  EXPECT_EQ(check({diagonal("0", "1")}, "--tolerance 0.448")["outside"], 0);
}

TEST(Check, what_solve_writes_is_in_the_region_in_every_form) {
  for (const Row& row : {body_row(), space_row(), planar_body_row(), planar_space_row()})
    for (const std::string precision : {"double", "float"}) {
      const TemporaryFile input(csv_of({row, with(row, "restitution", "1")})), output;
      ASSERT_EQ(carom("solve " + input.name() + " -o " + output.name() + " --precision " + precision).exit_code, 0);
      const Ended run = carom("check " + output.name() + " --json --precision " + precision);
      const auto json = nlohmann::json::parse(run.out);
      EXPECT_EQ(json["checks"][0]["impulses_of"], "the file");
      EXPECT_EQ(json["checks"][0]["checked"], 2);
      EXPECT_EQ(json["outside"], 0) << run.out;
    }
}

TEST(Check, laws_that_never_gain_energy_do_not_on_golden_contacts_and_whittaker_does) {
  for (const std::string file : {"incremental3d.csv", "planar.csv"}) {
    const Ended run = carom("check " + golden + "/" + file + " --law all --json");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    bool whittaker_gains = false;
    for (const auto& checked : json["checks"]) {
      const LawInfo& info = law_info(law_from_string(checked["impulses_of"].get<std::string>()));
      const auto& gains = checked["bounds"]["energy"]["rows"];
      if (info.law == Law::whittaker) whittaker_gains = gains > 0;
      if (!info.may_gain_energy) {
        EXPECT_EQ(gains, 0) << file << " " << to_string(info.law);
      }
      EXPECT_EQ(checked["checked"].get<std::size_t>() + checked["not_solved"].get<std::size_t>(), json["contacts"]);
    }
    EXPECT_TRUE(whittaker_gains) << file;
    EXPECT_EQ(json["checks"].size() + json["skipped"].size(), law_count);
  }
}

// The example of docs/laws.md: it sticks, and ½ u·K⁻¹u rises from 0.5 J to 0.78125 J, under this law and no other that
// needs no parameters.
TEST(Check, the_gain_of_whittakers_law_is_reported_with_its_amount) {
  const Row row = {{"k_xx", "1"},  {"k_xy", "0"},       {"k_xz", "0.6"},     {"k_yy", "1"},
                   {"k_yz", "0"},  {"k_zz", "1"},       {"u0_x", "-0.6"},    {"u0_y", "0"},
                   {"u0_z", "-1"}, {"friction", "0.5"}, {"restitution", "1"}};
  const auto json = check({row}, "--law all");
  ASSERT_EQ(json["checks"].size(), 6u);
  for (const auto& checked : json["checks"]) {
    if (checked["impulses_of"] != "whittaker") {
      EXPECT_EQ(checked["bounds"]["energy"]["rows"], 0) << checked["impulses_of"];
      continue;
    }
    ASSERT_EQ(checked["rows"].size(), 1u);
    // Some ten roundings of terms up to 2.
    EXPECT_NEAR(checked["rows"][0]["beyond"]["energy"].get<double>(), 0.28125, 1e-14);
  }
}

TEST(Check, a_file_without_impulses_is_checked_under_the_laws_of_its_rows_or_under_all) {
  const Row row = with_law_parameters(planar_space_row());
  const auto all = check({row});
  EXPECT_EQ(all["checks"].size(), law_count);
  EXPECT_TRUE(all["skipped"].empty());
  const auto own = check({with(row, "law", "no-slip"), with(row, "law", "smith")});
  ASSERT_EQ(own["checks"].size(), 1u);
  EXPECT_EQ(own["checks"][0]["impulses_of"], "the rows' laws");
  ASSERT_EQ(own["outside"], 1);
  EXPECT_EQ(own["checks"][0]["rows"][0]["law"], "no-slip");
  EXPECT_EQ(own["checks"][0]["rows"][0]["line"], 2);
}

TEST(Check, an_asked_law_goes_before_the_impulses_of_the_file) {
  const auto json = check({diagonal("0", "-1")}, "--law frictionless");
  EXPECT_EQ(json["checks"][0]["impulses_of"], "frictionless");
  EXPECT_EQ(json["outside"], 0);
}

TEST(Check, laws_that_the_file_has_no_columns_for_are_passed_over_and_named) {
  const auto json = check({without(without(without(diagonal("0", "1"), "p_x"), "p_y"), "p_z")});
  std::vector<std::string> names;
  for (const auto& skipped : json["skipped"]) names.push_back(skipped["law"]);
  EXPECT_EQ(names, (std::vector<std::string>{"chatterjee-ruina", "bilinear", "pfeiffer-glocker", "brach", "projected",
                                             "polar", "composite"}));
  EXPECT_EQ(json["skipped"][2]["why"], "is for planar contacts");
  EXPECT_EQ(json["skipped"][0]["why"], "reads the column tangential_restitution, which is missing");
}

TEST(Check, bad_rows_give_exit_code_1_and_the_others_are_checked) {
  const std::vector<Row> rows = {diagonal("0", "2"),
                                 diagonal("x", "2"),
                                 diagonal("nan", "2"),
                                 diagonal("", "2"),
                                 with(diagonal("0", "2"), "friction", "-1"),
                                 diagonal("0", "1")};
  const TemporaryFile input(csv_of(rows));
  const Ended run = carom("check " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column p_x: 'x' is not a number\n", run.err);
  expect_within(":4: column p_x: nan is not a number (not_a_number)\n", run.err);
  expect_within(":5: column p_x: the cell is empty\n", run.err);
  expect_within(":6: column friction: -1 is negative (negative_friction)\n", run.err);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["bad_rows"], 4);
  EXPECT_EQ(json["checks"][0]["checked"], 2);
  EXPECT_EQ(json["checks"][0]["rows"][0]["line"], 7);
  EXPECT_EQ(check(rows, "--law all", 1)["bad_rows"], 1);
}

TEST(Check, the_output_has_margins_and_what_spans_impulse_space) {
  for (const bool planar : {false, true}) {
    const Row row = planar ? planar_diagonal("0", "-1") : diagonal("0", "-1");
    const TemporaryFile input(csv_of({with(row, "note", "\"a, b\"")}));
    const Ended run = carom("check " + input.name() + " -o -");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table output = table_of(run.out);
    const auto number = [&](const std::string& name) { return output.numbers(name)[0]; };
    EXPECT_EQ(output.cell(0, output.find("note")), "a, b");
    EXPECT_EQ(number("margin_energy"), -2.5);
    EXPECT_EQ(number("margin_non_penetration"), -3);
    EXPECT_EQ(number("margin_tension"), -1);
    EXPECT_EQ(number("margin_cone"), -0.5);
    // P_I = 2 n, P_II = -K^-1 u0 = (-2/3, 0, 2), 1/2 u0 K^-1 u0 = 7/3; all by a few operations.
    const std::string n = planar ? "_y" : "_z";
    EXPECT_NEAR(number("plastic_frictionless" + n), 2, 8 * 0x1p-52);
    EXPECT_EQ(number("plastic_frictionless_x"), 0);
    EXPECT_NEAR(number("plastic_sticking_x"), -2.0 / 3, 8 * 0x1p-52);
    EXPECT_NEAR(number("plastic_sticking" + n), 2, 8 * 0x1p-52);
    EXPECT_NEAR(number("contact_energy"), 7.0 / 3, 8 * 0x1p-52);
    EXPECT_EQ(output.find("plastic_sticking_z") == io::Table::none, planar);
  }
}

TEST(Check, the_output_of_planar_bodies_is_in_their_frame) {
  // A point of 2 kg that hits a wall along the normal (0.6, 0.8) at 1 m/s: P_I = P_II = 2 kg m/s along it.
  Row row = planar_body_row();
  for (const auto& [name, cell] : std::vector<std::pair<std::string, std::string>>{{"normal_x", "0.6"},
                                                                                   {"normal_y", "0.8"},
                                                                                   {"inverse_mass_a", "0.5"},
                                                                                   {"r_a_x", "0"},
                                                                                   {"r_a_y", "0"},
                                                                                   {"velocity_a_x", "-0.6"},
                                                                                   {"velocity_a_y", "-0.8"}})
    row = with(row, name, cell);
  const TemporaryFile input(csv_of({row}));
  const Ended run = carom("check " + input.name() + " --law frictionless -o -");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const io::Table output = table_of(run.out);
  for (const std::string name : {"plastic_frictionless", "plastic_sticking"}) {
    EXPECT_NEAR(output.numbers(name + "_x")[0], 1.2, 16 * 0x1p-52) << name;
    EXPECT_NEAR(output.numbers(name + "_y")[0], 1.6, 16 * 0x1p-52) << name;
  }
}

TEST(Check, wrong_usage_gives_exit_code_2) {
  const TemporaryFile input(csv_of({space_row()}));
  for (const std::string arguments :
       {"--law newton", "--law brach", "--law pfeiffer-glocker", "--tolerance -1", "--law all -o -",
        "--law smith --json -o -", "--reference --precision float", "-o /absent/file.csv"}) {
    const Ended run = carom("check " + input.name() + " " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_TRUE(run.err.starts_with("carom: ")) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }
}

TEST(Check, a_header_alone_is_fine) {
  const std::string text = csv_of({diagonal("0", "1")});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  for (const std::string law : {"", " --law all", " --law smith"}) {
    const Ended run = carom("check " + input.name() + " --json" + law);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["contacts"], 0);
  }
}

}  // namespace
}  // namespace carom::test
