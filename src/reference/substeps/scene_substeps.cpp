// The step in substeps: Procedure::substeps. docs/scenes.md, Substeps
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "reference/contact/vector.hpp"
#include "reference/scene/scene_methods.hpp"
#include "reference/scene/scene_models.hpp"
#include "reference/scene/scene_steps.hpp"
#include "scene_direct.hpp"
#include "scene_energy.hpp"

namespace carom::reference {

// [m] Radius of gyration of a body, tr J / (m tr J²) with J the inverse inertia; infinite without mass or inertia.
static double size_of(const Body& body) {
  const double sum = trace(body.inverse_inertia);
  double squares = 0;
  if (!(body.inverse_mass > 0) || !(sum > 0)) return infinity;
  for (const auto& row : body.inverse_inertia)
    for (const double x : row) squares += x / sum * (x / sum);
  return std::sqrt(body.inverse_mass / (sum * squares));
}

double slop_of(const SceneState& state, std::size_t a, std::size_t b, const CallOptions& options) {
  const PositionCorrection& correction = options.substeps.position_correction;
  if (correction.slop > 0) return correction.slop;
  const double size = std::min(size_of(state.bodies[a]), size_of(state.bodies[b]));
  return std::isfinite(size) ? correction.relative_slop * size : SceneThresholds::slop_without_size;
}
double slop_of(const SceneState& state, const SceneContact& c, const CallOptions& options) {
  return c.slop > 0 ? c.slop : slop_of(state, c.a, c.b, options);
}

namespace {

// The mass of all bodies over the mass of the bodies that something immovable supports.
double cold_load(const SceneState& state, const SceneIsland& island) {
  std::map<std::size_t, bool> is_supported;
  for (const SceneBlock& block : island.blocks) {
    const bool a = state.is_movable(block.a), b = state.is_movable(block.b);
    if (a) is_supported[block.a] = is_supported[block.a] || !b;
    if (b) is_supported[block.b] = is_supported[block.b] || !a;
  }
  double mass = 0, supporting = 0;
  for (const auto& [body, supported] : is_supported) {
    const double inverse = state.bodies[body].inverse_mass;
    if (!(inverse > 0)) continue;
    mass += 1 / inverse;
    if (supported) supporting += 1 / inverse;
  }
  return supporting > 0 ? mass / supporting : 1;
}

double slop_of(const SceneState& state, const SceneBlock& block, const CallOptions& options) {
  if (block.is_group) return slop_of(state, block.a, block.b, options);
  double least = infinity;
  for (std::size_t i : block.items) least = std::min(least, slop_of(state, state.contacts[i], options));
  return least;
}

// [1/s²] Maximum of load / slop over the blocks. The load [m/s²] is half of the forces on a body for its mass, by the
// impulses that the step begins with, or gravity times a ratio of masses.
double max_need(const SceneState& state, const SceneIsland& island, const CallOptions& options) {
  std::map<std::size_t, double> carried;
  double most = 0, min_slop = infinity;
  bool has_impulse = false;
  for (const SceneBlock& block : island.blocks) {
    const double slop = slop_of(state, block, options);
    min_slop = std::min(min_slop, slop);
    double size = 0;
    for (std::size_t i : block.items) {
      const SceneContact* const c = block.is_group ? nullptr : &state.contacts[i];
      if (c != nullptr) size += std::max(dot(c->warm_impulse, c->data.normal), 0.0);
      if (c != nullptr) continue;
      const SceneRow& row = state.rows[i];
      has_impulse = has_impulse || row.warm_impulse != 0;
      if (row.least == 0 || row.largest == 0) continue;  // limits push in blows
      size += row.warm_impulse * row.warm_impulse * dot(row.linear_a, row.linear_a);
      // A row that only turns the bodies counts as a force at the radius of gyration.
      const auto turns = [&](std::size_t body, const Vector3& axis) {
        const Body& b = state.bodies[body];
        if (!state.is_movable(body) || b.inverse_mass == 0 || dot(row.linear_a, row.linear_a) > 0) return;
        carried[body] += SceneThresholds::joint_load * std::abs(row.warm_impulse) / 2 *
                         std::sqrt(std::max(dot(axis, b.inverse_inertia * axis), 0.0) / b.inverse_mass);
      };
      turns(block.a, row.angular_a);
      turns(block.b, row.angular_b);
    }
    if (block.is_group) size = SceneThresholds::joint_load * std::sqrt(size);
    for (std::size_t body : {block.a, block.b})
      if (state.is_movable(body)) carried[body] += size / 2;
    const double a = state.bodies[block.a].inverse_mass, b = state.bodies[block.b].inverse_mass;
    const double ratio = a > 0 && b > 0 ? std::max(a / b, b / a) : 1;
    most = std::max(most, options.rest_gravity * ratio / slop);
  }
  const bool is_cold =
      !has_impulse && std::all_of(carried.begin(), carried.end(), [](const auto& of) { return of.second == 0; });
  if (is_cold) most = std::max(most, options.rest_gravity * cold_load(state, island) / min_slop);
  for (const SceneBlock& block : island.blocks)
    for (std::size_t body : {block.a, block.b})
      if (state.is_movable(body))
        most = std::max(most, carried[body] * state.bodies[body].inverse_mass /
                                  (options.time_step * slop_of(state, block, options)));
  return most;
}

// The number of substeps of the sweeps.
int number_of_substeps(const SceneState& state, const SceneIsland& island, const CallOptions& options) {
  const Substeps& of = options.substeps;
  const double wanted = 2 * options.time_step * std::sqrt(max_need(state, island, options));
  const int least = of.min_substeps < of.max_substeps
                        ? std::max(of.min_substeps, std::min(SceneThresholds::swept_substeps, of.max_substeps))
                        : of.min_substeps;
  return static_cast<int>(
      std::ceil(std::clamp(wanted, static_cast<double>(least), static_cast<double>(of.max_substeps))));
}

// After this number of substeps the impulses themselves are applied again, instead of the last change of velocity.
constexpr int substeps_from_impulses = 32;

class SubstepSweeps {
 public:
  SubstepSweeps(SceneState& state, const SceneIsland& island, const CallOptions& options, int count)
      : state_(state),
        island_(island),
        options_(options),
        moments_(state, island),
        count_(count),
        h_(options.time_step / count) {
    for (const SceneBlock& block : island.sweep_order) has_model_.push_back(has_model(state, block));
  }

  SceneOutcome run() {
    SceneOutcome outcome;
    outcome.substeps = count_;
    outcome.approach = max_approach_speed(state_, island_);
    for (std::size_t i : island_.rows) velocities_before_[i] = velocity_of(state_, state_.rows[i]);
    follow_moving_bodies();
    begin();
    SceneEnergy energy(state_, island_, moments_, count_, options_.substeps.position_correction.relax_iterations > 0,
                       0.25 / h_);
    energy.begin();
    for (std::size_t i : island_.bodies) inverse_inertia_[i] = state_.bodies[i].inverse_inertia;
    for (std::size_t i : island_.rows) errors_[i] = state_.rows[i].error;
    for (int k = 0; k < count_; ++k) {
      elapsed_ = k * h_;
      energy.begin_substep();
      for (std::size_t i : island_.bodies) accelerate(state_.bodies[i], 1.0 / count_ * state_.change_of(i));
      if (k % substeps_from_impulses == 0) turned_.clear();
      warm_start(k == 0);
      goal();
      for (int n = 0; n < options_.substeps.iterations; ++n) sweep(n == 0);
      for (std::size_t i : island_.bodies) {
        const Body& body = state_.bodies[i];
        state_.moved[i].velocity = state_.moved[i].velocity + h_ * body.velocity;
        state_.moved[i].angular_velocity = combined(state_.moved[i].angular_velocity, h_ * body.angular_velocity);
      }
      energy.turn();
      elapsed_ = (k + 1) * h_;
      if (options_.substeps.position_correction.relax_iterations > 0 || k + 1 < count_) turn();
      relax();
      for (int n = 0; n < options_.substeps.position_correction.relax_iterations; ++n) sweep();
      energy.check();
      outcome.iterations += options_.substeps.iterations + options_.substeps.position_correction.relax_iterations;
    }
    elapsed_ = options_.time_step;
    set_next_impulses(outcome.approach);
    if (rebound()) {
      energy.begin_rebound();
      for (int n = 0; n < options_.substeps.restitution_iterations; ++n, ++outcome.iterations) sweep();
      energy.check_rebound();
    }
    for (std::size_t i : island_.bodies) state_.bodies[i].inverse_inertia = inverse_inertia_[i];
    outcome.energy_removed = energy.removed();
    end(outcome);
    return outcome;
  }

 private:
  // Bodies with mass follow the velocity change of the immovable bodies if all of these have the same. Immovable bodies
  // have the change in their velocities from the first substep on, and so have the moving bodies.
  void follow_moving_bodies() {
    std::optional<Vector3> followed;
    for (const SceneBlock& block : island_.blocks)
      for (std::size_t body : {block.a, block.b}) {
        if (state_.bodies[body].inverse_mass > 0) continue;
        const Vector3 change = state_.change_of(body).velocity;
        if (followed && *followed != change) return;
        followed = change;
      }
    if (!followed || state_.changes.empty()) return;
    for (std::size_t i : island_.bodies)
      if (state_.bodies[i].inverse_mass > 0) state_.changes[i].velocity = state_.changes[i].velocity - *followed;
  }

  // Everything per substep: bounds and compliance of rows, impulses to begin with. Velocities are without forces.
  void begin() {
    for (std::size_t i : island_.bodies) {
      accelerate(state_.bodies[i], -1.0 * state_.change_of(i));
      state_.moved[i] = {};
    }
    for (std::size_t i : island_.rows) {
      SceneRow& row = state_.rows[i];
      row.next_impulse = first_impulse(row, options_);
      row.impulse = row.next_impulse / count_;
      row.least /= count_;
      row.largest /= count_;
      row.diagonal += (count_ - 1) * row.compliance;
      row.compliance *= count_;
    }
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      c.impulse = first_impulse(c, options_.warm_start / count_);
      // A substep has a share of the impulse. f = -k gap - c u·n within it.
      const double slope = h_ * c.stiffness + c.damping;
      c.give = count_ * c.normal_compliance + (is_spring(c) ? 1 / (h_ * slope) : 0);
      c.slip_give = count_ * c.tangential_compliance;
    }
    moments_.begin(options_.warm_start / count_);
  }

  // The impulses of a substep are whole again in the next one; the earlier ones are added up.
  void warm_start(bool is_first) {
    for (std::size_t i : island_.rows) {
      SceneRow& row = state_.rows[i];
      if (!is_first) sums_[i] += row.impulse;
      apply_impulse(state_, row, row.impulse);
      spin(i, -1);
    }
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      if (!is_first) c.impulse_before = c.impulse_before + c.impulse;
      apply_impulse(state_, c, c.impulse);
    }
    if (!is_first) moments_.add_up();
    moments_.apply();
  }

  static bool is_spring(const SceneContact& c) { return std::isfinite(c.stiffness); }

  Twist moved(std::size_t body) const {
    return state_.is_movable(body) ? state_.moved[body] : elapsed_ * twist_of(state_.bodies[body]);
  }
  double gap_now(const SceneContact& c) const {
    const Vector3 apart = separation_velocity(moved(c.a), c.data.r_a, moved(c.b), c.data.r_b);
    return c.separation + dot(c.frame.to_contact[2], apart);
  }
  // Turns lever arms and inertia with the bodies. An impulse acts at the new lever arms when its row is visited.
  void turn() {
    const auto spins = [&](const SceneRow& row) -> Spins {
      return {state_.bodies[row.a].inverse_inertia * row.angular_a,
              state_.bodies[row.b].inverse_inertia * row.angular_b};
    };
    for (std::size_t i : island_.rows) turned_[i] = spins(state_.rows[i]);
    for (std::size_t i : island_.bodies) {
      if (island_.rows.empty()) break;
      const Vector3& rotation = state_.moved[i].angular_velocity;
      if (!(dot(rotation, rotation) > SceneEnergy::noticed_turn * SceneEnergy::noticed_turn)) continue;
      state_.bodies[i].inverse_inertia = turned(inverse_inertia_.at(i), rotation);
    }
    for (std::size_t i : island_.rows) {
      SceneRow& row = state_.rows[i];
      errors_[i] = turn(row);
      const Spins now = spins(row);
      Spins& of = turned_[i];
      of = {row.impulse * (now.a - of.a), row.impulse * (now.b - of.b)};
    }
  }
  // The missing effect of a row's impulse at the present lever arms.
  void spin(std::size_t i, double share) {
    const auto of = turned_.find(i);
    if (of == turned_.end()) return;
    const SceneRow& row = state_.rows[i];
    const auto add = [&](std::size_t body, const Vector3& by) {
      Vector3& w = state_.bodies[body].angular_velocity;
      if (state_.is_movable(body)) w = w + share * by;
    };
    add(row.a, of->second.a);
    add(row.b, of->second.b);
  }
  // Returns the present error; rotations are exact.
  double turn(SceneRow& row) {
    const Twist a = moved(row.a), b = moved(row.b);
    const auto side = [](Vector3& angular, const Vector3& linear, const Vector3& rotation, const Vector3& arm) {
      if (!(dot(arm, arm) > 0)) return dot(angular, rotation);
      const Vector3 shift = rotation_matrix(rotation) * arm - arm;
      angular = cross(arm + shift, linear);
      return dot(linear, shift);
    };
    const double error = row.error + dot(row.linear_a, a.velocity) + dot(row.linear_b, b.velocity) -
                         elapsed_ * row.target + side(row.angular_a, row.linear_a, a.angular_velocity, row.r_a) +
                         side(row.angular_b, row.linear_b, b.angular_velocity, row.r_b);
    row.diagonal = coupling(state_, row, row) + row.compliance;
    return error;
  }

  // The targets of contacts in a substep with push-out, and the compliance of a contact with a frequency.
  void goal() {
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      const double separation = gap_now(c);
      if (is_spring(c)) {
        c.target = c.min_velocity -
                   (separation > 0 ? separation / h_ : separation * c.stiffness / (h_ * c.stiffness + c.damping));
        continue;
      }
      double rate = c.frequency > 0 ? options_.substeps.position_correction.rate / h_ : 0;
      if (std::isfinite(c.frequency) && c.frequency > 0) {
        const SoftStep soft(c.frequency, c.damping_ratio, h_);
        rate = soft.rate;
        compliance_[i] = c.frame.k[2][2] / soft.answer;
      }
      const double overlap = std::max(-separation - slop_of(state_, c, options_), 0.0);
      const double pushed = std::min(rate * overlap, options_.substeps.position_correction.max_speed);
      c.target = c.min_velocity + (separation > 0 ? -separation / h_ : pushed);
    }
  }
  // The target of a row in a substep with push-out, when the turn of its joint comes.
  void goal(std::size_t i) {
    SceneRow& row = state_.rows[i];
    Goal& to = goals_[i];
    spin(i, 1);
    turned_.erase(i);
    const double error = errors_.at(i);
    const SoftStep soft(row.frequency, row.damping_ratio, h_);
    to.slack = row.frequency > 0 && ((row.largest == 0 && error < 0) || (row.least == 0 && error > 0));
    if (row.frequency == 0)
      to.target = row.target;
    else
      to.target = row.target - (to.slack ? 1 / h_ : soft.rate) * error;
    // A row without an error at the start of the step is rigid, unless it is a spring.
    const bool is_rigid = row.frequency == 0 || (row.error == 0 && !std::isfinite(row.frequency));
    to.share = to.slack || is_rigid ? 1 : soft.answer / (1 + soft.answer);
  }
  void relax() {
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      if (!is_spring(c)) c.target = std::min(c.target, c.min_velocity);
      compliance_[i] = 0;
    }
    for (std::size_t i : island_.rows) {
      Goal& to = goals_[i];
      if (!to.slack) to.target = state_.rows[i].target;
      to.share = 1;
    }
  }

  void sweep(bool aims_rows = false) {
    for (std::size_t n = 0; n < island_.sweep_order.size(); ++n) {
      const SceneBlock& block = island_.sweep_order[n];
      for (std::size_t i : block.items)
        if (block.is_group && aims_rows) goal(i);
      for (int round = 0; round < options_.substeps.inner_iterations; ++round) {
        if (has_model_[n])
          visit_models(n);
        else
          for (std::size_t i : block.items) block.is_group ? visit(i) : visit(state_.contacts[i], compliance_[i]);
      }
    }
  }
  EllipseStep step_of(std::size_t i) const {
    SceneContact c = state_.contacts[i];
    if (const auto found = compliance_.find(i); found != compliance_.end()) c.give += found->second;
    Vector3 velocity = relative_velocity(state_, c);
    velocity[0] += c.slip_give * c.impulse[0];
    velocity[1] += c.slip_give * c.impulse[1];
    velocity[2] += c.give * c.impulse[2] - c.target;
    return ellipse_step(c, velocity);
  }
  void visit_models(std::size_t n) {
    const std::vector<std::size_t>& items = island_.sweep_order[n].items;
    if (moments_.is_there(n)) {
      const SceneContact& first = state_.contacts[items[0]];
      moments_.roll(n, step_of(items[0]).velocity, ellipse_step(first, {}).k);
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
      SceneContact& c = state_.contacts[items[k]];
      const EllipseImpulse next = step_on_ellipse(step_of(items[k]), 1);
      if (k == 0) moments_.set_stuck(n, next.sticks);
      apply_impulse(state_, c, next.impulse - c.impulse);
      c.impulse = next.impulse;
    }
    if (moments_.is_there(n)) moments_.spin(n);
  }
  void visit(SceneContact& c, double compliance) {
    Vector3 velocity = relative_velocity(state_, c);
    velocity[2] += compliance * c.impulse[2] - c.target;
    Matrix3 k = c.frame.k;
    k[2][2] += compliance;
    const Vector3 impulse = step_on_cone({k, velocity, c.impulse, c.friction, c.static_friction}, 1);
    apply_impulse(state_, c, impulse - c.impulse);
    c.impulse = impulse;
  }
  void visit(std::size_t i) {
    SceneRow& row = state_.rows[i];
    const Goal& to = goals_[i];
    const double rest = deviation(state_, row, to.target);
    const double impulse = std::clamp(to.share * (row.impulse - rest / row.diagonal), row.least, row.largest);
    apply_impulse(state_, row, impulse - row.impulse);
    row.impulse = impulse;
  }

  // The next step starts from the impulses of the last substep. After a blow they are limited to the growth of a load
  // in a step.
  void set_next_impulses(double approach) {
    const double weight_speed = options_.rest_gravity * options_.time_step;
    const auto mass = [&](std::size_t body) {
      const double inverse = state_.bodies[body].inverse_mass;
      return inverse > 0 ? 1 / inverse : 0;
    };
    // The share that lasts of an impulse of this size.
    const auto lasting = [&](double size, double begun, std::size_t a, std::size_t b) {
      const double growth = weight_speed * (mass(a) + mass(b));
      if (!(approach > SceneThresholds::impact * weight_speed) || !(growth > 0)) return 1.0;
      const double most = 2 * begun + growth;
      return size > most ? most / size : 1.0;
    };
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      const double begun = std::max((c.frame.to_contact * c.warm_impulse)[2], 0.0);
      c.next_impulse = lasting(count_ * c.impulse[2], begun, c.a, c.b) * (count_ * c.impulse);
    }
    for (std::size_t i : island_.rows) {
      SceneRow& row = state_.rows[i];
      const double length = std::sqrt(dot(row.linear_a, row.linear_a)), begun = length * std::abs(row.next_impulse);
      row.next_impulse = count_ * row.impulse;
      row.next_impulse *= lasting(length * std::abs(row.next_impulse), begun, row.a, row.b);
    }
    moments_.share_out_next(count_);
  }

  // Sets the targets of contacts that rebound; true if one misses its target.
  bool rebound() {
    bool any = false;
    moments_.begin_rebound();
    for (std::size_t i : island_.contacts) {
      SceneContact& c = state_.contacts[i];
      if (c.give > 0) continue;  // it keeps its impulse
      // A separate collision.
      c.impulse_before = c.impulse_before + c.impulse;
      c.impulse = {};
      compliance_[i] = 0;
      const double e = c.data.restitution, forces = c.velocity_change, half = forces / (2 * count_);
      const double speed = c.approach0 - forces;
      const double separation = gap_now(c);
      if (!(e > 0) || !(separation < slop_of(state_, c, options_) / 2) ||
          !(-speed > std::max(options_.restitution_threshold, std::abs(2 * half))))
        continue;
      const double met2 =
          (speed + half) * (speed + half) - 2 * forces / options_.time_step * (c.separation - separation);
      c.target = std::max(e * std::sqrt(std::max(met2, 0.0)) - half, c.target);
      any = any || relative_velocity(state_, c)[2] < c.target;
    }
    return any;
  }

  void end(SceneOutcome& outcome) {
    for (std::size_t i : island_.contacts)
      outcome.residual =
          std::max(outcome.residual, state_.contacts[i].target - relative_velocity(state_, state_.contacts[i])[2] -
                                         state_.contacts[i].give * state_.contacts[i].impulse[2]);
    moments_.share_out();
    for (std::size_t i : island_.rows) {
      SceneRow& row = state_.rows[i];
      outcome.residual = std::max(outcome.residual, residual(row, deviation(state_, row, goals_[i].target)));
      row.impulse += sums_[i];
      row.work += row.impulse * (velocities_before_[i] + velocity_of(state_, row)) / 2;
    }
    if (outcome.residual > options_.tolerance * outcome.approach) outcome.status = IslandStatus::not_converged;
  }

  // Changes of the spins of a row's bodies.
  struct Spins {
    Vector3 a{}, b{};
  };
  struct Goal {
    double target = 0;  // [m/s]
    double share = 1;   // [1] of the row's full answer
    bool slack = false;
  };

  SceneState& state_;
  const SceneIsland& island_;
  const CallOptions& options_;
  SceneMoments moments_;
  std::vector<bool> has_model_;  // of island_.sweep_order
  int count_ = 1;
  double h_ = 0, elapsed_ = 0;
  std::map<std::size_t, Goal> goals_;
  std::map<std::size_t, double> sums_, velocities_before_, errors_;
  std::map<std::size_t, Spins> turned_;
  std::map<std::size_t, Matrix3> inverse_inertia_;  // at the start of the step
  std::map<std::size_t, double> compliance_;        // [1/kg] of contacts
};

}  // namespace

void move_alone(SceneState& state, const CallOptions& options, std::size_t i) {
  const Twist forces = state.is_movable(i) ? state.change_of(i) : Twist{};
  // Without contacts and rows: if there are direct islands, the body moves on a parabola. In substeps, forces act half
  // a substep later than at once.
  const double late = options.solves_islands ? 0.5 : 0.5 * (1 - 1.0 / options.substeps.min_substeps);
  state.moved[i] = options.time_step * (twist_of(state.bodies[i]) - late * forces);
}

void move_alone(SceneState& state, const CallOptions& options) {
  state.moved.resize(state.bodies.size());
  for (std::size_t i = 0; i + 1 < state.bodies.size(); ++i) move_alone(state, options, i);
}

SceneOutcome solve_substeps(SceneState& state, const SceneIsland& island, const CallOptions& options) {
  const int substeps = number_of_substeps(state, island, options);
  if (options.solves_islands)
    if (const auto outcome = solve_direct(state, island, options, substeps)) return *outcome;
  return SubstepSweeps(state, island, options, substeps).run();
}

}  // namespace carom::reference
