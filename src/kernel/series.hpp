// Sliding, exact to rounding, by Taylor series in slip time. With τ so scaled that the larger of
// μ m1 + |k| and K_33 / 1024 is 1:
//
//   x' = b1 r - a1 x,   y' = b2 r - a2 y,   z' = c3 r - c1 x - c2 y,   r² = x² + y²,   u = (x, y, z)
//
// The integrals of x, y and r give the impulse, that of z r the work. On a step they are polynomials in τ, so the
// turning points of a collision are roots of polynomials: of u_z, at the end of compression, and of Q + balance, at the
// end of the collision, with Q the integral of z r (energetic), that of r (kinetic) or z itself (kinematic).
//
// A contact leaves the lanes when the collision is over, and also when its slip has vanished or its direction has
// settled: what is left then has a closed form (rays.hpp). One that seems to come to rest waits until there is a vector
// of such contacts, whose slides are then finished in closed form (slide_to_rest.hpp); where that does not hold, it
// goes back to the lanes.
#pragma once

#include "flow.hpp"
#include "slide_to_rest.hpp"
#include "taylor.hpp"
#include "twin.hpp"

namespace carom::kernel {
namespace {

/// The lanes, which are stepped at a time, are those of A: two vectors of the architecture, or one for few contacts.
template <class Architecture, class T, class A = Twice<Architecture>>
class SeriesSlider {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Order = SeriesOrder<T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr int state = Order::state, work = Order::work;

 public:
  SeriesSlider(Flow<Architecture, T>& flow, std::int32_t step_budget)
      : flow_(flow), budget_(static_cast<T>(step_budget < most_steps ? step_budget : most_steps)) {}

  /// Until there is no contact left and the last one has ended.
  [[gnu::noinline]] void solve() {
    clear_lanes();
    for (std::size_t lane = 0; lane < width && refill(lane); ++lane) {
    }
    for (;;) {
      leave();
      if (busy_ > 0) {
        step();
        ++loops_;
      } else if (waiting_count_ > 0) {
        come_to_rest();
        const std::size_t returned = returned_count_;
        for (std::size_t lane = 0; lane < returned; ++lane) refill(lane);
      } else {
        return;
      }
    }
  }

  /// Steps of the loop times lanes: with one contact in every lane all the time, the sum of the contacts' steps.
  std::uint64_t lane_steps() const { return loops_ * width; }
  std::uint64_t sliding_steps() const { return sliding_steps_; }

 private:
  /// As far as a float counts.
  static constexpr std::int32_t most_steps = 1 << 24;

  using Lane = T[width];
  struct alignas(64) Contacts {
    Rates<Lane> rates;
    Slide<Lane> slide;
    Phase<Lane> phase;
    Lane e, law;
    Lane kinematic_balance;  // e times the first u_z: what is to come back
    Lane monotone;           // 1: u_z cannot fall
    Lane busy;               // 1: there is a contact
    Lane steps;
    Lane tried;  // 1: does not come to rest in the way that is known, from where it stands
    Place<T> place[width] = {};
  };

  static void move(Contacts& from, std::size_t i, Contacts& to, std::size_t j) {
    copy_lane(from.rates, i, to.rates, j);
    copy_lane(from.slide, i, to.slide, j);
    copy_lane(from.phase, i, to.phase, j);
    for (const auto lane : {&Contacts::e, &Contacts::law, &Contacts::kinematic_balance, &Contacts::monotone,
                            &Contacts::busy, &Contacts::steps, &Contacts::tried})
      (to.*lane)[j] = (from.*lane)[i];
    to.place[j] = from.place[i];
    from.place[i].tile = nullptr;
  }

  static B load(const Lane& lane) { return load_lanes<B>(lane); }
  static Rates<B> rates(const Contacts& s) { return load_each<B>(s.rates); }
  static Mask is_set(const Lane& lane) { return load_lanes<B>(lane) > B(0); }

  /// Hands on the contacts whose slip has vanished, whose direction has settled or whose budget is used up, until none
  /// is left in the lanes. Those that were there before are not looked at again unless others have come.
  void leave() {
    Contacts& s = fields_;
    for (;;) {
      const B x = load(s.slide.ux), y = load(s.slide.uy);
      const B r = square_root(mul_add(x, x, y * y));
      const Mask vanished = r <= B(Order::tolerance);
      const B inverse_r = B(1) / choose(vanished, B(1), r);
      const Turning<B> t = turning(rates(s), x * inverse_r, y * inverse_r);
      const Settled<Mask> rest = settled<T, Mask>(t, r);
      const Mask done = vanished || rest.near_ray || rest.frozen;
      const Mask exhausted = load(s.steps) >= B(budget_);
      const Mask busy = is_set(s.busy);
      const unsigned leaving = lane_bits(busy && (done || exhausted)), in_time = lane_bits(done);
      const Mask near = and_not(busy && t.rate < B(0) && magnitude(t.f) < B(Order::near) * negated(t.slope),
                                done || exhausted || is_set(s.tried));
      const unsigned coming =
          lane_bits(near) != 0 ? lane_bits(near && comes_to_rest(t, r, x * inverse_r, y * inverse_r)) : 0;
      bool refilled = false;
      for_each_bit(leaving, [&](std::size_t lane) {
        const Place<T> place = s.place[lane];
        if ((in_time >> lane & 1u) == 0) place.tile->status[place.slot] = static_cast<T>(Status::step_budget_reached);
        refilled |= finish(lane, Departure::settled);
      });
      for_each_bit(coming, [&](std::size_t lane) {
        assert(waiting_count_ < width);
        move(s, lane, waiting_, waiting_count_++);
        --busy_;
        if (waiting_count_ == width) come_to_rest();
        refilled |= refill(lane);
      });
      if (!refilled) return;
    }
  }

  /// Whether the slip seems to vanish before the collision ends: as on the nearby ray, found to first order.
  Mask comes_to_rest(const Turning<B>& now, B r, B x, B y) const {
    const Contacts& s = fields_;
    const B zero(0), half(T(0.5));
    const B angle = now.f / choose(now.slope < zero, negated(now.slope), B(1));
    const B ray_x = neg_mul_add(angle, y, x), ray_y = mul_add(angle, x, y);
    const B inverse = B(1) / square_root(mul_add(ray_x, ray_x, ray_y * ray_y));
    const Rates<B> k = rates(s);
    const B z = load(s.slide.uz), balance = load(s.phase.balance);
    const Turning<B> ray = turning(k, ray_x * inverse, ray_y * inverse);
    const Mask slows = ray.rate < zero;
    const B sum_r = r / choose(slows, negated(ray.rate), B(1));
    const B rise = neg_mul_add(k.c1, ray_x * inverse, neg_mul_add(k.c2, ray_y * inverse, k.c3));
    const B end = mul_add(rise, sum_r, z), law = load(s.law);
    const B more = choose(law < B(1), half * sum_r * (z + end), choose(law == B(1), sum_r, end));
    return slows && choose(is_set(s.phase.decompressing), balance + more, end) < zero;
  }

  /// Finishes the slides of the contacts that wait. Those whose rest is not known there go back to the lanes.
  ///
  /// There is room for them: one call makes `width` contacts wait no more, and before the next one as many have come
  /// from the lanes, each of whose places was refilled, with those that had returned first.
  [[gnu::noinline]] void come_to_rest() {
    assert(waiting_count_ <= width && returned_count_ == 0);
    Contacts& s = waiting_;
    const B zero(0), one(1);
    for (std::size_t lane = waiting_count_; lane < width; ++lane) s.busy[lane] = T(0);
    const Mask decompressing = is_set(s.phase.decompressing);
    const B law = load(s.law), e = load(s.e), balance = load(s.phase.balance);
    const Rest<B, Mask> rest =
        slide_to_rest<T>(is_set(s.busy), rates(s), load(s.slide.ux), load(s.slide.uy), load(s.slide.uz));
    const B gain = choose(law < one, choose(decompressing, rest.work, e * e * rest.work),
                          choose(law == one, choose(decompressing, rest.sum_r, negated(e * rest.sum_r)), zero));
    const B goal = choose(law > one, rest.u_z, gain) + balance;  // of decompression: above 0 it has ended before
    // u_z has the sign of its phase all the way, so it must have it at the end.
    const Mask certain =
        and_not(rest.known && choose(decompressing, goal, rest.u_z) < zero, decompressing && rest.u_z < zero);
    const auto set = [&](Lane& lanes, B value) { store_lanes(lanes, choose(certain, value, load(lanes))); };
    set(s.slide.ux, zero);
    set(s.slide.uy, zero);
    set(s.slide.uz, rest.u_z);
    set(s.slide.sum_x, load(s.slide.sum_x) + rest.sum_x);
    set(s.slide.sum_y, load(s.slide.sum_y) + rest.sum_y);
    set(s.phase.length, load(s.phase.length) + rest.sum_r);
    set(s.phase.balance, balance + gain);
    set(s.slide.compression, load(s.slide.compression) + choose(decompressing, zero, rest.work));
    set(s.slide.decompression, load(s.slide.decompression) + choose(decompressing, rest.work, zero));
    const unsigned ended = lane_bits(certain);
    const std::size_t count = waiting_count_;
    waiting_count_ = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      if ((ended >> lane & 1u) != 0) {
        hand_on(s, lane, Departure::settled);
      } else {
        s.tried[lane] = T(1);
        move(s, lane, returned_, returned_count_++);
      }
    }
  }

  void step() {
    Contacts& s = fields_;
    const B zero(0), one(1);
    const Rates<B> k = rates(s);
    const B e = load(s.e), law = load(s.law);
    const B balance = load(s.phase.balance);
    const Mask busy = is_set(s.busy), decompressing = is_set(s.phase.decompressing);
    const Mask kinetic = law == one, kinematic = law > one, energetic = law < one;

    Taylor<T, B> series;
    series.expand(k, load(s.slide.ux), load(s.slide.uy), load(s.slide.uz));
    const B h = series.step();
    const auto& [x, y, r, z, sum_x, sum_y, sum_r, sum_zr] = series;

    // Q
    const B* q = sum_zr;
    B mixed[work + 1];
    if (lane_bits(energetic) != all_lanes) {
      for (int m = 0; m <= work; ++m) mixed[m] = choose(kinetic, sum_r[m], choose(kinematic, z[m], sum_zr[m]));
      q = mixed;
    }

    // u_z is monotone if z' keeps its sign whatever the higher terms add up to.
    B rest = zero;
    CAROM_UNROLL
    for (int m = state; m >= 2; --m) rest = mul_add(rest, h, B(static_cast<T>(m)) * magnitude(z[m]));
    const Mask monotone = is_set(s.monotone) || magnitude(z[1]) > B(T(1.0001)) * rest * h;
    const B z_end = value<state>(z, h), q_end = value<work>(q, h);

    // End of compression.
    const Mask turns = busy && monotone && and_not(z_end >= zero, decompressing);
    B stop = h, low = zero, q_low = zero, new_balance = balance;
    Mask ended = Mask(false), pauses = Mask(false);
    if (lane_bits(turns) != 0) {
      // A parabola through the first point, along its slope, and through the last.
      const B curvature = (z_end - mul_add(z[1], h, z[0])) / (h * h);
      const B root = square_root(larger(mul_add(z[1], z[1], B(-4) * curvature * z[0]), zero));
      low = rising_root<state, T>(z, zero, zero, h, B(-2) * z[0] / (z[1] + root), turns);
      low = choose(turns, low, zero);
      const B q_turn = value<work>(q, low);
      const B after = choose(energetic, mul_add(e * e, q_turn, balance),
                             choose(kinetic, neg_mul_add(e, q_turn, balance), load(s.kinematic_balance)));
      new_balance = choose(turns, after, balance);
      q_low = choose(and_not(turns, kinematic), q_turn, zero);
      ended = turns && e == zero;
      pauses = and_not(turns && energetic && e < B(Order::small_restitution), ended);
      stop = choose(ended || pauses, low, h);
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
      ended = ended || ends;
    }
    const Mask goes_on = and_not(busy && monotone, ended || pauses);
    const B gain = q_end - q_low;
    new_balance = choose(and_not(goes_on, kinematic),
                         choose(decompressing || turns, new_balance + gain,
                                choose(kinetic, neg_mul_add(e, gain, new_balance), mul_add(e * e, gain, new_balance))),
                         new_balance);

    // What is not monotone, one by one.
    Mask turned = turns, halts = pauses || (ended && e == zero);
    if (const unsigned rare = lane_bits(and_not(busy, monotone) || closing); rare != 0) [[unlikely]] {
      Lane at, balances, ending, turning;
      store_lanes(at, stop);
      store_lanes(balances, new_balance);
      store_lanes(ending, choose(ended, one, zero));
      store_lanes(turning, choose(turns, one, zero));
      for_each_bit(rare, [&](std::size_t lane) {
        const TurningPoint<T> point = first_turning_point(one_lane(lane, h, series, q));
        at[lane] = point.at;
        balances[lane] = point.balance;
        ending[lane] = point.ended ? T(1) : T(0);
        turning[lane] = point.turned ? T(1) : T(0);
      });
      Lane is_rare;
      for (std::size_t lane = 0; lane < width; ++lane) is_rare[lane] = static_cast<T>(rare >> lane & 1u);
      stop = load(at);
      new_balance = load(balances);
      ended = is_set(ending);
      turned = is_set(turning);
      low = choose(is_set(is_rare), stop, low);
      halts = halts || (is_set(is_rare) && turned);
    }

    // Work before and after the end of compression; a contact that turned in the rare way stops there.
    const B work_stop = value<work>(sum_zr, stop), work_low = value<work>(sum_zr, low);
    const B before = choose(turned, work_low, work_stop), after = work_stop - before;
    store_lanes(s.slide.compression,
                load(s.slide.compression) + choose(decompressing, choose(turned, after, zero), before));
    store_lanes(s.slide.decompression,
                load(s.slide.decompression) + choose(decompressing, before, choose(turned, after, zero)));
    store_lanes(s.phase.balance, new_balance);
    const Mask now_decompressing = differ(decompressing, turned);
    store_lanes(s.phase.decompressing, choose(now_decompressing, one, zero));
    store_lanes(s.phase.compressions, load(s.phase.compressions) + choose(decompressing && turned, one, zero));
    store_lanes(s.steps, load(s.steps) + one);
    store_lanes(s.tried, zero);

    const B dx = value<state>(sum_x, stop), dy = value<state>(sum_y, stop), dr = value<state>(sum_r, stop);
    store_lanes(s.slide.sum_x, load(s.slide.sum_x) + dx);
    store_lanes(s.slide.sum_y, load(s.slide.sum_y) + dy);
    store_lanes(s.phase.length, load(s.phase.length) + dr);
    store_lanes(s.slide.ux, x[0] + neg_mul_add(k.a1, dx, k.b1 * dr));
    store_lanes(s.slide.uy, y[0] + neg_mul_add(k.a2, dy, k.b2 * dr));
    const B z_stop = z[0] + neg_mul_add(k.c1, dx, neg_mul_add(k.c2, dy, k.c3 * dr));
    // The end is u_z >= 0 by definition, under kinematic restitution a given one; a sum of terms of the size of u0 may
    // miss it by more than there is of it.
    const B z_end_of_collision = choose(kinematic, negated(new_balance), larger(z_stop, zero));
    store_lanes(s.slide.uz, choose(halts, zero, choose(ended, z_end_of_collision, z_stop)));

    for_each_bit(lane_bits(ended && busy), [&](std::size_t lane) { finish(lane, Departure::ended); });
  }

  [[gnu::noinline]] SeriesStep<T> one_lane(std::size_t lane, B h, const Taylor<T, B>& series, const B* q) const {
    const auto pick = [&](B lanes) {
      T values[width];
      store_lanes(values, lanes);
      return values[lane];
    };
    const Contacts& s = fields_;
    SeriesStep<T> one;
    for (int m = 0; m <= state; ++m) {
      one.x[m] = pick(series.x[m]);
      one.y[m] = pick(series.y[m]);
      one.z[m] = pick(series.z[m]);
    }
    for (int m = 0; m <= work; ++m) one.q[m] = pick(q[m]);
    one.h = pick(h);
    one.c1 = s.rates.c1[lane];
    one.c2 = s.rates.c2[lane];
    one.e = s.e[lane];
    one.law = s.law[lane];
    one.kinematic_balance = s.kinematic_balance[lane];
    one.balance = s.phase.balance[lane];
    one.decompressing = s.phase.decompressing[lane] > T(0);
    return one;
  }

  /// False if there is no contact left for the lane.
  [[gnu::noinline]] bool finish(std::size_t lane, Departure departure) {
    --busy_;
    hand_on(fields_, lane, departure);
    return refill(lane);
  }

  void hand_on(Contacts& s, std::size_t lane, Departure departure) {
    const Place<T> place = s.place[lane];
    Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    tile.steps[i] = static_cast<std::int32_t>(s.steps[lane]);
    sliding_steps_ += static_cast<std::uint64_t>(tile.steps[i]);
    tile.departure[i] = static_cast<T>(departure);
    copy_lane(s.slide, lane, tile.slide, i);
    copy_lane(s.phase, lane, tile.phase, i);
    s.place[lane].tile = nullptr;
    flow_.done(place);
  }

  /// False if there is no contact left.
  [[gnu::noinline]] bool refill(std::size_t lane) {
    Contacts& s = fields_;
    if (returned_count_ > 0) {
      move(returned_, --returned_count_, s, lane);
      ++busy_;
      return true;
    }
    Place<T> place;
    s.tried[lane] = s.steps[lane] = T(0);
    clear_lane(s.slide, lane);
    clear_lane(s.phase, lane);
    s.phase.compressions[lane] = T(1);
    if (!flow_.next(place, [&](const Tile<T>& tile) { relocate(tile); })) {
      // Nothing happens to a lane without a contact.
      s.busy[lane] = T(0);
      clear_lane(s.rates, lane);
      s.e[lane] = s.law[lane] = s.kinematic_balance[lane] = s.monotone[lane] = T(0);
      s.slide.ux[lane] = T(1);
      s.slide.uz[lane] = T(-1);
      return false;
    }
    ++busy_;
    s.place[lane] = place;
    const Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    s.busy[lane] = T(1);
    copy_lane(tile.rates, i, s.rates, lane);
    s.e[lane] = tile.restitution[i];
    s.law[lane] = tile.restitution_law[i];
    s.kinematic_balance[lane] = tile.restitution[i] * tile.u0z[i];
    s.monotone[lane] = tile.monotone[i];
    s.slide.ux[lane] = tile.u0x[i];
    s.slide.uy[lane] = tile.u0y[i];
    s.slide.uz[lane] = tile.u0z[i];
    return true;
  }

  /// All lanes without a contact, as refill leaves them.
  void clear_lanes() {
    Contacts& s = fields_;
    const B zero(0), one(1);
    const auto clear = [&](auto& lanes) __attribute__((always_inline)) {
      each(
          [&](const Lane&, Lane& lane) __attribute__((always_inline)) { store_lanes(lane, zero); }, lanes, lanes);
    };
    clear(s.rates);
    clear(s.slide);
    clear(s.phase);
    for (const auto lane : {&Contacts::e, &Contacts::law, &Contacts::kinematic_balance, &Contacts::monotone,
                            &Contacts::busy, &Contacts::steps, &Contacts::tried})
      store_lanes(s.*lane, zero);
    store_lanes(s.phase.compressions, one);
    store_lanes(s.slide.ux, one);
    store_lanes(s.slide.uz, B(-1));
  }

  // A stray is a contact that has one of these places.
  static_assert(3 * width <= tile_size<T>);

  /// The contacts of a tile that are still on their way.
  [[gnu::noinline]] void relocate(const Tile<T>& tile) {
    for (Contacts* contacts : {&fields_, &waiting_, &returned_})
      for (Place<T>& place : contacts->place)
        if (place.tile == &tile) place = flow_.make_stray(place);
  }

  static constexpr unsigned all_lanes = width == 32 ? ~0u : (1u << width) - 1;

  Flow<Architecture, T>& flow_;
  T budget_;
  std::uint64_t loops_ = 0, sliding_steps_ = 0;
  std::size_t busy_ = 0;  // lanes with a contact
  Contacts fields_;
  Contacts waiting_ = {}, returned_;
  std::size_t waiting_count_ = 0, returned_count_ = 0;
};

}  // namespace
}  // namespace carom::kernel
