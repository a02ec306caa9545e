// The island as it is filled, the states of its contacts, and the solutions for them.
#include "direct_island.hpp"

#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "interior_point.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [1] After a solution the impulses hold back the error of the velocities once too often. So the next call is settled
/// only below this fraction of SceneThresholds::direct_settled: otherwise every other call at rest is a solution.
constexpr double settled_again = 1.0 / 16;
/// [1] As SceneThresholds::direct_calm, for an island on the factor of a certificate.
constexpr double certified_calm = 0.03;

double tangential_length(const Vector3& v) {
  return systems::tangential_length(v.data());
}

}  // namespace

bool DirectIsland::plan(std::size_t bodies, const Array<Edge>& edges, double max_work,
                        const kernel::BlockKernels& kernels, double limit, const Array<Vector3>& places) {
  factor_.use(kernels);
  cone_kernels_ = kernels.cones;
  if (!is_planned(bodies, edges)) {
    has_factor_ = is_planned_ = false;
    edges_ = edges;
    fits_ = factor_.plan(bodies, edges, limit, places);
    is_planned_ = true;
  }
  return fits_ && factor_.work() <= max_work;
}

void DirectIsland::reserve(std::size_t manifolds, std::size_t points, std::size_t rows, std::size_t fixed_bodies) {
  const std::size_t n = factor_.bodies();
  bodies_.resize(n);
  make_room(n + 1 + fixed_bodies, forces_, free_, before_, velocity_, moving_, moved_, right_, correction_, rebound_,
            kept_velocity_, displacements_, pushed_);
  if (rows > 0) factor_.reserve_kept();
  make_room(rows, rows_, kept_rows_, started_.rows, initial_.rows, factored_.rows, factored_.row_weights);
  make_room(points, kept_, started_.points, started_.states, initial_.points, initial_.states, points_, cones_,
            factored_.arms);
  make_room(manifolds, manifolds_, cone_manifolds_, factored_.axes);
  make_room(3 + n + 3 * manifolds + 2 * points + 3 * rows, matrix_, last_matrix_);
  make_room(n, factored_.inverse_inertia, factored_.inertia, factored_.locked);
}

void DirectIsland::begin(int substeps, std::uint64_t name) {
  substeps_ = substeps;
  has_same_name_ = name != 0 && name == name_;
  name_ = name;
  treatment_ = {};
  manifolds_.clear();
  points_.clear();
  rows_.clear();
  // The bodies' rows are followed by the row of the world.
  for (Rows* rows : {&forces_, &free_, &before_}) rows->assign(factor_.bodies() + 1, BodyRow{});
}

bool DirectIsland::set_body(std::size_t position, std::uint32_t number, double inverse_mass,
                            const std::array<double, 6>& inverse_inertia, const BodyRow& velocity,
                            const BodyRow& forces) {
  Body& body = bodies_[position];
  body.number = number;
  body.inverse_mass = inverse_mass;
  body.mass = 1 / inverse_mass;
  body.inverse_inertia = body.given_inverse = inverse_inertia;
  forces_[position] = forces;
  free_[position] = velocity;
  before_[position] = velocity;
  for (std::size_t i = 0; i < 6; ++i) before_[position].at[i] -= forces.at[i];
  body.locked = locked_axes(inverse_inertia);
  bool is_sound = inverse_mass > 0 && std::isfinite(body.mass) && invert(inverse_inertia, body.locked, body.given);
  for (std::size_t c = 0; c < 3; ++c) is_sound = is_sound && ((body.locked >> c & 1u) == 0 || velocity.at[3 + c] == 0);
  body.inertia = body.given;
  return is_sound;
}

std::int32_t DirectIsland::add_fixed(const BodyRow& velocity, const BodyRow& change) {
  forces_.emplace_back();
  free_.push_back(velocity);
  before_.push_back(velocity);
  for (std::size_t i = 0; i < 6; ++i) before_.back().at[i] -= change.at[i];
  return static_cast<std::int32_t>(free_.size() - 1);
}

void DirectIsland::add_manifold(std::int32_t a, std::int32_t b, const Matrix3& axis, double friction) {
  Manifold& m = manifolds_.emplace_back();
  m.a = a;
  m.b = b;
  m.axis = axis;
  m.friction = friction;
  m.first = m.end = static_cast<std::uint32_t>(points_.size());
  for (const std::int32_t row : {a, b})
    if (moves(row)) m.inverse_mass += bodies_[static_cast<std::size_t>(row)].inverse_mass;
  if (moves(a) && moves(b))
    m.block = factor_.between(static_cast<std::size_t>(std::min(a, b)), static_cast<std::size_t>(std::max(a, b)));
}

void DirectIsland::accelerate(const Rows& wrench, Rows& rows) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vector3 spin = symmetric(bodies_[i].inverse_inertia) * angular(wrench[i]);
    for (std::size_t c = 0; c < 3; ++c) {
      rows[i].at[c] += bodies_[i].inverse_mass * wrench[i].at[c];
      rows[i].at[3 + c] += spin[c];
    }
  }
}

void DirectIsland::apply_changes() {
  std::fill(right_.begin(), right_.end(), BodyRow{});
  for (const Manifold& m : manifolds_)
    for (std::uint32_t i = m.first; i < m.end; ++i) add_wrench(m, points_[i], points_[i].change, right_);
  accelerate(right_, velocity_);
}

/// States from the impulses of the last step. A point near the boundary of its cone that slides against its friction
/// slips, and its friction turns with the slip. Friction that just holds a manifold sticks. All closed points of an
/// island without impulses stick.
void DirectIsland::set_states() {
  for (Point& p : points_) p.is_released = false;
  if (treatment_.is_certified) {
    each_point([&](const Manifold&, Point& p) {
      p.state = p.separation < treatment_.closed * p.slop ? State::sticks : State::open;
      p.change = {};
    });
    return;
  }
  if (!is_loaded_) {
    each_point([](const Manifold&, Point& p) { p.state = p.separation <= 0 ? State::sticks : State::open; });
    return;
  }
  bool any = false;
  for (const Manifold& m : manifolds_) {
    bool just_holds = true;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      Point& p = points_[i];
      p.change = {};
      const double most = m.friction * p.impulse[2], held = most * Thresholds::direct_slipping;
      p.state = p.impulse[2] > 0 ? State::sticks : State::open;
      if (p.state == State::open || p.impulse[0] * p.impulse[0] + p.impulse[1] * p.impulse[1] < held * held) {
        just_holds = just_holds && p.state == State::open;
        continue;
      }
      const double friction = tangential_length(p.impulse);
      if (!(friction < most * (1 - 1e-6))) p.state = State::slips;
      just_holds = just_holds && p.state == State::slips && friction > 0;
      if (!(friction > Thresholds::direct_slipping * most)) continue;
      const Vector3 u = relative(m, p, velocity_) - p.target;
      const double slip = tangential_length(u), along = u[0] * p.impulse[0] + u[1] * p.impulse[1];
      just_holds = just_holds && slip < Thresholds::direct_push;
      if (!(slip > Thresholds::direct_slip) || !(along < (p.state == State::slips ? 0 : -0.9 * slip * friction)))
        continue;
      p.state = State::slips;
      const double f = -most / slip;
      p.change = Vector3{f * u[0], f * u[1], p.impulse[2]} - p.impulse;
      p.impulse = p.impulse + p.change;
      any = true;
    }
    // Without a slip that shows, the directions of the friction are unknown.
    for (std::uint32_t i = m.first; just_holds && i < m.end; ++i)
      if (points_[i].state == State::slips) points_[i].state = State::sticks;
  }
  if (any) apply_changes();
}

/// The friction of a sliding point follows its normal impulse only in the next solution: it may leave the cone by the
/// fraction `lag`.
bool DirectIsland::leaves_cone(const Manifold& m, const Point& p, const Vector3& impulse, double lag) const {
  const double slack = p.state == State::slips ? std::max(tolerance_, lag * m.friction * p.impulse[2]) : tolerance_;
  return impulse[2] < -tolerance_ ||
         tangential_length(impulse) > m.friction * std::max(impulse[2], 0.0) * (1 + 1e-6) + slack;
}

DirectIsland::Verdict DirectIsland::solve_states(bool is_last, double lag) {
  ++solves_;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  each_point([&](const Manifold& m, Point& p) {
    p.change = {};
    if (p.state == State::open) return;
    p.change = p.target - relative(m, p, velocity_);
    if (p.state == State::slips) p.change[0] = p.change[1] = 0;
    add_wrench_in_factor(m, p, p.weight * p.change, right_);
  });
  add_rows(right_);
  factor_.solve(right_.data());
  if (!find_row_changes(right_)) return Verdict::failed;
  bool leaves = false;
  missed_ = 0;
  each_point([&](const Manifold& m, Point& p) {
    if (p.state == State::open) return;
    Vector3 miss = p.change - relative_in_factor(m, p, right_);
    if (p.state == State::slips) miss[0] = miss[1] = 0;
    for (const double x : miss) missed_ = std::max(missed_, std::abs(x));
    p.change = p.weight * miss;
    // Also true for NaN.
    leaves = leaves || !(std::abs(p.change[2]) < 1e300) || leaves_cone(m, p, p.impulse + p.change, lag);
  });
  for (const JointRow& row : rows_)
    leaves = leaves || (row.state == RowState::held && is_out_of_bounds(row, row.impulse + row.change));
  if (leaves) {
    if (!is_last) release();
    return Verdict::contradicted;
  }
  each_point([&](const Manifold&, Point& p) { p.impulse = p.impulse + p.change; });
  take_row_changes(1);
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c) velocity_[i].at[c] += right_[i].at[c];
  const bool holds_contacts = hold_approaching(), holds_rows = hold_rows();
  if (holds_contacts || holds_rows) return Verdict::contradicted;
  keep_in_cones();
  keep_rows_in_bounds();
  return Verdict::accepted;
}

/// Lets the friction of sliding points follow their loads and slips, with the same matrix. Returns false, without
/// changes, if no point slides or if the solution contradicts the states.
bool DirectIsland::turn_friction() {
  bool any = false;
  keep_impulses(started_);
  kept_velocity_ = velocity_;
  each_point([&](const Manifold& m, Point& p) {
    p.change = {};
    if (p.state != State::slips || !(p.impulse[2] > 0)) return;
    const Vector3 u = relative(m, p, velocity_) - p.target;
    const double slip = tangential_length(u);
    if (!(slip > Thresholds::direct_push)) return;
    const double f = -m.friction * p.impulse[2] / slip;
    p.change = Vector3{f * u[0], f * u[1], p.impulse[2]} - p.impulse;
    p.impulse = p.impulse + p.change;
    any = true;
  });
  if (!any) return false;
  apply_changes();
  // Loads that have moved from point to point leave friction beyond any cone; the next turn takes it back.
  return solve_or_return(1);
}

/// Returns true if a point slides with less friction than its load allows: the loads have changed by so much that
/// friction could not follow.
bool DirectIsland::lacks_friction() const {
  for (const Manifold& m : manifolds_)
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      const Point& p = points_[i];
      if (p.state != State::slips) continue;
      const double least = (1 - Thresholds::direct_lag) * m.friction * p.impulse[2] - tolerance_;
      if (tangential_length(p.impulse) < least &&
          tangential_length(relative(m, p, velocity_) - p.target) > Thresholds::direct_slip)
        return true;
    }
  return false;
}

/// Solves once more with the same matrix, which reduces the error of the impulses, from the velocities that they lead
/// to: solutions add up with an error of ε times the weights, which the next solution would not see.
bool DirectIsland::solve_again() {
  keep_impulses(started_);
  kept_velocity_ = velocity_;
  take_impulses();
  return solve_or_return();
}

void DirectIsland::keep_impulses(Impulses& to) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    to.points[i] = points_[i].impulse;
    to.states[i] = points_[i].state;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) to.rows[i] = rows_[i].impulse;
}

void DirectIsland::return_impulses(const Impulses& from) {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    points_[i].impulse = from.points[i];
    points_[i].state = from.states[i];
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = from.rows[i];
}

/// Solves with the same matrix. Returns false, with the impulses and velocities that were kept, if it is not accepted.
bool DirectIsland::solve_or_return(double lag) {
  if (solve_states(true, lag) == Verdict::accepted) return true;
  return_impulses(started_);
  velocity_ = kept_velocity_;
  return false;
}

/// Opens the points that would pull, and lets the points slide that need more friction than they have.
void DirectIsland::release() {
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 next = p.impulse + p.change, begun = p.impulse;
    if (p.state != State::open && leaves_cone(m, p, next)) {
      const double normal = next[2] < -tolerance_ ? 0 : std::max(next[2], 0.0), friction = tangential_length(next);
      const double share = friction > 0 ? m.friction * normal / friction : 0;
      p.is_released = p.state == State::sticks;
      p.state = normal > 0 ? State::slips : State::open;
      p.impulse = {share * next[0], share * next[1], normal};
    }
    p.change = p.impulse - begun;
  });
  apply_changes();
  release_rows();
}

/// Holds open points that approach, and sliding points that friction would push. Returns true if there are any.
bool DirectIsland::hold_approaching() {
  bool any = false;
  each_point([&](const Manifold& m, Point& p) {
    p.change = {};
    if (p.state == State::sticks) return;
    const Vector3 u = relative(m, p, velocity_) - p.target;
    const double pushed = u[0] * p.impulse[0] + u[1] * p.impulse[1];
    const bool is_held = p.state == State::open ? u[2] < -Thresholds::direct_approach
                                                : pushed > Thresholds::direct_push * m.friction * p.impulse[2];
    if (!is_held) return;
    any = true;
    if (!p.is_released) {
      p.state = State::sticks;
      return;
    }
    // The friction of a point that has left its cone may have the wrong direction.
    p.is_released = p.state == State::open;
    p.state = State::slips;
    const double slip = tangential_length(u), f = slip > 0 ? -m.friction * p.impulse[2] / slip : 0;
    p.change = Vector3{f * u[0], f * u[1], p.impulse[2]} - p.impulse;
    p.impulse = p.impulse + p.change;
  });
  if (any) apply_changes();
  return any;
}

double DirectIsland::violation() {
  double most = 0;
  each_point([&](const Manifold& m, Point& p) {
    const double missing = p.target[2] - relative(m, p, velocity_)[2];
    most = missing <= most ? most : missing;  // keeps NaN
  });
  return most;
}

double DirectIsland::contradiction() {
  double most = 0;
  each_point([&](const Manifold& m, Point& p) {
    const double parting = relative(m, p, velocity_)[2] - p.target[2];
    const double least = std::min(parting, p.impulse[2] * m.inverse_mass);
    most = least <= most ? most : least;  // keeps NaN
  });
  return most;
}

/// Bodies and surfaces with prescribed velocities may wedge a body, with friction coefficients about 1: the impulses
/// then have no limit. Returns true if the island has more energy than such velocities can supply.
bool DirectIsland::is_thrown() {
  // A row that drives has no limit, either, and springs return energy.
  for (const JointRow& row : rows_)
    if (row.wanted != 0 || row.compliance > 0) return false;
  double fastest = 0;
  const std::size_t n = bodies_.size();
  const auto of_fixed = [&](std::int32_t row, const Vector3& arm) {
    if (static_cast<std::size_t>(row) < n) return Vector3{};
    const BodyRow& v = free_[static_cast<std::size_t>(row)];
    return linear(v) + cross(angular(v), arm);
  };
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 target = {p.target[0], p.target[1], std::max(p.target[2], 0.0)};
    const Vector3 a = of_fixed(m.a, p.r_a), b = of_fixed(m.b, p.r_b);
    fastest = std::max({fastest, dot(target, target), dot(a, a), dot(b, b)});
  });
  if (!(fastest > 0)) return false;
  double energy = 0, mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    energy += 0.5 * (product(i, velocity_[i], velocity_[i]) - product(i, free_[i], free_[i]));
    mass += bodies_[i].mass;
  }
  return !(energy <= Thresholds::direct_drive * mass * fastest);
}

void DirectIsland::keep_in_cones() {
  bool any = false;
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 begun = p.impulse;
    const double friction = tangential_length(p.impulse), most = m.friction * p.impulse[2];
    if (!(p.impulse[2] > Thresholds::direct_nothing * mean_momentum_))
      p.impulse = {};
    else if (friction > most)
      p.impulse = {p.impulse[0] * (most / friction), p.impulse[1] * (most / friction), p.impulse[2]};
    p.change = p.impulse - begun;
    any = any || p.impulse != begun;
  });
  if (any) apply_changes();
}

/// Reduces all impulses by the share that leaves them no positive work at the new velocities: an interior point ends at
/// a tolerance, linear solves leave a share of the error, and sliding friction is accepted with one. Work at prescribed
/// surface velocities, and at targets above 0, is excepted. Rows stay within their bounds.
void DirectIsland::keep_energy(const StepOptions& options) {
  double work = 0, answer = 0;
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 now = relative(m, p, velocity_), begun = relative(m, p, free_);
    const Vector3 prescribed = {p.target[0], p.target[1], std::max(p.target[2], 0.0)};
    work += dot(p.impulse, now - prescribed);
    answer += dot(p.impulse, now - begun);
  });
  for (const JointRow& row : rows_) {
    work += row.impulse * (velocity_of(row, velocity_) - row.target);
    answer += row.impulse * (velocity_of(row, velocity_) - velocity_of(row, free_));
  }
  if (!(work > Thresholds::direct_work_left * mean_weight_ * options.weight_speed)) return;
  const double share = answer > work ? (answer - work) / answer : 0;
  for (Point& p : points_) p.impulse = share * p.impulse;
  for (JointRow& row : rows_) row.impulse = std::min(std::max(share * row.impulse, row.least), row.largest);
}

/// Returns true if the velocities that result from the initial impulses are the solution up to rounding. Sets the
/// residual.
bool DirectIsland::is_settled(double weight_speed) {
  if (!is_loaded_ || substeps_ > 1 || hit_ || rebounds_) return false;
  const double settled = (was_solved_ ? settled_again : 1) * Thresholds::direct_settled * weight_speed;
  const double most =
      was_stopped_ ? std::min(Thresholds::direct_calm * weight_speed, Thresholds::direct_push) : settled;
  residual_ = 0;
  for (const Manifold& m : manifolds_)
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      const Point& p = points_[i];
      const Vector3 u = relative(m, p, velocity_) - p.target;
      residual_ = std::max(residual_, -u[2]);
      if (p.state == State::open) {
        if (u[2] < -most) return false;
        continue;
      }
      const double slip = std::max(std::abs(u[0]), std::abs(u[1]));
      if (!(std::max(std::abs(u[2]), slip) <= most)) return false;
      if (p.state == State::slips && leaves_cone(m, p, p.impulse)) return false;
    }
  for (const JointRow& row : rows_) {
    if (row.state != RowState::held || !(std::abs(miss_of(row)) <= most)) return false;
    residual_ = std::max(residual_, std::abs(miss_of(row)));
  }
  return true;
}

/// Stops all bodies if none is faster than `limit` [m/s].
void DirectIsland::stop(double limit) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyRow& v = velocity_[i];
    if (!(std::sqrt(product(i, v, v) / bodies_[i].mass) < limit)) return;
  }
  std::fill_n(velocity_.begin(), bodies_.size(), BodyRow{});
  is_stopped_ = true;
}

double DirectIsland::work_of_iteration() const {
  constexpr double work_of_point = 350;
  return factor_.work() + work_of_point * static_cast<double>(points_.size());
}

/// Finds impulses for the targets, from the impulses and velocities so far.
bool DirectIsland::find_impulses(const StepOptions& options, bool may_use_interior_point) {
  double greatest = 0;
  for (const Point& p : points_) greatest = std::max(greatest, p.impulse[2]);
  tolerance_ = Thresholds::direct_cone * std::max(greatest, mean_weight_);
  is_loaded_ = greatest > 0;
  calm_speed_ = (treatment_.is_certified ? certified_calm : Thresholds::direct_calm) * options.weight_speed;
  for (Impulses* of : {&started_, &initial_}) {
    of->points.resize(points_.size());
    of->states.resize(points_.size());
    of->rows.resize(rows_.size());
  }
  keep_impulses(initial_);
  set_states();
  set_row_states();
  is_settled_ = is_settled(options.weight_speed);
  if (is_settled_) return true;
  put_rows_on_bounds();
  mean_momentum_ = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    mean_momentum_ += bodies_[i].mass * length(linear(free_[i])) / static_cast<double>(bodies_.size());
  const int tries = Thresholds::direct_tries + (has_bounds() ? Thresholds::direct_bound_tries : 0);
  Verdict verdict = Verdict::contradicted;
  for (int i = 1; i <= tries && verdict == Verdict::contradicted; ++i)
    verdict = factor() ? solve_states(i == tries) : Verdict::failed;
  if (verdict == Verdict::accepted) {
    // The compliance of D leaves 1e-5 of new impulses after each solve, and more where heavy bodies load light ones.
    const bool is_cold = !is_loaded_ && !(points_.empty() && has_loaded_rows_);
    const auto is_rough = [&](int i) {
      return missed_ > Thresholds::direct_miss *
                           (options.weight_speed +
                            Thresholds::direct_moving * std::max(approach_ - options.weight_speed, 0.0)) ||
             row_residual() > Thresholds::direct_push || (i < Thresholds::direct_tries && (hit_ || is_cold));
    };
    for (int i = 0; i < Thresholds::direct_repeats && is_rough(i); ++i)
      if (!solve_again()) break;
    for (int i = 0; i < Thresholds::direct_turns; ++i)
      if (!turn_friction()) break;
    const bool slips =
        std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.state == State::slips; });
    if (slips || missed_ > Thresholds::direct_miss * options.weight_speed) keep_energy(options);
    // Friction that has followed its load may have moved a light body.
    if (violation() > Thresholds::direct_left * options.weight_speed + Thresholds::direct_converged * approach_ ||
        is_thrown() || lacks_friction())
      verdict = Verdict::contradicted;
  }
  if (verdict != Verdict::accepted) {
    if (!may_use_interior_point) return false;
    return_impulses(initial_);
    take_impulses();
    if (!InteriorPoint(*this, options).run()) return false;
    has_gone_inside_ = true;
    take_impulses();
    // A solution that hardly stops the approach is worse than sweeps.
    if (!(std::max(violation(), contradiction()) <=
          Thresholds::direct_failure * std::max(approach_, options.weight_speed)))
      return false;
    keep_in_cones();
    keep_rows_in_bounds();
    keep_energy(options);
    take_impulses();
    return !is_thrown();
  }
  take_impulses();
  return true;
}

}  // namespace carom::scene::direct
