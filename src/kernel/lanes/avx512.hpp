// AVX-512.
#pragma once

#include "lane_types.hpp"

#if XSIMD_WITH_AVX512BW
namespace carom::kernel {
namespace {

using Avx512 = xsimd::avx512bw;

// xsimd 8.1 does not fuse its fma here, and its exclusive or of masks is an or.
inline xsimd::batch<float, Avx512> mul_add(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                           xsimd::batch<float, Avx512> z) {
  return _mm512_fmadd_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> mul_add(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                            xsimd::batch<double, Avx512> z) {
  return _mm512_fmadd_pd(x, y, z);
}
inline xsimd::batch<float, Avx512> mul_sub(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                           xsimd::batch<float, Avx512> z) {
  return _mm512_fmsub_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> mul_sub(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                            xsimd::batch<double, Avx512> z) {
  return _mm512_fmsub_pd(x, y, z);
}
inline xsimd::batch<float, Avx512> neg_mul_add(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                               xsimd::batch<float, Avx512> z) {
  return _mm512_fnmadd_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> neg_mul_add(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                                xsimd::batch<double, Avx512> z) {
  return _mm512_fnmadd_pd(x, y, z);
}
template <class T>
inline unsigned lane_bits(xsimd::batch_bool<T, Avx512> mask) {
  return static_cast<unsigned>(mask.data);
}
template <class T>
inline xsimd::batch_bool<T, Avx512> differ(xsimd::batch_bool<T, Avx512> a, xsimd::batch_bool<T, Avx512> b) {
  using Register = typename xsimd::batch_bool<T, Avx512>::register_type;
  return xsimd::batch_bool<T, Avx512>(static_cast<Register>(a.data ^ b.data));
}
template <class T>
inline xsimd::batch_bool<T, Avx512> and_not(xsimd::batch_bool<T, Avx512> a, xsimd::batch_bool<T, Avx512> b) {
  using Register = typename xsimd::batch_bool<T, Avx512>::register_type;
  return xsimd::batch_bool<T, Avx512>(static_cast<Register>(a.data & ~b.data));
}

inline xsimd::batch<float, Avx512> larger(xsimd::batch<float, Avx512> a, xsimd::batch<float, Avx512> b) {
  return _mm512_max_ps(a, b);
}
inline xsimd::batch<double, Avx512> larger(xsimd::batch<double, Avx512> a, xsimd::batch<double, Avx512> b) {
  return _mm512_max_pd(a, b);
}
inline xsimd::batch<float, Avx512> smaller(xsimd::batch<float, Avx512> a, xsimd::batch<float, Avx512> b) {
  return _mm512_min_ps(a, b);
}
inline xsimd::batch<double, Avx512> smaller(xsimd::batch<double, Avx512> a, xsimd::batch<double, Avx512> b) {
  return _mm512_min_pd(a, b);
}

inline unsigned sign_bits(xsimd::batch<float, Avx512> x) {
  return static_cast<unsigned>(_mm512_movepi32_mask(_mm512_castps_si512(x)));
}
inline unsigned sign_bits(xsimd::batch<double, Avx512> x) {
  return static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(x)));
}

}  // namespace
}  // namespace carom::kernel

#endif
