// End of a collision by the series: a contact whose direction has settled slides straight on, one that is at rest
// sticks, and both have a closed form: with constant rates per normal impulse s, u_z and the impulse grow linearly, the
// work quadratically. [R] 3.6, 3.9
#pragma once

#include "direction.hpp"
#include "series_contact.hpp"
#include "sticking.hpp"

namespace carom::kernel {
namespace {

/// Contacts on their way along straight lines, in the tile's units.
template <class A, class T>
struct Straight {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  Progress<B> c;
  B balance, e, law, kinematic_balance;
  Mask decompressing;
  B compressions;
  B counted;  // 1: s counts as normal impulse; 0: it does not, as unbounded friction stops the slip

  /// Moves with rates du/ds = (dux, duy, duz) and dp_t/ds = (dpx, dpy) until the end of the collision or s = limit, for
  /// `running` contacts. Returns contacts for which the limit came first.
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
                                // With a small e, the sum may be too small for the root: the collision ends at once.
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
      // Nothing is added to finished contacts, not even 0, so that the result does not depend on the neighbours.
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
      // The end according to the law, independent of rounding errors in the sum.
      c.uz = choose(ended, larger(c.uz, choose(kinematic, negated(balance), zero)), c.uz);
      c.uz = choose(opens || closes, zero, c.uz);
      balance = choose(opens && kinematic, kinematic_balance, balance);
      compressions = compressions + choose(closes, one, zero);
      decompressing = (decompressing || opens) && differ(closes, decompressing || opens);
      running = and_not(running, ended || (opens && e == zero));
    }
    return limited;
  }
};

/// Progress of a collision, in the tile's units.
template <class B>
inline Progress<B> progress_of(const SeriesContact<B>& c) {
  return {c.slide.ux, c.slide.uy, c.slide.uz, negated(c.friction_step * c.slide.sum_x),
          negated(c.friction_step * c.slide.sum_y),
          // With infinite friction the sliding phase passes without normal impulse, and so without work.
          c.normal_step * c.phase.length, c.normal_step * c.slide.compression, c.normal_step * c.slide.decompression};
}

/// Path::index of contacts that stuck without slip, stuck in a phase, or slid to the end of the collision.
template <class B, class M>
inline B path_number(M at_start, M stuck, M decompressing, B compressions) {
  using T = typename VectorTraits<B>::Element;
  constexpr auto index = [](SlidingEnd sliding_end, Sticking sticking) {
    return static_cast<T>(Path{sliding_end, sticking, 0, 0}.index());
  };
  const B most(T(3)), full = compressions - choose(decompressing, B(T(0)), B(T(1)));
  const B counts = mul_add(B(T(4)), smaller(compressions, most), smaller(full, most));
  const B sticks = choose(decompressing, B(index(SlidingEnd::stick_in_d, Sticking::stable)),
                          B(index(SlidingEnd::stick_in_c, Sticking::stable)));
  const B slides(index(SlidingEnd::slide_end, Sticking::none));
  return choose(at_start, B(index(SlidingEnd::stick_at_start, Sticking::stable)),
                choose(stuck, sticks, slides) + counts);
}

/// The end of collisions of which the series has left a straight way or none: of contacts without friction or slip,
/// whose direction has settled, or whose budget is used up.
template <class A, class T>
[[gnu::noinline]] inline Ending<typename LaneTypes<A, T>::Batch> go_straight(
    typename LaneTypes<A, T>::Mask wanted, const SeriesContact<typename LaneTypes<A, T>::Batch>& contact,
    const Sticker<typename LaneTypes<A, T>::Batch>& k) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
  const B friction_step = contact.friction_step, normal_step = contact.normal_step;
  const B law = contact.law, balance = contact.phase.balance;
  const Mask bounded = normal_step > zero, slides_on = wanted && k.friction > zero;
  Straight<A, T> way = {progress_of(contact),
                        choose(and_not(bounded, law > one), normal_step * balance, balance),
                        contact.e,
                        law,
                        contact.kinematic_balance,
                        contact.phase.decompressing > zero,
                        contact.phase.compressions,
                        choose(bounded, one, zero)};
  const B friction = choose(bounded, k.friction, friction_step);  // per s
  Mask stuck = Mask(false), diverges = Mask(false), at_start = Mask(false);

  if (const Mask frictionless = and_not(wanted, slides_on); lane_bits(frictionless) != 0) {
    const B k33 = contact.rates.c3 / choose(frictionless, normal_step, one);
    // Without slip, there is nothing to stop, and usually no friction to hold the contact.
    at_start = frictionless && way.c.ux == zero && way.c.uy == zero;
    diverges = at_start && length(k.q1, k.q2) > zero;
    way.run(frictionless, k.k1, k.k2, k33, zero, zero, never);
  }

  if (lane_bits(slides_on) != 0) {
    const Rates<B>& rates = contact.rates;
    Progress<B>& c = way.c;
    const B r = square_root(mul_add(c.ux, c.ux, c.uy * c.uy));
    const Mask vanished = slides_on && r <= B(SeriesOrder<T>::tolerance);
    stuck = vanished;
    at_start = at_start || (vanished && contact.phase.length == zero);
    if (const Mask slides = and_not(slides_on, vanished); lane_bits(slides) != 0) {
      const B inverse_r = one / choose(slides, r, one);
      B x = c.ux * inverse_r, y = c.uy * inverse_r;
      Turning<B> t = turning(rates, x, y);
      const Settled<Mask> rest = settled<T, Mask>(t, r);
      turn_onto_ray<T>(slides && rest.near_ray, rates, x, y, t);
      c.ux = choose(slides, r * x, c.ux);
      c.uy = choose(slides, r * y, c.uy);
      const B scale = one / choose(slides && bounded, normal_step, one), rate = t.rate * scale;
      const B duz = neg_mul_add(rates.c1, x, neg_mul_add(rates.c2, y, rates.c3)) * scale;
      const B limit = choose(rate < zero, r / negated(choose(rate < zero, rate, B(-1))), never);
      const Mask stopped =
          way.run(slides, rate * x, rate * y, duz, negated(friction * x), negated(friction * y), limit);
      c.ux = choose(stopped, zero, c.ux);
      c.uy = choose(stopped, zero, c.uy);
      stuck = stuck || stopped;
    }
    if (lane_bits(stuck) != 0) {
      diverges = diverges || (stuck && length(k.q1, k.q2) > k.friction);
      const Mask held = and_not(stuck, diverges);
      // Friction stops the rest of the slip: Δp = (-M⁻¹ u_t, 0). For contacts that friction cannot hold, this could
      // leave the cone, and the slip remains.
      c.px = choose(held, c.px - c.ux / k.m1, c.px);
      c.py = choose(held, c.py - c.uy / k.m2, c.py);
      c.uz = choose(held, neg_mul_add(k.q1, c.ux, neg_mul_add(k.q2, c.uy, c.uz)), c.uz);
      c.ux = choose(held, zero, c.ux);
      c.uy = choose(held, zero, c.uy);
      // Friction without a bound has done no work so far.
      way.balance = choose(and_not(stuck, bounded || law > one), zero, way.balance);
      way.counted = one;
      // u_z keeps the sign of its phase.
      c.uz = choose(stuck, choose(way.decompressing, larger(c.uz, zero), smaller(c.uz, zero)), c.uz);
      const Mask late = way.decompressing;
      const B sliding_compressions = way.compressions;
      const StickingRates<B> held_rates = sticking_rates<A, T>(k, stuck && diverges);
      way.run(stuck, held_rates.ux, held_rates.uy, held_rates.uz, held_rates.px, held_rates.py, never);
      way.decompressing = (stuck && late) || and_not(way.decompressing, stuck);
      way.compressions = choose(stuck, sliding_compressions, way.compressions);
    }
  }

  // The counts of a path cover the sliding phases.
  return {way.c, path_number(at_start, stuck, way.decompressing, way.compressions) +
                     choose(diverges, B(T(diverges_by)), zero)};
}

}  // namespace
}  // namespace carom::kernel
