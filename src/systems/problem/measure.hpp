// The error of impulses, as the field states it: how far the natural map moves them.
#pragma once

#include <cmath>

#include "island_system.hpp"

namespace carom::systems {

/// Moves x to the nearest point of the cone |x_t| <= friction x_n.
inline void project(double* x, double friction) {
  const double t = tangential_length(x);
  if (friction * t <= -x[2]) {
    x[0] = x[1] = x[2] = 0;
  } else if (t > friction * x[2]) {
    const double n = (x[2] + friction * t) / (1 + friction * friction), shrink = friction * n / t;
    x[0] *= shrink;
    x[1] *= shrink;
    x[2] = n;
  }
}

/// |r − P(r − v)|² of one contact, v = u + friction |u_t| n and P the projection onto its cone. r − v is not subtracted
/// from r again: if impulses are large in the caller's units, that would lose v, and any r would be a solution.
inline double squared_error(const double* r, const double* u, double friction) {
  const double v[3] = {u[0], u[1], u[2] + friction * tangential_length(u)};
  const double z[3] = {r[0] - v[0], r[1] - v[1], r[2] - v[2]};
  const double t = tangential_length(z);
  if (friction * t <= -z[2]) return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  // z is |z_t| − friction z_n outside: as far as r is, which counts as on its cone if it is so to rounding, and more.
  const double r_t = tangential_length(r);
  double outside = r_t - friction * r[2];
  if (std::abs(outside) <= 0x1p-50 * r_t) outside = 0;
  outside += friction * v[2];
  if (t + r_t > 0) outside += (v[0] * (v[0] - 2 * r[0]) + v[1] * (v[1] - 2 * r[1])) / (t + r_t);
  const double moved = outside > 0 ? outside / (1 + friction * friction) : 0;
  const double along = t > 0 ? moved / t : 0;
  const double d[3] = {v[0] + along * z[0], v[1] + along * z[1], v[2] - friction * moved};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/// The error of the island, absolute; u becomes the velocities of r.
double measure(const IslandSystem& system, const Numbers& r, Numbers& u);

/// The error that rounding may well make in W r: a sixteenth of the norm of |W| |r| by the unit of rounding. A smaller
/// error is not known.
double rounding_of(const IslandSystem& system, const Numbers& r);

/// Moves all impulses into their cones.
void project(const IslandSystem& system, Numbers& r);

}  // namespace carom::systems
