// The linear system of a direct island.
#include <algorithm>
#include <cmath>
#include <map>

#include "reference/contact/vector.hpp"
#include "scene_direct.hpp"

namespace carom::reference {
namespace {

constexpr double min_pivot = 1e-15;  // relative to the diagonal element
constexpr double immovable = 1e30;   // [m²] inertia over mass, about axes about which a body cannot turn

}  // namespace

void DirectMatrix::clear(const std::vector<std::size_t>& first) {
  first_ = first;
  rows_.resize(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) rows_[i].assign(i + 1 - first[i], 0.0);
}

bool DirectMatrix::factor() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t j = first_[i]; j <= i; ++j) {
      const double element = at(i, j);
      double rest = element;
      for (std::size_t k = std::max(first_[i], first_[j]); k < j; ++k) rest -= at(i, k) * at(j, k);
      if (j < i) {
        at(i, j) = rest / at(j, j);
        continue;
      }
      // Rounding may have made the pivot too small.
      rest = std::max(rest, min_pivot * element);
      if (!(rest > 0) || !std::isfinite(rest)) return false;
      at(i, i) = std::sqrt(rest);
    }
  }
  return true;
}

void DirectMatrix::solve(std::vector<double>& x) const {
  const auto element = [&](std::size_t i, std::size_t j) { return rows_[i][j - first_[i]]; };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t j = first_[i]; j < i; ++j) x[i] -= element(i, j) * x[j];
    x[i] /= element(i, i);
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    x[i] /= element(i, i);
    for (std::size_t j = first_[i]; j < i; ++j) x[j] -= element(i, j) * x[i];
  }
}

Vector3 DirectIsland::velocity_of(const DirectPoint& p, const Twists& twists) const {
  return p.axes * separation_velocity(twists[p.a], p.r_a, twists[p.b], p.r_b);
}

double DirectIsland::violation() const {
  double most = 0;
  for (const DirectPoint& p : points) {
    const double missing = p.target[2] - velocity_of(p, velocity)[2];
    if (!(missing <= most)) most = missing;
  }
  return most;
}

void DirectIsland::accelerate(const DirectPoint& p, const Vector3& impulse, Twists& twists) const {
  const Vector3 force = transpose(p.axes) * impulse;
  const auto push = [&](std::size_t i, const Vector3& lever, const Vector3& by) {
    if (i >= movable) return;
    twists[i] = twists[i] + Twist{bodies[i].inverse_mass * by, bodies[i].inverse_inertia * cross(lever, by)};
  };
  push(p.a, p.r_a, force);
  push(p.b, p.r_b, -1.0 * force);
}

double DirectIsland::velocity_of(const DirectRow& row, const Twists& twists) {
  return row.times(twists[row.a], twists[row.b]);
}

double DirectIsland::miss_of(const DirectRow& row) const {
  return velocity_of(row, velocity) + row.compliance * row.impulse - row.target;
}

void DirectIsland::accelerate(const DirectRow& row, double impulse, Twists& twists) const {
  const auto push = [&](std::size_t i, const Vector3& linear, const Vector3& angular) {
    if (i >= movable) return;
    twists[i] =
        twists[i] + Twist{impulse * bodies[i].inverse_mass * linear, bodies[i].inverse_inertia * (impulse * angular)};
  };
  push(row.a, row.linear_a, row.angular_a);
  push(row.b, row.linear_b, row.angular_b);
}

void DirectIsland::add(std::size_t body, const Twist& wrench, std::vector<double>& right) const {
  for (std::size_t c = 0; c < 3 && body < movable; ++c) {
    right[6 * body + c] += wrench.velocity[c];
    right[6 * body + 3 + c] += wrench.angular_velocity[c];
  }
}

void DirectIsland::add(const DirectRow& row, double impulse, std::vector<double>& right) const {
  add(row.a, impulse * Twist{row.linear_a, row.angular_a}, right);
  add(row.b, impulse * Twist{row.linear_b, row.angular_b}, right);
}

void DirectIsland::add_rows(std::vector<double>& right) {
  for (DirectRow& row : rows) {
    row.change = row.is_held ? row.barrier_velocity - miss_of(row) : 0;
    add(row, row.weight * row.change, right);
  }
}
void DirectIsland::find_row_changes(const Twists& solution) {
  for (DirectRow& row : rows) row.change = row.is_held ? row.weight * (row.change - velocity_of(row, solution)) : 0;
}
void DirectIsland::apply_row_changes() {
  for (const DirectRow& row : rows)
    if (row.change != 0) accelerate(row, row.change, velocity);
}
void DirectIsland::take_row_changes(double share) {
  for (DirectRow& row : rows) row.impulse += share * row.change;
}

void DirectIsland::apply_changes() {
  for (const DirectPoint& p : points)
    if (p.change != Vector3{}) accelerate(p, p.change, velocity);
}

void DirectIsland::begin_matrix() {
  std::vector<std::size_t> first(6 * movable);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t c = 0; c < 6; ++c) first[6 * i + c] = 6 * i;
  const auto connect = [&](std::size_t a, std::size_t b) {
    const std::size_t low = std::min(a, b), high = std::max(a, b);
    if (high < movable)
      for (std::size_t c = 0; c < 6; ++c) first[6 * high + c] = std::min(first[6 * high + c], 6 * low);
  };
  for (const auto& [begin, end] : manifolds) connect(points[begin].a, points[begin].b);
  for (const DirectRow& row : rows) connect(row.a, row.b);
  matrix.clear(first);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      matrix.at(6 * i + r, 6 * i + r) = bodies[i].mass;
      for (std::size_t c = 0; c <= r; ++c) matrix.at(6 * i + 3 + r, 6 * i + 3 + c) = bodies[i].inertia[r][c];
      if (bodies[i].locked[r]) matrix.at(6 * i + 3 + r, 6 * i + 3 + r) = immovable * bodies[i].mass;
    }
  for (const DirectRow& row : rows) {
    if (!row.is_held) continue;
    // Jᵀ of the row, where it is not 0.
    std::map<std::size_t, double> j;
    const auto take = [&](std::size_t body, const Vector3& linear, const Vector3& angular) {
      for (std::size_t c = 0; c < 3 && body < movable; ++c) {
        j[6 * body + c] += linear[c];
        j[6 * body + 3 + c] += angular[c];
      }
    };
    take(row.a, row.linear_a, row.angular_a);
    take(row.b, row.linear_b, row.angular_b);
    for (const auto& [i, x] : j)
      for (const auto& [k, y] : j)
        if (k <= i) matrix.at(i, k) += row.weight * x * y;
  }
}

void DirectIsland::add(const DirectPoint& p, const Matrix3& weight) {
  // Rows of the Jacobian of a body: an axis, and lever × axis.
  struct Side {
    std::size_t body;
    std::array<std::array<double, 6>, 3> j;
  };
  std::vector<Side> sides;
  const auto add_side = [&](std::size_t body, const Vector3& lever, double sign) {
    if (body >= movable) return;
    Side side{body, {}};
    for (std::size_t r = 0; r < 3; ++r) {
      const Vector3 turn = cross(lever, p.axes[r]);
      for (std::size_t c = 0; c < 3; ++c) {
        side.j[r][c] = sign * p.axes[r][c];
        side.j[r][3 + c] = sign * turn[c];
      }
    }
    sides.push_back(side);
  };
  add_side(p.a, p.r_a, 1);
  add_side(p.b, p.r_b, -1);
  for (const Side& x : sides)
    for (const Side& y : sides)
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) {
          const std::size_t row = 6 * x.body + i, column = 6 * y.body + k;
          if (column > row) continue;
          for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) matrix.at(row, column) += x.j[r][i] * weight[r][c] * y.j[c][k];
        }
}

void DirectIsland::add(const DirectPoint& p, const Vector3& impulse, std::vector<double>& right) const {
  const Vector3 force = transpose(p.axes) * impulse;
  add(p.a, {force, cross(p.r_a, force)}, right);
  add(p.b, -1.0 * Twist{force, cross(p.r_b, force)}, right);
}

Twists DirectIsland::solve(std::vector<double> right) const {
  matrix.solve(right);
  Twists made(bodies.size());
  for (std::size_t i = 0; i < movable; ++i) {
    const double* const x = &right[6 * i];
    made[i] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
  return made;
}

}  // namespace carom::reference
