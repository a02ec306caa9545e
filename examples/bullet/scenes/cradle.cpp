// The office toy: of five balls in a row as many leave on one side as hit on the other, and they rise as high.
//
// Each ball hangs by a hinge, and the balls hit each other at their centres of percussion: so far below the centre of
// mass that a blow there turns the ball about its hinge by itself, as I / (m l) is, with I the inertia and l the distance
// of the centre of mass from the hinge. Hinges have no share in a collision then.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr std::size_t count = 5;
constexpr double radius = 0.01;  // [m]
constexpr double mass = 0.033;   // [kg] steel
constexpr double inertia = 0.4 * mass * radius * radius;
constexpr double length = 0.14;  // [m] from the hinge to the centre of mass
constexpr double percussion = inertia / (mass * length);
constexpr double lift = 30 * std::numbers::pi / 180;  // [rad]

btScalar scalar(double number) { return static_cast<btScalar>(number); }

struct Cradle {
  std::array<btRigidBody*, count> balls{};
  std::size_t lifted = 0;

  // [1] height above the lowest point, a share of that of the lifted balls; with the sign of the side
  double height(std::size_t i) const {
    const btVector3 up = balls[i]->getWorldTransform().getBasis().getColumn(2);
    const double share = (1 - static_cast<double>(up.z())) / (1 - std::cos(lift));
    return up.x() < 0 ? share : -share;
  }
};

Cradle add_cradle(carom_scenes::World& world, std::size_t lifted, double y) {
  Cradle cradle;
  cradle.lifted = lifted;
  static btSphereShape sphere{scalar(radius)};
  const auto shape = std::make_shared<btCompoundShape>();
  shape->addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, scalar(-percussion))), &sphere);
  const btVector3 hinge(0, 0, scalar(length)), axis(0, 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const btQuaternion turn(axis, scalar(i < lifted ? lift : 0));
    const btVector3 pivot(scalar(2 * radius * static_cast<double>(i)), scalar(y), scalar(length));
    const btTransform pose(turn, pivot - quatRotate(turn, hinge));
    btRigidBody& ball = world.add(shape, mass, pose, {0, 1});
    ball.setMassProps(scalar(mass), btVector3(scalar(inertia), scalar(inertia), scalar(inertia)));
    ball.updateInertiaTensor();
    world.add(std::make_unique<btHingeConstraint>(ball, hinge, axis));
    world.watch_joint(ball, hinge, btTypedConstraint::getFixedBody(), pivot);
    cradle.balls[i] = &ball;
  }
  return cradle;
}

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = 0;
  std::array cradles = {add_cradle(world, 1, 0), add_cradle(world, 2, 0.1)};
  double joint=0;
  while (world.time() < (arguments.brief ? 0.8 : 10)) {
    joint = std::max(joint, world.step().joint_error);
    if (getenv("TT") && int(world.time()*1000)%20==0) for (auto& c : cradles) {
      printf("%.3f", world.time()); for (std::size_t i=0;i<count;++i) printf(" %8.4f", c.height(i)); puts(""); }
  }
  return {{"joint error", "mm", 1000 * joint}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"cradle", "Newton's cradle: as many balls leave as hit", {}, run};
  scene.options.time_step = 1.0 / 1000;
  scene.options.solver.collisions = carom::bullet::Collisions::sequence;
  return show(argc, argv, scene);
}
