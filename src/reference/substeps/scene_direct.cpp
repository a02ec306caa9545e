// The step of a direct island: substeps, motion, position correction and rebound.
#include "scene_direct.hpp"

#include "core/scene/thresholds.hpp"
#include "reference/contact/vector.hpp"
#include "scene_direct_solver.hpp"
#include "scene_energy.hpp"

namespace carom::reference {
namespace {

using Thresholds = SceneThresholds;

}  // namespace

bool DirectSolver::run() {
  moved_.assign(of_.bodies.size(), {});
  double approach = 0;
  for (int k = 0; k < substeps_; ++k) {
    begin_substep(k);
    if (!run_substep()) return false;
    end_substep();
    if (k == 0) approach = approach_;
  }
  approach_ = approach;
  return is_in_range();
}

void DirectSolver::begin_substep(int substep) {
  if (substep > 0) of_.before = of_.velocity;
  for (std::size_t i = 0; i < of_.movable; ++i) of_.free[i] = of_.before[i] + 1.0 / substeps_ * forces_[i];
  for (DirectPoint& p : of_.points) {
    p.separation = p.first_gap + of_.velocity_of(p, moved_)[2];
    p.impulse = p.initial_impulse = p.next_impulse;
  }
  for (DirectRow& row : of_.rows) {
    const auto turn = [&](std::size_t body, const Vector3& first, const Vector3& linear, Vector3& arm,
                          Vector3& angular) {
      if (first == Vector3{} || substep == 0) return;
      arm = rotation_matrix(moved_[body].angular_velocity) * first;
      angular = cross(arm, linear);
    };
    turn(row.a, row.first_r_a, row.linear_a, row.r_a, row.angular_a);
    turn(row.b, row.first_r_b, row.linear_b, row.r_b, row.angular_b);
    row.impulse = row.initial_impulse = row.next_impulse;
    if (substep > 0) row.error = error_of(row, moved_[row.a], moved_[row.b], elapsed_);
  }
  if (!of_.rows.empty()) stiffen();
  elapsed_ = (substep + 1) * h_;
}

// Joints in tension turn their bodies back. A part of that stiffness, times h², is added to the inertia.
void DirectSolver::stiffen() {
  std::vector<Matrix3> tension(of_.bodies.size());
  const auto add = [&](std::size_t body, const Vector3& arm, double load) {
    if (body >= of_.movable || !(load > 0) || !(dot(arm, arm) > 0)) return;
    const double unit = std::exp2(std::floor(std::log2(load)) - 3);  // the load has four bits
    const double stiffness = Thresholds::direct_tension * h_ * std::ceil(load / unit) * unit;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        tension[body][i][k] += stiffness * ((i == k ? 1 : 0) - arm[i] * arm[k] / dot(arm, arm));
  };
  for (std::size_t i = 0; i < of_.rows.size();) {
    const DirectRow& first = of_.rows[i];
    double load_a = 0, load_b = 0;
    const auto holds_same_point = [&](const DirectRow& row) {
      return row.a == first.a && row.b == first.b && row.r_a == first.r_a && row.r_b == first.r_b;
    };
    do {
      const DirectRow& row = of_.rows[i];
      load_a += row.impulse * dot(row.linear_a, row.r_a);
      load_b += row.impulse * dot(row.linear_b, row.r_b);
    } while (++i < of_.rows.size() && holds_same_point(of_.rows[i]));
    add(first.a, first.r_a, load_a);
    add(first.b, first.r_b, load_b);
  }
  for (std::size_t i = 0; i < of_.movable; ++i) {
    DirectBody& body = of_.bodies[i];
    const Vector3& rotation = moved_[i].angular_velocity;
    body.inertia = body.first_inertia;
    body.inverse_inertia = body.first_inverse_inertia;
    body.curve = 1;
    if (dot(rotation, rotation) > Thresholds::direct_turned * Thresholds::direct_turned) {
      body.inertia = turned(body.inertia, rotation);
      body.inverse_inertia = turned(body.inverse_inertia, rotation);
    }
    if (!(trace(tension[i]) > 0)) continue;
    body.curve = std::min(1.0, Thresholds::direct_curve_tension * trace(body.inertia) / trace(tension[i]));
    const Matrix3 stiff = body.inertia + tension[i];
    if (const std::optional<Matrix3> inverse = inverse_of(stiff, body.locked)) {
      body.inertia = stiff;
      body.inverse_inertia = *inverse;
    }
  }
}

// r_a and r_b turn during the substep: joints aim at their positions after it. In a rebound they keep the present
// velocities.
void DirectSolver::set_row_targets() {
  for (DirectRow& row : of_.rows) {
    // The error of a row that acts one way may close where the row does not act.
    const bool has_way = (row.keeps_position || row.spring_rate > 0) &&
                         ((row.least == 0 && row.error > 0) || (row.largest == 0 && row.error < 0));
    row.target = row.wanted - (has_way ? 1 / h_ : row.spring_rate) * row.error;
    if (rebounds_) continue;
    const auto add = [&](std::size_t body, const Vector3& linear, const Vector3& arm) {
      if (body >= of_.movable) return;
      const Vector3& spin = of_.free[body].angular_velocity;
      const double angle = h_ * std::sqrt(dot(spin, spin)), most = Thresholds::direct_curve;
      const double share = of_.bodies[body].curve * (angle > most ? most * most / (angle * angle) : 1);
      row.target -= h_ / 2 * share * dot(linear, cross(spin, cross(spin, arm)));
    };
    add(row.a, row.linear_a, row.r_a);
    add(row.b, row.linear_b, row.r_b);
  }
}

bool DirectSolver::run_substep() {
  set_targets();
  pass_on_loads();
  measure_approach();
  mean_momentum_ = 0;
  for (std::size_t i = 0; i < of_.movable; ++i)
    mean_momentum_ += of_.bodies[i].mass * std::sqrt(dot(of_.free[i].velocity, of_.free[i].velocity)) /
                      static_cast<double>(of_.movable);
  set_row_targets();
  take_impulses();
  if (!find_impulses()) return false;
  residual_ = std::max(of_.violation(), row_residual());
  if (!(row_residual() <= Thresholds::direct_left * of_.weight_speed + Thresholds::direct_rows_left * approach_))
    return false;
  move();
  if (rebounds_) rebound();
  return true;
}

// Displacements at the end of the substep.
Twist DirectSolver::ahead(std::size_t body, const Twists& velocities) const {
  const Twist& now = moved_[body];
  return {now.velocity + h_ * velocities[body].velocity,
          combined(now.angular_velocity, h_ * velocities[body].angular_velocity)};
}

// Bodies move. The next substep starts from these impulses; after a blow they are limited to the growth of a load.
void DirectSolver::end_substep() {
  for (std::size_t i = 0; i < of_.bodies.size(); ++i) moved_[i] = ahead(i, moving_);
  const auto share = [&](double size, double initial, std::size_t a, std::size_t b) {
    const double most = 2 * initial + of_.weight_speed * (of_.bodies[a].mass + of_.bodies[b].mass);
    return is_hit_ && size > most ? most / size : 1;
  };
  for (DirectPoint& p : of_.points) {
    p.sum = p.sum + p.impulse;
    const bool separates = is_hit_ && velocity(p)[2] > of_.weight_speed;
    p.next_impulse = (separates ? 0 : share(p.impulse[2], p.initial_impulse[2], p.a, p.b)) * p.impulse;
  }
  for (DirectRow& row : of_.rows) {
    const SceneRow& given = state_.rows[row.row];
    row.sum = std::clamp(row.sum + row.impulse, given.least, given.largest);
    const double length = std::sqrt(dot(row.linear_a, row.linear_a));
    row.next_impulse =
        row.impulse * share(length * std::abs(row.impulse), length * std::abs(row.initial_impulse), row.a, row.b);
  }
}

// Bodies without impulses fly under their forces. The others move with their new velocities, and out of their overlaps
// and errors.
void DirectSolver::move() {
  moving_ = of_.velocity;
  std::vector<bool> is_pushed(of_.bodies.size(), false);
  for (const DirectPoint& p : of_.points)
    if (p.impulse != Vector3{}) is_pushed[p.a] = is_pushed[p.b] = true;
  for (const DirectRow& row : of_.rows) is_pushed[row.a] = is_pushed[row.b] = true;
  for (std::size_t i = 0; i < of_.movable; ++i)
    if (!is_pushed[i]) moving_[i] = 0.5 * (of_.before[i] + of_.velocity[i]);
  const Twists correction = correct_positions();
  for (std::size_t i = 0; i < of_.movable; ++i) moving_[i] = moving_[i] + correction[i];
}

double DirectSolver::error_of(const DirectRow& row, const Twist& a, const Twist& b, double elapsed) const {
  const auto turned = [](const Vector3& linear, const Vector3& angular, const Vector3& arm, const Vector3& rotation) {
    return arm == Vector3{} ? dot(angular, rotation) : dot(linear, rotation_matrix(rotation) * arm - arm);
  };
  return row.first_error + dot(row.linear_a, a.velocity) + dot(row.linear_b, b.velocity) - elapsed * row.wanted +
         turned(row.linear_a, row.angular_a, row.first_r_a, a.angular_velocity) +
         turned(row.linear_b, row.angular_b, row.first_r_b, b.angular_velocity);
}

// Velocities that reduce the overlaps and the errors of joints, and that are not kept. Loaded contacts hold; friction
// does not count.
Twists DirectSolver::correct_positions() {
  Twists none(of_.bodies.size());
  bool any = std::ranges::any_of(of_.points, [](const DirectPoint& p) { return p.separation < -p.slop; });
  std::vector<double> row_wanted;
  hold_rows_within_bounds();
  for (DirectRow& row : of_.rows) {
    double error =
        row.keeps_position ? error_of(row, ahead(row.a, of_.velocity), ahead(row.b, of_.velocity), elapsed_) : 0;
    // A row with one-sided bounds corrects no error on its other side, and its errors count even without an impulse.
    if (row.largest == 0) error = std::max(error, 0.0);
    if (row.least == 0) error = std::min(error, 0.0);
    if ((row.least == 0 || row.largest == 0) && error != 0) row.is_held = true;
    if (!row.is_held) error = 0;
    any = any || std::abs(error) > row.allowed_error;
    row_wanted.push_back(-error / h_);
  }
  if (!any) return none;
  const double rate = options_.substeps.position_correction.rate / h_;
  std::vector<double> wanted;
  for (DirectPoint& p : of_.points) {
    const double pushed =
        std::min(rate * std::max(-p.separation - p.slop, 0.0), options_.substeps.position_correction.max_speed);
    const double missing = pushed - std::max(velocity(p)[2], 0.0);
    wanted.push_back(p.separation <= 0 ? std::max(missing, 0.0) : 0);
    p.status = p.impulse[2] > 0 || wanted.back() > 0 ? DirectStatus::slips : DirectStatus::open;
  }
  if (!factor()) return none;
  std::vector<double> right = of_.right_hand_side();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    of_.add(of_.points[i], {0, 0, of_.points[i].weight * wanted[i]}, right);
  for (std::size_t i = 0; i < row_wanted.size(); ++i) of_.add(of_.rows[i], of_.rows[i].weight * row_wanted[i], right);
  Twists correction = of_.solve(right);
  double fastest = 0;
  for (const Twist& t : correction) fastest = std::max(fastest, dot(t.angular_velocity, t.angular_velocity));
  const double angle = std::sqrt(fastest) * h_;
  if (!std::isfinite(angle)) return none;
  if (angle > Thresholds::direct_turn)
    for (Twist& t : correction) t = Thresholds::direct_turn / angle * t;
  return correction;
}

// Adds the impulses of joints to velocities that other impulses have made, so that joints hold. Returns false without
// such impulses.
bool DirectSolver::keep_rows(Twists& gain) {
  if (of_.rows.empty()) return true;
  for (DirectPoint& p : of_.points) p.status = DirectStatus::open;
  hold_rows_within_bounds();
  if (!factor()) return false;
  std::vector<double> kept(of_.rows.size());
  for (int n = 0; n < Thresholds::direct_tries + 1; ++n) {
    std::vector<double> right = of_.right_hand_side();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      DirectRow& row = of_.rows[i];
      row.change = -DirectIsland::velocity_of(row, gain) - row.compliance * kept[i];
      if (row.is_held) of_.add(row, row.weight * row.change, right);
    }
    const Twists change = of_.solve(right);
    of_.find_row_changes(change);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] += of_.rows[i].change;
    for (std::size_t i = 0; i < of_.movable; ++i) gain[i] = gain[i] + change[i];
  }
  for (std::size_t i = 0; i < kept.size(); ++i) of_.rows[i].change = kept[i];
  return true;
}

// Poisson's hypothesis: the impulses of the blow return, times the restitution, with at most e² of the energy that the
// blow took. e² is the mean of the contacts.
void DirectSolver::rebound() {
  // Loaded contacts that may close their gap are stopped first: the bodies have moved until they touch.
  std::vector<DirectPoint>& points = of_.points;
  if (std::ranges::any_of(points,
                          [](const DirectPoint& p) { return p.impulse[2] > 0 && p.target[2] < p.min_velocity; })) {
    for (DirectPoint& p : points)
      if (p.impulse[2] > 0) p.target[2] = p.min_velocity;
    const Kept before = kept();
    if (!find_impulses()) restore(before);
  }
  Twists gain(of_.bodies.size());
  double weight = 0, squares = 0;
  for (DirectPoint& p : points) {
    const double impact = std::max(p.impulse[2] - p.initial_impulse[2], 0.0);
    p.change = {0, 0, p.restitution * impact};
    of_.accelerate(p, p.change, gain);
    weight += impact;
    squares += p.restitution * p.restitution * impact;
  }
  if (!keep_rows(gain)) return;
  // The energy with a share s of the gain is linear s + square s². Bodies and surfaces that move by themselves are the
  // frame of the energy that the blow took: the work of the impulses, less the work of forces over the way that the
  // bodies have not moved.
  double lost = 0, linear = 0, square = 0;
  for (const DirectPoint& p : points) {
    const Vector3 first = of_.velocity_of(p, of_.free), now = of_.velocity_of(p, of_.velocity);
    const Vector3 surface = {p.target[0], p.target[1], 0};
    lost -= dot(p.impulse, 0.5 * (first + now) - surface);
    linear += p.change[2] * now[2];
  }
  for (const DirectRow& row : of_.rows) {
    const double first = DirectIsland::velocity_of(row, of_.free), now = DirectIsland::velocity_of(row, of_.velocity);
    lost -= row.impulse * ((first + now) / 2 - row.wanted);
    linear += row.change * now;
  }
  for (std::size_t i = 0; i < of_.movable; ++i) {
    const DirectBody& body = of_.bodies[i];
    const Twist forces = of_.free[i] - of_.before[i];
    lost -= product(body, forces, 0.5 * (of_.before[i] + of_.free[i]) - moving_[i]);
    square += product(body, gain[i], gain[i]) / 2;
  }
  if (!(weight > 0) || !(square > 0)) return;
  const double most = std::max(lost, 0.0) * squares / weight;
  const double root = std::sqrt(std::max(linear * linear + 4 * square * most, 0.0));
  const double share = std::clamp((root - linear) / (2 * square), 0.0, 1.0);
  for (DirectPoint& p : points) p.impulse[2] += share * p.change[2];
  of_.take_row_changes(share);
  if (!of_.rows.empty()) {
    // A rope does not push because the bodies rebound.
    for (DirectRow& row : of_.rows) row.impulse = std::clamp(row.impulse, row.least, row.largest);
    return take_impulses();
  }
  for (std::size_t i = 0; i < of_.movable; ++i) of_.velocity[i] = of_.velocity[i] + share * gain[i];
}

// Squares stay within the range of double.
bool DirectSolver::is_in_range() const {
  const double most = std::sqrt(std::numeric_limits<double>::max() / 16);
  const auto is_within = [&](const Vector3& v) {
    return std::ranges::all_of(v, [&](double x) { return std::abs(x) < most; });
  };
  return std::ranges::all_of(of_.velocity,
                             [&](const Twist& t) { return is_within(t.velocity) && is_within(t.angular_velocity); }) &&
         std::ranges::all_of(of_.points, [&](const DirectPoint& p) { return is_within(p.sum); }) &&
         std::ranges::all_of(of_.rows, [&](const DirectRow& row) { return std::abs(row.sum) < most; });
}

SceneOutcome DirectSolver::store() {
  for (std::size_t i = 0; i < of_.movable; ++i) {
    Body& body = state_.bodies[of_.bodies[i].place];
    body.velocity = of_.velocity[i].velocity;
    body.angular_velocity = of_.velocity[i].angular_velocity;
    state_.moved[of_.bodies[i].place] = moved_[i];
  }
  for (const DirectPoint& p : of_.points) {
    SceneContact& c = state_.contacts[p.contact];
    c.impulse = c.frame.to_contact * (transpose(p.axes) * p.sum);
    c.next_impulse = c.frame.to_contact * (transpose(p.axes) * (static_cast<double>(substeps_) * p.next_impulse));
    const double bound = p.friction * p.sum[2] * (1 - 1e-6);
    if (p.sum != Vector3{})
      c.path.sliding_end = tangential_length(p.sum) >= bound ? SlidingEnd::slip : SlidingEnd::stick;
  }
  for (const DirectRow& row : of_.rows) {
    state_.rows[row.row].impulse = row.sum;
    state_.rows[row.row].next_impulse = substeps_ * row.next_impulse;
    state_.rows[row.row].work += row.sum * (row.first_velocity + DirectIsland::velocity_of(row, of_.velocity)) / 2;
  }
  SceneOutcome outcome;
  outcome.iterations = of_.solves;
  outcome.algorithm = of_.algorithm;
  outcome.substeps = substeps_;
  outcome.approach = approach_;
  outcome.residual = residual_;
  if (residual_ > std::max(Thresholds::direct_push, Thresholds::direct_converged * approach_))
    outcome.status = IslandStatus::not_converged;
  return outcome;
}

std::optional<SceneOutcome> solve_direct(SceneState& state, const SceneIsland& island, const CallOptions& options,
                                         int substeps) {
  DirectSolver direct(state, island, options);
  if (!direct.load() || !direct.is_small(substeps) || !direct.run()) return std::nullopt;
  return direct.store();
}

}  // namespace carom::reference
