// NEON of AArch64.
#pragma once

#include "lane_types.hpp"

#if XSIMD_WITH_NEON64
/// xsimd 8.1 divides floats by an estimate of the reciprocal, as 32-bit ARM has to.
template <>
inline xsimd::batch<float, xsimd::neon64>& xsimd::batch<float, xsimd::neon64>::operator/=(
    const xsimd::batch<float, xsimd::neon64>& other) noexcept {
  return *this = vdivq_f32(*this, other);
}

namespace carom::kernel {
namespace {

using Neon = xsimd::neon64;

inline unsigned lane_bits(xsimd::batch_bool<float, Neon> mask) {
  const uint32x4_t bit_of_lane = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(mask, bit_of_lane));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Neon> mask) {
  const uint64x2_t bit_of_lane = {1, 2};
  return static_cast<unsigned>(vaddvq_u64(vandq_u64(mask, bit_of_lane)));
}

// xsimd 8.1 estimates the root of floats.
#define CAROM_OPERATIONS(T, bits)                                                                                   \
  inline xsimd::batch<T, Neon> mul_add(xsimd::batch<T, Neon> x, xsimd::batch<T, Neon> y, xsimd::batch<T, Neon> z) { \
    return vfmaq_f##bits(z, x, y);                                                                                  \
  }                                                                                                                 \
  inline xsimd::batch<T, Neon> mul_sub(xsimd::batch<T, Neon> x, xsimd::batch<T, Neon> y, xsimd::batch<T, Neon> z) { \
    return vfmaq_f##bits(vnegq_f##bits(z), x, y);                                                                   \
  }                                                                                                                 \
  inline xsimd::batch<T, Neon> neg_mul_add(xsimd::batch<T, Neon> x, xsimd::batch<T, Neon> y,                        \
                                           xsimd::batch<T, Neon> z) {                                               \
    return vfmsq_f##bits(z, x, y);                                                                                  \
  }                                                                                                                 \
  inline xsimd::batch<T, Neon> square_root(xsimd::batch<T, Neon> x) {                                               \
    return vsqrtq_f##bits(x);                                                                                       \
  }                                                                                                                 \
  inline xsimd::batch_bool<T, Neon> and_not(xsimd::batch_bool<T, Neon> a, xsimd::batch_bool<T, Neon> b) {           \
    return vbicq_u##bits(a, b);                                                                                     \
  }                                                                                                                 \
  inline xsimd::batch_bool<T, Neon> differ(xsimd::batch_bool<T, Neon> a, xsimd::batch_bool<T, Neon> b) {            \
    return veorq_u##bits(a, b);                                                                                     \
  }                                                                                                                 \
  inline unsigned sign_bits(xsimd::batch<T, Neon> x) {                                                              \
    return lane_bits(xsimd::batch_bool<T, Neon>(vcltzq_s##bits(vreinterpretq_s##bits##_f##bits(x))));               \
  }
CAROM_OPERATIONS(float, 32)
CAROM_OPERATIONS(double, 64)
#undef CAROM_OPERATIONS

}  // namespace
}  // namespace carom::kernel

#endif
