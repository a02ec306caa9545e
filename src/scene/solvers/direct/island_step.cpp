// The step of a direct island: substeps, targets, motion, the correction of positions, and rebounds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scene/thresholds.hpp"
#include "core/support/rotation.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

}  // namespace

/// Measures the approach before the step, and finds contacts that rebound in it.
void DirectIsland::measure_approach(const StepOptions& options) {
  approach_ = 0;
  hit_ = rebounds_ = false;
  for (const JointRow& row : rows_) approach_ = std::max(approach_, std::abs(velocity_of(row, free_) - row.wanted));
  each_point([&](const Manifold& m, Point& p) {
    const double now = relative(m, p, free_)[2], before = relative(m, p, before_)[2];
    approach_ = std::max(approach_, p.least - now);
    if (!(now < p.target[2])) return;
    if (p.target[2] - before > Thresholds::direct_impact * options.weight_speed) hit_ = true;
    const double slow = std::max(options.restitution_threshold, Thresholds::direct_impact * std::abs(now - before));
    if (p.restitution > 0 && -before > slow) rebounds_ = true;
  });
}

void DirectIsland::set_targets(const StepOptions& options) {
  for (Point& p : points_) {
    const double closed = treatment_.closed * p.slop;
    const bool is_open =
        p.separation > closed && !(p.separation < Thresholds::direct_closed * p.slop && p.impulse[2] > 0);
    p.target[2] = p.least - (is_open ? (p.separation - closed) / options.time_step : 0);
  }
}

/// Points of a body that rolls come and go: loads of points that are about to part begin at the closed points of their
/// manifold.
void DirectIsland::pass_on_loads(const StepOptions& options) {
  for (const Manifold& m : manifolds_) {
    const auto parts = [&](const Point& p) {
      return p.impulse[2] > 0 && p.separation > 0 && p.target[2] < p.least - options.weight_speed;
    };
    Vector3 load{};
    int closed = 0;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      const Point& p = points_[i];
      closed += p.separation <= 0 ? 1 : 0;
      if (parts(p)) load = load + p.impulse;
    }
    if (closed == 0 || !(load[2] > 0)) continue;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      Point& p = points_[i];
      if (parts(p))
        p.impulse = {};
      else if (p.separation <= 0)
        p.impulse = p.impulse + 1.0 / closed * load;
    }
  }
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
  const bool is_deep =
      std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.separation < -p.slop; });
  const bool has_errors = find_row_errors(options.time_step);
  if (!is_deep && !has_errors) return;
  each_point([&](const Manifold& m, Point& p) {
    const double overlap = std::max(-p.separation - p.slop, 0.0);
    const double wanted = std::min(options.correction_rate * overlap, options.max_correction_speed) -
                          std::max(relative(m, p, velocity_)[2], 0.0);
    if (!treatment_.is_certified)
      p.state = p.impulse[2] > 0 || (p.separation <= 0 && wanted > 0) ? State::slips : State::open;
    p.change = {0, 0, p.separation <= 0 ? std::max(wanted, 0.0) : 0};
  });
  if (!factor()) return;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  each_point([&](const Manifold& m, Point& p) {
    if (p.state != State::open) add_wrench(m, p, p.weight * p.change, right_);
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

double DirectIsland::max_number() const {
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
    const double impact = std::max(p.impulse[2] - p.begun[2], 0.0);
    p.change = {0, 0, p.restitution * impact};
    weight += impact;
    squares += p.restitution * p.restitution * impact;
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
  return bodies_[body].mass * dot(linear(x), linear(y)) +
         dot(angular(x), symmetric(bodies_[body].inertia) * angular(y));
}

bool DirectIsland::solve(const StepOptions& options, bool may_use_interior_point) {
  was_solved_ = has_same_name_ && solves_ > 0;
  was_stopped_ = has_same_name_ && is_stopped_ && treatment_.slow > 0;
  is_stopped_ = false;
  right_.assign(free_.size(), BodyRow{});
  moved_.assign(free_.size(), BodyRow{});
  solves_ = 0;
  has_gone_inside_ = false;
  work_of_factorisations_ = work_of_interior_points_ = 0;
  const StepOptions substep = options.substep(substeps_);
  const double share = 1.0 / substeps_;
  each_point([&](const Manifold&, Point& p) { p.next = share * p.impulse; });
  each_row([&](JointRow& row) {
    row.next = share * row.impulse;
    row.least = share * row.given_least;
    row.largest = share * row.given_largest;
    row.before = velocity_of(row, free_);
  });
  set_compliances(substep.time_step);
  // Results depend on the last call only through the memory of the solver for the island.
  has_loaded_rows_ = std::any_of(rows_.begin(), rows_.end(), [](const JointRow& row) { return row.impulse != 0; });
  const bool begins_loaded =
      has_loaded_rows_ || std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.impulse[2] > 0; });
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
    each_point([&](const Manifold& m, Point& p) { p.separation = p.first_gap + relative(m, p, moved_)[2]; });
    turn_rows(elapsed_);
  }
  each_point([](const Manifold&, Point& p) { p.impulse = p.begun = p.next; });
  each_row([](JointRow& row) { row.impulse = row.begun = row.next; });
  stiffen(time_step);
  elapsed_ = (substep + 1) * time_step;
}

bool DirectIsland::solve_substep(const StepOptions& options, bool may_use_interior_point) {
  set_targets(options);
  pass_on_loads(options);
  measure_approach(options);
  set_row_targets(options.time_step);
  double mass = 0;
  for (const Body& body : bodies_) mass += body.mass;
  mean_weight_ = options.weight_speed * mass / static_cast<double>(bodies_.size());
  take_impulses();
  if (!find_impulses(options, may_use_interior_point)) return false;
  if (!is_settled_) residual_ = std::max(violation(), row_residual());
  if (!is_settled_ &&
      !(row_residual() <= Thresholds::direct_left * options.weight_speed + Thresholds::direct_rows_left * approach_))
    return false;
  if (treatment_.slow > 0) stop(treatment_.slow * options.weight_speed);
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
    const Vector3 rotation = combined(angular(to), h * angular(moving_[i]));
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
    return hit_ && size > most ? most / size : 1;
  };
  each_point([&](const Manifold& m, Point& p) {
    p.sum = p.sum + p.impulse;
    const bool parts = hit_ && relative(m, p, velocity_)[2] > options.weight_speed;
    p.next = parts ? Vector3{} : share(p.impulse[2], p.begun[2], m.a, m.b) * p.impulse;
  });
  each_row([&](JointRow& row) {
    row.sum = std::min(std::max(row.sum + row.impulse, row.given_least), row.given_largest);
    // A row that only turns the bodies does not carry their weight.
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
