// Resting bodies should stay at rest, and heavy bodies should stand on light ones: pyramids, stacks, a pair of boxes, a
// chain with a heavy weight. carom uses substeps.
//
// For two equal faces on each other, rounding makes Bullet's detector report the middle of an edge instead of a corner
// now and then. The boxes are equal nevertheless, as in games.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "boxes.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double edge = 1, unit_mass = 1;                             // [m], [kg] of a box
constexpr int links = 20;                                             // of the chain
constexpr double link_length = 0.5, weight = 100, chain_height = 20;  // [m], [kg] at its end, [m]
constexpr double beside = 0.05;                                       // [m] between the boxes of a row
constexpr double settled = 1, offset = 1e-6;                          // [s], [m] max. random offset of the boxes
constexpr double friction = 0.5;                                      // [1] of a contact: Bullet takes the product
constexpr double no_mark = std::numeric_limits<double>::infinity();

struct Kind {
  std::string name;
  int base = 0, height = 0;  // of a pyramid, or of a stack
  double top_mass = unit_mass;
  bool chain = false, horizontal = false;
  double frequency = 60;  // [Hz] of steps
  bool warm = false;      // whether Bullet begins with all of the last impulse, not 85 %
  double drift = no_mark, overlap = no_mark, error_mean = no_mark, error_peak = no_mark;  // marks [mm]
};

const std::vector<Kind> kinds = {{.name = "pyramid10", .base = 10, .drift = 1.5, .overlap = 8},
                                 {.name = "pyramid20", .base = 20, .drift = 5, .overlap = 8},
                                 {.name = "pyramid40", .base = 40, .drift = 15, .overlap = 8},
                                 {.name = "pyramid10at240", .base = 10, .frequency = 240, .drift = 1.5, .overlap = 8},
                                 {.name = "pyramid20at240", .base = 20, .frequency = 240, .drift = 5, .overlap = 8},
                                 {.name = "pyramid10warm", .base = 10, .warm = true, .drift = 1.5, .overlap = 8},
                                 {.name = "pyramid20warm", .base = 20, .warm = true, .drift = 5, .overlap = 8},
                                 {.name = "stack20", .height = 20, .drift = 1, .overlap = 8},
                                 {.name = "stack20x100", .height = 20, .top_mass = 100, .drift = 1, .overlap = 8},
                                 {.name = "stack20x1000", .height = 20, .top_mass = 1000, .drift = 3, .overlap = 8},
                                 {.name = "pair1000", .height = 2, .top_mass = 1000, .drift = 1, .overlap = 8},
                                 {.name = "chain", .chain = true, .error_mean = 1.5, .error_peak = 1.5},
                                 {.name = "chain_horizontal", .chain = true, .horizontal = true, .error_peak = 12}};

std::uint32_t first_seed = 0;
int seeds = 1;

void build_boxes(World& world, const Kind& kind, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto stray = [&] { return offset * (2 * static_cast<double>(random()) / 4294967295.0 - 1); };
  add_ground(world, friction);
  const int rows = kind.base > 0 ? kind.base : kind.height;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < (kind.base > 0 ? kind.base - row : 1); ++i) {
      const double x = kind.base > 0 ? (i - 0.5 * (kind.base - row - 1)) * (edge + beside) : 0;
      const double mass = row + 1 == rows ? kind.top_mass : unit_mass;
      const double dx = stray(), dy = stray();
      add_box(world, vector(edge, edge, edge), mass, place(x + dx, dy, (row + 0.5) * edge), friction);
    }
}

void build_chain(World& world, const Kind& kind) {
  btRigidBody* last = &add_box(world, vector(0.1, 0.1, 0.1), 0, place(0, 0, chain_height), friction);
  const btVector3 along = kind.horizontal ? vector(link_length, 0, 0) : vector(0, 0, -link_length);
  btVector3 pivot = vector(0, 0, chain_height);
  for (int i = 0; i < links; ++i) {
    const bool end = i + 1 == links;
    const double thin = end ? 0.4 : 0.1;
    const btVector3 size = kind.horizontal ? vector(0.4, thin, thin) : vector(thin, thin, 0.4);
    btRigidBody& link = add_box(world, size, end ? weight : unit_mass,
                                btTransform(btQuaternion::getIdentity(), pivot + along / 2), friction);
    link.setCollisionFlags(link.getCollisionFlags() | btCollisionObject::CF_NO_CONTACT_RESPONSE);
    const btVector3 on_last = pivot - last->getWorldTransform().getOrigin(), on_link = -along / 2;
    world.add(std::make_unique<btPoint2PointConstraint>(*last, link, on_last, on_link));
    world.watch_joint(*last, on_last, link, on_link);
    pivot += along;
    last = &link;
  }
}

std::vector<Number> run_once(World& world, const Arguments& arguments, const Kind& kind, std::uint32_t seed) {
  if (kind.warm) world.bullet().getSolverInfo().m_warmstartingFactor = 1;
  if (kind.chain)
    build_chain(world, kind);
  else
    build_boxes(world, kind, seed);
  std::vector<btVector3> start;
  double mass = 0;
  for (const auto& body : world.bodies()) {
    start.push_back(body->getWorldTransform().getOrigin());
    mass += static_cast<double>(body->getMass());
  }

  const double end = !arguments.brief ? 20 : kind.base > 20 ? 1 : 4;
  double drift = 0, substeps = 0;
  int max_substeps = 0, steps = 0;
  while (world.time() < end) {
    world.step();
    ++steps;
    if (world.carom_solver() != nullptr) {
      const int n = world.carom_solver()->report().contacts.substeps;
      substeps += n;
      max_substeps = std::max(max_substeps, n);
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
      const btVector3 way = world.bodies()[i]->getWorldTransform().getOrigin() - start[i];
      drift = std::max(drift, std::hypot(static_cast<double>(way.x()), static_cast<double>(way.y())));
    }
  }
  double error = 0;
  int samples = 0;
  for (const Sample& sample : world.samples())
    if (sample.time >= end / 2) {
      error += sample.joint_error;
      ++samples;
    }

  const bool ours = world.carom_solver() != nullptr;
  const double none = std::nan("");
  std::vector<Number> numbers;
  if (kind.chain) {
    numbers = {at_most("joint error, second half, mean", "mm", 1e3 * error / samples, kind.error_mean),
               at_most("joint error, peak", "mm", 1e3 * max_joint_error({world, 0}), kind.error_peak)};
  } else {
    numbers = {at_most("drift", "mm", 1e3 * drift, kind.drift),
               at_most("overlap", "mm", 1e3 * deepest_penetration({world, settled}), kind.overlap)};
  }
  numbers.push_back(at_most("kinetic energy, second half", "J/kg", max_kinetic_energy({world, end / 2}) / mass,
                            kind.horizontal ? no_mark : 1e-5));
  numbers.push_back(told("substeps, mean", "", ours ? substeps / steps : none));
  numbers.push_back(told("substeps, most", "", ours ? max_substeps : none));
  numbers.push_back(told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})));
  return numbers;
}

// The max. number of all seeds, and the min. of the first.
std::vector<Number> run(World& world, const Arguments& arguments, const Kind& kind) {
  std::vector<Number> numbers = run_once(world, arguments, kind, first_seed);
  double smallest = numbers.front().value;
  for (int i = 1; i < (kind.chain ? 1 : seeds); ++i) {
    World another(world.responder(), world.options());
    const std::vector<Number> next = run_once(another, arguments, kind, first_seed + static_cast<std::uint32_t>(i));
    smallest = std::min(smallest, next.front().value);
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n].value = std::max(numbers[n].value, next[n].value);
  }
  if (seeds > 1 && !kind.chain)
    numbers.insert(numbers.begin() + 1, told(numbers.front().name + ", least of the seeds", "mm", smallest));
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes;
  for (const Kind& kind : kinds) {
    scenes.push_back(
        {kind.name, "what rests stays at rest: " + kind.name, {}, [&kind](World& world, const Arguments& arguments) {
           return run(world, arguments, kind);
         }});
    Scene& scene = scenes.back();
    scene.options.time_step = 1 / kind.frequency;
    scene.add_options = [](CLI::App& app) {
      app.add_option("--seed", first_seed, "Of the boxes' offsets by a micrometre")->capture_default_str();
      app.add_option("--seeds", seeds, "So many from that one on; the largest numbers count")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
    };
  }
  return show_all(argc, argv, "rest", scenes);
}
