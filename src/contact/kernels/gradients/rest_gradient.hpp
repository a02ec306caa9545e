// From rest to the end of a collision, and how it changes: friction holds the contact, or it leaves on a ray.
#pragma once

#include "contact/kernels/laws/incremental/sticking.hpp"
#include "phases.hpp"

namespace carom::kernel {
namespace {

/// The end of the collision.
template <class T, class B>
struct EndOfCollision {
  Place<B> place;
  B z, rate_x, rate_y, slope;  // u_z, dp_t/ds, du_z/ds
  B status;

  template <class M>
  void say(M condition, GradientStatus worse) {
    status = at_least<T>(status, condition, worse);
  }
};

template <class A, class T>
class RestGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using W = Variation<B>;

 public:
  /// `end` has the place where contacts come to rest, and gets that where the collision ends.
  RestGradient(EndOfCollision<T, B>& end, T tolerance) : end_(end), tolerance_(tolerance) {}

  /// Goes from rest to the end, and returns the contacts whose derivatives by the slip do not exist.
  [[gnu::noinline]] Mask finish(Mask rests, Mask at_start, GradientContact<B>& c, const GradientGiven<B>& g,
                                const W& arrival) {
    const B zero(0), one(1), half(T(0.5)), two(2), tolerance(tolerance_);
    const B size = length(g.q1, g.q2), mu = g.friction;
    const Mask leaves = rests && size > mu;
    const B step = c.normal_step;
    const StickingRates<B> rates = sticking_rates<A, T>(static_cast<const Sticker<B>&>(g), leaves);
    const B slope = choose(rests, step * rates.uz, one);
    end_.say(rests && magnitude(size - mu) <= tolerance * (size + mu), GradientStatus::one_sided);
    const B z = choose(c.phase.decompressing > zero, larger(c.slide.uz, zero), smaller(c.slide.uz, zero));
    end_.say(and_not(rests, at_start) && c.law == one && magnitude(z) <= tolerance, GradientStatus::one_sided);
    const Leaving<B> ray = leaving(leaves, c, g, rates);
    const Place<B> from = end_.place;

    Mask decompressing = c.phase.decompressing > zero;
    const Mask compresses = and_not(rests, decompressing);
    const B to_turn = choose(compresses, negated(z) / slope, zero);
    if (lane_bits(compresses) != 0) {
      pass(c, compresses, decompressing, half * z * to_turn, to_turn);
      const Place<B> place = stuck(from, to_turn, leaves, c, g, rates, ray, arrival);
      at_turn(c, compresses, place, slope, mu);
      turn(c, compresses, decompressing);
    }
    const B first = choose(compresses, zero, z), need = negated(c.phase.balance);
    const B by_work = square_root(larger(mul_add(first, first, two * slope * need), zero));
    const B last = choose(c.law < one, by_work,
                          choose(c.law == one, mul_add(slope, larger(need, zero), first), larger(first, need)));
    const B distance = to_turn + (last - first) / slope;
    end_.say(and_not(rests, compresses) && last - first <= tolerance, GradientStatus::one_sided);
    const Place<B> place = stuck(from, distance, leaves, c, g, rates, ray, arrival);
    end_.place = {choose(rests, place.ux, end_.place.ux), choose(rests, place.uy, end_.place.uy),
                  choose(rests, place.px, end_.place.px), choose(rests, place.py, end_.place.py),
                  choose(rests, place.s, end_.place.s),   choose(rests, place.area, end_.place.area),
                  choose(rests, place.vx, end_.place.vx), choose(rests, place.vy, end_.place.vy),
                  choose(rests, place.va, end_.place.va)};
    end_.z = choose(rests, last, end_.z);
    end_.rate_x = choose(rests, rates.px, end_.rate_x);
    end_.rate_y = choose(rests, rates.py, end_.rate_y);
    end_.slope = choose(rests, slope, end_.slope);
    const Mask undefined = at_start && leaves;
    end_.say(undefined, GradientStatus::undefined);
    return undefined;
  }

 private:
  /// A place after rest, `distance` from it.
  [[gnu::noinline]] Place<B> stuck(const Place<B>& from, B distance, Mask leaves, const GradientContact<B>& c,
                                   const GradientGiven<B>& g, const StickingRates<B>& rates, const Leaving<B>& ray,
                                   const W& arrival) const {
    const B zero(0), one(1), half(T(0.5)), mu = g.friction;
    Place<B> held = {zero,   zero, zero, zero, from.s + distance, from.area, no_variation<B>(), no_variation<B>(),
                     from.va};
    const B i1 = one / (c.normal_step * g.m1), i2 = one / (c.normal_step * g.m2);
    held.px = negated(mul_add(g.q1, held.s, g.u0x * i1));
    held.py = negated(mul_add(g.q2, held.s, g.u0y * i2));
    held.vx.of[W::ux] = negated(i1);
    held.vx.of[W::xx] = negated(held.px * i1);
    held.vx.of[W::xy] = negated(held.py * i1);
    held.vx.of[W::xz] = negated(held.s * i1);
    held.vy.of[W::uy] = negated(i2);
    held.vy.of[W::xy] = negated(held.px * i2);
    held.vy.of[W::yy] = negated(held.py * i2);
    held.vy.of[W::yz] = negated(held.s * i2);
    held.va.of[W::scale] = from.area + from.area;
    held.va.of[W::turn] = zero;
    if (lane_bits(leaves) == 0) return held;

    Place<B> gone = from;
    gone.s = held.s;
    gone.ux = ray.rate * ray.x * distance;
    gone.uy = ray.rate * ray.y * distance;
    gone.px = mul_add(rates.px, distance, from.px);
    gone.py = mul_add(rates.py, distance, from.py);
    gone.area = mul_add(half * ray.rate * distance, distance, from.area);
    // Friction changes its direction at rest, and rest comes later or sooner.
    gone.vx = mul_add(end_.rate_x - rates.px, arrival, from.vx);
    gone.vy = mul_add(end_.rate_y - rates.py, arrival, from.vy);
    gone.va = mul_add(negated(ray.rate * distance), arrival, from.va);
    for (int j = 0; j < 5; ++j) {
      gone.vx.of[j] = neg_mul_add(mu * distance, ray.of_x[j], gone.vx.of[j]);
      gone.vy.of[j] = neg_mul_add(mu * distance, ray.of_y[j], gone.vy.of[j]);
      gone.va.of[j] = mul_add(half * distance * distance, ray.of_rate[j], gone.va.of[j]);
    }
    gone.vx.of[W::friction] = neg_mul_add(ray.x, distance, gone.vx.of[W::friction]);
    gone.vy.of[W::friction] = neg_mul_add(ray.y, distance, gone.vy.of[W::friction]);
    gone.vx.of[W::turn] = negated(gone.py);
    gone.vy.of[W::turn] = gone.px;
    return {choose(leaves, gone.ux, held.ux),
            choose(leaves, gone.uy, held.uy),
            choose(leaves, gone.px, held.px),
            choose(leaves, gone.py, held.py),
            held.s,
            choose(leaves, gone.area, held.area),
            choose(leaves, gone.vx, held.vx),
            choose(leaves, gone.vy, held.vy),
            choose(leaves, gone.va, held.va)};
  }

  EndOfCollision<T, B>& end_;
  T tolerance_;
};

}  // namespace
}  // namespace carom::kernel
