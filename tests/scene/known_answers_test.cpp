// Scenes whose answer can be worked out by hand, under every method that has one.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class KnownScene : public testing::Test {
 public:
  // Every contact ends within the residual r of its target, relative to an approach of at most 3 m/s. The velocities of
  // n equal balls are then within n² r / 2 of the solution, velocities of the cube and the rod within 4 r, and rounding
  // errors of a few hundred updates are smaller.
  static constexpr double bound = sizeof(T) == sizeof(float) ? 1e-4 : 1e-11;

  static void expect_speeds(const SceneData<T>& scene, const Solved<T>& made, const std::vector<double>& expected,
                            const char* what) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(made.velocity(i)[0], expected[i], bound) << what << ", ball " << i;
    EXPECT_EQ(made.report.not_converged, 0u) << what;
    EXPECT_NEAR(made.report.energy_before, energy_before(scene), 1e-5) << what;
    EXPECT_NEAR(made.report.energy_after, energy_after(scene, made), 1e-4) << what;
  }
  static Solved<T> by(Procedure method, const SceneData<T>& scene, ContactFilter swept = ContactFilter::colliding) {
    MethodOptions options = exact<T>(method);
    options.bender_schmitt.filter = swept;
    options.sequential_impacts.law = Law::frictionless;
    options.time_step = 0.01;
    if (method == Procedure::sequential_impacts) set_iterations(options, 1000);
    return solved(scene, options);
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KnownScene, Precisions);

TYPED_TEST(KnownScene, a_square_hit_on_a_wall_comes_straight_back_from_simultaneous_contacts) {
  // Both targets are 3; K = 1 + 6/4 of a contact with itself and 1 - 6/4 with the other: p = 6 / (2.5 - 0.5) = 3 each.
  const auto scene = cube_against_wall<TypeParam>();
  for (const ContactFilter swept : {ContactFilter::colliding, ContactFilter::touching}) {
    for (const Procedure method : {Procedure::pgs, Procedure::collisions}) {
      const auto made = this->by(method, scene, swept);
      EXPECT_NEAR(made.velocity(0)[1], 3, this->bound) << to_string(method);
      EXPECT_NEAR(made.angular_velocity(0)[2], 0, 6 * this->bound) << to_string(method);
      EXPECT_NEAR(made.impulse(0)[1], 3, 2 * this->bound) << to_string(method);
      EXPECT_NEAR(made.impulse(1)[1], 3, 2 * this->bound) << to_string(method);
    }
  }
}

TYPED_TEST(KnownScene, a_square_hit_in_sequence_turns_the_cube_by_the_order_of_its_contacts) {
  // K33 = 1 + 6/4. First p = 2·3/2.5 = 2.4 at +1/2: v = -0.6, w = 7.2. Then the other corner comes at -0.6 - 3.6 =
  // -4.2: p = 2·4.2/2.5 = 3.36, v = 2.76, w = 7.2 - 10.08 = -2.88, and both corners separate.
  auto scene = cube_against_wall<TypeParam>();
  auto made = this->by(Procedure::sequential_impacts, scene);
  EXPECT_NEAR(made.velocity(0)[1], 2.76, this->bound);
  EXPECT_NEAR(made.angular_velocity(0)[2], -2.88, this->bound);
  EXPECT_NEAR(made.impulse(0)[1], 2.4, this->bound);
  EXPECT_NEAR(made.impulse(1)[1], 3.36, this->bound);
  EXPECT_EQ(made.report.impacts, 2u);

  std::swap(scene.r_a[0][0], scene.r_a[0][1]);
  made = this->by(Procedure::sequential_impacts, scene);
  EXPECT_NEAR(made.velocity(0)[1], 2.76, this->bound);
  EXPECT_NEAR(made.angular_velocity(0)[2], 2.88, this->bound);
}

TYPED_TEST(KnownScene, seeds_let_either_of_two_equal_contacts_come_first) {
  const auto scene = cube_against_wall<TypeParam>();
  int left = 0, right = 0;
  MethodOptions options = exact<TypeParam>(Procedure::sequential_impacts);
  set_iterations(options, 100);
  options.sequential_impacts.law = Law::frictionless;
  for (options.sequential_impacts.seed = 1; options.sequential_impacts.seed <= 32; ++options.sequential_impacts.seed) {
    const double turn = solved(scene, options).angular_velocity(0)[2];
    EXPECT_NEAR(std::abs(turn), 2.88, this->bound);
    (turn < 0 ? right : left) += 1;
  }
  // All 32 alike has a probability of 2^-31.
  EXPECT_GT(left, 0);
  EXPECT_GT(right, 0);
}

TYPED_TEST(KnownScene, resting_contacts_leave_collisions_alone_and_stop_what_is_slow) {
  // sqrt(2 g ε) = 0.044 m/s.
  EXPECT_EQ(this->by(Procedure::resting, cube_against_wall<TypeParam>(3)).velocity(0)[1], -3);
  const auto slow = this->by(Procedure::resting, cube_against_wall<TypeParam>(TypeParam(0.03125)));
  // An overlap of 1e-6 m after a step of 0.01 s is a speed of 1e-4 m/s.
  EXPECT_NEAR(slow.velocity(0)[1], 0, 1e-4);
}

TYPED_TEST(KnownScene, three_balls_in_a_row_part_as_their_method_says) {
  const auto scene = row_of_balls<TypeParam>({3, 0, 0});
  this->expect_speeds(scene, this->by(Procedure::sequential_impacts, scene), {0, 0, 3}, "sequential-impacts");
  this->expect_speeds(scene, this->by(Procedure::collisions, scene), {0, 0, 3}, "colliding");
  // v2 - v1 = 3, v3 - v2 = 0 and a sum of 3.
  this->expect_speeds(scene, this->by(Procedure::pgs, scene), {-1, 2, 2}, "pgs");
  this->expect_speeds(scene, this->by(Procedure::collisions, scene, ContactFilter::touching), {-1, 2, 2}, "touching");
}

TYPED_TEST(KnownScene, a_ball_that_leaves_may_be_caught_up_with_and_the_energy_stays) {
  const auto scene = row_of_balls<TypeParam>({3, 0, 1});
  // The first two swap their velocities, then the last two, (0, 1, 3).
  this->expect_speeds(scene, this->by(Procedure::sequential_impacts, scene), {0, 1, 3}, "sequential-impacts");
  this->expect_speeds(scene, this->by(Procedure::collisions, scene), {0, 1, 3}, "colliding");
  // A contact that separates is not swept.
  this->expect_speeds(scene, this->by(Procedure::collisions, scene, ContactFilter::touching), {0, 3, 1}, "touching");
  // Moreau's rule: v2 - v1 = 3 and v3 - v2 = -1 with a sum of 4.
  const auto made = this->by(Procedure::pgs, scene);
  this->expect_speeds(scene, made, {-1.0 / 3, 8.0 / 3, 5.0 / 3}, "pgs");
  EXPECT_NEAR(2 * made.report.energy_after, 10, 20 * this->bound);
}

TYPED_TEST(KnownScene, in_newtons_cradle_n_balls_leave_for_n) {
  for (std::size_t moving = 1; moving < 5; ++moving) {
    const auto scene = newtons_cradle<TypeParam>(5, moving);
    std::vector<double> expected(5, 0.0);
    std::fill_n(expected.rbegin(), moving, 1.0);
    this->expect_speeds(scene, this->by(Procedure::sequential_impacts, scene), expected, "sequential-impacts");
    this->expect_speeds(scene, this->by(Procedure::collisions, scene), expected, "colliding");
  }
}

TYPED_TEST(KnownScene, in_newtons_cradle_simultaneous_contacts_drive_four_balls_off_together) {
  // v2 - v1 = 1, the others equal: 5 x + 4 = 1.
  const auto scene = newtons_cradle<TypeParam>(5, 1);
  const std::vector<double> expected = {-0.6, 0.4, 0.4, 0.4, 0.4};
  this->expect_speeds(scene, this->by(Procedure::pgs, scene), expected, "pgs");
  this->expect_speeds(scene, this->by(Procedure::collisions, scene, ContactFilter::touching), expected, "touching");
}

// [CR] 6.1, after Goyal et al.: m = l = 1, I = 1/3, so K33 = 1 + 3 of an end with itself and 1 - 3 with the other.
TYPED_TEST(KnownScene, a_rod_that_falls_flat_rocks_from_end_to_end_in_sequence) {
  // e = 1: p = 2·1/4 at the first end, which makes the other one come at -1 - 2·1/2 = -2, p = 2·2/4; the first end is
  // at 1 - 2·1 = -1 again, p = 1/2. Both ends then leave at 1.
  const auto lossless = this->by(Procedure::sequential_impacts, falling_rod<TypeParam>(1));
  EXPECT_EQ(lossless.report.impacts, 3u);
  EXPECT_NEAR(lossless.impulse(0)[2], 1, this->bound);
  EXPECT_NEAR(lossless.impulse(1)[2], 1, this->bound);
  EXPECT_NEAR(lossless.velocity(0)[2], 1, this->bound);
  EXPECT_NEAR(lossless.angular_velocity(0)[1], 0, this->bound);

  // e = 0: after k impacts the other end comes at 1.5 · 2^(1-k), below a share of 1e-6 for the first time at k = 22.
  MethodOptions options;
  options.method = Procedure::sequential_impacts;
  options.sequential_impacts.law = Law::frictionless;
  const auto plastic = solved(falling_rod<TypeParam>(0), options);
  EXPECT_EQ(plastic.report.impacts, 22u);
  EXPECT_EQ(plastic.report.not_converged, 0u);
  EXPECT_NEAR(plastic.report.max_approach_speed, 1, this->bound);
  EXPECT_NEAR(plastic.report.residual, 0x1.8p-21, 0x1p-22);
  EXPECT_NEAR(plastic.velocity(0)[2], 0, 2e-6);
}

TYPED_TEST(KnownScene, a_rod_that_falls_flat_stays_flat_with_simultaneous_contacts) {
  for (const double e : {0.0, 0.5, 1.0}) {
    const auto made = this->by(Procedure::pgs, falling_rod<TypeParam>(e));
    EXPECT_NEAR(made.velocity(0)[2], e, this->bound) << e;
    EXPECT_NEAR(made.angular_velocity(0)[1], 0, this->bound) << e;
    EXPECT_NEAR(made.impulse(0)[2], (1 + e) / 2, this->bound) << e;
  }
}

/// A ball between two walls that it touches both.
template <class T>
SceneData<T> ball_between_walls(double restitution) {
  SceneData<T> scene = row_of_balls<T>({1});
  scene.add(Contact{0, world, {-1, 0, 0}, {0.5, 0, 0}, 0, restitution});
  scene.add(Contact{0, world, {1, 0, 0}, {-0.5, 0, 0}, 0, restitution});
  return scene;
}

TYPED_TEST(KnownScene, a_sequence_that_keeps_its_energy_for_ever_is_reported_and_ends) {
  MethodOptions options;
  options.method = Procedure::sequential_impacts;
  options.sequential_impacts.law = Law::frictionless;
  const auto made = solved(ball_between_walls<TypeParam>(1), options);
  EXPECT_EQ(made.report.stalled, 1u);
  EXPECT_EQ(made.report.not_converged, 1u);
  EXPECT_EQ(made.report.impacts, 200u);  // 100 for each of two contacts
  EXPECT_EQ(made.report.residual, 1);
  EXPECT_EQ(std::abs(made.velocity(0)[0]), 1);

  // With e = 1/2 the approach falls below a share of 1e-6 with the 20th impact.
  const auto lossy = solved(ball_between_walls<TypeParam>(0.5), options);
  EXPECT_EQ(lossy.report.stalled, 0u);
  EXPECT_EQ(lossy.report.not_converged, 0u);
  EXPECT_EQ(lossy.report.impacts, 20u);
}

TYPED_TEST(KnownScene, a_belt_drags_a_body_as_fast_as_friction_lets_it) {
  // A point mass of 1 kg with 0.1 N s of normal impulse and a friction of 1/2: at most 0.05 m/s.
  SceneData<TypeParam> scene;
  scene.add(Body{.velocity = {0, 0, -0.1}});
  scene.add(Contact{.a = 0, .friction = 0.5});
  const auto pulled_by = [&](const Vector& belt) {
    scene.surface_velocity = vectors<TypeParam>(1);
    put(scene.surface_velocity, 0, belt);
    for (const Procedure method : {Procedure::pgs, Procedure::collisions}) {
      const auto made = this->by(method, scene);
      EXPECT_NEAR(made.velocity(0)[2], 0, this->bound) << to_string(method);
      EXPECT_NEAR(made.velocity(0)[0], std::min(belt[0], 0.05), this->bound) << to_string(method);
    }
  };
  pulled_by({0.03, 0, 0});
  pulled_by({0.03, 0, 5});  // the component along the normal is ignored
  pulled_by({1, 0, 0});
}

TYPED_TEST(KnownScene, a_body_that_comes_faster_than_its_target_velocity_ends_with_it) {
  SceneData<TypeParam> scene;
  scene.add(Body{.velocity = {0, 0, -1}});
  scene.add(Contact{});
  for (const Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    for (const double target : {0.25, 0.0}) {
      scene.target_velocity = {static_cast<TypeParam>(target)};
      EXPECT_NEAR(this->by(method, scene).velocity(0)[2], target, this->bound) << to_string(method) << ' ' << target;
    }
    scene.target_velocity = {TypeParam(-2)};
    const auto made = this->by(method, scene);
    EXPECT_EQ(made.velocity(0)[2], -1) << to_string(method);
    EXPECT_EQ(made.arrays.status[0], Status::separating) << to_string(method);
  }
}

// With a gap of 5 mm before a step of 0.01 s: the body may come at 0.5 m/s.
TYPED_TEST(KnownScene, a_body_may_close_the_gap_that_its_target_velocity_leaves) {
  SceneData<TypeParam> scene;
  scene.add(Body{.velocity = {0, 0, -1}});
  scene.add(Contact{});
  scene.target_velocity = {TypeParam(-0.5)};
  for (const Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts})
    EXPECT_NEAR(this->by(method, scene).velocity(0)[2], -0.5, this->bound) << to_string(method);
}

TYPED_TEST(KnownScene, a_ball_joint_at_both_centres_shares_the_momentum) {
  SceneData<TypeParam> scene;
  for (const double speed : {3.0, 0.0, 0.0}) scene.add(Body{.velocity = {speed, 0, 0}});
  add_ball_joint(scene.joints, JointBodies<TypeParam>{0, 1, {}, {}});
  add_ball_joint(scene.joints, JointBodies<TypeParam>{1, 2, {}, {}});
  for (const Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::sequential_impacts}) {
    const auto made = this->by(method, scene);
    this->expect_speeds(scene, made, {1, 1, 1}, "joined");
    EXPECT_NEAR(std::abs(static_cast<double>(made.arrays.joint_impulse[0])), 2, this->bound) << to_string(method);
    EXPECT_NEAR(std::abs(static_cast<double>(made.arrays.joint_impulse[3])), 1, this->bound) << to_string(method);
  }
}

}  // namespace
}  // namespace carom::scenes
