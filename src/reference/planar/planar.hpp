// The parts of the planar reference share this: a collision in units in which no square leaves the range.
//
//   a, b, c     K = (a b; b c), along tangent and normal
//   x, y        u0
//   mu, e       friction, restitution
#pragma once

#include <carom/reference_planar.hpp>
#include <cmath>

namespace carom::reference::planar {

struct Problem {
  double a, b, c;
  double x, y;
  double mu, e;

  /// Coulomb's bound as wt |p_t| <= wn p_n, without infinity.
  double wt() const { return mu > 1 ? 1 / mu : 1; }
  double wn() const { return mu > 1 ? 1 : mu; }
  bool in_cone(const Vector2& p) const { return wt() * std::abs(p[0]) <= wn() * p[1]; }

  Vector2 velocity_after(const Vector2& p) const { return {x + (a * p[0] + b * p[1]), y + (b * p[0] + c * p[1])}; }

  /// The impulse that changes u by (dx, dy).
  Vector2 impulse_for(double dx, double dy) const {
    const double p_t = (dx - b / c * dy) / (a - b / c * b);
    return {p_t, (dy - b * p_t) / c};
  }
};

/// [R] section 5.
Outcome resolve_incremental(const Problem& problem, RestitutionLaw law);

}  // namespace carom::reference::planar
