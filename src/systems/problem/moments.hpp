// Contacts that resist rolling and spinning (docs/contact-systems.md, Contact models). Such a contact has two rows of
// W, one for its impulse r and one for its moment m = (m_r, m_s). The two components of m_r are divided by the
// coefficient of rolling friction and m_s by the coefficient of spinning friction, so all are in N s. The cone is
//
//   |r_t| <= friction r_n,   |m_r| <= r_n,   |m_s| <= r_n,
//
// and with y the velocities of the moment, De Saxcé's term is friction |u_t| + |y_r| + |y_s|.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "island_system.hpp"

namespace carom::systems {

/// The parts of an impulse and a moment that the normal impulse bounds: their lengths, and the bounds over r_n.
struct ConeParts {
  std::array<double, 3> length, bound;

  ConeParts(const double* r, const double* m, double friction)
      : length{tangential_length(r), tangential_length(m), std::abs(m[2])}, bound{friction, 1, 1} {}

  /// The normal of the nearest point of the cone, and which parts are cut to it. `normal` may be below 0: then all are
  /// 0.
  struct Nearest {
    double normal;
    std::array<bool, 3> is_cut{};
  };
  Nearest nearest(double normal) const {
    Nearest found{normal};
    std::array<std::size_t, 3> order = {0, 1, 2};
    const auto sort = [&](std::size_t a, std::size_t b) {
      // Sorts by length / bound in descending order; parts of length 0 come last, whatever their bound.
      const std::size_t k = order[a], l = order[b];
      if (length[k] * bound[l] < length[l] * bound[k] || (length[k] == 0 && length[l] > 0))
        std::swap(order[a], order[b]);
    };
    sort(0, 1);
    sort(1, 2);
    sort(0, 1);
    double sum = normal, weight = 1;
    for (const std::size_t k : order) {
      if (!(length[k] > bound[k] * found.normal)) break;
      found.is_cut[k] = true;
      sum += bound[k] * length[k];
      weight += bound[k] * bound[k];
      found.normal = sum / weight;
    }
    return found;
  }
};

/// û of a contact with a moment: u with De Saxcé's term.
inline double with_slips(const double* u, const double* y, double friction) {
  return u[2] + friction * tangential_length(u) + tangential_length(y) + std::abs(y[2]);
}

/// Moves r and m to the nearest point of the cone.
inline void project(double* r, double* m, double friction) {
  const ConeParts parts(r, m, friction);
  const ConeParts::Nearest to = parts.nearest(r[2]);
  const bool is_none = !(to.normal > 0);
  const auto share = [&](std::size_t k) {
    if (is_none) return 0.0;
    return to.is_cut[k] ? parts.bound[k] * to.normal / parts.length[k] : 1.0;
  };
  r[2] = is_none ? 0 : to.normal;
  for (std::size_t a = 0; a < 2; ++a) {
    r[a] *= share(0);
    m[a] *= share(1);
  }
  m[2] *= share(2);
}

/// |x − P(x − v)|² of a contact with a moment. Avoids the difference in which v would be lost if x is large: see
/// measure.hpp.
inline double squared_error(const double* r, const double* m, const double* u, const double* y, double friction) {
  const double v[3] = {u[0], u[1], with_slips(u, y, friction)};
  const double z[3] = {r[0] - v[0], r[1] - v[1], r[2] - v[2]}, w[3] = {m[0] - y[0], m[1] - y[1], m[2] - y[2]};
  const ConeParts at(z, w, friction), now(r, m, friction);
  const ConeParts::Nearest to = at.nearest(z[2]);
  if (!(to.normal > 0)) return r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
  // v·(v − 2 x) is the change of the square of a part's length.
  const double change[3] = {v[0] * (v[0] - 2 * r[0]) + v[1] * (v[1] - 2 * r[1]),
                            y[0] * (y[0] - 2 * m[0]) + y[1] * (y[1] - 2 * m[1]), y[2] * (y[2] - 2 * m[2])};
  double outside[3], moved = v[2], weight = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    outside[k] = now.length[k] - now.bound[k] * r[2];
    if (std::abs(outside[k]) <= 0x1p-50 * now.length[k]) outside[k] = 0;
    const double lengths = at.length[k] + now.length[k];
    if (lengths > 0) outside[k] += change[k] / lengths;
    if (!to.is_cut[k]) continue;
    moved -= at.bound[k] * outside[k];
    weight += at.bound[k] * at.bound[k];
  }
  moved /= weight;
  double sum = moved * moved;
  const auto add = [&](std::size_t k, double velocity, double to_cut) {
    if (to.is_cut[k]) velocity += to_cut / at.length[k] * (outside[k] + at.bound[k] * moved);
    sum += velocity * velocity;
  };
  for (std::size_t a = 0; a < 2; ++a) {
    add(0, v[a], z[a]);
    add(1, y[a], w[a]);
  }
  add(2, y[2], w[2]);
  return sum;
}

}  // namespace carom::systems
