// The slide along a ray, and how it changes. With z and y the parts of δu_t along û and ê across it, b = δk - δN û,
// λ = dr/ds, n = ê·N ê and slip time T:
//
//   G = exp(-n T)          c = b_e / (λ + n)      C = y1 - c r1      y = C G + c r      I = (r G - r1) / (λ - n)
//   η = c Δ + C (1 - G) / n      z = z1 + b_u Δ - n_ue η
//   δX = δX1 + ê η         δA = δA1 + z1 Δ + ½ b_u Δ² - n_ue (½ c Δ² + C (Δ - I) / n)
//
// At rest G = r = 0, and λ + n drops out: η = (y1 + b_e Δ) / n, and the bracket is Δ (y1 + ½ b_e Δ) / (n - λ).
// At rest only δs* = -û·δu_t / λ remains.
#pragma once

#include "phases.hpp"
#include "simd/kernels/numerics/exponential.hpp"

namespace carom::kernel {
namespace {

template <class M>
[[gnu::always_inline]] inline M choose_mask(M condition, M yes, M no) {
  return (condition && yes) || and_not(no, condition);
}

/// Moves along rays, or along the remaining way to rest. Returns the contacts that come to rest, with slip 0.
/// `arrival`: variation of s at the point of rest.
template <class T, class B, class Mask>
[[gnu::noinline]] inline Mask follow_ray(Mask on_ray, Mask stops, B mu, GradientContact<B>& c, Slip<B>& slip,
                                         Tangent<B> (&five)[5], Variation<B>& arrival) {
  using W = Variation<B>;
  const Mask wanted = on_ray || stops;
  const Rates<B>& k = c.rates;
  const B zero(0), one(1), half(T(0.5)), never(static_cast<T>(__builtin_inf()));
  // To fixed r, by the slip's own rates: there the tangents are of the order of r.
  const B own = mul_add(slip.cosine, slip.gx, slip.sine * slip.gy);
  Tangent<B> base[5];
  B back[5];
  for (int j = 0; j < 5; ++j) {
    const B h = negated(mul_add(slip.cosine, five[j].x, slip.sine * five[j].y)) / choose(wanted, own, one);
    back[j] = h;
    base[j] = {mul_add(slip.gx, h, five[j].x), mul_add(slip.gy, h, five[j].y), mul_add(slip.cosine, h, five[j].sum_x),
               mul_add(slip.sine, h, five[j].sum_y), mul_add(slip.r, h, five[j].area)};
  }
  B x = slip.cosine, y = slip.sine;
  Turning<B> t = turning(k, x, y);
  // A slip that does not turn in any direction is not moved onto a ray.
  const Mask turns_there =
      on_ray && magnitude(t.slope) > B(T(1) / T(16)) * (magnitude(t.slope + t.rate) + magnitude(t.rate));
  if (lane_bits(turns_there) != 0) turn_onto_ray<T>(turns_there, k, x, y, t);
  const B rate = choose(wanted, t.rate, B(-1)), stiffness = choose(wanted, mul_add(k.a1, y * y, k.a2 * x * x), one);
  const B coupling = x * y * (k.a2 - k.a1), rise = neg_mul_add(k.c1, x, neg_mul_add(k.c2, y, k.c3));
  const Slip<B> from = slip;

  const auto move = [&](B distance, Mask rest, Slip<B>& to, Tangent<B>(&there)[5]) {
    to = from;
    to.cosine = x;
    to.sine = y;
    to.r = choose(rest, zero, mul_add(rate, distance, from.r));
    to.x = to.r * x;
    to.y = to.r * y;
    to.gx = rate * x;
    to.gy = rate * y;
    to.sum_x = mul_add(x, distance, from.sum_x);
    to.sum_y = mul_add(y, distance, from.sum_y);
    to.s = from.s + distance;
    to.area = from.area + distance * mul_add(half * rate, distance, from.r);
    // T, the slip time, and G, the fraction of the perpendicular component that remains.
    const B time = distance / from.r * logarithm_ratio<T>(choose(rest, zero, rate * distance / from.r));
    const B left = choose(rest, zero, exponential<T>(negated(stiffness * time)));
    const B inverse_n = one / stiffness, separation = rate - stiffness;
    const B integral = mul_sub(to.r, left, from.r) / choose(separation == zero, one, separation);
    const B stopping = from.r / choose(rest, magnitude(rate), one), both = stiffness + magnitude(rate);
    const Forces<B> b(x, y);
    for (int j = 0; j < 5; ++j) {
      const B bx = b.x[j], by = b.y[j], be = mul_sub(x, by, y * bx), bu = mul_add(x, bx, y * by);
      const B across = mul_sub(x, base[j].y, y * base[j].x), along = mul_add(x, base[j].x, y * base[j].y);
      const B slope = rate + stiffness, ratio = choose(rest, zero, be / choose(rest || slope == zero, one, slope));
      const B rest_of = neg_mul_add(ratio, from.r, across);
      const B aside = choose(rest, mul_add(be, stopping, across) * inverse_n,
                             mul_add(ratio, distance, rest_of * (one - left) * inverse_n));
      const B z = neg_mul_add(coupling, aside, mul_add(bu, distance, along));
      const B w = mul_add(ratio, to.r, rest_of * left);
      const B sum_aside =
          choose(rest, stopping * mul_add(half * be, stopping, across) / both,
                 mul_add(half * ratio * distance, distance, rest_of * inverse_n * (distance - integral)));
      Tangent<B>& d = there[j];
      d.x = mul_sub(x, z, y * w);
      d.y = mul_add(y, z, x * w);
      d.sum_x = neg_mul_add(y, aside, base[j].sum_x);
      d.sum_y = mul_add(x, aside, base[j].sum_y);
      d.area = neg_mul_add(coupling, sum_aside,
                           mul_add(along, distance, mul_add(half * bu * distance, distance, base[j].area)));
      // Back to fixed s.
      d.x = neg_mul_add(to.gx, back[j], d.x);
      d.y = neg_mul_add(to.gy, back[j], d.y);
      d.sum_x = neg_mul_add(x, back[j], d.sum_x);
      d.sum_y = neg_mul_add(y, back[j], d.sum_y);
      d.area = neg_mul_add(to.r, back[j], d.area);
    }
  };

  Mask decompressing = c.phase.decompressing > zero;
  const B to_rest = choose(rate < zero, from.r / magnitude(rate), never);
  B z = c.slide.uz, done = zero;
  Mask rest = stops, running = wanted;
  // A turn, after which there may be one more, and the end.
  for (int piece = 0; piece < 3; ++piece) {
    const auto [next, next_turns] = next_event<T>(c, decompressing, z, c.phase.balance, rise);
    const B left = to_rest - done;
    rest = choose_mask(running, stops || left <= next, rest);
    const B distance = choose(running, choose(rest, left, next), zero);
    const B work = distance * mul_add(half * rise, distance, z);
    pass(c, running, decompressing, work, distance);
    z = choose(running, mul_add(rise, distance, z), z);
    done = done + distance;
    const Mask turns = and_not(running && next_turns, rest);
    if (lane_bits(turns) != 0) {
      Slip<B> at;
      Tangent<B> there[5];
      move(done, Mask(false), at, there);
      at_turn(c, turns, place_of(at, there, mu), rise, mu);
      turn(c, turns, decompressing);
      z = choose(turns, zero, z);
    }
    // Without restitution the collision is over where it turns.
    running = turns && c.e > zero;
    if (lane_bits(running) == 0) break;
  }
  Slip<B> at;
  Tangent<B> there[5];
  move(done, rest, at, there);
  c.slide.uz = choose(wanted, z, c.slide.uz);
  slip = {choose(wanted, at.x, slip.x),         choose(wanted, at.y, slip.y),
          choose(wanted, at.r, slip.r),         choose(wanted, at.cosine, slip.cosine),
          choose(wanted, at.sine, slip.sine),   choose(wanted, at.gx, slip.gx),
          choose(wanted, at.gy, slip.gy),       choose(wanted, at.sum_x, slip.sum_x),
          choose(wanted, at.sum_y, slip.sum_y), choose(wanted, at.s, slip.s),
          choose(wanted, at.area, slip.area)};
  const Mask arrived = wanted && rest;
  for (int j = 0; j < 5; ++j) {
    const Tangent<B> d = there[j];
    five[j] = {choose(wanted, d.x, five[j].x), choose(wanted, d.y, five[j].y), choose(wanted, d.sum_x, five[j].sum_x),
               choose(wanted, d.sum_y, five[j].sum_y), choose(wanted, d.area, five[j].area)};
    arrival.of[j] = choose(arrived, negated(mul_add(x, d.x, y * d.y)) / rate, zero);
  }
  arrival.of[W::scale] = choose(arrived, at.s, zero);
  return arrived;
}

}  // namespace
}  // namespace carom::kernel
