// The reference on scenes: load, validate, islands, a method, store. docs/scenes.md
#include <algorithm>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>

#include "core/columns/check.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/contact_models.hpp"
#include "core/scene/thresholds.hpp"
#include "reference/contact/laws_parts.hpp"
#include "reference/contact/vector.hpp"
#include "scene_graph.hpp"
#include "scene_methods.hpp"
#include "scene_models.hpp"

namespace carom::reference {
namespace {

double energy_of(const SceneState& state) {
  double sum = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    if (state.body_faults[i] == Status::ok && state.is_movable(i)) sum += kinetic_energy(state.bodies[i]);
  return sum;
}

Status status_of(const SceneContact& c) {
  if (c.status != Status::ok) return c.status;
  if (c.impulse + c.impulse_before != Vector3{}) return Status::ok;
  return is_fault(c.outcome) ? c.outcome : Status::separating;
}

Path path_of(const SceneContact& c, Status status) {
  if (is_fault(status)) return {};
  if (status == Status::separating) return {SlidingEnd::separating};
  if (c.path.sliding_end != SlidingEnd::none) return c.path;
  const RoundImpulse round = rounded(c, c.impulse + c.impulse_before);
  return {Cone(round.friction).reached(round.impulse) ? SlidingEnd::slip : SlidingEnd::stick};
}

// With the current velocities. NaN if faulty data leave it unknown.
Vector3 separation_velocity_of(const SceneState& state, const Scene<double>& scene, std::size_t i) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Vector3 unknown{nan, nan, nan};
  const std::int32_t a = scene.contacts.body_a[i], b = scene.contacts.body_b[i];
  if (fault_of_indices(a, b, state.bodies.size() - 1) == Status::body_index_out_of_range) return unknown;
  const auto body = [&](std::int32_t index) {
    return index < 0 ? Body{} : state.bodies[static_cast<std::size_t>(index)];
  };
  const Vector3 u = separation_velocity(body(a), state.contacts[i].data.r_a, body(b), state.contacts[i].data.r_b);
  return is_finite(u) ? u : unknown;
}

void store(const SceneState& state, const Scene<double>& scene, double time_step, const SceneResults<double>& results,
           SceneReport& report) {
  const bool has_motion = !state.moved.empty();
  // Results of bodies may overwrite columns of the scene, so results that read these columns come first.
  for (std::size_t i = 0; i < state.contacts.size(); ++i) {
    const SceneContact& c = state.contacts[i];
    const Status status = status_of(c);
    report.by_status.add(status, i);
    const auto write_in_world = [&](const Vector3Columns<double>& to, const Vector3& v) {
      write(to, i, is_fault(status) ? Vector3{} : transpose(c.frame.to_contact) * v);
    };
    write_in_world(results.impulse, c.impulse + c.impulse_before);
    write_in_world(results.warm_impulse, has_motion ? c.next_impulse : c.impulse + c.impulse_before);
    write_in_world(results.angular_impulse, c.angular_impulse);
    write_in_world(results.warm_angular_impulse, has_motion ? c.next_angular_impulse : c.angular_impulse);
    write(results.separation_velocity, i, separation_velocity_of(state, scene, i));
    write(results.status, i, status);
    write(results.path, i, path_of(c, status));
  }
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    const SceneRow& row = state.rows[i];
    report.joints_by_status.add(row.status, i);
    write(results.joint_impulse, i, row.impulse);
    write(results.joint_warm_impulse, i, has_motion ? row.next_impulse : row.impulse);
    write(results.joint_status, i, row.status);
  }
  for (std::size_t i = 0; i + 1 < state.bodies.size(); ++i) {
    write(results.velocity, i, state.bodies[i].velocity);
    write(results.angular_velocity, i, state.bodies[i].angular_velocity);
    const Twist moved = has_motion ? state.moved[i] : time_step * twist_of(state.bodies[i]);
    write(results.displacement, i, moved.velocity);
    write(results.rotation, i, moved.angular_velocity);
  }
}

// Numbers whose squares overflow count as overflowed too.
bool has_overflowed(const SceneState& state, const SceneIsland& island) {
  const auto is_beyond = [](const Vector3& v) { return !std::isfinite(dot(v, v)); };
  return std::ranges::any_of(island.contacts,
                             [&](std::size_t i) {
                               const SceneContact& c = state.contacts[i];
                               return is_beyond(relative_velocity(state, c)) || is_beyond(c.impulse);
                             }) ||
         std::ranges::any_of(island.rows, [&](std::size_t i) {
           const SceneRow& row = state.rows[i];
           return !std::isfinite(velocity_of(state, row)) || !std::isfinite(row.impulse);
         });
}

// The bodies keep their initial velocities.
void give_up(SceneState& state, const SceneIsland& island, const std::vector<Body>& came, SceneOutcome& outcome) {
  for (std::size_t i : island.bodies) state.bodies[i] = came[i];
  for (std::size_t i : island.contacts) state.contacts[i].status = Status::overflow;
  for (std::size_t i : island.rows) {
    state.rows[i].status = Status::overflow;
    state.rows[i].impulse = state.rows[i].next_impulse = state.rows[i].work = 0;
  }
  outcome.residual = outcome.approach > 0 ? outcome.approach : infinity;
  outcome.status = IslandStatus::overflow;
  outcome.energy_removed = 0;
}

void add(const SceneIsland& island, const SceneOutcome& outcome, SceneReport& report) {
  report.iterations = std::max(report.iterations, outcome.iterations);
  report.substeps = std::max(report.substeps, outcome.substeps);
  report.impacts += outcome.impacts;
  report.max_approach_speed = std::max(report.max_approach_speed, outcome.approach);
  report.residual = std::max(report.residual, outcome.residual);
  report.energy_removed += outcome.energy_removed;
  report.max_island_size = std::max(report.max_island_size, island.contacts.size() + island.rows.size());
  report.colours = std::max(report.colours, island.colours());
  report.overflow_constraints += island.overflow_constraints();
  report.not_converged += outcome.status != IslandStatus::converged ? 1 : 0;
  report.stalled += outcome.status == IslandStatus::stalled ? 1 : 0;
}

// [m/s] The slip of a contact without the forces of the step.
double slip_before_forces(const SceneState& state, const SceneContact& c) {
  const auto of = [&](std::size_t body, const Vector3& lever) {
    return velocity_at(twist_of(state.bodies[body]) - state.change_of(body), lever);
  };
  const Vector3 u = of(c.a, c.data.r_a) - of(c.b, c.data.r_b) - c.surface_velocity;
  const Vector3& n = c.data.normal;
  const Vector3 slip = u - (dot(u, n) / dot(n, n)) * n;
  return std::sqrt(dot(slip, slip));
}

// A manifold that is at rest sticks as a whole: all its points have the static coefficient. The reference has no
// memory: every manifold is new.
void take_static_friction(SceneState& state, const SceneIsland& island, double rest_speed) {
  for (const SceneBlock& block : island.blocks) {
    if (block.is_group || !(state.contacts[block.items[0]].static_friction > state.contacts[block.items[0]].friction))
      continue;
    double fastest = 0;
    for (std::size_t i : block.items) fastest = std::max(fastest, slip_before_forces(state, state.contacts[i]));
    const double share = state.changes.empty() ? SceneThresholds::stick_cold : SceneThresholds::stick_again;
    if (fastest > share * rest_speed) continue;
    for (std::size_t i : block.items) {
      SceneContact& c = state.contacts[i];
      if (c.has_ellipse) {
        if (!(c.friction > 0)) continue;
        c.friction_2 *= c.static_friction / c.friction;
      }
      c.friction = c.static_friction;
    }
  }
}

SceneOutcome solve_island(SceneState& state, const SceneIsland& island, const CallOptions& options,
                          const std::vector<int>& levels) {
  switch (options.procedure) {
    case Procedure::pgs:
      return solve_pgs(state, island, options, levels);
    case Procedure::sequential_impacts:
      return solve_sequential_impacts(state, island, options);
    case Procedure::collisions:
      return solve_iteration(state, island, options, levels);
    case Procedure::resting:
      return solve_resting(state, island, options, levels);
    case Procedure::substeps:
      return solve_substeps(state, island, options);
    case Procedure::both_phases:
    case Procedure::ncp:  // rejected
      break;
  }
  // [BS] figure 1: collisions, then contacts at rest.
  CallOptions of_collisions = options;
  of_collisions.bender_schmitt.filter = ContactFilter::colliding;
  const SceneOutcome collisions = solve_iteration(state, island, of_collisions, levels);
  begin_pass(state, island);
  SceneOutcome outcome = solve_resting(state, island, options, levels);
  outcome.iterations += collisions.iterations;
  outcome.approach = std::max(collisions.approach, outcome.approach);
  // Contacts that still collide are not at rest; all other contacts are.
  if (collisions.status != IslandStatus::converged && collisions.unsettled > options.tolerance * collisions.approach) {
    if (outcome.status == IslandStatus::converged) outcome.status = collisions.status;
    outcome.residual = std::max(outcome.residual, collisions.unsettled);
  }
  return outcome;
}

void store(const std::vector<SceneIsland>& islands, const std::vector<SceneOutcome>& outcomes, const SceneState& state,
           const SceneResults<double>& results) {
  for (std::size_t i = 0; i < state.contacts.size(); ++i) write(results.island, i, -1);
  for (std::size_t i = 0; i < state.rows.size(); ++i) write(results.joint_island, i, -1);
  for (std::size_t island = 0; island < islands.size(); ++island) {
    const auto number = static_cast<std::int32_t>(island);
    for (std::size_t i : islands[island].contacts) write(results.island, i, number);
    for (std::size_t i : islands[island].rows) write(results.joint_island, i, number);
    write(results.islands.status, island, outcomes[island].status);
    write(results.islands.residual, island, outcomes[island].residual);
    write(results.islands.iterations, island, static_cast<std::int32_t>(outcomes[island].iterations));
    write(results.islands.substeps, island, static_cast<std::int32_t>(outcomes[island].substeps));
    write(results.islands.energy_removed, island, outcomes[island].energy_removed);
    write(results.islands.relative_error, island, outcomes[island].relative_error());
    write(results.islands.algorithm, island, outcomes[island].algorithm);
  }
}

}  // namespace

SceneReport solve_scene(const Scene<double>& columns, const SceneResults<double>& results, const SceneOptions& given) {
  check_scene_options(given);
  check_columns_of_method(columns, given);
  check_scene_columns(columns, results);
  const Scene<double> scene = without_constants(columns);
  if (given.selected() == SceneMethod::ncp)
    throw Error("carom: the reference has no method ncp; pgs has the same law", {.option = "method"});
  const CallOptions options = scene::call_options(given);
  const auto is = [&](Procedure method) { return options.procedure == method; };
  SceneReads reads;
  reads.laws = is(Procedure::sequential_impacts);
  reads.row_errors = is(Procedure::substeps);
  reads.separation = is(Procedure::resting) || is(Procedure::both_phases) || is(Procedure::substeps);
  reads.warm_impulse = is(Procedure::pgs) || is(Procedure::substeps);
  reads.models = reads.warm_impulse;
  SceneState state = load_scene(scene, options, reads);
  SceneReport report;
  report.bodies = state.bodies.size() - 1;
  report.contacts = state.contacts.size();
  report.joint_rows = state.rows.size();
  report.method = given.selected();
  report.energy_before = energy_of(state);
  const std::vector<SceneIsland> islands = islands_of(state);
  const std::vector<int> levels = options.bender_schmitt.shock_propagation > 0 ? levels_of(state) : std::vector<int>{};
  report.islands = islands.size();
  const std::vector<Body> came = state.bodies;
  std::vector<SceneOutcome> outcomes;
  if (is(Procedure::substeps)) move_alone(state, options);
  for (const SceneIsland& island : islands) {
    if (!is(Procedure::sequential_impacts)) take_static_friction(state, island, options.rest_speed());
    SceneOutcome outcome = solve_island(state, island, options, levels);
    if (has_overflowed(state, island)) {
      give_up(state, island, came, outcome);
      for (std::size_t i : island.bodies)
        if (is(Procedure::substeps)) move_alone(state, options, i);
    }
    add(island, outcome, report);
    for (std::size_t i : island.rows) report.joint_work += state.rows[i].work;
    outcomes.push_back(outcome);
  }
  if (!std::isfinite(report.joint_work)) report.joint_work = infinity;
  report.energy_after = energy_of(state);
  store(state, scene, options.time_step, results, report);
  store(islands, outcomes, state, results);
  return report;
}

}  // namespace carom::reference
