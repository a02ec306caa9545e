#include "island_solver.hpp"

#include <algorithm>

namespace carom::systems {

namespace {

/// No contact approaches: zero is a solution.
bool rests_without_impulses(const IslandSystem& system) {
  for (std::size_t i = 2; i < system.q.size(); i += 3)
    if (!(system.q[i] >= 0)) return false;
  return true;
}

}  // namespace

/// As many as twelve factorisations cost: about what the interior point takes.
std::size_t IslandSolver::sweeps_worth_trying() {
  if (!lu_.is_planned()) lu_.plan(system);
  const double worth = 12 * (lu_.tree().products + 2 * lu_.tree().solve_products) / sweep_cost(system);
  return static_cast<std::size_t>(std::clamp(worth, 30.0, 400.0));
}

void IslandSolver::solve(Effort& effort) {
  constexpr std::size_t first_sweeps = 20;
  effort.sweep_cost = sweep_cost(system);
  lu_.forget();
  const auto done = [&] { return best.error <= effort.target || effort.exhausted(); };
  if (done()) return;
  if (rests_without_impulses(system)) {
    best.r.assign(best.r.size(), 0);
    best.error = 0;
    return;
  }
  sweeps_.begin(system);
  const auto sweep = [&](std::size_t most) {
    if (done()) return;
    sweeps_.start(system, best);
    sweeps_.go_on(system, best, effort, most);
  };
  const auto interior = [&](const InteriorPointOptions& options) {
    if (!done()) interior_point_.run(system, lu_, best, effort, options);
  };
  const auto polish = [&] {
    if (!done()) newton_.run(system, lu_, best, effort, 12);
  };
  sweep(first_sweeps);
  if (!done()) sweeps_.go_on(system, best, effort, sweeps_worth_trying(), true);
  interior({});
  polish();
  sweep(100);
  interior({.least_step = 0.6, .middle = 0.7});
  polish();
  interior({.most_steps = 25, .warm = true});
  sweep(300);
}

}  // namespace carom::systems
