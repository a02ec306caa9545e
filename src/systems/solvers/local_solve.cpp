#include "local_solve.hpp"

#include <cmath>
#include <limits>

namespace carom::systems {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The impulse for some λ, and the derivatives of |r_t| and r_n by it.
struct Trial {
  double x, y, n, length, length_slope, n_slope;

  Trial(const LocalContact& k, double b_n, const double* c, double lambda) {
    const double a = k.a[0] + lambda, d = k.a[3] + lambda;
    const double inverse = 1 / (a * d - k.a[1] * k.a[2]);
    x = -(d * c[0] - k.a[1] * c[1]) * inverse;
    y = -(a * c[1] - k.a[2] * c[0]) * inverse;
    n = -(b_n + k.w_nt[0] * x + k.w_nt[1] * y) * k.inverse_nn;
    length = std::sqrt(x * x + y * y);
    const double dx = -(d * x - k.a[1] * y) * inverse, dy = -(a * y - k.a[2] * x) * inverse;
    length_slope = length > 0 ? (x * dx + y * dy) / length : 0;
    n_slope = -(k.w_nt[0] * dx + k.w_nt[1] * dy) * k.inverse_nn;
  }

  double excess(double friction) const { return length - friction * n; }
  double step(double friction) const {
    const double bound = friction * n;
    if (bound > 0 && length > 0) {
      const double slope = length_slope * bound * bound - friction * n_slope * length * length;
      return -(length - bound) * length * bound / slope;
    }
    return -(length - bound) / (length_slope - friction * n_slope);
  }
};

}  // namespace

LocalContact::LocalContact(const double* w, double friction_coefficient) : friction(friction_coefficient) {
  inverse_nn = 1 / w[8];
  for (int t = 0; t < 2; ++t) {
    w_nt[t] = w[6 + t];
    w_tn_over_nn[t] = w[3 * t + 2] * inverse_nn;
  }
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 2; ++t) a[2 * s + t] = w[3 * s + t] - w_tn_over_nn[s] * w_nt[t];
  trace = w[0] + w[4];
  // An A that is singular to rounding: the block is positive semidefinite, or slender.
  added = a[0] * a[3] - a[1] * a[2] <= 1e-13 * trace * trace ? 1e-7 * trace : 0;
  if (trace <= 0) added = w[8];
  a[0] += added;
  a[3] += added;
}

void LocalContact::solve(const double* b, double* r) {
  if (!(b[2] < 0)) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  const double c[2] = {b[0] - w_tn_over_nn[0] * b[2] - added * r[0], b[1] - w_tn_over_nn[1] * b[2] - added * r[1]};
  if (friction == 0) {
    r[0] = r[1] = 0;
    r[2] = -b[2] * inverse_nn;
    return;
  }
  Trial trial(*this, b[2], c, 0);
  double excess = trial.excess(friction);
  if (excess > 0) {
    double low = 0, high = infinity, at = 0;
    for (int i = 0; i < 60; ++i) {
      const bool remembers = i == 0 && lambda > 0;
      double next = remembers ? lambda : at + trial.step(friction);
      const bool leaves = !(next > low && next < high);
      if (leaves) next = high < infinity ? 0.5 * (low + high) : at + at + 0.1 * trace;
      const double step = next - at;
      at = next;
      trial = Trial(*this, b[2], c, at);
      excess = trial.excess(friction);
      (excess > 0 ? low : high) = at;
      // The error left is of the order of the step's square.
      const double small = leaves || remembers ? 1e-15 : 1e-8;
      if (std::abs(excess) <= 1e-14 * trial.length || std::abs(step) <= small * at) break;
    }
    lambda = at;
    if (trial.n < 0) trial.n = 0;
    const double shrink = trial.length > 0 ? friction * trial.n / trial.length : 0;
    trial.x *= shrink;
    trial.y *= shrink;
  }
  r[0] = trial.x;
  r[1] = trial.y;
  r[2] = trial.n;
}

}  // namespace carom::systems
