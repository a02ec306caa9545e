// `carom export` as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/fclib/fclib.hpp"
#include "io/files/table_file.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

const std::string example = CAROM_EXAMPLES_DIR "/scene/contacts.csv";

/// A body of 2 kg falls on a belt. A second, spinning body hits it askew from above and rebounds, and a wall pushes the
/// second body away. Three contacts are too few to make the problem redundant, so the impulses are unique.
const std::string balls =
    "scene_step,body_a,body_b,friction,restitution,target_velocity,normal_x,normal_y,normal_z,"
    "surface_velocity_x,surface_velocity_y,surface_velocity_z,"
    "inverse_mass_a,inverse_inertia_a_xx,inverse_inertia_a_xy,inverse_inertia_a_xz,inverse_inertia_a_yy,"
    "inverse_inertia_a_yz,inverse_inertia_a_zz,r_a_x,r_a_y,r_a_z,velocity_a_x,velocity_a_y,velocity_a_z,"
    "angular_velocity_a_x,angular_velocity_a_y,angular_velocity_a_z,"
    "inverse_mass_b,inverse_inertia_b_xx,inverse_inertia_b_xy,inverse_inertia_b_xz,inverse_inertia_b_yy,"
    "inverse_inertia_b_yz,inverse_inertia_b_zz,r_b_x,r_b_y,r_b_z,velocity_b_x,velocity_b_y,velocity_b_z,"
    "angular_velocity_b_x,angular_velocity_b_y,angular_velocity_b_z\n"
    "7,0,-1,0.3,0.2,0,0,0,1,0.5,0,0,0.5,1.5,0.1,0,1.2,0,2,0.05,0,-0.5,1,0.25,-2,0,1,0,"
    "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
    "7,1,0,0.6,0.5,0,0.36,-0.48,0.8,0,0,0,1,6,0,0,5,0.5,4,-0.05,0.1,-0.5,-0.5,0.25,-4,3,0,1,"
    "0.5,1.5,0.1,0,1.2,0,2,0,-0.1,0.5,1,0.25,-2,0,1,0\n"
    "7,1,-1,0.2,0,3,1,0,0,0,0,0,1,6,0,0,5,0.5,4,-0.5,0,0.1,-0.5,0.25,-4,3,0,1,"
    "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n";

std::vector<double> solution(const std::string& file, const std::string& path) {
  const TemporaryFile out({}, ".hdf5");
  const Ended run = carom("solve " + file + " --tolerance 1e-12 -o " + out.name());
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  return io::Hdf5File(out.name(), out.text()).numbers(path);
}

/// Components along a contact's normal and across it. They do not depend on the choice of tangents.
struct Parts {
  double normal, across;
};
Parts parts_in_world(const std::string& csv, std::size_t row, const std::string& name) {
  const io::Table table = io::read_table(csv);
  double n[3], x[3], along = 0, square = 0, length = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    n[c] = table.numbers(std::string("normal_") + "xyz"[c])[row];
    x[c] = table.numbers(name + "_" + "xyz"[c])[row];
    length += n[c] * n[c];
  }
  for (std::size_t c = 0; c < 3; ++c) along += n[c] * x[c] / std::sqrt(length);
  for (std::size_t c = 0; c < 3; ++c) square += std::pow(x[c] - along * n[c] / std::sqrt(length), 2);
  return {along, std::sqrt(square)};
}

TEST(Export, a_scene_as_a_contact_system_has_the_impulses_of_ncp) {
  const TemporaryFile csv(balls, ".csv"), problem({}, ".hdf5"), results({}, ".csv");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_within("scene_step 7: 3 contacts, 7 blocks of W", run.out);
  ASSERT_EQ(
      carom("solve --scene " + csv.name() + " --method ncp --tolerance 1e-12 --details -o " + results.name()).exit_code,
      0);
  // FCLIB puts the normal first.
  const std::vector<double> r = solution(problem.name(), "/solution/r");
  ASSERT_EQ(r.size(), 9u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Parts expected = parts_in_world(results.name(), i, "impulse");
    EXPECT_GT(expected.normal, 0.1);
    // Both meet the law within 1e-12 |q|; the condition of W is below 1e2 and |q| is about 10.
    EXPECT_NEAR(r[3 * i], expected.normal, 1e-9);
    EXPECT_NEAR(std::hypot(r[3 * i + 1], r[3 * i + 2]), expected.across, 1e-9);
  }
}

TEST(Export, a_stack_keeps_its_velocities_where_impulses_are_not_unique) {
  const TemporaryFile problem({}, ".hdf5"), results({}, ".csv");
  const Ended run = carom("export --fclib " + example + " --step 2 -o " + problem.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(
      carom("solve --scene " + example + " --method ncp --tolerance 1e-12 --details -o " + results.name()).exit_code,
      0);
  const std::vector<double> u = solution(problem.name(), "/solution/u");
  ASSERT_EQ(u.size(), 3u * 40);
  // Rows of scene_step 2 follow the four of the cradle.
  for (std::size_t i = 0; i < 40; ++i) {
    const Parts expected = parts_in_world(results.name(), 4 + i, "new_separation_velocity");
    EXPECT_NEAR(u[3 * i], expected.normal, 1e-9);
    EXPECT_NEAR(std::hypot(u[3 * i + 1], u[3 * i + 2]), expected.across, 1e-9);
  }
}

// 15,448² blocks of nine numbers are more than 2^31 - 1 numbers.
TEST(Export, a_scene_with_too_many_blocks_of_W_is_refused) {
  const std::size_t header = balls.find('\n') + 1, end = balls.find('\n', header) + 1;
  std::string loaded = balls.substr(0, header);
  for (int i = 0; i < 15448; ++i) loaded += balls.substr(header, end - header);
  const TemporaryFile csv(loaded, ".csv"), problem({}, ".hdf5");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err,
            "carom: the contact system of this scene may have 238640704 blocks of W, and FCLIB counts up to 238609294: "
            "too many contacts are on one body\n");
}

/// Two balls of 1 kg fall on a body that turns about a pivot, one of them towards the pivot.
const std::string on_a_pivot = [] {
  const auto row = [](const std::string& ball, const std::string& normal, const std::string& velocity, double lever) {
    return "0," + ball + ",0,0.5,0," + normal + ",1,2.5,0,0,2.5,0,2.5,0,0,-0.5," + velocity + ",0,0,0,0,1,0,0,1,0,1," +
           std::to_string(lever) + ",0,0.5,0,0,0,0,0,0\n";
  };
  std::string header = balls.substr(0, balls.find('\n') + 1);
  for (const std::string unused : {"target_velocity,", "surface_velocity_x,surface_velocity_y,surface_velocity_z,"})
    header.erase(header.find(unused), unused.size());
  return header + row("1", "0,0,1", "1,0,-2", 0) + row("2", "0.6,0,0.8", "-1,0.3,-2", 0.6);
}();

TEST(Export, a_pivot_without_mass_couples_its_contacts) {
  const TemporaryFile csv(on_a_pivot, ".csv"), problem({}, ".hdf5"), solved({}, ".csv");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_within("2 contacts, 4 blocks of W", run.out);
  const Ended scene = carom("solve --scene " + csv.name() + " --method ncp --tolerance 1e-12 -o " + solved.name());
  ASSERT_EQ(scene.exit_code, 0) << scene.err;
  const std::vector<double> r = solution(problem.name(), "/solution/r");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(r[3 * i], parts_in_world(solved.name(), i, "impulse").normal, 1e-9) << i;
}

TEST(Export, a_scene_without_a_sound_contact_is_refused) {
  std::string text = on_a_pivot;
  for (const std::string ball : {"1", "2"}) text.replace(text.find("\n0," + ball + ",0,0.5") + 7, 3, "-.5");
  const TemporaryFile csv(text, ".csv"), problem({}, ".hdf5");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  EXPECT_EQ(run.exit_code, 2);
  expect_within("no contact of scene_step 0 has sound data", run.err);
}

TEST(Export, rows_that_cannot_be_read_are_named) {
  std::string text = balls;
  text.replace(text.find("7,1,0,0.6"), 9, "7,1,0,abc");
  const TemporaryFile csv(text, ".csv"), problem({}, ".hdf5");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  EXPECT_EQ(run.exit_code, 1);
  expect_within("the file has 1 cell that can't be read", run.out);
  expect_within("friction: 'abc'", run.err);
}

TEST(Export, faulty_contacts_are_left_out_and_the_exit_code_is_1) {
  std::string text = balls;
  text.replace(text.find("7,1,0,0.6"), 9, "7,1,0,-.6");
  const TemporaryFile csv(text, ".csv"), problem({}, ".hdf5");
  const Ended run = carom("export --fclib " + csv.name() + " -o " + problem.name());
  EXPECT_EQ(run.exit_code, 1);
  expect_within("1 contact with faulty data is left out", run.out);
  EXPECT_EQ(io::read_fclib(problem.name()).contacts(), 2u);
}

TEST(Export, misuse_is_told) {
  const TemporaryFile problem({}, ".hdf5");
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Ended run = carom("export " + arguments + " -o " + problem.name());
    EXPECT_EQ(run.exit_code, 2);
    expect_within(why, run.err);
  };
  refused(example, "--fclib");
  refused("--fclib " + example, "has 4 scenes, and --step tells which one");
  refused("--fclib " + example + " --step 9", "no row with scene_step 9");
  refused("--fclib " CAROM_EXAMPLES_DIR "/laws/contacts.csv", "export --fclib needs");
  std::string text = balls;
  text.replace(text.find("target_velocity"), 15, "normal_compliance");
  refused("--fclib " + TemporaryFile(text, ".csv").name(), "a scene whose contacts have models is not written");
}

}  // namespace
}  // namespace carom::test
