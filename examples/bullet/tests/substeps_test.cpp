// Contacts and joints in substeps: bodies at rest, rebounds and swinging chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;

carom::bullet::Options in_substeps() {
  return {};  // they are the default
}

TEST(Substeps, keep_a_stack_where_it_is) {
  BulletWorld bullet(in_substeps());
  bullet.add_ground();
  std::vector<btRigidBody*> stack;
  for (int i = 0; i < 10; ++i) stack.push_back(&bullet.add_box(at(0, 0, static_cast<btScalar>(i) + 0.5f)));
  btScalar drift = 0;
  for (int i = 0; i < 600; ++i) {
    bullet.step();
    for (const btRigidBody* box : stack) {
      const btVector3 at = box->getWorldTransform().getOrigin();
      drift = std::max(drift, std::hypot(at.x(), at.y()));
    }
  }
  EXPECT_LT(drift, 1e-3f);
  EXPECT_EQ(bullet.solver.report().contacts.pgs_islands, 0u);                 // solved directly
  EXPECT_NEAR(bullet.impulse_on(*stack.back()), gravity * time_step, 1e-3f);  // [N s] per step
}

TEST(Substeps, let_a_heavy_box_stand_on_a_light_one) {
  BulletWorld bullet(in_substeps());
  bullet.add_ground();
  bullet.add_box(at(0, 0, 0.5f));
  const btRigidBody& heavy = bullet.add_box(at(0, 0, 1.5f), 1000);
  bullet.step(300);
  const btVector3 end = heavy.getWorldTransform().getOrigin();
  EXPECT_LT(std::hypot(end.x(), end.y()), 1e-3f);
  EXPECT_NEAR(end.z(), 1.5f, 0.01f);
}

TEST(Substeps, give_a_ball_its_height_back) {
  BulletWorld bullet(in_substeps());
  bullet.add_plane().setRestitution(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 1.5f));
  ball.setRestitution(1);
  btScalar top = 0;
  for (int i = 0; i < 600; ++i) {
    bullet.step();
    if (i >= 540) top = std::max(top, ball.getWorldTransform().getOrigin().z() - 0.5f);
  }
  EXPECT_NEAR(top, 1, 0.01f);
}

TEST(Substeps, keep_the_pivot_of_a_pendulum) {
  BulletWorld bullet(in_substeps());
  btRigidBody& bob = bullet.add_box(at(1, 0, 0));
  const btVector3 pivot(-1, 0, 0);
  bullet.join<btPoint2PointConstraint>(bob, pivot);
  btScalar error = 0, lowest = 0, highest = -1;
  for (int i = 0; i < 600; ++i) {
    bullet.step();
    error = std::max(error, (bob.getWorldTransform() * pivot).length());
    lowest = std::min(lowest, bob.getWorldTransform().getOrigin().z());
    if (i >= 300) highest = std::max(highest, bob.getWorldTransform().getOrigin().z());
  }
  EXPECT_LT(error, 2e-3f);
  EXPECT_NEAR(lowest, -1, 0.02f);
  // Substeps damp the swing; they add no energy to it.
  EXPECT_GT(highest, -0.4f);
  EXPECT_LT(highest, 0);
}

// Links under tension swing against each other. The amplitude must not grow.
TEST(Substeps, feed_no_chain_with_energy) {
  BulletWorld bullet(in_substeps());
  std::vector<btRigidBody*> links = {&bullet.add_box(at(0, 0, 0), 0, btVector3(0.1f, 0.1f, 0.1f))};
  for (int i = 0; i < 10; ++i) {
    links.push_back(&bullet.add_box(at(0, 0, -0.5f - static_cast<btScalar>(i)), 1, btVector3(0.1f, 0.1f, 0.9f)));
    const btVector3 on_last(0, 0, i == 0 ? 0 : -0.5f);
    bullet.join<btPoint2PointConstraint>(*links[links.size() - 2], *links.back(), on_last, btVector3(0, 0, 0.5f));
  }
  links[5]->setLinearVelocity(btVector3(1, 0, 0));
  btScalar error = 0;
  for (int i = 0; i < 600; ++i) {
    bullet.step();
    for (std::size_t k = 1; k < links.size(); ++k) {
      const btVector3 on_last = links[k - 1]->getWorldTransform() * btVector3(0, 0, k == 1 ? 0 : -0.5f);
      error = std::max(error, (links[k]->getWorldTransform() * btVector3(0, 0, 0.5f) - on_last).length());
      EXPECT_LT(links[k]->getLinearVelocity().length(), 2);
    }
  }
  EXPECT_LT(error, 5e-3f);
}

/// A box that a motor turns about a fixed axis.
btRigidBody& add_wheel(BulletWorld& bullet, btScalar speed, btScalar max_impulse) {
  btRigidBody& wheel = bullet.add_box(at(0, 0, 5));
  auto& hinge = bullet.join<btHingeConstraint>(wheel, btVector3(0, 0, 0), btVector3(0, 0, 1));
  hinge.enableAngularMotor(true, speed, max_impulse);
  return wheel;
}

TEST(Substeps, leave_motors_their_speed) {
  BulletWorld bullet(in_substeps());
  btRigidBody& wheel = add_wheel(bullet, 2, 100);
  bullet.step(30);
  EXPECT_NEAR(std::abs(wheel.getAngularVelocity().z()), 2, 1e-3f);
  EXPECT_NEAR(wheel.getWorldTransform().getOrigin().z(), 5, 1e-3f);
}

// The motor is at its largest impulse, and begins every step with it.
TEST(Substeps, solve_a_motor_that_is_too_weak_once) {
  BulletWorld bullet(in_substeps());
  btRigidBody& wheel = add_wheel(bullet, 20, 0.05f);
  bullet.step(10);
  EXPECT_LT(std::abs(wheel.getAngularVelocity().z()), 10);
  EXPECT_EQ(bullet.solver.report().contacts.iterations, 1);
}

// A single substep per step: the correction moves the box, and leaves no velocity.
TEST(Pgs, with_position_correction_moves_bodies_out_of_overlap) {
  carom::bullet::Options options = in_pgs();
  options.scene.use<carom::Pgs>().position_correction.emplace();
  BulletWorld bullet(options);
  bullet.add_ground();
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.45f));
  bullet.step(120);
  // The slop of a cube of 1 m is 5 mm.
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.495f, 1e-3f);
  EXPECT_LT(box.getLinearVelocity().length(), 1e-4f);
}

TEST(Substeps, hold_limits) {
  BulletWorld bullet(in_substeps());
  btRigidBody& bar = bullet.add_box(at(0.5f, 0, 5), 1, btVector3(1, 0.1f, 0.1f));
  auto& hinge = bullet.join<btHingeConstraint>(bar, btVector3(-0.5f, 0, 0), btVector3(0, 1, 0));
  hinge.setLimit(-0.5f, 0.5f, 0.9f, 1, 0);
  bullet.step(180);
  for (int i = 0; i < 60; ++i) {
    bullet.step();
    EXPECT_NEAR(std::abs(hinge.getHingeAngle()), 0.5f, 0.01f);
  }
}

// A constraint with its own ERP loses that share of its error in a step, without overshoot.
TEST(Substeps, follow_an_erp_of_a_constraint) {
  BulletWorld bullet(in_substeps());
  bullet.world.setGravity(btVector3(0, 0, 0));
  btRigidBody& box = bullet.add_box(at(0, 0, 0));
  auto& joint = bullet.join<btPoint2PointConstraint>(box, btVector3(0, 0, 0));
  joint.setParam(BT_CONSTRAINT_ERP, 0.5f, -1);
  box.setWorldTransform(at(0.1f, 0, 0));
  btScalar last = 0.1f;
  for (int i = 0; i < 10; ++i) {
    bullet.step();
    const btScalar now = box.getWorldTransform().getOrigin().x();
    EXPECT_LT(now, 0.8f * last);
    EXPECT_GT(now, -1e-5f);
    last = now;
  }
}

}  // namespace
