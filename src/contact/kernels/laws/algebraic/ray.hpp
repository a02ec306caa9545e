// The way from P_0 = 1.5 P_I, inside the permissible region, to its boundary.
//
//   d       a direction, of any length      τ    the way along d, in units of d
//
// P_0 loses 3/8 u0_z² / K_33 of energy, leaves with u_z = -u0_z / 2 and pushes with 1.5 P_I: every bound is a root of
// an equation of the first or second degree that starts on the right side.
#pragma once

#include "slip_ratio.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
inline Vector3<typename LaneTypes<A, T>::Batch> inner_point(const LawInput<A, T>& in) {
  using B = typename LaneTypes<A, T>::Batch;
  return {B(0), B(0), B(T(-1.5)) * in.u0.z / in.k33};
}

/// The root x > 0 of a x² + 2 b x = c with a, c > 0; infinite where a and b vanish.
template <class T, class B>
inline B way_out(B a, B b, B c) {
  const B zero(0), one(1);
  const auto falling = b < zero;
  const B root = square_root(mul_add(b, b, a * c));
  const B numerator = choose(falling, root - b, c), denominator = choose(falling, a, root + b);
  const auto ends = denominator > zero;
  return choose(ends, numerator / choose(ends, denominator, one), B(static_cast<T>(__builtin_inf())));
}

/// d must not be so long that d·K d overflows. Infinite for d = 0.
template <class A, class T>
inline typename LaneTypes<A, T>::Batch way_to_boundary(const LawInput<A, T>& in,
                                                       const Vector3<typename LaneTypes<A, T>::Batch>& d) {
  using B = typename LaneTypes<A, T>::Batch;
  const B zero(0), never(static_cast<T>(__builtin_inf()));
  const B pressed = inner_point<A, T>(in).z;
  const Vector3<B> kd = k_times(in, d);

  // Energy: ½ d·K d τ² + d·u(P_0) τ = 3/8 u0_z² / K_33, u(P_0) = u0 + pressed (k, K_33).
  const Vector3<B> u = {mul_add(in.k1, pressed, in.u0.x), mul_add(in.k2, pressed, in.u0.y), B(T(-0.5)) * in.u0.z};
  B way = way_out<T>(dot(d, kd), dot(d, u), B(T(0.75)) * in.u0.z * in.u0.z / in.k33);

  // Distance along d at which a number with this value and rate reaches zero.
  const auto until = [&](B stands, B rate) {
    const auto falls = rate < zero;
    return choose(falls, stands / choose(falls, negated(rate), B(1)), never);
  };
  way = smaller(way, until(u.z, kd.z));
  way = smaller(way, until(pressed, d.z));
  const Cone<B> cone = cone_of(in.friction);
  const B across = square_root(mul_add(d.x, d.x, d.y * d.y));
  return smaller(way, until(cone.tangential * pressed, mul_sub(cone.tangential, d.z, cone.normal * across)));
}

/// P_0 + τ d. In the region u_z >= 0, of which rounding may leave less.
template <class A, class T>
inline LawResult<A, T> on_the_way(const LawInput<A, T>& in, const Vector3<typename LaneTypes<A, T>::Batch>& d,
                                  typename LaneTypes<A, T>::Batch way) {
  LawResult<A, T> result;
  result.p = mul_add(way, d, inner_point<A, T>(in));
  result.u = in.u0 + k_times(in, result.p);
  result.u.z = larger(result.u.z, typename LaneTypes<A, T>::Batch(0));
  result.slips = reaches_cone<A, T>(in, result.p);
  result.none = result.several = typename LaneTypes<A, T>::Mask(false);
  return result;
}

}  // namespace
}  // namespace carom::kernel
