// Bullet's continuous detection with carom: fast bodies do not pass walls, and swept bodies keep their energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;

constexpr btScalar radius = 0.1f, half_wall = 0.05f;

enum class Wall { immovable, thin, heavy_and_moving, light };
enum class Shape { ball, box };

struct Target {
  Shape shape;
  Wall wall;
};
struct Shot {
  Target target;
  btScalar restitution, swept_radius;
};

constexpr std::array<const char*, 4> wall_names = {"immovable", "thin", "heavy_and_moving", "light"};

class Continuous : public testing::TestWithParam<std::tuple<Shape, Wall>> {
 protected:
  // Calls f(shot) for restitutions and swept radii up to the radius of the body.
  template <class F>
  static void each_shot(F&& f) {
    const auto [shape, wall] = GetParam();
    for (const btScalar restitution : {0.f, 0.5f, 1.f})
      for (const btScalar swept_radius : {0.02f, 0.08f, 0.1f}) {
        SCOPED_TRACE(testing::Message() << "e " << restitution << ", swept radius " << swept_radius);
        f(Shot{{shape, wall}, restitution, swept_radius});
      }
  }
};
std::string name_of_shot(const testing::TestParamInfo<std::tuple<Shape, Wall>>& of) {
  const auto [shape, wall] = of.param;
  return std::string(shape == Shape::ball ? "ball_" : "box_") + wall_names[static_cast<std::size_t>(wall)];
}
INSTANTIATE_TEST_SUITE_P(Shots, Continuous,
                         testing::Combine(testing::Values(Shape::ball, Shape::box),
                                          testing::Values(Wall::immovable, Wall::thin, Wall::heavy_and_moving,
                                                          Wall::light)),
                         name_of_shot);

void watch(btRigidBody& body, btScalar swept_radius) {
  body.setCcdMotionThreshold(0.05f);
  body.setCcdSweptSphereRadius(swept_radius);
}

// A wall in the plane x = 0 and a body of 1 kg in front of it, without gravity.
struct Range {
  BulletWorld bullet{carom::bullet::Options{}};
  btRigidBody *wall, *shot;

  Range(const Shot& of, const btVector3& from, const btVector3& velocity) {
    bullet.world.setGravity(btVector3(0, 0, 0));
    const btScalar mass = of.target.wall == Wall::heavy_and_moving ? 1000.f : of.target.wall == Wall::light ? 1.f : 0.f;
    const btScalar edge = 2 * half_wall * (of.target.wall == Wall::thin ? 0.1f : 1.f);
    wall = &bullet.add_box(at(0, 0, 0), mass, btVector3(edge, 20, 20));
    if (of.target.wall == Wall::heavy_and_moving) wall->setLinearVelocity(btVector3(8, 0, 0));
    const btTransform start(btQuaternion::getIdentity(), from);
    shot = of.target.shape == Shape::ball ? &bullet.add_ball(start, radius)
                                          : &bullet.add_box(start, 1, 2 * btVector3(radius, radius, radius));
    wall->setRestitution(1);
    wall->setFriction(0);
    shot->setRestitution(of.restitution);
    shot->setLinearVelocity(velocity);
    watch(*shot, of.swept_radius);
  }
  // [m] from the middle of the wall to the middle of the body
  btScalar distance() const {
    const btTransform& from = wall->getWorldTransform();
    return (shot->getWorldTransform().getOrigin() - from.getOrigin()).dot(from.getBasis().getColumn(0));
  }
};

// Starts are spread over a step. The slowest shot moves by the thickness of the wall in half a step.
TEST_P(Continuous, keeps_fast_bodies_in_front_of_a_wall) {
  constexpr int starts = 10;
  each_shot([](const Shot& shot) {
    for (const btScalar speed : {12.f, 30.f, 100.f, 300.f})
      for (const btScalar across : {0.f, 0.5f})
        for (int i = 0; i < starts; ++i) {
          const btScalar x = 1 + speed * time_step * static_cast<btScalar>(i) / starts;
          Range range(shot, btVector3(x, 0, 0), speed * btVector3(-1, across / x, 0));
          const int steps = static_cast<int>(x / (speed * time_step)) + 6;
          for (int step = 0; step < steps; ++step) {
            range.bullet.step();
            ASSERT_GT(range.distance(), -half_wall) << "at " << speed << " m/s from " << x << " m after " << step;
          }
        }
  });
}

// Bullet's predictive points have no restitution. carom gives them the bodies' restitution, and the rebound happens at
// the wall: the speed is e times the speed before, to the rounding of the step.
class ContinuousBall : public Continuous {};
INSTANTIATE_TEST_SUITE_P(Shots, ContinuousBall,
                         testing::Combine(testing::Values(Shape::ball), testing::Values(Wall::immovable, Wall::thin)),
                         name_of_shot);

TEST_P(ContinuousBall, returns_the_speed_of_a_hit) {
  each_shot([](const Shot& shot) {
    for (const btScalar speed : {12.f, 30.f, 100.f})
      for (int i = 0; i < 10; ++i) {
        const btScalar x = 1 + speed * time_step * static_cast<btScalar>(i) / 10;
        Range range(shot, btVector3(x, 0, 0), btVector3(-speed, 0, 0));
        range.bullet.step(static_cast<int>(x / (speed * time_step)) + 3);
        EXPECT_NEAR(range.shot->getLinearVelocity().x(), shot.restitution * speed, 1e-4f * speed) << x;
      }
  });
}

// It turns at the floor, with the energy of its fall.
TEST(ContinuousWorld, gives_a_ball_its_height_back) {
  BulletWorld bullet(carom::bullet::Options{});
  bullet.add_ground().setRestitution(1);
  btRigidBody& ball = bullet.add_ball(at(0, 0, 5.25f), 0.25f);
  ball.setRestitution(1);
  watch(ball, 0.2f);
  btScalar top = 0;
  for (int i = 0; i < 1200; ++i) {
    bullet.step();
    if (i >= 1050) top = std::max(top, ball.getWorldTransform().getOrigin().z() - 0.25f);
  }
  EXPECT_NEAR(top, 5, 0.05f);
}

// A body that lands stays on the floor while it slides, and does not hover where Bullet began its sweep.
TEST(ContinuousWorld, lands_on_the_floor) {
  BulletWorld bullet(carom::bullet::Options{});
  bullet.add_box(at(0, 0, -0.5f), 0, btVector3(200, 200, 1)).setFriction(0);
  btRigidBody& ball = bullet.add_ball(at(-90, 0, 1.1f), radius);
  ball.setLinearVelocity(btVector3(40, 0, -15));
  watch(ball, 0.08f);
  bullet.step(10);
  for (int i = 0; i < 100; ++i) {
    bullet.step();
    EXPECT_NEAR(ball.getWorldTransform().getOrigin().z(), radius, 0.01f) << i;
  }
  EXPECT_NEAR(ball.getLinearVelocity().x(), 40, 0.01f);
}

// Joints are where substeps leave them, though Bullet sweeps the body.
TEST(ContinuousWorld, keeps_the_pivot_of_a_fast_pendulum) {
  btScalar lowest[2];
  for (const bool swept : {false, true}) {
    BulletWorld bullet(carom::bullet::Options{});
    btRigidBody& bob = bullet.add_box(at(1, 0, 0));
    const btVector3 pivot(-1, 0, 0);
    bullet.join<btPoint2PointConstraint>(bob, pivot);
    if (swept) watch(bob, 0.4f);
    btScalar error = 0;
    for (int i = 0; i < 300; ++i) {
      bullet.step();
      error = std::max(error, (bob.getWorldTransform() * pivot).length());
    }
    EXPECT_LT(error, 2e-3f);
    lowest[swept] = bob.getWorldTransform().getOrigin().z();
  }
  EXPECT_NEAR(lowest[0], lowest[1], 1e-4f);
}

// A threshold that no body reaches changes no bit.
TEST(ContinuousWorld, changes_nothing_below_its_threshold) {
  btVector3 end[2];
  for (const bool watched : {false, true}) {
    BulletWorld bullet(carom::bullet::Options{});
    bullet.add_ground().setRestitution(1);
    btRigidBody& ball = bullet.add_ball(at(0, 0, 1), radius);
    ball.setRestitution(0.5f);
    ball.setLinearVelocity(btVector3(1, 0, 0));
    if (watched) ball.setCcdMotionThreshold(10);
    bullet.step(100);
    end[watched] = ball.getWorldTransform().getOrigin();
  }
  EXPECT_EQ(end[0], end[1]);
}

}  // namespace
