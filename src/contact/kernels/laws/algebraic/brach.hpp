// Law::brach. u_z = -e u0_z and two ratios of impulse r along -u0_t and n x -u0_t, scaled down until they are within
// the friction cone and no energy is gained.
//
//   p(w) = (w r, (c - w k·r) / K_33),   c = -(1 + e) u0_z
//
// is the line of all impulses with this u_z, through (1 + e) P_I = p(0). p(0) is in the permissible region, and the
// region is convex: bounds that hold at the largest w hold below it. Along the line K changes only the slip, by S r
// with S = M - k kᵀ / K_33, so the energy gained is
//
//   E(w) = -(1 - e²) u0_z² / (2 K_33) + L w + ½ A w²,   L = r·u0_t - k·r u0_z / K_33,   A = r·S r > 0
//
// With q = M⁻¹ k, A = (schur r·M r + det M (q × r)²) / K_33 is a sum of positive terms, so it is not 0 where K is
// ill-conditioned. Without fused operations the difference r·M r - (k·r)² / K_33 is more accurate, and since an impulse
// that stops short of its bound is permissible, A is the larger of the two. Above e = 1 p(0) gains energy, and p(w) may
// gain as much. |p_t| <= h p_z, with h the length of the ratios or μ, bounds w by h c / (K_33 |r| + h k·r) if that
// divisor is positive; otherwise w is unbounded.
//
// A scale s of the ratios is not a suitable parameter: as c vanishes, its bound runs into the pole K_33 + s k·r = 0.
//
// R. M. Brach, Mechanical Impact Dynamics, 1991. A. Chatterjee, A. Ruina, 1998, section 4.1, 3.
#pragma once

#include "slip_ratio.hpp"

namespace carom::kernel {
namespace {

struct Brach {
  static constexpr Law law = Law::brach;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
    const SlipAxis<B> axis = slip_axis(in.u0);
    // r in units of the larger ratio, so that no square overflows.
    const B size = larger(magnitude(in.parameters.impulse_ratio_1), magnitude(in.parameters.impulse_ratio_2));
    const B divisor = choose(size > zero, size, one);
    const B ratio1 = in.parameters.impulse_ratio_1 / divisor, ratio2 = in.parameters.impulse_ratio_2 / divisor;
    const B r1 = mul_sub(ratio1, axis.x, ratio2 * axis.y), r2 = mul_add(ratio1, axis.y, ratio2 * axis.x);
    // Without ratios any length will do.
    const B norm = square_root(larger(mul_add(ratio1, ratio1, ratio2 * ratio2), one));

    const auto first = in.m11 >= in.m22;
    const B pivot = choose(first, in.m11, in.m22), inverse = one / (pivot * in.k33), inverse_k33 = pivot * inverse;
    const B kr = mul_add(in.k1, r1, in.k2 * r2), coupling = kr * inverse_k33;
    const B slope = neg_mul_add(coupling, in.u0.z, negated(ratio1) * axis.slip);
    const B rmr = mul_add(r1, mul_add(in.m11, r1, in.m12 * r2), r2 * mul_add(in.m12, r1, in.m22 * r2));
    const B a = larger(neg_mul_add(coupling, kr, rmr), inverse * bend(in, r1, r2, first, pivot));

    // The root above zero of a w² + 2 slope w = lost: at e = 1 that is 0, or -2 slope / a. In numbers whose squares
    // are within range.
    const B factor = one + in.restitution, l = B(scale<T>) * slope, z = B(scale<T>) * in.u0.z;
    const B lost = larger((one - in.restitution) * factor, zero) * inverse_k33 * (z * z);
    const B root = square_root(mul_add(l, l, a * lost));
    const auto rises = l > zero, bends = a > zero;
    const B by_energy =
        B(1 / scale<T>) * (choose(rises, lost, root - l) / choose(rises, l + root, choose(bends, a, one)));

    // h and its p as normal |p_t| = tangential p_z.
    const B h = smaller(size * norm, in.friction), inverse_h = one / larger(h, B(min_h<T>));
    const auto steep = h > one;
    const B tangential = choose(steep, one, h), normal = choose(steep, inverse_h, one) * norm;
    const B bracket = mul_add(normal, in.k33, tangential * kr), c = negated(factor * in.u0.z);
    const auto meets = bracket > zero;
    const B by_ratio = choose(meets, c / choose(meets, bracket, one), never);
    const auto bounded = tangential * by_ratio <= by_energy;
    const B w = choose(bounded, tangential * by_ratio, by_energy);
    // If K_33 is small, the rounding error of p_z is not small relative to |p_t|.
    const B free = larger(neg_mul_add(coupling, w, c * inverse_k33), inverse_h * (norm * w));
    const B p_z = choose(bounded, normal * by_ratio, free);

    LawResult<A, T> result;
    result.p = {w * r1, w * r2, p_z};
    result.u = in.u0 + k_times(in, result.p);
    result.u.z = negated(in.restitution * in.u0.z);
    const B most(nearly_all<T>);
    result.slips = most * in.friction <= size * norm && normal * w >= most * (tangential * p_z);
    result.none = result.several = typename LaneTypes<A, T>::Mask(false);
    return result;
  }

 private:
  /// Scale of u0: squares of 2^-100 times it do not underflow, and squares of cond K times it do not overflow.
  template <class T>
  static constexpr T scale = sizeof(T) == sizeof(float) ? T(0x1p40) : T(0x1p300);
  /// Below this h, p_z >= |p_t| / h holds without correction.
  template <class T>
  static constexpr T min_h = sizeof(T) == sizeof(float) ? T(0x1p-100) : T(0x1p-900);

  /// r·S r times K_33 and the larger diagonal entry of M, the first pivot.
  template <class A, class T, class B, class Mask>
  static B bend(const LawInput<A, T>& in, B r1, B r2, Mask first, B pivot) {
    const B other = choose(first, r2, r1);
    const B along = mul_add(pivot, choose(first, r1, r2), in.m12 * other);
    const B twist = mul_sub(in.q1, r2, in.q2 * r1);
    const B straight = mul_add(along, along, in.det_m * (other * other));
    return mul_add(in.schur, straight, in.det_m * (pivot * (twist * twist)));
  }
};

}  // namespace
}  // namespace carom::kernel
