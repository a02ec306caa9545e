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

inline xsimd::batch<float, Neon> mul_add(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                         xsimd::batch<float, Neon> z) {
  return vfmaq_f32(z, x, y);
}
inline xsimd::batch<double, Neon> mul_add(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                          xsimd::batch<double, Neon> z) {
  return vfmaq_f64(z, x, y);
}
inline xsimd::batch<float, Neon> mul_sub(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                         xsimd::batch<float, Neon> z) {
  return vfmaq_f32(vnegq_f32(z), x, y);
}
inline xsimd::batch<double, Neon> mul_sub(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                          xsimd::batch<double, Neon> z) {
  return vfmaq_f64(vnegq_f64(z), x, y);
}
inline xsimd::batch<float, Neon> neg_mul_add(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                             xsimd::batch<float, Neon> z) {
  return vfmsq_f32(z, x, y);
}
inline xsimd::batch<double, Neon> neg_mul_add(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                              xsimd::batch<double, Neon> z) {
  return vfmsq_f64(z, x, y);
}
/// xsimd 8.1 estimates the root of floats.
inline xsimd::batch<float, Neon> square_root(xsimd::batch<float, Neon> x) {
  return vsqrtq_f32(x);
}
inline unsigned lane_bits(xsimd::batch_bool<float, Neon> mask) {
  const uint32x4_t bit_of_lane = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(mask, bit_of_lane));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Neon> mask) {
  const uint64x2_t bit_of_lane = {1, 2};
  return static_cast<unsigned>(vaddvq_u64(vandq_u64(mask, bit_of_lane)));
}
inline xsimd::batch_bool<float, Neon> and_not(xsimd::batch_bool<float, Neon> a, xsimd::batch_bool<float, Neon> b) {
  return vbicq_u32(a, b);
}
inline xsimd::batch_bool<double, Neon> and_not(xsimd::batch_bool<double, Neon> a, xsimd::batch_bool<double, Neon> b) {
  return vbicq_u64(a, b);
}
inline xsimd::batch_bool<float, Neon> differ(xsimd::batch_bool<float, Neon> a, xsimd::batch_bool<float, Neon> b) {
  return veorq_u32(a, b);
}
inline xsimd::batch_bool<double, Neon> differ(xsimd::batch_bool<double, Neon> a, xsimd::batch_bool<double, Neon> b) {
  return veorq_u64(a, b);
}

inline unsigned sign_bits(xsimd::batch<float, Neon> x) {
  return lane_bits(xsimd::batch_bool<float, Neon>(vcltzq_s32(vreinterpretq_s32_f32(x))));
}
inline unsigned sign_bits(xsimd::batch<double, Neon> x) {
  return lane_bits(xsimd::batch_bool<double, Neon>(vcltzq_s64(vreinterpretq_s64_f64(x))));
}

}  // namespace
}  // namespace carom::kernel

#endif
