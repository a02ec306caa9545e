// Law::brach. u_z = -e u0_z and two ratios of impulse r along -u0_t and n x -u0_t, scaled back until friction can give
// them and no energy is gained.
//
//   p(s) = p_z (s r, 1),   p_z = c / (K_33 + s k·r),   c = -(1 + e) u0_z
//
// All p(s) with p_z > 0 lie on a line through (1 + e) P_I = p(0), which is in the permissible region, and the region is
// convex: what holds at the largest s holds below it. The energy gained is p_z / (2 (K_33 + s k·r)) times
//
//   E(s) = 2 (s r·u0_t + u0_z) (K_33 + s k·r) + c (s² r·M r + 2 s k·r + K_33) <= 0,
//
// a quadratic with E(0) = (e - 1) K_33 |u0_z|. Where p_z grows beyond bounds K, which is definite, makes it positive.
// Above e = 1 p(0) gains energy, and p(s) may gain as much: E(s) <= E(0) (1 + s k·r / K_33)².
//
// R. M. Brach, Mechanical Impact Dynamics, 1991. A. Chatterjee, A. Ruina, 1998, section 4.1, 3.
#pragma once

#include "slip_ratio.hpp"

namespace carom::kernel {
namespace {

struct Brach {
  static constexpr Law law = Law::brach;
  static constexpr unsigned reads = reads_impulse_ratios;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
    const SlipAxis<B> axis = slip_axis(in.u0);
    // In units of the larger ratio, so that no square overflows.
    const B size = larger(magnitude(in.parameters.impulse_ratio_1), magnitude(in.parameters.impulse_ratio_2));
    const B divisor = choose(size > zero, size, one);
    const B ratio1 = in.parameters.impulse_ratio_1 / divisor, ratio2 = in.parameters.impulse_ratio_2 / divisor;
    const B r1 = mul_sub(ratio1, axis.x, ratio2 * axis.y), r2 = mul_add(ratio1, axis.y, ratio2 * axis.x);

    const B c = negated((one + in.restitution) * in.u0.z);
    const B kr = mul_add(in.k1, r1, in.k2 * r2), slip = mul_add(r1, in.u0.x, r2 * in.u0.y);
    const B rmr = mul_add(r1, mul_add(in.m11, r1, in.m12 * r2), r2 * mul_add(in.m12, r1, in.m22 * r2));
    const B balance = (one - in.restitution) * in.k33 * in.u0.z, start = smaller(balance, zero);
    const B allowed = larger(balance, zero), coupling = kr / in.k33;
    const B a = neg_mul_add(allowed * coupling, coupling, mul_add(B(2) * slip, kr, c * rmr));
    const B half = neg_mul_add(allowed, coupling, mul_sub(slip, in.k33, in.restitution * in.u0.z * kr));
    const B discriminant = neg_mul_add(a, start, half * half);
    const B root = square_root(larger(discriminant, zero));
    // The first root above zero; without one the bound is never met. At e = 1 it starts there.
    const auto rises = half > zero, bends = a > zero;
    const B by_rise = choose(discriminant >= zero, negated(start) / choose(rises, half + root, one), never);
    const B by_bend = choose(bends, (root - half) / choose(bends, a, one), never);
    const B by_energy = choose(rises, by_rise, by_bend);

    const Cone<B> cone = cone_of(in.friction);
    const B across = cone.normal * square_root(mul_add(r1, r1, r2 * r2));
    const auto bounded = across > zero;
    const B by_friction = choose(bounded, cone.tangential / choose(bounded, across, one), never);
    const B s = smaller(smaller(by_energy, by_friction), size);

    LawResult<A, T> result;
    const B z = c / mul_add(s, kr, in.k33);
    result.p = {s * r1 * z, s * r2 * z, z};
    result.u = in.u0 + k_times(in, result.p);
    result.u.z = negated(in.restitution * in.u0.z);
    result.slips = reaches_cone<A, T>(in, result.p);
    result.none = result.several = typename LaneTypes<A, T>::Mask(false);
    return result;
  }
};

}  // namespace
}  // namespace carom::kernel
