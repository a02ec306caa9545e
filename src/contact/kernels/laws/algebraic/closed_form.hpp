// Laws in closed form, from the impulses that stop the approach without friction and that stop all of u:
//
//   P_I = -u0_z / K_33 n        P_II = -K⁻¹ u0 = P_I + D
//
// D changes no normal velocity: K D = -(w, 0) with w = u0_t + k P_I the slip that P_I leaves, so that by the block
// inverse of K
//
//   D_z = q·w / S        D_t = -M⁻¹ (w + k D_z)
//
// No two terms of that cancel beyond the condition of K: it is the sum of two semidefinite matrices, applied to w.
//
// pipeline/direct.hpp has the same laws in one pass, for most contacts. A change belongs in both files.
//
// [CR] A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include "law.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct PlasticImpulses {
  B normal;        // P_I
  Vector3<B> d;    // P_II - P_I
  B slip1, slip2;  // w
};

template <class A, class T>
inline auto plastic_impulses(const LawInput<A, T>& in) {
  using B = typename LaneTypes<A, T>::Batch;
  PlasticImpulses<B> plastic;
  plastic.normal = negated(in.u0.z) / in.k33;
  plastic.slip1 = mul_add(in.k1, plastic.normal, in.u0.x);
  plastic.slip2 = mul_add(in.k2, plastic.normal, in.u0.y);
  const B z = mul_add(in.q1, plastic.slip1, in.q2 * plastic.slip2) / in.schur;
  const Vector3<B> d = inverse_m_times(in, mul_add(in.k1, z, plastic.slip1), mul_add(in.k2, z, plastic.slip2));
  plastic.d = {negated(d.x), negated(d.y), z};
  return plastic;
}

struct Frictionless {
  static constexpr Law law = Law::frictionless;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const B zero(0);
    const B p = (B(1) + in.restitution) * (negated(in.u0.z) / in.k33);
    return {{zero, zero, p},
            {mul_add(in.k1, p, in.u0.x), mul_add(in.k2, p, in.u0.y), negated(in.restitution * in.u0.z)},
            Mask(false),
            Mask(false),
            Mask(false)};
  }
};

struct NoSlip {
  static constexpr Law law = Law::no_slip;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const PlasticImpulses<B> plastic = plastic_impulses(in);
    const B factor = B(1) + in.restitution, reversed = negated(in.restitution);
    return {{factor * plastic.d.x, factor * plastic.d.y, factor * (plastic.normal + plastic.d.z)},
            reversed * in.u0,
            Mask(false),
            Mask(false),
            Mask(false)};
  }
};

/// [CR] eqs. 10 to 14.
struct ChatterjeeRuina {
  static constexpr Law law = Law::chatterjee_ruina;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const B zero(0), one(1);
    const PlasticImpulses<B> plastic = plastic_impulses(in);
    const Cone<B> cone = cone_of(in.friction);
    const B normal_factor = one + in.restitution, candidate = one + in.parameters.tangential_restitution;
    const B normal = normal_factor * plastic.normal;
    // The excess over the cone grows with κ at this rate, which is positive outside of the cone.
    const B rate = mul_sub(cone.normal, square_root(mul_add(plastic.d.x, plastic.d.x, plastic.d.y * plastic.d.y)),
                           cone.tangential * plastic.d.z);
    const B room = cone.tangential * normal;
    const Mask outside = candidate * rate > room;
    const B kappa = choose(outside, room / choose(outside, rate, one), candidate);
    const B left = one - kappa, normal_left = normal_factor - kappa;
    return {{kappa * plastic.d.x, kappa * plastic.d.y, larger(mul_add(kappa, plastic.d.z, normal), zero)},
            {mul_add(left, in.u0.x, normal_left * (in.k1 * plastic.normal)),
             mul_add(left, in.u0.y, normal_left * (in.k2 * plastic.normal)), negated(in.restitution * in.u0.z)},
            outside,
            Mask(false),
            Mask(false)};
  }
};

/// [CR] eq. 9, with its diagonal mass matrix generalised: the normal impulse (1 + e) P_I and the tangential impulse of
/// P_II.
struct Bilinear {
  static constexpr Law law = Law::bilinear;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const B zero(0), one(1);
    const PlasticImpulses<B> plastic = plastic_impulses(in);
    const Cone<B> cone = cone_of(in.friction);
    const SlipAxis<B> axis = slip_axis(in.u0);
    const B normal = (one + in.restitution) * plastic.normal;
    const B most = (one + in.parameters.tangential_restitution) * length(plastic.d.x, plastic.d.y);
    const B candidate = choose(axis.slip > zero, most, zero);
    const Mask outside = cone.normal * candidate > cone.tangential * normal;
    const B tangential = choose(outside, in.friction * normal, candidate);
    const Vector3<B> p = {tangential * axis.x, tangential * axis.y, normal};
    const B change = mul_add(in.k1, p.x, in.k2 * p.y);
    const B u_x = mul_add(in.m11, p.x, mul_add(in.m12, p.y, mul_add(in.k1, normal, in.u0.x)));
    const B u_y = mul_add(in.m12, p.x, mul_add(in.m22, p.y, mul_add(in.k2, normal, in.u0.y)));
    return {p, {u_x, u_y, neg_mul_add(in.restitution, in.u0.z, change)}, outside, Mask(false), Mask(false)};
  }
};

}  // namespace
}  // namespace carom::kernel
