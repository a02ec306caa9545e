// Attempts on islands for which sweeps and the interior point from its usual start have failed. Each solves some
// islands that the others miss, and no attempt solves all of them. Cheaper attempts come first, and the best impulses
// of all are kept.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/support/hash.hpp"
#include "island_solver.hpp"
#include "systems/problem/measure.hpp"

namespace carom::systems {
namespace {

/// Alternative starts of the interior point: r and u, relative to q.
constexpr double first_starts[][2] = {{10, 1}, {1, 10}};
constexpr double further_starts[][2] = {{1, 0.1}, {100, 10}, {0.1, 1}, {1, 100}, {1000, 100}};

}  // namespace

/// Raises friction from a fraction to its full value. Each step starts from the impulses of the last one.
void IslandSolver::raise_friction(WorkBudget& work_budget, std::size_t steps) {
  if (done(work_budget)) return;
  kept_ = best;
  friction_ = system.friction;
  best.r.assign(best.r.size(), 0);
  for (std::size_t k = 1; k <= steps; ++k) {
    const double fraction = static_cast<double>(k) / static_cast<double>(steps);
    for (std::size_t i = 0; i < friction_.size(); ++i)
      system.friction[i] = k == steps ? friction_[i] : fraction * friction_[i];
    sweeps_.begin(system);
    begin(work_budget);
    sweep(work_budget, 20);
    go_inside(work_budget, {.max_steps = 25, .warm = k > 1});
    polish(work_budget);
  }
  system.friction = friction_;
  sweeps_.begin(system);
  kept_.offer(system, best.r, best.error, work_budget.target);
  std::swap(best, kept_);
}

/// Sweeps and Newton steps from random impulses in the cones, over three orders of magnitude.
void IslandSolver::start_anywhere(WorkBudget& work_budget, std::size_t starts) {
  if (done(work_budget)) return;
  kept_ = best;
  double largest = 0;
  for (const double x : best.r) largest = std::max(largest, std::abs(x));
  std::uint64_t draws = 0;
  // Numbers in [0, 1), the same in every call.
  const auto draw = [&] { return static_cast<double>(scene::hash(draws++) >> 11) * 0x1p-53; };
  for (std::size_t k = 0; k < starts && !work_budget.exhausted() && kept_.error > work_budget.target; ++k) {
    for (std::size_t i = 0; i < system.contacts(); ++i) {
      const double size = draw() < 1.0 / 3 ? 0 : 2 * largest * std::pow(10, -3 * draw());
      for (std::size_t a = 0; a < 3; ++a) best.r[3 * i + a] = size * (2 * draw() - 1);
    }
    begin(work_budget);
    sweep(work_budget, 150);
    polish(work_budget);
    kept_.offer(system, best.r, best.error, work_budget.target);
  }
  std::swap(best, kept_);
}

/// Tries the interior point without the proximal term, and from other starts.
void IslandSolver::start_elsewhere(WorkBudget& work_budget) {
  go_inside(work_budget, {});
  for (const auto& [r, u] : first_starts) go_inside(work_budget, {.r = r, .u = u});
  polish(work_budget);
}

void IslandSolver::fallback(WorkBudget& work_budget) {
  start_elsewhere(work_budget);
  sweep(work_budget, 100);
  go_inside(work_budget, {.min_step = 0.6, .middle = 0.7});
  polish(work_budget);
  go_inside(work_budget, {.max_steps = 25, .warm = true});
  for (const auto& [r, u] : further_starts) {
    go_inside(work_budget, {.r = r, .u = u});
    polish(work_budget);
  }
  raise_friction(work_budget, 4);
  sweep(work_budget, 300);
  raise_friction(work_budget, 16);
  start_anywhere(work_budget, 100);
}

}  // namespace carom::systems
