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
inline unsigned lane_bits(xsimd::batch_bool<float, Sse2> mask) {
  return static_cast<unsigned>(_mm_movemask_ps(mask));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Sse2> mask) {
  return static_cast<unsigned>(_mm_movemask_pd(mask));
}
inline xsimd::batch_bool<float, Sse2> and_not(xsimd::batch_bool<float, Sse2> a, xsimd::batch_bool<float, Sse2> b) {
  return _mm_andnot_ps(b, a);
}
inline xsimd::batch_bool<double, Sse2> and_not(xsimd::batch_bool<double, Sse2> a, xsimd::batch_bool<double, Sse2> b) {
  return _mm_andnot_pd(b, a);
}
inline xsimd::batch_bool<float, Sse2> differ(xsimd::batch_bool<float, Sse2> a, xsimd::batch_bool<float, Sse2> b) {
  return _mm_xor_ps(a, b);
}
inline xsimd::batch_bool<double, Sse2> differ(xsimd::batch_bool<double, Sse2> a, xsimd::batch_bool<double, Sse2> b) {
  return _mm_xor_pd(a, b);
}

inline unsigned sign_bits(xsimd::batch<float, Sse2> x) {
  return static_cast<unsigned>(_mm_movemask_ps(x));
}
inline unsigned sign_bits(xsimd::batch<double, Sse2> x) {
  return static_cast<unsigned>(_mm_movemask_pd(x));
}

}  // namespace
}  // namespace carom::kernel

#endif
