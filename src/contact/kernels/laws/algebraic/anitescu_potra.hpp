// Law::anitescu_potra. Compression and expansion, each with friction that opposes its own last slip, inside the round
// cone.
//
//   compression   to u1_z = 0, Whittaker's law with e = 0: p1
//   expansion     p2_z = e p1_z, and u_t = 0 with |p2_t| <= μ p2_z or p2_t = -μ p2_z u_t / |u_t|; only if that leaves
//                 u_z < 0, p2_z is larger, so that u_z = 0
//
// M. Anitescu, F. Potra, Nonlinear Dynamics 14, 1997, with a polygon for the cone. A. Chatterjee, A. Ruina, 1998,
// section 4.2.4.
#pragma once

#include "whittaker.hpp"

namespace carom::kernel {
namespace {

struct AnitescuPotra {
  static constexpr Law law = Law::anitescu_potra;
  static constexpr bool iterates = true;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const B zero(0);
    LawResult<A, T> first = slip_to_normal_velocity<A, T>(wanted, in, in.u0, negated(in.u0.z));
    first.u.z = zero;
    LawResult<A, T> second = expand<A, T>(wanted, in, first);
    if (const Mask approaching = wanted && second.u.z < zero; lane_bits(approaching) != 0) [[unlikely]] {
      const LawResult<A, T> pressed = slip_to_normal_velocity<A, T>(approaching, in, first.u, zero);
      second.p = choose(approaching, pressed.p, second.p);
      second.u = choose(approaching, Vector3<B>{pressed.u.x, pressed.u.y, zero}, second.u);
    }

    LawResult<A, T> result;
    result.p = first.p + second.p;
    result.u = second.u;
    result.slips = reaches_cone<A, T>(in, result.p);
    result.none = Mask(false);
    result.several = first.several;
    return result;
  }

 private:
  /// Expansion with the normal impulse of restitution.
  template <class A, class T>
  static LawResult<A, T> expand(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in,
                                const LawResult<A, T>& first) {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    const B zero(0), one(1);
    const Cone<B> cone = cone_of(in.friction);
    const B normal = in.restitution * first.p.z;
    // μ p2_z, also where that is infinity times zero: there compression has slipped.
    const B slipped = in.restitution * square_root(mul_add(first.p.x, first.p.x, first.p.y * first.p.y));
    SlipProblem<B> s;
    s.trace = in.m11 + in.m22;
    s.det = in.det_m;
    s.ux = mul_add(in.k1, normal, first.u.x);
    s.uy = mul_add(in.k2, normal, first.u.y);
    s.wx = difference_of_products(in.m22, s.ux, in.m12, s.uy);
    s.wy = difference_of_products(in.m11, s.uy, in.m12, s.ux);
    s.norm = choose(first.slips, one, cone.normal);
    s.kappa1 = s.kappa2 = zero;
    s.beta = choose(first.slips, slipped, cone.tangential * normal);
    const SlipRatio<A, T> ratio = min_slip_ratio<A, T>(wanted, s, Mask(false));

    const B inverse_det = one / in.det_m;
    const B radius = s.beta / choose(s.norm > zero, s.norm, one);
    const B v1 = choose(ratio.slips, radius * ratio.e1, s.wx * inverse_det);
    const B v2 = choose(ratio.slips, radius * ratio.e2, s.wy * inverse_det);
    LawResult<A, T> second;
    second.p = {negated(v1), negated(v2), normal};
    const Vector3<B> change = k_times(in, second.p);
    const B sticking_z = mul_sub(in.schur, normal, mul_add(in.q1, first.u.x, in.q2 * first.u.y));
    second.u = {choose(ratio.slips, first.u.x + change.x, zero), choose(ratio.slips, first.u.y + change.y, zero),
                choose(ratio.slips, change.z, sticking_z)};
    second.slips = ratio.slips;
    return second;
  }
};

}  // namespace
}  // namespace carom::kernel
