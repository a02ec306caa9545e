// Rows with bounds reach them, rows without an error of position hold, and gaps close before contacts rebound.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/joints.hpp>
#include <cmath>
#include <string>

#include "core/scene/thresholds.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SceneRows : public testing::Test {};
TYPED_TEST_SUITE(SceneRows, Precisions);
template <class T>
class SceneGaps : public testing::Test {};
TYPED_TEST_SUITE(SceneGaps, Precisions);

// A jaw of 50 g on a hinge presses on a fixed point 0.1 m away with a motor of 10 N m: 100 N. Ten sweeps a step add
// 0.005 N m s to the motor's impulse, whose bound is 0.17. The hinge begins with half of its impulse in every step,
// which ten sweeps restore to a few percent.
TYPED_TEST(SceneRows, of_a_stalled_motor_reach_its_torque_in_a_few_sweeps_a_step) {
  using T = TypeParam;
  const double mass = 0.05, size = 0.12, about = mass * size * size / 12, torque = 10, lever = 0.1;
  for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
    MethodOptions options = in_substeps();
    options.method = method;
    SceneSolver solver({.threads = 1});
    Vector velocity{}, spin{};
    double force = 0;
    for (int k = 0; k < 120; ++k) {
      SceneData<T> scene;
      scene.add(Body{1 / mass, {10 / about, 0, 0, 1 / about, 0, 1 / about}, {}, velocity, spin});
      const JointBodies<T> joint{.a = 0, .b = -1, .r_a = {static_cast<T>(-size / 2), 0, 0}};
      add_hinge(scene.joints, joint, {0, 1, 0});
      add_motor(scene.joints, joint, {0, 1, 0}, T(2), static_cast<T>(torque * h));
      for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1;
      scene.add(Contact{.a = 0, .normal = {0, 0, 1}});
      put(scene.r_a, 0, {lever - size / 2, 0, 0});
      scene.key.push_back(1);
      const Solved<T> made = solved(solver, scene, options);
      velocity = made.velocity(0);
      spin = made.angular_velocity(0);
      force = made.impulse(0)[2] / h;
    }
    EXPECT_NEAR(force, torque / lever, 0.03 * torque / lever) << to_string(method);
  }
}

// Gravity pulls 0.16 m/s in a step. A row that gave way like a spring would let the body sink by 47 µm a step.
TYPED_TEST(SceneRows, without_an_error_hold_a_body_at_any_number_of_substeps) {
  using T = TypeParam;
  for (const MethodOptions& options : {in_substeps(), in_swept_substeps(), in_substeps(64)}) {
    SceneSolver solver({.threads = 1});
    Vector velocity{};
    double sunk = 0;
    for (int k = 0; k < 600; ++k) {
      SceneData<T> scene;
      scene.add(Body{.velocity = velocity});
      scene.velocity_change = scene.angular_velocity_change = vectors<T>(1);
      put(scene.velocity_change, 0, {0, 0, -g * h});
      add_fixed_joint(scene.joints, JointBodies<T>{.a = 0, .b = -1});
      const Solved<T> made = solved(solver, scene, options);
      velocity = made.velocity(0);
      sunk -= at(made.arrays.displacement, 0)[2];
    }
    // A direct island leaves an error of the call below direct_joint_drift times the slop of the body, of 3 m at most.
    const double drift = SceneThresholds::direct_joint_drift * options.substeps.position_correction.relative_slop * 3;
    EXPECT_NEAR(sunk, 0, 600 * (16 * epsilon<T> * g * h * h + drift)) << "least " << options.substeps.min_substeps;
  }
}

// A ball at 10 m/s with a contact from 0.3 m ahead: it keeps its speed until it would touch within the step.
TYPED_TEST(SceneGaps, close_before_their_contacts_rebound) {
  using T = TypeParam;
  for (const double restitution : {1.0, 0.5})
    for (const double start : {0.30, 0.33, 0.35, 0.41}) {
      MethodOptions options;
      options.method = Procedure::both_phases;
      options.time_step = h;
      double separation = start, velocity = -10;
      SceneSolver solver({.threads = 1});
      while (velocity < 0) {
        SceneData<T> scene;
        scene.add(Body{.velocity = {0, 0, velocity}});
        scene.add(Contact{.a = 0, .friction = 0, .restitution = restitution});
        put(scene.r_a, 0, {0, 0, -0.1});
        scene.separation.push_back(static_cast<T>(separation));
        velocity = solved(solver, scene, options).velocity(0)[2];
        if (velocity > 0) break;
        ASSERT_NEAR(velocity, -10, 16 * epsilon<T>);
        separation += h * velocity;
        ASSERT_GT(separation, 0);
      }
      EXPECT_LE(separation, 10 * h) << "in the step in which it would touch";
      EXPECT_NEAR(velocity, 10 * restitution, 64 * epsilon<T>);
    }
}

}  // namespace
}  // namespace carom::scenes
