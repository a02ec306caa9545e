#include "direct_island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "interior_point.hpp"
#include "scene/rotation.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [m²] Inertia of a body about an axis about which it cannot turn, over its mass: beyond all weights in the matrix.
constexpr double immovable = 1e30;

/// Further tries of an island whose rows have bounds.
constexpr int more_tries = 2;

double tangential_length(const Vector3& v) {
  return systems::tangential_length(v.data());
}

/// The power of 4 that is nearest to a ratio, within [1/64, 4].
double level(double ratio) {
  return ratio < 1.0 / 32 ? 1.0 / 64 : ratio < 1.0 / 8 ? 1.0 / 16 : ratio < 0.5 ? 0.25 : ratio < 2 ? 1 : 4;
}

/// Adds lᵀ W r to a block: l and r are the 3×6 Jacobians (1, [-arm]×) of two points, W is symmetric.
void add_product(const Vector3& left, const std::array<Vector3, 3>& weight, const Vector3& right, double sign,
                 Block& to) {
  // Column k of W r, then lᵀ of it.
  for (std::size_t k = 0; k < 6; ++k) {
    Vector3 f;
    for (std::size_t i = 0; i < 3; ++i) f[i] = k < 3 ? weight[i][k] : cross(right, weight[i])[k - 3];
    const Vector3 torque = cross(left, f);
    for (std::size_t i = 0; i < 3; ++i) {
      to.column[k][i] += sign * f[i];
      to.column[k][3 + i] += sign * torque[i];
    }
  }
}

}  // namespace

bool DirectIsland::plan(std::size_t bodies, const std::vector<Edge>& edges, double most_work) {
  if (!is_planned_ || factor_.bodies() != bodies || edges_ != edges) {
    has_factor_ = is_planned_ = false;
    edges_ = edges;
    fits_ = factor_.plan(bodies, edges, Thresholds::direct_work);
    is_planned_ = true;
  }
  return fits_ && factor_.work() <= most_work;
}

void DirectIsland::reserve(std::size_t manifolds, std::size_t points, std::size_t rows, std::size_t fixed_bodies) {
  const std::size_t n = factor_.bodies();
  bodies_.resize(n);
  for (Rows* of :
       {&forces_, &free_, &before_, &velocity_, &moving_, &moved_, &right_, &correction_, &rebound_, &kept_velocity_})
    of->reserve(n + 1 + fixed_bodies);
  displacements_.reserve(n + 1 + fixed_bodies);
  rows_.reserve(rows);
  kept_rows_.reserve(rows);
  pushed_.reserve(n + 1 + fixed_bodies);
  kept_.reserve(points);
  for (Impulses* of : {&started_, &initial_}) {
    of->points.reserve(points);
    of->rows.reserve(rows);
  }
  manifolds_.reserve(manifolds);
  points_.reserve(points);
  cones_.reserve(points);
  const std::size_t numbers = 3 + n + 3 * manifolds + 2 * points + 3 * rows;
  matrix_.reserve(numbers);
  last_matrix_.reserve(numbers);
  factored_.inverse_inertia.reserve(n);
  factored_.axes.reserve(manifolds);
  factored_.arms.reserve(points);
  factored_.rows.reserve(rows);
  factored_.row_weights.reserve(rows);
}

void DirectIsland::begin(int substeps, std::uint64_t name) {
  substeps_ = substeps;
  has_same_name_ = name != 0 && name == name_;
  name_ = name;
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

void DirectIsland::add(const Manifold& manifold) {
  manifolds_.push_back(manifold);
  Manifold& m = manifolds_.back();
  m.first = m.end = static_cast<std::uint32_t>(points_.size());
  const auto n = static_cast<std::int32_t>(bodies_.size());
  m.inverse_mass = 0;
  for (const std::int32_t row : {m.a, m.b})
    if (row < n) m.inverse_mass += bodies_[static_cast<std::size_t>(row)].inverse_mass;
  if (m.a < n && m.b < n)
    m.block =
        factor_.between(static_cast<std::size_t>(std::min(m.a, m.b)), static_cast<std::size_t>(std::max(m.a, m.b)));
}

void DirectIsland::add(const Point& point) {
  points_.push_back(point);
  manifolds_.back().end = static_cast<std::uint32_t>(points_.size());
}

void DirectIsland::accelerate(const Rows& wrench, Rows& rows) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vector3 spin = times(bodies_[i].inverse_inertia, angular(wrench[i]));
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

/// Measures the approach before the step, and finds contacts that rebound in it.
void DirectIsland::measure_approach(const StepOptions& options) {
  approach_ = 0;
  struck_ = rebounds_ = false;
  for (const JointRow& row : rows_) approach_ = std::max(approach_, std::abs(velocity_of(row, free_) - row.wanted));
  each_point([&](const Manifold& m, Point& p) {
    const double now = relative(m, p, free_)[2], before = relative(m, p, before_)[2];
    approach_ = std::max(approach_, p.least - now);
    if (!(now < p.target[2])) return;
    if (p.target[2] - before > Thresholds::direct_blow * options.weight_speed) struck_ = true;
    const double slow = std::max(options.restitution_threshold, Thresholds::direct_blow * std::abs(now - before));
    if (p.restitution > 0 && -before > slow) rebounds_ = true;
  });
}

void DirectIsland::set_targets(const StepOptions& options) {
  for (Point& p : points_) {
    const bool is_open = p.gap > 0 && !(p.gap < Thresholds::direct_closed * p.slop && p.impulse[2] > 0);
    p.target[2] = p.least - (is_open ? p.gap / options.time_step : 0);
  }
}

/// States from the impulses of the last step. A point near the boundary of its cone that slides against its friction
/// slips, and its friction turns with the slip. Friction that just holds a manifold sticks. All closed points of an
/// island without impulses stick.
void DirectIsland::set_states() {
  if (!is_loaded_) {
    each_point([](const Manifold&, Point& p) { p.state = p.gap <= 0 ? State::sticks : State::open; });
    return;
  }
  bool any = false;
  for (const Manifold& m : manifolds_) {
    bool just_holds = true;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      Point& p = points_[i];
      p.change = {};
      const double friction = tangential_length(p.impulse), most = m.friction * p.impulse[2];
      p.state = !(p.impulse[2] > 0) ? State::open : friction < most * (1 - 1e-6) ? State::sticks : State::slips;
      if (p.state == State::open) continue;
      just_holds = just_holds && p.state == State::slips && friction > 0;
      if (!(friction > Thresholds::direct_slipping * most)) continue;
      const Vector3 u = difference(relative(m, p, velocity_), p.target);
      const double slip = tangential_length(u), along = u[0] * p.impulse[0] + u[1] * p.impulse[1];
      just_holds = just_holds && slip < Thresholds::direct_push;
      if (!(slip > Thresholds::direct_slip) || !(along < (p.state == State::slips ? 0 : -0.9 * slip * friction)))
        continue;
      p.state = State::slips;
      const double f = -most / slip;
      p.change = difference({f * u[0], f * u[1], p.impulse[2]}, p.impulse);
      p.impulse = sum(p.impulse, p.change);
      any = true;
    }
    // Without a slip that shows, the directions of the friction are unknown.
    for (std::uint32_t i = m.first; just_holds && i < m.end; ++i)
      if (points_[i].state == State::slips) points_[i].state = State::sticks;
  }
  if (any) apply_changes();
}

void DirectIsland::set_weights() {
  set_row_weights();
  for (const Manifold& m : manifolds_) {
    double load = 0;
    int loaded = 0;
    for (std::uint32_t i = m.first; i < m.end; ++i)
      if (points_[i].impulse[2] > 0) {
        load += points_[i].impulse[2];
        ++loaded;
      }
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      Point& p = points_[i];
      p.weight = p.state == State::open ? 0 : Thresholds::direct_weight / m.inverse_mass;
      // Points with little load get less weight, so that their impulses do not turn negative.
      if (p.state != State::open && p.impulse[2] > 0) p.weight *= level(loaded * p.impulse[2] / load);
    }
  }
}

void DirectIsland::list_matrix() {
  matrix_.clear();
  for (const std::size_t count : {manifolds_.size(), points_.size(), rows_.size()})
    matrix_.push_back(static_cast<double>(count));
  // Bodies that nothing moves have different rows in every call, and are not in the matrix.
  const auto put_body = [&](std::int32_t row) {
    matrix_.push_back(static_cast<double>(std::min(row, static_cast<std::int32_t>(bodies_.size()))));
  };
  for (const Body& body : bodies_) matrix_.push_back(body.inverse_mass);
  for (const Manifold& m : manifolds_) {
    put_body(m.a);
    put_body(m.b);
    matrix_.push_back(static_cast<double>(m.end - m.first));
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      matrix_.push_back(points_[i].weight);
      matrix_.push_back(points_[i].state == State::sticks ? 1 : 0);
    }
  }
  for (const JointRow& row : rows_) {
    put_body(row.a);
    put_body(row.b);
    matrix_.push_back(row.weight > 0 ? 1 : 0);
  }
}

DirectIsland::Likeness DirectIsland::likeness() const {
  bool is_same = true, is_near = true;
  const auto compare = [&](const auto& now, const auto& then, double size = 0) {
    if (now == then) return;
    is_same = false;
    for (const double x : then) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < now.size(); ++i)
      is_near = is_near && std::abs(now[i] - then[i]) <= Thresholds::direct_same * size;
  };
  for (std::size_t i = 0; i < bodies_.size() && is_near; ++i)
    compare(bodies_[i].inverse_inertia, factored_.inverse_inertia[i]);
  for (std::size_t k = 0; k < manifolds_.size() && is_near; ++k) {
    const Manifold& m = manifolds_[k];
    for (std::size_t c = 0; c < 3; ++c) compare(m.axis[c], factored_.axes[k][c]);
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      if (points_[i].state == State::open) continue;
      compare(points_[i].arm_a, factored_.arms[i][0]);
      compare(points_[i].arm_b, factored_.arms[i][1]);
    }
  }
  for (std::size_t i = 0; i < rows_.size() && is_near; ++i) {
    const JointRow& row = rows_[i];
    const JointVectors& then = factored_.rows[i];
    // The arm of a row may lie along it.
    const auto length = [](const Vector3& arm) { return std::sqrt(dot(arm, arm)); };
    compare(row.linear_a, then.linear_a);
    compare(row.angular_a, then.angular_a, length(row.turned_a));
    compare(row.linear_b, then.linear_b);
    compare(row.angular_b, then.angular_b, length(row.turned_b));
    compare(std::array{row.weight}, std::array{factored_.row_weights[i]});
  }
  return is_same ? Likeness::same : is_near ? Likeness::near : Likeness::other;
}

bool DirectIsland::is_calm() const {
  bool is_calm = true;
  for (const Manifold& m : manifolds_)
    for (std::uint32_t i = m.first; i < m.end && is_calm; ++i) {
      const Point& p = points_[i];
      if (p.state == State::open) continue;
      const Vector3 miss = difference(p.target, relative(m, p, velocity_));
      for (std::size_t c = p.state == State::slips ? 2 : 0; c < 3; ++c)
        is_calm = is_calm && std::abs(miss[c]) <= calm_speed_;
    }
  for (const JointRow& row : rows_) is_calm = is_calm && (!(row.weight > 0) || std::abs(miss_of(row)) <= calm_speed_);
  return is_calm;
}

/// Adds Jᵀ W J of a point, where W is given in the frame of the contact.
void DirectIsland::add_to_matrix(const Manifold& m, const Point& p, const double (&weight)[9]) {
  std::array<Vector3, 3> in_world{};
  for (std::size_t r = 0; r < 3; ++r) {
    // Row r of Fᵀ W, where the rows of F are the axes.
    Vector3 row{};
    for (std::size_t c = 0; c < 3; ++c)
      row[c] = m.axis[0][r] * weight[c] + m.axis[1][r] * weight[3 + c] + m.axis[2][r] * weight[6 + c];
    for (std::size_t c = 0; c < 3; ++c)
      in_world[r][c] = row[0] * m.axis[0][c] + row[1] * m.axis[1][c] + row[2] * m.axis[2][c];
  }
  const auto n = static_cast<std::int32_t>(bodies_.size());
  if (m.a < n) add_product(p.arm_a, in_world, p.arm_a, 1, factor_.diagonal(static_cast<std::size_t>(m.a)));
  if (m.b < n) add_product(p.arm_b, in_world, p.arm_b, 1, factor_.diagonal(static_cast<std::size_t>(m.b)));
  if (m.a >= n || m.b >= n) return;
  // The block has the row of the later position.
  const bool a_is_later = m.a > m.b;
  add_product(a_is_later ? p.arm_a : p.arm_b, in_world, a_is_later ? p.arm_b : p.arm_a, -1, factor_.block(m.block));
}

/// A = M + Jᵀ D J with the rows of joints
void DirectIsland::begin_matrix() {
  has_factor_ = false;
  factor_.clear();
  factored_.inverse_inertia.clear();
  factored_.axes.clear();
  factored_.arms.clear();
  factored_.rows.clear();
  factored_.row_weights.clear();
  for (const Body& body : bodies_) factored_.inverse_inertia.push_back(body.inverse_inertia);
  for (const Manifold& m : manifolds_) factored_.axes.push_back(m.axis);
  for (const Point& p : points_) factored_.arms.push_back({p.arm_a, p.arm_b});
  for (const JointRow& row : rows_) {
    factored_.rows.push_back({row.linear_a, row.angular_a, row.linear_b, row.angular_b});
    factored_.row_weights.push_back(row.weight);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Block& d = factor_.diagonal(i);
    const auto& [xx, xy, xz, yy, yz, zz] = bodies_[i].inertia;
    for (std::size_t c = 0; c < 3; ++c) d.column[c][c] = bodies_[i].mass;
    const double j[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t r = 0; r < 3; ++r) d.column[3 + c][3 + r] = j[r][c];
    for (std::size_t c = 0; c < 3; ++c)
      if ((bodies_[i].locked >> c & 1u) != 0) d.column[3 + c][3 + c] = immovable * bodies_[i].mass;
  }
  add_rows_to_matrix();
}

bool DirectIsland::factor() {
  set_weights();
  list_matrix();
  if (has_factor_ && matrix_ == last_matrix_) {
    const Likeness like = likeness();
    if (like == Likeness::same) return true;
    if (like == Likeness::near && may_be_near_ && is_calm()) {
      for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].weight = factored_.row_weights[i];
      return true;
    }
  }
  begin_matrix();
  each_point([&](const Manifold& m, Point& p) {
    if (p.state == State::open) return;
    const double normal = p.weight, tangential = p.state == State::sticks ? p.weight : 0;
    add_to_matrix(m, p, {tangential, 0, 0, 0, tangential, 0, 0, 0, normal});
  });
  work_of_factorisations_ += factor_.work();
  if (!factor_.factor()) return false;
  matrix_.swap(last_matrix_);
  return has_factor_ = true;
}

bool DirectIsland::leaves_cone(const Manifold& m, const Point& p, const Vector3& impulse) const {
  // Friction of a sliding point follows the normal impulse only in the next step.
  const double slack =
      p.state == State::slips ? std::max(tolerance_, Thresholds::direct_lag * m.friction * p.impulse[2]) : tolerance_;
  return impulse[2] < -tolerance_ ||
         tangential_length(impulse) > m.friction * std::max(impulse[2], 0.0) * (1 + 1e-6) + slack;
}

DirectIsland::Verdict DirectIsland::solve_states(bool is_last) {
  ++solves_;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  each_point([&](const Manifold& m, Point& p) {
    p.change = {};
    if (p.state == State::open) return;
    p.change = difference(p.target, relative(m, p, velocity_));
    if (p.state == State::slips) p.change[0] = p.change[1] = 0;
    add_wrench_in_factor(m, p, scaled(p.weight, p.change), right_);
  });
  add_rows(right_);
  factor_.solve(right_.data());
  if (!find_row_changes(right_)) return Verdict::failed;
  bool leaves = false;
  missed_ = 0;
  each_point([&](const Manifold& m, Point& p) {
    if (p.state == State::open) return;
    Vector3 miss = difference(p.change, relative_in_factor(m, p, right_));
    if (p.state == State::slips) miss[0] = miss[1] = 0;
    for (const double x : miss) missed_ = std::max(missed_, std::abs(x));
    p.change = scaled(p.weight, miss);
    // Also true for NaN.
    leaves = leaves || !(std::abs(p.change[2]) < 1e300) || leaves_cone(m, p, sum(p.impulse, p.change));
  });
  for (const JointRow& row : rows_)
    leaves = leaves || (row.state == RowState::held && is_out_of_bounds(row, row.impulse + row.change));
  if (leaves) {
    if (!is_last) release();
    return Verdict::contradicted;
  }
  each_point([&](const Manifold&, Point& p) { p.impulse = sum(p.impulse, p.change); });
  take_row_changes(1);
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c) velocity_[i].at[c] += right_[i].at[c];
  const bool holds_contacts = hold_approaching(), holds_rows = hold_rows();
  if (holds_contacts || holds_rows) return Verdict::contradicted;
  keep_in_cones();
  keep_rows_in_bounds();
  return Verdict::accepted;
}

/// Lets the friction of sliding points follow their loads and slips, with the same matrix. Returns false if there are
/// none, or if the solution contradicts the states: then nothing changes.
bool DirectIsland::turn_friction() {
  bool any = false;
  keep_impulses(started_);
  kept_velocity_ = velocity_;
  each_point([&](const Manifold& m, Point& p) {
    p.change = {};
    if (p.state != State::slips || !(p.impulse[2] > 0)) return;
    const Vector3 u = difference(relative(m, p, velocity_), p.target);
    const double slip = tangential_length(u);
    if (!(slip > Thresholds::direct_push)) return;
    const double f = -m.friction * p.impulse[2] / slip;
    p.change = difference({f * u[0], f * u[1], p.impulse[2]}, p.impulse);
    p.impulse = sum(p.impulse, p.change);
    any = true;
  });
  if (!any) return false;
  apply_changes();
  return solve_or_return();
}

/// Solves once more with the same matrix, which reduces the error of the impulses.
bool DirectIsland::solve_again() {
  keep_impulses(started_);
  kept_velocity_ = velocity_;
  return solve_or_return();
}

void DirectIsland::keep_impulses(Impulses& to) const {
  for (std::size_t i = 0; i < points_.size(); ++i) to.points[i] = points_[i].impulse;
  for (std::size_t i = 0; i < rows_.size(); ++i) to.rows[i] = rows_[i].impulse;
}
void DirectIsland::return_impulses(const Impulses& from) {
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i].impulse = from.points[i];
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = from.rows[i];
}

/// Solves with the same matrix. Returns false, with the impulses and velocities that were kept, if it is not accepted.
bool DirectIsland::solve_or_return() {
  if (solve_states(true) == Verdict::accepted) return true;
  return_impulses(started_);
  velocity_ = kept_velocity_;
  return false;
}

/// Opens the points that would pull, and lets the points slide that need more friction than they have.
void DirectIsland::release() {
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 next = sum(p.impulse, p.change), begun = p.impulse;
    if (p.state != State::open && leaves_cone(m, p, next)) {
      const double normal = next[2] < -tolerance_ ? 0 : std::max(next[2], 0.0), friction = tangential_length(next);
      const double share = friction > 0 ? m.friction * normal / friction : 0;
      p.state = normal > 0 ? State::slips : State::open;
      p.impulse = {share * next[0], share * next[1], normal};
    }
    p.change = difference(p.impulse, begun);
  });
  apply_changes();
  release_rows();
}

/// Holds open points that approach, and sliding points that friction would push. Returns true if there are any.
bool DirectIsland::hold_approaching() {
  bool any = false;
  each_point([&](const Manifold& m, Point& p) {
    if (p.state == State::sticks) return;
    const Vector3 u = difference(relative(m, p, velocity_), p.target);
    const double pushed = u[0] * p.impulse[0] + u[1] * p.impulse[1];
    const bool is_held = p.state == State::open ? u[2] < -Thresholds::direct_approach
                                                : pushed > Thresholds::direct_push * m.friction * p.impulse[2];
    if (!is_held) return;
    p.state = State::sticks;
    any = true;
  });
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
/// then have no limit. Returns true if the island has more energy than such velocities can give it.
bool DirectIsland::is_thrown() {
  // A row that drives has no limit, either, and springs return energy.
  for (const JointRow& row : rows_)
    if (row.wanted != 0 || row.compliance > 0) return false;
  double fastest = 0;
  const std::size_t n = bodies_.size();
  const auto of_fixed = [&](std::int32_t row, const Vector3& arm) {
    if (static_cast<std::size_t>(row) < n) return Vector3{};
    const BodyRow& v = free_[static_cast<std::size_t>(row)];
    return sum(linear(v), cross(angular(v), arm));
  };
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 target = {p.target[0], p.target[1], std::max(p.target[2], 0.0)};
    const Vector3 a = of_fixed(m.a, p.arm_a), b = of_fixed(m.b, p.arm_b);
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
    p.change = difference(p.impulse, begun);
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
    work += dot(p.impulse, difference(now, prescribed));
    answer += dot(p.impulse, difference(now, begun));
  });
  for (const JointRow& row : rows_) {
    work += row.impulse * (velocity_of(row, velocity_) - row.target);
    answer += row.impulse * (velocity_of(row, velocity_) - velocity_of(row, free_));
  }
  if (!(work > Thresholds::direct_work_left * mean_weight_ * options.weight_speed)) return;
  const double share = answer > work ? (answer - work) / answer : 0;
  for (Point& p : points_) p.impulse = scaled(share, p.impulse);
  for (JointRow& row : rows_) row.impulse = std::min(std::max(share * row.impulse, row.least), row.largest);
}

/// Impulses lead to exactly these velocities, without the rounding of the solution.
void DirectIsland::take_impulses() {
  velocity_ = free_;
  each_point([&](const Manifold&, Point& p) { p.change = p.impulse; });
  apply_changes();
  if (rows_.empty()) return;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  for (const JointRow& row : rows_) add_wrench(row, row.impulse, right_);
  accelerate(right_, velocity_);
}

/// Finds velocities that reduce overlaps and errors of joints, and that are not kept.
void DirectIsland::correct_positions(const StepOptions& options) {
  correction_.assign(free_.size(), BodyRow{});
  const bool is_deep = std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.gap < -p.slop; });
  const bool has_errors = find_row_errors(options.time_step);
  if (!is_deep && !has_errors) return;
  each_point([&](const Manifold& m, Point& p) {
    const double overlap = std::max(-p.gap - p.slop, 0.0);
    const double wanted = std::min(options.push_out * overlap, options.largest_push_out_speed) -
                          std::max(relative(m, p, velocity_)[2], 0.0);
    p.state = p.impulse[2] > 0 || (p.gap <= 0 && wanted > 0) ? State::slips : State::open;
    p.change = {0, 0, p.gap <= 0 ? std::max(wanted, 0.0) : 0};
  });
  if (!factor()) return;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  each_point([&](const Manifold& m, Point& p) {
    if (p.state != State::open) add_wrench(m, p, scaled(p.weight, p.change), right_);
  });
  each_row([&](const JointRow& row) { add_wrench(row, row.weight * row.change, right_); });
  factor_.solve(right_.data());
  double fastest = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vector3 spin = angular(right_[i]);
    fastest = std::max(fastest, dot(spin, spin));
    correction_[i] = right_[i];
  }
  const double angle = std::sqrt(fastest) * options.time_step;
  if (!(angle < 1e300)) return correction_.assign(free_.size(), BodyRow{});
  if (angle > Thresholds::direct_turn)
    for (BodyRow& row : correction_)
      for (double& x : row.at) x *= Thresholds::direct_turn / angle;
}

double DirectIsland::work_of_iteration() const {
  constexpr double work_of_point = 350;
  return factor_.work() + work_of_point * static_cast<double>(points_.size());
}

double DirectIsland::greatest_number() const {
  double most = 0;
  const auto take = [&](double x) {
    most = std::isnan(x) ? std::numeric_limits<double>::infinity() : std::max(most, std::abs(x));
  };
  for (const Rows* rows : {&velocity_, &moving_})
    for (const BodyRow& row : *rows)
      for (const double x : row.at) take(x);
  for (const Point& p : points_)
    for (const double x : p.sum) take(x);
  for (const JointRow& row : rows_) take(row.sum);
  return most;
}

/// Poisson's hypothesis: the impulses that stop a blow come back, times the restitution, at most with e² of the energy
/// that the blow took. The bodies have moved until the contacts touch; from there they rebound.
void DirectIsland::rebound(const StepOptions& options, bool may_use_interior_point) {
  // First the rest of the approach is stopped.
  const bool is_short = std::any_of(points_.begin(), points_.end(),
                                    [](const Point& p) { return p.impulse[2] > 0 && p.target[2] < p.least; });
  if (is_short) {
    for (Point& p : points_)
      if (p.impulse[2] > 0) p.target[2] = p.least;
    kept_ = points_;
    kept_rows_ = rows_;
    rebound_ = velocity_;
    if (!find_impulses(options, may_use_interior_point)) {
      points_ = kept_;
      rows_ = kept_rows_;
      velocity_ = rebound_;
    }
  }
  double weight = 0, squares = 0;
  for (Point& p : points_) {
    const double blow = std::max(p.impulse[2] - p.begun[2], 0.0);
    p.change = {0, 0, p.restitution * blow};
    weight += blow;
    squares += p.restitution * p.restitution * blow;
  }
  std::fill(right_.begin(), right_.end(), BodyRow{});
  each_point([&](const Manifold& m, Point& p) { add_wrench(m, p, p.change, right_); });
  Rows& gain = rebound_;
  gain.assign(free_.size(), BodyRow{});
  accelerate(right_, gain);
  if (!keep_rows(gain)) return;
  // Energy that the blow took, in the frame of bodies and surfaces with prescribed motion: the loss by impulses from
  // the velocities with forces, without the work of forces over distances that the bodies have not moved.
  double lost = 0, linear_term = 0, square_term = 0;
  each_point([&](const Manifold& m, Point& p) {
    const Vector3 begun = relative(m, p, free_), now = relative(m, p, velocity_);
    for (std::size_t c = 0; c < 3; ++c) {
      const double surface = c < 2 ? p.target[c] : 0;
      lost -= p.impulse[c] * (0.5 * (begun[c] + now[c]) - surface);
    }
    linear_term += p.change[2] * now[2];
  });
  each_row([&](const JointRow& row) {
    const double begun = velocity_of(row, free_), now = velocity_of(row, velocity_);
    lost -= row.impulse * (0.5 * (begun + now) - row.wanted);
    linear_term += row.change * now;
  });
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    BodyRow by_forces{}, missed{};
    for (std::size_t c = 0; c < 6; ++c) {
      by_forces.at[c] = free_[i].at[c] - before_[i].at[c];
      missed.at[c] = 0.5 * (before_[i].at[c] + free_[i].at[c]) - moving_[i].at[c];
    }
    lost -= product(i, by_forces, missed);
    square_term += 0.5 * product(i, gain[i], gain[i]);
  }
  if (!(weight > 0) || !(square_term > 0)) return;
  const double most = std::max(lost, 0.0) * squares / weight;
  const double root = std::sqrt(std::max(linear_term * linear_term + 4 * square_term * most, 0.0));
  const double share = std::clamp((root - linear_term) / (2 * square_term), 0.0, 1.0);
  for (Point& p : points_) p.impulse[2] += share * p.change[2];
  take_row_changes(share);
  if (!rows_.empty()) {
    // A rope does not push because the bodies rebound.
    each_row([](JointRow& row) { row.impulse = std::min(std::max(row.impulse, row.least), row.largest); });
    return take_impulses();
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c) velocity_[i].at[c] += share * gain[i].at[c];
}

/// x·M y of a body
double DirectIsland::product(std::size_t body, const BodyRow& x, const BodyRow& y) const {
  return bodies_[body].mass * dot(linear(x), linear(y)) + dot(angular(x), times(bodies_[body].inertia, angular(y)));
}

double DirectIsland::row_residual() const {
  double most = 0;
  for (const JointRow& row : rows_) {
    const double miss = miss_of(row);
    const bool is_kept_from = (miss > 0 && row.impulse <= row.least) || (miss < 0 && row.impulse >= row.largest);
    if (!is_kept_from) most = std::max(most, std::abs(miss));
  }
  return most;
}

/// Finds impulses for the targets, from the impulses and velocities so far.
bool DirectIsland::find_impulses(const StepOptions& options, bool may_use_interior_point) {
  double greatest = 0;
  for (const Point& p : points_) greatest = std::max(greatest, p.impulse[2]);
  tolerance_ = Thresholds::direct_cone * std::max(greatest, mean_weight_);
  is_loaded_ = greatest > 0;
  calm_speed_ = Thresholds::direct_calm * options.weight_speed;
  for (Impulses* of : {&started_, &initial_}) {
    of->points.resize(points_.size());
    of->rows.resize(rows_.size());
  }
  keep_impulses(initial_);
  set_states();
  set_row_states();
  const int tries = Thresholds::direct_tries + (has_bounds() ? more_tries : 0);
  Verdict verdict = Verdict::contradicted;
  for (int i = 1; i <= tries && verdict == Verdict::contradicted; ++i)
    verdict = factor() ? solve_states(i == tries) : Verdict::failed;
  if (verdict == Verdict::accepted) {
    // The compliance of D leaves 1e-5 of new impulses after each solve, and more where heavy bodies load light ones.
    const auto is_rough = [&](int i) {
      return missed_ > Thresholds::direct_miss * options.weight_speed || row_residual() > Thresholds::direct_push ||
             (i < Thresholds::direct_tries && (struck_ || !is_loaded_));
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
        is_thrown())
      verdict = Verdict::contradicted;
  }
  if (verdict != Verdict::accepted) {
    if (!may_use_interior_point) return false;
    return_impulses(initial_);
    take_impulses();
    if (!InteriorPoint(*this, options).run()) return false;
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

bool DirectIsland::solve(const StepOptions& options, bool may_use_interior_point) {
  right_.assign(free_.size(), BodyRow{});
  moved_.assign(free_.size(), BodyRow{});
  solves_ = 0;
  work_of_factorisations_ = work_of_interior_points_ = 0;
  const StepOptions substep = options.substep(substeps_);
  const double share = 1.0 / substeps_;
  each_point([&](const Manifold&, Point& p) { p.next = scaled(share, p.impulse); });
  each_row([&](JointRow& row) {
    row.next = share * row.impulse;
    row.least = share * row.given_least;
    row.largest = share * row.given_largest;
    row.before = velocity_of(row, free_);
  });
  set_compliances(substep.time_step);
  // Results depend on the last call only through what the solver remembers of the island.
  const bool begins_loaded =
      std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.impulse[2] > 0; }) ||
      std::any_of(rows_.begin(), rows_.end(), [](const JointRow& row) { return row.impulse != 0; });
  may_be_near_ = options.remembers && has_same_name_ && begins_loaded && substeps_ == 1;
  double approach = 0;
  for (int k = 0; k < substeps_; ++k) {
    begin_substep(k, substep.time_step);
    if (!solve_substep(substep, may_use_interior_point)) return false;
    end_substep(substep);
    if (k == 0) approach = approach_;
  }
  approach_ = approach;
  return true;
}

void DirectIsland::begin_substep(int substep, double time_step) {
  const double share = 1.0 / substeps_;
  if (substep > 0) before_ = velocity_;
  if (substeps_ > 1)
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      for (std::size_t c = 0; c < 6; ++c) free_[i].at[c] = before_[i].at[c] + share * forces_[i].at[c];
  elapsed_ = substep * time_step;
  if (substep > 0) {
    each_point([&](const Manifold& m, Point& p) { p.gap = p.first_gap + relative(m, p, moved_)[2]; });
    turn_rows(elapsed_);
  }
  each_point([](const Manifold&, Point& p) { p.impulse = p.begun = p.next; });
  each_row([](JointRow& row) { row.impulse = row.begun = row.next; });
  stiffen(time_step);
  elapsed_ = (substep + 1) * time_step;
}

bool DirectIsland::solve_substep(const StepOptions& options, bool may_use_interior_point) {
  set_targets(options);
  measure_approach(options);
  set_row_targets(options.time_step);
  double mass = 0;
  for (const Body& body : bodies_) mass += body.mass;
  mean_weight_ = options.weight_speed * mass / static_cast<double>(bodies_.size());
  mean_momentum_ = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    mean_momentum_ +=
        bodies_[i].mass * std::sqrt(dot(linear(free_[i]), linear(free_[i]))) / static_cast<double>(bodies_.size());
  take_impulses();
  if (!find_impulses(options, may_use_interior_point)) return false;
  residual_ = std::max(violation(), row_residual());
  if (!(row_residual() <= Thresholds::direct_left * options.weight_speed + Thresholds::direct_rows_left * approach_))
    return false;
  move(options);
  if (rebounds_) rebound(options, may_use_interior_point);
  return true;
}

/// Moves the bodies, adds up impulses, and finds the impulses that the next substep begins with: impulses of a load,
/// not of a blow. docs/scenes.md, Impacts.
void DirectIsland::end_substep(const StepOptions& options) {
  const double h = options.time_step;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    BodyRow& to = moved_[i];
    const Vector3 rotation = combined(angular(to), scaled(h, angular(moving_[i])));
    for (std::size_t c = 0; c < 3; ++c) {
      to.at[c] += h * moving_[i].at[c];
      to.at[3 + c] = rotation[c];
    }
  }
  // The share of an impulse that lasts.
  const auto share = [&](double size, double begun, std::int32_t a, std::int32_t b) {
    double mass = 0;
    for (const std::int32_t row : {a, b})
      if (moves(row)) mass += bodies_[static_cast<std::size_t>(row)].mass;
    const double most = 2 * begun + options.weight_speed * mass;
    return struck_ && size > most ? most / size : 1;
  };
  each_point([&](const Manifold& m, Point& p) {
    p.sum = sum(p.sum, p.impulse);
    const bool parts = struck_ && relative(m, p, velocity_)[2] > options.weight_speed;
    p.next = parts ? Vector3{} : scaled(share(p.impulse[2], p.begun[2], m.a, m.b), p.impulse);
  });
  each_row([&](JointRow& row) {
    row.sum = std::min(std::max(row.sum + row.impulse, row.given_least), row.given_largest);
    // A row that only turns the bodies has nothing to do with their weight.
    const double length = std::sqrt(dot(row.linear_a, row.linear_a));
    row.next = share(length * std::abs(row.impulse), length * std::abs(row.begun), row.a, row.b) * row.impulse;
  });
}

/// Finds the velocities that move the bodies. A body without impulses flies under its forces.
void DirectIsland::move(const StepOptions& options) {
  correct_positions(options);
  moving_ = velocity_;
  pushed_.assign(free_.size(), 0);
  for (const JointRow& row : rows_)
    pushed_[static_cast<std::size_t>(row.a)] = pushed_[static_cast<std::size_t>(row.b)] = 1;
  for (const Manifold& m : manifolds_)
    for (std::uint32_t i = m.first; i < m.end; ++i)
      if (points_[i].impulse != Vector3{})
        pushed_[static_cast<std::size_t>(m.a)] = pushed_[static_cast<std::size_t>(m.b)] = 1;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c) {
      if (pushed_[i] == 0) moving_[i].at[c] = 0.5 * (before_[i].at[c] + velocity_[i].at[c]);
      moving_[i].at[c] += correction_[i].at[c];
    }
}

}  // namespace carom::scene::direct
