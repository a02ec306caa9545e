// Friction against a mean of the first and the last slip: Newton's method for the equation of Smith's law.
//
//   v    -p_t               m    μ p_z = α (c + k·v)
//   u    ũ - S v, the slip   D    (|u0| u0 + |u| u) / (|u0|² + |u|²), of its tangential parts; |D| <= 1
//
//   v - m D(u) = 0
//
// With m given there is just one solution, since D is a monotone map: in polar coordinates, γ the angle between first
// and last slip, the determinant of the symmetric part of ∂D/∂u is (1 - cosγ) (|u0|² (1 - cosγ) + 2 |u|²) times
// something positive. It is a root of an equation in |u|. With m of v there may be more.
#pragma once

#include "slip_ratio.hpp"

namespace carom::kernel {
namespace {

/// Changes of m, relative to it, with which a step of Newton's squares the error still.
template <class T>
inline constexpr T near_in_m = T(0x1p-6);

template <class B>
struct MeanSlipProblem {
  B s11, s12, s22;  // S
  B ux, uy;         // ũ
  B alpha, c, k1, k2;
  B first_x, first_y, first2;  // |u0_t| u0_t, |u0_t|²

  B radius(B v1, B v2) const { return alpha * mul_add(k1, v1, mul_add(k2, v2, c)); }
};

template <class A, class T>
struct MeanSlip {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  B v1, v2, m;
  Mask found;
};

/// Newton's method from (v1, v2) and m, with steps halved until they reduce the residual, until a step is at most
/// `tolerance` of |v|; that step is taken, too. m is a separate unknown: for large μ, the p_z from which it is computed
/// is only a rounding error.
template <class A, class T>
inline MeanSlip<A, T> find_mean_slip(typename LaneTypes<A, T>::Mask wanted,
                                     const MeanSlipProblem<typename LaneTypes<A, T>::Batch>& s,
                                     typename LaneTypes<A, T>::Batch v1, typename LaneTypes<A, T>::Batch v2,
                                     typename LaneTypes<A, T>::Batch m, T tolerance, int iterations) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), two(2), half(T(0.5)), tolerance2(tolerance * tolerance);
  const B a1 = s.alpha * s.k1, a2 = s.alpha * s.k2;
  B base1 = v1, base2 = v2, base_m = m, step1 = zero, step2 = zero, step_m = zero;
  B best(static_cast<T>(__builtin_inf()));
  Mask moving = wanted, found(false);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const B u1 = neg_mul_add(s.s11, v1, neg_mul_add(s.s12, v2, s.ux));
    const B u2 = neg_mul_add(s.s12, v1, neg_mul_add(s.s22, v2, s.uy));
    const B slip2 = mul_add(u1, u1, u2 * u2);
    const B slip = square_root(slip2);
    const B both2 = slip2 + s.first2, divisor = choose(slip > zero, slip, one);
    const B divided = one / (both2 * divisor);
    const B inverse = divisor * divided, inverse_slip = both2 * divided;
    const B d1 = mul_add(slip, u1, s.first_x) * inverse, d2 = mul_add(slip, u2, s.first_y) * inverse;
    const B f1 = neg_mul_add(m, d1, v1), f2 = neg_mul_add(m, d2, v2);
    const B size = mul_add(f1, f1, f2 * f2);
    const Mask nearer = moving && size < best && m >= zero;

    // J = 1 + m ∂D/∂u S with m ∂D/∂u = m (|u| 1 + (û - 2 D) uᵀ) / (|u0|² + |u|²). The next m and v solve
    // J (v' - v) = m' D - v and m' = α (c + k·v'), in which a large m does not cancel.
    const B scale = m * inverse, diagonal = slip * scale;
    const B e1 = neg_mul_add(two, d1, u1 * inverse_slip) * scale, e2 = neg_mul_add(two, d2, u2 * inverse_slip) * scale;
    const B su1 = mul_add(s.s11, u1, s.s12 * u2), su2 = mul_add(s.s12, u1, s.s22 * u2);
    const B j11 = mul_add(e1, su1, mul_add(diagonal, s.s11, one)), j12 = mul_add(e1, su2, diagonal * s.s12);
    const B j21 = mul_add(e2, su1, diagonal * s.s12), j22 = mul_add(e2, su2, mul_add(diagonal, s.s22, one));
    const B det = difference_of_products(j11, j22, j12, j21);
    const B w1 = difference_of_products(j22, d1, j12, d2), w2 = difference_of_products(j11, d2, j21, d1);
    const B y1 = difference_of_products(j22, v1, j12, v2), y2 = difference_of_products(j11, v2, j21, v1);
    // Two divisions, since the product of the divisors may be beyond all numbers of a float.
    const B rise = det - mul_add(a1, w1, a2 * w2);
    const B inverse_det = one / choose(det == zero, one, det);
    const B next_m = mul_sub(det, s.radius(v1, v2), mul_add(a1, y1, a2 * y2)) / choose(rise == zero, one, rise);
    const B newton1 = mul_sub(w1, next_m, y1) * inverse_det, newton2 = mul_sub(w2, next_m, y2) * inverse_det;

    // With the derivatives at another m a step is not squared by the next one.
    const Mask small = moving &&
                       mul_add(newton1, newton1, newton2 * newton2) <= tolerance2 * mul_add(v1, v1, v2 * v2) &&
                       magnitude(next_m - m) <= B(near_in_m<T>) * magnitude(next_m);
    const Mask accepted = nearer || small;
    best = choose(nearer, size, best);
    base1 = choose(accepted, v1, base1);
    base2 = choose(accepted, v2, base2);
    base_m = choose(accepted, m, base_m);
    step1 = choose(accepted, newton1, half * step1);
    step2 = choose(accepted, newton2, half * step2);
    step_m = choose(accepted, next_m - m, half * step_m);
    v1 = choose(moving, base1 + step1, v1);
    v2 = choose(moving, base2 + step2, v2);
    m = choose(moving, base_m + step_m, m);
    found = found || small;
    moving = and_not(moving, small);
    if (lane_bits(moving) == 0) break;
  }
  // Use the best iterate if the last step is not known to be better.
  v1 = choose(moving, base1, v1);
  v2 = choose(moving, base2, v2);
  m = choose(moving, base_m, m);
  return {v1, v2, m, found && m >= zero};
}

/// The one solution where the normal impulse, and so m, is given.
template <class B>
struct GivenNormal {
  B m11, m12, m22;             // M
  B trace, det;                // of M
  B m, ux, uy;                 // μ p_z, u0_t + k p_z
  B first_x, first_y, first2;  // as above
};

template <class B>
struct LastSlip {
  B slip;  // |u|
  B v1, v2, m;
};

/// From |u| = `slip` > 0 on, in a bracket that closes.
template <class A, class T>
inline LastSlip<typename LaneTypes<A, T>::Batch> last_slip(typename LaneTypes<A, T>::Mask wanted,
                                                           const GivenNormal<typename LaneTypes<A, T>::Batch>& s,
                                                           typename LaneTypes<A, T>::Batch slip, T tolerance) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), two(2), reach(8), inverse_reach(T(0.125));
  const B unbounded(static_cast<T>(__builtin_inf()));
  B low = zero, high = unbounded;
  Mask moving = wanted;
  // An end for a bracket that rounding keeps open.
  constexpr int max_steps = 60;
  // (|u0|² + |u|² + m |u| M) u = (|u0|² + |u|²) (u0_t + k p_z) - m M |u0_t| u0_t
  const B mf1 = s.m * mul_add(s.m11, s.first_x, s.m12 * s.first_y);
  const B mf2 = s.m * mul_add(s.m12, s.first_x, s.m22 * s.first_y);
  B w = zero, x = zero, y = zero;
  for (int iteration = 0;; ++iteration) {
    w = mul_add(slip, slip, s.first2);
    const B mr = s.m * slip;
    const B inverse = one / mul_add(w, mul_add(mr, s.trace, w), mr * mr * s.det);
    const auto solve = [&](B b1, B b2, B& x1, B& x2) {
      x1 = mul_sub(mul_add(mr, s.m22, w), b1, mr * s.m12 * b2) * inverse;
      x2 = mul_sub(mul_add(mr, s.m11, w), b2, mr * s.m12 * b1) * inverse;
    };
    solve(mul_sub(w, s.ux, mf1), mul_sub(w, s.uy, mf2), x, y);
    if (lane_bits(moving) == 0 || iteration == max_steps) break;
    B dx, dy;
    const B rest1 = s.m * mul_add(s.m11, x, s.m12 * y), rest2 = s.m * mul_add(s.m12, x, s.m22 * y);
    solve(mul_sub(two * slip, s.ux - x, rest1), mul_sub(two * slip, s.uy - y, rest2), dx, dy);
    const B size2 = mul_add(x, x, y * y);
    const B size = square_root(size2);
    const Mask longer = size > slip;
    low = choose(longer, slip, low);
    high = choose(longer, high, slip);
    // Newton's on |u| / |u(|u|)| - 1, which is nearly straight.
    const B slope = neg_mul_add(slip, mul_add(x, dx, y * dy), size2);
    const Mask rises = slope > zero;
    const B far = choose(longer, reach * slip, inverse_reach * slip);
    const B newton = choose(rises, mul_add(size - slip, size2 / choose(rises, slope, one), slip), far);
    const B next = larger(smaller(newton, reach * slip), inverse_reach * slip);
    const B middle = choose(low > zero && high < unbounded, B(T(0.5)) * (low + high), far);
    const B chosen = choose(next > low && next < high, next, middle);
    const Mask stepping = moving;
    moving = moving && magnitude(chosen - slip) > B(tolerance) * slip;
    slip = choose(stepping, chosen, slip);
  }
  // Where m is large, D is small and mostly a rounding error; v is then computed from its effect on the slip, which in
  // turn is mostly a rounding error where M is nearly singular.
  const B scale = s.m / w, change1 = s.ux - x, change2 = s.uy - y;
  const Mask large = s.m * s.det > s.trace;
  const B divisor = choose(large, s.det, one);
  return {slip,
          choose(large, difference_of_products(s.m22, change1, s.m12, change2) / divisor,
                 scale * mul_add(slip, x, s.first_x)),
          choose(large, difference_of_products(s.m11, change2, s.m12, change1) / divisor,
                 scale * mul_add(slip, y, s.first_y)),
          s.m};
}

}  // namespace
}  // namespace carom::kernel
