// Exponentials and logarithms with the same bits on every ISA, to a few units of rounding.
#pragma once

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class T>
struct LogOfTwo;
template <>
struct LogOfTwo<float> {
  static constexpr float high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f, inverse = 0x1.715476p+0f, magic = 0x1.8p23f;
  static constexpr int exponential_terms = 8, logarithm_terms = 6;
};
template <>
struct LogOfTwo<double> {
  static constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33, inverse = 0x1.71547652b82fep+0,
                          magic = 0x1.8p52;
  static constexpr int exponential_terms = 14, logarithm_terms = 12;
};

/// Returns e^x for x <= 0. Below x = -60 the result is e^-60.
template <class T, class B>
inline B exponential(B x) {
  using Log = LogOfTwo<T>;
  const B bounded = larger(x, B(-60));
  const B k = mul_add(bounded, B(Log::inverse), B(Log::magic)) - B(Log::magic);
  const B r = neg_mul_add(k, B(Log::low), neg_mul_add(k, B(Log::high), bounded));
  B sum(1);
  for (int m = Log::exponential_terms; m >= 1; --m) sum = mul_add(sum * r, B(T(1) / static_cast<T>(m)), B(1));
  return sum * approximate_exp2<T>(k);
}

/// ln(1 + x) / x for x > -1.
template <class T, class B>
inline B logarithm_ratio(B x) {
  using Log = LogOfTwo<T>;
  const B zero(0), one(1), sum = one + x;
  // scale: power of two for which sum / scale is between √½ and √2.
  const B scale = binade_of(sum * B(T(1.4142135))).scale, inverse = one / scale, k = approximate_log2<T>(scale);
  const B f = mul_sub(sum, inverse, one), s = f / (B(2) + f), square = s * s;
  B series(zero);
  for (int m = Log::logarithm_terms; m >= 1; --m) series = mul_add(series, square, B(T(1) / static_cast<T>(2 * m + 1)));
  const B of_fraction = B(2) * mul_add(series * square, s, s);
  // Rounding error of the sum 1 + x, relative to it.
  const B lost = (x - (sum - one)) / sum;
  const B log = mul_add(k, B(Log::high), of_fraction + mul_add(k, B(Log::low), lost));
  return choose(magnitude(x) < B(epsilon<T>), one, log / choose(x == zero, one, x));
}

}  // namespace
}  // namespace carom::kernel
