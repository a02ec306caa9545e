// A ball of a thousand times a brick's mass hits a wall of 500 bricks. Energy should only go down.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "measures.hpp"
#include "program.hpp"

namespace {

using namespace carom_scenes;

constexpr int courses = 20, bricks_a_course = 25;
constexpr double length = 0.5, depth = 0.25, height = 0.2, brick_mass = 2;  // [m], [kg]
constexpr double ball_radius = 0.6, ball_mass = 1000 * brick_mass, ball_speed = 8, ball_height = 1.5;
constexpr double overlap = 1e-4;  // [m] Bullet's detector reports a point between boxes only where they overlap
constexpr double time_step = 1.0 / 120, launch = 0.5, gravity = 9.81;

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

btTransform at(const btVector3& place) {
  return btTransform(btQuaternion::getIdentity(), place);
}

using Bricks = std::vector<std::pair<const btRigidBody*, btVector3>>;  // each with its place in the wall

Bricks build(World& world) {
  world.add(std::make_shared<btBoxShape>(vector(50, 50, 1)), 0, at(vector(0, 0, -1)), {0.7, 0});
  const auto brick = std::make_shared<btBoxShape>(vector(length, depth, height) / 2);
  Bricks bricks;
  for (int course = 0; course < courses; ++course)
    for (int i = 0; i < bricks_a_course; ++i) {
      // Neighbours have a gap. Every other course is a third of a brick ahead, so that the bricks at its end are borne.
      const double x = (i - 0.5 * bricks_a_course + (course % 2) / 3.0) * (length + 0.01);
      const btVector3 place = vector(x, 0, (course + 0.5) * height - (course + 1) * overlap);
      bricks.emplace_back(&world.add(brick, brick_mass, at(place), {0.7, 0}), place);
    }
  return bricks;
}

std::vector<Number> run(World& world, const Arguments& arguments) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = 20;
  const Bricks bricks = build(world);
  while (world.time() < launch) world.step();
  btRigidBody& ball = world.add(std::make_shared<btSphereShape>(static_cast<btScalar>(ball_radius)), ball_mass,
                                at(vector(0.1, -(ball_radius + depth), ball_height)), {0.7, 0});
  ball.setLinearVelocity(vector(0, ball_speed, 0));
  world.step();
  const double launched = world.time();
  const double end = arguments.brief ? 0.8 : 6;
  while (world.time() < end) world.step();

  const auto distance = [](const btVector3& a, const btVector3& b) { return static_cast<double>((a - b).length()); };
  double out = 0, in_the_way = 0;
  for (const auto& [brick, place] : bricks) {
    if (distance(brick->getWorldTransform().getOrigin(), place) > depth) ++out;
    if (distance(place, vector(0.1, 0, ball_height)) < ball_radius) ++in_the_way;
  }
  const double brought = ball_mass * ball_speed * ball_speed / 2;
  const double deepest = deepest_penetration({world, 0});
  // [J] upper bound: energy to lift the whole wall out of its max. overlap, times the fraction that a step corrects.
  const double weight = courses * bricks_a_course * brick_mass * gravity;
  const double pushed = weight * static_cast<double>(info.m_erp2) * deepest;
  Number depth_of{"deepest penetration", "mm", 1e3 * deepest};
  // The ball is found in the wall up to a step after they met. The whole run has no mark: later, bricks are driven into
  // the ground by the ball over several steps.
  if (arguments.brief) depth_of.greatest = 1e3 * ball_speed * time_step;
  return {{"rise of energy in a step, of the ball's", "%", 100 * max_energy_rise({world, launched}) / brought, 0,
           100 * pushed / brought},
          {"rise of energy above an earlier value", "%", 100 * max_energy_gain({world, launched}) / brought},
          depth_of,
          // In a short run they have not gone far yet.
          {"bricks knocked out", "", out, arguments.brief ? 1 : in_the_way},
          {"solver, mean of a step", "ms", 1e3 * mean_solver_seconds({world, 0})}};
}

}  // namespace

int main(int argc, char** argv) {
  Scene scene{"wall", "a ball hits a wall of 500 bricks", {}, run};
  scene.options.time_step = time_step;
  return show(argc, argv, scene);
}
