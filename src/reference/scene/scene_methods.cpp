#include "scene_methods.hpp"

#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "scene_sweeps.hpp"

namespace carom::reference {
namespace {

// [m/s] Violation of a contact's min. velocity, at the present velocities.
double shortfall(const SceneState& state, const SceneContact& c) {
  return c.min_velocity - relative_velocity(state, c)[2];
}

double shortfall_without_forces(const SceneState& state, const SceneContact& c) {
  return shortfall(state, c) + c.velocity_change;
}

// A contact collides if it approaches faster than contacts at rest, and closes its gap within the time step. Only
// Procedure::both_phases has gaps here.
bool collides(const SceneState& state, const SceneContact& c, const CallOptions& options) {
  if (!(shortfall_without_forces(state, c) > options.rest_speed())) return false;
  return !(c.separation > 0) || c.separation / options.time_step + relative_velocity(state, c)[2] < 0;
}

// [m/s] max. violation of colliding contacts; 0 if no contact collides.
double max_collision(const SceneState& state, const SceneIsland& island, const CallOptions& options) {
  double greatest = 0;
  for (std::size_t i : island.contacts)
    if (collides(state, state.contacts[i], options)) greatest = std::max(greatest, shortfall(state, state.contacts[i]));
  return greatest;
}

void take_colliding(SceneState& state, const SceneIsland& island, const CallOptions& options) {
  for (std::size_t i : island.contacts) {
    SceneContact& c = state.contacts[i];
    c.takes_part = collides(state, c, options);
    c.target = target_of(relative_velocity(state, c)[2], c, options.restitution_threshold);
  }
}

void take_touching(SceneState& state, const SceneIsland& island, const CallOptions& options) {
  for (std::size_t i : island.contacts) {
    SceneContact& c = state.contacts[i];
    c.takes_part = c.approach0 <= c.min_velocity;
    c.target = target_of(c.approach0, c, options.restitution_threshold);
  }
}

}  // namespace

double target_of(double before, const SceneContact& c, double threshold) {
  const double least = c.min_velocity, e = c.data.restitution;
  if (before >= least) {
    // A contact that separates may be caught up with, at no more than its own rebound; an overlap is pushed out all the
    // same.
    const bool fast = before - c.velocity_change > threshold;
    return least > 0 || !fast ? least : std::min(least, -e * before);
  }
  const double approach_without_forces = c.velocity_change - before;
  if (e == 0 || approach_without_forces < threshold) return least;
  // The collision is at mid step: the velocity then rebounds, and the second half of the forces adds to it.
  const double half = c.velocity_change / 2;
  const double rebound = -e * (before - half) + half;
  return rebound > 0 ? std::max(least, rebound) : least;
}

double max_approach_speed(const SceneState& state, const SceneIsland& island) {
  double greatest = 0;
  for (std::size_t i : island.contacts)
    if (state.contacts[i].takes_part) greatest = std::max(greatest, shortfall(state, state.contacts[i]));
  for (std::size_t i : island.rows) greatest = std::max(greatest, std::abs(deviation(state, state.rows[i])));
  return greatest;
}

void begin_pass(SceneState& state, const SceneIsland& island) {
  for (std::size_t i : island.contacts) {
    SceneContact& c = state.contacts[i];
    c.impulse_before = c.impulse_before + c.impulse;
    c.impulse = {};
  }
}

SceneOutcome solve_pgs(SceneState& state, const SceneIsland& island, const CallOptions& options,
                       const std::vector<int>& levels) {
  SceneOutcome outcome;
  outcome.approach = max_approach_speed(state, island);
  const double tolerance = options.tolerance * outcome.approach;
  for (std::size_t i : island.contacts) {
    SceneContact& c = state.contacts[i];
    c.target = target_of(c.approach0, c, options.restitution_threshold);
  }
  RowWork work(state, island.rows);
  SceneSweeps sweeps(state, island, options, Procedure::pgs);
  sweeps.warm_start();
  const IslandStatus end = sweeps.run(options.pgs.iterations, tolerance);
  if (!levels.empty()) sweeps.propagate_shock(levels);
  work.end();
  sweeps.end();
  outcome.iterations = sweeps.sweeps();
  outcome.residual = std::max(sweeps.contact_residual(), sweeps.row_residual());
  if (outcome.residual > tolerance) outcome.status = end;
  return outcome;
}

SceneOutcome solve_iteration(SceneState& state, const SceneIsland& island, const CallOptions& options,
                             const std::vector<int>& levels) {
  SceneOutcome outcome;
  const int most = options.bender_schmitt.max_iterations;
  const bool is_colliding = options.bender_schmitt.filter == ContactFilter::colliding;
  RowWork work(state, island.rows);
  SceneSweeps sweeps(state, island, options, Procedure::collisions);
  const auto collision = [&] { return is_colliding ? max_collision(state, island, options) : 0; };
  if (is_colliding)
    take_colliding(state, island, options);
  else
    take_touching(state, island, options);
  outcome.approach = max_approach_speed(state, island);
  outcome.approach = std::max(outcome.approach, sweeps.begin_rows());
  const double tolerance = options.tolerance * outcome.approach;

  IslandStatus end = IslandStatus::converged;
  if (sweeps.contact_residual() > 0 || sweeps.row_residual() > tolerance) {
    end = sweeps.run(most, tolerance);
    while (collision() > 0 && sweeps.sweeps() < most) {
      begin_pass(state, island);
      take_colliding(state, island, options);
      end = sweeps.run(most - sweeps.sweeps(), tolerance);
    }
    if (!levels.empty() && !is_colliding) sweeps.propagate_shock(levels);
  }
  work.end();
  outcome.iterations = sweeps.sweeps();
  outcome.unsettled = std::max(sweeps.row_residual(), collision());
  outcome.residual = std::max(sweeps.contact_residual(), outcome.unsettled);
  if (collision() > 0) end = IslandStatus::not_converged;
  if (outcome.residual > tolerance) outcome.status = end;
  return outcome;
}

SceneOutcome solve_resting(SceneState& state, const SceneIsland& island, const CallOptions& options,
                           const std::vector<int>& levels) {
  SceneOutcome outcome;
  const double speed_at_rest = options.rest_speed();
  for (std::size_t i : island.contacts) {
    SceneContact& c = state.contacts[i];
    c.takes_part = shortfall_without_forces(state, c) <= speed_at_rest;
    c.target = c.min_velocity;
  }
  RowWork work(state, island.rows);
  SceneSweeps sweeps(state, island, options, Procedure::resting);
  outcome.approach = sweeps.contact_residual();
  for (std::size_t i : island.rows)
    outcome.approach = std::max(outcome.approach, std::abs(deviation(state, state.rows[i])));
  outcome.approach = std::max(outcome.approach, sweeps.begin_rows());
  // A hundredth of the tolerance of contacts at rest: errors of many steps may add up.
  const double tolerance = std::max(SceneThresholds::rest_share * options.rest_tolerance / options.time_step,
                                    options.tolerance * outcome.approach);
  const double runaway = SceneThresholds::runaway * std::max(outcome.approach, tolerance);
  const IslandStatus end = sweeps.run(options.bender_schmitt.max_iterations, tolerance, runaway);
  if (!levels.empty()) sweeps.propagate_shock(levels);
  work.end();
  outcome.iterations = sweeps.sweeps();
  outcome.residual = std::max(sweeps.contact_residual(), sweeps.row_residual());
  if (outcome.residual > tolerance) outcome.status = end;
  return outcome;
}

}  // namespace carom::reference
