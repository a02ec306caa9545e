// Bullet's typed constraints under the solver: motors, limits, feedback, breaking.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom_bullet/constraints.hpp>
#include <cmath>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;

const btVector3 up(0, 0, 1), across(0, 1, 0), nowhere(0, 0, 0);
// Joints have no impulses to begin with in Bullet; these are enough for any of them to be solved.
constexpr int enough = 200;

// In a step the body turns by ω h while its centre goes straight, which moves the pivot by l (ω h)² / 2. The next step
// corrects 0.2 of the sum (m_erp), so that it stays below 5 of them. ω² <= 2 m g l / (I + m l²) = 2 g / (7/6).
TEST(BallJoints, keep_the_pivot_of_a_pendulum) {
  BulletWorld bullet;
  bullet.world.getSolverInfo().m_numIterations = enough;
  btRigidBody& bob = bullet.add_box(at(1, 0, 0));
  const btVector3 pivot(-1, 0, 0);
  bullet.join<btPoint2PointConstraint>(bob, pivot);
  btScalar error = 0, lowest = 0;
  for (int i = 0; i < 120; ++i) {
    bullet.step();
    error = std::max(error, (bob.getWorldTransform() * pivot).length());
    lowest = std::min(lowest, bob.getWorldTransform().getOrigin().z());
  }
  EXPECT_LT(error, 5 * gravity * 6 / 7.f * time_step * time_step);
  EXPECT_NEAR(lowest, -1, 0.02f);  // it swings
}

// A motor that is strong enough reaches its speed within a step.
TEST(HingeMotors, reach_their_speed) {
  BulletWorld bullet;
  btRigidBody& wheel = bullet.add_box(at(0, 0, 5));
  auto& hinge = bullet.join<btHingeConstraint>(wheel, nowhere, up);
  hinge.enableAngularMotor(true, 2, 100);
  bullet.step(30);
  EXPECT_NEAR(std::abs(wheel.getAngularVelocity().z()), 2, 1e-3f);
  EXPECT_NEAR(wheel.getWorldTransform().getOrigin().z(), 5, 1e-3f);
}

// A motor of an impulse of 0.005 N m s a step accelerates a wheel of 1/6 kg m² by 0.03 rad/s in each.
TEST(HingeMotors, have_a_max_impulse) {
  BulletWorld bullet;
  btRigidBody& wheel = bullet.add_box(at(0, 0, 5));
  auto& hinge = bullet.join<btHingeConstraint>(wheel, nowhere, up);
  hinge.enableAngularMotor(true, 20, 0.005f);
  bullet.step(30);
  EXPECT_NEAR(std::abs(wheel.getAngularVelocity().z()), 30 * 0.03f, 1e-3f);
}

// A bar that hangs by one end at a hinge falls until the limit, 0.5 rad from where it was built, and stays there.
// Bullet looks at a limit only when the bar has passed it, so that gravity takes it up to α h² further in every other
// step, at α <= m g l / (m (2 l)² / 3) = 3/4 g / l.
TEST(HingeLimits, hold) {
  BulletWorld bullet;
  bullet.world.getSolverInfo().m_numIterations = enough;
  btRigidBody& bar = bullet.add_box(at(0.5f, 0, 5), 1, btVector3(1, 0.1f, 0.1f));
  auto& hinge = bullet.join<btHingeConstraint>(bar, btVector3(-0.5f, 0, 0), across);
  hinge.setLimit(-0.5f, 0.5f, 0.9f, 1, 0);  // all of the error counts, and there is no rebound
  bullet.step(120);
  const btScalar change = 0.75f * gravity / 0.5f * time_step;
  for (int i = 0; i < 60; ++i) {
    bullet.step();
    EXPECT_NEAR(std::abs(hinge.getHingeAngle()), 0.5f, change * time_step);
    EXPECT_LT(bar.getAngularVelocity().length(), change);
  }
}

// A sled on an axis along x keeps its speed, and gravity along z does not move it.
TEST(Sliders, move_along_their_axis_alone) {
  BulletWorld bullet;
  bullet.world.getSolverInfo().m_numIterations = enough;
  btRigidBody& sled = bullet.add_box(at(0, 0, 5));
  auto& slider = bullet.join<btSliderConstraint>(sled, btTransform::getIdentity(), true);
  slider.setLowerLinLimit(1);
  slider.setUpperLinLimit(-1);  // none
  slider.setLowerAngLimit(0);
  slider.setUpperAngLimit(0);
  sled.setLinearVelocity(btVector3(1, 0, 0));
  bullet.step(60);
  EXPECT_NEAR(sled.getWorldTransform().getOrigin().z(), 5, 1e-3f);
  EXPECT_NEAR(sled.getWorldTransform().getOrigin().y(), 0, 1e-3f);
  EXPECT_NEAR(sled.getLinearVelocity().x(), 1, 1e-3f);
}

TEST(JointFeedback, of_a_hanging_body_is_its_weight) {
  BulletWorld bullet;
  btRigidBody& box = bullet.add_box(at(0, 0, 5), 3);
  auto& joint = bullet.join<btPoint2PointConstraint>(box, btVector3(0, 0, 1));
  btJointFeedback feedback;
  joint.setJointFeedback(&feedback);
  joint.enableFeedback(true);
  bullet.step(60);
  EXPECT_NEAR(feedback.m_appliedForceBodyA.z(), 3 * gravity, 1e-3f * 3 * gravity);
  EXPECT_NEAR(feedback.m_appliedForceBodyA.x(), 0, 1e-3f);
}

// The joint's impulse is the weight's in a step, 0.16 N s.
TEST(BreakingThreshold, breaks_a_joint_that_needs_more) {
  const auto height_after = [](btScalar threshold) {
    BulletWorld bullet;
    btRigidBody& box = bullet.add_box(at(0, 0, 5));
    auto& joint = bullet.join<btPoint2PointConstraint>(box, btVector3(0, 0, 1));
    joint.setBreakingImpulseThreshold(threshold);
    bullet.step(60);
    EXPECT_EQ(joint.isEnabled(), threshold > 0.2f);
    return box.getWorldTransform().getOrigin().z();
  };
  EXPECT_NEAR(height_after(0.3f), 5, 1e-3f);
  EXPECT_LT(height_after(0.1f), 1);  // free fall of 0.98 s: 4.7 m
}

// Two bodies that both move: their momentum is conserved.
TEST(Joints, between_moving_bodies_keep_momentum) {
  BulletWorld bullet;
  bullet.world.setGravity(nowhere);
  btRigidBody& a = bullet.add_box(at(0, 0, 0));
  btRigidBody& b = bullet.add_box(at(2, 0, 0), 2);
  bullet.join<btPoint2PointConstraint>(a, b, btVector3(1, 0, 0), btVector3(-1, 0, 0));
  a.setLinearVelocity(btVector3(0, 3, 0));
  for (int i = 0; i < 60; ++i) {
    bullet.step();
    const btVector3 momentum = a.getLinearVelocity() + 2 * b.getLinearVelocity();
    EXPECT_NEAR(momentum.y(), 3, 1e-4f);
    EXPECT_NEAR(momentum.x(), 0, 1e-4f);
  }
}

// A constraint of the application with more rows than any of Bullet's; each has the same target velocity.
class ManyRows final : public btTypedConstraint {
 public:
  static constexpr int count = 40;
  explicit ManyRows(btRigidBody& body) : btTypedConstraint(MAX_CONSTRAINT_TYPE, body) {}
  void getInfo1(btConstraintInfo1* info) override {
    info->m_numConstraintRows = count;
    info->nub = 0;
  }
  void getInfo2(btConstraintInfo2* info) override {
    for (int row = 0; row < count; ++row) {
      info->m_J1linearAxis[row * info->rowskip] = 1;
      info->m_constraintError[row * info->rowskip] = 3;
    }
  }
  void setParam(int, btScalar, int) override {}
  btScalar getParam(int, int) const override { return 0; }
};

TEST(Rows, keep_nothing_of_an_earlier_step) {
  BulletWorld bullet;
  btRigidBody& box = bullet.add_box(at(0, 0, 2));
  auto& pivot = bullet.join<btPoint2PointConstraint>(box, btVector3(0.5f, 0, 0));
  box.setWorldTransform(at(0.1f, 0.2f, 2.3f));
  btContactSolverInfo info;
  info.m_timeStep = time_step;
  carom::bullet::Bodies bodies;
  carom::bullet::Constraints constraints;
  const auto rows = [&](bool errors) {
    bodies.clear();
    constraints.clear();
    constraints.take(pivot, bodies, info, errors);
    carom::JointRows<btScalar> columns;
    constraints.write(columns, true);
    return columns;
  };
  const auto in_substeps = rows(true);
  ASSERT_EQ(in_substeps.position_error.count, 3u);
  EXPECT_NEAR(in_substeps.position_error[2], 0.3f, 1e-3f);
  EXPECT_NEAR(in_substeps.r_a.x[0], 0.5f, 1e-6f);
  const auto in_sweeps = rows(false);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(in_sweeps.position_error[i], 0) << i;
    EXPECT_EQ(in_sweeps.frequency[i], std::numeric_limits<btScalar>::infinity()) << i;
    EXPECT_EQ(in_sweeps.r_a.x[i], 0) << i;
    EXPECT_NE(in_sweeps.target_velocity[i], 0) << i;
  }
  bodies.release();
}

TEST(Joints, may_have_any_number_of_rows) {
  BulletWorld bullet;
  bullet.world.setGravity(nowhere);
  btRigidBody& box = bullet.add_box(at(0, 0, 0));
  bullet.join<ManyRows>(box);
  bullet.step();
  EXPECT_NEAR(box.getLinearVelocity().x(), 3, 1e-5f);
}

}  // namespace
