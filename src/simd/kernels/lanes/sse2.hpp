// SSE2, which has no fused multiply-add.
#pragma once

#include "lane_types.hpp"

#if XSIMD_WITH_SSE2 && defined(CAROM_UNFUSED)
namespace carom::kernel {
namespace {

using Sse2 = xsimd::sse2;

template <class T>
inline xsimd::batch<T, Sse2> mul_add(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return x * y + z;
}
template <class T>
inline xsimd::batch<T, Sse2> mul_sub(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return x * y - z;
}
template <class T>
inline xsimd::batch<T, Sse2> neg_mul_add(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return z - x * y;
}

#define CAROM_OPERATIONS(T, type)                                                                         \
  inline xsimd::batch_bool<T, Sse2> and_not(xsimd::batch_bool<T, Sse2> a, xsimd::batch_bool<T, Sse2> b) { \
    return _mm_andnot_##type(b, a);                                                                       \
  }                                                                                                       \
  inline xsimd::batch_bool<T, Sse2> differ(xsimd::batch_bool<T, Sse2> a, xsimd::batch_bool<T, Sse2> b) {  \
    return _mm_xor_##type(a, b);                                                                          \
  }                                                                                                       \
  inline unsigned lane_bits(xsimd::batch_bool<T, Sse2> mask) {                                            \
    return static_cast<unsigned>(_mm_movemask_##type(mask));                                              \
  }                                                                                                       \
  inline unsigned sign_bits(xsimd::batch<T, Sse2> x) {                                                    \
    return static_cast<unsigned>(_mm_movemask_##type(x));                                                 \
  }
CAROM_OPERATIONS(float, ps)
CAROM_OPERATIONS(double, pd)
#undef CAROM_OPERATIONS

}  // namespace
}  // namespace carom::kernel

#endif
