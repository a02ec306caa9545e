// The permissible region of impulses. A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on
// Impulse Space Considerations, 1998, 3.1 and 3.2.
#include <algorithm>
#include <cmath>

#include "laws_parts.hpp"
#include "vector.hpp"

namespace carom::reference {

Margins region_margins(const Collision& c, const Vector3& p) {
  const Vector3 change = c.k * p;
  Margins m;
  m.energy = -(dot(p, c.u0) + 0.5 * dot(p, change));
  m.non_penetration = c.u0[2] + change[2];
  m.tension = p[2];
  m.cone = std::isinf(c.friction) ? infinity : c.friction * p[2] - std::hypot(p[0], p[1]);
  return m;
}

ImpulseSpace impulse_space(const Collision& c) {
  ImpulseSpace space;
  space.plastic_frictionless = {0, 0, -c.u0[2] / c.k[2][2]};
  space.plastic_sticking = -1 * Cholesky::of(c.k)->solve(c.u0);
  space.contact_energy = -0.5 * dot(space.plastic_sticking, c.u0);
  return space;
}

Reach::Reach(const Collision& c, double f, const Vector3& d) {
  // At f P_I, in closed form: f = 2 is on the ellipsoid, which rounding must not decide.
  const double p = -f * c.u0[2] / c.k[2][2];
  // For f > 2, the energy already gained at f P_I is permitted.
  const double energy_there = 0.5 * f * std::min(f - 2, 0.0) * c.u0[2] * c.u0[2] / c.k[2][2];
  const Vector3 kd = c.k * d;

  // energy_there + rate s + ½ curvature s² <= 0
  const double rate = dot(d, c.u0) + p * kd[2], curvature = dot(d, kd);
  const double root = std::sqrt(rate * rate - 2 * curvature * energy_there);
  energy = curvature > 0 ? (rate > 0 ? -2 * energy_there / (rate + root) : (root - rate) / curvature) : infinity;

  non_penetration = kd[2] < 0 ? (f - 1) * c.u0[2] / kd[2] : infinity;

  const Cone bound(c.friction);
  const double approach = bound.normal * std::hypot(d[0], d[1]) - bound.tangential * d[2];
  cone = approach > 0 ? bound.tangential * p / approach : infinity;
}

}  // namespace carom::reference
