// Law::smith. u_z = -e u0_z, and friction opposes a mean of the first and the last slip, weighted with their squares.
//
//   c   -(1 + e) u0_z       p_t = -μ p_z D,   D = (|u0_t| u0_t + |u_t| u_t) / (|u0_t|² + |u_t|²)
//   S   M - k kᵀ / K_33     p_z = (c - k·p_t) / K_33,   u_t = u0_t + k c / K_33 + S p_t
//
// For every p_z there is one u_t (mean_slip.hpp), so u_z is a function of p_z, which starts at u0_z < 0. The solutions
// of the law are its values -e u0_z; the smallest p_z is selected. Usually there is a single crossing, and Newton's
// method from Whittaker's impulse finds it. Contacts for which it fails, or that might have several solutions, are
// scanned.
//
// C. E. Smith, Predicting rebounds using rigid-body dynamics, J. Appl. Mech. 58, 1991. A. Chatterjee, A. Ruina, 1998,
// section 4.2.3.
#pragma once

#include "mean_slip.hpp"
#include "whittaker.hpp"

namespace carom::kernel {
namespace {

struct Smith {
  static constexpr Law law = Law::smith;
  static constexpr bool iterates = true;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in) {
    typename LaneTypes<A, T>::Mask left;
    return Solution<A, T>(in).template find<false>(wanted, left);
  }
  template <class A, class T>
  static LawResult<A, T> attempt(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in,
                                 typename LaneTypes<A, T>::Mask& left) {
    return Solution<A, T>(in).template find<true>(wanted, left);
  }

 private:
  template <class A, class T>
  struct Solution {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    static constexpr bool is_float = sizeof(T) == sizeof(float);

    // Newton's method squares the error in each step, so steps below these are the last ones.
    static constexpr T fine = is_float ? T(0x1p-18) : T(0x1p-42), coarse = T(0x1p-6);
    // Friction above this is equivalent to unbounded friction: |p_t| is finite, so p_z or D vanishes to rounding.
    static constexpr T unbounded = T(2) / epsilon<T>;
    // A first slip below this, relative to |u0|, equals 0 up to rounding, both for contacts that nearly stick and for
    // contacts that slip, whose mean slip then equals the last one.
    static constexpr T negligible = T(4) * epsilon<T>;
    static constexpr T large = is_float ? T(0x1p13) : T(0x1p27);
    static constexpr int samples = 20;

    const LawInput<A, T>& in;
    B friction, c, slip, bend;
    MeanSlipProblem<B> problem;

    explicit Solution(const LawInput<A, T>& given) : in(given) {
      const B inverse_k33 = B(1) / in.k33;
      friction = smaller(in.friction, B(unbounded));
      c = negated((B(1) + in.restitution) * in.u0.z);
      slip = length(in.u0.x, in.u0.y);
      problem.s11 = larger(difference_of_products(in.m11, in.k33, in.k1, in.k1), B(0)) * inverse_k33;
      problem.s12 = difference_of_products(in.m12, in.k33, in.k1, in.k2) * inverse_k33;
      problem.s22 = larger(difference_of_products(in.m22, in.k33, in.k2, in.k2), B(0)) * inverse_k33;
      problem.ux = mul_add(in.k1 * inverse_k33, c, in.u0.x);
      problem.uy = mul_add(in.k2 * inverse_k33, c, in.u0.y);
      problem.alpha = friction * inverse_k33;
      bend = length(in.k1, in.k2) * problem.alpha;
      problem.c = c;
      problem.k1 = in.k1;
      problem.k2 = in.k2;
      problem.first_x = slip * in.u0.x;
      problem.first_y = slip * in.u0.y;
      problem.first2 = slip * slip;
    }

    template <bool attempts>
    LawResult<A, T> find(Mask wanted, Mask& left) const {
      Mask mean = wanted && slip > B(negligible);
      LawResult<A, T> result = slip_to_normal_velocity<A, T>(wanted, in, in.u0, c, mean);
      // Rounding error of u_t for sticking contacts.
      const B rounded = B(negligible) * smaller(square_root(dot(result.p, result.p)), B(large));
      mean = mean && (result.slips || slip > rounded);
      result.u.z = negated(in.restitution * in.u0.z);
      B v1 = negated(result.p.x), v2 = negated(result.p.y);
      start(and_not(mean, result.slips), result.p, v1, v2);
      const MeanSlip<A, T> near =
          find_mean_slip<A, T>(mean, problem, v1, v2, larger(problem.radius(v1, v2), B(0)), fine, attempts ? 8 : 10);
      v1 = near.v1;
      v2 = near.v2;
      Mask several = result.several, none(false);
      const B opposing = square_root(mul_add(result.p.x, result.p.x, result.p.y * result.p.y));
      const B last = square_root(mul_add(result.u.x, result.u.x, result.u.y * result.u.y));
      const B ratio = last / choose(opposing > B(0), opposing, B(1));
      const Mask open = mean && ambiguous(ratio);
      const Mask doubtful = and_not(mean, near.found) || open;
      if constexpr (attempts)
        left = doubtful;
      else if (lane_bits(doubtful) != 0)
        search(doubtful, open, near.found, v1, v2, several, none);

      const Impulse p = impulse_of(v1, v2);
      result.p = {choose(mean, negated(p.v1), result.p.x), choose(mean, negated(p.v2), result.p.y),
                  choose(mean, p.z, result.p.z)};
      const Vector3<B> after = in.u0 + k_times(in, result.p);
      result.u = {choose(mean, after.x, result.u.x), choose(mean, after.y, result.u.y), result.u.z};
      result.slips = and_not(result.slips, mean) || (mean && reaches_cone<A, T>(in, result.p));
      if (const Mask far = mean && dot(result.p, result.p) > B(large * large); lane_bits(far) != 0) [[unlikely]]
        none = none || and_not(far, plausible(result.p, length(result.u.x, result.u.y)));
      result.none = none;
      result.several = and_not(several, none);
      return result;
    }

    /// False for a large impulse if rounding determines the direction of friction, or if the impulse gains more energy
    /// than the contact energy ½ u0·K⁻¹u0. No impulse is large while cond K < 1 / √ε.
    Mask plausible(const Vector3<B>& p, B last) const {
      const B rounding(epsilon<T>);
      const B up = mul_sub(in.q1, in.u0.x, neg_mul_add(in.q2, in.u0.y, gain() * in.u0.z));
      const Vector3<B> stop = inverse_m_times(in, in.u0.x, in.u0.y);
      const B energy = mul_add(up, up / in.schur, mul_add(in.u0.x, stop.x, in.u0.y * stop.y));
      return mul_add(B(T(0.5)), dot(p, k_times(in, p)), dot(p, in.u0)) <= B(T(0.5)) * energy &&
             rounding * square_root(dot(p, p)) <= B(T(0.125)) * larger(last, slip);
    }

    struct Impulse {
      B v1, v2, z;
    };
    /// Computes p_z from u_z. If rounding moves p_z out of the cone, v is corrected: along k if that is steep, since
    /// p_z is inaccurate there, otherwise along itself.
    Impulse impulse_of(B v1, B v2) const {
      const B zero(0), one(1);
      const B along = mul_add(in.k1, v1, in.k2 * v2), z = (c + along) / in.k33, size = length(v1, v2);
      const Mask outside = z * friction < size;
      if (lane_bits(outside) == 0) return {v1, v2, larger(z, zero)};
      const B along2 = mul_add(in.k1, in.k1, in.k2 * in.k2), least = size / friction;
      const Mask steep = outside && bend > one;
      const B shorter = neg_mul_add(problem.alpha, along, size);
      const Mask scaled = and_not(outside, steep) && shorter > zero;
      const B factor = choose(scaled, problem.alpha * c / choose(scaled, shorter, one), one);
      const B off = excess(least, v1, v2) / choose(steep, along2, one);
      return {choose(steep, mul_add(off, in.k1, v1), factor * v1), choose(steep, mul_add(off, in.k2, v2), factor * v2),
              choose(steep, least, choose(scaled, factor * least, larger(z, zero)))};
    }

    /// True if friction is along the mean slip D with the magnitude of the law, and u_z has its target, up to `units`
    /// of docs/accuracy.md.
    Mask solves(B v1, B v2, T units) const {
      const B one(1), within(units * epsilon<T>);
      const Cone<B> cone = cone_of(in.friction);
      const Impulse p = impulse_of(v1, v2);
      const Vector3<B> u = in.u0 + k_times(in, Vector3<B>{negated(p.v1), negated(p.v2), p.z});
      const B last = length(u.x, u.y), both = mul_add(last, last, problem.first2);
      const B inverse = one / choose(both > B(0), both, one);
      const B d1 = mul_add(last, u.x, problem.first_x) * inverse, d2 = mul_add(last, u.y, problem.first_y) * inverse;
      const B left = length(mul_sub(cone.normal, p.v1, cone.tangential * p.z * d1),
                            mul_sub(cone.normal, p.v2, cone.tangential * p.z * d2));
      const B across = magnitude(difference_of_products(p.v1, d2, p.v2, d1)), along = mul_add(p.v1, d1, p.v2 * d2);
      // The direction of a small slip is as uncertain as the velocities that it is left of.
      const B size = length(p.v1, p.v2) + p.z, largest = larger(last, slip);
      const B uncertain = (one + size) / choose(largest > B(0), largest, one);
      const B direction = within * size * (one + uncertain);
      return left <= within * size * mul_add(cone.tangential, uncertain, one) && across <= direction &&
             along >= negated(direction) &&
             mul_sub(cone.normal, length(p.v1, p.v2), cone.tangential * p.z) <= within * size &&
             magnitude(excess(p.z, p.v1, p.v2)) <= within * (one + size);
    }

    /// Starts from sticking under Whittaker's law, with D = v / m in the disc: computes the last slip for this D at
    /// fixed v.
    void start(Mask sticks, const Vector3<B>& p, B& v1, B& v2) const {
      const B zero(0), one(1), two(2);
      const B m = friction * p.z;
      const B divisor = choose(m > zero, m, one);
      const B d1 = v1 / divisor, d2 = v2 / divisor;
      const B inverse_slip = one / choose(slip > zero, slip, one);
      const B a1 = in.u0.x * inverse_slip, a2 = in.u0.y * inverse_slip;
      const B off = one - mul_add(d1, a1, d2 * a2);
      // D = (1 - t) û0 + t û with |û| = 1
      const B weight = (two * off - one + mul_add(d1, d1, d2 * d2)) / (two * choose(off > zero, off, one));
      const Mask within = sticks && off > zero && weight > zero && weight < one;
      const B t = choose(within, weight, B(T(0.5)));
      const B last = slip * square_root(t / (one - t)) / t;
      const B u1 = last * (d1 - (one - t) * a1), u2 = last * (d2 - (one - t) * a2);
      // S⁻¹ u = M⁻¹ u + q (q·u) / schur
      const B along = mul_add(in.q1, u1, in.q2 * u2) / in.schur;
      const Vector3<B> back = inverse_m_times(in, u1, u2);
      const B w1 = v1 - mul_add(in.q1, along, back.x), w2 = v2 - mul_add(in.q2, along, back.y);
      const Mask pushes = within && mul_add(in.k1, w1, mul_add(in.k2, w2, c)) > zero;
      v1 = choose(pushes, w1, v1);
      v2 = choose(pushes, w2, v2);
    }

    /// Contacts for which u_z may not be monotone in p_z: Whittaker's law may have several solutions, or friction is
    /// many times the friction that jams. Fewer than one in twenty of the random contacts with several solutions are
    /// elsewhere.
    Mask ambiguous(B whittaker_ratio) const {
      const B bound = problem.alpha * mul_add(c, mul_add(B(2), whittaker_ratio, problem.s11 + problem.s22),
                                              mul_add(in.k1, problem.ux, in.k2 * problem.uy));
      const B free_slip = square_root(mul_add(problem.ux, problem.ux, problem.uy * problem.uy));
      return bend > B(1) && (free_slip > bound || bend > B(5));
    }

    [[gnu::noinline]] LastSlip<B> at(Mask wanted, B z, B from, T tolerance) const {
      const GivenNormal<B> given = {in.m11,
                                    in.m12,
                                    in.m22,
                                    in.m11 + in.m22,
                                    in.det_m,
                                    friction * z,
                                    mul_add(in.k1, z, in.u0.x),
                                    mul_add(in.k2, z, in.u0.y),
                                    problem.first_x,
                                    problem.first_y,
                                    problem.first2};
      return last_slip<A, T>(wanted, given, from, tolerance);
    }
    /// u_z + e u0_z
    B excess(B z, B v1, B v2) const { return mul_sub(in.k33, z, mul_add(in.k1, v1, mul_add(in.k2, v2, c))); }
    B excess(B z, const LastSlip<B>& s) const { return excess(z, s.v1, s.v2); }

    struct Bracket {
      B low, high, low_excess, high_excess;
      LastSlip<B> at_low;
    };

    /// Friction dissipates energy, so the gain is at most ½ (e - 1) |u0_z| p_z for e > 1, as for a u0_z that is larger
    /// by this factor.
    B gain() const { return mul_add(B(T(0.5)), larger(in.restitution - B(1), B(0)), B(1)); }

    /// Solves contacts for which Newton's method has failed or may have found another solution than the first.
    [[gnu::noinline]] void search(Mask doubtful, Mask open, Mask found, B& v1, B& v2, Mask& several, Mask& none) const {
      const B middle = mul_sub(in.q1, in.u0.x, neg_mul_add(in.q2, in.u0.y, gain() * in.u0.z)) / in.schur;
      const Vector3<B> stop = inverse_m_times(in, in.u0.x, in.u0.y);
      const B energy = mul_add(in.u0.x, stop.x, in.u0.y * stop.y) / in.schur;
      // The largest p_z of the ellipsoid on which no energy is gained.
      const B top = middle + square_root(mul_add(middle, middle, larger(energy, B(0))));
      Bracket bracket = {B(0), top, negated(c), top * in.schur, {slip, B(0), B(0), B(0)}};
      found = found || solves(v1, v2, T(1));
      Mask lost = and_not(doubtful, found), more(false);
      if (lane_bits(open) != 0) {
        more = scan(open, bracket);
        lost = lost || more;
      }
      const Mask searched = lost;
      const B found1 = v1, found2 = v2;
      if (const Mask rough = lost && open; lane_bits(rough) != 0) settle(rough, top, bracket);

      // From half way up Newton's method nearly always arrives.
      constexpr int stages[] = {1, 4, is_float ? 30 : 60};
      for (const int steps : stages) {
        if (lane_bits(lost) == 0) break;
        const LastSlip<B> nearest = narrow(lost, bracket, steps);
        v1 = choose(lost, nearest.v1, v1);
        v2 = choose(lost, nearest.v2, v2);
        lost = and_not(lost, polish(lost, bracket, nearest.m, v1, v2));
      }
      // A crossing between coarse samples without a solution is an error of the coarse samples.
      const Mask stands = lost && found;
      v1 = choose(stands, found1, v1);
      v2 = choose(stands, found2, v2);
      // Half of the documented bound.
      none = lost && and_not(and_not(searched, found), solves(v1, v2, T(32)));
      several = several || and_not(more, lost);
    }

    /// Evaluates u_z at samples of p_z from 0 to the top, and at crests between them that may reach zero. Brackets the
    /// first crossing. Returns contacts with more crossings.
    Mask scan(Mask open, Bracket& bracket) const {
      const B zero(0), one(1), half(T(0.5)), top = bracket.high;
      const T step = T(1) / static_cast<T>(samples);
      LastSlip<B> last = bracket.at_low;
      B older = bracket.low_excess, old = older, crossings = zero;
      Mask below(true);
      const auto visit = [&](Mask where, B z, B height) {
        const Mask now_below = height < zero, untouched = where && crossings == zero;
        const Mask first = and_not(untouched, now_below);
        bracket.high = choose(first, z, bracket.high);
        bracket.high_excess = choose(first, height, bracket.high_excess);
        raise(bracket, now_below && untouched, z, height, last);
        crossings = crossings + choose(where && differ(below, now_below), one, zero);
        below = (where && now_below) || and_not(below, where);
      };
      // Large friction has done all it can, and so may have crossed zero, before the first of these samples.
      const B first = top * B(step * step);
      const Mask steep = open && friction * first > one;
      if (lane_bits(steep) != 0)
        for (T m = T(0.125); m < T(200); m += m) {
          const B z = smaller(B(m) / choose(steep, friction, one), first);
          const LastSlip<B> here = at(steep, z, last.slip, coarse);
          const B height = excess(z, here);
          last = {choose(steep, here.slip, last.slip), choose(steep, here.v1, last.v1), choose(steep, here.v2, last.v2),
                  choose(steep, here.m, last.m)};
          visit(steep, z, height);
          older = choose(steep, old, older);
          old = choose(steep, height, old);
        }
      for (int i = 1; i <= samples; ++i) {
        const B part(static_cast<T>(i) * step), z = top * (part * part);
        const LastSlip<B> here = at(open, z, last.slip, coarse);
        const B height = excess(z, here);
        // The vertex of the parabola through the last three samples.
        const B rise = half * (height - older), curve = older - old - old + height;
        const Mask crest = (i > 2 ? open : and_not(open, steep)) && magnitude(rise) < magnitude(curve) &&
                           curve * old > zero && old * height > zero && old * older > zero;
        const B offset = negated(rise) / choose(crest, curve, one);
        const Mask reaches = crest && old * mul_add(half * rise, offset, old) < half * old * old;
        if (lane_bits(reaches) != 0) {
          const B between = part + B(step) * (offset - one), z_between = top * (between * between);
          last = at(reaches, z_between, last.slip, coarse);
          visit(reaches, z_between, excess(z_between, last));
        }
        last = here;
        visit(open, z, height);
        older = old;
        old = height;
      }
      // A crest may cross before the highest sample.
      const Mask crossed_before = bracket.low >= bracket.high;
      raise(bracket, crossed_before, zero, negated(c), {slip, zero, zero, zero});
      return open && crossings > one;
    }

    /// Corrects the bracket if the first crossing is near a coarse sample, just outside of the bracket.
    void settle(Mask rough, B top, Bracket& bracket) const {
      const B zero(0);
      B width = B(T(0.25)) * (bracket.high - bracket.low);
      for (int i = 0; i < 6; ++i) {
        const LastSlip<B> at_low = at(rough, bracket.low, bracket.at_low.slip, fine);
        const LastSlip<B> at_high = at(rough, bracket.high, at_low.slip, fine);
        const B low_excess = excess(bracket.low, at_low), high_excess = excess(bracket.high, at_high);
        const Mask below = rough && low_excess >= zero;
        const Mask above = and_not(rough, below) && high_excess < zero && bracket.high < top;
        bracket.low_excess = choose(rough, low_excess, bracket.low_excess);
        bracket.high_excess = choose(rough, high_excess, bracket.high_excess);
        if (lane_bits(below || above) == 0) break;
        const B low = bracket.low, high = bracket.high;
        bracket.high = choose(below, low, choose(above, smaller(high + width, top), high));
        raise(bracket, above, high, high_excess, at_high);
        bracket.low = choose(below, larger(low - width, zero), bracket.low);
        width = B(4) * width;
      }
    }

    /// Newton's method from (v1, v2) and m; where it stays in the bracket.
    Mask polish(Mask wanted, const Bracket& bracket, B m, B& v1, B& v2) const {
      const MeanSlip<A, T> again = find_mean_slip<A, T>(wanted, problem, v1, v2, m, fine, 20);
      const B z = again.m / friction;
      // The ends themselves are as uncertain as that.
      const B slack = B(T(0x1p-8)) * bracket.high;
      const Mask polished = wanted && (again.found || solves(again.v1, again.v2, T(1))) && z >= bracket.low - slack &&
                            z <= bracket.high + slack;
      v1 = choose(polished, again.v1, v1);
      v2 = choose(polished, again.v2, v2);
      return polished;
    }

    static void raise(Bracket& bracket, Mask where, B z, B height, const LastSlip<B>& s) {
      bracket.low = choose(where, z, bracket.low);
      bracket.low_excess = choose(where, height, bracket.low_excess);
      bracket.at_low.slip = choose(where, s.slip, bracket.at_low.slip);
      bracket.at_low.v1 = choose(where, s.v1, bracket.at_low.v1);
      bracket.at_low.v2 = choose(where, s.v2, bracket.at_low.v2);
      bracket.at_low.m = choose(where, s.m, bracket.at_low.m);
    }

    /// By halves and chords in turn; the last sample. p_z may be as small as 1 / μ.
    LastSlip<B> narrow(Mask wanted, Bracket& bracket, int steps) const {
      const B zero(0), half(T(0.5));
      LastSlip<B> sample = bracket.at_low;
      for (int i = 0; i < steps; ++i) {
        const B low = bracket.low, high = bracket.high;
        const B rise = bracket.high_excess - bracket.low_excess;
        const B chord = negated(bracket.low_excess) / choose(rise > zero, rise, B(1));
        const B chosen = i % 2 == 0 ? half : larger(smaller(chord, B(T(0.95))), B(T(0.05)));
        const B within = mul_add(chosen, high - low, low);
        const B far = choose(low > zero, square_root(low) * square_root(high), B(T(0x1p-6)) * high);
        const B z = choose(steps == 1 ? Mask(true) : B(16) * low > high, within, far);
        sample = at(wanted, z, sample.slip, fine);
        const B height = excess(z, sample);
        const Mask under = height < zero;
        bracket.high = choose(under, bracket.high, z);
        bracket.high_excess = choose(under, bracket.high_excess, height);
        raise(bracket, under, z, height, sample);
      }
      return sample;
    }
  };
};

}  // namespace
}  // namespace carom::kernel
