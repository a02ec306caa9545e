// The error of impulses, as the field states it: how far the natural map moves them.
#pragma once

#include <cmath>

#include "island_system.hpp"

namespace carom::systems {

/// Moves x to the nearest point of the cone |x_t| <= friction x_n.
inline void project(double* x, double friction) {
  const double t = std::sqrt(x[0] * x[0] + x[1] * x[1]);
  if (friction * t <= -x[2]) {
    x[0] = x[1] = x[2] = 0;
  } else if (t > friction * x[2]) {
    const double n = (x[2] + friction * t) / (1 + friction * friction), shrink = friction * n / t;
    x[0] *= shrink;
    x[1] *= shrink;
    x[2] = n;
  }
}

/// |r − P(r − u − friction |u_t| n)|² of one contact, P the projection onto its cone.
inline double squared_error(const double* r, const double* u, double friction) {
  const double slip = std::sqrt(u[0] * u[0] + u[1] * u[1]);
  double z[3] = {r[0] - u[0], r[1] - u[1], r[2] - (u[2] + friction * slip)};
  project(z, friction);
  const double d[3] = {r[0] - z[0], r[1] - z[1], r[2] - z[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/// The error of the island, absolute; u becomes the velocities of r.
double measure(const IslandSystem& system, const Numbers& r, Numbers& u);

/// What rounding may well make of W r: a sixteenth of the norm of |W| |r| by the unit of rounding. An error below it is
/// not known.
double rounding_of(const IslandSystem& system, const Numbers& r);

/// Moves all impulses into their cones.
void project(const IslandSystem& system, Numbers& r);

}  // namespace carom::systems
