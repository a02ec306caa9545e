// Attempts on islands for which sweeps and the interior point from its usual start have failed. Each solves some
// islands that the others miss, and no attempt solves all of them. Cheaper attempts come first, and the best impulses
// of all are kept.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "island_solver.hpp"
#include "measure.hpp"
#include "scene/scattered.hpp"

namespace carom::systems {
namespace {

/// Alternative starts of the interior point: r and u, relative to q.
constexpr double first_starts[][2] = {{10, 1}, {1, 10}};
constexpr double further_starts[][2] = {{1, 0.1}, {100, 10}, {0.1, 1}, {1, 100}, {1000, 100}};

}  // namespace

/// Raises friction from a fraction to its full value. Each step starts from the impulses of the last one.
void IslandSolver::raise_friction(Effort& effort, std::size_t steps) {
  if (done(effort)) return;
  kept_ = best;
  friction_ = system.friction;
  best.r.assign(best.r.size(), 0);
  for (std::size_t k = 1; k <= steps; ++k) {
    const double fraction = static_cast<double>(k) / static_cast<double>(steps);
    for (std::size_t i = 0; i < friction_.size(); ++i)
      system.friction[i] = k == steps ? friction_[i] : fraction * friction_[i];
    sweeps_.begin(system);
    begin(effort);
    sweep(effort, 20);
    go_inside(effort, {.most_steps = 25, .warm = k > 1});
    polish(effort);
  }
  system.friction = friction_;
  sweeps_.begin(system);
  kept_.offer(system, best.r, best.error, effort.target);
  std::swap(best, kept_);
}

/// Sweeps and Newton steps from random impulses in the cones, over three orders of magnitude.
void IslandSolver::start_anywhere(Effort& effort, std::size_t starts) {
  if (done(effort)) return;
  kept_ = best;
  double largest = 0;
  for (const double x : best.r) largest = std::max(largest, std::abs(x));
  std::uint64_t draws = 0;
  // Numbers in [0, 1), the same in every call.
  const auto draw = [&] { return static_cast<double>(scene::scattered(draws++) >> 11) * 0x1p-53; };
  for (std::size_t k = 0; k < starts && !effort.exhausted() && kept_.error > effort.target; ++k) {
    for (std::size_t i = 0; i < system.contacts(); ++i) {
      const double size = draw() < 1.0 / 3 ? 0 : 2 * largest * std::pow(10, -3 * draw());
      for (std::size_t a = 0; a < 3; ++a) best.r[3 * i + a] = size * (2 * draw() - 1);
    }
    begin(effort);
    sweep(effort, 150);
    polish(effort);
    kept_.offer(system, best.r, best.error, effort.target);
  }
  std::swap(best, kept_);
}

/// Tries the interior point without the proximal term, and from other starts.
void IslandSolver::start_elsewhere(Effort& effort) {
  go_inside(effort, {});
  for (const auto& [r, u] : first_starts) go_inside(effort, {.r = r, .u = u});
  polish(effort);
}

void IslandSolver::fall_back(Effort& effort) {
  start_elsewhere(effort);
  sweep(effort, 100);
  go_inside(effort, {.least_step = 0.6, .middle = 0.7});
  polish(effort);
  go_inside(effort, {.most_steps = 25, .warm = true});
  for (const auto& [r, u] : further_starts) {
    go_inside(effort, {.r = r, .u = u});
    polish(effort);
  }
  raise_friction(effort, 4);
  sweep(effort, 300);
  raise_friction(effort, 16);
  start_anywhere(effort, 100);
}

}  // namespace carom::systems
