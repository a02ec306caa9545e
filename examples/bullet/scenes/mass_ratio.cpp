// Heavy bodies on light ones: cubes of 200 and 1000 times the mass, and a heavy box on and within small ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "boxes.hpp"
#include "faces.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double friction = 0.5;

double height(const btRigidBody& body) {
  return static_cast<double>(body.getWorldTransform().getOrigin().z());
}

// Initial gap of the cubes, and the source of their contacts: their faces (faces.hpp) or Bullet's detector.
struct Fall {
  double separation = 0.01;  // [m] below each
  bool faces = false;
};

// Rapier's test: a cube of a metre on another one, both fall a little first.
std::vector<Number> run_cubes(World& world, const Arguments& /*arguments*/, double ratio, const Fall& fall) {
  btRigidBody& ground = add_ground(world, friction);
  btRigidBody& light = add_box(world, vector(1, 1, 1), 1, place(0, 0, 0.5 + fall.separation), friction);
  btRigidBody& heavy = add_box(world, vector(1, 1, 1), ratio, place(0, 0, 1.5 + 2 * fall.separation), friction);
  std::optional<Faces> faces;
  if (fall.faces) {
    const std::array<btVector3, 4> corners = {vector(-0.5, -0.5, -0.5), vector(0.5, -0.5, -0.5), vector(0.5, 0.5, -0.5),
                                              vector(-0.5, 0.5, -0.5)};
    const btVector3 up = vector(0, 0, 1);
    faces.emplace(world);
    faces->add(light, corners, ground, up, up, friction);
    faces->add(heavy, corners, light, up / 2, up, friction);
    faces->without_detection();
  }
  while (world.time() < 5) world.step();
  return {within("height of the light cube", "m", height(light), 0.3, 0.7),
          within("height of the heavy one", "m", height(heavy), 1.2, 1.8),
          at_most("greatest speed after 5 s", "m/s", std::max(corner_speed(light), corner_speed(heavy)), 0.1),
          at_most("deepest overlap after 1 s", "mm", 1e3 * deepest_penetration({world, 1}), 8),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// Layers of 16 small boxes of a kilogram; a slab of 1000 kg lies on `below` of them and bears `above`.
std::vector<Number> run_layers(World& world, const Arguments& arguments, int below, int above) {
  constexpr double edge = 0.5, separation = 0.02, slab = 0.4, mass = 1000;
  add_ground(world, friction);
  std::vector<const btRigidBody*> bodies;
  double top = 0;
  const auto add_layer = [&] {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        bodies.push_back(&add_box(
            world, vector(edge, edge, edge), 1,
            place((i - 1.5) * (edge + separation), (j - 1.5) * (edge + separation), top + edge / 2), friction));
    top += edge;
  };
  for (int i = 0; i < below; ++i) add_layer();
  bodies.push_back(&add_box(world, vector(2.2, 2.2, slab), mass, place(0, 0, top + slab / 2), friction));
  top += slab;
  for (int i = 0; i < above; ++i) add_layer();
  const Drift all(bodies);
  const double end = arguments.brief ? 4 : 20;
  while (world.time() < end / 2) world.step();
  const Drift late(bodies);
  double moved = 0;
  while (world.time() < end) {
    world.step();
    moved = std::max(moved, late.largest());
  }
  return {at_most("a corner moves in all", "mm", 1e3 * all.largest(), 30),
          at_most("in the second half", "mm", 1e3 * moved, 1),
          at_most("deepest overlap after 1 s", "mm", 1e3 * deepest_penetration({world, 1}), 8),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// Small boxes fall into a bin and settle; then the heavy box is laid on them.
std::vector<Number> run_heap(World& world, const Arguments& arguments, std::uint32_t seed) {
  constexpr double edge = 0.25, wide = 2, mass = 1000;
  add_ground(world, friction);
  for (const double side : {-1.0, 1.0}) {
    add_box(world, vector(1, wide + 2, 4), 0, place(side * (wide / 2 + 0.5), 0, 2), friction);
    add_box(world, vector(wide + 2, 1, 4), 0, place(0, side * (wide / 2 + 0.5), 2), friction);
  }
  std::mt19937 random(seed);
  const auto draw = [&](double most) { return most * (2 * static_cast<double>(random()) / 4294967295.0 - 1); };
  const int layers = arguments.brief ? 4 : 8;
  std::vector<btRigidBody*> boxes;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const btVector3 at = vector((i - 1.5) * 0.45 + draw(0.05), (j - 1.5) * 0.45 + draw(0.05), 0.3 + 0.45 * layer);
        const btQuaternion turn(static_cast<btScalar>(draw(1)), static_cast<btScalar>(draw(1)),
                                static_cast<btScalar>(draw(1)));
        boxes.push_back(&add_box(world, vector(edge, edge, edge), 1, btTransform(turn, at), friction));
      }
  while (world.time() < 4) world.step();
  double top = 0;
  for (const btRigidBody* box : boxes) {
    btVector3 least, most;
    box->getAabb(least, most);
    top = std::max(top, static_cast<double>(most.z()));
  }
  btRigidBody& heavy = add_box(world, vector(1, 1, 1), mass, place(0, 0, top + 0.5), friction);
  const double laid = world.time(), end = laid + (arguments.brief ? 4 : 12);
  while (world.time() < end - 2) world.step();
  const Drift drift({&heavy});
  double fastest = 0;
  while (world.time() < end) {
    world.step();
    fastest = std::max(fastest, corner_speed(heavy));
  }
  int lost = 0;
  for (const btRigidBody* box : boxes) {
    const btVector3 at = box->getWorldTransform().getOrigin();
    lost += std::abs(at.x()) > wide / 2 || std::abs(at.y()) > wide / 2 || at.z() < 0;
  }
  return {at_most("small boxes pressed out of the bin", "", lost, 0),
          at_most("the heavy one moves in the last 2 s", "mm", 1e3 * drift.largest(), 1),
          at_most("its speed then", "mm/s", 1e3 * fastest, 10),
          at_most("deepest overlap in the last 2 s", "mm", 1e3 * deepest_penetration({world, end - 2}), 12),
          told("the deepest of all", "mm", 1e3 * deepest_penetration({world, laid})),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, laid}))};
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  Fall fall;
  std::vector<Scene> scenes;
  const auto add = [&](const char* name, const char* title, auto run) {
    scenes.push_back({name, title, {}, run});
    scenes.back().options.time_step = 0.01;
    scenes.back().add_options = [&](CLI::App& app) {
      app.add_option("--seed", seed, "Of the boxes that fall")->capture_default_str();
      app.add_option("--separation", fall.separation, "Below each of two cubes [m]")->capture_default_str();
      app.add_flag("--faces", fall.faces, "Contacts of the two cubes by their faces, not Bullet's");
    };
  };
  add("cubes200", "a cube on one of a 200th of its mass",
      [&](World& world, const Arguments& arguments) { return run_cubes(world, arguments, 200, fall); });
  add("cubes1000", "a cube on one of a 1000th of its mass",
      [&](World& world, const Arguments& arguments) { return run_cubes(world, arguments, 1000, fall); });
  add("on", "a slab of 1000 kg on 48 boxes of 1 kg",
      [](World& world, const Arguments& arguments) { return run_layers(world, arguments, 3, 0); });
  add("in", "a slab of 1000 kg among 64 boxes of 1 kg",
      [](World& world, const Arguments& arguments) { return run_layers(world, arguments, 2, 2); });
  add("heap", "a box of 1000 kg on a heap of boxes of 1 kg",
      [&seed](World& world, const Arguments& arguments) { return run_heap(world, arguments, seed); });
  return show_all(argc, argv, "mass_ratio", scenes);
}
