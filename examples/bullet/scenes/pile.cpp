// 2000 boxes fall onto the ground and should fall asleep, as Bullet lets them: an island whose bodies have all been
// slow for two seconds.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "boxes.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

std::uint32_t seed = 1;

std::vector<Number> run(World& world, const Arguments& arguments) {
  const int layers = arguments.brief ? 2 : 20;
  constexpr double edge = 0.5, friction = 0.5, apart = 0.75;
  add_ground(world, friction);
  std::mt19937 random(seed);
  const auto draw = [&](double most) { return most * (2 * static_cast<double>(random()) / 4294967295.0 - 1); };
  std::vector<btRigidBody*> boxes;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j) {
        const btVector3 at = vector((i - 4.5) * apart + draw(0.1), (j - 4.5) * apart + draw(0.1), 0.5 + apart * layer);
        btQuaternion turn(static_cast<btScalar>(draw(1)), static_cast<btScalar>(draw(1)),
                          static_cast<btScalar>(draw(1)));
        boxes.push_back(&add_box(world, vector(edge, edge, edge), 1, btTransform(turn, at), friction));
      }
  const double end = arguments.brief ? 15 : 30;
  double asleep_at = -1;
  long awake = 0;
  while (world.time() < end) {
    world.step();
    awake = std::count_if(boxes.begin(), boxes.end(), [](const btRigidBody* box) { return box->isActive(); });
    if (awake > 0) asleep_at = -1;
    if (awake == 0 && asleep_at < 0) asleep_at = world.time();
  }
  const double last = end - 2;
  return {
      at_most(arguments.brief ? "boxes awake after 15 s" : "boxes awake after 30 s", "", static_cast<double>(awake), 0),
      told("all asleep from (-1: not yet)", "s", asleep_at),
      told("greatest energy in the last 2 s", "mJ", 1e3 * max_kinetic_energy({world, last})),
      at_most("deepest penetration then", "mm", 1e3 * deepest_penetration({world, last}), 15),
      told("solver, mean of a step", "ms", 1e3 * mean_solver_seconds({world, 0}))};
}

}  // namespace

int main(int argc, char** argv) {
  Scene scene{"pile", "boxes fall and fall asleep", {}, run};
  scene.options.time_step = 1.0 / 60;
  scene.options.sleeping = true;
  scene.add_options = [](CLI::App& app) {
    app.add_option("--seed", seed, "Of the boxes' places")->capture_default_str();
  };
  return show(argc, argv, scene);
}
