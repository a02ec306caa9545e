// Bullet's settings may be out of range, or no numbers.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;
using carom::SceneMethod;
using Number = btScalar btContactSolverInfoData::*;

/// Gives where bodies are after a second in which every setting matters: a rebound, an overlap beyond the threshold of
/// split impulses, anchored friction, a joint, an explicit gyroscopic torque.
template <class Change>
std::vector<btVector3> path_with(const Change& change, SceneMethod method = SceneMethod::pgs) {
  BulletWorld bullet(options_of(method));
  change(bullet.world.getSolverInfo());
  btRigidBody& ground = bullet.add_ground();
  std::vector<btRigidBody*> bodies{&bullet.add_ball(at(-3, 0, 1.5f)), &bullet.add_box(at(0, 0, 0.4f)),
                                   &bullet.add_box(at(0.1f, 0, 1.4f)), &bullet.add_box(at(3, 0, 2))};
  ground.setRestitution(1);
  bodies[0]->setRestitution(0.9f);
  bodies[1]->setAngularVelocity(btVector3(1, 0, 0));
  bodies[2]->setCollisionFlags(bodies[2]->getCollisionFlags() | btCollisionObject::CF_HAS_FRICTION_ANCHOR);
  bodies[2]->setLinearVelocity(btVector3(1, 0, 0));
  bullet.join<btPoint2PointConstraint>(*bodies[3], btVector3(0.5f, 0.5f, 0.5f));
  const btVector3 inertia(1, 2, 3);
  btRigidBody& top = bullet.add(std::make_unique<btSphereShape>(1.f), 1, at(0, 0, 50), &inertia);
  top.setFlags(BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT);
  top.setAngularVelocity(btVector3(1, 1, 1));
  bodies.push_back(&top);
  bullet.step(60);
  std::vector<btVector3> path;
  for (const btRigidBody* body : bodies) {
    path.push_back(body->getWorldTransform().getOrigin());
    path.push_back(body->getWorldTransform().getBasis()[0]);
    path.push_back(body->getAngularVelocity());
  }
  return path;
}

void expect_same(const std::vector<btVector3>& found, const std::vector<btVector3>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(found[i][axis], expected[i][axis]) << i << " along " << axis;
}

constexpr SceneMethod every_method[] = {SceneMethod::pgs, SceneMethod::bender_schmitt, SceneMethod::substeps,
                                        SceneMethod::ncp};

TEST(Settings, out_of_range_count_as_the_nearest_in_range) {
  struct {
    Number number;
    btScalar given, nearest;
  } constexpr cases[] = {
      {&btContactSolverInfoData::m_sor, 2.5f, 1.99f},
      {&btContactSolverInfoData::m_sor, -1.f, 0.01f},
      {&btContactSolverInfoData::m_warmstartingFactor, 1.2f, 1.f},
      {&btContactSolverInfoData::m_warmstartingFactor, -0.3f, 0.f},
      {&btContactSolverInfoData::m_restitutionVelocityThreshold, -1.f, 0.f},
  };
  for (const auto& it : cases) {
    SCOPED_TRACE(it.given);
    for (const SceneMethod method : every_method) {
      std::vector<btVector3> found;
      ASSERT_NO_THROW(found = path_with([&](btContactSolverInfo& info) { info.*it.number = it.given; }, method));
      // 1.99 and 0.01 are the library's bounds as doubles.
      const auto expected = path_with([&](btContactSolverInfo& info) { info.*it.number = it.nearest; }, method);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_LT((found[i] - expected[i]).length(), 1e-2f) << i << " under " << to_string(method);
    }
  }
}

TEST(Settings, that_are_no_numbers_count_as_the_defaults_of_bullet) {
  constexpr Number numbers[] = {&btContactSolverInfoData::m_sor,
                                &btContactSolverInfoData::m_warmstartingFactor,
                                &btContactSolverInfoData::m_restitutionVelocityThreshold,
                                &btContactSolverInfoData::m_linearSlop,
                                &btContactSolverInfoData::m_erp,
                                &btContactSolverInfoData::m_erp2,
                                &btContactSolverInfoData::m_globalCfm,
                                &btContactSolverInfoData::m_damping,
                                &btContactSolverInfoData::m_frictionERP,
                                &btContactSolverInfoData::m_splitImpulsePenetrationThreshold,
                                &btContactSolverInfoData::m_splitImpulseTurnErp,
                                &btContactSolverInfoData::m_maxGyroscopicForce};
  for (const SceneMethod method : every_method) {
    const auto usual = path_with([](btContactSolverInfo&) {}, method);
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      SCOPED_TRACE("number " + std::to_string(i) + " under " + std::string(to_string(method)));
      std::vector<btVector3> found;
      ASSERT_NO_THROW(
          found = path_with(
              [&](btContactSolverInfo& info) { info.*numbers[i] = std::numeric_limits<btScalar>::quiet_NaN(); },
              method));
      expect_same(found, usual);
    }
  }
}

TEST(Settings, that_are_infinite_give_finite_motion) {
  for (const Number number :
       {&btContactSolverInfoData::m_sor, &btContactSolverInfoData::m_warmstartingFactor,
        &btContactSolverInfoData::m_restitutionVelocityThreshold, &btContactSolverInfoData::m_linearSlop,
        &btContactSolverInfoData::m_erp, &btContactSolverInfoData::m_erp2, &btContactSolverInfoData::m_globalCfm})
    for (const SceneMethod method : every_method) {
      std::vector<btVector3> found;
      ASSERT_NO_THROW(
          found = path_with(
              [&](btContactSolverInfo& info) { info.*number = std::numeric_limits<btScalar>::infinity(); }, method));
      for (const btVector3& v : found) EXPECT_TRUE(std::isfinite(v.length2()));
    }
}

class Iterations : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(NoneOrLess, Iterations, testing::Values(0, -1, std::numeric_limits<int>::min()));

// The box and the pendulum were supported by impulses that Bullet would apply again.
TEST_P(Iterations, leave_bodies_to_their_forces) {
  BulletWorld bullet;
  bullet.add_ground();
  btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
  btRigidBody& pendulum = bullet.add_box(at(5, 0, 5));
  const auto& joint = bullet.join<btPoint2PointConstraint>(pendulum, btVector3(0, 0, 0.5f));
  bullet.step(60);
  ASSERT_GT(bullet.impulse_on(box), 0);

  bullet.world.getSolverInfo().m_numIterations = GetParam();
  for (int step = 1; step <= 5; ++step) {
    const btScalar box_was = box.getLinearVelocity().z(), pendulum_was = pendulum.getLinearVelocity().z();
    bullet.step();
    // Roundings of speeds below 1 m/s.
    EXPECT_NEAR(box.getLinearVelocity().z(), box_was - gravity * time_step, 1e-6f);
    EXPECT_NEAR(pendulum.getLinearVelocity().z(), pendulum_was - gravity * time_step, 1e-6f);
    EXPECT_EQ(bullet.impulse_on(box), 0);
    EXPECT_EQ(joint.getAppliedImpulse(), 0);
  }
  bullet.world.getSolverInfo().m_numIterations = 10;
  bullet.step(240);
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

// 0.2 m are beyond the threshold of split impulses. The box falls by g h² in the step.
TEST_P(Iterations, push_no_overlap_out) {
  BulletWorld bullet;
  bullet.add_ground();
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.3f));
  bullet.world.getSolverInfo().m_numIterations = GetParam();
  bullet.step();
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.3f - gravity * time_step * time_step, 1e-6f);
}

TEST_P(Iterations, are_those_of_the_options_where_these_say_so) {
  for (const bool by_options : {true, false}) {
    carom::bullet::Options options;
    if (by_options) options.iterations = 10;
    BulletWorld bullet(options);
    bullet.add_ground();
    const btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
    bullet.world.getSolverInfo().m_numIterations = GetParam();
    bullet.step(60);
    EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.5f, 2e-3f);
  }
}

}  // namespace
