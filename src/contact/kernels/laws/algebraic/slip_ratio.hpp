// Decides whether a contact comes to rest, or slips with friction opposing its last slip: the equation of Whittaker's
// law and of both phases of Anitescu and Potra's.
//
//   S      symmetric, positive definite      v(λ)   (λ 1 + S)⁻¹ ũ = z(λ) / D(λ), minus the tangential impulse
//   ũ      the slip where v = 0              z(λ)   λ ũ + S⁺ ũ, with the adjugate S⁺ = det(S) S⁻¹
//   λ      |u_t| / |v|, the slip ratio       D(λ)   det(λ 1 + S) = λ² + λ tr S + det S
//
// The admissible v are in the convex region C: n |v| <= κ·v + β. We search the smallest λ >= 0 with v(λ) in C. With the
// direction v̂ of any v(λ0), (n v̂ - κ)·v <= β bounds a half-plane that contains C, and touches n |v| - κ·v = g at λ0.
// v(λ) enters that half-plane at a root of a quadratic, which is between λ0 and the solution: from λ0 = 0 on, such
// steps rise to it and converge like Newton's method. No root is missed, and no bracket is needed.
#pragma once

#include "law.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct SlipProblem {
  B trace, det;  // of S
  B ux, uy;      // ũ
  B wx, wy;      // S⁺ ũ
  B norm;        // n >= 0
  B kappa1, kappa2;
  B beta;  // >= 0
};

template <class A, class T>
struct SlipRatio {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  B lambda;
  B v1, v2;    // v(λ)
  B e1, e2;    // its direction
  Mask slips;  // λ > 0
};

/// Lower bound for β: it bounds λ, about n |ũ| / β, so that D(λ), about λ², cannot overflow.
template <class T, class B>
inline B min_beta(const SlipProblem<B>& s) {
  constexpr T least = sizeof(T) == sizeof(float) ? T(0x1p-55) : T(0x1p-400);
  return B(least) * larger(B(1), s.norm * larger(magnitude(s.ux), magnitude(s.uy)));
}

template <class B>
inline B positive_root(B a, B h, B c) {
  const B zero(0), one(1), two(2), four(4);
  // This is the root of a x² + h x = c with a, c >= 0, without cancellation.
  const B root = square_root(mul_add(h, h, four * a * c));
  const auto falling = h < zero;
  const B numerator = choose(falling, root - h, two * c), denominator = choose(falling, two * a, root + h);
  return numerator / choose(denominator > zero, denominator, one);
}

/// For `rough` contacts, an estimate from below suffices.
template <class A, class T>
inline SlipRatio<A, T> min_slip_ratio(typename LaneTypes<A, T>::Mask wanted,
                                      const SlipProblem<typename LaneTypes<A, T>::Batch>& s,
                                      typename LaneTypes<A, T>::Mask rough) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), two(2);
  B lambda = zero, beta = s.beta;
  B e1 = one, e2 = zero;
  Mask slips = wanted, moving = wanted;
  // A double root, to which steps converge linearly, takes one bit a step.
  constexpr int max_steps = 64;
  for (int iteration = 0; iteration < max_steps; ++iteration) {
    const B z1 = mul_add(lambda, s.ux, s.wx), z2 = mul_add(lambda, s.uy, s.wy);
    const B d = mul_add(lambda, lambda + s.trace, s.det);
    const B size = square_root(mul_add(z1, z1, z2 * z2));
    const B inverse = one / choose(size > zero, size, one);
    const B new_e1 = z1 * inverse, new_e2 = z2 * inverse;
    e1 = choose(moving, new_e1, e1);
    e2 = choose(moving, new_e2, e2);
    const B along = mul_add(s.kappa1, z1, s.kappa2 * z2), all = mul_add(beta, d, along);
    const B g = mul_sub(s.norm, size, all);
    if (iteration == 0) {
      slips = wanted && g > zero;
      moving = slips;
      beta = larger(beta, min_beta<T>(s));
    }
    const B n1 = mul_sub(s.norm, new_e1, s.kappa1), n2 = mul_sub(s.norm, new_e2, s.kappa2);
    const B h = mul_sub(beta, mul_add(two, lambda, s.trace), mul_add(n1, s.ux, n2 * s.uy));
    const B step = positive_root(beta, h, larger(g, zero));
    const B next = lambda + step;
    lambda = choose(moving, next, lambda);
    moving = moving && g > B(epsilon<T>) * mul_add(s.norm, size, magnitude(along)) && step > two * B(epsilon<T>) * next;
    if (iteration == 1) moving = and_not(moving, rough);
    if (lane_bits(moving) == 0) break;
  }
  const B z1 = mul_add(lambda, s.ux, s.wx), z2 = mul_add(lambda, s.uy, s.wy);
  const B inverse_d = one / mul_add(lambda, lambda + s.trace, s.det);
  return {lambda, z1 * inverse_d, z2 * inverse_d, e1, e2, slips};
}

/// Returns contacts for which v(λ) leaves C again beyond the smallest λ, so that there are more solutions.
template <class A, class T>
[[gnu::noinline]] inline typename LaneTypes<A, T>::Mask leaves_region_again(
    typename LaneTypes<A, T>::Mask open, const SlipProblem<typename LaneTypes<A, T>::Batch>& s,
    typename LaneTypes<A, T>::Batch lambda) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), two(2), half(T(0.5));
  const B tolerance(T(8) * epsilon<T>);
  const B norm2 = s.norm * s.norm, slip2 = mul_add(s.ux, s.ux, s.uy * s.uy);
  Mask several(false);
  // An arc that has not been followed to its end by then counts as staying in C.
  constexpr int max_pieces = 32;
  for (int piece = 0; piece < max_pieces; ++piece) {
    // The tangents in v(λ) and v(λ + Δ) meet at (z(λ) + ½Δ ũ) / (D(λ) + Δ(λ + ½ tr S)). As long as that is in C, the
    // triangle of the three is, and so the arc, which is convex.
    const B z1 = mul_add(lambda, s.ux, s.wx), z2 = mul_add(lambda, s.uy, s.wy);
    const B d = mul_add(lambda, lambda + s.trace, s.det);
    const B r0 = mul_add(s.beta, d, mul_add(s.kappa1, z1, s.kappa2 * z2));
    const B r1 = half * mul_add(s.beta, mul_add(two, lambda, s.trace), mul_add(s.kappa1, s.ux, s.kappa2 * s.uy));
    const B a = mul_sub(norm2 * half * half, slip2, r1 * r1);
    const B h = mul_sub(norm2 * half, mul_add(z1, s.ux, z2 * s.uy), r0 * r1);
    const B inside = larger(mul_sub(r0, r0, norm2 * mul_add(z1, z1, z2 * z2)), zero);
    const Mask to_the_end = r1 > zero && a <= zero;
    open = and_not(open, to_the_end);
    const B root = square_root(larger(mul_add(h, h, a * inside), zero));
    const Mask falling = h < zero;
    const B numerator = choose(falling, root - h, inside), denominator = choose(falling, a, root + h);
    const B step = numerator / choose(denominator > zero, denominator, one);
    lambda = choose(open, lambda + step, lambda);

    const B y1 = mul_add(lambda, s.ux, s.wx), y2 = mul_add(lambda, s.uy, s.wy);
    const B size = s.norm * square_root(mul_add(y1, y1, y2 * y2));
    const B along = mul_add(s.kappa1, y1, s.kappa2 * y2);
    const B outside = size - along - s.beta * mul_add(lambda, lambda + s.trace, s.det);
    const Mask out = open && outside > tolerance * (size + magnitude(along));
    several = several || out;
    open = and_not(open, out) && step > tolerance * lambda;
    if (lane_bits(open) == 0) break;
  }
  return several;
}

template <class A, class T>
inline typename LaneTypes<A, T>::Mask has_more_slip_ratios(typename LaneTypes<A, T>::Mask wanted,
                                                           SlipProblem<typename LaneTypes<A, T>::Batch> s,
                                                           typename LaneTypes<A, T>::Batch lambda) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  s.beta = larger(s.beta, min_beta<T>(s));
  // If the tangents in v(λ) and v(∞) = 0 meet in C, which contains both points, v(λ) stays in C.
  const B bound = mul_add(s.beta, mul_add(B(2), lambda, s.trace), mul_add(s.kappa1, s.ux, s.kappa2 * s.uy));
  const Mask open = wanted && s.norm * square_root(mul_add(s.ux, s.ux, s.uy * s.uy)) > bound;
  if (lane_bits(open) == 0) [[likely]]
    return Mask(false);
  return leaves_region_again<A, T>(open, s, lambda);
}

/// Fraction of the friction bound that counts as all of it, up to rounding.
template <class T>
inline constexpr T nearly_all = T(1) - T(8) * epsilon<T>;

/// Returns where p reaches the friction cone. The sum of two impulses on the cone reaches it if they are parallel, up
/// to rounding.
template <class A, class T>
inline typename LaneTypes<A, T>::Mask reaches_cone(const LawInput<A, T>& in,
                                                   const Vector3<typename LaneTypes<A, T>::Batch>& p) {
  using B = typename LaneTypes<A, T>::Batch;
  const Cone<B> cone = cone_of(in.friction);
  return cone.normal * square_root(mul_add(p.x, p.x, p.y * p.y)) >= B(nearly_all<T>) * cone.tangential * p.z;
}

}  // namespace
}  // namespace carom::kernel
