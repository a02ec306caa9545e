#include "island_solver.hpp"

#include <algorithm>

#include "systems/problem/measure.hpp"

namespace carom::systems {

namespace {

constexpr double max_error = 1e100;  // max error; replaces an error that is not finite

/// True if no contact approaches: zero is a solution.
bool rests_without_impulses(const IslandSystem& system) {
  for (std::size_t i = 0; i < system.contacts(); ++i)
    if (!(system.q[3 * i + 2] >= 0) && !system.is_moment(i)) return false;
  return true;
}

}  // namespace

/// Continues with PGS iterations for the time of twelve factorisations, about the cost of the interior point, if the
/// decay of the error predicts convergence. With W by bodies, a budget too small for these steps is spent on
/// iterations.
void IslandSolver::sweep_on(WorkBudget& work_budget) {
  constexpr double steps = 12, fewest_steps = 20;
  if (!lu_.is_planned()) lu_.plan(system);
  const double products = steps * (lu_.products() + 2 * lu_.solve_products());
  if (system.bodies != nullptr && !work_budget.affords(fewest_steps / steps * products))
    return sweeps_.go_on(system, best, work_budget, static_cast<std::size_t>(std::min(work_budget.budget, 1e9)));
  const double worth = products / sweep_cost(system);
  sweeps_.go_on(system, best, work_budget, static_cast<std::size_t>(std::clamp(worth, 30.0, 400.0)), true);
}

/// Starts from best.r, moved into the cones.
void IslandSolver::begin(const WorkBudget& work_budget) {
  project(system, best.r);
  best.error = measure(system, best.r, velocities_);
  if (best.error <= work_budget.target) best.error = std::max(best.error, rounding_of(system, best.r));
  if (best.error < max_error) return;
  // Impulses of this size are worse than zero.
  best.r.assign(best.r.size(), 0);
  best.error = measure(system, best.r, velocities_);
  if (!(best.error < max_error)) best.error = max_error;
}

void IslandSolver::sweep(WorkBudget& work_budget, std::size_t most) {
  if (done(work_budget)) return;
  sweeps_.start(system, best);
  sweeps_.go_on(system, best, work_budget, most);
}

void IslandSolver::go_inside(WorkBudget& work_budget, const InteriorPointOptions& options) {
  if (!done(work_budget)) interior_point_.run(system, lu_, best, work_budget, options);
}

void IslandSolver::polish(WorkBudget& work_budget) {
  if (!done(work_budget)) newton_.run(system, lu_, best, work_budget, {});
}

/// Newton steps from guessed states. An island at rest, or sliding in one direction, needs a few of them, and they cost
/// no more than some sweeps if each body touches few others.
void IslandSolver::guess_states(WorkBudget& work_budget) {
  constexpr double worth = 20;  // sweeps
  if (!lu_.is_planned()) lu_.plan(system);
  if (lu_.products() + lu_.solve_products() > worth * work_budget.sweep_cost) return;
  const bool is_cold = std::all_of(best.r.begin(), best.r.end(), [](double x) { return x == 0; });
  newton_.run(system, lu_, best, work_budget, {.max_steps = 8, .guesses = is_cold, .is_judged = true});
}

/// Solves W r + P q if the part of q outside of the range of W may keep the error above the target. Tangential
/// velocities may change by up to WorkBudget::range_limit, normal velocities by up to the target: squeezed bodies stay
/// unsolved.
void IslandSolver::solve_in_range(WorkBudget& work_budget) {
  if (work_budget.range_limit == 0 || done(work_budget) || !range_.find(system, lu_, work_budget)) return;
  range_distance = range_.distance();
  if (!(range_distance > 0.5 * work_budget.target && range_distance <= work_budget.range_limit &&
        range_.normal_distance(system) <= work_budget.target))
    return;
  outside_ = range_.outside();
  kept_ = best;
  kept_q_ = system.q;
  for (std::size_t i = 0; i < outside_.size(); ++i) system.q[i] -= outside_[i];
  begin(work_budget);
  go_inside(work_budget, {.proximal = true});
  polish(work_budget);
  start_elsewhere(work_budget);
  if (best.error <= work_budget.target) return;
  std::swap(best, kept_);
  std::swap(system.q, kept_q_);
  outside_.clear();
}

void IslandSolver::solve(WorkBudget& work_budget) {
  constexpr std::size_t first_sweeps = 20;
  range_distance = 0;
  outside_.clear();
  work_budget.sweep_cost = sweep_cost(system);
  lu_.forget();
  begin(work_budget);
  if (done(work_budget)) return;
  if (rests_without_impulses(system)) {
    best.r.assign(best.r.size(), 0);
    best.error = 0;
    return;
  }
  const bool is_alone = system.contacts() == 1;  // one sweep solves it
  if (system.bodies != nullptr && !is_alone) guess_states(work_budget);
  if (done(work_budget)) return;
  sweeps_.begin(system);
  sweep(work_budget, first_sweeps);
  if (!done(work_budget)) sweep_on(work_budget);
  go_inside(work_budget, {.proximal = true});
  polish(work_budget);
  solve_in_range(work_budget);
  if (done(work_budget)) return;
  fallback(work_budget);
  if (best.error <= work_budget.target) range_distance = 0;
}

}  // namespace carom::systems
