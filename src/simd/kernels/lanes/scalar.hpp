// One lane: the scalar kernel, and scalar operations in the other kernels.
#pragma once

#include "lane_types.hpp"

namespace carom::kernel {
namespace {

/// A Number is the content of one lane.
template <class T>
concept Number = __is_same(T, float) || __is_same(T, double);

#ifdef CAROM_UNFUSED
/// x y + z, as the lanes of this ISA have it: with two roundings.
template <Number T>
inline T mul_add(T x, T y, T z) {
  return x * y + z;
}
#else
/// x y + z with one rounding.
inline float mul_add(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double mul_add(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
#endif
/// -x, also of zero; NaN keeps its bits. g++ makes -x y - z of the negative of x y + z, which differs in the sign of an
/// exact zero, unless the sign is an operation on integers.
inline float opposite(float x) {
  return __builtin_isnan(x) ? x : __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) ^ 0x8000'0000u);
}
inline double opposite(double x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return __builtin_isnan(x) ? x : __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) ^ sign);
}
template <Number T>
inline T mul_sub(T x, T y, T z) {
  return mul_add(x, y, opposite(z));
}
template <Number T>
inline T neg_mul_add(T x, T y, T z) {
  return mul_add(opposite(x), y, z);
}
inline float square_root(float x) {
  return __builtin_sqrtf(x);
}
inline double square_root(double x) {
  return __builtin_sqrt(x);
}
template <Number T>
inline T magnitude(T x) {
  return static_cast<T>(__builtin_fabs(x));
}
template <Number T>
inline bool is_nan(T x) {
  return __builtin_isnan(x);
}
template <Number T>
inline T choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}
inline bool differ(bool a, bool b) {
  return a != b;
}
inline bool and_not(bool a, bool b) {
  return a && !b;
}
inline unsigned lane_bits(bool mask) {
  return mask ? 1u : 0u;
}
template <Number B>
inline B load_lanes(const B* from) {
  return *from;
}
template <Number T>
inline void store_lanes(T* to, T x) {
  *to = x;
}
/// Bits of the lanes whose sign is set, also for NaN.
inline unsigned sign_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) >> 31;
}
inline unsigned sign_bits(double x) {
  return static_cast<unsigned>(__builtin_bit_cast(std::uint64_t, x) >> 63);
}

}  // namespace
}  // namespace carom::kernel
