// The matrix of a direct island: its weights, its assembly, and when the last factor will do.
#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [m²] Inertia of a body about an axis about which it cannot turn, over its mass: beyond all weights in the matrix.
constexpr double immovable = 1e30;

/// As SceneThresholds::direct_same, for an island on the factor of a certificate. Contact points of faces that lie
/// flush move far along them while the bodies hardly move.
constexpr double certified_same = 0.01;

/// The power of 4 that is nearest to a ratio, within [1/64, 4].
double level(double ratio) {
  return ratio < 1.0 / 32 ? 1.0 / 64 : ratio < 1.0 / 8 ? 1.0 / 16 : ratio < 0.5 ? 0.25 : ratio < 2 ? 1 : 4;
}

/// Adds r × the columns of a matrix.
void add_cross(const Vector3& r, const Matrix3& of, Matrix3& to) {
  for (std::size_t k = 0; k < 3; ++k) {
    to[0][k] += r[1] * of[2][k] - r[2] * of[1][k];
    to[1][k] += r[2] * of[0][k] - r[0] * of[2][k];
    to[2][k] += r[0] * of[1][k] - r[1] * of[0][k];
  }
}

/// to += sign × of
void add_to_block(double sign, const Matrix3& w, const Matrix3& right, const Matrix3& left, const Matrix3& turning,
                  Block& to) {
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      to.column[k][i] += sign * w[i][k];
      to.column[k][3 + i] += sign * left[k][i];
      to.column[3 + k][i] += sign * right[i][k];
      to.column[3 + k][3 + i] += sign * turning[i][k];
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

/// island_state.cpp reads this list.
void DirectIsland::list_matrix() {
  matrix_.clear();
  for (const std::size_t count : {manifolds_.size(), points_.size(), rows_.size()})
    matrix_.push_back(static_cast<double>(count));
  // Immovable bodies have different rows in every call, and are not in the matrix.
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
  const double near = treatment_.is_certified ? certified_same : Thresholds::direct_same;
  bool is_same = true, is_near = true;
  const auto compare = [&](const auto& now, const auto& then, double size = 0) {
    if (now == then) return;
    is_same = false;
    for (const double x : then) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < now.size(); ++i) is_near = is_near && std::abs(now[i] - then[i]) <= near * size;
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
      compare(points_[i].r_a, factored_.arms[i][0]);
      compare(points_[i].r_b, factored_.arms[i][1]);
    }
  }
  for (std::size_t i = 0; i < rows_.size() && is_near; ++i) {
    const JointRow& row = rows_[i];
    const JointVectors& then = factored_.rows[i];
    // The arm of a row may lie along it.
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
      const Vector3 miss = p.target - relative(m, p, velocity_);
      for (std::size_t c = p.state == State::slips ? 2 : 0; c < 3; ++c)
        is_calm = is_calm && std::abs(miss[c]) <= calm_speed_;
    }
  for (const JointRow& row : rows_) is_calm = is_calm && (!(row.weight > 0) || std::abs(miss_of(row)) <= calm_speed_);
  return is_calm;
}

/// Sums over the points of a manifold that its blocks of A are made of. With W the weight of a point in the world, r
/// its arm on one body and J = (1, -[r]×), J_lᵀ W J_r has the blocks W, G_r, G_lᵀ and [r_l]× G_r, with G = -W [r]×.
struct DirectIsland::Moments {
  Matrix3 w{}, g_a{}, g_b{}, h_a{}, h_b{}, h_cross{};

  /// `weight`: symmetric, in the frame of the contact.
  void add(const Manifold& m, const Point& p, const double (&weight)[9], bool a_moves, bool b_moves) {
    Matrix3 in_world{}, of_a{}, of_b{};
    for (std::size_t r = 0; r < 3; ++r) {
      // Row r of Fᵀ W, where the rows of F are the axes.
      Vector3 row{};
      for (std::size_t c = 0; c < 3; ++c)
        row[c] = m.axis[0][r] * weight[c] + m.axis[1][r] * weight[3 + c] + m.axis[2][r] * weight[6 + c];
      for (std::size_t c = 0; c < 3; ++c)
        in_world[r][c] = row[0] * m.axis[0][c] + row[1] * m.axis[1][c] + row[2] * m.axis[2][c];
      of_a[r] = cross(p.r_a, in_world[r]);
      of_b[r] = cross(p.r_b, in_world[r]);
    }
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) {
        w[r][c] += in_world[r][c];
        g_a[r][c] += of_a[r][c];
        g_b[r][c] += of_b[r][c];
      }
    if (a_moves) add_cross(p.r_a, of_a, h_a);
    if (b_moves) add_cross(p.r_b, of_b, h_b);
    if (!a_moves || !b_moves) return;
    if (m.a > m.b)
      add_cross(p.r_a, of_b, h_cross);
    else
      add_cross(p.r_b, of_a, h_cross);
  }
};

/// Adds Jᵀ W J of all points. `weight_of` sets the weight of a point, or returns false without one.
template <class F>
void DirectIsland::add_points_to_matrix(const F& weight_of) {
  for (const Manifold& m : manifolds_) {
    const bool a_moves = moves(m.a), b_moves = moves(m.b);
    Moments of;
    bool any = false;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      double weight[9];
      if (!weight_of(points_[i], weight)) continue;
      any = true;
      of.add(m, points_[i], weight, a_moves, b_moves);
    }
    if (!any) continue;
    if (a_moves) add_to_block(1, of.w, of.g_a, of.g_a, of.h_a, factor_.diagonal(static_cast<std::size_t>(m.a)));
    if (b_moves) add_to_block(1, of.w, of.g_b, of.g_b, of.h_b, factor_.diagonal(static_cast<std::size_t>(m.b)));
    if (!a_moves || !b_moves) continue;
    // The block has the row of the later position.
    const bool a_is_later = m.a > m.b;
    add_to_block(-1, of.w, a_is_later ? of.g_b : of.g_a, a_is_later ? of.g_a : of.g_b, of.h_cross,
                 factor_.block(m.block));
  }
}

/// Keeps the geometry that the matrix is made of.
void DirectIsland::list_geometry() {
  has_factor_ = false;
  factored_.inverse_inertia.clear();
  factored_.inertia.clear();
  factored_.locked.clear();
  factored_.axes.clear();
  factored_.arms.clear();
  factored_.rows.clear();
  factored_.row_weights.clear();
  for (const Body& body : bodies_) {
    factored_.inverse_inertia.push_back(body.inverse_inertia);
    factored_.inertia.push_back(body.inertia);
    factored_.locked.push_back(body.locked);
  }
  for (const Manifold& m : manifolds_) factored_.axes.push_back(m.axis);
  for (const Point& p : points_) factored_.arms.push_back({p.r_a, p.r_b});
  for (const JointRow& row : rows_) {
    factored_.rows.push_back({row.linear_a, row.angular_a, row.linear_b, row.angular_b});
    factored_.row_weights.push_back(row.weight);
  }
}

void DirectIsland::add_inertia() {
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
}

/// A = M + Jᵀ D J with the rows of joints
void DirectIsland::begin_matrix() {
  list_geometry();
  factor_.clear();
  add_inertia();
  add_rows_to_matrix(true, true);
}

void DirectIsland::begin_matrix_of_bounds(bool is_first) {
  if (is_first) list_geometry();
  if (is_first || rows_.empty()) {
    factor_.clear();
    add_inertia();
    add_rows_to_matrix(false, true);
    if (!rows_.empty()) factor_.keep();
  } else {
    factor_.return_kept();
  }
  add_rows_to_matrix(true, false);
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
  add_points_to_matrix([](const Point& p, double(&weight)[9]) {
    if (p.state == State::open) return false;
    std::fill(std::begin(weight), std::end(weight), 0.0);
    weight[0] = weight[4] = p.state == State::sticks ? p.weight : 0;
    weight[8] = p.weight;
    return true;
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
