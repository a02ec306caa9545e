// Rows of joints in a direct island: their part of the matrix, their targets, and the errors of their positions.
#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/rotation.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// A vector turned with a body.
Vector3 turned_by(const Displacement& of, const Vector3& v) {
  if (of.rotation == Vector3{}) return v;
  const Vector3 twice = 2 * cross(of.turn.v, v);
  return v + of.turn.w * twice + cross(of.turn.v, twice);
}

/// Adds w j kᵀ to a block.
void add_outer(double w, const double (&j)[6], const double (&k)[6], Block& to) {
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t r = 0; r < 6; ++r) to.column[c][r] += w * j[r] * k[c];
}

/// The next number above x > 0 with four bits. Loads that differ by rounding have the same matrix.
double rounded_up(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::ceil(16 * mantissa) / 16, exponent);
}

/// [m/s] Half of the speed by which the turning arm of a joint leaves its tangent in a step.
Vector3 curvature(const Vector3& spin, const Vector3& arm, double share, double time_step) {
  return -0.5 * time_step * share * cross(spin, cross(spin, arm));
}

}  // namespace

bool DirectIsland::add(const JointRow& from, double most) {
  rows_.push_back(from);
  JointRow& row = rows_.back();
  const bool a = moves(row.a), b = moves(row.b);
  RowResponse of;
  const auto add_side = [&](std::int32_t to, const Vector3& along, const Vector3& about) {
    const Body& body = bodies_[static_cast<std::size_t>(to)];
    of.add(body.inverse_mass, body.given_inverse, along, about);
  };
  if (a) add_side(row.a, row.linear_a, row.angular_a);
  if (b) add_side(row.b, row.linear_b, row.angular_b);
  row.inverse_mass = of.linear > 0 ? of.linear : of.angular;
  row.response = of.linear + of.angular + row.given_compliance;
  row.turned_a = row.r_a;
  row.turned_b = row.r_b;
  if (a && b)
    row.block = factor_.between(static_cast<std::size_t>(std::min(row.a, row.b)),
                                static_cast<std::size_t>(std::max(row.a, row.b)));
  return of.is_sound(most);
}

double DirectIsland::velocity_of(const JointRow& row, const Rows& rows) const {
  return velocity_of(row, rows[static_cast<std::size_t>(row.a)], rows[static_cast<std::size_t>(row.b)]);
}

template <class Vectors>
void DirectIsland::add_wrench(const JointRow& row, const Vectors& of, double impulse, Rows& rows) const {
  const auto add_to = [&](std::int32_t body, const Vector3& along, const Vector3& about) {
    if (!moves(body)) return;
    BodyRow& to = rows[static_cast<std::size_t>(body)];
    for (std::size_t i = 0; i < 3; ++i) {
      to.at[i] += impulse * along[i];
      to.at[3 + i] += impulse * about[i];
    }
  };
  add_to(row.a, of.linear_a, of.angular_a);
  add_to(row.b, of.linear_b, of.angular_b);
}
void DirectIsland::add_wrench(const JointRow& row, double impulse, Rows& rows) const {
  add_wrench(row, row, impulse, rows);
}

/// Rows with a frequency are springs and dampers, integrated implicitly: E. Catto, Soft Constraints, 2011.
void DirectIsland::set_compliances(double time_step) {
  each_row([&](JointRow& row) {
    row.compliance = substeps_ * row.given_compliance;
    row.rate = 0;
    if (!(row.frequency > 0) || !std::isfinite(row.frequency)) return;
    constexpr double two_pi = 6.283185307179586476925;
    const double omega = two_pi * std::min(row.frequency, 0.25 / time_step);
    const double stiffness = 2 * row.damping_ratio + time_step * omega;
    row.rate = omega / stiffness;
    row.compliance += row.response / (time_step * omega * stiffness);
  });
}

double DirectIsland::miss_of(const JointRow& row) const {
  return velocity_of(row, velocity_) + row.compliance * row.impulse - row.target;
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

void DirectIsland::set_row_weights() {
  each_row([](JointRow& row) {
    const double compliance = row.inverse_mass / Thresholds::direct_joint_weight + row.compliance;
    row.weight = row.state == RowState::held ? 1 / compliance : 0;
  });
}

void DirectIsland::add_rows_to_matrix(bool with_bounds, bool without_bounds) {
  for (const JointRow& row : rows_) {
    if (!(row.weight > 0) || !(row.is_bounded ? with_bounds : without_bounds)) continue;
    const Vector3 &la = row.linear_a, &ta = row.angular_a, &lb = row.linear_b, &tb = row.angular_b;
    const double a[6] = {la[0], la[1], la[2], ta[0], ta[1], ta[2]}, b[6] = {lb[0], lb[1], lb[2], tb[0], tb[1], tb[2]};
    if (moves(row.a)) add_outer(row.weight, a, a, factor_.diagonal(static_cast<std::size_t>(row.a)));
    if (moves(row.b)) add_outer(row.weight, b, b, factor_.diagonal(static_cast<std::size_t>(row.b)));
    if (!moves(row.a) || !moves(row.b)) continue;
    // The block has the row of the later position.
    if (row.a > row.b)
      add_outer(row.weight, a, b, factor_.block(row.block));
    else
      add_outer(row.weight, b, a, factor_.block(row.block));
  }
}

void DirectIsland::add_rows(Rows& right) {
  each_row([&](JointRow& row) {
    row.change = row.pull - miss_of(row);
    add_wrench(row, factored_.rows[index_of(row)], row.weight * row.change, right);
  });
}

bool DirectIsland::find_row_changes(const Rows& solution) {
  bool is_finite = true;
  each_row([&](JointRow& row) {
    const BodyRow &a = solution[static_cast<std::size_t>(row.a)], &b = solution[static_cast<std::size_t>(row.b)];
    row.change = row.weight * (row.change - velocity_of(factored_.rows[index_of(row)], a, b));
    is_finite = is_finite && std::abs(row.change) < 1e300;
  });
  return is_finite;
}

void DirectIsland::take_row_changes(double share) {
  each_row([&](JointRow& row) { row.impulse += share * row.change; });
}

/// The error after the displacements of the bodies, `elapsed` after the start of the step. Rotations are exact.
double DirectIsland::error_of(const JointRow& row, double elapsed) const {
  const Displacement &a = displaced(row.a), &b = displaced(row.b);
  double error = row.first_error + dot(row.linear_a, a.way) + dot(row.linear_b, b.way) - elapsed * row.wanted;
  const auto add_side = [&](const Vector3& along, const Vector3& about, const Vector3& arm, const Displacement& of) {
    error += arm == Vector3{} ? dot(about, of.rotation) : dot(along, turned_by(of, arm) - arm);
  };
  add_side(row.linear_a, row.angular_a, row.r_a, a);
  add_side(row.linear_b, row.angular_b, row.r_b, b);
  return error;
}

/// Turns the arms of rows with their bodies.
void DirectIsland::turn_rows(double elapsed) {
  displacements_.clear();
  for (const BodyRow& of : moved_) displacements_.push_back({linear(of), angular(of), quaternion_of(angular(of))});
  each_row([&](JointRow& row) {
    row.error = error_of(row, elapsed);
    const auto turn = [](const Vector3& arm, const Displacement& of, const Vector3& along, Vector3& now,
                         Vector3& about) {
      if (arm == Vector3{}) return;
      now = turned_by(of, arm);
      about = cross(now, along);
    };
    turn(row.r_a, displaced(row.a), row.linear_a, row.turned_a, row.angular_a);
    turn(row.r_b, displaced(row.b), row.linear_b, row.turned_b, row.angular_b);
  });
}

/// A joint in tension turns its bodies back. A share of that stiffness, times the square of the step, goes into their
/// inertia: then the tension of the last step, which acts at the arms of this one, is stable at any load.
void DirectIsland::stiffen(double time_step) {
  if (rows_.empty()) return;
  for (Body& body : bodies_) body.tension = {};
  const auto add = [&](std::int32_t to, const Vector3& arm, double load) {
    const double length2 = dot(arm, arm);
    if (!moves(to) || !(load > 0) || !(length2 > 0)) return;
    const double stiffness = Thresholds::direct_tension * time_step * rounded_up(load);
    const Vector3 r = 1 / std::sqrt(length2) * arm;
    std::array<double, 6>& of = bodies_[static_cast<std::size_t>(to)].tension;
    const double terms[6] = {1 - r[0] * r[0], -r[0] * r[1], -r[0] * r[2],
                             1 - r[1] * r[1], -r[1] * r[2], 1 - r[2] * r[2]};
    for (std::size_t i = 0; i < 6; ++i) of[i] += stiffness * terms[i];
  };
  // Consecutive rows with the same arms hold one point: their impulse is a vector. Arms that are not numbers equal
  // none, not even themselves.
  for (std::size_t i = 0; i < rows_.size();) {
    const JointRow& first = rows_[i];
    double load_a = 0, load_b = 0;
    const auto holds_same_point = [&](const JointRow& row) {
      return row.a == first.a && row.b == first.b && row.turned_a == first.turned_a && row.turned_b == first.turned_b;
    };
    do {
      const JointRow& row = rows_[i];
      load_a += row.impulse * dot(row.linear_a, row.turned_a);
      load_b += row.impulse * dot(row.linear_b, row.turned_b);
    } while (++i < rows_.size() && holds_same_point(rows_[i]));
    add(first.a, first.turned_a, load_a);
    add(first.b, first.turned_b, load_b);
  }
  const auto trace = [](const std::array<double, 6>& m) { return m[0] + m[3] + m[5]; };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const Vector3 rotation = angular(moved_[i]);
    const bool has_turned = dot(rotation, rotation) > Thresholds::direct_turned * Thresholds::direct_turned;
    const Quaternion q = has_turned ? quaternion_of(rotation) : Quaternion{1, {}};
    body.inertia = has_turned ? turned(body.given, q) : body.given;
    body.inverse_inertia = has_turned ? turned(body.given_inverse, q) : body.given_inverse;
    body.curve = 1;
    if (!(trace(body.tension) > 0)) continue;
    const double ratio = trace(body.tension) / trace(body.inertia);
    body.curve = std::min(1.0, Thresholds::direct_curve_tension / ratio);
    std::array<double, 6> stiff = body.inertia, inverse{};
    for (std::size_t c = 0; c < 6; ++c) stiff[c] += body.tension[c];
    if (!invert(stiff, body.locked, inverse)) continue;
    body.inertia = stiff;
    body.inverse_inertia = inverse;
  }
}

/// Targets of rows are for the turned r_a and r_b after the step. In a rebound rows keep the present velocities.
void DirectIsland::set_row_targets(double time_step) {
  each_row([&](JointRow& row) {
    // An error on the side where the row does not push may shrink to 0.
    row.target = row.wanted - (has_free_side(row) ? 1 / time_step : row.rate) * row.error;
    if (rebounds_) return;
    const auto add_side = [&](std::int32_t body, const Vector3& along, const Vector3& arm) {
      if (!moves(body) || arm == Vector3{}) return;
      const Vector3 spin = angular(free_[static_cast<std::size_t>(body)]);
      const double angle2 = time_step * time_step * dot(spin, spin);
      constexpr double most = Thresholds::direct_curve * Thresholds::direct_curve;
      const double share = bodies_[static_cast<std::size_t>(body)].curve * (angle2 > most ? most / angle2 : 1);
      row.target += dot(along, curvature(spin, arm, share, time_step));
    };
    add_side(row.a, row.linear_a, row.turned_a);
    add_side(row.b, row.linear_b, row.turned_b);
  });
}

bool DirectIsland::find_row_errors(double time_step) {
  if (rows_.empty()) return false;
  bool any = false;
  set_row_states();
  // At the end of the substep.
  displacements_.clear();
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const BodyRow& v = velocity_[i];
    const Vector3 rotation = combined(angular(moved_[i]), time_step * angular(v));
    displacements_.push_back({linear(moved_[i]) + time_step * linear(v), rotation, quaternion_of(rotation)});
  }
  each_row([&](JointRow& row) {
    row.change = 0;
    if (!row.keeps_position) return;
    double error = error_of(row, elapsed_);
    if (row.is_bounded) {
      if (row.largest == 0) error = std::max(error, 0.0);
      if (row.least == 0) error = std::min(error, 0.0);
      // A row that pushes one way corrects its error even without an impulse.
      if ((row.largest == 0 || row.least == 0) && error != 0) row.state = RowState::held;
      if (row.state != RowState::held) return;
    }
    any = any || std::abs(error) > row.allowed_error;
    row.change = -error / time_step;
  });
  return any;
}

/// Adds the impulses of rows to velocities that other impulses have made, so that the rows do not part. Returns false
/// if that fails.
bool DirectIsland::keep_rows(Rows& gain) {
  if (rows_.empty()) return true;
  for (Point& p : points_) p.state = State::open;
  set_row_states();
  if (!factor()) return false;
  each_row([](JointRow& row) { row.kept = 0; });
  for (int i = 0; i < Thresholds::direct_tries + 1; ++i) {
    std::fill(right_.begin(), right_.end(), BodyRow{});
    each_row([&](JointRow& row) {
      row.change = -velocity_of(row, gain) - row.compliance * row.kept;
      add_wrench(row, factored_.rows[index_of(row)], row.weight * row.change, right_);
    });
    factor_.solve(right_.data());
    if (!find_row_changes(right_)) return false;
    each_row([](JointRow& row) { row.kept += row.change; });
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      for (std::size_t c = 0; c < 6; ++c) gain[b].at[c] += right_[b].at[c];
  }
  each_row([](JointRow& row) { row.change = row.kept; });
  return true;
}

}  // namespace carom::scene::direct
