// Scenes of the size of a game's frame: a box, a stack of ten boxes, heaps of fifty and of two hundred. Bodies may fall
// asleep. --times measures the cost of the solvers.
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "boxes.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double no_mark = std::numeric_limits<double>::infinity();
constexpr double edge = 1, mass = 1, friction = 0.5;  // [m], [kg], [1]
std::uint32_t seed = 1;

btVector3 cube() {
  return vector(edge, edge, edge);
}

void build_stack(World& world, int boxes) {
  for (int i = 0; i < boxes; ++i) add_box(world, cube(), mass, place(0, 0, (i + 0.5) * edge), friction);
}

// Layers of 5 × 5 boxes that are turned at random fall onto the ground.
void build_heap(World& world, int layers) {
  std::mt19937 random(seed);
  const auto draw = [&](double most) { return most * (2 * static_cast<double>(random()) / 4294967295.0 - 1); };
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        const btVector3 at = vector(1.5 * (i - 2) + draw(0.2), 1.5 * (j - 2) + draw(0.2), 1 + 1.5 * layer);
        const btVector3 axis = vector(draw(1), draw(1), draw(1));
        add_box(world, cube(), mass, btTransform(btQuaternion(axis.normalized(), static_cast<btScalar>(draw(3))), at),
                friction);
      }
}

Scene scene_of(const char* name, const char* title, void (*build)(World&, int), int size, double max_overlap) {
  return {name, title, {}, [=](World& world, const Arguments& arguments) -> std::vector<Number> {
            add_ground(world, friction);
            build(world, size);
            const double end = arguments.brief ? 4 : 10;
            while (world.time() < end) world.step();
            return {at_most("deepest penetration, second half", "mm", 1e3 * deepest_penetration({world, end / 2}),
                            max_overlap),
                    told("greatest energy, last second", "mJ", 1e3 * max_kinetic_energy({world, end - 1})),
                    told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
          }};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes = {scene_of("box", "a box lies on the ground", build_stack, 1, 8),
                               scene_of("ten", "a stack of ten boxes", build_stack, 10, 8),
                               scene_of("fifty", "fifty boxes fall into a heap", build_heap, 2, no_mark),
                               scene_of("heap200", "two hundred boxes fall into a heap", build_heap, 8, no_mark)};
  for (Scene& scene : scenes) {
    scene.options.sleeping = true;
    scene.add_options = [](CLI::App& app) {
      app.add_option("--seed", seed, "Of the boxes' places")->capture_default_str();
    };
  }
  return show_all(argc, argv, "few", scenes);
}
