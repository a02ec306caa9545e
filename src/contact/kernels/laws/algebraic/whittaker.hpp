// Law::whittaker. u_z = -e u0_z, and the contact sticks at the end or friction opposes its last slip.
//
//   c   -(1 + e) u0_z       S   M - k kᵀ / K_33, the tangential K at a given u_z
//   v   -p_t                ũ   u0_t + k c / K_33, the last slip without friction
//
//   p_z = (c + k·v) / K_33,   u_t = ũ - S v = λ v,   f_n |v| <= f_t p_z, with equality where λ > 0
//
// T. R. Kane, D. A. Levinson, Dynamics, 1985. A. Chatterjee, A. Ruina, 1998, section 4.2.2.
#pragma once

#include "slip_ratio.hpp"

namespace carom::kernel {
namespace {

/// The collision from u0 to a given u_z, `c` being K_33 times the normal impulse that takes without friction.
template <class A, class T>
inline LawResult<A, T> slip_to_normal_velocity(
    typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in, const Vector3<typename LaneTypes<A, T>::Batch>& u0,
    typename LaneTypes<A, T>::Batch c, typename LaneTypes<A, T>::Mask rough = typename LaneTypes<A, T>::Mask(false)) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1);
  const Cone<B> cone = cone_of(in.friction);
  const B inverse_k33 = one / in.k33;
  // K p = (-u0_t, c), by the tangential block, so that a K near a singular one costs no more than it must.
  const B sticking_z = mul_add(in.q1, u0.x, mul_add(in.q2, u0.y, c)) / in.schur;
  // In one go: the parts of u0_t and of p_z may cancel.
  const Vector3<B> stick = inverse_m_times(in, mul_add(in.k1, sticking_z, u0.x), mul_add(in.k2, sticking_z, u0.y));

  SlipProblem<B> s;
  s.trace = (larger(difference_of_products(in.m11, in.k33, in.k1, in.k1), zero) +
             larger(difference_of_products(in.m22, in.k33, in.k2, in.k2), zero)) *
            inverse_k33;
  s.det = in.det_m * in.schur * inverse_k33;
  s.ux = mul_add(in.k1 * inverse_k33, c, u0.x);
  s.uy = mul_add(in.k2 * inverse_k33, c, u0.y);
  s.wx = s.det * stick.x;
  s.wy = s.det * stick.y;
  s.norm = cone.normal * in.k33;
  s.kappa1 = cone.tangential * in.k1;
  s.kappa2 = cone.tangential * in.k2;
  s.beta = cone.tangential * c;
  const SlipRatio<A, T> ratio = min_slip_ratio<A, T>(wanted, s, rough);

  LawResult<A, T> result;
  result.slips = ratio.slips;
  const B slip_z = larger(mul_add(in.k1, ratio.v1, mul_add(in.k2, ratio.v2, c)) * inverse_k33, zero);
  const B size = square_root(mul_add(ratio.v1, ratio.v1, ratio.v2 * ratio.v2));
  // Moves p onto the cone, p = P (-f_t e, f_n), by its smaller component. If K is so ill-conditioned that this misses
  // u_z by more than rounding, P is computed from e such that it reaches u_z.
  const B rise = mul_add(in.k1, ratio.e1, in.k2 * ratio.e2);
  const B rate = mul_sub(cone.normal, in.k33, cone.tangential * rise);
  B along = choose(in.friction > one, size, slip_z);
  const Mask missed =
      magnitude(mul_sub(rate, along, c)) > B(T(16) * epsilon<T>) * along && rate > B(T(0x1p-8)) * in.k33;
  along = choose(missed, c / choose(missed, rate, one), along);
  const B radius = cone.tangential * along;
  result.p = {negated(choose(ratio.slips, radius * ratio.e1, stick.x)),
              negated(choose(ratio.slips, radius * ratio.e2, stick.y)),
              choose(ratio.slips, cone.normal * along, sticking_z)};
  // u comes from p, not from λ v: where K is ill-conditioned the two differ by more than the rounding of either.
  const Vector3<B> after = u0 + k_times(in, result.p);
  result.u = {choose(ratio.slips, after.x, zero), choose(ratio.slips, after.y, zero), u0.z + c};
  result.none = Mask(false);
  result.several = has_more_slip_ratios<A, T>(and_not(wanted, rough), s, ratio.lambda);
  return result;
}

struct Whittaker {
  static constexpr Law law = Law::whittaker;
  static constexpr bool iterates = true;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    LawResult<A, T> result =
        slip_to_normal_velocity<A, T>(wanted, in, in.u0, negated((B(1) + in.restitution) * in.u0.z));
    result.u.z = negated(in.restitution * in.u0.z);
    return result;
  }
};

}  // namespace
}  // namespace carom::kernel
