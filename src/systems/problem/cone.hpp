// The Lorentz cone |x_t| <= x_n in three dimensions, and its Jordan algebra: x ∘ y = (x_n y_t + y_n x_t, x·y), with the
// unit e = n. Scaling is Nesterov and Todd's (F. Alizadeh, D. Goldfarb, Second-order cone programming, 2003).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "island_system.hpp"

namespace carom::systems {

/// y = m x, of a 3 × 3 matrix row after row.
inline void multiply(const double* m, const double* x, double* y) {
  for (int a = 0; a < 3; ++a) y[a] = m[3 * a] * x[0] + m[3 * a + 1] * x[1] + m[3 * a + 2] * x[2];
}

/// x_n² − |x_t|², above 0 inside the cone.
inline double determinant(const double* x) {
  const double t = tangential_length(x);
  return (x[2] - t) * (x[2] + t);
}

/// The longest step from x, within the cone, along d; infinity if there is no end.
inline double longest_step(const double* x, const double* d) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double c = determinant(x);
  const double a = d[2] * d[2] - d[0] * d[0] - d[1] * d[1], b = x[2] * d[2] - x[0] * d[0] - x[1] * d[1];
  const double radicand = b * b - a * c;
  double step = infinity;
  if (radicand > 0) {
    const double root = std::sqrt(radicand);
    if (b < 0)
      step = c / (root - b);
    else if (a < 0)
      step = (b + root) / -a;
    if (!(step > 0)) step = infinity;
  }
  return d[2] < 0 ? std::min(step, -x[2] / d[2]) : step;
}

/// x = λ \ b: the x with λ ∘ x = b.
inline void divide(const double* lambda, const double* b, double* x) {
  x[2] = (lambda[2] * b[2] - lambda[0] * b[0] - lambda[1] * b[1]) / determinant(lambda);
  x[0] = (b[0] - x[2] * lambda[0]) / lambda[2];
  x[1] = (b[1] - x[2] * lambda[1]) / lambda[2];
}

/// y −= a ∘ b.
inline void subtract_jordan_product(const double* a, const double* b, double* y) {
  y[0] -= a[2] * b[0] + b[2] * a[0];
  y[1] -= a[2] * b[1] + b[2] * a[1];
  y[2] -= a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// P with P² u = r, its inverse and that inverse's square; λ = P u = P⁻¹ r.
struct ConeScaling {
  double p[9], inverse[9], inverse_squared[9], lambda[3];

  ConeScaling() = default;
  ConeScaling(const double* r, const double* u) {
    const double det_u = std::max(determinant(u), 1e-300), det_r = std::max(determinant(r), 1e-300);
    const double su = 1 / std::sqrt(det_u), sr = 1 / std::sqrt(det_r);
    const double cosine = (u[0] * r[0] + u[1] * r[1] + u[2] * r[2]) * su * sr;
    const double gamma = 1 / (2 * std::sqrt((1 + cosine) / 2));
    const double w[3] = {(r[0] * sr - u[0] * su) * gamma, (r[1] * sr - u[1] * su) * gamma,
                         (r[2] * sr + u[2] * su) * gamma};
    const double eta = std::sqrt(std::sqrt(det_r / det_u));
    fill(p, eta, w[0], w[1], w[2]);
    fill(inverse, 1 / eta, -w[0], -w[1], w[2]);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        inverse_squared[3 * a + b] =
            inverse[3 * a] * inverse[b] + inverse[3 * a + 1] * inverse[3 + b] + inverse[3 * a + 2] * inverse[6 + b];
    multiply(p, u, lambda);
  }

 private:
  static void fill(double* m, double f, double x, double y, double n) {
    const double h = 1 / (1 + n);
    m[0] = f * (1 + x * x * h);
    m[1] = m[3] = f * (x * y * h);
    m[4] = f * (1 + y * y * h);
    m[2] = m[6] = f * x;
    m[5] = m[7] = f * y;
    m[8] = f * n;
  }
};

}  // namespace carom::systems
