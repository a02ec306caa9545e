// The laws share this: the friction cone with both of its limits, and the laws that take a root. docs/laws.md has the
// equations.
#pragma once

#include <carom/reference.hpp>
#include <cmath>
#include <limits>

namespace carom::reference {

/// |p_t| <= μ p_z, written as normal |p_t| <= tangential p_z, so μ = 0 and μ = ∞ are not special.
struct Cone {
  double normal = 1, tangential = 0;

  explicit Cone(double friction) : normal(friction > 1 ? 1 / friction : 1), tangential(friction > 1 ? 1 : friction) {}

  bool holds(const Vector3& p) const { return normal * std::hypot(p[0], p[1]) <= tangential * p[2]; }

  /// Returns whether p is on the cone or outside, up to a few rounding errors of its length.
  bool reached(const Vector3& p) const {
    constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
    return normal * std::hypot(p[0], p[1]) >= (1 - rounding) * tangential * p[2];
  }

  /// Returns p, which is on the cone up to rounding, with its smaller component recomputed to be exactly on the cone.
  Vector3 onto(const Vector3& p) const {
    const double length = std::hypot(p[0], p[1]);
    if (tangential == 1) return {p[0], p[1], normal * length};
    const double scale = length > 0 ? tangential * p[2] / length : 0;
    return {scale * p[0], scale * p[1], p[2]};
  }
};

/// Impulses that a law permits: the one that carom selects, and their number.
struct Solutions {
  Vector3 p{};
  int count = 0;
};

// On collisions with K and u0 of the order of 1.
Solutions whittaker(const Collision& c);
Solutions smith(const Collision& c);
Solutions anitescu_potra(const Collision& c);

/// The smallest slip ratio |u_t| / |p_t| with which u_t is 0 inside the friction cone, or friction is on the cone
/// against u_t, while the normal impulse and the friction change u_z by `rise`: all the solutions of Whittaker's law.
Solutions friction_against_last_slip(const Matrix3& k, const Cone& cone, const Vector3& u0, double rise);

/// Distance from f P_I, f >= 1, along d to the boundary of the permissible region; for f > 2, which is outside, to the
/// point where the energy gain exceeds the gain at f P_I.
struct Reach {
  double energy, non_penetration, cone;

  Reach(const Collision& c, double f, const Vector3& d);
};

}  // namespace carom::reference
