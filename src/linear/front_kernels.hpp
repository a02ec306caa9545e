// Dense arithmetic of fronts, in steps of three rows by three. Every number is computed in the same order however wide
// the compiler's vectors are.
#pragma once

#include <cstddef>

namespace carom::systems {

/// Three rows of `width` numbers at c, `stride` apart, lose l u, where l is 3 × 3 (`l_stride` from row to row) and u
/// three rows `u_stride` apart.
inline void subtract_product(double* __restrict c, std::size_t stride, const double* __restrict l, std::size_t l_stride,
                             const double* __restrict u, std::size_t u_stride, std::size_t width) {
  const double l00 = l[0], l01 = l[1], l02 = l[2];
  const double l10 = l[l_stride], l11 = l[l_stride + 1], l12 = l[l_stride + 2];
  const double l20 = l[2 * l_stride], l21 = l[2 * l_stride + 1], l22 = l[2 * l_stride + 2];
  double* __restrict c0 = c;
  double* __restrict c1 = c + stride;
  double* __restrict c2 = c + 2 * stride;
  const double* __restrict u0 = u;
  const double* __restrict u1 = u + u_stride;
  const double* __restrict u2 = u + 2 * u_stride;
  for (std::size_t j = 0; j < width; ++j) {
    const double a = u0[j], b = u1[j], d = u2[j];
    c0[j] -= l00 * a + l01 * b + l02 * d;
    c1[j] -= l10 * a + l11 * b + l12 * d;
    c2[j] -= l20 * a + l21 * b + l22 * d;
  }
}

/// to = factor · a b for 3 × 3 blocks.
inline void multiply(const double* a, const double* b, double factor, double* to) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      to[3 * i + j] = factor * (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]);
}

/// Replaces the 3 × 3 block at `a` by its inverse. Returns false if the block is singular or not finite.
bool invert(double* a, std::size_t stride);

}  // namespace carom::systems
