// SceneMethod::substeps over many steps: what rests, rebounds, rides and hangs, and how many substeps that takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/scenes/box_world.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

constexpr double h = 1.0 / 60, g = 9.81, millimetre = 1e-3;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class Substeps : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Substeps, Precisions);

SceneOptions in_substeps() {
  SceneOptions options;
  options.method = SceneMethod::substeps;
  options.substeps.time_step = h;
  return options;
}
SceneOptions in_substeps(int number) {
  SceneOptions options = in_substeps();
  options.substeps.least = options.substeps.most = number;
  return options;
}

double deepest_overlap(const BoxWorld& boxes) {
  double deepest = 0;
  for (const double gap : boxes.scene<double>().gap) deepest = std::max(deepest, -gap);
  return deepest;
}

// Rest ---------------------------------------------------------------------------------------------------------------

/// The figures are marks of the method: a drift of 1 mm, and 3 mm more overlap than the slop that is left alone. What
/// stands on k boxes sinks by what k contacts overlap, and would fall further.
template <class T>
void expect_rest(BoxWorld boxes, double largest_drift, const std::string& what, int rounds = SubstepsOptions{}.rounds) {
  const BoxWorld start = boxes;
  SceneOptions options = in_substeps();
  options.substeps.rounds = rounds;
  const double most_overlap = options.substeps.slop + 3 * millimetre;
  SceneSolver solver({.threads = 1});
  double overlap = 0;
  for (int k = 0; k < (fast_build ? 600 : 30); ++k) {
    boxes.template step_in_substeps<T>(solver, options, h);
    if (k % 20 == 0) overlap = std::max(overlap, deepest_overlap(boxes));
  }
  double drift = 0;
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const Vector from = start.boxes[i].position, moved = boxes.boxes[i].position - from;
    drift = std::max(drift, std::hypot(moved[0], moved[1]));
    EXPECT_GE(moved[2], -(from[2] + 0.5) * most_overlap) << what << ", box " << i << " falls";
  }
  EXPECT_LE(drift, largest_drift) << what;
  EXPECT_LE(std::max(overlap, deepest_overlap(boxes)), most_overlap) << what;
}

BoxWorld stack_with_on_top(double mass) {
  BoxWorld made = box_stack(20);
  made.boxes.back().mass = mass;
  return made;
}

TYPED_TEST(Substeps, hold_a_stack_of_twenty_for_ten_seconds) {
  expect_rest<TypeParam>(box_stack(20), millimetre, "equal masses");
}
// The heaviest stacks need six rounds; with three they drift by 1.8 and 3.4 mm.
TYPED_TEST(Substeps, hold_a_hundred_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(100), millimetre, "100 on top", 6);
}
TYPED_TEST(Substeps, hold_a_thousand_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(1000), 3 * millimetre, "1000 on top", 6);
}
TYPED_TEST(Substeps, hold_a_box_on_one_of_a_thousandth_of_its_mass) {
  expect_rest<TypeParam>(box_stack(2, 1000), millimetre, "pair");
}
TYPED_TEST(Substeps, hold_a_pyramid_of_base_ten) {
  expect_rest<TypeParam>(box_pyramid(10), millimetre, "pyramid");
}

// One body -----------------------------------------------------------------------------------------------------------

/// A unit cube or a ball over the world's plane, which its lowest point may touch.
struct Lone {
  double gap = 0, velocity = 0;  ///< [m], [m/s]

  template <class T>
  Solved<T> step(const SceneOptions& options, double gravity, double restitution = 0) {
    SceneData<T> scene;
    scene.add(Body{.velocity = {0, 0, velocity - gravity * h}});
    scene.velocity_change = scene.angular_velocity_change = vectors<T>(1);
    put(scene.velocity_change, 0, {0, 0, -gravity * h});
    scene.add(Contact{.a = 0, .restitution = restitution});
    put(scene.lever_a, 0, {0, 0, -0.5});
    scene.gap.push_back(static_cast<T>(gap));
    auto made = solved(scene, options);
    gap += at(made.arrays.displacement, 0)[2];
    velocity = made.velocity(0)[2];
    return made;
  }

  /// [m] to which it rises: aim.hpp has what a body keeps that falls in substeps.
  double height(int substeps) const {
    const double at_mid_substep = velocity - g * h / substeps / 2;
    return gap + at_mid_substep * at_mid_substep / (2 * g);
  }
};

TYPED_TEST(Substeps, let_an_elastic_ball_keep_its_height_over_fifty_bounces) {
  const SceneOptions options = in_substeps();
  Lone ball{.gap = 1};
  const double height = ball.height(options.substeps.least);
  int bounces = 0;
  for (int k = 0; bounces < 50 && k < 4000; ++k) {
    const double before = ball.velocity;
    const auto made = ball.step<TypeParam>(options, g, 1);
    ASSERT_EQ(made.report.substeps, options.substeps.least);
    bounces += before < 0 && ball.velocity > 0 ? 1 : 0;
    // All of it is rounding, whose share a bounce is some units: 50 bounces of 54 steps of float make 3e-4.
    ASSERT_NEAR(ball.height(options.substeps.least), height, 1e-3 * height) << "step " << k;
  }
  EXPECT_EQ(bounces, 50);
}

TYPED_TEST(Substeps, let_a_ball_rebound_at_its_share_of_the_speed_of_impact) {
  const SceneOptions options = in_substeps();
  for (const double start : {0.2, 1.0, 1.01, 1.05, 3.0}) {
    Lone ball{.gap = start};
    const double height = ball.height(options.substeps.least);
    for (int k = 0; k < 400 && ball.velocity <= 0; ++k) ball.step<TypeParam>(options, g, 0.5);
    // The speed of impact is √(2 g height) before, and after it: half as fast is a quarter as high.
    EXPECT_NEAR(ball.height(options.substeps.least), 0.25 * height, 1e-4 * height) << start;
  }
}

// v after k substeps is v0 + k a h / n, so that n of them move by H v0 + a H² (1 + 1/n) / 2.
TYPED_TEST(Substeps, move_a_free_body_as_its_substeps_do) {
  const double tolerance = 16 * epsilon<TypeParam>;
  for (const int n : {1, 4, 7}) {
    const double fallen = -g * h * h * (1 + 1.0 / n) / 2;
    SceneData<TypeParam> scene;
    scene.add(Body{.velocity = {1, 2, 3 - g * h}, .angular_velocity = {0.25, 0.5, -1}});
    scene.velocity_change = scene.angular_velocity_change = vectors<TypeParam>(1);
    put(scene.velocity_change, 0, {0, 0, -g * h});
    const auto alone = solved(scene, in_substeps(n));
    const Vector moved = at(alone.arrays.displacement, 0), turned = at(alone.arrays.rotation, 0);
    EXPECT_NEAR(length(moved - Vector{h, 2 * h, 3 * h + fallen}), 0, tolerance);
    EXPECT_NEAR(length(turned - h * Vector{0.25, 0.5, -1}), 0, tolerance);
    EXPECT_EQ(alone.velocity(0), scene.velocity(0));

    Lone over_the_plane{.gap = 10, .velocity = 3};
    over_the_plane.step<TypeParam>(in_substeps(n), g);
    EXPECT_NEAR(over_the_plane.gap, 10 + 3 * h + fallen, tolerance);
  }
}

TYPED_TEST(Substeps, carry_a_box_on_a_kinematic_one_that_moves_along_or_up) {
  const double tolerance = 1e3 * epsilon<TypeParam>;
  for (const Vector& velocity : {Vector{0.5, 0, 0}, Vector{0, 0, 0.5}, Vector{0.25, 0, -0.5}}) {
    BoxWorld boxes;
    boxes.boxes.push_back({infinity, {100, 100, 1}, {}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, velocity});
    boxes.boxes.push_back({1, {1, 1, 1}, {0, 0, 1}});
    boxes.rest(1, 0, -0.5, 0.5, -0.5, 0.5);
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 120; ++k) {
      const BoxWorld before = boxes;
      boxes.template step_in_substeps<TypeParam>(solver, in_substeps(), h);
      const Vector ridden = boxes.boxes[0].position - before.boxes[0].position;
      ASSERT_NEAR(length(ridden - h * velocity), 0, tolerance);
      // Friction accelerates it by µ g = 4.9 m/s²: it has the speed within 7 steps.
      if (k < 60) continue;
      const Vector followed = boxes.boxes[1].position - before.boxes[1].position;
      EXPECT_NEAR(length(followed - ridden), 0, 10 * tolerance) << "step " << k;
      EXPECT_NEAR(length(boxes.boxes[1].velocity - velocity), 0, 100 * tolerance) << "step " << k;
    }
    EXPECT_LE(deepest_overlap(boxes), in_substeps().substeps.slop + tolerance);
  }
}

TYPED_TEST(Substeps, let_an_open_gap_close_and_no_more) {
  // The gap lies in the first, third and last of the four substeps of 4.2 mm.
  for (const double gap : {0.001, 0.01, 0.016}) {
    Lone body{.gap = gap, .velocity = -1};
    body.step<TypeParam>(in_substeps(4), 0);
    EXPECT_NEAR(body.gap, 0, 16 * epsilon<TypeParam>) << gap;
    body.step<TypeParam>(in_substeps(4), 0);
    EXPECT_NEAR(body.gap, 0, 16 * epsilon<TypeParam>) << gap;
    EXPECT_NEAR(body.velocity, 0, 16 * epsilon<TypeParam>) << gap;
  }
}

TYPED_TEST(Substeps, push_an_overlap_out_to_the_slop_no_faster_than_allowed_and_leave_no_velocity) {
  const double tolerance = 64 * epsilon<TypeParam>;
  for (const double speed : {0.5, 3.0}) {
    SceneOptions options = in_substeps(4);
    options.substeps.largest_push_out_speed = speed;
    Lone body{.gap = -0.5};
    // A fifth of 0.495 m in a substep would be 24 m/s.
    body.step<TypeParam>(options, 0);
    EXPECT_NEAR(body.gap, -0.5 + speed * h, tolerance);
    EXPECT_NEAR(body.velocity, 0, tolerance);
    for (int k = 0; k < 180; ++k) {
      const double before = body.gap;
      body.step<TypeParam>(options, 0);
      EXPECT_LE(body.gap - before, speed * h + tolerance);
      EXPECT_GE(body.gap - before, -tolerance);
      EXPECT_NEAR(body.velocity, 0, tolerance);
    }
    EXPECT_NEAR(body.gap, -options.substeps.slop, 1e-6);
  }
  Lone within{.gap = -0.004};
  within.step<TypeParam>(in_substeps(4), 0);
  EXPECT_EQ(within.gap, -0.004);
}

// Number of substeps -------------------------------------------------------------------------------------------------

/// 2 H √(load / slop)
double wanted(double load) {
  return 2 * h * std::sqrt(load / SubstepsOptions{}.slop);
}

TEST(NumberOfSubsteps, is_raised_by_a_ratio_of_masses_at_once) {
  for (const double ratio : {100.0, 1000.0}) {
    BoxWorld boxes = box_stack(2, ratio);
    SceneSolver solver({.threads = 1});
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, {}, h).substeps, std::ceil(wanted(ratio * g))) << ratio;
  }
}

TEST(NumberOfSubsteps, is_raised_by_a_load_once_it_has_lasted_three_steps) {
  // Of twenty boxes the lowest has 19 g from above and 20 g from below: a load of 19.5 g.
  BoxWorld boxes = box_stack(20);
  SceneSolver solver({.threads = 1});
  const SceneOptions options;
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, options, h).substeps, options.substeps.least) << k;
  int most = 0, last = 0;
  for (int k = 0; k < 120; ++k)
    most = std::max(most, last = boxes.step_in_substeps<double>(solver, options, h).substeps);
  EXPECT_GE(last, std::ceil(wanted(19.5 * g)));
  // While it settles it carries more than at rest, but not twice as much.
  EXPECT_LE(most, std::ceil(wanted(2 * 19.5 * g)));
}

TEST(NumberOfSubsteps, is_not_raised_by_one_impact) {
  // At 20 m/s a box meets the plane in some substep of the second step; that of the last is a load of 0.5 4 20 m/s / h
  // for the next one, which would take 23.
  for (const double gap : {0.34, 0.42, 0.5, 0.58, 0.65}) {
    BoxWorld boxes = box_stack(1);
    boxes.boxes[0].position[2] += gap;
    boxes.boxes[0].velocity = {0, 0, -20};
    SceneSolver solver({.threads = 1});
    bool met = false;
    for (int k = 0; k < 30; ++k) {
      EXPECT_EQ(boxes.step_in_substeps<double>(solver, {}, h).substeps, SubstepsOptions{}.least) << gap << ", " << k;
      met = met || boxes.boxes[0].velocity[2] > -1;
    }
    EXPECT_TRUE(met) << gap;
  }
}

TEST(NumberOfSubsteps, falls_by_a_hundredth_a_step_when_the_load_is_gone) {
  BoxWorld boxes = box_stack(2, 1000);
  SceneSolver solver({.threads = 1});
  int before = 0;
  for (int k = 0; k < 20; ++k) before = boxes.step_in_substeps<double>(solver, {}, h).substeps;
  EXPECT_GE(before, 47);
  boxes.boxes[1].mass = 1;
  // From 47.3 to 4 at 0.99 a step: ln(47.3 / 4) / 0.01005 = 246 steps, and three while the old load counts.
  for (int k = 0; k < 260; ++k) {
    const int now = boxes.step_in_substeps<double>(solver, {}, h).substeps;
    EXPECT_LE(now, before);
    EXPECT_GE(now, before - 1);
    EXPECT_TRUE(k > 200 || now > SubstepsOptions{}.least) << k;
    before = now;
  }
  EXPECT_EQ(before, SubstepsOptions{}.least);
}

TEST(NumberOfSubsteps, stays_within_least_and_most) {
  for (const auto& [least, most, expected] : {std::array{4, 20, 20}, {60, 64, 60}, {4, 64, 47}, {1, 1, 1}}) {
    BoxWorld boxes = box_stack(2, 1000);
    SceneOptions options;
    options.substeps.least = least;
    options.substeps.most = most;
    SceneSolver solver({.threads = 1});
    EXPECT_EQ(boxes.step_in_substeps<double>(solver, options, h).substeps, expected);
  }
}

/// The boxes of both; those of the second stand 100 m away.
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
    pile.template step_in_substeps<TypeParam>(solver, {}, h);
    both.template step_in_substeps<TypeParam>(other, {}, h);
    const std::size_t supports = pile.supports.size();
    for (std::size_t s = 0; s < both.supports.size(); ++s) {
      const int least = SubstepsOptions{}.least;
      EXPECT_EQ(std::min(both.substeps[s], 47), s < supports ? least : 47) << "step " << k << ", support " << s;
    }
    for (std::size_t i = 0; i < pile.boxes.size(); ++i) {
      ASSERT_EQ(both.boxes[i].position, pile.boxes[i].position) << "step " << k << ", box " << i;
      ASSERT_EQ(both.boxes[i].orientation, pile.boxes[i].orientation) << "step " << k << ", box " << i;
      ASSERT_EQ(both.boxes[i].velocity, pile.boxes[i].velocity) << "step " << k << ", box " << i;
    }
  }
}

// Impulses of the last step ------------------------------------------------------------------------------------------

/// A scene of boxes that gravity has accelerated for a step.
template <class T>
SceneData<T> falling(const BoxWorld& boxes) {
  SceneData<T> scene = boxes.scene<T>();
  scene.velocity_change = scene.angular_velocity_change = vectors<T>(scene.body_count());
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    put(scene.velocity_change, i, {0.01, 0, -g * h});
    put(scene.bodies.velocity, i, {0.01, 0, -g * h});
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

TYPED_TEST(Substeps, new_points_of_a_manifold_begin_with_what_lost_ones_carried) {
  for (const SceneMethod method : {SceneMethod::substeps, SceneMethod::simultaneous}) {
    SceneOptions options = in_substeps(4);
    options.method = method;
    options.simultaneous.iterations = 1;
    SceneData<TypeParam> scene = falling<TypeParam>(box_stack(2));
    SceneSolver solver({.threads = 1}), forgetful({.threads = 1});
    Vectors3<TypeParam> impulse;
    for (int k = 0; k < 5; ++k) {
      const auto made = solved(solver, scene, options);
      impulse = method == SceneMethod::substeps ? made.arrays.warm_impulse : made.arrays.impulse;
    }
    // One of the upper four for another, then two of the lower four for two others.
    for (const std::vector<std::size_t>& lost : {std::vector<std::size_t>{5}, {0, 3}}) {
      SceneData<TypeParam> given = scene;
      given.warm_impulse = impulse;
      given.key.clear();
      for (std::size_t c = 0; c < 3; ++c) {
        TypeParam sum = 0;
        for (const std::size_t i : lost) sum += impulse[c][i];
        for (const std::size_t i : lost) given.warm_impulse[c][i] = sum * (TypeParam(1) / TypeParam(lost.size()));
      }
      for (const std::size_t i : lost) scene.key[i] += 1000;
      const auto made = solved(solver, scene, options), expected = solved(given, options);
      expect_same_bits(made.arrays, expected.arrays, std::string(to_string(method)));
      // That is not how a cold one begins.
      for (auto& column : given.warm_impulse)
        for (const std::size_t i : lost) column[i] = 0;
      EXPECT_NE(solved(given, options).arrays.impulse, made.arrays.impulse) << to_string(method);
      impulse = method == SceneMethod::substeps ? made.arrays.warm_impulse : made.arrays.impulse;
    }
  }
}

// Rows ---------------------------------------------------------------------------------------------------------------

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
  const auto motor = with_row<T>(0, {.error = T(0.125), .frequency = 0});
  EXPECT_EQ(moved(motor), 0);
  EXPECT_EQ(motor.arrays.joint_impulse[0], 0);
  const auto soft = with_row<T>(0, {.error = T(0.125), .frequency = 5});
  const auto stiff = with_row<T>(0, {.error = T(0.125)});
  EXPECT_LT(moved(soft), -0.001);
  EXPECT_LT(moved(stiff), 2 * moved(soft));
  EXPECT_GE(moved(stiff), -0.125);
  // The relaxing sweep takes the push out of the velocity.
  EXPECT_NEAR(length(stiff.velocity(0)), 0, 64 * epsilon<T>);
}

// The error is gone within its substep. There the row is soft again, and what comes at v = -0.4 m/s, all of the way
// that was left in that substep of 4.2 mm, moves on by the share 1 / (1 + a2) of it. The relaxing sweep then stops it.
// With a frequency of 1/(4h) and ζ = 2, a2 = π/2 (4 + π/2): aim.hpp.
TYPED_TEST(Substeps, let_the_slack_error_of_a_row_that_only_pushes_shrink_to_nothing) {
  using T = TypeParam;
  const double tolerance = 16 * epsilon<T>, pi = 3.14159265358979323846;
  const double left = 0.01 - 2 * h / 4, further = left / (1 + pi / 2 * (4 + pi / 2));
  const typename JointRowData<T>::Row slack{.least_impulse = 0, .error = T(0.01)};
  const auto taut = with_row<T>(-1, slack);
  EXPECT_NEAR(moved(taut), -0.01 - further, tolerance);
  EXPECT_NEAR(length(taut.velocity(0)), 0, tolerance);
  EXPECT_NEAR(moved(with_row<T>(-0.25, slack)), -0.25 * h, tolerance);
  EXPECT_NEAR(moved(with_row<T>(1, slack)), h, tolerance);
  EXPECT_EQ(moved(with_row<T>(0, slack)), 0);
  // A rope's row pulls alone: its error is slack below zero.
  const typename JointRowData<T>::Row rope{.largest_impulse = 0, .error = T(-0.01)};
  EXPECT_NEAR(moved(with_row<T>(1, rope)), 0.01 + further, tolerance);
  EXPECT_NEAR(moved(with_row<T>(-1, rope)), -h, tolerance);
  // What is drawn out goes back.
  EXPECT_LT(moved(with_row<T>(0, {.largest_impulse = 0, .error = T(0.01)})), -0.005);
  EXPECT_EQ(moved(with_row<T>(0, {.largest_impulse = 0, .error = T(-0.01)})), 0);
}

// As many shares of a bound as there are substeps are rounded, and their sum is not the bound.
TYPED_TEST(Substeps, keep_the_impulse_of_a_row_over_the_step_within_its_bounds) {
  using T = TypeParam;
  support::Draw draw(1);
  for (int k = 0; k < 200; ++k) {
    const auto bound = static_cast<T>(draw.uniform(0.01, 0.5));
    const double speed = k % 2 == 0 ? -1 : 1;
    const auto made = with_row<T>(speed, {.least_impulse = -bound, .largest_impulse = bound}, 2 + k % 40);
    const T impulse = speed < 0 ? made.arrays.joint_impulse[0] : -made.arrays.joint_impulse[0];
    EXPECT_LE(impulse, bound);
    EXPECT_NEAR(impulse, bound, 50 * epsilon<T> * bound);
    EXPECT_NEAR(made.velocity(0)[0], speed + static_cast<double>(made.arrays.joint_impulse[0]), 50 * epsilon<T>);
  }
}

// A vector holds manifolds of one point and of four: what stands behind the last point of a lane misses nothing.
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

// Chains -------------------------------------------------------------------------------------------------------------

/// Rods of 1 kg and 0.5 m that ball joints hold, the first at the origin, and a cube of 100 kg at the end.
struct Chain {
  static constexpr int rods = 20;
  static constexpr double reach = 0.25;  ///< [m] half of a rod, and of the cube
  std::vector<MovingBox> bodies;

  /// It hangs straight down, and gravity pulls at an angle to it.
  explicit Chain(double angle) : gravity_{g * std::sin(angle), 0, -g * std::cos(angle)} {
    for (int i = 0; i < rods; ++i) bodies.push_back({1, {0.1, 0.1, 0.5}, {0, 0, -(2 * i + 1) * reach}});
    bodies.push_back({100, {0.5, 0.5, 0.5}, {0, 0, -(2 * rods + 1) * reach}});
  }

  Vector arm(std::size_t body, double side) const { return times(bodies[body].orientation, {0, 0, side * reach}); }
  /// The point of the body before, less that of the body: joint i holds body i.
  Vector error(std::size_t i) const {
    const Vector before = i == 0 ? Vector{} : bodies[i - 1].position + arm(i - 1, -1);
    return bodies[i].position + arm(i, 1) - before;
  }

  template <class T>
  void step(SceneSolver& solver) {
    BoxWorld world_of_boxes;
    world_of_boxes.boxes = bodies;
    SceneData<T> now = world_of_boxes.scene<T>();
    now.velocity_change = now.angular_velocity_change = vectors<T>(bodies.size());
    const auto narrowed = [](const Vector& v) {
      return std::array<T, 3>{static_cast<T>(v[0]), static_cast<T>(v[1]), static_cast<T>(v[2])};
    };
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      put(now.velocity_change, i, h * gravity_);
      put(now.bodies.velocity, i, bodies[i].velocity + h * gravity_);
      JointBodies<T> pair{static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) - 1, narrowed(arm(i, 1)), {}};
      if (i > 0) pair.anchor_b = narrowed(arm(i - 1, -1));
      const std::size_t first = add_ball_joint(now.joints, pair);
      for (std::size_t c = 0; c < 3; ++c) {
        now.joints.rows[first + c].error = narrowed(error(i))[c];
        now.joints.rows[first + c].key = 3 * i + c + 1;
      }
    }
    SceneArrays<T> arrays(now);
    solver.solve(now.view(), arrays.view(), in_substeps());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      MovingBox& moving = bodies[i];
      moving.velocity = at(arrays.velocity, i);
      moving.angular_velocity = at(arrays.angular_velocity, i);
      moving.position = moving.position + at(arrays.displacement, i);
      const Vector turn = at(arrays.rotation, i);
      if (const double angle = length(turn); angle > 0)
        moving.orientation = product(rotation((1 / angle) * turn, angle), moving.orientation);
    }
  }

  struct Errors {
    double mean = 0, peak = 0;  ///< [m], the mean over the second half
  };
  template <class T>
  Errors run(int steps) {
    SceneSolver solver({.threads = 1});
    Errors errors;
    int counted = 0;
    for (int k = 0; k < steps; ++k) {
      step<T>(solver);
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double size = length(error(i));
        errors.peak = std::max(errors.peak, size);
        if (k < steps / 2) continue;
        errors.mean += size;
        ++counted;
      }
    }
    errors.mean /= counted;
    return errors;
  }

 private:
  Vector gravity_;
};

// The figures are marks of the method.
TYPED_TEST(Substeps, hold_a_hanging_chain_of_twenty_with_a_hundred_times_the_mass_at_its_end) {
  EXPECT_LE(Chain(0).run<TypeParam>(300).mean, 1.5 * millimetre);
}

// A tension of 118 g kg turns a rod of 0.021 kg m² back at √(118 g 0.5 / 0.021) = 166 rad/s, as the impulses of its
// joints act at points that turn with it. With lever arms that stood for a whole step of H that would be an explicit
// integration, which is stable for less than 2 / H = 120 rad/s: the chain would explode.
TYPED_TEST(Substeps, hold_a_chain_that_falls_from_horizontal) {
  EXPECT_LE(Chain(1.5707963267948966).run<TypeParam>(300).peak, 12 * millimetre);
}

}  // namespace
}  // namespace carom::scenes
