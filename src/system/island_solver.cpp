#include "island_solver.hpp"

#include <algorithm>

#include "measure.hpp"

namespace carom::systems {

namespace {

constexpr double largest_error = 1e100;  // max error; replaces an error that is not finite

/// True if no contact approaches: zero is a solution.
bool rests_without_impulses(const IslandSystem& system) {
  for (std::size_t i = 0; i < system.contacts(); ++i)
    if (!(system.q[3 * i + 2] >= 0) && !system.is_moment(i)) return false;
  return true;
}

}  // namespace

/// Goes on with as many sweeps as cost what twelve factorisations do, about the cost of the interior point, if the
/// decay of the error promises that they will do. By bodies, a budget without room for these steps all goes into
/// sweeps.
void IslandSolver::sweep_on(Effort& effort) {
  constexpr double steps = 12, fewest_steps = 20;
  if (!lu_.is_planned()) lu_.plan(system);
  const double products = steps * (lu_.products() + 2 * lu_.solve_products());
  if (system.bodies != nullptr && !effort.affords(fewest_steps / steps * products))
    return sweeps_.go_on(system, best, effort, static_cast<std::size_t>(std::min(effort.budget, 1e9)));
  const double worth = products / sweep_cost(system);
  sweeps_.go_on(system, best, effort, static_cast<std::size_t>(std::clamp(worth, 30.0, 400.0)), true);
}

/// Starts from best.r, moved into the cones.
void IslandSolver::begin(const Effort& effort) {
  project(system, best.r);
  best.error = measure(system, best.r, velocities_);
  if (best.error <= effort.target) best.error = std::max(best.error, rounding_of(system, best.r));
  if (best.error < largest_error) return;
  // Impulses of this size are worse than zero.
  best.r.assign(best.r.size(), 0);
  best.error = measure(system, best.r, velocities_);
  if (!(best.error < largest_error)) best.error = largest_error;
}

void IslandSolver::sweep(Effort& effort, std::size_t most) {
  if (done(effort)) return;
  sweeps_.start(system, best);
  sweeps_.go_on(system, best, effort, most);
}

void IslandSolver::go_inside(Effort& effort, const InteriorPointOptions& options) {
  if (!done(effort)) interior_point_.run(system, lu_, best, effort, options);
}

void IslandSolver::polish(Effort& effort) {
  if (!done(effort)) newton_.run(system, lu_, best, effort, {});
}

/// Newton steps from guessed states. An island at rest, or sliding in one direction, needs a few of them, and they cost
/// no more than some sweeps if each body touches few others.
void IslandSolver::guess_states(Effort& effort) {
  constexpr double worth = 20;  // sweeps
  if (!lu_.is_planned()) lu_.plan(system);
  if (lu_.products() + lu_.solve_products() > worth * effort.sweep_cost) return;
  const bool is_cold = std::all_of(best.r.begin(), best.r.end(), [](double x) { return x == 0; });
  newton_.run(system, lu_, best, effort, {.most_steps = 8, .guesses = is_cold, .is_judged = true});
}

/// Solves W r + P q if the part of q outside of the range of W may keep the error above the target. Tangential
/// velocities may change by up to Effort::range_limit, normal velocities by up to the target: squeezed bodies stay
/// unsolved.
void IslandSolver::solve_in_range(Effort& effort) {
  if (effort.range_limit == 0 || done(effort) || !range_.find(system, lu_, effort)) return;
  range_distance = range_.distance();
  if (!(range_distance > 0.5 * effort.target && range_distance <= effort.range_limit &&
        range_.normal_distance(system) <= effort.target))
    return;
  outside_ = range_.outside();
  kept_ = best;
  kept_q_ = system.q;
  for (std::size_t i = 0; i < outside_.size(); ++i) system.q[i] -= outside_[i];
  begin(effort);
  go_inside(effort, {.proximal = true});
  polish(effort);
  start_elsewhere(effort);
  if (best.error <= effort.target) return;
  std::swap(best, kept_);
  std::swap(system.q, kept_q_);
  outside_.clear();
}

void IslandSolver::solve(Effort& effort) {
  constexpr std::size_t first_sweeps = 20;
  range_distance = 0;
  outside_.clear();
  effort.sweep_cost = sweep_cost(system);
  lu_.forget();
  begin(effort);
  if (done(effort)) return;
  if (rests_without_impulses(system)) {
    best.r.assign(best.r.size(), 0);
    best.error = 0;
    return;
  }
  const bool is_alone = system.contacts() == 1;  // one sweep solves it
  if (system.bodies != nullptr && !is_alone) guess_states(effort);
  if (done(effort)) return;
  sweeps_.begin(system);
  sweep(effort, first_sweeps);
  if (!done(effort)) sweep_on(effort);
  go_inside(effort, {.proximal = true});
  polish(effort);
  solve_in_range(effort);
  if (done(effort)) return;
  fall_back(effort);
  if (best.error <= effort.target) range_distance = 0;
}

}  // namespace carom::systems
