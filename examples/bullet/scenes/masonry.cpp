// Masonry without mortar: arches of wedges, a tower from which a block is pulled, a pile of sheets.
//
// Contacts of arches and sheets come from their faces (faces.hpp), contacts of the tower from Bullet.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "boxes.hpp"
#include "faces.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double pi = std::numbers::pi;

struct Arch {
  int wedges = 25;
  double keystone = 1;                              // its density, of the others'
  double radius = 5, thickness = 1.2, width = 1.2;  // [m] a semicircle of this mean radius
  double friction = 0.8, density = 2000;            // [1], [kg/m³]
};

// Wedges have their frame in their centre, z along the radius. Bullet gives a hull the inertia of the box about it.
std::vector<btRigidBody*> build(World& world, Faces& faces, const Arch& arch) {
  const double half = pi / (2 * arch.wedges), inner = arch.radius - arch.thickness / 2,
               outer = arch.radius + arch.thickness / 2;
  const double a = 2 * inner * std::sin(half), b = 2 * outer * std::sin(half), high = (outer - inner) * std::cos(half);
  const double centre = inner * std::cos(half) + high / 3 * (a + 2 * b) / (a + b);
  const double mass = arch.density * arch.width * high * (a + b) / 2;
  const auto corner = [&](double side, double r, double y) {
    return vector(side * r * std::sin(half), y * arch.width / 2, r * std::cos(half) - centre);
  };
  const auto shape = std::make_shared<btConvexHullShape>();
  for (const double side : {-1.0, 1.0})
    for (const double r : {inner, outer})
      for (const double y : {-1.0, 1.0}) shape->addPoint(corner(side, r, y));
  shape->setMargin(0);
  std::vector<btRigidBody*> wedges;
  for (int i = 0; i < arch.wedges; ++i) {
    const double angle = (2 * i + 1) * half;
    const bool end = i == 0 || i + 1 == arch.wedges;
    const double own = end ? 0 : mass * (2 * i + 1 == arch.wedges ? arch.keystone : 1);
    const btQuaternion turn(btVector3(0, 1, 0), static_cast<btScalar>(pi / 2 - angle));
    wedges.push_back(&world.add(shape, own,
                                btTransform(turn, vector(std::cos(angle), 0, std::sin(angle)) * btScalar(centre)),
                                rubbing(arch.friction)));
  }
  for (std::size_t i = 0; i + 1 < wedges.size(); ++i)
    faces.add(*wedges[i], {corner(-1, inner, -1), corner(-1, inner, 1), corner(-1, outer, 1), corner(-1, outer, -1)},
              *wedges[i + 1], corner(1, inner, 0), vector(std::cos(half), 0, -std::sin(half)), arch.friction);
  faces.without_detection();
  return wedges;
}

std::vector<Number> run_arch(World& world, const Arguments& arguments, const Arch& arch) {
  Faces faces(world);
  const std::vector<btRigidBody*> wedges = build(world, faces, arch);
  const btRigidBody& crown = *wedges[wedges.size() / 2];
  const btVector3 start = crown.getWorldTransform().getOrigin();
  const double end = arguments.brief ? 6 : 20;
  while (world.time() < end - 2) world.step();
  const Drift last({&crown});
  const Drift all(std::vector<const btRigidBody*>(wedges.begin(), wedges.end()));
  double moved = 0, speed = 0;
  while (world.time() < end) {
    world.step();
    moved = std::max(moved, last.largest());
    speed = std::max(speed, static_cast<double>(crown.getLinearVelocity().length()));
  }
  const double sunk = static_cast<double>(start.z() - crown.getWorldTransform().getOrigin().z());
  return {at_most("the crown moves in the last 2 s", "mm", 1e3 * moved, 1),
          at_most("its greatest speed then", "mm/s", 1e3 * speed, 1),
          told("any wedge moves then", "mm", 1e3 * all.largest()),
          at_most("the crown has sunk in all", "mm", 1e3 * sunk, 100),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// 18 layers of three blocks, each across the one below. A hand pulls out the middle block of one layer, by a joint.
std::vector<Number> run_tower(World& world, const Arguments& arguments) {
  constexpr int layers = 18, pulled_layer = 8;
  constexpr double length = 0.75, breadth = 0.25, height = 0.15, loose = 0.01,
                   mass = 10;                               // [m], [kg] ten times the toy's length
  constexpr double friction = 0.4, speed = 0.2, begin = 2;  // [1], [m/s] of the hand, [s]
  add_ground(world, friction);
  btRigidBody* pulled = nullptr;
  std::vector<const btRigidBody*> others;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = -1; i <= 1; ++i) {
      const bool along_x = layer % 2 == 0;
      // Players choose a loose block. One that bears its share may drag others along under any solver.
      const double tall = layer == pulled_layer && i == 0 ? height - loose : height;
      const btVector3 size = along_x ? vector(length, breadth, tall) : vector(breadth, length, tall);
      const double z = layer * height + tall / 2;
      btRigidBody& block =
          add_box(world, size, mass, along_x ? place(0, i * breadth, z) : place(i * breadth, 0, z), friction);
      if (layer == pulled_layer && i == 0)
        pulled = &block;
      else
        others.push_back(&block);
    }
  while (world.time() < begin) world.step();
  const Drift by_pull(others);
  btTransform at = pulled->getWorldTransform();
  btRigidBody& hand = add_box(world, vector(0.05, 0.05, 0.05), 0, at, friction);
  hand.setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT | btCollisionObject::CF_NO_CONTACT_RESPONSE);
  world.add(std::make_unique<btPoint2PointConstraint>(*pulled, hand, btVector3(0, 0, 0), btVector3(0, 0, 0)));
  world.watch_joint(*pulled, btVector3(0, 0, 0), hand, btVector3(0, 0, 0));
  const btScalar way = static_cast<btScalar>(speed * world.options().time_step);
  for (double out = 0; out < 2 * length; out += speed * world.options().time_step) {
    at.getOrigin().setX(at.getOrigin().x() + way);
    hand.setWorldTransform(at);
    world.step();
  }
  const double moved = by_pull.largest(), end_of_pull = world.time(), wait = arguments.brief ? 2 : 10;
  while (world.time() < end_of_pull + wait / 2) world.step();
  const Drift after(others);
  while (world.time() < end_of_pull + wait) world.step();
  return {at_most("others move by the pull", "mm", 1e3 * moved, 10),
          at_most("others move after it, second half", "mm", 1e3 * after.largest(), 1),
          at_most("joint of block and hand", "mm", 1e3 * max_joint_error({world, 0}), 10),
          told("deepest penetration", "mm", 1e3 * deepest_penetration({world, 0})),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// Sheets of a gram on one another, each on the whole face of the one below.
std::vector<Number> run_sheets(World& world, const Arguments& arguments) {
  const int count = arguments.brief ? 30 : 100;
  constexpr double side = 0.2, thick = 0.001, mass = 0.001, friction = 0.5;
  Faces faces(world);
  btRigidBody* below = &add_ground(world, friction);
  const auto shape = std::make_shared<btBoxShape>(vector(side, side, thick) / 2);
  shape->setMargin(static_cast<btScalar>(thick / 10));
  const double h = side / 2, d = thick / 2;
  const std::array<btVector3, 4> corners = {vector(-h, -h, -d), vector(h, -h, -d), vector(h, h, -d), vector(-h, h, -d)};
  std::vector<const btRigidBody*> sheets;
  for (int i = 0; i < count; ++i) {
    btRigidBody& sheet = world.add(shape, mass, place(0, 0, (i + 0.5) * thick), rubbing(friction));
    faces.add(sheet, corners, *below, vector(0, 0, i == 0 ? 1 : d), vector(0, 0, 1), friction);
    sheets.push_back(&sheet);
    below = &sheet;
  }
  faces.without_detection();
  const double end = arguments.brief ? 3 : 10;
  while (world.time() < end / 2) world.step();
  const Drift drift(sheets);
  const double since = static_cast<double>(below->getWorldTransform().getOrigin().z());
  while (world.time() < end) world.step();
  const double sinks = since - static_cast<double>(below->getWorldTransform().getOrigin().z());
  double aside = 0, tilt = 0;
  for (const btRigidBody* sheet : sheets) {
    const btVector3 at = sheet->getWorldTransform().getOrigin();
    aside = std::max(aside, std::hypot(static_cast<double>(at.x()), static_cast<double>(at.y())));
    const btVector3 up = sheet->getWorldTransform().getBasis().getColumn(2);
    tilt = std::max(tilt, std::hypot(static_cast<double>(up.x()), static_cast<double>(up.y())));
  }
  return {at_most("overlap, second half", "µm", 1e6 * deepest_penetration({world, end / 2}), 20),
          at_most("the top settles at", "µm/s", 1e6 * std::abs(sinks) / (end / 2), 1),
          at_most("drift", "mm", 1e3 * aside, 0.1),
          at_most("tilt", "°", 180 / pi * tilt, 0.1),
          told("a corner moves in the second half", "µm", 1e6 * drift.largest()),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes;
  const auto add_arch = [&](const char* name, const char* title, const Arch& arch) {
    scenes.push_back({name, title, {}, [arch](World& world, const Arguments& arguments) {
                        return run_arch(world, arguments, arch);
                      }});
  };
  add_arch("arch", "an arch of 25 wedges stands", {});
  add_arch("keystone", "an arch of 25 wedges bears a keystone of ten times the mass", {.keystone = 10});
  add_arch("arch101", "an arch of 101 wedges stands", {.wedges = 101});
  scenes.push_back({"tower", "a block is pulled out of a tower of 54", {}, run_tower});
  scenes.push_back({"sheets", "a pile of sheets rests", {}, run_sheets});
  for (Scene& scene : scenes) {
    scene.options.time_step = 0.01;
  }
  // Sheets of 1 mm would sink into one another with the slop for bodies of a metre, and a small slop needs substeps.
  auto& for_sheets = scenes.back().options.solver.scene.use<carom::Substeps>();
  for_sheets.position_correction.slop = 1e-5;
  for_sheets.max_substeps = 256;
  return show_all(argc, argv, "masonry", scenes);
}
