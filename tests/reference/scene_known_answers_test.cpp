// Scenes whose answer is known under each method.
#include <gtest/gtest.h>

#include <array>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::SceneContact;
using support::SceneData;
using support::SceneResultArrays;
using support::solved;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

MethodOptions with_method(Procedure method) {
  MethodOptions options;
  options.method = method;
  options.sequential_impacts.law = Law::chatterjee_ruina;
  scenes::set_iterations(options, 1000);
  options.tolerance = 0;
  return options;
}

// The unit cube of 1 kg with e = 1 and without friction, whose lower corners at x = ±½ both hit a wall at 3 m/s.
SceneData<double> block() {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {0, -3, 0}, {}});
  for (double x : {0.5, -0.5}) {
    SceneContact<double> contact;
    contact.body_a = 0;
    contact.normal = {0, 1, 0};
    contact.r_a = {x, -0.5, 0};
    contact.restitution = 1;
    data.add_contact(contact);
  }
  return data;
}

// Balls of 1 m and 1 kg in a row along x that touch, with e = 1 and without friction.
SceneData<double> row_of_balls(const std::vector<double>& velocities) {
  SceneData<double> data;
  for (double v : velocities) data.add_body({1, {10, 0, 0, 10, 0, 10}, {v, 0, 0}, {}});
  for (std::size_t i = 0; i + 1 < velocities.size(); ++i) {
    SceneContact<double> contact;
    contact.body_a = static_cast<std::int32_t>(i);
    contact.body_b = static_cast<std::int32_t>(i) + 1;
    contact.normal = {-1, 0, 0};
    contact.r_a = {0.5, 0, 0};
    contact.r_b = {-0.5, 0, 0};
    contact.restitution = 1;
    data.add_contact(contact);
  }
  return data;
}

void expect_velocities(const SceneResultArrays<double>& results, const std::vector<double>& expected,
                       double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(results.velocity[i][0], expected[i], tolerance) << i;
}

// Iterations end when impulses do not change any more, or oscillate by rounding errors: within some roundings of the
// velocities, times the condition of the contacts' matrix, which is below 10 here.
constexpr double of_sweeps = 100 * 3 * epsilon;

TEST(scene_block, both_points_stop_it_at_once_under_pgs) {
  const auto results = solved(block(), with_method(Procedure::pgs));
  EXPECT_NEAR(results.velocity[0][1], 3, of_sweeps);
  EXPECT_NEAR(results.angular_velocity[0][2], 0, of_sweeps);
}

TEST(scene_block, both_points_stop_it_at_once_under_iteration) {
  for (ContactFilter swept : {ContactFilter::colliding, ContactFilter::touching}) {
    MethodOptions options = with_method(Procedure::collisions);
    options.bender_schmitt.filter = swept;
    const auto results = solved(block(), options);
    EXPECT_NEAR(results.velocity[0][1], 3, of_sweeps);
    EXPECT_NEAR(results.angular_velocity[0][2], 0, of_sweeps);
  }
}

// The first contact has the impulse 2 · 3 / 2.5 = 2.4 N s: v = -0.6, w = 7.2. The other one then approaches at 0.6 +
// 3.6 and has 2 · 4.2 / 2.5 = 3.36 N s: v = 2.76, w = 7.2 - 10.08.
TEST(scene_block, one_point_follows_the_other_in_a_sequence) {
  SceneReport report;
  const auto results = solved(block(), with_method(Procedure::sequential_impacts), &report);
  EXPECT_NEAR(results.velocity[0][1], 2.76, 16 * epsilon * 3);
  EXPECT_NEAR(results.angular_velocity[0][2], -2.88, 16 * epsilon * 10);
  EXPECT_EQ(report.impacts, 2u);
}

TEST(scene_block, the_seed_decides_which_of_equal_points_comes_first) {
  MethodOptions options = with_method(Procedure::sequential_impacts);
  int last_first = 0;
  for (options.sequential_impacts.seed = 1; options.sequential_impacts.seed <= 32; ++options.sequential_impacts.seed) {
    const auto results = solved(block(), options), again = solved(block(), options);
    EXPECT_NEAR(std::abs(results.angular_velocity[0][2]), 2.88, 16 * epsilon * 10);
    EXPECT_EQ(results.angular_velocity, again.angular_velocity);
    last_first += results.angular_velocity[0][2] > 0 ? 1 : 0;
  }
  // For 32 fair draws, fewer than 6 or more than 26 of one kind have a probability below 1 in 10,000.
  EXPECT_GE(last_first, 6);
  EXPECT_LE(last_first, 26);
}

TEST(scene_balls, the_last_of_three_leaves_in_a_sequence) {
  expect_velocities(solved(row_of_balls({3, 0, 0}), with_method(Procedure::sequential_impacts)), {0, 0, 3},
                    16 * epsilon);
}

TEST(scene_balls, three_share_the_speed_under_pgs) {
  expect_velocities(solved(row_of_balls({3, 0, 0}), with_method(Procedure::pgs)), {-1, 2, 2}, of_sweeps);
}

TEST(scene_balls, iteration_gives_either_by_what_it_sweeps) {
  MethodOptions options = with_method(Procedure::collisions);
  SceneReport report;
  expect_velocities(solved(row_of_balls({3, 0, 0}), options, &report), {0, 0, 3}, of_sweeps);
  // A pass for each of the two collisions, each of which is done after the first four sweeps.
  EXPECT_EQ(report.iterations, 8);
  EXPECT_EQ(report.not_converged, 0u);
  options.bender_schmitt.filter = ContactFilter::touching;
  expect_velocities(solved(row_of_balls({3, 0, 0}), options), {-1, 2, 2}, of_sweeps);
}

TEST(scene_balls, as_many_leave_newtons_cradle_as_have_come) {
  for (Procedure method : {Procedure::sequential_impacts, Procedure::collisions})
    for (std::size_t n = 1; n < 5; ++n) {
      std::vector<double> before(5, 0), after(5, 0);
      for (std::size_t i = 0; i < n; ++i) before[i] = after[4 - i] = 2;
      expect_velocities(solved(row_of_balls(before), with_method(method)), after, of_sweeps);
    }
}

TEST(scene_balls, a_cradle_whose_touching_balls_are_swept_throws_the_first_one_back) {
  MethodOptions options = with_method(Procedure::collisions);
  options.bender_schmitt.filter = ContactFilter::touching;
  // The condition of the matrix of four contacts in a row is cot²(π/10), about 9.5.
  expect_velocities(solved(row_of_balls({1, 0, 0, 0, 0}), options), {-0.6, 0.4, 0.4, 0.4, 0.4}, of_sweeps);
  expect_velocities(solved(row_of_balls({1, 0, 0, 0, 0}), with_method(Procedure::pgs)), {-0.6, 0.4, 0.4, 0.4, 0.4},
                    of_sweeps);
}

// The last two separate at 1 m/s. An iteration with filter `touching` skips this contact: with target 0 it would gain
// energy.
TEST(scene_balls, those_that_part_are_not_touching) {
  MethodOptions options = with_method(Procedure::collisions);
  options.bender_schmitt.filter = ContactFilter::touching;
  expect_velocities(solved(row_of_balls({3, 0, 1}), options), {0, 3, 1}, of_sweeps);
}

// Without inertia K is the unit matrix, so that u stops by p = -u as far as friction allows it.
SceneData<double> sliding_point(double slip, double friction, double static_friction) {
  SceneData<double> data;
  data.add_body({1, {}, {slip, 0, -1}, {}});
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.friction = friction;
  contact.static_friction = static_friction;
  data.add_contact(contact);
  return data;
}

TEST(scene_friction, static_friction_holds_what_dynamic_friction_does_not) {
  for (Procedure method : {Procedure::pgs, Procedure::collisions}) {
    const auto held = solved(sliding_point(0.4, 0.2, 0.5), with_method(method));
    EXPECT_NEAR(held.velocity[0][0], 0, 4 * epsilon);
    EXPECT_NEAR(held.impulse[0][0], -0.4, 4 * epsilon);
    const auto slides = solved(sliding_point(0.6, 0.2, 0.5), with_method(method));
    EXPECT_NEAR(slides.velocity[0][0], 0.4, 4 * epsilon);
    EXPECT_NEAR(slides.impulse[0][0], -0.2, 4 * epsilon);
    EXPECT_EQ(slides.path[0].sliding_end, SlidingEnd::slip);
  }
}

TEST(scene_friction, infinite_friction_holds_every_slip) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    const auto held = solved(sliding_point(1e6, infinity, infinity), with_method(method));
    EXPECT_NEAR(held.velocity[0][0], 0, 4e6 * epsilon);
    EXPECT_EQ(held.path[0].sliding_end, SlidingEnd::stick);
  }
}

// With r_a off the normal, the slip changes the normal speed. The remaining u opposes the impulse, which is on the
// cone.
TEST(scene_friction, a_sliding_point_ends_on_the_cone_against_its_slip) {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {2, 1, -1}, {}});
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.r_a = {0.2, 0.3, -0.5};
  contact.friction = 0.3;
  data.add_contact(contact);
  MethodOptions options = with_method(Procedure::pgs);
  auto results = solved(data, options);
  // An island has converged when no contact approaches: the direction of friction may still turn. The next call starts
  // from its impulse.
  for (int i = 0; i < 50; ++i) {
    data.contacts[0].warm_impulse = results.impulse[0];
    results = solved(data, options);
  }
  const auto &p = results.impulse[0], &u = results.separation_velocity[0];
  EXPECT_GT(p[2], 0.1);
  EXPECT_GT(std::hypot(u[0], u[1]), 0.1);
  EXPECT_NEAR(u[2], 0, of_sweeps);
  EXPECT_NEAR(std::hypot(p[0], p[1]), 0.3 * p[2], 4 * epsilon * p[2]);
  // The angle between them is π: their cross product vanishes and their product does not.
  EXPECT_NEAR(p[0] * u[1] - p[1] * u[0], 0, of_sweeps);
  EXPECT_LT(p[0] * u[0] + p[1] * u[1], -0.01);
}

// K = (25 0 4.8; 0 26 0; 4.8 0 1.96): friction against the slip leaves 1 - 0.35 · 4.8 / 1.96 = 0.143 of the normal
// impulse, which is less than the quarter that a step goes by. It ends where it must all the same: p_n = 1 / (1.96 -
// 0.35 · 4.8) = 1 / 0.28, and a slip of 50 + (4.8 - 0.35 · 25) / 0.28.
TEST(scene_friction, a_steep_contact_settles_on_its_cone) {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {50, 0, -1}, {}});
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.r_a = {0.4, 0, -2};
  contact.friction = 0.35;
  data.add_contact(contact);
  MethodOptions options = with_method(Procedure::pgs);
  auto results = solved(data, options);
  for (int i = 0; i < 50; ++i) {
    data.contacts[0].warm_impulse = results.impulse[0];
    results = solved(data, options);
  }
  // Rounding counts 1 / 0.28 times.
  EXPECT_NEAR(results.impulse[0][2], 1 / 0.28, of_sweeps);
  EXPECT_NEAR(results.impulse[0][0], -0.35 / 0.28, of_sweeps);
  EXPECT_NEAR(results.separation_velocity[0][0], 50 + (4.8 - 0.35 * 25) / 0.28, 50 * of_sweeps);
}

// K = (. . .; . 2.5 0.9; . 0.9 1.54): p_n = 1 / 1.54 makes the slip 2 + 0.9 / 1.54, which friction stops by 1/2.5 of
// it. The same with x and y exchanged.
TEST(scene_friction, follows_the_normal_impulse_under_iteration) {
  for (std::size_t axis : {0u, 1u}) {
    SceneData<double> data;
    data.add_body({1, {6, 0, 0, 6, 0, 6}, {0, 0, -1}, {}});
    data.bodies[0].velocity[axis] = 2;
    SceneContact<double> contact;
    contact.body_a = 0;
    contact.r_a[axis] = 0.3;
    contact.r_a[2] = -0.5;
    contact.friction = 100;
    data.add_contact(contact);
    MethodOptions options = with_method(Procedure::collisions);
    scenes::set_iterations(options, 1);
    const auto results = solved(data, options);
    EXPECT_NEAR(results.impulse[0][2], 1 / 1.54, 8 * epsilon);
    EXPECT_NEAR(results.impulse[0][axis], -(2 + 0.9 / 1.54) / 2.5, 8 * epsilon);
  }
}

// With relaxation 0.5, half of an iteration's change reveals the initial impulse. K is the unit matrix.
TEST(scene_warm_start, begins_inside_the_cone_of_static_friction) {
  SceneData<double> data = sliding_point(0, 0.25, 0.5);
  MethodOptions options = with_method(Procedure::pgs);
  scenes::set_iterations(options, 1);
  options.pgs.relaxation = 0.5;
  // (10, 0, 1) is cut to (0.5, 0, 1), which leaves u = (0.5, 0, 0).
  data.contacts[0].warm_impulse = {10, 0, 1};
  auto results = solved(data, options);
  EXPECT_EQ(results.impulse[0], (std::array<double, 3>{0.25, 0, 1}));
  // No contact pulls: it begins with 0, and half of 1 N s is missing.
  data.contacts[0].warm_impulse = {0, 0, -1};
  results = solved(data, options);
  EXPECT_EQ(results.impulse[0], (std::array<double, 3>{0, 0, 0.5}));
  options.pgs.warm_start = 0.25;
  data.contacts[0].warm_impulse = {0, 0, 2};
  results = solved(data, options);
  EXPECT_EQ(results.impulse[0], (std::array<double, 3>{0, 0, 0.75}));
}

TEST(scene_targets, a_belt_takes_along_what_sticks_to_it) {
  SceneData<double> data = sliding_point(0, 10, 10);
  // The part along the normal does not count.
  data.contacts[0].surface_velocity = {0.5, -0.25, 7};
  for (Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    const auto results = solved(data, with_method(method));
    EXPECT_NEAR(results.velocity[0][0], 0.5, 8 * epsilon);
    EXPECT_NEAR(results.velocity[0][1], -0.25, 8 * epsilon);
    EXPECT_NEAR(results.velocity[0][2], 0, 8 * epsilon);
    EXPECT_EQ(results.separation_velocity[0], results.velocity[0]);
  }
}

TEST(scene_targets, a_contact_is_pushed_out_at_its_target_velocity) {
  SceneData<double> data = sliding_point(0, 0, 0);
  data.bodies[0].velocity = {};
  data.contacts[0].target_velocity = 0.5;
  for (Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    const auto results = solved(data, with_method(method));
    EXPECT_NEAR(results.velocity[0][2], 0.5, 4 * epsilon);
  }
}

TEST(scene_targets, a_speculative_contact_leaves_an_approach_that_its_gap_allows) {
  SceneData<double> data = sliding_point(0, 0.5, 0.5);
  data.bodies[0].velocity = {1, 0, -1};
  data.contacts[0].target_velocity = -2;
  for (Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    const auto results = solved(data, with_method(method));
    EXPECT_EQ(results.velocity[0], data.bodies[0].velocity);
    EXPECT_EQ(results.status[0], Status::separating);
    EXPECT_EQ(results.path[0].sliding_end, SlidingEnd::separating);
  }
}

// A ball between two walls that both touch it goes to and fro for ever at e = 1; at e = ½ its speed halves until it is
// below the residual: 2^-20 < 1e-6 < 2^-19.
TEST(scene_sequential_impacts, what_keeps_its_energy_for_ever_is_reported) {
  SceneData<double> data;
  data.add_body({1, {10, 0, 0, 10, 0, 10}, {0, 0, -1}, {}});
  for (double z : {1.0, -1.0}) {
    SceneContact<double> contact;
    contact.body_a = 0;
    contact.normal = {0, 0, z};
    contact.r_a = {0, 0, -0.5 * z};
    contact.restitution = 1;
    data.add_contact(contact);
  }
  MethodOptions options = with_method(Procedure::sequential_impacts);
  options.tolerance = 1e-6;
  scenes::set_iterations(options, 50);
  SceneReport report;
  solved(data, options, &report);
  EXPECT_EQ(report.impacts, 100u);
  EXPECT_EQ(report.not_converged, 1u);
  EXPECT_EQ(report.stalled, 1u);
  EXPECT_DOUBLE_EQ(report.residual, 1);

  for (auto& contact : data.contacts) contact.restitution = 0.5;
  solved(data, options, &report);
  EXPECT_EQ(report.impacts, 20u);
  EXPECT_EQ(report.not_converged + report.stalled, 0u);
  EXPECT_DOUBLE_EQ(report.residual, 0x1p-20);

  // It ends by the count while it still loses energy.
  scenes::set_iterations(options, 4);
  solved(data, options, &report);
  EXPECT_EQ(report.not_converged, 1u);
  EXPECT_EQ(report.stalled, 0u);
}

// One step of the law does not reach the end of the slide: the contact is not solved, and the body does not change.
TEST(scene_sequential_impacts, leaves_a_contact_that_its_law_can_not_solve) {
  SceneData<double> data = sliding_point(1, 0.1, 0.1);
  data.bodies[0].inverse_inertia = {6, 0, 0, 7, 0, 8};
  data.contacts[0].r_a = {0.1, 0.2, -0.5};
  MethodOptions options = with_method(Procedure::sequential_impacts);
  options.sequential_impacts.law = Law::incremental;
  options.sequential_impacts.integrator = Integrator::euler;
  options.sequential_impacts.step_budget = 1;
  SceneReport report;
  const auto results = solved(data, options, &report);
  EXPECT_EQ(results.status[0], Status::step_budget_reached);
  EXPECT_EQ(results.velocity[0], data.bodies[0].velocity);
  EXPECT_EQ(results.path[0], Path{});
  EXPECT_EQ(report.impacts, 0u);
  EXPECT_NEAR(report.residual, 1, 4 * epsilon);
}

}  // namespace
}  // namespace carom::reference
