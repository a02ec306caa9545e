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
template <class T>
inline xsimd::batch_bool<T, Avx2> differ(xsimd::batch_bool<T, Avx2> a, xsimd::batch_bool<T, Avx2> b) {
  return a != b;
}
inline xsimd::batch_bool<float, Avx2> and_not(xsimd::batch_bool<float, Avx2> a, xsimd::batch_bool<float, Avx2> b) {
  return _mm256_andnot_ps(b, a);
}
inline xsimd::batch_bool<double, Avx2> and_not(xsimd::batch_bool<double, Avx2> a, xsimd::batch_bool<double, Avx2> b) {
  return _mm256_andnot_pd(b, a);
}
inline unsigned lane_bits(xsimd::batch_bool<float, Avx2> mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(mask));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Avx2> mask) {
  return static_cast<unsigned>(_mm256_movemask_pd(mask));
}

// In one instruction, which takes the second operand where one is no number, as `choose` does.
inline xsimd::batch<float, Avx2> larger(xsimd::batch<float, Avx2> a, xsimd::batch<float, Avx2> b) {
  return _mm256_max_ps(a, b);
}
inline xsimd::batch<double, Avx2> larger(xsimd::batch<double, Avx2> a, xsimd::batch<double, Avx2> b) {
  return _mm256_max_pd(a, b);
}
inline xsimd::batch<float, Avx2> smaller(xsimd::batch<float, Avx2> a, xsimd::batch<float, Avx2> b) {
  return _mm256_min_ps(a, b);
}
inline xsimd::batch<double, Avx2> smaller(xsimd::batch<double, Avx2> a, xsimd::batch<double, Avx2> b) {
  return _mm256_min_pd(a, b);
}

inline unsigned sign_bits(xsimd::batch<float, Avx2> x) {
  return static_cast<unsigned>(_mm256_movemask_ps(x));
}
inline unsigned sign_bits(xsimd::batch<double, Avx2> x) {
  return static_cast<unsigned>(_mm256_movemask_pd(x));
}

}  // namespace
}  // namespace carom::kernel

#endif
