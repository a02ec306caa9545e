// AVX2 with FMA3.
#pragma once

#include "lane_types.hpp"

#if XSIMD_WITH_FMA3_AVX2
namespace carom::kernel {
namespace {

using Avx2 = xsimd::fma3<xsimd::avx2>;

template <class T>
inline xsimd::batch<T, Avx2> mul_add(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fma(x, y, z);
}
template <class T>
inline xsimd::batch<T, Avx2> mul_sub(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fms(x, y, z);
}
template <class T>
inline xsimd::batch<T, Avx2> neg_mul_add(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fnma(x, y, z);
}

// `larger` and `smaller` take one instruction. It returns the second operand if one is NaN, as `choose` does.
#define CAROM_OPERATIONS(T, type)                                                                         \
  inline xsimd::batch_bool<T, Avx2> and_not(xsimd::batch_bool<T, Avx2> a, xsimd::batch_bool<T, Avx2> b) { \
    return _mm256_andnot_##type(b, a);                                                                    \
  }                                                                                                       \
  inline xsimd::batch_bool<T, Avx2> differ(xsimd::batch_bool<T, Avx2> a, xsimd::batch_bool<T, Avx2> b) {  \
    return _mm256_xor_##type(a, b);                                                                       \
  }                                                                                                       \
  inline unsigned lane_bits(xsimd::batch_bool<T, Avx2> mask) {                                            \
    return static_cast<unsigned>(_mm256_movemask_##type(mask));                                           \
  }                                                                                                       \
  inline xsimd::batch<T, Avx2> larger(xsimd::batch<T, Avx2> a, xsimd::batch<T, Avx2> b) {                 \
    return _mm256_max_##type(a, b);                                                                       \
  }                                                                                                       \
  inline xsimd::batch<T, Avx2> smaller(xsimd::batch<T, Avx2> a, xsimd::batch<T, Avx2> b) {                \
    return _mm256_min_##type(a, b);                                                                       \
  }                                                                                                       \
  inline unsigned sign_bits(xsimd::batch<T, Avx2> x) {                                                    \
    return static_cast<unsigned>(_mm256_movemask_##type(x));                                              \
  }
CAROM_OPERATIONS(float, ps)
CAROM_OPERATIONS(double, pd)
#undef CAROM_OPERATIONS

}  // namespace
}  // namespace carom::kernel

#endif
