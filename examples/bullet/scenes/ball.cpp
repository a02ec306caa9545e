// A ball with restitution 1 falls on the ground again and again. It should come up to the same height.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr double height = 1;    // [m] of the ball above the ground
constexpr double radius = 0.5;  // [m]
constexpr double gravity = 9.81;

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = 0;
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {0, 1});
  const btTransform above(btQuaternion::getIdentity(), btVector3(0, 0, static_cast<btScalar>(radius + height)));
  const btRigidBody& ball = world.add(std::make_shared<btSphereShape>(static_cast<btScalar>(radius)), 1, above, {0, 1});

  const int wanted = arguments.brief ? 10 : 100;
  int bounces = 0;
  double top = 0, worst = 0, last_speed = 0;
  // A bounce takes 0.9 s; a ball that stays down ends the run.
  while (bounces <= wanted && world.time() < wanted * 1.2) {
    world.step();
    const double speed = ball.getLinearVelocity().z();
    if (last_speed <= 0 && speed > 0) {
      if (bounces > 0) worst = std::max(worst, std::abs(top - height));
      ++bounces;
      top = 0;
    }
    last_speed = speed;
    // Between steps the ball may be higher by what it rises under gravity yet.
    const double z = ball.getWorldTransform().getOrigin().z() - radius;
    top = std::max(top, z + (speed > 0 ? speed * speed / (2 * gravity) : 0.0));
  }
  if (bounces <= wanted) worst = height;
  return {{"largest error of the height", "%", 100 * worst / height, 0, 0.1},
          {"bounces", "", double(bounces), double(wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"ball", "a ball with restitution 1 keeps its height", {}, run};
  return show(argc, argv, scene);
}
