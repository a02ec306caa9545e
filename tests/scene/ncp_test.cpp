// Procedure::ncp solves contacts to the error that it is asked for. docs/contact-systems.md, In scenes
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "support/scenes/box_world.hpp"
#include "support/scenes/refusal.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// As exact as the known answers require; with a budget that sound islands do not need.
template <class T>
MethodOptions to(double tolerance) {
  return ncp_to(std::max(tolerance, sizeof(T) == sizeof(float) ? 1e-6 : 0.0));
}

template <class T>
class Coulomb : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Coulomb, Precisions);

// The velocities of these scenes are unique: bodies that contacts hold, and few contacts with little friction. Sweeps
// come to 1e-13 of the approach. The condition of W, 1e4 here, bounds velocities by the error.
TEST(NcpInDouble, has_the_velocities_that_sweeps_come_to_in_the_end) {
  const auto agrees = [](const SceneData<double>& scene, const std::string& what) {
    const auto found = solved(scene, to<double>(1e-12));
    const auto swept = solved(scene, exact<double>(Procedure::pgs));
    ASSERT_EQ(swept.report.not_converged, 0u) << what;
    EXPECT_EQ(found.report.not_converged, 0u) << what;
    EXPECT_LE(found.report.relative_error, 1e-12) << what;
    EXPECT_LE(distance(scene, found, swept), 1e-8) << what;
  };
  agrees(stack<double>(4), "stack");
  agrees(pyramid<double>(3), "pyramid");
  agrees(newtons_cradle<double>(5, 2), "cradle");
  agrees(cube_against_wall<double>(), "cube");
  agrees(falling_rod<double>(0.5), "rod");
  RandomSceneOptions drawn;
  drawn.friction_limit = 0.3;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    agrees(random_scene<double>(seed, drawn), "seed " + std::to_string(seed));
}

// Three steps of gravity on a block at 30°: it stays under a friction of 0.6, above tan 30° = 0.577, and under 0.4 it
// gains h g (sin 30° - 0.4 cos 30°) a step.
TYPED_TEST(Coulomb, holds_a_block_on_an_incline_or_lets_it_slide_by_the_law) {
  for (const double friction : {0.6, 0.4}) {
    BoxWorld block = block_on_incline(std::numbers::pi / 6, friction, 0);
    SceneSolver solver({.threads = 1});
    for (int i = 0; i < 3; ++i) block.step_with_targets<TypeParam>(solver, to<TypeParam>(1e-10), 0.01);
    const double expected = friction > 0.5 ? 0 : 0.03 * 9.81 * (0.5 - 0.4 * std::sqrt(0.75));
    // An error of 1e-6 of some 0.1 m/s in float.
    EXPECT_NEAR(length(block.boxes[0].velocity), expected, sizeof(TypeParam) == sizeof(float) ? 2e-6 : 1e-10);
  }
}

// 20 cubes with a thousand times the mass on top: they do not move, and the ground supports their weight of a step.
TYPED_TEST(Coulomb, carries_a_thousand_times_the_mass_on_a_stack_of_20) {
  auto scene = stack<TypeParam>(20);
  scene.bodies.inverse_mass[19] /= 1000;
  for (auto& component : scene.bodies.inverse_inertia) component[19] /= 1000;
  const double tolerance = 1e-6;
  const auto made = solved(scene, to<TypeParam>(tolerance));
  EXPECT_EQ(made.report.not_converged, 0u);
  EXPECT_LE(made.report.relative_error, tolerance);
  double carried = 0;
  for (std::size_t i = 0; i < 4; ++i) carried += made.impulse(i)[2];
  // The velocities that are left are 1e-6 of 80 contacts with 0.1 m/s each, in units of the mean of W: 1 kg.
  EXPECT_NEAR(carried, 1019 * 0.0981, 1e-4 * 1019 * 0.0981);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_LT(length(made.velocity(i)), 1e-5) << i;
}

// All contacts rebound at once, by Moreau's rule, as under simultaneous.
TYPED_TEST(Coulomb, rebounds_by_the_rule_of_pgs) {
  const auto balls = solved(row_of_balls<TypeParam>({3, 0, 0}), to<TypeParam>(1e-12));
  const double tolerance = sizeof(TypeParam) == sizeof(float) ? 1e-5 : 1e-10;
  EXPECT_NEAR(balls.velocity(0)[0], -1, tolerance);
  EXPECT_NEAR(balls.velocity(1)[0], 2, tolerance);
  EXPECT_NEAR(balls.velocity(2)[0], 2, tolerance);
  const auto cube = solved(cube_against_wall<TypeParam>(3, 1), to<TypeParam>(1e-12));
  EXPECT_NEAR(cube.report.energy_after, cube.report.energy_before, 4 * tolerance);
}

TYPED_TEST(Coulomb, lets_go_what_separates_and_tells_what_sticks_and_slips) {
  SceneData<TypeParam> scene;
  const auto ball = [&](const Vector& velocity, double friction) {
    Body body;
    body.inverse_inertia = {10, 0, 0, 10, 0, 10};
    body.velocity = velocity;
    const std::int32_t a = scene.add(body);
    scene.add(Contact{.a = a, .point = {0, 0, -0.5}, .friction = friction});
  };
  ball({1, 0, 1}, 0.5);
  ball({0.1, 0, -1}, 0.5);
  ball({3, 0, -1}, 0.5);
  const auto made = solved(scene, to<TypeParam>(1e-12));
  EXPECT_EQ(made.arrays.status[0], Status::separating);
  EXPECT_EQ(made.impulse(0), Vector{});
  EXPECT_EQ(made.velocity(0), (Vector{1, 0, 1}));
  EXPECT_EQ(made.arrays.path[1].sliding_end, SlidingEnd::stick);
  EXPECT_EQ(made.arrays.path[2].sliding_end, SlidingEnd::slip);
  // p_n = 1, and all of friction: 3 - 0.5 at the centre.
  EXPECT_NEAR(made.velocity(2)[0], 2.5, 1e-5);
  EXPECT_NEAR(made.impulse(2)[0], -0.5, 1e-5);
}

TYPED_TEST(Coulomb, takes_belts_kinematic_bodies_and_targets) {
  SceneData<TypeParam> scene;
  Body lift = {.inverse_mass = 0, .inverse_inertia = {}, .velocity = {0, 0, 2}, .angular_velocity = {0, 0, 1}};
  const std::int32_t below = scene.add(lift), cube = scene.add(Body{.position = {1, 0, 0.5}});
  for (const double x : {0.5, 1.5})
    for (const double y : {-0.5, 0.5}) scene.add(Contact{cube, below, {0, 0, 1}, {x, y, 0}, 1000});
  scene.surface_velocity = vectors<TypeParam>(4);
  for (std::size_t i = 0; i < 4; ++i) put(scene.surface_velocity, i, {0.25, 0, 0});
  scene.target_velocity.assign(4, TypeParam(0.5));
  const auto made = solved(scene, to<TypeParam>(1e-12));
  // It turns with the lift, a metre from its axis, on a belt, and is lifted off by its target.
  const Vector expected = {0.25, 1, 2.5};
  EXPECT_LT(length(made.velocity(1) - expected), 1e-5);
  EXPECT_LT(length(made.angular_velocity(1) - Vector{0, 0, 1}), 1e-5);
  EXPECT_EQ(made.velocity(0), (Vector{0, 0, 2}));
}

// Powers of two in the units change no digit, of masses, lengths and speeds.
TYPED_TEST(Coulomb, does_not_depend_on_units) {
  SceneData<TypeParam> scene = pyramid<TypeParam>(3);
  add_hinge(scene.joints, JointBodies<TypeParam>{0, 1, {TypeParam(0.5), 0, 0}, {TypeParam(-0.5), 0, 0}}, {0, 0, 1});
  add_motor(scene.joints, JointBodies<TypeParam>{4, 5, {}, {}}, {0, 1, 0}, TypeParam(0.5), TypeParam(0.01));
  const auto made = solved(scene, to<TypeParam>(1e-6));
  auto other = scene;
  const TypeParam kilogram = TypeParam(0x1p-20), speed = TypeParam(0x1p10);
  for (TypeParam& x : other.bodies.inverse_mass) x /= kilogram;
  for (auto& component : other.bodies.inverse_inertia)
    for (TypeParam& x : component) x /= kilogram;
  for (auto& component : other.bodies.velocity)
    for (TypeParam& x : component) x *= speed;
  for (auto& row : other.joints.rows) {
    row.target_velocity *= speed;
    row.min_impulse *= kilogram * speed;
    row.max_impulse *= kilogram * speed;
  }
  const auto scaled = solved(other, to<TypeParam>(1e-6));
  for (std::size_t i = 0; i < scene.body_count(); ++i)
    EXPECT_EQ(scaled.velocity(i), static_cast<double>(speed) * made.velocity(i)) << i;
  EXPECT_EQ(scaled.report.relative_error, made.report.relative_error);
}

TYPED_TEST(Coulomb, begins_with_the_impulses_of_named_contacts) {
  auto scene = pyramid<TypeParam>(6);
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  for (std::size_t b = 0; b < scene.body_count(); ++b)
    scene.bodies.velocity[0][b] = static_cast<TypeParam>(0.1 * (1 + scene.position[b][2]));
  SceneSolver solver({.threads = 1});
  const auto first = solved(solver, scene, to<TypeParam>(1e-5)), second = solved(solver, scene, to<TypeParam>(2e-5));
  EXPECT_GT(first.report.iterations, 5);
  EXPECT_EQ(second.report.iterations, 0);
}

TYPED_TEST(Coulomb, tells_what_the_budget_does_not_solve_and_returns_the_best) {
  auto options = to<TypeParam>(1e-9);
  options.ncp.budget = 1;
  auto scene = stack<TypeParam>(10);
  const auto made = solved(scene, options);
  EXPECT_EQ(made.report.not_converged, 1u);
  EXPECT_EQ(made.arrays.island_status[0], IslandStatus::not_converged);
  EXPECT_GT(made.report.relative_error, options.ncp.tolerance);
  EXPECT_LT(made.report.relative_error, 1);
  EXPECT_LT(made.report.energy_after, made.report.energy_before);
}

TEST(MisusedCoulomb, names_the_column_or_the_option_that_it_refuses) {
  auto scene = stack<double>(1);
  scene.static_friction = scene.friction;
  SceneArrays<double> arrays(scene);
  EXPECT_EQ(refusal(scene.view(), arrays.view(), to<double>(0)),
            "carom: the column contacts.static_friction is not read by the method ncp; leave it out");
  scene.static_friction.clear();
  scene.stiffness.assign(4, 1000);
  EXPECT_EQ(refusal(scene.view(), arrays.view(), to<double>(0)),
            "carom: the column contacts.stiffness is not read by the method ncp; leave it out");
  EXPECT_THROW(reference::solve_scene(stack<double>(1).view(to<double>(0)), {}, to<double>(0)), Error);
}

}  // namespace
}  // namespace carom::scenes
