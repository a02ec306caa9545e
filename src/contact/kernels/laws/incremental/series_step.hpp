// Sliding, exact to rounding, by Taylor series in slip time. With τ so scaled that the larger of
// μ m1 + |k| and K_33 / 1024 is 1:
//
//   x' = b1 r - a1 x,   y' = b2 r - a2 y,   z' = c3 r - c1 x - c2 y,   r² = x² + y²,   u = (x, y, z)
//
// The integrals of x, y and r give the impulse, the integral of z r the work. In a step they are polynomials in τ, so
// the turning points of a collision are roots of polynomials: of u_z at the end of compression, and of Q + balance at
// the end of the collision. Q is the integral of z r (energetic), the integral of r (kinetic) or z (kinematic).
#pragma once

#include "series_contact.hpp"
#include "taylor.hpp"

namespace carom::kernel {
namespace {

/// Input of the rare step of a single contact.
template <class T, class B>
[[gnu::noinline]] inline SeriesStep<T> one_lane(std::size_t lane, B h, const Taylor<T, B>& series, const B* q,
                                                const SeriesContact<B>& c) {
  constexpr int state = SeriesOrder<T>::state, work = SeriesOrder<T>::work;
  const auto pick = [&](B lanes) {
    T values[VectorTraits<B>::width];
    store_lanes(values, lanes);
    return values[lane];
  };
  SeriesStep<T> one;
  for (int m = 0; m <= state; ++m) {
    one.x[m] = pick(series.x[m]);
    one.y[m] = pick(series.y[m]);
    one.z[m] = pick(series.z[m]);
  }
  for (int m = 0; m <= work; ++m) one.q[m] = pick(q[m]);
  one.h = pick(h);
  one.c1 = pick(c.rates.c1);
  one.c2 = pick(c.rates.c2);
  one.e = pick(c.e);
  one.law = pick(c.law);
  one.kinematic_balance = pick(c.kinematic_balance);
  one.balance = pick(c.phase.balance);
  one.decompressing = pick(c.phase.decompressing) > T(0);
  return one;
}

/// The default of step_series: does nothing.
struct NothingBeside {
  template <class Series, class B, class Mask>
  [[gnu::always_inline]] void operator()(const Series&, B, B, Mask) const {}
};

/// Steps the contacts that are `busy`. Returns the contacts whose collision is over. `beside` is called with the
/// series, the end of the step, the zero of u_z and the contacts with a zero. It may limit the step.
template <class T, class B, class Mask, class Beside = NothingBeside>
[[gnu::always_inline]] inline Mask step_series(SeriesContact<B>& c, Mask busy, const Beside& beside = {}) {
  using Order = SeriesOrder<T>;
  constexpr int state = Order::state, work = Order::work;
  constexpr std::size_t width = VectorTraits<B>::width;
  constexpr unsigned all_lanes = width == 32 ? ~0u : (1u << width) - 1;
  const B zero(0), one(1);
  const Rates<B>& k = c.rates;
  const B e = c.e, law = c.law, balance = c.phase.balance;
  const Mask decompressing = c.phase.decompressing > zero;
  const Mask kinetic = law == one, kinematic = law > one, energetic = law < one;

  Taylor<T, B> series;
  series.expand(k, c.slide.ux, c.slide.uy, c.slide.uz, c.r, c.inverse_r);
  B h = series.step();
  if constexpr (requires { beside.longest(series); }) h = smaller(h, beside.longest(series));
  const auto& [x, y, r, z, sum_x, sum_y, sum_r, sum_zr] = series;

  // Q
  const B* q = sum_zr;
  B mixed[work + 1];
  if (lane_bits(energetic) != all_lanes) {
    for (int m = 0; m <= work; ++m) mixed[m] = choose(kinetic, sum_r[m], choose(kinematic, z[m], sum_zr[m]));
    q = mixed;
  }

  // u_z is monotone if z' keeps its sign for any values of the higher terms within their bounds.
  Mask monotone = c.monotone > zero;
  if (lane_bits(monotone) != all_lanes) {
    B rest = zero;
    CAROM_UNROLL
    for (int m = state; m >= 2; --m) rest = mul_add(rest, h, B(static_cast<T>(m)) * magnitude(z[m]));
    monotone = monotone || magnitude(z[1]) > B(T(1.0001)) * rest * h;
  }
  const B z_end = value<state>(z, h), q_end = value<work>(q, h);

  // End of compression.
  const Mask turns = busy && monotone && and_not(z_end >= zero, decompressing);
  B stop = h, q_stop = q_end, low = zero, q_low = zero, new_balance = balance;
  Mask ended = Mask(false), pauses = Mask(false);
  if (lane_bits(turns) != 0) {
    // A parabola through the first point, along its slope, and through the last.
    const B curvature = (z_end - mul_add(z[1], h, z[0])) / (h * h);
    const B root = square_root(larger(mul_add(z[1], z[1], B(-4) * curvature * z[0]), zero));
    low = rising_root<state, T>(z, zero, zero, h, B(-2) * z[0] / (z[1] + root), turns);
    low = choose(turns, low, zero);
    const B q_turn = value<work>(q, low);
    const B after = choose(energetic, mul_add(e * e, q_turn, balance),
                           choose(kinetic, neg_mul_add(e, q_turn, balance), c.kinematic_balance));
    new_balance = choose(turns, after, balance);
    q_low = choose(and_not(turns, kinematic), q_turn, zero);
    ended = turns && e == zero;
    pauses = and_not(turns && energetic && e < B(Order::small_restitution), ended);
    stop = choose(ended || pauses, low, h);
    q_stop = choose(ended || pauses, q_low, q_end);
  }

  // End of the collision.
  const Mask opening = and_not(busy && monotone && (decompressing || turns), ended || pauses);
  const Mask closing = opening && z_end < zero;  // turns around within the step after all
  const Mask ends = and_not(opening, closing) && q_end >= q_low - new_balance;
  if (lane_bits(ends) != 0) {
    const B goal = q_low - new_balance, span = h - low;
    const B q_start = choose(kinematic && and_not(decompressing, turns), z[0], q_low);
    const B slope_start = choose(turns, choose(energetic, zero, choose(kinetic, r[0], z[1])), q[1]);
    const B curvature = (q_end - mul_add(slope_start, span, q_start)) / (span * span);
    const B need = goal - q_start;
    const B root = square_root(larger(mul_add(slope_start, slope_start, B(4) * curvature * need), zero));
    const B guess = low + B(2) * need / (slope_start + root);
    stop = choose(ends, rising_root<work, T>(q, goal, low, h, guess, ends), stop);
    q_stop = choose(ends, goal, q_stop);
    ended = ended || ends;
  }
  const Mask goes_on = and_not(busy && monotone, ended || pauses);
  const B gain = q_end - q_low;
  new_balance = choose(and_not(goes_on, kinematic),
                       choose(decompressing || turns, new_balance + gain,
                              choose(kinetic, neg_mul_add(e, gain, new_balance), mul_add(e * e, gain, new_balance))),
                       new_balance);

  // Contacts that are not monotone follow one by one.
  Mask turned = turns, halts = pauses || (ended && e == zero);
  if (const unsigned rare = lane_bits(and_not(busy, monotone) || closing); rare != 0) [[unlikely]] {
    T at[width], balances[width], ending[width], turning[width], is_rare[width];
    store_lanes(at, stop);
    store_lanes(balances, new_balance);
    store_lanes(ending, choose(ended, one, zero));
    store_lanes(turning, choose(turns, one, zero));
    for (std::size_t lane = 0; lane < width; ++lane) is_rare[lane] = static_cast<T>(rare >> lane & 1u);
    for_each_bit(rare, [&](std::size_t lane) {
      const TurningPoint<T> point = first_turning_point(one_lane(lane, h, series, q, c));
      at[lane] = point.at;
      balances[lane] = point.balance;
      ending[lane] = point.ended ? T(1) : T(0);
      turning[lane] = point.turned ? T(1) : T(0);
    });
    const Mask those = load_lanes<B>(is_rare) > zero;
    stop = load_lanes<B>(at);
    new_balance = load_lanes<B>(balances);
    ended = load_lanes<B>(ending) > zero;
    turned = load_lanes<B>(turning) > zero;
    low = choose(those, stop, low);
    halts = halts || (those && turned);
    q_stop = choose(those, value<work>(q, stop), q_stop);
    q_low = choose(those, q_stop, q_low);
  }

  beside(series, stop, low, turned);

  // Work before and after the end of compression; a contact that turned in the rare way stops there.
  B work_stop = q_stop, work_low = q_low;
  if (q != sum_zr) {
    work_stop = choose(energetic, work_stop, value<work>(sum_zr, stop));
    work_low = choose(energetic, work_low, value<work>(sum_zr, low));
  }
  const B before = choose(turned, work_low, work_stop), after = work_stop - before;
  c.slide.compression = c.slide.compression + choose(decompressing, choose(turned, after, zero), before);
  c.slide.decompression = c.slide.decompression + choose(decompressing, before, choose(turned, after, zero));
  c.phase.balance = new_balance;
  c.phase.decompressing = choose(differ(decompressing, turned), one, zero);
  c.phase.compressions = c.phase.compressions + choose(decompressing && turned, one, zero);
  c.steps = c.steps + one;

  const B dx = value<state>(sum_x, stop), dy = value<state>(sum_y, stop), dr = value<state>(sum_r, stop);
  c.slide.sum_x = c.slide.sum_x + dx;
  c.slide.sum_y = c.slide.sum_y + dy;
  c.phase.length = c.phase.length + dr;
  c.slide.ux = x[0] + neg_mul_add(k.a1, dx, k.b1 * dr);
  c.slide.uy = y[0] + neg_mul_add(k.a2, dy, k.b2 * dr);
  const B z_stop = z[0] + neg_mul_add(k.c1, dx, neg_mul_add(k.c2, dy, k.c3 * dr));
  // The end is u_z >= 0 by definition, under kinematic restitution a given one; a sum of terms of the size of u0 may
  // miss it by more than there is of it.
  const B z_end_of_collision = choose(kinematic, negated(new_balance), larger(z_stop, zero));
  c.slide.uz = choose(halts, zero, choose(ended, z_end_of_collision, z_stop));
  return ended && busy;
}

}  // namespace
}  // namespace carom::kernel
