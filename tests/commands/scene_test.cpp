// `carom solve --scene` as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/files/run_command.hpp"
#include "support/files/scene_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

const std::string example = CAROM_EXAMPLES_DIR "/scene/contacts.csv";
const std::vector<std::string> methods = {"pgs",
                                          "pgs --position-correction --time-step 0.01",
                                          "sequential-impacts",
                                          "bender-schmitt --phase collisions",
                                          "bender-schmitt --time-step 0.01",
                                          "substeps --time-step 0.01",
                                          "ncp"};
const std::vector<std::string> results = {"impulse_x",
                                          "impulse_y",
                                          "impulse_z",
                                          "new_velocity_a_x",
                                          "new_velocity_a_y",
                                          "new_velocity_a_z",
                                          "new_angular_velocity_a_x",
                                          "new_angular_velocity_a_y",
                                          "new_angular_velocity_a_z",
                                          "new_velocity_b_x",
                                          "new_velocity_b_y",
                                          "new_velocity_b_z",
                                          "new_angular_velocity_b_x",
                                          "new_angular_velocity_b_y",
                                          "new_angular_velocity_b_z",
                                          "status",
                                          "path"};

std::string cell(const io::Table& table, std::size_t row, const std::string& name) {
  return std::string(table.cell(row, table.find(name)));
}

Ended run_scenes(const std::vector<Row>& rows, const std::string& options = "") {
  const TemporaryFile input(csv_of(rows));
  const std::string method = options.find("--method") == std::string::npos ? "--method pgs " : "";
  return carom("solve --scene " + input.name() + " -o - " + method + options);
}

io::Table solved(const std::vector<Row>& rows, const std::string& options = "") {
  const Ended run = run_scenes(rows, options);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return table_of(run.out);
}

// The velocities along x of balls that ball_rows() lists, after the scene.
std::vector<double> velocities(const io::Table& table) {
  std::vector<double> v = table.numbers("new_velocity_a_x");
  v.push_back(table.numbers("new_velocity_b_x").back());
  return v;
}

TEST(Scene, results_stand_behind_the_columns_and_the_summary_on_stdout) {
  const std::vector<Row> rows = ball_rows("3", {"1", "0", "0"});
  const TemporaryFile input(csv_of(rows)), output;
  const Ended run = carom("solve " + input.name() + " --scene --method pgs -o " + output.name());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  expect_within("2 contacts in 1 scene, pgs, double\nscene_step ", run.out);
  expect_within("\nstatus\n", run.out);
  expect_within("contacts/s\n", run.out);
  std::vector<std::string> header;
  for (const auto& [name, text] : rows[0]) header.push_back(name);
  header.insert(header.end(), results.begin(), results.end());
  EXPECT_EQ(table_of(output.text()).header(), header);
}

TEST(Scene, details_are_the_separation_velocity) {
  const std::vector<Row> rows = {ball_row("1", {0, "1"}, {1})};
  const io::Table got = solved(rows, "--method sequential-impacts --details");
  std::vector<std::string> behind(got.header().end() - 4, got.header().end());
  EXPECT_EQ(behind, (std::vector<std::string>{"path", "new_separation_velocity_x", "new_separation_velocity_y",
                                              "new_separation_velocity_z"}));
  // u = vA - vB is 1 before.
  EXPECT_NEAR(got.numbers("new_separation_velocity_x")[0], -1, 16 * 0x1p-53);
  // Result columns from another run in the input are not valid for this run.
  EXPECT_EQ(cell(solved({with(rows[0], "work_compression", "-0.3")}), 0, "work_compression"), "nan");
}

TEST(Scene, two_balls_without_loss_exchange_their_velocities_by_every_method) {
  for (const std::string& method : methods)
    for (const std::string precision : {"double", "float"}) {
      const io::Table got = solved(ball_rows("1", {"2", "-1"}), "--method " + method + " --precision " + precision);
      // A few roundings of numbers up to 3, which the friction's step of other methods may double.
      const double tolerance = 32 * (precision == "float" ? 0x1p-24 : 0x1p-53);
      EXPECT_NEAR(velocities(got)[0], -1, tolerance) << method << " " << precision;
      EXPECT_NEAR(velocities(got)[1], 2, tolerance) << method << " " << precision;
      // On A, along -x: it loses 3 m/s.
      EXPECT_NEAR(got.numbers("impulse_x")[0], -3, tolerance) << method << " " << precision;
      EXPECT_EQ(cell(got, 0, "status"), "ok");
    }
}

TEST(Scene, of_the_cradle_one_leaves_in_a_sequence_and_all_others_together_by_simultaneous_impulses) {
  const std::vector<Row> rows = ball_rows("1", {"1", "0", "0", "0", "0"});
  const std::vector<double> sequence = velocities(solved(rows, "--method sequential-impacts"));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(sequence[i], i == 4 ? 1 : 0, 64 * 0x1p-53) << i;
  // The first contact's target is 1 m/s, the other targets are 0: v2 = ... = v5 = v1 + 1, and momentum is conserved.
  const std::vector<double> together = velocities(solved(rows, "--iterations 10000 --tolerance 1e-12"));
  // 5 bodies, each contact within 1e-12 of its target.
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(together[i], i == 0 ? -0.6 : 0.4, 1e-11) << i;
}

TEST(Scene, every_row_has_the_velocities_of_its_bodies_after_the_whole_scene) {
  for (const std::string& method : methods) {
    const io::Table got = solved(ball_rows("1", {"3", "1", "0", "-1"}, "0.5"), "--method " + method);
    for (std::size_t row = 0; row + 1 < got.rows(); ++row)
      for (const std::string i : {"velocity_", "angular_velocity_"})
        EXPECT_EQ(cell(got, row, "new_" + i + "b_x"), cell(got, row + 1, "new_" + i + "a_x")) << method;
    // Momentum is conserved, and the impulses explain the velocity of each body: A gets p, B gets -p.
    const auto p = got.numbers("impulse_x"), v = velocities(got);
    const double tolerance = 64 * 0x1p-53;
    EXPECT_NEAR(v[0], 3 + p[0], tolerance);
    EXPECT_NEAR(v[1], 1 - p[0] + p[1], tolerance);
    EXPECT_NEAR(v[2], 0 - p[1] + p[2], tolerance);
    EXPECT_NEAR(v[3], -1 - p[2], tolerance);
    EXPECT_LT(p[0], 0) << method;
  }
}

TEST(Scene, by_ncp_reaches_its_tolerance_or_tells_so) {
  const std::vector<Row> rows = ball_rows("1", {"1", "0", "0", "0", "0"});
  const auto v = velocities(solved(rows, "--method ncp --tolerance 1e-12"));
  // As above, relative to 1 m/s of four contacts with W of 2 / kg.
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(v[i], i == 0 ? -0.6 : 0.4, 1e-11) << i;
  expect_within("1 of 1 islands have not converged within --tolerance\n",
                run_scenes(rows, "--method ncp --budget 1").err);
}

TEST(Scene, rows_of_a_step_need_not_stand_together) {
  const std::vector<Row> one = ball_rows("1", {"3", "1", "-1"}, "0.3"), two = ball_rows("7", {"1", "0", "-2"}, "0.7");
  const std::vector<Row> mixed = {two[0], one[0], one[1], two[1]};
  for (const std::string& method : methods) {
    const std::string options = "--method " + method;
    const io::Table of_one = solved(one, options), of_two = solved(two, options), got = solved(mixed, options);
    ASSERT_EQ(got.rows(), 4u);
    for (const std::string& name : results) {
      EXPECT_EQ(cell(got, 0, name), cell(of_two, 0, name)) << method << " " << name;
      EXPECT_EQ(cell(got, 1, name), cell(of_one, 0, name)) << method << " " << name;
      EXPECT_EQ(cell(got, 2, name), cell(of_one, 1, name)) << method << " " << name;
      EXPECT_EQ(cell(got, 3, name), cell(of_two, 1, name)) << method << " " << name;
    }
  }
  EXPECT_NE(cell(solved(one), 0, "impulse_x"), cell(solved(two), 0, "impulse_x"));
}

TEST(Scene, bodies_of_any_number_and_steps_that_float_can_not_tell_apart) {
  Row far = ball_row("16777217", {2147483647, "2"}, {1000, "-1"});
  const std::vector<Row> rows = {ball_row("16777216", {2147483647, "5"}, {1000, "-1"}), far};
  const Ended run = run_scenes(rows, "--precision float");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("2 contacts in 2 scenes, pgs, float\n", run.err);
  expect_within("\n16777217 ", run.err);
}

// The golden contacts, each in a separate scene; with laws of the rows if requested.
std::string scenes_of_one_contact(bool with_laws) {
  const io::Table rows = io::read_csv(golden + "/bodies3d.csv");
  const std::vector<std::string> laws = {"", "frictionless", "anitescu-potra"}, restitutions = {"", "kinetic"};
  std::string text = "scene_step,body_a,body_b,tangential_restitution";
  if (with_laws) text += ",law,restitution_law";
  for (const std::string& name : rows.header()) text += "," + name;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    text += "\n" + std::to_string(row) + ",3,8,0.2";
    if (with_laws) text += "," + laws[row % 3] + "," + restitutions[row % 2];
    for (const std::string& name : rows.header()) text += "," + cell(rows, row, name);
  }
  return text + "\n";
}

// An impulse that is summed from 0 on is never -0.
std::string without_minus_zeros(std::string text) {
  for (std::size_t at = 0; (at = text.find(",-0,", at)) != std::string::npos;) text.erase(at + 1, 1);
  return text;
}

TEST(Scene, one_contact_a_scene_is_a_plain_solve_bit_by_bit_in_sequence) {
  const TemporaryFile bare(scenes_of_one_contact(false)), with_laws(scenes_of_one_contact(true));
  const auto expect_same = [](const TemporaryFile& input, const std::string& options) {
    const Ended plain = carom("solve " + input.name() + " -o -" + options);
    // One impact, after which a law may leave rounding of its approach.
    const Ended scene =
        carom("solve --scene --method sequential-impacts --max-impacts 1 " + input.name() + " -o -" + options);
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_EQ(scene.exit_code, 0) << scene.err;
    EXPECT_TRUE(without_minus_zeros(plain.out) == without_minus_zeros(scene.out))
        << "the results differ under" << options;
    return plain.out;
  };
  for (const std::string options : {" --law chatterjee-ruina", " --law whittaker", " --integrator euler",
                                    " --restitution-law kinetic", " --law no-slip --reference"})
    expect_same(bare, options);
  for (const std::string options : {"", " --precision float", " --reference"}) {
    const io::Table without = table_of(expect_same(bare, options)), with = table_of(expect_same(with_laws, options));
    EXPECT_NE(without.numbers("impulse_x"), with.numbers("impulse_x"));
  }
}

TEST(Scene, the_lanes_agree_with_the_reference) {
  for (const std::string& method : methods) {
    if (method == "ncp") continue;  // the reference does not implement it
    // The same number of iterations, so that a rounding error does not end one earlier.
    const std::string iterations = method.starts_with("substeps")     ? "--min-substeps 4 --max-substeps 4"
                                   : method.starts_with("pgs")        ? "--iterations 12"
                                   : method.starts_with("sequential") ? "--max-impacts 12"
                                                                      : "--max-iterations 12";
    const std::string line = "solve --scene " + example + " -o - --tolerance 0 " + iterations + " --method " + method;
    const Ended on_lanes = carom(line), by_reference = carom(line + " --reference");
    EXPECT_EQ(on_lanes.exit_code, 0) << on_lanes.err;
    EXPECT_EQ(by_reference.exit_code, 0) << by_reference.err;
    expect_within("solved by the scalar reference in ", by_reference.err);
    const io::Table lanes = table_of(on_lanes.out), reference = table_of(by_reference.out);
    ASSERT_EQ(lanes.rows(), reference.rows());
    const auto steps = lanes.numbers("scene_step");
    for (const std::string& name : results) {
      if (name == "status" || name == "path") continue;
      const auto got = lanes.numbers(name), expected = reference.numbers(name);
      for (std::size_t row = 0; row < got.size(); ++row) {
        // Rounding decides the order of equally urgent contacts in a sequence; only the cradle has no such contacts.
        if (method == "sequential-impacts" && steps[row] != 1) continue;
        // At most 24 contacts change a body in up to 24 iterations (a step has two methods), each with some 32 rounding
        // errors of numbers below 2. Iterations do not amplify errors.
        EXPECT_NEAR(got[row], expected[row], 24 * 24 * 32 * 2 * 0x1p-53) << method << " " << name << " row " << row;
      }
    }
  }
}

TEST(Scene, a_contact_separates_at_its_target_velocity) {
  // Under a target of 2 m/s a ball that approaches at 1 m/s leaves at 2, or at e if that is more.
  const Row row = with(ball_row("1", {0, "1"}, world, "0"), "target_velocity", "2");
  EXPECT_NEAR(solved({row}).numbers("new_velocity_a_x")[0], -2, 16 * 0x1p-53);
  EXPECT_NEAR(solved({with(row, "target_velocity", "0")}).numbers("new_velocity_a_x")[0], 0, 16 * 0x1p-53);
}

TEST(Scene, a_conveyor_belt_takes_along_what_sticks_to_it) {
  Row row = with(with(ball_row("1", {0, "1"}, world, "0"), "friction", "inf"), "surface_velocity_x", "0");
  for (const std::string side : {"xx", "yy", "zz"}) row = with(row, "inverse_inertia_a_" + side, "0");
  row = with(with(row, "surface_velocity_y", "0.25"), "surface_velocity_z", "-0.5");
  const io::Table got = solved({row}, "--iterations 100");
  EXPECT_NEAR(got.numbers("new_velocity_a_x")[0], 0, 16 * 0x1p-53);
  EXPECT_NEAR(got.numbers("new_velocity_a_y")[0], 0.25, 16 * 0x1p-53);
  EXPECT_NEAR(got.numbers("new_velocity_a_z")[0], -0.5, 16 * 0x1p-53);
}

TEST(Scene, static_friction_holds_what_friction_lets_slide) {
  Row row = ball_row("1", {0, "1"}, world, "0");
  for (const std::string side : {"xx", "yy", "zz"}) row = with(row, "inverse_inertia_a_" + side, "0");
  row = with(with(row, "velocity_a_y", "0.5"), "friction", "0.25");
  // The normal impulse is 1 N s.
  for (const std::string method :
       {"pgs --iterations 1000", "bender-schmitt --phase collisions --max-iterations 1000"}) {
    const std::string options = "--method " + method;
    EXPECT_NEAR(solved({row}, options).numbers("new_velocity_a_y")[0], 0.25, 1e-6) << method;
    EXPECT_NEAR(solved({with(row, "static_friction", "0.75")}, options).numbers("new_velocity_a_y")[0], 0, 1e-6);
  }
}

TEST(Scene, resting_contacts_may_close_their_separation_and_no_more) {
  // Slower than sqrt(2 g ε) = 0.044 m/s: at rest.
  const Row row = ball_row("1", {0, "0.04"}, world, "0");
  const auto velocity = [](const Row& of, const std::string& step) {
    return solved({of}, "--method bender-schmitt --phase resting --time-step " + step).numbers("new_velocity_a_x")[0];
  };
  // The steps end when the overlap is below ε/100 = 1e-6 m, so velocities are within 1e-6 m / h.
  EXPECT_NEAR(velocity(row, "1"), 0, 1e-6);
  EXPECT_NEAR(velocity(with(row, "separation", "0.01"), "1"), 0.01, 1e-6);
  EXPECT_NEAR(velocity(with(row, "separation", "0.01"), "0.5"), 0.02, 2e-6);
  EXPECT_NEAR(velocity(with(row, "separation", "0.05"), "1"), 0.04, 1e-6);
}

TEST(Scene, a_key_finds_the_impulse_of_the_scene_before) {
  std::vector<Row> silent = ball_rows("1", {"1", "0", "0", "-1"}, "0"), named;
  for (Row& row : ball_rows("2", {"1", "0", "0", "-1"}, "0")) silent.push_back(row);
  for (std::size_t i = 0; i < silent.size(); ++i) named.push_back(with(silent[i], "key", std::to_string(1 + i % 3)));
  const io::Table without_keys = solved(silent, "--iterations 1"), with_keys = solved(named, "--iterations 1");
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(cell(with_keys, row, "impulse_x"), cell(without_keys, row, "impulse_x"));
  // All balls stop in the end; a sweep that begins with the impulses of the last scene comes nearer.
  const auto speed = [](const io::Table& table) {
    double sum = 0;
    for (std::size_t row = 3; row < 6; ++row) sum += std::abs(table.numbers("new_velocity_a_x")[row]);
    return sum;
  };
  EXPECT_LT(speed(with_keys), 0.9 * speed(without_keys));
}

TEST(Scene, the_table_has_a_line_for_each_of_the_first_scenes_and_their_sums) {
  std::vector<Row> rows;
  for (int step = 0; step < 25; ++step)
    for (const Row& row : ball_rows(std::to_string(100 + step), {"2", "0", "0"}, "0")) rows.push_back(row);
  const Ended run = run_scenes(rows, "--method sequential-impacts");
  expect_within("50 contacts in 25 scenes, sequential-impacts, double\n", run.err);
  // Contacts and bodies.
  expect_within("\n100                  2        3 ", run.err);
  expect_within("\n119                  2        3 ", run.err);
  EXPECT_EQ(run.err.find("\n120 "), std::string::npos);
  expect_within("\n... and 5 more\n", run.err);
  expect_within("\nall 25              50       75 ", run.err);
  const Ended one = run_scenes(ball_rows("1", {"2", "0"}));
  EXPECT_EQ(one.err.find("\nall "), std::string::npos);
  // Energy before and after, [J].
  expect_within("             2             2 ", one.err);
}

TEST(Scene, islands_that_are_not_done_are_told) {
  const std::string words = " islands have not converged within --tolerance";
  const std::vector<Row> cradle = ball_rows("1", {"1", "0", "0", "0"});
  expect_within("\n1 of 1" + words + "\n", run_scenes(cradle, "--iterations 1").err);
  EXPECT_EQ(run_scenes(cradle, "--iterations 10000").err.find(words), std::string::npos);
  // A ball between two walls with restitution 1.
  const std::vector<Row> caught = {ball_row("1", {0, "1"}, world), ball_row("1", world, {0, "1"})};
  const Ended run = run_scenes(caught, "--method sequential-impacts");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within("\n1 of 1" + words + "; 1 of them had stopped losing energy\n", run.err);
}

TEST(Scene, a_header_alone_is_fine) {
  const std::string text = csv_of({ball_row("1", {0}, {1})});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  for (const std::string options : {"", " --reference"}) {
    const Ended run = carom("solve --scene --method pgs " + input.name() + " -o -" + options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(table_of(run.out).rows(), 0u);
    EXPECT_TRUE(run.out.ends_with(",status,path\n")) << run.out;
    expect_within("0 contacts in 0 scenes", run.err);
  }
}

// Cradle, stack, pyramid and box: one island each, of 4, 40, 144 and 4 contacts.
TEST(Scene, ncp_leaves_islands_to_pgs_as_it_is_told) {
  const auto run = [&](const std::string& options) { return carom("solve --scene " + example + " -o - " + options); };
  const Ended limited = run("--method ncp --max-island-size 10 --pgs-iterations 100");
  EXPECT_EQ(limited.exit_code, 0) << limited.err;
  expect_within("2 of 4 islands were solved by PGS, and 2 to --tolerance", limited.err);
  const Ended after = run("--method ncp --pgs-presolve --pgs-iterations 100 --pgs-tolerance 0.05");
  EXPECT_EQ(after.exit_code, 0) << after.err;
  expect_within("islands were solved by PGS", after.err);
}

}  // namespace
}  // namespace carom::test
