// Polynomials on lanes: values, roots, and the size of the step on which one has converged.
#pragma once

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

/// The even and the odd powers apart, by Horner's rule: two short chains instead of a long one.
template <int degree, class B>
inline B value(const B* c, B h) {
  const B h2 = h * h;
  B even = c[degree - degree % 2], odd = c[degree - 1 + degree % 2];
  CAROM_UNROLL
  for (int i = degree - degree % 2 - 2; i >= 0; i -= 2) even = mul_add(even, h2, c[i]);
  CAROM_UNROLL
  for (int i = degree - 3 + degree % 2; i >= 1; i -= 2) odd = mul_add(odd, h2, c[i]);
  return mul_add(odd, h, even);
}

template <int degree, class B>
inline void value_and_slope(const B* c, B h, B& sum, B& slope) {
  const B h2 = h * h;
  B even = c[degree - degree % 2], odd = c[degree - 1 + degree % 2], even_slope = B(0), odd_slope = B(0);
  CAROM_UNROLL
  for (int i = degree - degree % 2 - 2; i >= 0; i -= 2) {
    even_slope = mul_add(even_slope, h2, even);
    even = mul_add(even, h2, c[i]);
  }
  CAROM_UNROLL
  for (int i = degree - 3 + degree % 2; i >= 1; i -= 2) {
    odd_slope = mul_add(odd_slope, h2, odd);
    odd = mul_add(odd, h2, c[i]);
  }
  sum = mul_add(odd, h, even);
  slope = mul_add(h + h, mul_add(odd_slope, h, even_slope), odd);
}

/// Finds where a polynomial that rises through `goal` on [low, high] reaches it, in the `wanted` lanes. Newton's method
/// with bisection as a safeguard. The result of a lane does not depend on the other lanes.
template <int degree, class T, class B, class M>
[[gnu::noinline]] inline B rising_root(const B* c, B goal, B low, B high, B guess, M wanted) {
  // Newton's method squares the error in each step, so a change this small is the last significant one.
  const B enough(sizeof(T) == sizeof(float) ? T(0x1p-13) : T(0x1p-27));
  const B ulps(epsilon<T>);
  const B start = low;
  B root = larger(smaller(guess, high), low);
  // The lower orders give a good start: on steps where the series converges, the higher ones hardly matter.
  constexpr int rough = degree * 5 / 8;
  for (int iteration = 0; iteration < 2; ++iteration) {
    B sum, slope;
    value_and_slope<rough>(c, root, sum, slope);
    const B newton = root - (sum - goal) / slope;
    root = choose(newton >= low && newton <= high, newton, root);
  }
  M moving = wanted;
  for (int iteration = 0; iteration < 60 && lane_bits(moving) != 0; ++iteration) {
    B sum, slope;
    value_and_slope<degree>(c, root, sum, slope);
    const B residual = sum - goal;
    const M above = residual >= B(0);
    high = choose(above, root, high);
    low = choose(above, low, root);
    const B newton = root - residual / slope;
    const B next = choose(newton >= low && newton <= high, newton, B(T(0.5)) * (low + high));
    const B change = magnitude(next - root);
    root = choose(moving, next, root);
    moving = moving && change > enough * (root - start) && high - low > ulps * high;
  }
  return root;
}

/// h such that |c| h^degree is about 2^log2_tolerance, within the error of a logarithm that is linear between powers of
/// two: a factor of 2^±0.09/degree.
template <int degree, class T, class B>
inline B converged_step(B c, T log2_tolerance) {
  const B log2_h = (B(log2_tolerance) - approximate_log2<T>(c)) * B(T(1) / T(degree));
  // Beyond these no step is needed that is as large, or as small.
  return approximate_exp2<T>(larger(smaller(log2_h, B(T(60))), B(T(-60))));
}

}  // namespace
}  // namespace carom::kernel
