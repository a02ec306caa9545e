// Bodies and rows as the collision of a mechanism sees them: velocities of bodies are twists, rows of joints and of
// contacts are alike.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "core/support/vector3.hpp"
#include "linear/eigenvalues.hpp"

namespace carom::scene {

/// Velocity and angular velocity of a body, or the corresponding parts of a row.
struct Twist {
  Vector<double> linear{}, angular{};
};
inline double dot(const Twist& a, const Twist& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}
inline void add(Twist& sum, double factor, const Twist& x) {
  for (std::size_t i = 0; i < 3; ++i) {
    sum.linear[i] += factor * x.linear[i];
    sum.angular[i] += factor * x.angular[i];
  }
}

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
  Twist response(const Twist& impulse) const {
    const auto& [xx, xy, xz, yy, yz, zz] = inverse_inertia;
    const auto& [x, y, z] = impulse.angular;
    return {{inverse_mass * impulse.linear[0], inverse_mass * impulse.linear[1], inverse_mass * impulse.linear[2]},
            {xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z}};
  }
};

/// A row of two bodies, and the velocity changes of the bodies per unit impulse.
struct Row {
  std::array<std::int32_t, 2> body = {-1, -1};
  std::array<Twist, 2> jacobian, response;
  double compliance = 0;  // [1/kg]
};

inline double coupling(const Row& r, const Row& s) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      if (r.body[i] >= 0 && r.body[i] == s.body[j]) sum += dot(r.jacobian[i], s.response[j]);
  return sum;
}

/// Velocity changes, summed in double before they are stored in the caller's columns.
using Changes = std::map<std::int32_t, Twist>;

inline void add(Changes& changes, double impulse, const Row& row) {
  for (std::size_t i = 0; i < 2; ++i)
    if (row.body[i] >= 0) add(changes[row.body[i]], impulse, row.response[i]);
}

/// J Δv of a row.
inline double change_of(const Row& row, const Changes& changes) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    if (const auto found = changes.find(row.body[i]); found != changes.end())
      sum += dot(row.jacobian[i], found->second);
  return sum;
}

}  // namespace carom::scene
