// `carom laws` as a user runs it.
#include <gtest/gtest.h>

#include <carom/law_info.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/files/run_command.hpp"

namespace carom::test {
namespace {

TEST(Laws, the_table_has_a_line_for_every_law_with_what_is_known_of_it) {
  const Ended run = carom("laws");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  std::istringstream lines(run.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_TRUE(line.starts_with("law ")) << line;
  for (const LawInfo& info : all_laws()) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(line.starts_with(std::string(to_string(info.law)) + " ")) << line;
    expect_within(info.in_space && info.in_plane ? "2D, 3D" : info.in_space ? "3D" : "2D", line);
    expect_within(std::string(info.restitution), line);
    expect_within(std::string(info.energy_gain), line);
    EXPECT_TRUE(line.ends_with(info.source)) << line;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST(Laws, parameters_that_are_read_in_3d_only_stand_in_brackets) {
  const std::string table = carom("laws").out;
  expect_within("impulse_ratio_1, (impulse_ratio_2)", table);
  expect_within("polar_angle, (azimuth), fraction", table);
  expect_within("candidate_x, candidate_y, (candidate_z)", table);
}

TEST(Laws, json_has_the_same_facts) {
  const auto json = nlohmann::json::parse(carom("laws --json").out);
  ASSERT_EQ(json["laws"].size(), law_count);
  for (std::size_t i = 0; i < law_count; ++i) {
    const LawInfo& info = all_laws()[i];
    const auto& law = json["laws"][i];
    EXPECT_EQ(law["name"], to_string(info.law));
    EXPECT_EQ(law["in_3d"], info.in_space);
    EXPECT_EQ(law["in_2d"], info.in_plane);
    EXPECT_EQ(law["may_gain_energy"], info.may_gain_energy);
    EXPECT_EQ(law["parameters"].size(), info.parameters.size());
  }
}

}  // namespace
}  // namespace carom::test
