// The matrix of a direct island: its weights, its assembly, and when the last factor will do.
#include <algorithm>
#include <cmath>

#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [m²] Inertia of a body about an axis about which it cannot turn, over its mass: beyond all weights in the matrix.
constexpr double immovable = 1e30;

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
      if (treatment_.is_certified) continue;
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
    // An open contact is not in the matrix.
    bool is_open = true;
    for (std::uint32_t i = m.first; i < m.end; ++i) is_open = is_open && points_[i].state == State::open;
    if (is_open) continue;
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
  if (!treatment_.may_factor) return false;
  assemble();
  work_of_factorisations_ += factor_.work();
  if (!factor_.factor()) return false;
  matrix_.swap(last_matrix_);
  return has_factor_ = true;
}

void DirectIsland::assemble() {
  begin_matrix();
  each_point([&](const Manifold& m, Point& p) {
    if (p.state == State::open) return;
    const double normal = p.weight, tangential = p.state == State::sticks ? p.weight : 0;
    add_to_matrix(m, p, {tangential, 0, 0, 0, tangential, 0, 0, 0, normal});
  });
}

void DirectIsland::assemble_for_rest(const StepOptions& options) {
  set_targets(options);
  set_states();
  set_weights();
  list_matrix();
  assemble();
  matrix_.swap(last_matrix_);
}

}  // namespace carom::scene::direct
