// The permissible region of a contact and the points that span its impulse space.
//
//   energy            p·u0 + ½ p·K p <= 0      P_I    -u0_z / K_33 n
//   non-penetration   (u0 + K p)·n >= 0        P_II   -K⁻¹ u0
//   tension           p·n >= 0
//   cone              |p_t| <= μ p·n
//
// A. Chatterjee, A. Ruina, 1998, section 3.2 and eqs. 3 and 4.
#pragma once

#include "contact/kernels/stages/collision_matrix.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct Margins {
  B energy, non_penetration, tension, cone;
};

/// u0 [m/s] and p [N s] in the contact frame.
template <class T, class B>
inline Margins<B> region_margins(const CollisionMatrix<B>& k, const Vector3<B>& u0, const Vector3<B>& p, B friction) {
  const Vector3<B> change = k.trace * Vector3<B>{mul_add(k.m11, p.x, mul_add(k.m12, p.y, k.k1 * p.z)),
                                                 mul_add(k.m12, p.x, mul_add(k.m22, p.y, k.k2 * p.z)),
                                                 mul_add(k.k1, p.x, mul_add(k.k2, p.y, k.k33 * p.z))};
  const B unbounded(static_cast<T>(__builtin_inf()));
  const B cone = mul_sub(friction, p.z, length(p.x, p.y));
  return {negated(dot(p, mul_add(B(T(0.5)), change, u0))), u0.z + change.z, p.z,
          choose(friction == unbounded, unbounded, cone)};
}

template <class B>
struct Landmarks {
  B frictionless;       // P_I, along the normal
  Vector3<B> sticking;  // P_II
  B energy;             // ½ u0·K⁻¹ u0
};

template <class T, class B>
inline Landmarks<B> landmarks(const CollisionMatrix<B>& k, const Vector3<B>& u0) {
  const B inverse_trace = B(1) / k.trace, inverse_det = inverse_trace / k.det_m;
  const Vector3<B> stop = {difference_of_products(k.m22, u0.x, k.m12, u0.y) * inverse_det,
                           difference_of_products(k.m11, u0.y, k.m12, u0.x) * inverse_det, B(0)};
  const B approach = mul_add(k.q1, u0.x, mul_sub(k.q2, u0.y, u0.z));
  const B z = approach / k.schur * inverse_trace;
  // u0·K⁻¹ u0 = u0_t·M⁻¹ u0_t + (q·u0_t - u0_z)² / S
  const B energy = mul_add(approach, z, mul_add(u0.x, stop.x, u0.y * stop.y));
  return {negated(u0.z) / k.k33 * inverse_trace,
          {negated(mul_add(k.q1, z, stop.x)), negated(mul_add(k.q2, z, stop.y)), z},
          B(T(0.5)) * energy};
}

}  // namespace
}  // namespace carom::kernel
