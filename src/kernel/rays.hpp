// End of a collision by the series: a contact whose direction has settled slides straight on, one that is at rest
// sticks, and both have a closed form: with constant rates per normal impulse s, u_z and the impulse grow linearly, the
// work quadratically. [R] 3.6, 3.9
#pragma once

#include "direction.hpp"
#include "sticking.hpp"

namespace carom::kernel {
namespace {

/// Contacts on their way along straight lines, in the tile's units.
template <class A, class T>
struct Straight {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  Progress<B> c;
  B balance, e, law, first_uz;
  Mask decompressing;
  B compressions;
  B counted;  // 1: s is normal impulse; 0: it is none, since friction without a bound stops the slip alone

  /// With rates du/ds = (dux, duy, duz) and dp_t/ds = (dpx, dpy), until the end of the collision or s = limit, where
  /// `running`. Where the limit came first.
  [[gnu::noinline]] Mask run(Mask running, B dux, B duy, B duz, B dpx, B dpy, B limit) {
    const B zero(0), one(1), two(2), half(T(0.5)), never(static_cast<T>(__builtin_inf()));
    const Mask kinetic = law == one, kinematic = law > one, energetic = law < one;
    const Mask rises = duz > zero, falls = duz < zero;
    const B divisor = choose(rises || falls, duz, one);
    Mask limited = Mask(false);
    // Two compressions at most, each with its decompression, and a limit.
    for (int piece = 0; piece < 6 && lane_bits(running) != 0; ++piece) {
      const B to_zero = negated(c.uz) / divisor;
      // The end: 1/2 duz s² + uz s = -balance, s = -balance or uz + duz s = -balance.
      const B radicand = neg_mul_add(two * duz, balance, c.uz * c.uz);
      const B sum = c.uz + square_root(larger(radicand, zero));
      const B work_end = choose(radicand < zero, never,
                                // A small restitution may give back too little for the root, and is over at once.
                                choose(sum > zero, B(-2) * balance / choose(sum > zero, sum, one),
                                       choose(and_not(balance < zero, rises), never, zero)));
      const B rise_end =
          choose(c.uz >= negated(balance), zero, choose(rises, (negated(balance) - c.uz) / divisor, never));
      const B end = choose(energetic, work_end, choose(kinetic, negated(balance), rise_end));
      const B again = choose(falls, to_zero, never);
      B s = choose(decompressing, smaller(end, again), choose(rises, to_zero, never));
      const Mask stops = limit < s;
      s = choose(running, choose(stops, limit, s), zero);

      const B work = s * mul_add(half * duz, s, c.uz);
      const B gain = choose(energetic, choose(decompressing, work, e * e * work),
                            choose(kinetic, choose(decompressing, s, negated(e * s)), zero));
      // Nothing is added to what has ended, not even a zero: that would depend on the neighbours.
      const auto add = [&](B& x, B change) { x = choose(running, x + change, x); };
      add(c.work_compression, choose(decompressing, zero, counted * work));
      add(c.work_decompression, choose(decompressing, counted * work, zero));
      add(balance, gain);
      add(c.uz, duz * s);
      add(c.ux, dux * s);
      add(c.uy, duy * s);
      add(c.px, dpx * s);
      add(c.py, dpy * s);
      add(c.pz, counted * s);
      limit = limit - s;

      limited = limited || (running && stops);
      running = and_not(running, stops);
      const Mask ended = running && decompressing && and_not(decompressing, again < end);
      const Mask opens = and_not(running, decompressing), closes = and_not(running && decompressing, ended);
      // The end as the law has it, whatever became of the sum.
      c.uz = choose(ended, larger(c.uz, choose(kinematic, negated(balance), zero)), c.uz);
      c.uz = choose(opens || closes, zero, c.uz);
      balance = choose(opens && kinematic, e * first_uz, balance);
      compressions = compressions + choose(closes, one, zero);
      decompressing = (decompressing || opens) && differ(closes, decompressing || opens);
      running = and_not(running, ended || (opens && e == zero));
    }
    return limited;
  }
};

/// The end of every collision of a block that the series has been through; elsewhere the numbers mean nothing. Writes
/// the paths into the tile.
template <class A, class T>
[[gnu::noinline]] inline Progress<typename LaneTypes<A, T>::Batch> end_of_series(Tile<T>& tile, std::size_t slot) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  constexpr std::size_t width = LaneTypes<A, T>::width;
  const auto load = [&](const T* lane) { return load_lanes<B>(lane + slot); };
  const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
  const B friction_step = load(tile.friction_step), normal_step = load(tile.normal_step);
  const B law = load(tile.restitution_law);
  const B balance = load(tile.phase.balance);
  const Mask bounded = normal_step > zero;
  Straight<A, T> way = {progress_of<B>(tile, slot),
                        choose(and_not(bounded, law > one), normal_step * balance, balance),
                        load(tile.restitution),
                        law,
                        load(tile.u0z),
                        load(tile.phase.decompressing) > zero,
                        load(tile.phase.compressions),
                        choose(bounded, one, zero)};
  const B friction = choose(bounded, load(tile.friction), friction_step);  // per s
  const B departure = load(tile.departure);
  const Mask frictionless = departure == number<T, B>(Departure::frictionless);
  const Mask on_their_way = departure == number<T, B>(Departure::settled);
  Mask stuck = Mask(false), diverges = Mask(false), at_start = Mask(false);

  if (lane_bits(frictionless) != 0) {
    const B k33 = load(tile.rates.c3) / choose(frictionless, normal_step, one);
    // Without slip there was nothing to stop, and as a rule nothing to hold it.
    at_start = frictionless && way.c.ux == zero && way.c.uy == zero;
    diverges = at_start && length(load(tile.q1), load(tile.q2)) > zero;
    way.run(frictionless, load(tile.k1), load(tile.k2), k33, zero, zero, never);
  }

  if (lane_bits(on_their_way) != 0) {
    const B m1 = load(tile.m1), m2 = load(tile.m2), q1 = load(tile.q1), q2 = load(tile.q2);
    const Rates<B> k = load_each<B>(tile.rates, slot);
    Progress<B>& c = way.c;
    const B r = square_root(mul_add(c.ux, c.ux, c.uy * c.uy));
    const Mask vanished = on_their_way && r <= B(SeriesOrder<T>::tolerance);
    stuck = vanished;
    at_start = at_start || (vanished && load(tile.phase.length) == zero);
    if (const Mask slides = and_not(on_their_way, vanished); lane_bits(slides) != 0) {
      const B inverse_r = one / choose(slides, r, one);
      B x = c.ux * inverse_r, y = c.uy * inverse_r;
      Turning<B> t = turning(k, x, y);
      const Settled<Mask> rest = settled<T, Mask>(t, r);
      turn_onto_ray<T>(slides && rest.near_ray, k, x, y, t);
      c.ux = choose(slides, r * x, c.ux);
      c.uy = choose(slides, r * y, c.uy);
      const B scale = one / choose(slides && bounded, normal_step, one), rate = t.rate * scale;
      const B duz = neg_mul_add(k.c1, x, neg_mul_add(k.c2, y, k.c3)) * scale;
      const B limit = choose(rate < zero, r / negated(choose(rate < zero, rate, B(-1))), never);
      const Mask stopped =
          way.run(slides, rate * x, rate * y, duz, negated(friction * x), negated(friction * y), limit);
      c.ux = choose(stopped, zero, c.ux);
      c.uy = choose(stopped, zero, c.uy);
      stuck = stuck || stopped;
    }
    if (lane_bits(stuck) != 0) {
      diverges = diverges || (stuck && length(q1, q2) > load(tile.friction));
      const Mask held = and_not(stuck, diverges);
      // What is left of the slip is stopped by friction alone: Δp = (-M⁻¹ u_t, 0). Where friction can't hold the
      // contact that could leave the cone, and the slip goes along.
      c.px = choose(held, c.px - c.ux / m1, c.px);
      c.py = choose(held, c.py - c.uy / m2, c.py);
      c.uz = choose(held, neg_mul_add(q1, c.ux, neg_mul_add(q2, c.uy, c.uz)), c.uz);
      c.ux = choose(held, zero, c.ux);
      c.uy = choose(held, zero, c.uy);
      // What friction without a bound has done so far was no work.
      way.balance = choose(and_not(stuck, bounded || law > one), zero, way.balance);
      way.counted = one;
      // u_z keeps the sign of its phase.
      c.uz = choose(stuck, choose(way.decompressing, larger(c.uz, zero), smaller(c.uz, zero)), c.uz);
      const Mask late = way.decompressing;
      const B sliding_compressions = way.compressions;
      const StickingRates<B> rates = sticking_rates<A, T>(tile, slot, stuck && diverges);
      way.run(stuck, rates.ux, rates.uy, rates.uz, rates.px, rates.py, never);
      way.decompressing = (stuck && late) || and_not(way.decompressing, stuck);
      way.compressions = choose(stuck, sliding_compressions, way.compressions);
    }
  }

  // The counts of a path cover the sliding phases.
  T compressions[width];
  store_lanes(compressions, way.compressions);
  const unsigned stuck_bits = lane_bits(stuck), late = lane_bits(way.decompressing), start = lane_bits(at_start);
  const unsigned diverge_bits = lane_bits(diverges);
  for (std::size_t lane = 0; lane < width; ++lane) {
    const bool sticks = (stuck_bits >> lane & 1u) != 0, decompressed = (late >> lane & 1u) != 0;
    if ((start >> lane & 1u) != 0) {
      tile.path[slot + lane] = Path{Course::stick_at_start, Sticking::stable, 0, 0};
    } else {
      const int count = compressions[lane] < T(3) ? static_cast<int>(compressions[lane]) : 3;
      const int full = decompressed ? static_cast<int>(compressions[lane]) : static_cast<int>(compressions[lane]) - 1;
      tile.path[slot + lane] =
          Path{sticks ? (decompressed ? Course::stick_in_d : Course::stick_in_c) : Course::slide_end,
               sticks ? Sticking::stable : Sticking::none, static_cast<std::uint8_t>(count),
               static_cast<std::uint8_t>(full < 3 ? full : 3)};
    }
    if ((diverge_bits >> lane & 1u) != 0) tile.path[slot + lane].sticking = Sticking::diverge;
  }
  return way.c;
}

}  // namespace
}  // namespace carom::kernel
