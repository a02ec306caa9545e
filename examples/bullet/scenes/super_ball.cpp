// A super ball with normal and tangential restitution 1 hops between two points: each bounce reverses its spin and its
// velocity along the ground.
//
// The point of contact moves along the ground with u = v - R w, with v the velocity along it and w the spin. A solid
// ball has 2/5 m R² as inertia, so that an impulse p gives p / m to v and -5/2 p / m to R w. The contact reverses u if
// p / m = -4/7 u. A ball with R w = -5/2 v, without angular momentum about the point, has u = 7/2 v then, and leaves
// with -v and -w.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr double radius = 0.025;  // [m]
constexpr double mass = 0.065;    // [kg]
constexpr double height = 1;      // [m]
constexpr double speed = 1;       // [m/s] along the ground
// The impulse needs friction of 2 v / (2 sqrt(2 g height)) = 0.23.
constexpr double friction = 0.5;

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = 0;
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {1, 1});
  const btTransform above(btQuaternion::getIdentity(), btVector3(0, 0, static_cast<btScalar>(radius + height)));
  btRigidBody& ball =
      world.add(std::make_shared<btSphereShape>(static_cast<btScalar>(radius)), mass, above, {friction, 1});
  const double spin = -2.5 * speed / radius;
  ball.setLinearVelocity(btVector3(static_cast<btScalar>(speed), 0, 0));
  ball.setAngularVelocity(btVector3(0, static_cast<btScalar>(spin), 0));

  const std::size_t wanted = arguments.brief ? 4 : 20;
  std::size_t bounces = 0;
  double worst_speed = 0, worst_spin = 0, drift = 0;
  std::array<double, 2> landing{};
  bool falling = true;
  // A hop takes 0.9 s.
  while (bounces < wanted && world.time() < static_cast<double>(wanted) * 1.2) {
    const double x = static_cast<double>(ball.getWorldTransform().getOrigin().x());
    world.step();
    const bool falls = ball.getLinearVelocity().z() <= 0;
    if (falling && !falls) {
      if (bounces < 2)
        landing[bounces] = x;
      else
        drift = std::max(drift, std::abs(x - landing[bounces % 2]));
      ++bounces;
      const double sign = bounces % 2 == 0 ? 1 : -1;
      const double v = static_cast<double>(ball.getLinearVelocity().x());
      const double w = static_cast<double>(ball.getAngularVelocity().y());
      worst_speed = std::max(worst_speed, std::abs(v - sign * speed) / speed);
      worst_spin = std::max(worst_spin, std::abs(w - sign * spin) / std::abs(spin));
    }
    falling = falls;
  }
  // Bullet has the point of contact in world coordinates, which are rounded by 3e-8 m. There the normal impulse, 2 m
  // sqrt(2 g height), causes an error of R w of 2.7e-5 m/s. v² + 2/5 (R w)² is conserved from bounce to bounce, so
  // errors add up: 20 bounces cause up to 3.4e-4 m/s of v and 5.4e-4 m/s of R w.
  return {{"largest error of the spin", "%", 100 * worst_spin, 0, 100 * 5.4e-4 / (2.5 * speed)},
          {"largest error of the velocity along the ground", "%", 100 * worst_speed, 0, 100 * 3.4e-4 / speed},
          {"largest shift of the landing points", "mm", 1000 * drift},
          {"bounces", "", static_cast<double>(bounces), static_cast<double>(wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"super_ball", "a super ball reverses its spin bounce after bounce", {}, run};
  scene.options.time_step = 1.0 / 240;
  scene.options.solver.scene.use<carom::Pgs>();
  scene.options.solver.collisions = carom::SequentialImpacts{.law = carom::Law::chatterjee_ruina};
  scene.options.solver.tangential_restitution = 1;
  return show(argc, argv, scene);
}
