// Law::smith. u_z = -e u0_z, and friction opposes a mean of the first and the last slip, weighted with their squares.
//
//   c   -(1 + e) u0_z       p_t = -μ p_z D,   D = (|u0_t| u0_t + |u_t| u_t) / (|u0_t|² + |u_t|²)
//   S   M - k kᵀ / K_33     p_z = (c - k·p_t) / K_33,   u_t = u0_t + k c / K_33 + S p_t
//
// For every p_z there is one u_t (mean_slip.hpp), so that u_z is a function of p_z, which starts at u0_z < 0. Solutions
// of the law are where it is -e u0_z; the smallest p_z is taken. Nearly always it rises there and nowhere else, and
// Newton's method from Whittaker's impulse finds the place. What fails, or might have several solutions, is scanned.
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
  static constexpr unsigned reads = reads_nothing;
  static constexpr bool iterates = true;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask wanted, const LawInput<A, T>& in) {
    return Solution<A, T>(in).find(wanted);
  }

 private:
  template <class A, class T>
  struct Solution {
    using B = typename LaneTypes<A, T>::Batch;
    using Mask = typename LaneTypes<A, T>::Mask;
    static constexpr bool is_float = sizeof(T) == sizeof(float);

    // Newton's steps are squared by the next one: what is below these is done.
    static constexpr T fine = is_float ? T(0x1p-18) : T(0x1p-42), coarse = T(0x1p-6),
                       finest = is_float ? T(0x1p-22) : T(0x1p-50);
    // Friction above this is as good as unbounded: |p_t| is finite, so p_z or D vanishes to rounding.
    static constexpr T unbounded = is_float ? T(0x1p24) : T(0x1p53);
    // A first slip below this, of |u0|, is within rounding of none: where the contact sticks nearly, and where it
    // slips, since the mean slip is that of the last one then.
    static constexpr T negligible = is_float ? T(0x1p-21) : T(0x1p-50);
    static constexpr int samples = 20;

    const LawInput<A, T>& in;
    B friction, c, slip;
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
      problem.c = c;
      problem.k1 = in.k1;
      problem.k2 = in.k2;
      problem.first_x = slip * in.u0.x;
      problem.first_y = slip * in.u0.y;
      problem.first2 = slip * slip;
    }

    LawResult<A, T> find(Mask wanted) const {
      const Mask mean = wanted && slip > B(negligible);
      LawResult<A, T> result = slip_to_normal_velocity<A, T>(wanted, in, in.u0, c, mean);
      result.u.z = negated(in.restitution * in.u0.z);
      B v1 = negated(result.p.x), v2 = negated(result.p.y);
      start(and_not(mean, result.slips), result.p, v1, v2);
      const MeanSlip<A, T> near =
          find_mean_slip<A, T>(mean, problem, v1, v2, larger(problem.radius(v1, v2), B(0)), fine, 10);
      v1 = near.v1;
      v2 = near.v2;
      Mask several = result.several, none(false);
      const B opposing = square_root(mul_add(result.p.x, result.p.x, result.p.y * result.p.y));
      const B last = square_root(mul_add(result.u.x, result.u.x, result.u.y * result.u.y));
      const B ratio = last / choose(opposing > B(0), opposing, B(1));
      const Mask open = mean && ambiguous(ratio);
      if (const Mask doubtful = and_not(mean, near.found) || open; lane_bits(doubtful) != 0)
        search(doubtful, open, near.found, v1, v2, several, none);

      const B z = larger(mul_add(in.k1, v1, mul_add(in.k2, v2, c)) / in.k33, B(0));
      result.p = {choose(mean, negated(v1), result.p.x), choose(mean, negated(v2), result.p.y),
                  choose(mean, z, result.p.z)};
      const B ux = neg_mul_add(problem.s11, v1, neg_mul_add(problem.s12, v2, problem.ux));
      const B uy = neg_mul_add(problem.s12, v1, neg_mul_add(problem.s22, v2, problem.uy));
      const Vector3<B> after = in.u0 + k_times(in, result.p);
      result.u = {choose(mean, after.x, result.u.x), choose(mean, after.y, result.u.y), result.u.z};
      result.slips = and_not(result.slips, mean) || (mean && reaches_cone<A, T>(in, result.p));
      if (lane_bits(none) != 0) [[unlikely]]
        none = and_not(none, solves(v1, v2, z, ux, uy));
      result.none = none;
      result.several = and_not(several, none);
      return result;
    }

    /// True where friction is against the mean slip within half of what docs/accuracy.md promises.
    Mask solves(B v1, B v2, B z, B ux, B uy) const {
      const Cone<B> cone = cone_of(in.friction);
      const B last = length(ux, uy), both = mul_add(last, last, problem.first2);
      const B m = cone.tangential * z / choose(both > B(0), both, B(1));
      const B left1 = mul_sub(cone.normal, v1, m * mul_add(last, ux, problem.first_x));
      const B left2 = mul_sub(cone.normal, v2, m * mul_add(last, uy, problem.first_y));
      // The direction of a small slip is as uncertain as the velocities that it is left of.
      const B size = length(v1, v2) + z, largest = larger(last, slip);
      const B uncertain = B(1) + (B(1) + size) / choose(largest > B(0), largest, B(1));
      return length(left1, left2) <= B(is_float ? T(0x1p-18) : T(0x1p-47)) * size * uncertain;
    }

    /// From where Whittaker's law sticks, with D = v / m in the disc: the last slip that gives this D, as if v stayed.
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

    /// Where u_z may not rise with p_z throughout: Whittaker's law is not known to have just one solution, or friction
    /// is many times what jams. Of random contacts with several solutions fewer than one in twenty lie elsewhere.
    Mask ambiguous(B whittaker_ratio) const {
      const B bend = square_root(mul_add(in.k1, in.k1, in.k2 * in.k2)) * problem.alpha;
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
    B excess(B z, const LastSlip<B>& s) const {
      return mul_sub(in.k33, z, mul_add(in.k1, s.v1, mul_add(in.k2, s.v2, c)));
    }

    struct Bracket {
      B low, high, low_excess, high_excess;
      LastSlip<B> at_low;
    };

    /// Of where Newton's method has failed or may have found another solution than the first.
    [[gnu::noinline]] void search(Mask doubtful, Mask open, Mask found, B& v1, B& v2, Mask& several, Mask& none) const {
      // Friction takes energy, so that none is gained beyond the ½ (e - 1) |u0_z| p_z of a restitution above 1: no
      // larger p_z than at the top of that ellipsoid.
      const B gain = mul_add(B(T(0.5)), larger(in.restitution - B(1), B(0)), B(1));
      const B middle = mul_sub(in.q1, in.u0.x, neg_mul_add(in.q2, in.u0.y, gain * in.u0.z)) / in.schur;
      const Vector3<B> stop = inverse_m_times(in, in.u0.x, in.u0.y);
      const B energy = mul_add(in.u0.x, stop.x, in.u0.y * stop.y) / in.schur;
      const B top = middle + square_root(mul_add(middle, middle, larger(energy, B(0))));
      Bracket bracket = {B(0), top, negated(c), top * in.schur, {slip, B(0), B(0), B(0)}};
      Mask lost = and_not(doubtful, found), more(false);
      if (lane_bits(open) != 0) {
        more = scan(open, bracket);
        lost = lost || more;
      }
      const Mask searched = lost;
      const B found1 = v1, found2 = v2;

      // From half way up Newton's method nearly always arrives.
      constexpr int stages[] = {1, 4, is_float ? 30 : 60};
      for (const int steps : stages) {
        if (lane_bits(lost) == 0) break;
        const LastSlip<B> nearest = narrow(lost, bracket, steps);
        v1 = choose(lost, nearest.v1, v1);
        v2 = choose(lost, nearest.v2, v2);
        lost = and_not(lost, polish(lost, bracket, nearest.m, v1, v2));
      }
      // A crossing between coarse samples at which there is no solution was one of their roughness.
      const Mask stands = lost && found;
      v1 = choose(stands, found1, v1);
      v2 = choose(stands, found2, v2);
      none = lost && and_not(searched, found);
      several = several || and_not(more, lost);
    }

    /// u_z at samples of p_z from 0 to the top, and at crests between them that may reach zero. Brackets the first
    /// crossing; true where there are more.
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
        const B rise = half * (height - older), bend = older - old - old + height;
        const Mask crest = (i > 2 ? open : and_not(open, steep)) && magnitude(rise) < magnitude(bend) &&
                           bend * old > zero && old * height > zero && old * older > zero;
        const B offset = negated(rise) / choose(crest, bend, one);
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
      // A crest may cross before the sample that is the highest.
      const Mask crossed_before = bracket.low >= bracket.high;
      raise(bracket, crossed_before, zero, negated(c), {slip, zero, zero, zero});
      return open && crossings > one;
    }

    /// Newton's method from (v1, v2) and m; where it stays in the bracket.
    Mask polish(Mask wanted, const Bracket& bracket, B m, B& v1, B& v2) const {
      const MeanSlip<A, T> again = find_mean_slip<A, T>(wanted, problem, v1, v2, m, fine, 20);
      const B z = mul_add(in.k1, again.v1, mul_add(in.k2, again.v2, c)) / in.k33;
      // The ends themselves are as uncertain as that.
      const B slack = B(T(0x1p-8)) * bracket.high;
      const Mask polished = wanted && again.found && z >= bracket.low - slack && z <= bracket.high + slack;
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
