// Dual numbers: forward differentiation.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/support/vector3.hpp"

namespace carom::reference {

/// A value and its derivatives by n variables.
template <std::size_t n>
struct Dual {
  double value = 0;
  std::array<double, n> d{};

  Dual() = default;
  Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  static Dual variable(double value, std::size_t i) {
    Dual x = value;
    x.d[i] = 1;
    return x;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (std::size_t i = 0; i < n; ++i) d[i] += b.d[i];
    return *this;
  }

  /// f(value) with the derivative `slope` there.
  Dual with(double f, double slope) const {
    Dual x = f;
    for (std::size_t i = 0; i < n; ++i) x.d[i] = slope * d[i];
    return x;
  }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(const Dual& a) { return a.with(-a.value, -1); }
  friend Dual operator-(const Dual& a, const Dual& b) {
    Dual x = a.value - b.value;
    for (std::size_t i = 0; i < n; ++i) x.d[i] = a.d[i] - b.d[i];
    return x;
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual x = a.value * b.value;
    for (std::size_t i = 0; i < n; ++i) x.d[i] = a.value * b.d[i] + a.d[i] * b.value;
    return x;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual x = a.value / b.value;
    for (std::size_t i = 0; i < n; ++i) x.d[i] = (a.d[i] - x.value * b.d[i]) / b.value;
    return x;
  }
  friend Dual operator*(double a, const Dual& b) { return b.with(a * b.value, a); }
  friend Dual operator*(const Dual& a, double b) { return b * a; }
  friend Dual operator/(const Dual& a, double b) { return a.with(a.value / b, 1 / b); }
};

template <std::size_t n>
Dual<n> sqrt(const Dual<n>& a) {
  const double root = std::sqrt(a.value);
  return a.with(root, 0.5 / root);
}
template <std::size_t n>
Dual<n> sin(const Dual<n>& a) {
  return a.with(std::sin(a.value), std::cos(a.value));
}
template <std::size_t n>
Dual<n> cos(const Dual<n>& a) {
  return a.with(std::cos(a.value), -std::sin(a.value));
}
template <std::size_t n>
Dual<n> length(const Dual<n>& x, const Dual<n>& y) {
  const double r = std::hypot(x.value, y.value);
  Dual<n> l = r;
  for (std::size_t i = 0; i < n; ++i) l.d[i] = (x.value * x.d[i] + y.value * y.d[i]) / r;
  return l;
}

template <class N>
using Three = carom::Vector3<N>;

/// The upper triangle of K.
template <class N>
struct Six {
  N xx, xy, xz, yy, yz, zz;

  Three<N> times(const Three<N>& p) const {
    return {xx * p[0] + xy * p[1] + xz * p[2], xy * p[0] + yy * p[1] + yz * p[2], xz * p[0] + yz * p[1] + zz * p[2]};
  }
  /// M⁻¹ (x, y)
  std::array<N, 2> solve_tangential(const N& x, const N& y) const {
    const N det = xx * yy - xy * xy;
    return {(yy * x - xy * y) / det, (xx * y - xy * x) / det};
  }
  /// K⁻¹ b, by the Schur complement of M
  Three<N> solve(const Three<N>& b) const {
    const auto q = solve_tangential(xz, yz), t = solve_tangential(b[0], b[1]);
    const N z = (b[2] - q[0] * b[0] - q[1] * b[1]) / (zz - q[0] * xz - q[1] * yz);
    return {t[0] - q[0] * z, t[1] - q[1] * z, z};
  }
};

}  // namespace carom::reference
