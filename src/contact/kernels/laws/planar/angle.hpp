// Sine and cosine of an angle in [-π, π], the same bits on every ISA.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// The direction at an angle from the normal: x its sine, y its cosine. By quarter turns to [-π/4, π/4], where Taylor's
/// polynomials of degree 15 and 16 are off by 1e-16 of a unit at most.
template <class T, class B>
inline Vector2<B> direction_at(B angle) {
  const B zero(0), one(1);
  // π/2 in two pieces, so that a multiple of the first is exact.
  constexpr bool single = sizeof(T) == sizeof(float);
  constexpr double half_pi = 1.5707963267948966, rest = 6.123233995736766e-17;
  constexpr T high = static_cast<T>(half_pi);
  constexpr T low = single ? static_cast<T>(half_pi - static_cast<double>(high)) : static_cast<T>(rest);
  const B size = magnitude(angle);
  const auto odd = size > B(T(0.78539816339744831));
  const auto half = size > B(T(2.3561944901923449));
  const B turns = choose(half, B(2), choose(odd, one, zero));
  const B r = neg_mul_add(turns, B(low), neg_mul_add(turns, B(high), size));
  const B r2 = r * r;
  const double sine_series[] = {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
  const double cosine_series[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                  1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -1.0 / 2};
  B sine = zero, cosine = zero;
  for (const double term : sine_series) sine = mul_add(sine, r2, B(static_cast<T>(term)));
  for (const double term : cosine_series) cosine = mul_add(cosine, r2, B(static_cast<T>(term)));
  sine = mul_add(sine * r2, r, r);
  cosine = mul_add(cosine, r2, one);
  const B turned_sine = choose(half, negated(sine), choose(odd, cosine, sine));
  const B turned_cosine = choose(half, negated(cosine), choose(odd, negated(sine), cosine));
  return {choose(angle < zero, negated(turned_sine), turned_sine), turned_cosine};
}

}  // namespace
}  // namespace carom::kernel
