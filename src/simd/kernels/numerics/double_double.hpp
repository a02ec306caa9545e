// Sums of products in twice the precision of the lanes, for sums that would cancel in the precision of the lanes.
//
// T. Ogita, S. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26, 2005.
#pragma once

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

/// A number as the sum of two, the second about the rounding of the first.
template <class B>
struct DoubleDouble {
  B high, low;

  B value() const { return high + low; }
};

template <class B>
inline DoubleDouble<B> double_double_product(B a, B b) {
  const B product = a * b;
  return {product, rounding_of_product(a, b, product)};
}

template <class B>
inline DoubleDouble<B> double_double_product(const DoubleDouble<B>& a, B b) {
  const B product = a.high * b;
  return {product, mul_add(a.low, b, rounding_of_product(a.high, b, product))};
}

template <class B>
inline DoubleDouble<B> operator+(const DoubleDouble<B>& a, const DoubleDouble<B>& b) {
  const B sum = a.high + b.high, part = sum - a.high;
  return {sum, ((a.high - (sum - part)) + (b.high - part)) + (a.low + b.low)};
}

template <class B>
inline DoubleDouble<B> operator-(const DoubleDouble<B>& a, const DoubleDouble<B>& b) {
  return a + DoubleDouble<B>{negated(b.high), negated(b.low)};
}

}  // namespace
}  // namespace carom::kernel
