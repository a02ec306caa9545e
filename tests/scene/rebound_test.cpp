// Restitution with the velocity changes by forces given by the caller.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

constexpr double g = 9.81, h = 1.0 / 64;

/// A ball above the ground.
SceneData<double> ball(double velocity_before, double restitution, double separation = 0) {
  SceneData<double> scene;
  scene.add(Body{1, {6, 0, 0, 6, 0, 6}, {0, 0, velocity_before}, {}, {0, 0, 0.5 + separation}});
  scene.add(Contact{0, world, {0, 0, 1}, {0, 0, separation}, 0, restitution});
  scene.target_velocity = {-separation / h};
  scene.velocity_change = scene.angular_velocity_change = vectors<double>(1);
  put(scene.velocity_change, 0, {0, 0, -g * h});
  return scene;
}

double after(const SceneData<double>& scene, Procedure method, double threshold = 0) {
  MethodOptions options = usual(method);
  options.restitution_threshold = threshold;
  options.bender_schmitt.rest_tolerance = 0;
  const double speed = solved(scene, options).velocity(0)[2];
  EXPECT_NEAR(speed, solved_by_reference(scene, options).velocity(0)[2], 1e-12);
  return speed;
}

constexpr Procedure methods[] = {Procedure::pgs, Procedure::collisions};

TEST(Rebound, at_restitution_1_keeps_the_height_of_a_ball_that_moves_in_steps) {
  // Steps of v -= g h, z += h v keep (v - g h / 2)²/2 + g z, with v before the step's gravity. Each step rounds it by a
  // few ε of 20 J/kg.
  for (const Procedure method : methods) {
    double z = 1, v = 0;
    const auto energy = [&] { return 0.5 * (v - g * h / 2) * (v - g * h / 2) + g * z; };
    const double begin = energy();
    int bounces = 0;
    for (int step = 0; bounces < 20; ++step) {
      ASSERT_LT(step, 2000) << to_string(method);
      const double last = v;
      if (z + h * (v - g * h) < 0)
        v = after(ball(v, 1, std::max(z, 0.0)), method);
      else
        v -= g * h;
      z += h * v;
      bounces += last < 0 && v > 0 ? 1 : 0;
      EXPECT_NEAR(energy(), begin, 1e-11) << to_string(method) << ", bounce " << bounces;
    }
  }
}

TEST(Rebound, multiplies_the_velocity_at_mid_step) {
  for (const Procedure method : methods)
    for (const double e : {0.25, 0.5, 1.0}) {
      const double mid = -2 - g * h / 2;
      EXPECT_NEAR(after(ball(-2, e), method), -e * mid - g * h / 2, 1e-12) << to_string(method) << ", e = " << e;
    }
}

// The phase of collisions leaves contacts at rest to the next one.
TEST(Rebound, does_not_lift_a_ball_at_rest) {
  for (const double e : {0.0, 0.5, 1.0}) {
    EXPECT_NEAR(after(ball(0, e), Procedure::pgs), 0, 1e-12) << "e = " << e;
    EXPECT_NEAR(after(ball(0, e), Procedure::collisions), -g * h, 1e-12) << "e = " << e;
  }
}

TEST(Rebound, has_a_threshold_that_counts_without_forces) {
  for (const Procedure method : methods) {
    EXPECT_NEAR(after(ball(-0.249, 0.5), method, 0.25), 0, 1e-12) << to_string(method);
    const double mid = -0.251 - g * h / 2;
    EXPECT_NEAR(after(ball(-0.251, 0.5), method, 0.25), -0.5 * mid - g * h / 2, 1e-12) << to_string(method);
  }
}

TEST(Rebound, bounds_how_fast_a_contact_that_separates_is_caught_up_with) {
  // A body leaves the ground at 0.2 m/s, and another one comes from above at 5 m/s and stays on it.
  const auto caught = [](double target, double threshold) {
    SceneData<double> scene;
    scene.add(Body{.velocity = {0, 0, 0.2}, .position = {0, 0, 0.5}});
    scene.add(Body{.velocity = {0, 0, -5}, .position = {0, 0, 1.5}});
    scene.add(Contact{.a = 0, .b = world, .point = {0, 0, 0}, .restitution = 0.5});
    scene.add(Contact{.a = 1, .b = 0, .point = {0, 0, 1}});
    scene.target_velocity = {target, 0};
    MethodOptions options = exact<double>(Procedure::pgs);
    options.restitution_threshold = threshold;
    const double speed = solved(scene, options).velocity(0)[2];
    EXPECT_NEAR(speed, solved_by_reference(scene, options).velocity(0)[2], 1e-11);
    return speed;
  };
  EXPECT_NEAR(caught(0, 0), -0.1, 1e-11);   // restitution times 0.2
  EXPECT_NEAR(caught(0, 0.25), 0, 1e-11);   // too slow to have restitution
  EXPECT_NEAR(caught(0.1, 0), 0.1, 1e-11);  // pushed out of an overlap
}

TEST(Rebound, keeps_out_a_body_whose_change_is_not_a_number) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SceneData<double> scene = ball(-2, 1);
    append(scene, ball(-2, 1));
    scene.velocity_change[1][0] = bad;
    const Status expected = std::isnan(bad) ? Status::not_a_number : Status::infinite;
    for (const Procedure method : methods) {
      const auto made = solved(scene, usual(method));
      EXPECT_EQ(made.arrays.status[0], expected) << to_string(method);
      EXPECT_EQ(made.arrays.status[1], Status::ok) << to_string(method);
      EXPECT_EQ(made.velocity(0), scene.velocity(0)) << to_string(method);
      EXPECT_NEAR(made.velocity(1)[2], 2, 1e-12) << to_string(method);
      EXPECT_EQ(solved_by_reference(scene, usual(method)).arrays.status[0], expected) << to_string(method);
    }
    EXPECT_EQ(solved(scene, usual(Procedure::sequential_impacts)).arrays.status[0], expected);
  }
}

}  // namespace
}  // namespace carom::scenes
