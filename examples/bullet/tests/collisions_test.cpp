// Restitution and rest under every choice of methods.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;
using carom::SceneMethod;

struct Choice {
  const char* name;
  carom::bullet::Collisions collisions;
  SceneMethod contacts;
};
const Choice choices[] = {{"pgs", {}, SceneMethod::pgs},
                          {"sequential_impacts", carom::SequentialImpacts{}, SceneMethod::pgs},
                          {"bender_schmitt", carom::BenderSchmitt{}, SceneMethod::pgs},
                          {"sequential_impacts_resting", carom::SequentialImpacts{}, SceneMethod::bender_schmitt},
                          {"bender_schmitt_resting", carom::BenderSchmitt{}, SceneMethod::bender_schmitt}};

void PrintTo(const Choice& choice, std::ostream* out) {
  *out << choice.name;
}

class UnderEveryChoice : public testing::TestWithParam<Choice> {
 protected:
  static carom::bullet::Options options() {
    carom::bullet::Options made = options_of(GetParam().contacts);
    made.collisions = GetParam().collisions;
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, UnderEveryChoice, testing::ValuesIn(choices),
                         [](const auto& choice) { return std::string(choice.param.name); });

// Equal balls at e = 1 exchange their velocities: one stops, the other one moves on. Their velocities have rounding
// errors of a few operations at 2 m/s; iterations end at 1e-6 of it.
TEST_P(UnderEveryChoice, equal_balls_exchange_their_velocities) {
  BulletWorld bullet(options());
  bullet.world.setGravity(btVector3(0, 0, 0));
  btRigidBody& first = bullet.add_ball(at(-0.6f, 0, 0));
  btRigidBody& second = bullet.add_ball(at(0.6f, 0, 0));
  for (btRigidBody* ball : {&first, &second}) {
    ball->setRestitution(1);
    ball->setFriction(0);
  }
  first.setLinearVelocity(btVector3(2, 0, 0));
  bullet.step(30);
  EXPECT_NEAR(first.getLinearVelocity().x(), 0, 1e-5f);
  EXPECT_NEAR(second.getLinearVelocity().x(), 2, 1e-5f);
}

// Between rebounds Bullet's steps keep (v - g h / 2)² / 2 + g z.
TEST_P(UnderEveryChoice, a_ball_keeps_its_height) {
  BulletWorld bullet(options());
  bullet.add_plane().setRestitution(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 1.5f));
  ball.setRestitution(1);
  const auto height = [&] {
    const btScalar v = ball.getLinearVelocity().z() - gravity * time_step / 2;
    return v * v / (2 * gravity) + ball.getWorldTransform().getOrigin().z() - 0.5f;
  };
  const btScalar before = height();
  bullet.step(600);
  EXPECT_NEAR(height(), before, 1e-3f * before);
}

// After ten iterations three boxes still rock by a fraction of a millimetre, which makes them walk; fifty iterations
// converge. Bullet's detection loses corners of exactly aligned boxes by rounding, so the boxes are offset by some
// micrometres.
TEST_P(UnderEveryChoice, a_stack_stands) {
  BulletWorld bullet(options());
  bullet.world.getSolverInfo().m_numIterations = 50;
  bullet.world.getSolverInfo().m_warmstartingFactor = 1;
  bullet.add_ground();
  for (int i = 0; i < 3; ++i) bullet.add_box(at(0, 1e-5f * static_cast<btScalar>(i), 0.5f + static_cast<btScalar>(i)));
  bullet.step(120);
  const auto& objects = bullet.world.getCollisionObjectArray();
  for (int i = 0; i < 3; ++i) {
    const btVector3 found = objects[i + 1]->getWorldTransform().getOrigin();
    // Bullet finds no contact before boxes overlap, so that they sink by g h² = 2.7 mm each before they are held, and
    // less than 1 % of it is left.
    EXPECT_NEAR(found.z(), 0.5f + static_cast<btScalar>(i), 1e-3f) << i;
    EXPECT_NEAR(found.x(), 0, 1e-3f) << i;
    EXPECT_NEAR(found.y(), 0, 1e-3f) << i;
  }
}

}  // namespace
