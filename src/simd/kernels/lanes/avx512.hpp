// AVX-512.
#pragma once

#include "lane_types.hpp"

#if XSIMD_WITH_AVX512BW
namespace carom::kernel {
namespace {

using Avx512 = xsimd::avx512bw;

/// xsimd 8.1 does not fuse its fma here, and its exclusive or of masks is an or.
#define CAROM_OPERATIONS(T, type, bits)                                                            \
  inline xsimd::batch<T, Avx512> mul_add(xsimd::batch<T, Avx512> x, xsimd::batch<T, Avx512> y,     \
                                         xsimd::batch<T, Avx512> z) {                              \
    return _mm512_fmadd_##type(x, y, z);                                                           \
  }                                                                                                \
  inline xsimd::batch<T, Avx512> mul_sub(xsimd::batch<T, Avx512> x, xsimd::batch<T, Avx512> y,     \
                                         xsimd::batch<T, Avx512> z) {                              \
    return _mm512_fmsub_##type(x, y, z);                                                           \
  }                                                                                                \
  inline xsimd::batch<T, Avx512> neg_mul_add(xsimd::batch<T, Avx512> x, xsimd::batch<T, Avx512> y, \
                                             xsimd::batch<T, Avx512> z) {                          \
    return _mm512_fnmadd_##type(x, y, z);                                                          \
  }                                                                                                \
  inline xsimd::batch<T, Avx512> larger(xsimd::batch<T, Avx512> a, xsimd::batch<T, Avx512> b) {    \
    return _mm512_max_##type(a, b);                                                                \
  }                                                                                                \
  inline xsimd::batch<T, Avx512> smaller(xsimd::batch<T, Avx512> a, xsimd::batch<T, Avx512> b) {   \
    return _mm512_min_##type(a, b);                                                                \
  }                                                                                                \
  inline unsigned sign_bits(xsimd::batch<T, Avx512> x) {                                           \
    return static_cast<unsigned>(_mm512_movepi##bits##_mask(_mm512_cast##type##_si512(x)));        \
  }
CAROM_OPERATIONS(float, ps, 32)
CAROM_OPERATIONS(double, pd, 64)
#undef CAROM_OPERATIONS

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

}  // namespace
}  // namespace carom::kernel

#endif
