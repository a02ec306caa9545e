// The number types in which the prober judges. They are wide enough that their rounding, amplified by the cancellation
// in its hardest contacts, stays below the rounding of the judged precision.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "core/support/vector3.hpp"

namespace carom::probe {

/// 113 bits of mantissa where the machine has them, with the exponents of long double.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Vec4 = __float128;
#else
using Vec4 = long double;
#endif

template <class T>
using Real = std::conditional_t<std::is_same_v<T, float>, long double, Vec4>;

template <class R>
R absolute(R x) {
  return x < 0 ? -x : x;
}

template <class R>
R larger(R a, R b) {
  return a > b ? a : b;
}

template <class R>
R square_root(R x) {
  if (!(x > 0)) return 0;
  const long double root = std::sqrt(static_cast<long double>(x));
  const R y = static_cast<R>(root);
  const bool is_exact = sizeof(R) < sizeof(long double) || std::is_same_v<R, long double> || std::isinf(root);
  return is_exact ? y : (y + x / y) / 2;
}

template <class R, std::size_t D>
using Vector = std::array<R, D>;
template <class R, std::size_t D>
using Matrix = std::array<Vector<R, D>, D>;

template <class R, std::size_t D>
R length(const Vector<R, D>& v) {
  return square_root(dot(v, v));
}

template <class R, std::size_t D>
Vector<R, D> times(const Matrix<R, D>& m, const Vector<R, D>& v) {
  Vector<R, D> product;
  for (std::size_t i = 0; i < D; ++i) product[i] = dot(m[i], v);
  return product;
}

/// a + s b
template <class R, std::size_t D>
Vector<R, D> plus(const Vector<R, D>& a, R s, const Vector<R, D>& b) {
  Vector<R, D> sum;
  for (std::size_t i = 0; i < D; ++i) sum[i] = a[i] + s * b[i];
  return sum;
}

/// Sets the last component, the normal one, to 0.
template <class R, std::size_t D>
Vector<R, D> tangential(Vector<R, D> v) {
  v[D - 1] = 0;
  return v;
}

/// Computes M⁻¹ v by Cholesky decomposition; returns false if M is not positive definite.
template <class R, std::size_t D>
bool solve(const Matrix<R, D>& m, const Vector<R, D>& v, Vector<R, D>& x) {
  Matrix<R, D> l{};
  for (std::size_t j = 0; j < D; ++j) {
    R pivot = m[j][j];
    for (std::size_t k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
    if (!(pivot > 0)) return false;
    l[j][j] = square_root(pivot);
    for (std::size_t i = j + 1; i < D; ++i) {
      R sum = m[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = sum / l[j][j];
    }
  }
  x = v;
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (std::size_t i = D; i-- > 0;) {
    for (std::size_t k = i + 1; k < D; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return true;
}

/// Eigenvalues by Jacobi's rotations.
template <class R, std::size_t D>
Vector<R, D> eigenvalues(Matrix<R, D> m) {
  for (int sweep = 0; sweep < 8; ++sweep) {
    R off = 0;
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = i + 1; j < D; ++j) {
        if (m[i][j] == 0) continue;
        off += absolute(m[i][j]);
        const R ratio = (m[j][j] - m[i][i]) / (2 * m[i][j]);
        const R t = (ratio < 0 ? -1 : 1) / (absolute(ratio) + square_root(ratio * ratio + 1));
        const R c = 1 / square_root(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < D; ++k) {
          const R a = m[i][k], b = m[j][k];
          m[i][k] = c * a - s * b;
          m[j][k] = s * a + c * b;
        }
        for (std::size_t k = 0; k < D; ++k) {
          const R a = m[k][i], b = m[k][j];
          m[k][i] = c * a - s * b;
          m[k][j] = s * a + c * b;
        }
      }
    }
    if (off == 0) break;
  }
  Vector<R, D> values;
  for (std::size_t i = 0; i < D; ++i) values[i] = m[i][i];
  return values;
}

template <class R, std::size_t D>
R min_of(const Vector<R, D>& values) {
  R least = values[0];
  for (const R x : values) least = x < least ? x : least;
  return least;
}

/// Ratio of the largest to the smallest eigenvalue; infinite unless M is positive definite.
template <class R, std::size_t D>
R condition(const Matrix<R, D>& m) {
  const Vector<R, D> values = eigenvalues(m);
  const R least = min_of(values);
  R most = values[0];
  for (const R x : values) most = larger(most, x);
  return least > 0 ? most / least : static_cast<R>(std::numeric_limits<double>::infinity());
}

}  // namespace carom::probe
