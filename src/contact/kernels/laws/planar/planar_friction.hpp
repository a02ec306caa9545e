// The laws with a friction condition on the last slip. In the plane each has one solution: docs/planar.md has the
// proofs.
//
// [CR]: A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include "planar_problem.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct PlanarFriction {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  using Impulse = PlanarImpulse<A, T>;

  /// u_n rises by `rise` > 0, and either the contact sticks or friction opposes its final slip.
  static Impulse stick_or_slip(const Problem& in, B rise) {
    const Vector2<B> sticking = in.impulse_for(negated(in.x), rise);
    const Mask slips = in.outside_cone(sticking.x, sticking.y);
    const B sign = sign_of(mul_add(in.slope, rise, in.x));
    const Vector2<B> slipping = in.on_cone(negated(sign), rise);
    return {{choose(slips, slipping.x, sticking.x), choose(slips, slipping.y, sticking.y)}, slips};
  }

  /// [CR] 4.2.2.
  static Impulse whittaker(const Problem& in) { return stick_or_slip(in, in.rise()); }

  /// [CR] eq. 8. A slip that keeps its direction, or a reversed one of speed w: then the equation is a cubic in w,
  /// which changes its sign once where p_n > 0.
  [[gnu::noinline]] static Impulse smith(const Problem& in, Mask wanted) {
    const B zero(0), one(1), half(T(0.5));
    const B rise = in.rise(), sign = sign_of(in.x), slip = magnitude(in.x), b = sign * in.b;
    const B keeping = mul_sub(in.cone_t, in.c, in.cone_n * b), reversing = mul_add(in.cone_t, in.c, in.cone_n * b);
    const B pull = mul_sub(in.cone_t, b, in.cone_n * in.a), push = mul_add(in.cone_t, b, in.cone_n * in.a);
    const Mask keepable = keeping > zero;
    // The slip that is left at the end of the cone; below 0 it reverses.
    const B kept_slip = slip + pull * rise / choose(keepable, keeping, one);
    const Impulse at_rest = stick_or_slip(in, rise);
    const Mask still = and_not(Mask(true), slip > zero);
    const Mask keeps = keepable && kept_slip >= zero;

    // p_n > 0 between these.
    const Mask from = keeping < zero, until = reversing < zero;
    B low = choose(from, slip * square_root(negated(keeping) / choose(from, reversing, one)), zero);
    B high = choose(keepable, negated(kept_slip), slip);
    high = choose(b >= zero, smaller(high, slip), high);
    high = choose(until, smaller(high, slip * square_root(keeping / negated(choose(until, reversing, negated(one))))),
                  high);
    // Unbounded friction reverses the slip, unless that pulls.
    const Mask unbounded = in.cone_t == zero;
    B w = choose(unbounded, slip, high), last = high;
    Mask moving = and_not(and_not(wanted, keeps), still || unbounded);
    const B tolerance(T(2) * epsilon<T>);
    const B slip2 = slip * slip;
    for (int iteration = 0; lane_bits(moving) != 0 && iteration < max_steps; ++iteration) {
      const B w2 = w * w, total = slip + w;
      const B first = mul_add(keeping, slip2, reversing * w2), second = mul_add(pull, slip2, push * w2);
      const B excess = mul_add(total, first, rise * second);
      const B slope = mul_add(B(2) * w, mul_add(total, reversing, rise * push), first);
      const Mask below = excess < zero;
      low = choose(moving && below, w, low);
      high = choose(and_not(moving, below), w, high);
      const Mask rises = slope > zero;
      const B newton = w - excess / choose(rises, slope, one);
      const B middle = mul_add(half, high - low, low);
      // Newton's while it halves its steps inside of the bracket.
      const Mask good = rises && newton >= low && newton <= high && magnitude(newton - w) <= half * last;
      const B next = choose(good, newton, middle);
      const B step = magnitude(next - w);
      moving = moving && step > tolerance * total;
      last = choose(moving, step, last);
      w = choose(moving, next, w);
    }

    // From K⁻¹ or from the mean slip: the formula that loses fewer digits.
    const Vector2<B> stopped = in.impulse_for(neg_mul_add(sign, w, negated(in.x)), rise);
    const B mean = sign * (slip - w) * (slip + w) / choose(still, one, mul_add(w, w, slip2));
    const B lean = mean * in.cone_n * in.b, upright = in.cone_t * in.c, normal = upright - lean;
    const B lost_by_slip = (upright + magnitude(lean)) * magnitude(in.pivot * stopped.x);
    const B lost_by_inverse = normal * magnitude(mean) * (slip + w + magnitude(in.slope) * rise);
    const Mask by_slip = normal > zero && lost_by_slip < lost_by_inverse;
    const B size = rise / choose(by_slip, normal, one);
    Vector2<B> reversed = {choose(by_slip, negated(mean * in.cone_n) * size, stopped.x),
                           choose(by_slip, in.cone_t * size, stopped.y)};
    const Mask sensitive = wanted && in.det < B(ill_conditioned) * in.a * in.c;
    if (lane_bits(sensitive) != 0) reversed = nearer_mean_slip(in, sensitive, reversed);
    const Mask beyond = in.outside_cone(reversed.x, reversed.y);
    // Kept, without friction, or beyond the cone's end within rounding.
    const Vector2<B> end = in.on_cone(choose(keeps, negated(sign), sign_of(reversed.x)), rise);
    const Mask slips = keeps || beyond || in.friction == zero;
    const Vector2<B> p = {choose(slips, end.x, reversed.x), choose(slips, end.y, reversed.y)};
    return {{choose(still, at_rest.p.x, p.x), choose(still, at_rest.p.y, p.y)},
            (still && at_rest.slips) || and_not(slips, still)};
  }

  /// If K is ill-conditioned, a rounding error of the last slip is amplified in p: takes one step of Newton's method
  /// for p, with fixed u_n.
  [[gnu::noinline]] static Vector2<B> nearer_mean_slip(const Problem& in, Mask wanted, const Vector2<B>& p) {
    const B one(1), zero(0), first = magnitude(in.x);
    const B slip = mul_add(in.a, p.x, mul_add(in.b, p.y, in.x)), last = magnitude(slip);
    const B inverse = one / larger(mul_add(slip, slip, first * first), B(min_normal<T>));
    const B mean = mul_add(last, slip, first * in.x) * inverse;
    const B bend = B(2) * neg_mul_add(mean, slip, last) * inverse;
    const B left = mul_add(in.cone_t, p.x, in.cone_n * p.y * mean);
    const B slope = mul_add(in.cone_n * p.y * bend, in.pivot, neg_mul_add(in.cone_n * in.slope, mean, in.cone_t));
    const Mask told = larger(first, last) > B(told_slip) * (one + magnitude(p.x));
    const Mask near = wanted && told && slope > zero && magnitude(left) < B(near_step) * slope * magnitude(p.x);
    const B step = left / choose(near, slope, one);
    return {choose(near, p.x - step, p.x), choose(near, mul_add(in.slope, step, p.y), p.y)};
  }

  /// Compression and expansion, each with friction against its own last slip, and kinetic restitution. The tangential
  /// impulse of expansion has the fraction `back` of e times the impulse of compression, [CR] 4.2.4.
  static Impulse two_phases(const Problem& in, B back) {
    const B zero(0);
    const Impulse first = stick_or_slip(in, negated(in.y));
    const B p_n = in.restitution * first.p.y;
    // μ p_n, also if μ is unbounded while p_n vanishes.
    const B bound =
        choose(first.slips, in.restitution * magnitude(first.p.x), choose(p_n > zero, in.friction * p_n, zero));
    const B left = choose(first.slips, mul_add(in.a, first.p.x, mul_add(in.b, first.p.y, in.x)), zero);
    const B holding = negated(mul_add(in.b, p_n, left)) / in.a;
    const Mask slips = magnitude(holding) > bound;
    const B second = choose(slips, sign_of(holding) * bound, holding);
    const B p_t = mul_add(back, in.restitution * first.p.x, neg_mul_add(back, second, second));
    // On the cone if both phases end on the same side of it.
    const Mask whole = back == B(1);
    const Mask same = whole || (first.p.x * second >= zero && (slips || in.restitution == zero));
    return {{first.p.x + p_t, first.p.y + p_n}, first.slips && same};
  }

 private:
  // Newton's method and bisection in turn: a limit if rounding keeps the bracket open.
  static constexpr int max_steps = 100;
  // det K / (K_11 K_22) below which p is improved by a further Newton step, where the slip is larger than the rounding
  // errors of its terms. The step is so small relative to p_t that the error is squared.
  static constexpr T ill_conditioned = T(0x1p-6), told_slip = T(0x1p-12), near_step = T(0x1p-8);
};

}  // namespace
}  // namespace carom::kernel
