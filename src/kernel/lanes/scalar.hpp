// One lane: the scalar kernel, and what every other kernel does contact by contact.
#pragma once

#include "lane_types.hpp"

namespace carom::kernel {
namespace {

#ifdef CAROM_UNFUSED
/// x y + z, x y - z and z - x y, as the lanes of this ISA have them: with two roundings.
inline float mul_add(float x, float y, float z) {
  return x * y + z;
}
inline double mul_add(double x, double y, double z) {
  return x * y + z;
}
inline float mul_sub(float x, float y, float z) {
  return x * y - z;
}
inline double mul_sub(double x, double y, double z) {
  return x * y - z;
}
inline float neg_mul_add(float x, float y, float z) {
  return z - x * y;
}
inline double neg_mul_add(double x, double y, double z) {
  return z - x * y;
}
#else
/// x y + z, x y - z and z - x y with one rounding.
inline float mul_add(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double mul_add(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
inline float mul_sub(float x, float y, float z) {
  return __builtin_fmaf(x, y, -z);
}
inline double mul_sub(double x, double y, double z) {
  return __builtin_fma(x, y, -z);
}
inline float neg_mul_add(float x, float y, float z) {
  return __builtin_fmaf(-x, y, z);
}
inline double neg_mul_add(double x, double y, double z) {
  return __builtin_fma(-x, y, z);
}
#endif
inline float square_root(float x) {
  return __builtin_sqrtf(x);
}
inline double square_root(double x) {
  return __builtin_sqrt(x);
}
inline float magnitude(float x) {
  return __builtin_fabsf(x);
}
inline double magnitude(double x) {
  return __builtin_fabs(x);
}
inline bool is_nan(float x) {
  return __builtin_isnan(x);
}
inline bool is_nan(double x) {
  return __builtin_isnan(x);
}
inline float choose(bool condition, float yes, float no) {
  return condition ? yes : no;
}
inline double choose(bool condition, double yes, double no) {
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
template <class B>
inline B load_lanes(const float* from) requires(sizeof(B) == sizeof(float)) {
  return *from;
}
template <class B>
inline B load_lanes(const double* from) requires(sizeof(B) == sizeof(double)) {
  return *from;
}
inline void store_lanes(float* to, float x) {
  *to = x;
}
inline void store_lanes(double* to, double x) {
  *to = x;
}
/// The lanes whose sign is set, a bit each, whatever number or none they hold.
inline unsigned sign_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) >> 31;
}
inline unsigned sign_bits(double x) {
  return static_cast<unsigned>(__builtin_bit_cast(std::uint64_t, x) >> 63);
}

}  // namespace
}  // namespace carom::kernel
