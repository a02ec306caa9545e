// Procedure::substeps moves one body: it rebounds, falls, rides, closes a gap and leaves an overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>

#include "core/support/rotation.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TYPED_TEST_SUITE(Substeps, Precisions);

/// A unit cube or a ball over the world's plane, which its lowest point may touch.
struct SingleManifold {
  double separation = 0, velocity = 0;  ///< [m], [m/s]

  template <class T>
  Solved<T> step(const MethodOptions& options, double gravity, double restitution = 0) {
    SceneData<T> scene;
    scene.add(Body{.velocity = {0, 0, velocity}});
    scene.velocity_change = scene.angular_velocity_change = vectors<T>(1);
    put(scene.velocity_change, 0, {0, 0, -gravity * h});
    scene.add(Contact{.a = 0, .restitution = restitution});
    put(scene.r_a, 0, {0, 0, -0.5});
    scene.separation.push_back(static_cast<T>(separation));
    auto made = solved(scene, options);
    separation += at(made.arrays.displacement, 0)[2];
    velocity = made.velocity(0)[2];
    return made;
  }

  /// [m] to which it rises: substep_targets.hpp has the velocity that a body keeps that falls in substeps. Beside
  /// direct solutions, which take one, it flies on a parabola.
  double height(int substeps) const {
    const double at_mid_substep = velocity - (substeps == 1 ? 0 : g * h / substeps / 2);
    return separation + at_mid_substep * at_mid_substep / (2 * g);
  }
};

TYPED_TEST(Substeps, let_an_elastic_ball_keep_its_height_over_fifty_bounces) {
  for (const MethodOptions& options : {in_substeps(), in_substeps(4)}) {
    SingleManifold ball{.separation = 1};
    const double height = ball.height(options.substeps.min_substeps);
    int bounces = 0;
    for (int k = 0; bounces < 50 && k < 4000; ++k) {
      const double before = ball.velocity;
      const auto made = ball.step<TypeParam>(options, g, 1);
      ASSERT_EQ(made.report.substeps, options.substeps.min_substeps);
      bounces += before < 0 && ball.velocity > 0 ? 1 : 0;
      // All of it is rounding, whose share a bounce is some units: 50 bounces of 54 steps of float make 3e-4.
      ASSERT_NEAR(ball.height(options.substeps.min_substeps), height, 1e-3 * height) << "step " << k;
    }
    EXPECT_EQ(bounces, 50);
  }
}

TYPED_TEST(Substeps, let_a_ball_rebound_at_its_share_of_the_speed_of_impact) {
  for (const MethodOptions& options : {in_substeps(), in_substeps(4)})
    for (const double start : {0.2, 1.0, 1.01, 1.05, 3.0}) {
      SingleManifold ball{.separation = start};
      const double height = ball.height(options.substeps.min_substeps);
      for (int k = 0; k < 400 && ball.velocity <= 0; ++k) ball.step<TypeParam>(options, g, 0.5);
      // The speed of impact is √(2 g height) before, and after it: half as fast is a quarter as high.
      EXPECT_NEAR(ball.height(options.substeps.min_substeps), 0.25 * height, 1e-4 * height) << start;
    }
}

// v after k substeps is v0 + k a h / n, so that n of them move by H v0 + a H² (1 + 1/n) / 2.
TYPED_TEST(Substeps, move_a_free_body_as_its_substeps_do) {
  const double tolerance = 16 * epsilon<TypeParam>;
  for (const int n : {1, 4, 7}) {
    const double fallen = -g * h * h * (1 + 1.0 / n) / 2;
    SceneData<TypeParam> scene;
    scene.add(Body{.velocity = {1, 2, 3}, .angular_velocity = {0.25, 0.5, -1}});
    scene.velocity_change = scene.angular_velocity_change = vectors<TypeParam>(1);
    put(scene.velocity_change, 0, {0, 0, -g * h});
    const auto alone = solved(scene, in_substeps(n));
    const Vector moved = at(alone.arrays.displacement, 0), turned = at(alone.arrays.rotation, 0);
    EXPECT_NEAR(length(moved - Vector{h, 2 * h, 3 * h + fallen}), 0, tolerance);
    EXPECT_NEAR(length(turned - h * Vector{0.25, 0.5, -1}), 0, tolerance);
    EXPECT_NEAR(length(alone.velocity(0) - Vector{1, 2, 3 - g * h}), 0, tolerance);

    SingleManifold over_the_plane{.separation = 10, .velocity = 3};
    over_the_plane.step<TypeParam>(in_substeps(n), g);
    EXPECT_NEAR(over_the_plane.separation, 10 + 3 * h + fallen, tolerance);
  }
}

// Beyond 1e9 rad double does not resolve the angle of a sum of rotations; the vectors are added.
TEST(CombinedRotations, of_any_size_are_finite) {
  for (const double angle : {1e8, 1e12, 1e100, 1e300}) {
    const scene::Rotation sum = scene::combined({angle, 0, 0}, {0, angle, 0});
    for (const double x : sum) EXPECT_TRUE(std::isfinite(x)) << angle;
    if (angle > 1e9) {
      EXPECT_EQ(sum, (scene::Rotation{angle, angle, 0})) << angle;
    }
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
    EXPECT_LE(deepest_overlap(boxes), slop_of_cubes() + tolerance);
  }
}

TYPED_TEST(Substeps, let_an_open_gap_close_and_no_more) {
  // The gap lies in the first, third and last of the four substeps of 4.2 mm.
  for (const double separation : {0.001, 0.01, 0.016}) {
    SingleManifold body{.separation = separation, .velocity = -1};
    body.step<TypeParam>(in_substeps(4), 0);
    EXPECT_NEAR(body.separation, 0, 16 * epsilon<TypeParam>) << separation;
    body.step<TypeParam>(in_substeps(4), 0);
    EXPECT_NEAR(body.separation, 0, 16 * epsilon<TypeParam>) << separation;
    EXPECT_NEAR(body.velocity, 0, 16 * epsilon<TypeParam>) << separation;
  }
}

TYPED_TEST(Substeps, push_an_overlap_out_to_the_slop_no_faster_than_allowed_and_leave_no_velocity) {
  const double tolerance = 64 * epsilon<TypeParam>;
  for (const double speed : {0.5, 3.0}) {
    MethodOptions options = in_substeps(4);
    options.substeps.position_correction.max_speed = speed;
    SingleManifold body{.separation = -0.5};
    // A fifth of 0.495 m in a substep would be 24 m/s.
    body.step<TypeParam>(options, 0);
    EXPECT_NEAR(body.separation, -0.5 + speed * h, tolerance);
    EXPECT_NEAR(body.velocity, 0, tolerance);
    for (int k = 0; k < 180; ++k) {
      const double before = body.separation;
      body.step<TypeParam>(options, 0);
      EXPECT_LE(body.separation - before, speed * h + tolerance);
      EXPECT_GE(body.separation - before, -tolerance);
      EXPECT_NEAR(body.velocity, 0, tolerance);
    }
    EXPECT_NEAR(body.separation, -slop_of_cubes(), 1e-6);
  }
  SingleManifold within{.separation = -0.004};
  within.step<TypeParam>(in_substeps(4), 0);
  EXPECT_EQ(within.separation, -0.004);
}

// In one substep of h, with ω = 2π f: ω/(2ζ + hω) of the depth below the slop in a second, less the yield of the
// spring under the impulse for it, 1/(1 + a2) with a2 = hω (2ζ + hω). The rate of a substep bounds f at 1/(4h).
TYPED_TEST(Substeps, hold_a_contact_as_stiffly_as_its_frequency_says) {
  const auto pushed = [](double frequency, double damping_ratio) {
    SceneData<TypeParam> scene;
    scene.add(Body{});
    scene.add(Contact{});
    scene.separation = {TypeParam(-0.025)};
    scene.frequency = {static_cast<TypeParam>(frequency)};
    if (damping_ratio != PositionCorrection{}.contact_damping_ratio)
      scene.damping_ratio = {static_cast<TypeParam>(damping_ratio)};
    MethodOptions options = in_substeps(1);
    options.substeps.position_correction.slop = 0.005;
    const auto made = solved(scene, options);
    EXPECT_EQ(made.velocity(0)[2], 0);  // relaxing, the contact is hard
    return at(made.arrays.displacement, 0)[2];
  };
  const double tolerance = epsilon<TypeParam>, below = 0.02;
  const auto expected = [&](double frequency, double damping_ratio) {
    const double turn = 2 * 3.14159265358979323846 * h * std::min(frequency, 0.25 / h);
    const double stiffness = 2 * damping_ratio + turn, answer = turn * stiffness;
    return turn / stiffness * below * answer / (1 + answer);
  };
  for (const double frequency : {1.0, 10.0, 15.0, 1e6})
    for (const double damping_ratio : {0.0, 1.0, PositionCorrection{}.contact_damping_ratio})
      EXPECT_NEAR(pushed(frequency, damping_ratio), expected(frequency, damping_ratio), tolerance)
          << frequency << " Hz, " << damping_ratio;
  EXPECT_NEAR(pushed(infinity, 1), PositionCorrection{}.rate * below, tolerance);
  EXPECT_EQ(pushed(0, 1), 0);
}

}  // namespace
}  // namespace carom::scenes
