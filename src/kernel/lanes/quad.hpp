// Four numbers on the lanes of one vector, whatever the width of the ISA's own vectors: the points of a manifold. Here
// because the types of xsimd for other ISAs than the one of this file would be shared with those files.
#pragma once

#include "lanes.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#define CAROM_HAS_QUAD
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
struct QuadMask {
  typename VectorOfFour<T>::Signs signs;
};

template <class T>
struct Quad {
  using Register = typename VectorOfFour<T>::Type;
  Register v;

  Quad() = default;
  explicit Quad(T same) : v(same - Register{}) {}  // a sum would take the sign of a zero
  explicit Quad(Register given) : v(given) {}
  static Quad load_unaligned(const T* from) {
    Quad q;
    __builtin_memcpy(&q.v, from, sizeof q.v);
    return q;
  }
};

template <class T>
struct VectorTraits<Quad<T>> {
  using Element = T;
  static constexpr std::size_t width = 4;
};

template <class T>
inline void store_lanes(T* to, Quad<T> x) {
  __builtin_memcpy(to, &x.v, sizeof x.v);
}
template <class T>
inline Quad<T> operator+(Quad<T> x, Quad<T> y) {
  return Quad<T>(x.v + y.v);
}
template <class T>
inline Quad<T> operator-(Quad<T> x, Quad<T> y) {
  return Quad<T>(x.v - y.v);
}
template <class T>
inline Quad<T> operator*(Quad<T> x, Quad<T> y) {
  return Quad<T>(x.v * y.v);
}
template <class T>
inline Quad<T> operator/(Quad<T> x, Quad<T> y) {
  return Quad<T>(x.v / y.v);
}
template <class T>
inline QuadMask<T> operator>(Quad<T> x, Quad<T> y) {
  return {x.v > y.v};
}
template <class T>
inline QuadMask<T> operator<(Quad<T> x, Quad<T> y) {
  return {x.v < y.v};
}
template <class T>
inline QuadMask<T> operator>=(Quad<T> x, Quad<T> y) {
  return {x.v >= y.v};
}
template <class T>
inline QuadMask<T> operator<=(Quad<T> x, Quad<T> y) {
  return {x.v <= y.v};
}
template <class T>
inline QuadMask<T> operator==(Quad<T> x, Quad<T> y) {
  return {x.v == y.v};
}
template <class T>
inline QuadMask<T> operator&&(QuadMask<T> x, QuadMask<T> y) {
  return {x.signs & y.signs};
}
template <class T>
inline QuadMask<T> and_not(QuadMask<T> x, QuadMask<T> y) {
  return {x.signs & ~y.signs};
}

// The larger and the smaller give the second operand where one is no number, as `choose` does.
#define CAROM_OPERATIONS(T, prefix, type)                                                           \
  inline Quad<T> mul_add(Quad<T> x, Quad<T> y, Quad<T> z) {                                         \
    return Quad<T>(prefix##_fmadd_##type(x.v, y.v, z.v));                                           \
  }                                                                                                 \
  inline Quad<T> mul_sub(Quad<T> x, Quad<T> y, Quad<T> z) {                                         \
    return Quad<T>(prefix##_fmsub_##type(x.v, y.v, z.v));                                           \
  }                                                                                                 \
  inline Quad<T> neg_mul_add(Quad<T> x, Quad<T> y, Quad<T> z) {                                     \
    return Quad<T>(prefix##_fnmadd_##type(x.v, y.v, z.v));                                          \
  }                                                                                                 \
  inline Quad<T> square_root(Quad<T> x) {                                                           \
    return Quad<T>(prefix##_sqrt_##type(x.v));                                                      \
  }                                                                                                 \
  inline Quad<T> larger(Quad<T> x, Quad<T> y) {                                                     \
    return Quad<T>(prefix##_max_##type(x.v, y.v));                                                  \
  }                                                                                                 \
  inline Quad<T> smaller(Quad<T> x, Quad<T> y) {                                                    \
    return Quad<T>(prefix##_min_##type(x.v, y.v));                                                  \
  }                                                                                                 \
  inline Quad<T> magnitude(Quad<T> x) {                                                             \
    return Quad<T>(prefix##_andnot_##type(Quad<T>(T(-0.0)).v, x.v));                                \
  }                                                                                                 \
  inline unsigned lane_bits(QuadMask<T> mask) {                                                     \
    return static_cast<unsigned>(prefix##_movemask_##type((typename Quad<T>::Register)mask.signs)); \
  }
CAROM_OPERATIONS(float, _mm, ps)
CAROM_OPERATIONS(double, _mm256, pd)
#undef CAROM_OPERATIONS

inline Quad<float> choose(QuadMask<float> mask, Quad<float> yes, Quad<float> no) {
  return Quad<float>(_mm_blendv_ps(no.v, yes.v, (__m128)mask.signs));
}
inline Quad<double> choose(QuadMask<double> mask, Quad<double> yes, Quad<double> no) {
  return Quad<double>(_mm256_blendv_pd(no.v, yes.v, (__m256d)mask.signs));
}

/// Lane j on all lanes.
template <int j, class T>
inline Quad<T> broadcast(Quad<T> x) {
  return Quad<T>(__builtin_shufflevector(x.v, x.v, j, j, j, j));
}

}  // namespace
}  // namespace carom::kernel
#endif
