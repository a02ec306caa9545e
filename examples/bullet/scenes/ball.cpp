// Balls with restitution 1 fall on the ground again and again. Each should come up to the same height.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr double radius = 0.5;  // [m]
constexpr double time_step = 1.0 / 60;
constexpr double gravity = 9.81;
// [m] of the balls above the ground. A ball keeps its phase in the step from bounce to bounce, so each of these heights
// hits the ground at a different point of the step and with a different penetration.
constexpr std::array heights = {1.0, 1.05, 1.19, 1.43, 1.55};

// Bullet moves a body by h v after v has changed by -g h. So v belongs to the middle of the step, and a free fall
// conserves (v - g h / 2)² / 2 + g x: g times the height of the top.
struct Ball {
  const btRigidBody* body;
  double start, first_top = 0;  // [m]
  int bounces = 0;
  double highest = 0, worst_top = 0, worst_position = 0;  // [m] and errors [1]
  bool falling = true;

  double position() const { return static_cast<double>(body->getWorldTransform().getOrigin().z()) - radius; }
  double top() const {
    const double speed = static_cast<double>(body->getLinearVelocity().z()) - gravity * time_step / 2;
    return position() + speed * speed / (2 * gravity);
  }

  void look() {
    const bool falls = body->getLinearVelocity().z() <= 0;
    if (falling && !falls) {
      if (bounces > 0) worst_position = std::max(worst_position, std::abs(highest / start - 1));
      ++bounces;
      highest = 0;
    }
    falling = falls;
    highest = std::max(highest, position());
    if (bounces > 0) worst_top = std::max(worst_top, std::abs(top() / first_top - 1));
  }
};

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = 0;
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {0, 1});
  const auto shape = std::make_shared<btSphereShape>(static_cast<btScalar>(radius));
  std::array<Ball, heights.size()> balls;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const btVector3 place(static_cast<btScalar>(3 * radius * static_cast<double>(i)), 0,
                          static_cast<btScalar>(radius + heights[i]));
    balls[i].body = &world.add(shape, 1, btTransform(btQuaternion::getIdentity(), place), {0, 1});
    balls[i].start = heights[i];
    balls[i].first_top = balls[i].top();
  }

  const int wanted = arguments.brief ? 10 : 100;
  // The highest ball takes 1.12 s for a hop.
  while (world.time() < (wanted + 1) * 1.2) {
    world.step();
    for (Ball& ball : balls)
      if (ball.bounces <= wanted) ball.look();
  }
  double worst_top = 0, worst_position = 0;
  int fewest = std::numeric_limits<int>::max();
  for (const Ball& ball : balls) {
    const bool stays_down = ball.bounces <= wanted;
    worst_top = std::max(worst_top, stays_down ? 1 : ball.worst_top);
    worst_position = std::max(worst_position, stays_down ? 1 : ball.worst_position);
    fewest = std::min(fewest, ball.bounces - 1);
  }
  // The positions of the steps are at most g h² / 8 below the top, 0.034 % of the min. height.
  return {{"largest error of the height", "%", 100 * worst_top, 0, 0.1},
          {"of the highest position after a bounce", "%", 100 * worst_position, 0, 0.1},
          {"bounces of each ball", "", static_cast<double>(fewest), static_cast<double>(wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"ball", "balls with restitution 1 keep their height", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.scene.use<carom::Pgs>();
  return show(argc, argv, scene);
}
