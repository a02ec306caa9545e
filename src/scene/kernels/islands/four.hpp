// Four doubles: the points of a manifold as lanes, on ISAs with vectors of any width. No operation is fused, so that
// bits do not depend on the ISA.
#pragma once

#include <cstdint>

namespace carom::kernel {
namespace {

struct FourLanes {
  using Four [[gnu::vector_size(32)]] = double;
  using Truth [[gnu::vector_size(32)]] = std::int64_t;
  struct Vector {
    Four x, y, z;
  };

  [[gnu::always_inline]] static Four load(const double (&from)[4]) {
    Four x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static Vector load(const double (&from)[3][4]) {
    return {load(from[0]), load(from[1]), load(from[2])};
  }
  [[gnu::always_inline]] static void store(double (&to)[4], const Four& x) { __builtin_memcpy(to, &x, sizeof x); }
  [[gnu::always_inline]] static void store(double (&to)[3][4], const Vector& v) {
    store(to[0], v.x);
    store(to[1], v.y);
    store(to[2], v.z);
  }

  [[gnu::always_inline]] static double sum(const Four& x) { return (x[0] + x[1]) + (x[2] + x[3]); }
  /// The sums of the lanes of x, y and z, and 0.
  [[gnu::always_inline]] static Four sums(const Vector& v) {
    const Four zero{};
    const Four xy = __builtin_shufflevector(v.x, v.y, 0, 4, 2, 6) + __builtin_shufflevector(v.x, v.y, 1, 5, 3, 7);
    const Four z = __builtin_shufflevector(v.z, zero, 0, 4, 2, 6) + __builtin_shufflevector(v.z, zero, 1, 5, 3, 7);
    return __builtin_shufflevector(xy, z, 0, 1, 4, 5) + __builtin_shufflevector(xy, z, 2, 3, 6, 7);
  }
  [[gnu::always_inline]] static bool any(const Truth& x) { return ((x[0] | x[1]) | (x[2] | x[3])) != 0; }
  [[gnu::always_inline]] static Four larger(const Four& x, const Four& y) { return x > y ? x : y; }
  [[gnu::always_inline]] static Four smaller(const Four& x, const Four& y) { return x < y ? x : y; }
  [[gnu::always_inline]] static Four magnitude(const Four& x) { return x < 0 ? -x : x; }
  [[gnu::always_inline]] static Four root(const Four& x) {
    return Four{__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]), __builtin_sqrt(x[3])};
  }
  [[gnu::always_inline]] static double largest(const Four& x) {
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
  }

  [[gnu::always_inline]] static Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  [[gnu::always_inline]] static Vector cross(const double* a, const Vector& b) {
    return {a[1] * b.z - a[2] * b.y, a[2] * b.x - a[0] * b.z, a[0] * b.y - a[1] * b.x};
  }
  [[gnu::always_inline]] static Four dot(const Vector& a, const double (&b)[3]) {
    return (a.x * b[0] + a.y * b[1]) + a.z * b[2];
  }
};

}  // namespace
}  // namespace carom::kernel
