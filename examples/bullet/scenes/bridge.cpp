// A chain bridge: planks that hinges hold together, both ends fixed, with boxes on it. Its joints should open no
// further than they do under Bullet's own solver in the same time.
#include <algorithm>
#include <cmath>
#include <vector>

#include "measures.hpp"
#include "program.hpp"

namespace {

using namespace carom_scenes;

constexpr int planks = 24, boxes = 5;
constexpr double length = 0.5, width = 1.5, thickness = 0.06, plank_mass = 20;  // [m], [kg]
constexpr double box_edge = 0.5, box_distance = 0.6, box_mass = 20;
constexpr double horizontal_tension = planks * plank_mass;  // as a mass in [kg]
constexpr double settled = 10;                              // [s]
// Bullet gets the iterations that take it longer than carom takes for its own, set-up included.
constexpr int bullet_iterations = 15, carom_iterations = 8;

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

btRigidBody& add_box(World& world, const btVector3& size, double mass, const btVector3& at, double slope = 0) {
  const btQuaternion turn(btVector3(0, 1, 0), static_cast<btScalar>(slope));
  return world.add(std::make_shared<btBoxShape>(size / 2), mass, btTransform(turn, at), {0.7, 0});
}

// A hinge about y at a point of the world. Its error is looked at where its axis ends.
void add_hinge(World& world, btRigidBody& a, btRigidBody& b, const btVector3& pivot) {
  const btTransform to_a = a.getWorldTransform().inverse(), to_b = b.getWorldTransform().inverse();
  const btVector3 axis(0, 1, 0);
  world.add(std::make_unique<btHingeConstraint>(a, b, to_a * pivot, to_b * pivot, to_a.getBasis() * axis,
                                                to_b.getBasis() * axis));
  for (const double side : {-0.5, 0.5}) {
    const btVector3 end = pivot + axis * static_cast<btScalar>(side * width);
    world.watch_joint(a, to_a * end, b, to_b * end);
  }
}

// [rad] downwards, of plank i in the shape in which the loaded chain hangs: its tension has the same horizontal part
// everywhere, and the vertical part is the weight between the plank and the middle.
double slope_of(int i) {
  const double outwards = 0.5 * (planks - 1) - i;             // planks from here to the middle
  const double loaded = 0.5 * boxes * box_distance / length;  // planks under half of the boxes
  const double boxes_between = 0.5 * boxes * std::clamp(outwards / loaded, -1.0, 1.0);
  return std::atan((plank_mass * outwards + box_mass * boxes_between) / horizontal_tension);
}

void build(World& world) {
  const btVector3 abutment = vector(1, width, 1);
  std::vector<btVector3> joints = {vector(0, 0, 0)};
  btRigidBody* last = &add_box(world, abutment, 0, vector(-0.5, 0, -0.5));
  for (int i = 0; i < planks; ++i) {
    const double slope = slope_of(i);
    const btVector3 along = vector(length * std::cos(slope), 0, -length * std::sin(slope));
    btRigidBody& plank = add_box(world, vector(length, width, thickness), plank_mass, joints.back() + along / 2, slope);
    plank.setDamping(btScalar(0.1), btScalar(0.1));
    add_hinge(world, *last, plank, joints.back());
    joints.push_back(joints.back() + along);
    last = &plank;
  }
  add_hinge(world, *last, add_box(world, abutment, 0, joints.back() + vector(0.5, 0, -0.5)), joints.back());

  const double middle = static_cast<double>(joints.back().x()) / 2;
  for (int i = 0; i < boxes; ++i) {
    const double x = middle + box_distance * (i - 0.5 * (boxes - 1));
    // The planks below the box end at joints, of which the highest keeps it up.
    double ground = -100;
    for (const btVector3& joint : joints)
      if (std::abs(static_cast<double>(joint.x()) - x) <= box_edge / 2 + length)
        ground = std::max(ground, static_cast<double>(joint.z()));
    add_box(world, vector(box_edge, box_edge, box_edge), box_mass, vector(x, 0, ground + thickness + box_edge / 2));
  }
}

std::vector<Number> run(World& world, const Arguments& arguments) {
  const bool bullet = world.responder() != Responder::carom;
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = bullet ? bullet_iterations : carom_iterations;
  build(world);
  const double end = arguments.brief ? 15 : 60;
  while (world.time() < end) world.step();

  Number error{"joint error when settled", "mm", 1e3 * max_joint_error({world, settled})};
  Number largest{"joint error at any time", "mm", 1e3 * max_joint_error({world, 0})};
  Number time{"solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})};
  error.bullet_ratio = largest.bullet_ratio = 1;
  // The short run is a test on machines that may do other work at the same time.
  if (!arguments.brief) time.bullet_ratio = 1;
  return {error,
          largest,
          time,
          {"kinetic energy when settled", "J", max_kinetic_energy({world, settled})},
          {"deepest penetration when settled", "mm", 1e3 * deepest_penetration({world, settled})}};
}

}  // namespace

int main(int argc, char** argv) {
  Scene scene{"bridge", "a chain bridge of hinges bears boxes", {}, run};
  scene.options.time_step = 1.0 / 120;
  return show(argc, argv, scene);
}
