// Vectors and symmetric matrices of two and three dimensions, in lanes.
#pragma once

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct Vector2 {
  B x, y;
};
template <class B>
struct Vector3 {
  B x, y, z;
};
template <class B>
struct Symmetric2 {
  B xx, xy, yy;
};
template <class B>
struct Symmetric3 {
  B xx, xy, xz, yy, yz, zz;
};

template <class B>
inline B dot(const Vector2<B>& a, const Vector2<B>& b) {
  return mul_add(a.x, b.x, a.y * b.y);
}
template <class B>
inline B dot(const Vector3<B>& a, const Vector3<B>& b) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z));
}

template <class B>
inline B cross(const Vector2<B>& a, const Vector2<B>& b) {
  return difference_of_products(a.x, b.y, a.y, b.x);
}
template <class B>
inline Vector3<B> cross(const Vector3<B>& a, const Vector3<B>& b) {
  return {mul_sub(a.y, b.z, a.z * b.y), mul_sub(a.z, b.x, a.x * b.z), mul_sub(a.x, b.y, a.y * b.x)};
}

/// K⁻¹ b by L D Lᵀ.
template <class B>
[[gnu::always_inline]] inline Vector3<B> solution_of(const Symmetric3<B>& k, const Vector3<B>& b) {
  const B one(1);
  const B i1 = one / k.xx, l21 = k.xy * i1, l31 = k.xz * i1;
  const B i2 = one / neg_mul_add(l21, k.xy, k.yy), t = neg_mul_add(l21, k.xz, k.yz), l32 = t * i2;
  const B d3 = neg_mul_add(l32, t, neg_mul_add(l31, k.xz, k.zz));
  const B y2 = neg_mul_add(l21, b.x, b.y), y3 = neg_mul_add(l32, y2, neg_mul_add(l31, b.x, b.z));
  const B z = y3 / d3, y = mul_sub(i2, y2, l32 * z);
  return {neg_mul_add(l21, y, mul_sub(i1, b.x, l31 * z)), y, z};
}

/// K and velocities are summed up with twice the digits if the ratio of their terms to the sum is above this.
template <class T>
inline constexpr T max_cancellation = T(4096);

/// a × b, every component to 1.5 ulp of itself.
template <class B>
[[gnu::always_inline]] inline Vector3<B> exact_cross(const Vector3<B>& a, const Vector3<B>& b) {
  return {difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
          difference_of_products(a.x, b.y, a.y, b.x)};
}

/// J [r], with [r] p = r × p, by its rows. Large terms of a slender body's inverse inertia cancel here; only the square
/// root of the digits that J (r × p) could lose is lost.
template <class B>
struct TurnRows {
  Vector3<B> x, y, z;

  TurnRows() = default;
  [[gnu::always_inline]] TurnRows(const Symmetric3<B>& j, const Vector3<B>& r)
      : x(exact_cross(Vector3<B>{j.xx, j.xy, j.xz}, r)),
        y(exact_cross(Vector3<B>{j.xy, j.yy, j.yz}, r)),
        z(exact_cross(Vector3<B>{j.xz, j.yz, j.zz}, r)) {}

  /// J (r × p)
  [[gnu::always_inline]] Vector3<B> times(const Vector3<B>& p) const { return {dot(x, p), dot(y, p), dot(z, p)}; }
};

template <class B>
inline Vector3<B> operator*(const Symmetric3<B>& m, const Vector3<B>& v) {
  return {mul_add(m.xx, v.x, mul_add(m.xy, v.y, m.xz * v.z)), mul_add(m.xy, v.x, mul_add(m.yy, v.y, m.yz * v.z)),
          mul_add(m.xz, v.x, mul_add(m.yz, v.y, m.zz * v.z))};
}

template <class B>
inline Vector3<B> operator+(const Vector3<B>& a, const Vector3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class B>
inline Vector3<B> operator-(const Vector3<B>& a, const Vector3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class B, class Mask>
inline Vector2<B> choose(Mask mask, const Vector2<B>& yes, const Vector2<B>& no) {
  return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y)};
}
template <class B, class Mask>
inline Vector3<B> choose(Mask mask, const Vector3<B>& yes, const Vector3<B>& no) {
  return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

template <class B, class Mask>
inline Symmetric3<B> choose(Mask mask, const Symmetric3<B>& yes, const Symmetric3<B>& no) {
  return {choose(mask, yes.xx, no.xx), choose(mask, yes.xy, no.xy), choose(mask, yes.xz, no.xz),
          choose(mask, yes.yy, no.yy), choose(mask, yes.yz, no.yz), choose(mask, yes.zz, no.zz)};
}

template <class B>
inline Vector2<B> negated(const Vector2<B>& v) {
  return {negated(v.x), negated(v.y)};
}
template <class B>
inline Vector3<B> negated(const Vector3<B>& v) {
  return {negated(v.x), negated(v.y), negated(v.z)};
}

/// Replaces -0 by +0. The sign of a zero from a minimum, a maximum or an unfused product depends on the ISA.
template <class B>
inline Vector3<B> unsigned_zeros(const Vector3<B>& v) {
  return {v.x + B(0), v.y + B(0), v.z + B(0)};
}

/// a + s v
template <class B>
inline Vector2<B> mul_add(B s, const Vector2<B>& v, const Vector2<B>& a) {
  return {mul_add(s, v.x, a.x), mul_add(s, v.y, a.y)};
}
template <class B>
inline Vector3<B> mul_add(B s, const Vector3<B>& v, const Vector3<B>& a) {
  return {mul_add(s, v.x, a.x), mul_add(s, v.y, a.y), mul_add(s, v.z, a.z)};
}

template <class B>
inline Vector2<B> operator*(B s, const Vector2<B>& v) {
  return {s * v.x, s * v.y};
}
template <class B>
inline Vector3<B> operator*(B s, const Vector3<B>& v) {
  return {s * v.x, s * v.y, s * v.z};
}

}  // namespace
}  // namespace carom::kernel
