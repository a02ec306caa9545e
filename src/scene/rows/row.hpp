// Bodies and rows in double, the same for contacts and joints: a row is J for two bodies, and M⁻¹ Jᵀ.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/support/vector3.hpp"
#include "linear/eigenvalues.hpp"

namespace carom::scene {

/// v and ω of a body, or an impulse along them.
using Twist = std::array<double, 6>;

inline Twist twist(const Vector3<double>& linear, const Vector3<double>& angular) {
  return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
}
inline void add(Twist& sum, double factor, const Twist& x) {
  for (std::size_t c = 0; c < 6; ++c) sum[c] += factor * x[c];
}

/// A row on one of its bodies, and the change of velocity that a unit impulse of it makes.
struct Direction {
  Twist of, response;
};

struct Body {
  double inverse_mass = 0;
  Symmetric inverse_inertia{};

  bool is_movable() const {
    return inverse_mass != 0 ||
           std::any_of(inverse_inertia.begin(), inverse_inertia.end(), [](double x) { return x != 0; });
  }
  bool is_faulty() const {
    const auto& [xx, xy, xz, yy, yz, zz] = inverse_inertia;
    const auto good = [](double x) { return x >= 0 && x < std::numeric_limits<double>::infinity(); };
    return !(good(inverse_mass) && good(xx) && good(yy) && good(zz) && std::isfinite(xy) && std::isfinite(xz) &&
             std::isfinite(yz));
  }
  Direction direction(const Vector3<double>& linear, const Vector3<double>& angular) const {
    return {twist(linear, angular), twist(inverse_mass * linear, symmetric(inverse_inertia) * angular)};
  }
  /// The direction of an axis at a point of the body. The negative axis for body B of a contact.
  Direction at_point(const Vector3<double>& r, const Vector3<double>& axis) const {
    return direction(axis, cross(r, axis));
  }
};

/// A row of two bodies. An index below 0 is the world, or a body that does not move. Without initial values, because
/// sequential impacts read rows again for every impact.
struct Row {
  std::array<std::int32_t, 2> body;
  std::array<Direction, 2> side;
};

/// J_r M⁻¹ J_sᵀ. [1/kg] for rows along velocities
inline double coupling(const Row& r, const Row& s) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      if (r.body[i] >= 0 && r.body[i] == s.body[j]) sum += dot(r.side[i].of, s.side[j].response);
  return sum;
}

}  // namespace carom::scene
