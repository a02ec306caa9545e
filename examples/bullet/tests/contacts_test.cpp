// Contacts under the solver: friction of every kind, belts, overlaps, warm starting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;

// v² / 2a with a = μ g, minus the error of Bullet's steps: the speed decreases before the box moves, v h / 2.
TEST(Friction, stops_a_box_at_the_analytic_distance) {
  BulletWorld bullet;
  btRigidBody& ground = bullet.add_ground();
  btRigidBody& box = bullet.add_box(at(-2, 0, 0.5f), 1, btVector3(1, 1, 1));
  ground.setFriction(1);
  box.setFriction(0.4f);
  bullet.step(30);
  const btScalar start = box.getWorldTransform().getOrigin().x(), speed = 3;
  box.setLinearVelocity(btVector3(speed, 0, 0));
  bullet.step(120);
  const btScalar expected = speed * speed / (2 * 0.4f * gravity) - speed * time_step / 2;
  EXPECT_NEAR(box.getWorldTransform().getOrigin().x() - start, expected, speed * time_step / 2);
  EXPECT_LT(box.getLinearVelocity().length(), 1e-3f);
}

// The direction of friction is against the slip in a circular cone: a box that slides across the axes stays on its
// line.
TEST(Friction, is_the_same_in_all_directions) {
  BulletWorld bullet;
  bullet.add_ground().setFriction(1);
  btRigidBody& box = bullet.add_box(at(-2, -1, 0.5f));
  bullet.step(30);
  const btVector3 start = box.getWorldTransform().getOrigin(), speed(2, 1, 0);
  box.setLinearVelocity(speed);
  bullet.step(120);
  const btVector3 way = box.getWorldTransform().getOrigin() - start;
  EXPECT_GT(way.length(), 0.3f);
  // Corners press with unequal force while the box brakes, which turns it no further than some degrees.
  EXPECT_NEAR(way.y() / way.x(), 0.5f, 0.02f);
}

btRigidBody* belt = nullptr;
constexpr btScalar belt_speed = 1;

// Bullet takes a contact's motion along its first direction of friction: the velocity of the first body at the point
// relative to the second's.
bool move_belt(btManifoldPoint& point, const btCollisionObjectWrapper* first, int, int, const btCollisionObjectWrapper*,
               int, int) {
  point.m_contactPointFlags |= BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED;
  point.m_lateralFrictionDir1 = btVector3(1, 0, 0);
  point.m_lateralFrictionDir2 = btVector3(0, 1, 0);
  point.m_contactMotion1 = first->getCollisionObject() == belt ? -belt_speed : belt_speed;
  point.m_contactMotion2 = 0;
  return true;
}

TEST(Belts, carry_boxes_at_their_speed) {
  BulletWorld bullet;
  // Without these Bullet takes no notice of a point's own directions.
  bullet.world.getSolverInfo().m_solverMode |=
      SOLVER_ENABLE_FRICTION_DIRECTION_CACHING | SOLVER_USE_2_FRICTION_DIRECTIONS;
  belt = &bullet.add_ground();
  belt->setCollisionFlags(belt->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
  gContactAddedCallback = move_belt;
  const btRigidBody& box = bullet.add_box(at(-1, 0, 0.499f));
  bullet.step(60);  // friction of 0.25 g needs 0.41 s for 1 m/s
  gContactAddedCallback = nullptr;
  EXPECT_NEAR(box.getLinearVelocity().x(), belt_speed, 1e-3f);
  EXPECT_NEAR(box.getLinearVelocity().y(), 0, 1e-3f);
  EXPECT_EQ(belt->getWorldTransform().getOrigin().x(), 0);
}

// Rolling friction with torque c N gives a ball of inertia 2/5 m r² the acceleration -c g / (1.4 r), so it stops after
// 1.4 r v² / (2 c g). The torque is bounded by the impulse of the previous step. The tolerance is 1.5 times a step's
// way.
TEST(RollingFriction, stops_a_ball) {
  BulletWorld bullet;
  btRigidBody& plane = bullet.add_plane();
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  plane.setFriction(1);
  ball.setFriction(1);
  plane.setRollingFriction(0);
  ball.setRollingFriction(0.1f);  // c = 0.1 m: Bullet multiplies it with the other body's friction
  bullet.step(10);
  ball.setLinearVelocity(btVector3(1, 0, 0));
  ball.setAngularVelocity(btVector3(0, 2, 0));
  const btScalar start = ball.getWorldTransform().getOrigin().x();
  bullet.step(90);
  const btScalar expected = 1.4f * 0.5f / (2 * 0.1f * gravity);
  EXPECT_NEAR(ball.getWorldTransform().getOrigin().x() - start, expected, 1.5f * time_step);
  EXPECT_NEAR(ball.getLinearVelocity().x(), 0, 1e-3f);
  EXPECT_NEAR(ball.getAngularVelocity().y(), 0, 1e-3f);
}

TEST(RollingFriction, of_nothing_lets_a_ball_roll) {
  BulletWorld bullet;
  bullet.add_plane().setFriction(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  bullet.step(10);
  ball.setLinearVelocity(btVector3(1, 0, 0));
  ball.setAngularVelocity(btVector3(0, 2, 0));
  bullet.step(60);
  EXPECT_NEAR(ball.getLinearVelocity().x(), 1, 1e-3f);
}

// A torque of c N about the normal takes c m g / I from the spin in a second, with I = 2/5 m r² = 0.1. Bullet looks at
// spinning friction only where there is some for rolling.
TEST(SpinningFriction, slows_a_ball) {
  BulletWorld bullet;
  btRigidBody& plane = bullet.add_plane();
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  plane.setFriction(1);
  ball.setFriction(1);
  ball.setSpinningFriction(0.01f);
  ball.setRollingFriction(0.01f);
  bullet.step(10);
  ball.setAngularVelocity(btVector3(0, 0, 10));
  bullet.step(60);
  const btScalar loss = 0.01f * gravity / 0.1f;
  EXPECT_NEAR(ball.getAngularVelocity().z(), 10 - loss, 2 * loss * time_step);
}

// Bullet's share of 0.2 a step (m_erp2) leaves 0.8^60, about 1e-6, of the overlap after a second.
TEST(SplitImpulse, pushes_overlaps_out_without_velocity) {
  BulletWorld bullet;
  bullet.world.setGravity(btVector3(0, 0, 0));
  bullet.world.getSolverInfo().m_splitImpulsePenetrationThreshold = 0;
  bullet.add_ground();
  btRigidBody& box = bullet.add_box(at(0, 0, 0.4f));
  btScalar fastest = 0;
  for (int i = 0; i < 60; ++i) {
    bullet.step();
    fastest = std::max(fastest, box.getLinearVelocity().length());
  }
  EXPECT_LT(fastest, 1e-5f);
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

TEST(SplitImpulse, switched_off_pushes_overlaps_out_by_velocity) {
  BulletWorld bullet;
  bullet.world.setGravity(btVector3(0, 0, 0));
  bullet.world.getSolverInfo().m_splitImpulse = 0;
  bullet.add_ground();
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.4f));
  bullet.step();
  EXPECT_NEAR(box.getLinearVelocity().z(), 0.2f * 0.1f / time_step, 1e-3f);
}

// A threshold of 0.5 m/s: a box that comes slower does not rebound, a faster one does with e times its speed.
TEST(RestitutionThreshold, separates_those_that_rebound) {
  const auto rebound = [](btScalar speed) {
    BulletWorld bullet;
    bullet.world.setGravity(btVector3(0, 0, 0));
    bullet.world.getSolverInfo().m_restitutionVelocityThreshold = 0.5f;
    bullet.add_plane().setRestitution(1);
    btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
    ball.setRestitution(0.5f);
    ball.setLinearVelocity(btVector3(0, 0, -speed));
    bullet.step(2);
    return ball.getLinearVelocity().z();
  };
  EXPECT_NEAR(rebound(0.4f), 0, 1e-4f);
  EXPECT_NEAR(rebound(0.6f), 0.3f, 1e-4f);
}

// Ten iterations from zero impulses cannot carry the weight of 10 boxes; ten iterations from the last step's can.
TEST(WarmStarting, leaves_a_stack_little_to_solve) {
  const auto residual_after = [](int steps, bool warm) {
    BulletWorld bullet;
    bullet.world.getSolverInfo().m_warmstartingFactor = 1;
    bullet.world.getSolverInfo().m_erp2 = 0;  // the same to solve in every step
    if (!warm) bullet.world.getSolverInfo().m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    bullet.add_ground();
    for (int i = 0; i < 10; ++i) bullet.add_box(at(0, 0, 0.5f + static_cast<btScalar>(i)));
    bullet.step(steps);
    return bullet.solver.report().contacts.residual;
  };
  EXPECT_LT(residual_after(60, true), 0.25 * residual_after(60, false));
}

// Bullet combines restitutions by their product, which may be above 1.
TEST(Restitution, above_1_rebounds_faster) {
  BulletWorld bullet;
  bullet.world.setGravity(btVector3(0, 0, 0));
  bullet.add_plane().setRestitution(1.5f);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  ball.setRestitution(1);
  ball.setLinearVelocity(btVector3(0, 0, -2));
  bullet.step();
  EXPECT_NEAR(ball.getLinearVelocity().z(), 3, 1e-5f);
}

// The field for the impulse of a collision, which is not warm-started, holds all of it: the next step starts at 0.
TEST(Restitution, leaves_no_impulse_for_the_next_step) {
  BulletWorld bullet;
  bullet.world.setGravity(btVector3(0, 0, 0));
  bullet.add_plane().setRestitution(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  ball.setRestitution(1);
  ball.setLinearVelocity(btVector3(0, 0, -2));
  bullet.solver.options.iterations = 1;
  bullet.step();
  EXPECT_NEAR(bullet.impulse_on(ball), 4, 1e-5f);
  btManifoldPoint& point = bullet.world.getDispatcher()->getManifoldByIndexInternal(0)->getContactPoint(0);
  EXPECT_EQ(point.m_appliedImpulse, point.m_prevRHS);
}

// An overlap beyond the threshold of split impulse is not pushed out of under a ball that leaves it by itself.
TEST(SplitImpulse, leaves_a_rebound_alone) {
  BulletWorld bullet;
  bullet.world.setGravity(btVector3(0, 0, 0));
  bullet.add_plane().setRestitution(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.45f));
  ball.setRestitution(1);
  ball.setLinearVelocity(btVector3(0, 0, -2));
  bullet.step();
  EXPECT_NEAR(ball.getLinearVelocity().z(), 2, 1e-5f);
  EXPECT_NEAR(ball.getWorldTransform().getOrigin().z(), 0.45f + 2 * time_step, 1e-6f);
}

}  // namespace
