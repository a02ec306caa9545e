// Worlds at rest under carom and under other physics engines, in one run: the time of a step and the way that bodies
// have gone. ./dev peers --box3d DIR --jolt DIR
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "engine.hpp"
#include "rest_worlds.hpp"

namespace carom::bench {
namespace {

using MakeEngine = std::unique_ptr<Engine> (*)(const MotionWorld&);

struct Peer {
  const char* name;
  MakeEngine make;
};
constexpr Peer peers[] = {
    {"carom", make_carom},
#ifdef CAROM_HAS_BOX3D
    {"Box3D", make_box3d},
#endif
#ifdef CAROM_HAS_JOLT
    {"Jolt", make_jolt},
#endif
};

double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

struct Measured {
  double solver = 0, step = 0;    // [s], medians
  double sideways = 0, down = 0;  // [m], of the farthest body
};

Measured measure(const MotionWorld& world, MakeEngine make, int until_rest, int steps) {
  const std::unique_ptr<Engine> engine = make(world);
  for (int k = 0; k < until_rest; ++k) engine->step();
  std::vector<double> solver, step;
  for (int k = 0; k < steps; ++k) {
    const StepTimes times = engine->step();
    solver.push_back(times.solver);
    step.push_back(times.step);
  }
  Measured made{median(solver), median(step)};
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const support::Vector way = engine->position(i) - world.bodies[i].position;
    made.sideways = std::max(made.sideways, std::hypot(way[0], way[1]));
    made.down = std::max(made.down, -way[2]);
  }
  return made;
}

void compare(const std::string& name, const MotionWorld& world, int until_rest, int steps) {
  for (const Peer& peer : peers) {
    const Measured of = measure(world, peer.make, until_rest, steps);
    fmt::print("{:16} {:7} {:>12.2f} {:>12.2f} {:>12.3f} {:>12.3f}\n", name, peer.name, 1e6 * of.solver, 1e6 * of.step,
               1e3 * of.sideways, 1e3 * of.down);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace carom::bench

int main() {
  using namespace carom::bench;
  fmt::print(
      "Worlds at rest, one thread, nothing sleeps, {:.0f} Hz; medians of steps. Jolt has no clock of its solver: its\n"
      "first column is the whole step. carom's step has the detection of this program, which is no engine's.\n"
      "sideways, down: the farthest body, from where it was put, at the end\n\n",
      1 / time_step);
  fmt::print("{:16} {:7} {:>12} {:>12} {:>12} {:>12}\n", "world", "engine", "solver us", "step us", "sideways mm",
             "down mm");
  compare("box", tower(1), 300, 1000);
  compare("pair 1000:1", tower(2, 1000), 300, 1000);
  compare("tower 10", tower(10), 300, 1000);
  compare("tower 20", tower(20), 300, 1000);
  compare("tower 20 x1000", tower(20, 1000), 300, 1000);
  compare("tower 100", tower(100), 300, 300);
  compare("pyramid 10", pyramid(10), 300, 500);
  compare("pyramid 20", pyramid(20), 300, 300);
  compare("pyramid 40", pyramid(40), 200, 100);
  compare("pyramid 86", pyramid(86), 100, 60);
  compare("wall 16", wall(16), 300, 300);
  compare("heap 55", heap(), 300, 300);
  compare("ragdoll 12", ragdoll(), 300, 1000);
  compare("chain 20 + 100", chain(), 300, 1000);
  compare("boxes 1000", boxes_apart(1000), 200, 100);
}
