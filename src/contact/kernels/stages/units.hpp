// The units in which laws see a collision.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// Impulses of the caller that are longer than this, in units of their contact, are shortened to it: longer ones could
/// exceed the range of float.
template <class T>
inline constexpr T longest_impulse = T(0x1p100);

/// Zero for finite numbers, otherwise NaN.
template <class B>
inline B vanishing(B x) {
  return x - x;
}
template <class B>
inline B vanishing(const Vector2<B>& v) {
  return vanishing(v.x) + vanishing(v.y);
}
template <class B>
inline B vanishing(const Vector3<B>& v) {
  return vanishing(v.x) + vanishing(v.y) + vanishing(v.z);
}

/// Coulomb's bound as normal |p_t| <= tangential p_n, without infinity.
template <class B>
struct Cone {
  B tangential, normal;
};
template <class B>
inline Cone<B> cone_of(B friction) {
  const auto steep = friction > B(1);
  return {choose(steep, B(1), friction), choose(steep, B(1) / friction, B(1))};
}

/// A velocity as its size and its direction, without underflow of the squares. The direction of zero is zero.
template <class B>
struct SizedDirection {
  Vector3<B> direction;
  B size;
};

template <class B>
inline SizedDirection<B> direction_of(const Vector3<B>& v) {
  const B zero(0), one(1);
  const B largest = larger(larger(magnitude(v.x), magnitude(v.y)), magnitude(v.z));
  const B divisor = choose(largest > zero, largest, one);
  const Vector3<B> scaled = {v.x / divisor, v.y / divisor, v.z / divisor};
  const B length = square_root(dot(scaled, scaled));
  const B inverse_length = one / choose(length > zero, length, one);
  return {inverse_length * scaled, divisor * length};
}

/// The same without a division a component.
template <class B>
inline SizedDirection<B> scaled_direction_of(const Vector3<B>& v) {
  const auto [scale, inverse] = binade_of(larger(larger(magnitude(v.x), magnitude(v.y)), magnitude(v.z)));
  const Vector3<B> scaled = inverse * v;
  const B length = square_root(dot(scaled, scaled));
  return {B(1) / choose(length > B(0), length, B(1)) * scaled, scale * length};
}

}  // namespace
}  // namespace carom::kernel
