// Four numbers in the lanes of one vector for the points of a manifold, independent of the ISA's vector width. Not an
// xsimd type: a type for another ISA would be shared with that ISA's files.
#pragma once

#include "lanes.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#define CAROM_HAS_VEC4
namespace carom::kernel {
namespace {

template <class T>
struct VectorOfFour;
template <>
struct VectorOfFour<float> {
  using Type = __m128;
  using Signs [[gnu::vector_size(16)]] = std::int32_t;
};
template <>
struct VectorOfFour<double> {
  using Type = __m256d;
  using Signs [[gnu::vector_size(32)]] = std::int64_t;
};

template <class T>
struct Vec4Mask {
  typename VectorOfFour<T>::Signs signs;
};

template <class T>
struct Vec4 {
  using Register = typename VectorOfFour<T>::Type;
  Register v;

  Vec4() = default;
  explicit Vec4(T same) : v(same - Register{}) {}  // a sum would take the sign of a zero
  explicit Vec4(Register given) : v(given) {}
  static Vec4 load_unaligned(const T* from) {
    Vec4 q;
    __builtin_memcpy(&q.v, from, sizeof q.v);
    return q;
  }
};

template <class T>
struct VectorTraits<Vec4<T>> {
  using Element = T;
  static constexpr std::size_t width = 4;
};

template <class T>
inline void store_lanes(T* to, Vec4<T> x) {
  __builtin_memcpy(to, &x.v, sizeof x.v);
}
template <class T>
inline Vec4<T> operator+(Vec4<T> x, Vec4<T> y) {
  return Vec4<T>(x.v + y.v);
}
template <class T>
inline Vec4<T> operator-(Vec4<T> x, Vec4<T> y) {
  return Vec4<T>(x.v - y.v);
}
template <class T>
inline Vec4<T> operator*(Vec4<T> x, Vec4<T> y) {
  return Vec4<T>(x.v * y.v);
}
template <class T>
inline Vec4<T> operator/(Vec4<T> x, Vec4<T> y) {
  return Vec4<T>(x.v / y.v);
}
template <class T>
inline Vec4Mask<T> operator>(Vec4<T> x, Vec4<T> y) {
  return {x.v > y.v};
}
template <class T>
inline Vec4Mask<T> operator<(Vec4<T> x, Vec4<T> y) {
  return {x.v < y.v};
}
template <class T>
inline Vec4Mask<T> operator>=(Vec4<T> x, Vec4<T> y) {
  return {x.v >= y.v};
}
template <class T>
inline Vec4Mask<T> operator<=(Vec4<T> x, Vec4<T> y) {
  return {x.v <= y.v};
}
template <class T>
inline Vec4Mask<T> operator==(Vec4<T> x, Vec4<T> y) {
  return {x.v == y.v};
}
template <class T>
inline Vec4Mask<T> operator&&(Vec4Mask<T> x, Vec4Mask<T> y) {
  return {x.signs & y.signs};
}
template <class T>
inline Vec4Mask<T> and_not(Vec4Mask<T> x, Vec4Mask<T> y) {
  return {x.signs & ~y.signs};
}

// `larger` and `smaller` return the second operand if one is NaN, as `choose` does.
#define CAROM_OPERATIONS(T, prefix, type)                                                           \
  inline Vec4<T> mul_add(Vec4<T> x, Vec4<T> y, Vec4<T> z) {                                         \
    return Vec4<T>(prefix##_fmadd_##type(x.v, y.v, z.v));                                           \
  }                                                                                                 \
  inline Vec4<T> mul_sub(Vec4<T> x, Vec4<T> y, Vec4<T> z) {                                         \
    return Vec4<T>(prefix##_fmsub_##type(x.v, y.v, z.v));                                           \
  }                                                                                                 \
  inline Vec4<T> neg_mul_add(Vec4<T> x, Vec4<T> y, Vec4<T> z) {                                     \
    return Vec4<T>(prefix##_fnmadd_##type(x.v, y.v, z.v));                                          \
  }                                                                                                 \
  inline Vec4<T> square_root(Vec4<T> x) {                                                           \
    return Vec4<T>(prefix##_sqrt_##type(x.v));                                                      \
  }                                                                                                 \
  inline Vec4<T> larger(Vec4<T> x, Vec4<T> y) {                                                     \
    return Vec4<T>(prefix##_max_##type(x.v, y.v));                                                  \
  }                                                                                                 \
  inline Vec4<T> smaller(Vec4<T> x, Vec4<T> y) {                                                    \
    return Vec4<T>(prefix##_min_##type(x.v, y.v));                                                  \
  }                                                                                                 \
  inline Vec4<T> magnitude(Vec4<T> x) {                                                             \
    return Vec4<T>(prefix##_andnot_##type(Vec4<T>(T(-0.0)).v, x.v));                                \
  }                                                                                                 \
  inline unsigned lane_bits(Vec4Mask<T> mask) {                                                     \
    return static_cast<unsigned>(prefix##_movemask_##type((typename Vec4<T>::Register)mask.signs)); \
  }
CAROM_OPERATIONS(float, _mm, ps)
CAROM_OPERATIONS(double, _mm256, pd)
#undef CAROM_OPERATIONS

inline Vec4<float> choose(Vec4Mask<float> mask, Vec4<float> yes, Vec4<float> no) {
  return Vec4<float>(_mm_blendv_ps(no.v, yes.v, (__m128)mask.signs));
}
inline Vec4<double> choose(Vec4Mask<double> mask, Vec4<double> yes, Vec4<double> no) {
  return Vec4<double>(_mm256_blendv_pd(no.v, yes.v, (__m256d)mask.signs));
}

/// Lane j on all lanes.
template <int j, class T>
inline Vec4<T> broadcast(Vec4<T> x) {
  return Vec4<T>(__builtin_shufflevector(x.v, x.v, j, j, j, j));
}

}  // namespace
}  // namespace carom::kernel
#endif
