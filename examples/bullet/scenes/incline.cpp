// Blocks with different friction slide down an incline, stop where they should, and stay there.
//
// Friction of more than tan(a) slows a block by d = g (mu cos a - sin a): it stops after v² / (2 d).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr std::array frictions = {0.4, 0.5, 0.6, 0.8, 1.0};
constexpr double inclination = 15 * std::numbers::pi / 180;  // [rad] tan = 0.27
constexpr double speed = 2;                                  // [m/s] down the incline
constexpr double time_step = 1.0 / 240;
constexpr double gravity = 9.81;
const btVector3 half_block(0.2f, 0.15f, 0.1f);
const btVector3 half_incline(4, 2, 0.5f);

btScalar scalar(double number) {
  return static_cast<btScalar>(number);
}

struct Block {
  const btRigidBody* body;
  double slowing;  // [m/s²]
  btVector3 start, rest;
  bool stopped = false;
};

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  const btTransform tilt(btQuaternion(btVector3(0, 1, 0), scalar(inclination)));
  world.add(std::make_shared<btBoxShape>(half_incline), 0, tilt, {1, 0});
  const auto shape = std::make_shared<btBoxShape>(half_block);
  const btVector3 down = tilt.getBasis().getColumn(0);

  std::array<Block, frictions.size()> blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const btVector3 place(-2, scalar(0.6 * (static_cast<double>(i) - 2)), half_incline.z() + half_block.z());
    btRigidBody& body = world.add(shape, 2, tilt * btTransform(btQuaternion::getIdentity(), place), {frictions[i], 0});
    Block& block = blocks[i];
    block.body = &body;
    block.slowing = gravity * (frictions[i] * std::cos(inclination) - std::sin(inclination));
    block.start = body.getWorldTransform().getOrigin();
    // Bullet's velocities belong to the middle of a step: this one to the middle of the step before the first.
    body.setLinearVelocity(down * scalar(speed + block.slowing * time_step / 2));
  }

  // The slowest takes 1.6 s to stop.
  const double end = arguments.brief ? 3 : 12;
  double worst_distance = 0, worst_creep = 0;
  while (world.time() < end) {
    world.step();
    for (Block& block : blocks) {
      const btVector3& at = block.body->getWorldTransform().getOrigin();
      // The distance counts 0.1 s after the block should have stopped, and creep from there on.
      if (world.time() < speed / block.slowing + 0.1) continue;
      if (!block.stopped) {
        block.stopped = true;
        block.rest = at;
        const double distance = static_cast<double>((at - block.start).dot(down));
        const double exact = speed * speed / (2 * block.slowing);
        worst_distance = std::max(worst_distance, std::abs(distance / exact - 1));
      }
      worst_creep = std::max(worst_creep, static_cast<double>((at - block.rest).length()));
    }
  }
  // The last step of a block may miss (d h / (2 v))² of the distance, 0.005 % for the largest d, and rounding 0.002 %
  // of the slowest block's: it loses d h = 5e-3 m/s in a step, to 1e-7 m/s. 0.1 mm is the tolerance of [BS].
  return {{"largest error of the stopping distance", "%", 100 * worst_distance, 0, 0.01},
          {"largest creep after that", "mm", 1000 * worst_creep, 0, 0.1}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"incline", "blocks stop on an incline where they should, and stay there", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.scene.use<carom::Pgs>();
  return show(argc, argv, scene);
}
