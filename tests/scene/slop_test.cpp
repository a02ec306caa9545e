// The slop of a contact: the overlap that Procedure::substeps does not correct. By default it is a share of the size
// of the smaller body, so that bodies of all sizes behave alike.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

constexpr double share = PositionCorrection{}.relative_slop;

/// One substep that pushes out by any speed.
MethodOptions one_push() {
  MethodOptions options = in_substeps(1);
  options.substeps.position_correction.max_speed = 1e6;
  return options;
}

/// [m] The slop of a contact between the centres of two bodies: a substep removes the share `correction_rate` of the
/// overlap beyond it.
double slop_of(const Solved<double>& made, const MethodOptions& options, double overlap) {
  const Vector a = at(made.arrays.displacement, 0);
  const Vector b = made.arrays.displacement[0].size() > 1 ? at(made.arrays.displacement, 1) : Vector{};
  return overlap - (a[2] - b[2]) / options.substeps.position_correction.rate;
}

struct Pair {
  std::string name;
  std::vector<Body> bodies;  ///< on the world if it is one
  double slop;               ///< [m] expected
  std::function<void(SceneData<double>&, MethodOptions&)> change = [](auto&, auto&) {};
};

void expect_slop(const Pair& pair) {
  const double overlap = 100 * pair.slop;
  SceneData<double> scene;
  for (const Body& body : pair.bodies) scene.add(body);
  const std::int32_t below = pair.bodies.size() > 1 ? 1 : world;
  scene.add(Contact{0, below, {0, 0, 1}, {}});
  put(scene.r_a, 0, {});
  put(scene.r_b, 0, {});
  scene.separation = {-overlap};
  MethodOptions options = one_push();
  pair.change(scene, options);
  EXPECT_NEAR(slop_of(solved(scene, options), options, overlap), pair.slop, 1e-12 * overlap) << pair.name;
  EXPECT_NEAR(slop_of(solved_by_reference(scene, options), options, overlap), pair.slop, 1e-12 * overlap)
      << pair.name << ", reference";
  MethodOptions piece = options;
  piece.method = Procedure::pgs;
  piece.correct_positions(h);
  EXPECT_NEAR(slop_of(solved(scene, piece), options, overlap), pair.slop, 1e-12 * overlap)
      << pair.name << ", one piece";
}

Body cube(double edge) {
  return box(1000 * edge * edge * edge, {edge, edge, edge}, {});
}
Body ball(double radius, double mass) {
  const double inverse = 2.5 / (mass * radius * radius);
  return {1 / mass, {inverse, 0, 0, inverse, 0, inverse}};
}
/// A disc in the plane of x and y, which turns only about z.
Body disc(double radius, double mass) {
  return {1 / mass, {0, 0, 0, 0, 0, 2 / (mass * radius * radius)}};
}

TEST(Slop, is_a_share_of_the_radius_of_gyration_of_the_smaller_body) {
  const double root = std::sqrt(6.0);
  for (const double edge : {1e-3, 0.01, 1.0, 10.0})
    expect_slop({"cube of " + std::to_string(edge), {cube(edge)}, share * edge / root});
  expect_slop({"small on large", {cube(0.01), cube(10)}, share * 0.01 / root});
  expect_slop({"large on small", {cube(10), cube(0.01)}, share * 0.01 / root});
  expect_slop({"ball", {ball(0.3, 2)}, share * 0.3 * std::sqrt(0.4)});
  expect_slop({"planar disc", {disc(0.3, 2)}, share * 0.3 / std::sqrt(2.0)});
  Body moving = cube(0.1);
  moving.inverse_mass = 0;
  moving.inverse_inertia = {};
  expect_slop({"on a kinematic body", {cube(1), moving}, share / root});
}

TEST(Slop, of_a_cube_of_a_metre_is_five_millimetres) {
  EXPECT_NEAR(slop_of_cubes(), 5e-3, 5e-6);
}

TEST(Slop, does_not_depend_on_the_axes) {
  // An ellipsoid of inertia 1, 2, 3 for its mass, turned: J = R diag(1, 1/2, 1/3) Rᵀ.
  const double expected = share * std::sqrt((1 + 0.5 + 1 / 3.0) / (1 + 0.25 + 1 / 9.0));
  for (const double angle : {0.0, 0.3, 1.1}) {
    const Rows r = rotation((1 / std::sqrt(14.0)) * Vector{1, 2, 3}, angle);
    const auto in_world = [&](std::size_t i, std::size_t j) {
      return r[i][0] * r[j][0] + r[i][1] * r[j][1] / 2 + r[i][2] * r[j][2] / 3;
    };
    const Body body = {
        1, {in_world(0, 0), in_world(0, 1), in_world(0, 2), in_world(1, 1), in_world(1, 2), in_world(2, 2)}};
    expect_slop({"turned by " + std::to_string(angle), {body}, expected});
  }
}

TEST(Slop, of_bodies_without_a_size_is_a_constant) {
  const Body point = {0.5, {}};
  expect_slop({"point", {point}, SceneThresholds::slop_without_size});
  expect_slop({"cube on a point", {cube(0.5), point}, share * 0.5 / std::sqrt(6.0)});
}

TEST(Slop, is_what_the_caller_says) {
  const double of_cube = slop_of_cubes(0.2);
  const auto with_option = [](double slop) {
    return [=](auto&, MethodOptions& o) { o.substeps.position_correction.slop = slop; };
  };
  expect_slop({"option", {cube(0.2)}, 2e-3, with_option(2e-3)});
  expect_slop({"share", {cube(0.2)}, 3 * of_cube, [](auto&, MethodOptions& o) {
                 o.substeps.position_correction.relative_slop = 3 * share;
               }});
  expect_slop({"column", {cube(0.2)}, 1e-3, [](SceneData<double>& s, auto&) { s.slop = {1e-3}; }});
  expect_slop({"column over option", {cube(0.2)}, 1e-3, [](SceneData<double>& s, MethodOptions& o) {
                 s.slop = {1e-3};
                 o.substeps.position_correction.slop = 2e-3;
               }});
  expect_slop({"column of zero", {cube(0.2)}, of_cube, [](SceneData<double>& s, auto&) { s.slop = {0}; }});
}

TEST(Slop, of_each_contact_counts_alone) {
  SceneData<double> scene;
  for (const double x : {0.0, 10.0}) {
    const std::int32_t body = scene.add(Body{.position = {x, 0, 0}});
    scene.add(Contact{body, world, {0, 0, 1}, {x, 0, 0}});
  }
  scene.separation = {-0.1, -0.1};
  scene.slop = {0.02, 0};
  const MethodOptions options = one_push();
  const auto made = solved(scene, options);
  EXPECT_NEAR(at(made.arrays.displacement, 0)[2], options.substeps.position_correction.rate * 0.08, 1e-12);
  EXPECT_NEAR(at(made.arrays.displacement, 1)[2], options.substeps.position_correction.rate * (0.1 - slop_of_cubes()),
              1e-12);
}

/// Five cubes on each other.
BoxWorld cubes(double edge, double drop) {
  BoxWorld made;
  for (int i = 0; i < 5; ++i) {
    made.boxes.push_back({1000 * edge * edge * edge, {edge, edge, edge}, {0, 0, edge * (i + 0.5 + drop * (i + 1))}});
    made.rest(i, i - 1, -edge / 2, edge / 2, -edge / 2, edge / 2);
  }
  return made;
}

template <class T>
class SlopOfStacks : public testing::Test {};
TYPED_TEST_SUITE(SlopOfStacks, Precisions);

// Five contacts lower the top by at most 5 %: the mark is 1 % of an edge for each.
TYPED_TEST(SlopOfStacks, is_at_most_a_hundredth_of_an_edge_deep_at_every_size) {
  for (const double edge : {0.01, 0.04, 0.4, 1.0, 10.0})
    for (const double drop : {0.0, 0.25}) {
      BoxWorld boxes = cubes(edge, drop);
      SceneSolver solver({.threads = 1});
      for (int k = 0; k < 400; ++k) boxes.template step_in_substeps<TypeParam>(solver, in_substeps(), 0.01);
      EXPECT_LE(deepest_overlap(boxes), 0.01 * edge) << edge << " m, dropped by " << drop;
      EXPECT_NEAR(boxes.boxes.back().position[2] / edge, 4.5, 0.05) << edge << " m, dropped by " << drop;
      EXPECT_LE(length(boxes.boxes.back().velocity), 1e-3) << edge << " m, dropped by " << drop;
    }
}

// A world that is s times as large and √s times as slow is the same world: gravity has one number in both.
TEST(Slop, keeps_worlds_of_all_sizes_similar) {
  const auto heights = [](double scale) {
    BoxWorld boxes = cubes(scale, 0.25);
    SceneSolver solver({.threads = 1});
    std::vector<double> found;
    for (int k = 0; k < 60; ++k) {
      const SceneReport report = boxes.step_in_substeps<double>(solver, in_substeps(), h * std::sqrt(scale));
      found.push_back(boxes.boxes.back().position[2] / scale);
      found.push_back(report.substeps);
    }
    return found;
  };
  const std::vector<double> expected = heights(1);
  for (const double scale : {1.0 / 256, 16.0}) {
    const std::vector<double> found = heights(scale);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << scale << ", " << i;
  }
}

// Number of substeps --------------------------------------------------------------------------------------------------

TEST(NumberOfSubsteps, follows_the_size_of_the_bodies) {
  for (const double edge : {0.01, 0.1}) {
    BoxWorld boxes = cubes(edge, 0);
    SceneSolver solver({.threads = 1});
    // Nothing is known of the first step: the lowest cube bears all five.
    const double wanted = 2 * h * std::sqrt(5 * g / slop_of_cubes(edge));
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps, std::ceil(wanted)) << edge;
  }
}

TEST(NumberOfSubsteps, follows_the_least_slop_of_the_contacts) {
  BoxWorld boxes = box_stack(2);
  SceneData<double> scene = boxes.scene<double>();
  scene.slop.assign(8, 0);
  scene.slop[2] = 1e-5;
  scene.velocity_change = scene.angular_velocity_change = vectors<double>(2);
  MethodOptions options = in_swept_substeps();
  const int expected = static_cast<int>(std::ceil(2 * h * std::sqrt(2 * g / 1e-5)));
  EXPECT_EQ(solved(scene, options).report.substeps, expected);
  EXPECT_EQ(solved_by_reference(scene, options).report.substeps, expected);
  options.substeps.position_correction.slop = 1e-3;
  scene.slop.clear();
  const int of_option = static_cast<int>(std::ceil(2 * h * std::sqrt(2 * g / 1e-3)));
  EXPECT_EQ(solved(scene, options).report.substeps, of_option);
  EXPECT_EQ(solved_by_reference(scene, options).report.substeps, of_option);
}

}  // namespace
}  // namespace carom::scenes
