// A ball with restitution 1 falls on the ground again and again. It should come up to the same height.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr double height = 1;   // [m] of the ball above the ground
constexpr double radius = 0.5;  // [m]
constexpr double time_step = 1.0 / 60;
constexpr double gravity = 9.81;

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = 0;
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {0, 1});
  const btTransform above(btQuaternion::getIdentity(), btVector3(0, 0, static_cast<btScalar>(radius + height)));
  const btRigidBody& ball = world.add(std::make_shared<btSphereShape>(static_cast<btScalar>(radius)), 1, above, {0, 1});

  // Bullet moves a body by h v after v has got -g h. So v belongs to the middle of the step, and what a free fall keeps
  // is (v - g h / 2)² / 2 + g x: the height that the ball comes up to, times g.
  const auto position = [&] { return static_cast<double>(ball.getWorldTransform().getOrigin().z()) - radius; };
  const auto top = [&] {
    const double speed = static_cast<double>(ball.getLinearVelocity().z()) - gravity * time_step / 2;
    return position() + speed * speed / (2 * gravity);
  };
  const double first_top = top();

  const int wanted = arguments.brief ? 10 : 100;
  int bounces = 0;
  double worst_top = 0, worst_position = 0, highest = 0;
  bool falling = true;
  // A hop takes 0.9 s. A ball that stays down ends the run.
  while (bounces <= wanted && world.time() < (wanted + 1) * 1.2) {
    world.step();
    const bool falls = ball.getLinearVelocity().z() <= 0;
    if (falling && !falls) {
      if (bounces > 0) worst_position = std::max(worst_position, std::abs(highest - height));
      ++bounces;
      highest = 0;
    }
    falling = falls;
    highest = std::max(highest, position());
    if (bounces > 0) worst_top = std::max(worst_top, std::abs(top() - first_top));
  }
  if (bounces <= wanted) worst_position = std::max(worst_position, std::abs(highest - height));
  // The positions of the steps miss the top by no more than g h² / 8, 0.034 % of the height.
  return {{"largest error of the height", "%", 100 * worst_top / height, 0, 0.1},
          {"of the highest position after a bounce", "%", 100 * worst_position / height, 0, 0.1},
          {"bounces", "", double(bounces), double(wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"ball", "a ball with restitution 1 keeps its height", {}, run};
  scene.options.time_step = time_step;
  return show(argc, argv, scene);
}
