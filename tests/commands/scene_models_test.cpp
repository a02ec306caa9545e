// `carom solve --scene` on files with columns of contact models.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/files/run_command.hpp"
#include "support/files/scene_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

/// A ball of 1 kg that comes to a wall at 1 m/s, without rebound: 1 N s along -x.
Row ball_at_wall() {
  return ball_row("1", {0, "1"}, world, "0");
}

Row with_all(Row row, const std::vector<std::pair<std::string, std::string>>& cells) {
  for (const auto& [name, text] : cells) row = with(row, name, text);
  return row;
}

Ended run(const Row& row, const std::string& options = "") {
  const TemporaryFile input(csv_of({row}));
  const bool is_pgs = options.find("--method") == std::string::npos;
  return carom("solve --scene " + input.name() + " -o - " + (is_pgs ? "--method pgs --iterations 100 " : "") + options);
}

io::Table solved(const Row& row, const std::string& options = "") {
  const Ended ended = run(row, options);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return table_of(ended.out);
}

TEST(SceneModels, resistance_to_rolling_and_spinning_comes_out_as_an_angular_impulse) {
  // Both are at their limits: 0.1 m and 0.05 m times 1 N s, against the turning.
  const Row row = with_all(ball_at_wall(), {{"rolling_friction", "0.1"},
                                            {"spinning_friction", "0.05"},
                                            {"angular_velocity_a_x", "7"},
                                            {"angular_velocity_a_y", "3"},
                                            {"angular_velocity_a_z", "4"}});
  for (const std::string options : {"", "--reference", "--method ncp --tolerance 1e-15"}) {
    const io::Table got = solved(row, options);
    EXPECT_NEAR(got.numbers("angular_impulse_x")[0], -0.05, 1e-15);
    EXPECT_NEAR(got.numbers("angular_impulse_y")[0], -0.06, 1e-15);
    EXPECT_NEAR(got.numbers("angular_impulse_z")[0], -0.08, 1e-15);
    EXPECT_NEAR(got.numbers("new_angular_velocity_a_x")[0], 6.5, 1e-14);
  }
  EXPECT_EQ(solved(ball_at_wall()).find("angular_impulse_x"), io::Table::none);
}

TEST(SceneModels, friction_has_two_coefficients) {
  // The body does not turn, and slides at 45 degrees between the axes: friction is along the ellipse's normal.
  Row row = with_all(ball_at_wall(), {{"friction", "0.3"},
                                      {"friction_2", "0.1"},
                                      {"friction_direction_x", "0"},
                                      {"friction_direction_y", "1"},
                                      {"friction_direction_z", "0"},
                                      {"velocity_a_y", "5"},
                                      {"velocity_a_z", "5"}});
  for (const std::string side : {"xx", "yy", "zz"}) row = with(row, "inverse_inertia_a_" + side, "0");
  const io::Table got = solved(row);
  const double vy = got.numbers("new_velocity_a_y")[0], vz = got.numbers("new_velocity_a_z")[0];
  const double size = std::hypot(0.3 * vy, 0.1 * vz);
  EXPECT_NEAR(got.numbers("impulse_y")[0], -0.09 * vy / size, 1e-13);
  EXPECT_NEAR(got.numbers("impulse_z")[0], -0.01 * vz / size, 1e-13);
}

TEST(SceneModels, contacts_give_way) {
  for (const std::string options : {"", "--method ncp"})
    EXPECT_NEAR(solved(with(ball_at_wall(), "normal_compliance", "0.25"), options).numbers("impulse_x")[0], -0.8,
                1e-14);
  const Row spring = with_all(ball_at_wall(), {{"stiffness", "50"}, {"damping", "3"}, {"separation", "-0.01"}});
  const TemporaryFile input(csv_of({spring}));
  const Ended ended =
      carom("solve --scene " + input.name() + " -o - --time-step 0.1 --min-substeps 1 --max-substeps 1");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  // p = h (k (0.01 + h u) + c u) of the speed u that is left.
  EXPECT_NEAR(table_of(ended.out).numbers("impulse_x")[0], -0.1 * (50 * 0.01 + 8) / (1 + 0.1 * 8), 1e-14);
}

TEST(SceneModels, of_bad_rows_name_line_and_column) {
  const struct {
    const char *column, *text, *status;
  } cases[] = {{"rolling_friction", "-0.5", "negative_rolling_friction"},
               {"spinning_friction", "-0.5", "negative_spinning_friction"},
               {"normal_compliance", "-1", "negative_normal_compliance"},
               {"tangential_compliance", "-1", "negative_tangential_compliance"},
               {"rolling_friction", "inf", "infinite"},
               {"spinning_friction", "nan", "not_a_number"}};
  for (const auto& of : cases) {
    const Ended ended = run(with(ball_at_wall(), of.column, of.text));
    EXPECT_EQ(ended.exit_code, 1) << of.column;
    EXPECT_NE(ended.err.find(std::string(":2: column ") + of.column + ": " + of.text), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(of.status), std::string::npos) << ended.err;
  }
}

TEST(SceneModels, are_carried_through_and_named_where_the_method_does_not_read_them) {
  const Row row = with(with(ball_at_wall(), "rolling_friction", "x"), "stiffness", "");
  const Ended ended = run(row, "--method sequential-impacts"),
              bare = run(ball_at_wall(), "--method sequential-impacts");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const io::Table got = table_of(ended.out);
  EXPECT_EQ(got.cell(0, got.find("rolling_friction")), "x");
  EXPECT_EQ(got.numbers("impulse_x"), table_of(bare.out).numbers("impulse_x"));
  EXPECT_NE(ended.err.find("\ncolumns that the method does not read: rolling_friction, stiffness\n"), std::string::npos)
      << ended.err;
  EXPECT_EQ(bare.err.find("does not read"), std::string::npos) << bare.err;
}

}  // namespace
}  // namespace carom::test
