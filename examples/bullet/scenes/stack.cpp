// Two stacks of 20 boxes, one of them with a box of 400 times the mass on top. Both should stand still for a minute.
#include <algorithm>
#include <cmath>

#include "measures.hpp"
#include "program.hpp"

namespace {

using namespace carom_scenes;

constexpr int count = 20;
constexpr double edge = 1, mass = 1, heavy = 400;  // [m], [kg] of a box, [kg] of the box on top
constexpr double time_step = 1.0 / 60, settled = 0.5;
// Bullet's detector reports a point between boxes only where they overlap.
constexpr double overlap = 1e-4;  // [m]
constexpr double gravity = 9.81;

std::shared_ptr<btBoxShape> box(double x, double y, double z) {
  return std::make_shared<btBoxShape>(
      btVector3(static_cast<btScalar>(x / 2), static_cast<btScalar>(y / 2), static_cast<btScalar>(z / 2)));
}

// A stack at x, with separate ground.
std::vector<const btRigidBody*> build(World& world, double x, double top_mass) {
  const auto at = [&](double z) {
    return btTransform(btQuaternion::getIdentity(), btVector3(static_cast<btScalar>(x), 0, static_cast<btScalar>(z)));
  };
  world.add(box(60, 60, 2), 0, at(-1));
  // Every other box is narrower, so that four corners touch. For two equal faces on each other, rounding makes Bullet's
  // detector sometimes report the middle of an edge instead of a corner: the stack then stands on three corners for a
  // step.
  const auto wide = box(edge, edge, edge), narrow = box(0.98 * edge, 0.98 * edge, edge);
  std::vector<const btRigidBody*> bodies;
  for (int i = 0; i < count; ++i)
    bodies.push_back(&world.add(i % 2 == 0 ? wide : narrow, i + 1 == count ? top_mass : mass,
                                at((i + 0.5) * edge - (i + 1) * overlap)));
  return bodies;
}

double kinetic_energy(const std::vector<const btRigidBody*>& bodies) {
  double sum = 0;
  for (const btRigidBody* body : bodies) sum += carom_scenes::kinetic_energy(*body);
  return sum;
}

// [J] a hundredth of the energy that gravity adds to bodies at rest in one step without contacts.
double bound_of_energy(double whole_mass) {
  return 0.01 * whole_mass * std::pow(gravity * time_step, 2) / 2;
}

std::vector<Number> run(World& world, const Arguments& arguments) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = 30;
  info.m_warmstartingFactor = 1;
  const std::vector<const btRigidBody*> equal = build(world, 0, mass), loaded = build(world, 100, heavy);
  const double end = arguments.brief ? 3 : 60;
  while (world.time() < settled) world.step();

  const Drift drift_equal(equal), drift_loaded(loaded);
  double furthest_equal = 0, furthest_loaded = 0, energy_equal = 0, energy_loaded = 0;
  while (world.time() < end) {
    world.step();
    furthest_equal = std::max(furthest_equal, drift_equal.largest());
    furthest_loaded = std::max(furthest_loaded, drift_loaded.largest());
    if (world.time() < end / 2) continue;
    energy_equal = std::max(energy_equal, kinetic_energy(equal));
    energy_loaded = std::max(energy_loaded, kinetic_energy(loaded));
  }
  return {{"drift, equal boxes", "mm", 1e3 * furthest_equal, 0, 1},
          {"drift, 400 times the mass on top", "mm", 1e3 * furthest_loaded, 0, 1},
          {"kinetic energy, second half, equal boxes", "J", energy_equal, 0, bound_of_energy(count * mass)},
          {"the same, 400 times the mass on top", "J", energy_loaded, 0, bound_of_energy((count - 1) * mass + heavy)},
          {"deepest penetration", "mm", 1e3 * deepest_penetration({world, settled})},
          {"solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})}};
}

}  // namespace

int main(int argc, char** argv) {
  Scene scene{"stack", "stacks of 20 boxes stand", {}, run};
  scene.options.time_step = time_step;
  return show(argc, argv, scene);
}
