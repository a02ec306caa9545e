// The incremental law in the plane, closed form: a straight slide, and at most one other straight line from where it
// stops. [R] 5.2, steps 3 to 9.
//
//   s       max(1, μ) p_n while it slides, so that neither component of dp/ds exceeds 1
//   Wc, Wd  work of the normal force in compression, decompression
//   Pc, Pd  its impulse
#pragma once

#include "planar_problem.hpp"

namespace carom::kernel {
namespace {

/// The paths of planar collisions, as numbers of Path::index.
enum PlanarPath : unsigned {
  planar_slip = Path{SlidingEnd::slip}.index(),
  planar_stick = Path{SlidingEnd::stick}.index(),
  planar_slide_end = Path{SlidingEnd::slide_end, Sticking::none, 1, 1}.index(),
  planar_stick_in_c = Path{SlidingEnd::stick_in_c, Sticking::stable, 1, 0}.index(),
  planar_stick_in_d = Path{SlidingEnd::stick_in_d, Sticking::stable, 1, 1}.index(),
  planar_stick_at_start = Path{SlidingEnd::stick_at_start, Sticking::stable, 0, 0}.index(),
  planar_diverge_at_start = Path{SlidingEnd::stick_at_start, Sticking::diverge, 0, 0}.index(),
};
/// From a path that sticks to the one that diverges.
inline constexpr unsigned planar_diverges_by = planar_diverge_at_start - planar_stick_at_start;
static_assert(planar_stick_in_c + planar_diverges_by == Path{SlidingEnd::stick_in_c, Sticking::diverge, 1, 0}.index());

template <class B>
struct PlanarCollision {
  Vector2<B> p, u;
  B work_compression, work_decompression;
  B path;    // Path::index
  B energy;  // gained
};

template <class A, class T>
struct PlanarIncremental {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  [[gnu::always_inline]] static PlanarCollision<B> resolve(const PlanarProblem<A, T>& in, B restitution_law) {
    const B zero(0), one(1), two(2), half(T(0.5));
    const B sign = sign_of(in.x), target = negated(in.restitution * in.y);

    // Slide.
    const B slide_t = mul_sub(in.cone_t, in.b, sign * in.cone_n * in.a);
    const B slide_n = mul_sub(in.cone_t, in.c, sign * in.cone_n * in.b);
    const Mask slides = magnitude(in.x) > zero;
    const B approach = negated(sign * slide_t);
    const Mask converges = slides && approach > zero;
    const B to_rest = choose(converges, magnitude(in.x) / choose(converges, approach, one), zero);
    const B at_rest = mul_add(slide_n, to_rest, in.y);
    const Mask ends = and_not(slides, converges && (at_rest <= zero || at_rest < target));
    const B inverse_n = one / choose(slide_n > zero, slide_n, one);
    const B compression = negated(in.y) * inverse_n;
    const B slide = mul_add(in.restitution, compression, compression);
    const B slide_work = half * in.y * compression * in.cone_t;

    // Rest. Converts counts per s to counts per p_n, which is constant under unbounded friction.
    const Mask decompresses = at_rest > zero;
    const B rebound = choose(decompresses, at_rest * inverse_n, zero);
    B pc = in.cone_t * choose(decompresses, compression, to_rest), pd = in.cone_t * rebound;
    B wc = choose(decompresses, slide_work, half * (in.y + at_rest) * to_rest * in.cone_t);
    B wd = half * at_rest * rebound * in.cone_t;
    const B size_b = magnitude(in.b);
    const Mask stable = in.cone_t * size_b <= in.cone_n * in.a;
    const B sign_b = sign_of(in.b);
    const B inverse_a = one / in.a;
    // These are rates along the line from rest, per p_n. c - μ|b| is a sum of positive terms.
    const B excess = choose(stable, zero, neg_mul_add(in.friction, in.a, size_b));
    const B line_n = mul_add(in.det, inverse_a, size_b * excess * inverse_a);
    const B line_p = choose(stable, negated(in.b) * inverse_a, negated(sign_b * in.friction));
    const Mask approaches = at_rest < zero;
    const B last_compression = choose(approaches, negated(at_rest) / line_n, zero);
    wc = mul_add(half * at_rest, last_compression, wc);
    pc = pc + last_compression;
    const B y = choose(approaches, zero, at_rest);

    const B work = larger(negated(mul_add(in.restitution * in.restitution, wc, wd)), zero);
    B end = square_root(mul_add(y, y, two * line_n * work));
    const B sum = y + end;
    const Mask moves = sum > zero;
    B left = choose(moves, two * work / choose(moves, sum, one), zero);
    const Mask kinetic = restitution_law == number(RestitutionLaw::kinetic);
    const Mask kinematic = restitution_law == number(RestitutionLaw::kinematic);
    if (lane_bits(kinetic || kinematic) != 0) [[unlikely]] {
      const B kinetic_left = larger(mul_sub(in.restitution, pc, pd), zero);
      const B kinematic_end = larger(target, y);
      left = choose(kinetic, kinetic_left, choose(kinematic, (kinematic_end - y) / line_n, left));
      end = choose(kinetic, mul_add(line_n, kinetic_left, y), choose(kinematic, kinematic_end, end));
    }
    wd = mul_add(half * (y + end), left, wd);
    const B length = last_compression + left;

    PlanarCollision<B> out;
    out.p = {choose(ends, negated(sign * in.cone_n) * slide, mul_sub(line_p, length, sign * in.cone_n * to_rest)),
             choose(ends, in.cone_t * slide, pc + pd + left)};
    out.u = {choose(ends, mul_add(slide_t, slide, in.x), sign_b * excess * length), choose(ends, target, end)};
    out.work_compression = choose(ends, slide_work, wc);
    out.work_decompression = choose(ends, negated(in.restitution * in.restitution * slide_work), wd);
    const B start = choose(slides, choose(decompresses, code(planar_stick_in_d), code(planar_stick_in_c)),
                           code(planar_stick_at_start));
    out.path =
        choose(ends, code(planar_slide_end), start + choose(stable, zero, B(static_cast<T>(planar_diverges_by))));
    out.energy = in.energy_gained(out.p);
    return out;
  }

  static B code(PlanarPath path) { return B(static_cast<T>(path)); }

 private:
  static B number(RestitutionLaw law) { return B(static_cast<T>(law)); }
};

}  // namespace
}  // namespace carom::kernel
