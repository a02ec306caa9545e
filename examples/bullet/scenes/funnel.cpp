// 1000 cubes fall through a funnel and pile up on the ground: J. Bender, A. Schmitt, Constraint-based collision and
// contact handling using impulses, 2006, section 4. Their program had 41 collisions and 426 resting contacts a step and
// took 3.09 and 6.30 ms for them on a Pentium 4 of 3.4 GHz.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "program.hpp"

namespace {

using carom_scenes::Number;
using carom_scenes::Sample;

constexpr double friction = 0.1, restitution = 0.48;
constexpr double time_step = 0.001;  // [s]
constexpr double tolerance = 1e-4;   // [m] ε of the paper
const double rest_speed = std::sqrt(2 * 9.81 * tolerance);
constexpr double lean = 50;  // [°] of the walls against the ground
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

int cubes_a_side = 0;  // of the grid; 0: 10, or 5 in a short run
int steps = 0;         // 0: 6000, or 2000 in a short run

btScalar real(double x) {
  return static_cast<btScalar>(x);
}

// Lengths of the funnel [m]. The cubes have edges of 1 m; `cubes` is their number along a side of the grid.
struct Funnel {
  explicit Funnel(int cubes)
      : throat(0.4 * cubes), rim(1.4 * cubes), rise((rim - throat) * std::tan(lean * SIMD_RADS_PER_DEG)), low(cubes) {}

  double throat, rim;  // half the width at the lower and the upper end
  double rise;         // from the lower to the upper end
  double low;          // height of the lower end above the ground
};

void add_ground_and_walls(carom_scenes::World& world, const Funnel& funnel) {
  const double half = 15 * funnel.rim, thick = 0.5;  // half extents
  const carom_scenes::Material material{friction, restitution};
  const auto ground = std::make_shared<btBoxShape>(btVector3(real(half), real(half), 5));
  world.add(ground, 0, btTransform(btQuaternion::getIdentity(), {0, 0, -5}), material);

  const double length = std::hypot(funnel.rim - funnel.throat, funnel.rise);
  const auto wall = std::make_shared<btBoxShape>(btVector3(real(length / 2), real(funnel.rim), real(thick)));
  for (int side = 0; side < 4; ++side) {
    // In its own frame a wall lies along x; its upper face begins at the throat.
    const btTransform slant(btQuaternion(btVector3(0, -1, 0), real(lean * SIMD_RADS_PER_DEG)),
                            {real(funnel.throat), 0, real(funnel.low)});
    const btTransform around(btQuaternion(btVector3(0, 0, 1), real(side) * SIMD_HALF_PI));
    const btTransform middle(btQuaternion::getIdentity(), {real(length / 2), 0, real(-thick)});
    world.add(wall, 0, around * slant * middle, material);
  }
}

// A loose grid of cubes of 1 m and 1 kg above the funnel, each turned a little.
void add_cubes(carom_scenes::World& world, const Funnel& funnel, int cubes) {
  std::mt19937 random(1);
  const auto within = [&](double most) {
    return most * (2 * static_cast<double>(random()) / static_cast<double>(random.max()) - 1);
  };
  const auto cube = std::make_shared<btBoxShape>(btVector3(0.5f, 0.5f, 0.5f));
  const double spacing = 1.7;
  for (int layer = 0; layer < cubes; ++layer)
    for (int row = 0; row < cubes; ++row)
      for (int column = 0; column < cubes; ++column) {
        const double middle = 0.5 * (cubes - 1);
        const btVector3 at(real(spacing * (column - middle) + within(0.1)),
                           real(spacing * (row - middle) + within(0.1)),
                           real(funnel.low + funnel.rise / 2 + spacing * (layer + 1)));
        const btQuaternion turn(real(within(0.3)), real(within(0.3)), real(within(0.3)));
        world.add(cube, 1, btTransform(turn, at), {friction, restitution});
      }
}

// Overlaps of points that have existed for several steps, which is the solver's part. In its first step a point
// overlaps by the motion since the previous step, because Bullet finds contacts of boxes only if they overlap.
class Overlaps {
 public:
  /// Measures the overlaps after a step. `late`: also stores the overlaps of contacts at rest, whose speed is at most
  /// rest_speed.
  void look(carom_scenes::World& world, bool late) {
    btDispatcher& dispatcher = *world.bullet().getDispatcher();
    double deepest = 0;
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
      for (int p = 0; p < manifold.getNumContacts(); ++p) {
        const btManifoldPoint& point = manifold.getContactPoint(p);
        const double distance = static_cast<double>(point.getDistance());
        if (point.getLifeTime() < 10 || distance > tolerance) continue;
        deepest = std::max(deepest, -distance);
        if (late && std::abs(speed(manifold, point)) <= rest_speed) resting_.push_back(std::max(-distance, 0.0));
      }
    }
    sum_ += deepest;
    ++steps_;
  }

  /// [m] the deepest of a step, mean over steps
  double deepest() const { return sum_ / std::max(steps_, 1); }
  /// [m] that this share of contacts at rest does not exceed
  double at_rest(double share) {
    std::sort(resting_.begin(), resting_.end());
    return resting_.empty() ? 0 : resting_[static_cast<std::size_t>(share * static_cast<double>(resting_.size() - 1))];
  }

 private:
  static double speed(const btPersistentManifold& manifold, const btManifoldPoint& point) {
    const btRigidBody &a = *btRigidBody::upcast(manifold.getBody0()), &b = *btRigidBody::upcast(manifold.getBody1());
    const btVector3 apart = a.getVelocityInLocalPoint(point.getPositionWorldOnA() - a.getCenterOfMassPosition()) -
                            b.getVelocityInLocalPoint(point.getPositionWorldOnB() - b.getCenterOfMassPosition());
    return static_cast<double>(apart.dot(point.m_normalWorldOnB));
  }

  double sum_ = 0;
  int steps_ = 0;
  std::vector<double> resting_;
};

// [m] height of the lowest cube's middle
double lowest(const carom_scenes::World& world) {
  double height = std::numeric_limits<double>::infinity();
  for (const auto& body : world.bodies())
    if (body->getInvMass() > 0) height = std::min(height, static_cast<double>(body->getCenterOfMassPosition().z()));
  return height;
}

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  const bool whole = !arguments.brief && cubes_a_side == 0 && steps == 0;
  const int cubes = cubes_a_side > 0 ? cubes_a_side : arguments.brief ? 5 : 10;
  const int wanted = steps > 0 ? steps : arguments.brief ? 2000 : 6000;
  // Contacts that approach more slowly are at rest.
  world.bullet().getSolverInfo().m_restitutionVelocityThreshold = real(rest_speed);
  const Funnel funnel(cubes);
  add_ground_and_walls(world, funnel);
  add_cubes(world, funnel, cubes);

  double seconds = 0, contacts = 0, collisions = 0, deepest = 0, sweeps = 0;
  double low = std::numeric_limits<double>::infinity();
  carom::bullet::StepReport sum;
  Overlaps overlaps;
  for (int step = 0; step < wanted; ++step) {
    const Sample& sample = world.step();
    seconds += sample.solver_seconds;
    contacts += static_cast<double>(sample.contacts);
    collisions += static_cast<double>(sample.collisions);
    deepest = std::max(deepest, sample.penetration);
    overlaps.look(world, step % 20 == 0 && step >= wanted - 1000);
    if (step % 20 == 0) low = std::min(low, lowest(world));
    if (world.carom_solver() == nullptr) continue;
    const carom::bullet::StepReport& report = world.carom_solver()->report();
    sum.collision_seconds += report.collision_seconds;
    sum.contact_seconds += report.contact_seconds;
    sum.gather_seconds += report.gather_seconds;
    sum.store_seconds += report.store_seconds;
    sweeps += report.contacts.iterations;
  }

  const double a_step = 1000.0 / wanted;
  const auto of_carom = [&](double value) { return world.carom_solver() != nullptr ? value : nothing; };
  Number time{"solver a step", "ms", seconds * a_step};
  Number time_a_contact{"solver a contact", "us", 1e6 * seconds / std::max(contacts, 1.0)};
  Number lasting{"overlap that lasts: deepest, mean of steps", "mm", 1000 * overlaps.deepest()};
  Number resting{"at rest, last second: overlap of 99 %", "mm", 1000 * overlaps.at_rest(0.99)};
  if (whole) {
    time.bullet_ratio = 3;
    time_a_contact.greatest = 1;  // a twentieth of the paper's 9.4 ms for 467 contacts
    lasting.bullet_ratio = 1;
    resting.greatest = 1000 * tolerance;
  }
  // A cube falls by up to 45 m: 30 m/s, or 30 mm in the step before it is found to touch the ground.
  const Number floor{"lowest cube's middle above the ground", "m", low, 0.47};
  return {time,
          time_a_contact,
          {"contacts a step", "", contacts / wanted},
          {"collisions among them", "", collisions / wanted},
          lasting,
          resting,
          {"at rest, last second: median overlap", "mm", 1000 * overlaps.at_rest(0.5)},
          {"at rest, last second: deepest overlap", "mm", 1000 * overlaps.at_rest(1)},
          {"deepest overlap, of first hits", "mm", 1000 * deepest},
          floor,
          {"carom: collisions a step", "ms", of_carom(sum.collision_seconds * a_step)},
          {"carom: contacts a step", "ms", of_carom(sum.contact_seconds * a_step)},
          {"carom: gather a step", "ms", of_carom(sum.gather_seconds * a_step)},
          {"carom: store a step", "ms", of_carom(sum.store_seconds * a_step)},
          {"carom: sweeps a step", "", of_carom(sweeps / wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"funnel", "1000 cubes fall through a funnel", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.scene.use<carom::Pgs>();
  scene.options.gravity = btVector3(0, 0, -9.81f);
  scene.add_options = [](CLI::App& app) {
    app.add_option("--cubes", cubes_a_side, "Along each side of the grid they start in")->check(CLI::Range(1, 30));
    app.add_option("--steps", steps, "How many")->check(CLI::PositiveNumber);
  };
  return show(argc, argv, scene);
}
