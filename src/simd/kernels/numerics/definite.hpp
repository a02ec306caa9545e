// Definite: decides whether a collision matrix without mass is positive definite.
//
// K = m + Σ [r]ᵀ J [r]. A mass m keeps K above m. Without a mass K may be singular: [r] p = 0 for p along the lever arm
// r. One body alone always has a singular K, and two bodies have one if their arms are parallel. Rounding makes such a
// K definite about as often as indefinite, and a law would divide by the rounding. So K counts as definite only if it
// stays definite when a bound of its rounding is subtracted.
//
// The bound. Let u = ε/2 and t = Σ tr J |r|². Relative to the absolute values of its terms, K is off by
//
//   6 u       J in the frame of the contact: two products with the axes
//   2 · 3 u   r in the frame, which occurs twice
//   6 u       J [r], [r]ᵀ (J [r]), and the sum over both bodies
//
// The absolute values add up to 2 t at most, since |[r]| |J| |[r]| has a norm of at most 2 |r|² tr J. This makes
// 36 u t = 18 ε t. The axes are rounded as well, but any axes transform K by a congruence, which leaves a singular K
// singular. Cholesky's method finds the factors of a matrix that is off by at most 6 u tr K <= 3 ε t [N. J. Higham,
// Accuracy and Stability of Numerical Algorithms, theorem 10.3]. So if K - 32 ε t has factors, the exact K is definite.
#pragma once

#include "vectors.hpp"

namespace carom::kernel {
namespace {

/// Relative to Σ tr J |r|²: lower limit of the min eigenvalue of a definite K without mass.
template <class T>
inline constexpr T singular_margin = T(32) * epsilon<T>;

/// tr J |r|², which bounds the terms of [r]ᵀ J [r].
template <class B>
[[gnu::always_inline]] inline B turning_terms(const Symmetric3<B>& j, const Vector3<B>& r) {
  return (j.xx + j.yy + j.zz) * dot(r, r);
}

/// True if K - rounding is positive definite, by Cholesky's method. False for NaN.
template <class B>
[[gnu::always_inline]] inline auto stands_out(const Symmetric3<B>& k, B rounding) {
  const B zero(0), zz = k.zz - rounding, inverse = B(1) / zz, k1 = k.xz * inverse, k2 = k.yz * inverse;
  const B s11 = neg_mul_add(k1, k.xz, k.xx - rounding), s22 = neg_mul_add(k2, k.yz, k.yy - rounding);
  const B s12 = neg_mul_add(k1, k.yz, k.xy);
  return zz > zero && s11 > zero && s22 > zero && difference_of_products(s11, s22, s12, s12) > zero;
}

}  // namespace
}  // namespace carom::kernel
