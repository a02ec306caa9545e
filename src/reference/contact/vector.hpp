// Vectors and matrices, for the reference; core/support/vector3.hpp has the rest.
#pragma once

#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "core/support/vector3.hpp"

namespace carom::reference {

using planar::Vector2;

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Beside functions of the same names for the types of the reference.
using carom::operator+, carom::operator-, carom::operator*, carom::is_finite, carom::length;

/// x 2ⁿ, even if 2ⁿ itself is out of range: scales subnormal numbers to order 1.
inline Vector3 scaled(const Vector3& x, int n) {
  return {std::scalbn(x[0], n), std::scalbn(x[1], n), std::scalbn(x[2], n)};
}

/// The max n with 2ⁿ <= x, for positive finite x. Otherwise 0.
inline int exponent(double x) {
  return x > 0 && std::isfinite(x) ? std::ilogb(x) : 0;
}

inline double length(const Vector2& v) {
  return std::hypot(v[0], v[1]);
}

/// The unit vector of v.
inline Vector3 normalized(const Vector3& v) {
  return 1 / std::sqrt(dot(v, v)) * v;
}

inline double trace(const Matrix3& m) {
  return m[0][0] + m[1][1] + m[2][2];
}

inline bool is_finite(const Matrix3& m) {
  return is_finite(m[0]) && is_finite(m[1]) && is_finite(m[2]);
}

/// m - x, with x subtracted from the diagonal.
inline Matrix3 less(const Matrix3& m, double x) {
  Matrix3 result = m;
  for (std::size_t i = 0; i < 3; ++i) result[i][i] -= x;
  return result;
}

/// [R]'s a with a tilde: the matrix with the product a × x.
inline Matrix3 cross_matrix(const Vector3& a) {
  return {Vector3{0, -a[2], a[1]}, Vector3{a[2], 0, -a[0]}, Vector3{-a[1], a[0], 0}};
}

/// The factor L of a symmetric positive definite matrix L Lᵀ. Reads the lower triangle.
class Cholesky {
 public:
  /// Returns nullopt if rounding errors do not permit a decision whether the matrix is positive definite. The computed
  /// factors belong to a matrix that differs by up to 4 units of rounding of a diagonal entry, so a smaller pivot
  /// proves nothing.
  static std::optional<Cholesky> of(const Matrix3& k) {
    const auto positive = [](double pivot, double entry) {
      return pivot > 4 * std::numeric_limits<double>::epsilon() * entry;
    };
    Cholesky c;
    if (!positive(k[0][0], k[0][0])) return std::nullopt;
    c.l00_ = std::sqrt(k[0][0]);
    c.l10_ = k[1][0] / c.l00_;
    c.l20_ = k[2][0] / c.l00_;
    const double d1 = k[1][1] - c.l10_ * c.l10_;
    if (!positive(d1, k[1][1])) return std::nullopt;
    c.l11_ = std::sqrt(d1);
    c.l21_ = (k[2][1] - c.l20_ * c.l10_) / c.l11_;
    const double d2 = k[2][2] - c.l20_ * c.l20_ - c.l21_ * c.l21_;
    if (!positive(d2, k[2][2])) return std::nullopt;
    c.l22_ = std::sqrt(d2);
    return c;
  }

  Vector3 solve(const Vector3& b) const {
    const double y0 = b[0] / l00_;
    const double y1 = (b[1] - l10_ * y0) / l11_;
    const double y2 = (b[2] - l20_ * y0 - l21_ * y1) / l22_;
    const double x2 = y2 / l22_;
    const double x1 = (y1 - l21_ * x2) / l11_;
    return {(y0 - l10_ * x1 - l20_ * x2) / l00_, x1, x2};
  }

 private:
  double l00_ = 0, l10_ = 0, l11_ = 0, l20_ = 0, l21_ = 0, l22_ = 0;
};

}  // namespace carom::reference
