// Procedure::substeps chooses the number of substeps, hands impulses on, and solves rows.
#include "support/scenes/substeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"

namespace carom::scenes {
namespace {

TYPED_TEST_SUITE(Substeps, Precisions);

// Number of substeps --------------------------------------------------------------------------------------------------

/// 2 H √(load / slop)
double wanted(double load) {
  return 2 * h * std::sqrt(load / slop_of_cubes());
}

TEST(NumberOfSubsteps, is_raised_by_a_ratio_of_masses_at_once) {
  for (const double ratio : {100.0, 1000.0}) {
    BoxWorld boxes = box_stack(2, ratio);
    SceneSolver solver({.threads = 1});
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps, std::ceil(wanted(ratio * g)))
        << ratio;
  }
}

TEST(NumberOfSubsteps, is_that_of_all_on_its_supports_while_nothing_is_known) {
  const auto first = [](BoxWorld boxes) {
    SceneSolver solver({.threads = 1});
    return boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps;
  };
  EXPECT_EQ(first(box_stack(20)), std::ceil(wanted(20 * g)));
  EXPECT_EQ(first(box_pyramid(20)), std::ceil(wanted(210.0 / 20 * g)));
  // Nothing supports two boxes in the air.
  BoxWorld pair = box_stack(20);
  pair.supports.erase(pair.supports.begin());
  EXPECT_EQ(first(pair), SceneThresholds::swept_substeps);
}

TEST(NumberOfSubsteps, is_raised_by_a_load_of_contacts_once_it_has_lasted_three_steps) {
  BoxWorld boxes = box_stack(20);
  SceneSolver solver({.threads = 1});
  const MethodOptions options = in_swept_substeps();
  int before = 0;
  for (int k = 0; k < 30; ++k) before = boxes.step_in_substeps<double>(solver, options, h).substeps;
  // All of it weighs ten times as much from now on. The lowest of twenty boxes has the weight of 19 from above and of
  // 20 from below.
  boxes.gravity = 10.0 * boxes.gravity;
  for (int k = 0; k < 3; ++k) EXPECT_EQ(boxes.step_in_substeps<double>(solver, options, h).substeps, before) << k;
  int most = 0, last = 0;
  for (int k = 0; k < 120; ++k)
    most = std::max(most, last = boxes.step_in_substeps<double>(solver, options, h).substeps);
  EXPECT_GE(last, std::ceil(wanted(195 * g)));
  // While it settles its impulses are more than the load at rest: the brake takes velocities and not impulses.
  EXPECT_LE(most, std::ceil(wanted(8 * 195 * g)));
}

TEST(NumberOfSubsteps, is_not_raised_by_one_impact) {
  // At 20 m/s a box meets the plane in some substep of the second step; the last substep's impulse is a load of 0.5 4
  // 20 m/s / h for the next one, which would take 23.
  for (const double separation : {0.34, 0.42, 0.5, 0.58, 0.65}) {
    BoxWorld boxes = box_stack(1);
    boxes.boxes[0].position[2] += separation;
    boxes.boxes[0].velocity = {0, 0, -20};
    SceneSolver solver({.threads = 1});
    bool met = false;
    for (int k = 0; k < 30; ++k) {
      EXPECT_EQ(boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps,
                SceneThresholds::swept_substeps)
          << separation << ", " << k;
      met = met || boxes.boxes[0].velocity[2] > -1;
    }
    EXPECT_TRUE(met) << separation;
  }
}

TEST(NumberOfSubsteps, falls_by_a_hundredth_a_step_when_the_load_has_been_gone_for_sixty) {
  BoxWorld boxes = box_stack(2, 1000);
  SceneSolver solver({.threads = 1});
  int before = 0;
  for (int k = 0; k < 20; ++k) before = boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps;
  EXPECT_GE(before, 47);
  boxes.boxes[1].mass = 1;
  for (int k = 0; k < 60; ++k) {
    const int now = boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps;
    EXPECT_GE(now, before - 1) << k;
    before = now;
  }
  // From 64 to 4 at 0.99 a step: at most ln(64 / 4) / 0.01005 = 276 steps, and the steps that use the old load.
  for (int k = 0; k < 320; ++k) {
    const int now = boxes.step_in_substeps<double>(solver, in_swept_substeps(), h).substeps;
    EXPECT_LE(now, before);
    EXPECT_GE(now, before - 1);
    EXPECT_TRUE(k > 200 || now > SceneThresholds::swept_substeps) << k;
    before = now;
  }
  EXPECT_EQ(before, SceneThresholds::swept_substeps);
}

TEST(NumberOfSubsteps, stays_within_least_and_most) {
  for (const auto& [least, most, expected] : {std::array{4, 20, 20}, {60, 64, 60}, {4, 64, 47}, {2, 3, 3}, {1, 1, 1}}) {
    BoxWorld boxes = box_stack(2, 1000);
    MethodOptions options;
    options.substeps.min_substeps = least;
    options.substeps.max_substeps = most;
    SceneSolver solver({.threads = 1});
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, options, h).substeps, expected);
  }
}

/// The boxes of both; the second world's are 100 m away.
BoxWorld beside(const BoxWorld& one, BoxWorld other) {
  BoxWorld made = one;
  const auto first = static_cast<std::int32_t>(one.boxes.size());
  for (MovingBox& moving : other.boxes) {
    moving.position[0] += 100;
    made.boxes.push_back(moving);
  }
  for (BoxWorld::Support support : other.supports) {
    support.upper += first;
    support.lower += support.lower < 0 ? 0 : first;
    made.supports.push_back(support);
  }
  return made;
}

TYPED_TEST(Substeps, are_those_of_each_island_and_a_heavy_one_beside_it_changes_no_bit) {
  const BoxWorld heavy = box_stack(2, 1000);
  BoxWorld pile = box_pyramid(3), both = beside(pile, heavy);
  SceneSolver solver({.threads = 1}), other({.threads = 1});
  for (int k = 0; k < 60; ++k) {
    pile.template step_in_substeps<TypeParam>(solver, in_swept_substeps(), h);
    both.template step_in_substeps<TypeParam>(other, in_swept_substeps(), h);
    const std::size_t supports = pile.supports.size();
    for (std::size_t s = 0; s < both.supports.size(); ++s) {
      const int least = SceneThresholds::swept_substeps;
      EXPECT_EQ(std::min(both.substeps[s], 47), s < supports ? least : 47) << "step " << k << ", support " << s;
    }
    for (std::size_t i = 0; i < pile.boxes.size(); ++i) {
      ASSERT_EQ(both.boxes[i].position, pile.boxes[i].position) << "step " << k << ", box " << i;
      ASSERT_EQ(both.boxes[i].orientation, pile.boxes[i].orientation) << "step " << k << ", box " << i;
      ASSERT_EQ(both.boxes[i].velocity, pile.boxes[i].velocity) << "step " << k << ", box " << i;
    }
  }
}

// Impulses of the last step -------------------------------------------------------------------------------------------

/// Boxes at rest, and the velocity changes by forces.
template <class T>
SceneData<T> falling(const BoxWorld& boxes) {
  SceneData<T> scene = boxes.scene<T>();
  scene.velocity_change = scene.angular_velocity_change = vectors<T>(scene.body_count());
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    put(scene.velocity_change, i, {0.01, 0, -g * h});
  }
  return scene;
}

TYPED_TEST(Substeps, begin_with_warm_impulses_as_with_those_of_keys) {
  const SceneData<TypeParam> named = falling<TypeParam>(box_pyramid(3));
  SceneData<TypeParam> given = named;
  given.key.clear();
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 4; ++k) {
    const auto by_key = solved(solver, named, in_substeps(6)), by_column = solved(given, in_substeps(6));
    expect_same_bits(by_key.arrays, by_column.arrays, "call " + std::to_string(k));
    EXPECT_EQ(by_key.arrays.displacement, by_column.arrays.displacement) << k;
    EXPECT_EQ(by_key.arrays.warm_impulse, by_column.arrays.warm_impulse) << k;
    given.warm_impulse = by_column.arrays.warm_impulse;
  }
}

// Points with new names in the places of old ones: the manifold begins with the force and the moment that it had. Only
// friction between its points may be another one, which moves no body.
TYPED_TEST(Substeps, keep_the_load_of_a_manifold_whose_points_have_new_names) {
  for (const Procedure method : {Procedure::substeps, Procedure::pgs}) {
    MethodOptions options = in_substeps(4);
    options.method = method;
    options.pgs.iterations = 1;
    SceneData<TypeParam> scene = falling<TypeParam>(box_stack(2));
    SceneSolver solver({.threads = 1}), same({.threads = 1});
    for (int k = 0; k < 20; ++k) solved(solver, scene, options), solved(same, scene, options);
    const auto expected = solved(same, scene, options);
    // One of the upper four for another, then two of the lower four for two others.
    for (const std::vector<std::size_t>& lost : {std::vector<std::size_t>{5}, {0, 3}}) {
      for (const std::size_t i : lost) scene.key[i] += 1000;
      const auto made = solved(solver, scene, options), cold = solved(scene, options);
      for (std::size_t i = 0; i < scene.body_count(); ++i) {
        EXPECT_LE(length(made.velocity(i) - expected.velocity(i)), 3e-3 * g * h) << to_string(method);
        EXPECT_LE(length(made.angular_velocity(i) - expected.angular_velocity(i)), 3e-3 * g * h) << to_string(method);
      }
      EXPECT_GE(length(cold.velocity(1) - expected.velocity(1)), 1e-2 * g * h) << "so is a cold one";
    }
  }
}

// Rows ----------------------------------------------------------------------------------------------------------------

/// A body of 1 kg at `speed` along x, and a row along x to the world.
template <class T>
Solved<T> with_row(double speed, const typename JointRowData<T>::Row& like, int substeps = 4) {
  SceneData<T> scene;
  scene.add(Body{.velocity = {speed, 0, 0}});
  scene.joints.rows.push_back(like);
  auto& row = scene.joints.rows.back();
  row.body_a = 0;
  row.linear_a = {1, 0, 0};
  return solved(scene, in_substeps(substeps));
}
template <class T>
double moved(const Solved<T>& made) {
  return at(made.arrays.displacement, 0)[0];
}

TYPED_TEST(Substeps, leave_the_error_of_a_row_of_frequency_zero_and_take_it_out_of_others) {
  using T = TypeParam;
  const auto motor = with_row<T>(0, {.position_error = T(0.125), .frequency = 0});
  EXPECT_EQ(moved(motor), 0);
  EXPECT_EQ(motor.arrays.joint_impulse[0], 0);
  const auto soft = with_row<T>(0, {.position_error = T(0.125), .frequency = 5});
  const auto stiff = with_row<T>(0, {.position_error = T(0.125)});
  EXPECT_LT(moved(soft), -0.001);
  EXPECT_LT(moved(stiff), 2 * moved(soft));
  EXPECT_GE(moved(stiff), -0.125);
  // The relaxing sweep takes the push out of the velocity.
  EXPECT_NEAR(length(stiff.velocity(0)), 0, 64 * epsilon<T>);
}

// The error is gone within its substep. There the row is soft again, and a body at v = -0.4 m/s, all of the way
// that was left in that substep of 4.2 mm, moves on by the share 1 / (1 + a2) of it. The relaxing sweep then stops it.
// With a frequency of 1/(4h) and ζ = 2, a2 = π/2 (4 + π/2): substep_targets.hpp.
TYPED_TEST(Substeps, let_the_slack_error_of_a_row_that_only_pushes_shrink_to_nothing) {
  using T = TypeParam;
  const double tolerance = 16 * epsilon<T>, pi = 3.14159265358979323846;
  const double left = 0.01 - 2 * h / 4, further = left / (1 + pi / 2 * (4 + pi / 2));
  const typename JointRowData<T>::Row slack{.min_impulse = 0, .position_error = T(0.01)};
  const auto taut = with_row<T>(-1, slack);
  EXPECT_NEAR(moved(taut), -0.01 - further, tolerance);
  EXPECT_NEAR(length(taut.velocity(0)), 0, tolerance);
  EXPECT_NEAR(moved(with_row<T>(-0.25, slack)), -0.25 * h, tolerance);
  EXPECT_NEAR(moved(with_row<T>(1, slack)), h, tolerance);
  EXPECT_EQ(moved(with_row<T>(0, slack)), 0);
  // A rope's row only pulls: its error is slack below zero.
  const typename JointRowData<T>::Row rope{.max_impulse = 0, .position_error = T(-0.01)};
  EXPECT_NEAR(moved(with_row<T>(1, rope)), 0.01 + further, tolerance);
  EXPECT_NEAR(moved(with_row<T>(-1, rope)), -h, tolerance);
  // A row that is drawn out goes back.
  EXPECT_LT(moved(with_row<T>(0, {.max_impulse = 0, .position_error = T(0.01)})), -0.005);
  EXPECT_EQ(moved(with_row<T>(0, {.max_impulse = 0, .position_error = T(-0.01)})), 0);
}

/// [N s] The impulse that the next step begins with, of a body of 1 kg that comes at `speed` against a plane.
template <class T>
double kept_of_contact(double speed, double begun, const Body& like = {}) {
  SceneData<T> scene;
  Body body = like;
  body.velocity = {0, 0, -speed};
  scene.add(body);
  scene.add(Contact{.point = {0, 0, 0}});
  scene.warm_impulse = vectors<T>(1);
  put(scene.warm_impulse, 0, {0, 0, begun});
  return at(solved(scene, in_substeps(1)).arrays.warm_impulse, 0)[2];
}
template <class T>
double kept_of_row(double speed, const typename JointRowData<T>::Row& row) {
  return static_cast<double>(with_row<T>(speed, row, 1).arrays.joint_warm_impulse[0]);
}

// An impact of 3 N s would act again in the next step; the impulse that continues is twice the impulse at the start
// plus the weight in a step. A body slower than twice gravity times the step makes no impact.
TYPED_TEST(Substeps, keep_of_a_blow_what_a_load_may_grow_by) {
  using T = TypeParam;
  const double weight = g * h, tolerance = 64 * epsilon<T>;
  EXPECT_NEAR(kept_of_contact<T>(3, 0), weight, tolerance);
  EXPECT_NEAR(kept_of_contact<T>(3, 0.25), 0.5 + weight, tolerance);
  EXPECT_NEAR(kept_of_contact<T>(1.9 * weight, 0), 1.9 * weight, tolerance);
  EXPECT_NEAR(kept_of_row<T>(3, {}), -weight, tolerance);
  EXPECT_NEAR(kept_of_row<T>(3, {.warm_impulse = T(-0.25)}), -0.5 - weight, tolerance);
  EXPECT_NEAR(kept_of_row<T>(1.9 * weight, {}), -1.9 * weight, tolerance);
}

// As many shares of a bound as there are substeps are rounded, and their sum is not the bound.
TYPED_TEST(Substeps, keep_the_impulse_of_a_row_over_the_step_within_its_bounds) {
  using T = TypeParam;
  support::Draw draw(1);
  for (int k = 0; k < 200; ++k) {
    const auto bound = static_cast<T>(draw.uniform(0.01, 0.5));
    const double speed = k % 2 == 0 ? -1 : 1;
    const auto made = with_row<T>(speed, {.min_impulse = -bound, .max_impulse = bound}, 2 + k % 40);
    const T impulse = speed < 0 ? made.arrays.joint_impulse[0] : -made.arrays.joint_impulse[0];
    EXPECT_LE(impulse, bound);
    EXPECT_NEAR(impulse, bound, 50 * epsilon<T> * bound);
    EXPECT_NEAR(made.velocity(0)[0], speed + static_cast<double>(made.arrays.joint_impulse[0]), 50 * epsilon<T>);
  }
}

// A vector holds manifolds of one point and of four: numbers after the last point of a lane are not violations.
TYPED_TEST(Substeps, leave_no_residual_at_a_point_that_separates_beside_manifolds_of_more_points) {
  SceneData<TypeParam> scene = stack<TypeParam>(1);
  // Its centre comes down, the contact goes up at 2 m/s.
  scene.add(Body{.velocity = {0, 0, -1}, .angular_velocity = {0, -3, 0}});
  scene.add(Contact{.a = 1, .point = {1, 0, 0}});
  for (const Isa isa : available_isas()) {
    const auto made = solved(scene, in_substeps(4), {.isa = isa, .threads = 1});
    const auto island = static_cast<std::size_t>(made.arrays.island.back());
    EXPECT_EQ(made.arrays.island_residual[island], 0) << to_string(isa);
    EXPECT_EQ(made.arrays.island_status[island], IslandStatus::converged) << to_string(isa);
  }
}

}  // namespace
}  // namespace carom::scenes
