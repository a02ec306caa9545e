// Bodies under the solver: they come, go, sleep, move by themselves or have locked axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;

/// [m] how far a body falls from rest in `steps`, for Bullet adds gravity before it moves a body.
btScalar fall(int steps) {
  return gravity * time_step * time_step * static_cast<btScalar>(steps * (steps + 1) / 2);
}

// Overlaps shrink to 0.8 of themselves in a step (m_erp2), 1 mm to less than a rounding of 1 in 60. Bullet's distances
// have the rounding of coordinates up to 5, about 5e-7. Bullet's usual share of the last impulses leaves 15 % of the
// weight to the sweeps of every step, by which the upper box creeps 1 mm a second under either solver.
TEST(Bodies, of_a_stack_stand_where_they_are) {
  BulletWorld bullet;
  bullet.world.getSolverInfo().m_warmstartingFactor = 1;
  bullet.add_ground();
  const btRigidBody& lower = bullet.add_box(at(0, 0, 0.499f));
  const btRigidBody& upper = bullet.add_box(at(0.1f, 0, 1.498f));
  bullet.step(60);
  const btVector3 lower_was = lower.getWorldTransform().getOrigin(), upper_was = upper.getWorldTransform().getOrigin();
  bullet.step(60);
  EXPECT_LT((lower.getWorldTransform().getOrigin() - lower_was).length(), 1e-5f);
  EXPECT_LT((upper.getWorldTransform().getOrigin() - upper_was).length(), 1e-5f);
  EXPECT_NEAR(upper_was.z(), 1.5f, 1e-4f);
}

TEST(Bodies, without_contacts_fall_freely) {
  BulletWorld bullet;
  const btRigidBody& box = bullet.add_box(at(0, 0, 100));
  bullet.step(10);
  EXPECT_NEAR(box.getLinearVelocity().z(), -10 * gravity * time_step, 1e-5f);
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 100 - fall(10), 1e-4f);
}

// A box whose support is removed falls as if it had never been held. Its earlier impulses must not return, neither for
// it nor for a new box in the place of the support.
TEST(Bodies, may_go_and_come_between_steps) {
  BulletWorld bullet;
  bullet.add_ground();
  btRigidBody& lower = bullet.add_box(at(0, 0, 0.5f));
  const btRigidBody& upper = bullet.add_box(at(0, 0, 1.5f));
  bullet.step(60);
  const btScalar height = upper.getWorldTransform().getOrigin().z();
  // It falls from the velocity that iterations left; the rounding error of a height of 2 m is ten times 1e-7 of it.
  const btScalar speed = upper.getLinearVelocity().z();
  bullet.remove(lower);
  bullet.step(10);
  EXPECT_NEAR(upper.getWorldTransform().getOrigin().z(), height + 10 * time_step * speed - fall(10), 2e-6f);
  bullet.step(110);
  EXPECT_NEAR(upper.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);

  const btRigidBody& next = bullet.add_box(at(0, 0, 1.51f));
  bullet.step(120);
  EXPECT_NEAR(next.getWorldTransform().getOrigin().z(), 1.5f, 1e-3f);
  EXPECT_NEAR(upper.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

TEST(Worlds, of_several_solvers_do_not_disturb_each_other) {
  const auto fill = [](BulletWorld& bullet) {
    bullet.add_ground();
    for (int i = 0; i < 4; ++i)
      bullet.add_box(at(0.1f * static_cast<btScalar>(i % 2), 0, 0.6f + 1.1f * static_cast<btScalar>(i)));
  };
  BulletWorld alone, first, second;
  fill(alone);
  fill(first);
  fill(second);
  second.world.setGravity(btVector3(0, 0, -1));
  for (int i = 0; i < 60; ++i) {
    alone.step();
    first.step();
    second.step();
  }
  for (int i = 1; i <= 4; ++i) {
    const btVector3 expected = alone.world.getCollisionObjectArray()[i]->getWorldTransform().getOrigin();
    const btVector3 found = first.world.getCollisionObjectArray()[i]->getWorldTransform().getOrigin();
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(found[axis], expected[axis]) << "box " << i;
  }
}

// Bullet moves the mover before it looks for contacts, and the box after: it is up to a step's way ahead.
TEST(KinematicBodies, push_a_box_at_their_own_speed) {
  BulletWorld bullet;
  bullet.add_ground();
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
  btRigidBody& mover = bullet.add_box(at(-1.05f, 0, 0.6f), 0);
  mover.setCollisionFlags(mover.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  btDefaultMotionState motion(mover.getWorldTransform());
  mover.setMotionState(&motion);
  for (int i = 1; i <= 90; ++i) {
    motion.setWorldTransform(at(-1.05f + static_cast<btScalar>(i) * time_step, 0, 0.6f));
    bullet.step();
  }
  EXPECT_NEAR(box.getLinearVelocity().x(), 1, 1e-3f);
  const btScalar apart = box.getWorldTransform().getOrigin().x() - mover.getWorldTransform().getOrigin().x();
  EXPECT_NEAR(apart, 1 + 0.5f * time_step, 0.5f * time_step + 1e-3f);
  EXPECT_EQ(mover.getWorldTransform().getOrigin().z(), 0.6f);
}

// At rest the ground's impulse is the impulse of gravity in a step, for any number of shapes. In double Bullet's
// detector loses one of the parts for a step; the overlap after that takes a second to shrink below the tolerance.
TEST(CompoundShapes, rest_on_all_their_parts) {
  BulletWorld bullet;
  bullet.add_ground();
  btBoxShape part(btVector3(0.5f, 0.5f, 0.5f));
  auto dumbbell = std::make_unique<btCompoundShape>();
  for (const btScalar x : {-1.f, 1.f}) dumbbell->addChildShape(at(x, 0, 0), &part);
  const btRigidBody& body = bullet.add(std::move(dumbbell), 2, at(0, 0, 0.499f));
  bullet.step(240);
  EXPECT_NEAR(body.getWorldTransform().getOrigin().z(), 0.5f, 1e-4f);
  EXPECT_NEAR(body.getWorldTransform().getBasis()[2].z(), 1, 1e-6f);
  EXPECT_NEAR(bullet.impulse_on(body), 2 * gravity * time_step, 1e-2f * 2 * gravity * time_step);
}

TEST(Sleep, ends_for_an_island_that_is_hit) {
  BulletWorld bullet;
  bullet.add_ground();
  btRigidBody& lower = bullet.add_box(at(0, 0, 0.5f));
  btRigidBody& upper = bullet.add_box(at(0, 0, 1.5f));
  for (btRigidBody* box : {&lower, &upper}) box->forceActivationState(ACTIVE_TAG);
  bullet.step(240);  // Bullet puts bodies to sleep that have been slow for 2 s
  ASSERT_EQ(lower.getActivationState(), ISLAND_SLEEPING);
  ASSERT_EQ(upper.getActivationState(), ISLAND_SLEEPING);

  btRigidBody& ball = bullet.add_ball(at(-2, 0, 1.5f));
  ball.setLinearVelocity(btVector3(10, 0, 0));
  bullet.step(15);
  EXPECT_TRUE(lower.isActive());
  EXPECT_TRUE(upper.isActive());
  // At restitution 0 a ball of the same mass transfers half of its speed to a sliding box, minus the losses by friction
  // and turning.
  EXPECT_GT(upper.getLinearVelocity().x(), 1);
  EXPECT_LT(upper.getLinearVelocity().x(), 10);
}

// I = (1, 2, 3), w = (1, 1, 1): w × I w = (1, -2, 1), so that w changes by -h (1, -1, 1/3) and by terms of h², some
// 3e-6 at h = 1 ms.
TEST(GyroscopicTorque, turns_the_spin_of_a_body_with_unequal_axes) {
  BulletWorld bullet;
  const btVector3 inertia(1, 2, 3);
  btRigidBody& body = bullet.add(std::make_unique<btSphereShape>(1.f), 1, at(0, 0, 0), &inertia);
  body.setAngularVelocity(btVector3(1, 1, 1));
  constexpr btScalar h = 1e-3f;
  bullet.world.stepSimulation(h, 0);
  EXPECT_NEAR(body.getAngularVelocity().x(), 1 - h, 1e-5f);
  EXPECT_NEAR(body.getAngularVelocity().y(), 1 + h, 1e-5f);
  EXPECT_NEAR(body.getAngularVelocity().z(), 1 - h / 3, 1e-5f);
}

// The box falls on an edge that would turn it out of the plane.
TEST(LockedAxes, keep_a_body_in_its_plane) {
  BulletWorld bullet;
  bullet.add_ground();
  btTransform tilted(btQuaternion(btVector3(1, 1, 0.3f).normalized(), 0.6f), btVector3(0, 0, 1.5f));
  btRigidBody& box = bullet.add_box(tilted);
  box.setLinearFactor(btVector3(1, 0, 1));
  box.setAngularFactor(btVector3(0, 1, 0));
  box.setLinearVelocity(btVector3(1, 0, 0));
  for (int i = 0; i < 120; ++i) {
    bullet.step();
    // Rows hold to the residual of the sweeps, 1e-6 of a speed of some m/s, or to where 10 of them end.
    EXPECT_NEAR(box.getLinearVelocity().y(), 0, 1e-3f);
    EXPECT_NEAR(box.getAngularVelocity().x(), 0, 1e-5f);
    EXPECT_NEAR(box.getAngularVelocity().z(), 0, 1e-5f);
  }
  EXPECT_NEAR(box.getWorldTransform().getOrigin().y(), 0, 1e-3f);
  EXPECT_GT(box.getWorldTransform().getOrigin().z(), 0.4f);
}

// An error of the caller ends a step early. The solver keeps no reference to its bodies, which may be deleted.
TEST(Options, out_of_range_end_a_step_and_leave_nothing_of_it) {
  BulletWorld bullet;
  bullet.add_ground();
  btRigidBody& lower = bullet.add_box(at(0, 0, 0.5f));
  const btRigidBody& upper = bullet.add_box(at(0, 0, 1.5f));
  bullet.step(10);
  const std::size_t contacts = bullet.solver.report().contacts.contacts;
  EXPECT_EQ(contacts, 8u);
  bullet.solver.options.scene.use<carom::Pgs>().tolerance = -1;
  EXPECT_THROW(bullet.step(), carom::Error);
  bullet.solver.options.scene.method = carom::SequentialImpacts{};
  EXPECT_THROW(bullet.step(), carom::Error);
  bullet.solver.options.scene.method = carom::Pgs{};
  bullet.step();
  EXPECT_EQ(bullet.solver.report().contacts.contacts, contacts);
  bullet.remove(lower);
  bullet.step(120);
  EXPECT_NEAR(upper.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

void sleep(btRigidBody& body) {
  body.forceActivationState(ISLAND_SLEEPING);
  body.setLinearVelocity(btVector3(0, 0, 0));
  body.setAngularVelocity(btVector3(0, 0, 0));
}

// A hinge under load begins with the impulse that it had before the sleep, as long as the solver keeps it.
TEST(Sleep, of_all_bodies_leaves_an_empty_report) {
  for (const int asleep : {1, 2, 10, carom::bullet::max_empty_steps + 10}) {
    BulletWorld bullet{carom::bullet::Options()};
    btRigidBody& box = bullet.add_box(at(1, 0, 0));
    bullet.join<btPoint2PointConstraint>(box, btVector3(-1, 0, 0));
    bullet.step(5);
    EXPECT_EQ(bullet.solver.report().contacts.joint_rows, 3u);
    sleep(box);
    const btTransform place = box.getWorldTransform();
    for (int i = 0; i < asleep; ++i) {
      bullet.step();
      const carom::bullet::StepReport& report = bullet.solver.report();
      EXPECT_EQ(report.contacts.bodies + report.contacts.joint_rows + report.contacts.islands, 0u);
      if (i > 0) {
        EXPECT_EQ(report.gather_seconds + report.contact_seconds + report.store_seconds, 0);
      }
    }
    EXPECT_EQ((box.getWorldTransform().getOrigin() - place.getOrigin()).length(), 0);
    box.forceActivationState(DISABLE_DEACTIVATION);
    btScalar error = 0;
    for (int i = 0; i < 30; ++i) {
      bullet.step();
      EXPECT_EQ(bullet.solver.report().contacts.joint_rows, 3u);
      error = std::max(error, (box.getWorldTransform() * btVector3(-1, 0, 0)).length());
    }
    EXPECT_LT(error, 2e-3f);
  }
}

// Bullet's gyroscopic torque of a cube is rounding. A stick's torque turns its axis of rotation.
TEST(Bodies, have_gyroscopic_torques_by_their_shape) {
  for (const bool cube : {true, false}) {
    BulletWorld bullet{carom::bullet::Options()};
    bullet.world.setGravity(btVector3(0, 0, 0));
    btRigidBody& box = bullet.add_box(btTransform(btQuaternion(btVector3(1, 2, 3).normalized(), 1)), 1,
                                      cube ? btVector3(1, 1, 1) : btVector3(0.1f, 0.2f, 2));
    const btVector3 spin(1.1f, 2.3f, 3.7f);
    box.setAngularVelocity(spin);
    bullet.step(20);
    const btScalar change = (box.getAngularVelocity() - spin).length();
    EXPECT_TRUE(cube ? change == 0 : change > 0.1f) << change;
  }
}

// The step of a free body turns it by its spin, and at most by Bullet's limit for a step.
TEST(Bodies, turn_by_their_spin_in_substeps) {
  for (const btScalar rate : {0.f, 1e-4f, 0.01f, 1.f, 10.f, 45.f}) {
    BulletWorld bullet{carom::bullet::Options()};
    bullet.world.setGravity(btVector3(0, 0, 0));
    const btVector3 axis = btVector3(1, 2, 3).normalized();
    btRigidBody& box = bullet.add_box(btTransform(btQuaternion(btVector3(3, 1, 2).normalized(), 1)));
    const btQuaternion before = box.getWorldTransform().getRotation();
    box.setAngularVelocity(axis * rate);
    bullet.step();
    const btQuaternion turn = box.getWorldTransform().getRotation() * before.inverse();
    const btScalar half = rate * time_step / 2;
    const btVector3 sine(turn.x(), turn.y(), turn.z());
    // Eight roundings of numbers up to 1 in quaternions and matrices.
    EXPECT_LT((sine * (turn.w() < 0 ? -1.f : 1.f) - axis * std::sin(half)).length(), 16 * SIMD_EPSILON) << rate;
  }
}

}  // namespace
