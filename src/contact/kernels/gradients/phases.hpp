// Phases of a collision along a straight way, the weights of their ends, and the ray on which contacts leave rest.
#pragma once

#include "slide_memory.hpp"

namespace carom::kernel {
namespace {

/// Distance to the next event, and whether u_z changes its sign there.
template <class B, class M>
struct Event {
  B distance;
  M turns;
};

/// Along a ray: u_z changes its sign or the collision ends, whichever is first.
template <class T, class B, class M>
[[gnu::always_inline]] inline Event<B, M> next_event(const SeriesContact<B>& c, M decompressing, B z, B balance,
                                                     B rise) {
  const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
  const B turn = choose(differ(rise > zero, decompressing), negated(z) / choose(rise == zero, one, rise), never);
  const B radicand = neg_mul_add(B(2) * rise, balance, z * z), sum = z + square_root(larger(radicand, zero));
  const B by_work = choose(radicand < zero || sum <= zero, choose(balance < zero, never, zero),
                           B(-2) * balance / choose(sum > zero, sum, one));
  const B by_rise = choose(rise > zero, (negated(balance) - z) / choose(rise > zero, rise, one), never);
  const B end = choose(c.law < one, by_work, choose(c.law == one, negated(balance), by_rise));
  const B closes = choose(decompressing, larger(end, zero), never), turns = choose(rise == zero, never, turn);
  return {smaller(closes, turns), turns < closes};
}

/// Adds the weighted variation at a place where u_z has changed its sign.
template <class B, class M>
[[gnu::always_inline]] inline void at_turn(GradientContact<B>& c, M turned, const Place<B>& place, B slope, B mu) {
  using T = VectorElement<B>;
  const B zero(0), one(1);
  const M decompressing = c.phase.decompressing > zero, kinetic = c.law == one, energetic = c.law < one;
  const B sign = choose(decompressing, B(-1), one);
  const B steep = choose(slope == zero, B(T(1e-30)), slope);
  const B weight = choose(turned, sign * choose(kinetic, (one + c.e) / steep, mul_sub(c.e, c.e, one)), zero);
  // Usually, all contacts have the same law.
  Variation<B> what = of_work(place, mu);
  if (lane_bits(kinetic) != 0) what = choose(kinetic, of_normal_velocity(place, c.rates), what);
  const Variation<B> sum = mul_add(weight, what, c.balance);
  c.balance = choose(turned && (kinetic || energetic), sum, c.balance);
  c.compressing_impulse = choose(turned, mul_add(sign, place.s, c.compressing_impulse), c.compressing_impulse);
  c.weakest = choose(turned && kinetic, smaller(c.weakest, magnitude(slope) / c.rates.c3), c.weakest);
}

/// Adds the work and impulse of a piece in which s increases by `distance`.
template <class B, class M>
[[gnu::always_inline]] inline void pass(GradientContact<B>& c, M running, M decompressing, B work, B distance) {
  const B zero(0), one(1);
  const B gain = choose(c.law < one, choose(decompressing, work, c.e * c.e * work),
                        choose(c.law == one, choose(decompressing, distance, negated(c.e * distance)), zero));
  c.phase.balance = choose(running, c.phase.balance + gain, c.phase.balance);
  c.slide.compression = choose(and_not(running, decompressing), c.slide.compression + work, c.slide.compression);
}
/// u_z is 0: the next phase begins.
template <class B, class M>
[[gnu::always_inline]] inline void turn(GradientContact<B>& c, M turns, M& decompressing) {
  const B zero(0), one(1);
  decompressing = differ(decompressing, turns);
  c.phase.decompressing = choose(decompressing, one, zero);
  c.phase.balance = choose(turns && c.law > one, c.kinematic_balance, c.phase.balance);
}

/// The ray on which contacts leave that friction does not hold, and how it changes by the five tangents.
template <class B>
struct Leaving {
  B x, y, rate;
  B of_x[5], of_y[5], of_rate[5];
};
template <class B, class M>
inline Leaving<B> leaving(M leaves, const GradientContact<B>& c, const GradientGiven<B>& g,
                          const StickingRates<B>& rates) {
  const B zero(0), one(1), divisor = choose(leaves && g.friction > zero, negated(g.friction), one);
  Leaving<B> ray;
  ray.x = choose(leaves, rates.px / divisor, one);
  ray.y = choose(leaves, rates.py / divisor, zero);
  // Without friction the slip leaves along k.
  const M free = leaves && g.friction == zero;
  const B size = length(g.k1, g.k2), inverse = one / choose(size > zero, size, one);
  ray.x = choose(free, g.k1 * inverse, ray.x);
  ray.y = choose(free, g.k2 * inverse, ray.y);
  ray.rate = choose(leaves, c.normal_step * mul_add(ray.x, rates.ux, ray.y * rates.uy), zero);
  const B i1 = one / choose(leaves, ray.rate + c.rates.a1, one), i2 = one / choose(leaves, ray.rate + c.rates.a2, one);
  const B norm = one / mul_add(ray.x * ray.x, i1, ray.y * ray.y * i2);
  const Forces<B> b(ray.x, ray.y);
  for (int j = 0; j < 5; ++j) {
    const B bx = b.x[j], by = b.y[j];
    ray.of_rate[j] = mul_add(ray.x * i1, bx, ray.y * i2 * by) * norm;
    ray.of_x[j] = i1 * neg_mul_add(ray.of_rate[j], ray.x, bx);
    ray.of_y[j] = i2 * neg_mul_add(ray.of_rate[j], ray.y, by);
  }
  return ray;
}

}  // namespace
}  // namespace carom::kernel
