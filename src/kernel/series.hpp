// Stage 5a, law: sliding, exact to rounding, by Taylor series in slip time. With τ so scaled that μ m1 + |k| = 1:
//
//   x' = b1 r - a1 x,   y' = b2 r - a2 y,   z' = c3 r - c1 x - c2 y,   r² = x² + y²,   u = (x, y, z)
//
// The integrals of x, y and r give the impulse, that of z r the work. On a step they are polynomials in τ, so the
// turning points of a collision are roots of polynomials: of u_z, at the end of compression, and of Q + balance, at the
// end of the collision, with Q the integral of z r (energetic), that of r (kinetic) or z itself (kinematic).
//
// A contact leaves the lanes when the collision is over, and also when its slip has vanished or its direction has
// settled: what is left then has a closed form (rays.hpp).
#pragma once

#include "pair.hpp"
#include "polynomial.hpp"
#include "turning_points.hpp"

namespace carom::kernel {
namespace {

/// How the direction of the slip turns: with û = u_t / r, θ' = f, (ln r)' = rate and df/dθ = slope.
template <class B>
struct Turning {
  B f, rate, slope;
};

template <class B>
inline Turning<B> turning(B a1, B a2, B b1, B b2, B x, B y) {
  const B dx = neg_mul_add(a1, x, b1), dy = neg_mul_add(a2, y, b2);
  const B rate = mul_add(x, dx, y * dy);
  return {mul_sub(x, dy, y * dx), rate, negated(rate + mul_add(a1, y * y, a2 * x * x))};
}

template <class M>
struct Settled {
  M near_ray;  // the rest of the way along the ray itself ends at the same place
  M frozen;    // and along the direction of now
};

/// The difference that it makes is r |f / slope| at most, or r |f| for the time 1 / |rate| that is left: two solutions
/// never move apart in the norm of M⁻¹. Both compare with |u0|.
template <class T, class M, class B>
inline Settled<M> settled(const Turning<B>& turning, B r) {
  const B tolerance(SeriesOrder<T>::tolerance);
  const B f = magnitude(turning.f), slope = magnitude(turning.slope);
  const M still = f <= B(SeriesOrder<T>::ulp);
  return {f <= B(T(0.1)) * slope && (r * f <= tolerance * slope || still),
          still || (turning.rate < B(0) && r * f <= tolerance * magnitude(turning.rate))};
}

/// Takes contacts from `Source`, which offers
///   bool next(Place<T>& place)   the next contact that collides; false: there is none left
///   void done(Place<T> place)    its sliding phase is in the tile
template <class A, class T, class Source>
class SeriesSlider {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Order = SeriesOrder<T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr int state = Order::state, work = Order::work;

 public:
  SeriesSlider(Source& source, std::int32_t step_budget) : source_(source), budget_(static_cast<T>(step_budget)) {}

  /// Until the source has no contact left and the last one has ended.
  void solve() {
    for (std::size_t lane = 0; lane < width; ++lane) refill(lane);
    while (busy_ > 0) {
      leave();
      if (busy_ == 0) return;
      step();
      ++loops_;
    }
  }

  /// Moves the contacts of a tile that are still on their way: to `to(from)`.
  template <class F>
  void relocate(const Tile<T>* tile, F&& to) {
    for (std::size_t lane = 0; lane < width; ++lane)
      if (place_[lane].tile == tile) place_[lane] = to(place_[lane]);
  }

  /// Steps of the loop times lanes: with one contact in every lane all the time, the sum of the contacts' steps.
  std::uint64_t lane_steps() const { return loops_ * width; }
  std::uint64_t sliding_steps() const { return sliding_steps_; }

 private:
  using Lane = T[width];
  struct alignas(64) Fields {
    Lane a1, a2, b1, b2, c1, c2, c3, e, law;
    Lane kinematic_balance;  // e times the first u_z: what is to come back
    Lane monotone;           // 1: u_z cannot fall
    Lane x, y, z, sum_x, sum_y, sum_r, balance, compression, decompression;
    Lane decompressing;  // 0 or 1, as are the next
    Lane busy;
    Lane steps, compressions;
  };

  static B load(const Lane& lane) { return load_lanes<B>(lane); }
  static Mask is_set(const Lane& lane) { return load_lanes<B>(lane) > B(0); }

  /// Hands on the contacts whose slip has vanished, whose direction has settled or whose budget is used up, until none
  /// is left in the lanes.
  void leave() {
    Fields& s = fields_;
    for (;;) {
      const B x = load(s.x), y = load(s.y);
      const B r = square_root(mul_add(x, x, y * y));
      const Mask vanished = r <= B(Order::tolerance);
      const B inverse_r = B(1) / choose(vanished, B(1), r);
      const Turning<B> t = turning(load(s.a1), load(s.a2), load(s.b1), load(s.b2), x * inverse_r, y * inverse_r);
      const Settled<Mask> rest = settled<T, Mask>(t, r);
      const Mask done = vanished || rest.near_ray || rest.frozen;
      const Mask exhausted = load(s.steps) >= B(budget_);
      const unsigned leaving = lane_bits(is_set(s.busy) && (done || exhausted)), in_time = lane_bits(done);
      if (leaving == 0) return;
      for_each_bit(leaving, [&](std::size_t lane) {
        if ((in_time >> lane & 1u) == 0)
          place_[lane].tile->status[place_[lane].slot] = static_cast<T>(Status::step_budget_reached);
        finish(lane, true);
      });
    }
  }

  void step() {
    Fields& s = fields_;
    const B zero(0), one(1), half(T(0.5));
    const B a1 = load(s.a1), a2 = load(s.a2), b1 = load(s.b1), b2 = load(s.b2);
    const B c1 = load(s.c1), c2 = load(s.c2), c3 = load(s.c3), e = load(s.e), law = load(s.law);
    const B balance = load(s.balance);
    const Mask busy = is_set(s.busy), decompressing = is_set(s.decompressing);
    const Mask kinetic = law == one, kinematic = law > one, energetic = law < one;

    B x[state + 1], y[state + 1], r[state + 1], z[work + 1];
    B sum_x[state + 1], sum_y[state + 1], sum_r[work + 1], sum_zr[work + 1];
    x[0] = load(s.x);
    y[0] = load(s.y);
    z[0] = load(s.z);
    r[0] = square_root(mul_add(x[0], x[0], y[0] * y[0]));
    const B inverse_r = one / r[0];
    sum_x[0] = sum_y[0] = sum_r[0] = sum_zr[0] = zero;
    for (int m = 1; m <= state; ++m) {
      const B inverse_m(T(1) / static_cast<T>(m));
      sum_x[m] = x[m - 1] * inverse_m;
      sum_y[m] = y[m - 1] * inverse_m;
      sum_r[m] = r[m - 1] * inverse_m;
      x[m] = neg_mul_add(a1, sum_x[m], b1 * sum_r[m]);
      y[m] = neg_mul_add(a2, sum_y[m], b2 * sum_r[m]);
      z[m] = neg_mul_add(c1, sum_x[m], neg_mul_add(c2, sum_y[m], c3 * sum_r[m]));
      // r² = x² + y². What has been known longest comes first: the last terms are what the next order waits for.
      B xx = zero, yy = zero, rr = zero;
      if (m % 2 == 0) {
        xx = half * x[m / 2] * x[m / 2];
        yy = half * y[m / 2] * y[m / 2];
        rr = half * r[m / 2] * r[m / 2];
      }
      CAROM_UNROLL
      for (int j = (m - 1) / 2; j >= 1; --j) {
        xx = mul_add(x[j], x[m - j], xx);
        yy = mul_add(y[j], y[m - j], yy);
        rr = mul_add(r[j], r[m - j], rr);
      }
      r[m] = mul_add(x[0], x[m], mul_add(y[0], y[m], xx + yy - rr)) * inverse_r;
    }
    multiply_and_integrate(z, r, sum_zr);
    CAROM_UNROLL
    for (int m = state + 1; m <= work; ++m) z[m] = sum_r[m] = zero;

    const auto largest_of = [&](int m) { return larger(larger(magnitude(x[m]), magnitude(y[m])), magnitude(r[m])); };
    // The solution is smooth on the scale of 4.
    const B h = smaller(smaller(converged_step<state, T>(largest_of(state), Order::log2_tolerance),
                                converged_step<state - 1, T>(largest_of(state - 1), Order::log2_tolerance)),
                        B(4));

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
        const TurningPoint<T> point = first_turning_point(one_lane(lane, h, x, y, z, q));
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
    store_lanes(s.compression, load(s.compression) + choose(decompressing, choose(turned, after, zero), before));
    store_lanes(s.decompression, load(s.decompression) + choose(decompressing, before, choose(turned, after, zero)));
    store_lanes(s.balance, new_balance);
    const Mask now_decompressing = differ(decompressing, turned);
    store_lanes(s.decompressing, choose(now_decompressing, one, zero));
    store_lanes(s.compressions, load(s.compressions) + choose(decompressing && turned, one, zero));
    store_lanes(s.steps, load(s.steps) + one);

    const B dx = value<state>(sum_x, stop), dy = value<state>(sum_y, stop), dr = value<state>(sum_r, stop);
    store_lanes(s.sum_x, load(s.sum_x) + dx);
    store_lanes(s.sum_y, load(s.sum_y) + dy);
    store_lanes(s.sum_r, load(s.sum_r) + dr);
    store_lanes(s.x, x[0] + neg_mul_add(a1, dx, b1 * dr));
    store_lanes(s.y, y[0] + neg_mul_add(a2, dy, b2 * dr));
    const B z_stop = z[0] + neg_mul_add(c1, dx, neg_mul_add(c2, dy, c3 * dr));
    store_lanes(s.z, choose(halts, zero, z_stop));

    for_each_bit(lane_bits(ended && busy), [&](std::size_t lane) { finish(lane, false); });
  }

  /// The integral of z r. Four terms at a time share what they load.
  [[gnu::always_inline]] static void multiply_and_integrate(const B (&z)[work + 1], const B (&r)[state + 1],
                                                            B (&integral)[work + 1]) {
    integral[0] = B(0);
    CAROM_UNROLL
    for (int first = 1; first <= work; first += 4) {
      B sum[4] = {B(0), B(0), B(0), B(0)};
      CAROM_UNROLL
      for (int j = 0; j <= state; ++j) {
        CAROM_UNROLL
        for (int i = 0; i < 4; ++i) {
          const int k = first + i - 1 - j;
          if (first + i <= work && k >= 0 && k <= state) sum[i] = mul_add(z[j], r[k], sum[i]);
        }
      }
      CAROM_UNROLL
      for (int i = 0; i < 4; ++i)
        if (first + i <= work) integral[first + i] = sum[i] * B(T(1) / static_cast<T>(first + i));
    }
  }

  [[gnu::noinline]] SeriesStep<T> one_lane(std::size_t lane, B h, const B* x, const B* y, const B* z,
                                           const B* q) const {
    const auto pick = [&](B lanes) {
      T values[width];
      store_lanes(values, lanes);
      return values[lane];
    };
    const Fields& s = fields_;
    SeriesStep<T> one;
    for (int m = 0; m <= state; ++m) {
      one.x[m] = pick(x[m]);
      one.y[m] = pick(y[m]);
      one.z[m] = pick(z[m]);
    }
    for (int m = 0; m <= work; ++m) one.q[m] = pick(q[m]);
    one.h = pick(h);
    one.c1 = s.c1[lane];
    one.c2 = s.c2[lane];
    one.e = s.e[lane];
    one.law = s.law[lane];
    one.kinematic_balance = s.kinematic_balance[lane];
    one.balance = s.balance[lane];
    one.decompressing = s.decompressing[lane] > T(0);
    return one;
  }

  void finish(std::size_t lane, bool on_its_way) {
    const Fields& s = fields_;
    const Place<T> place = place_[lane];
    Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    tile.steps[i] = static_cast<std::int32_t>(s.steps[lane]);
    sliding_steps_ += static_cast<std::uint64_t>(tile.steps[i]);
    tile.stuck[i] = on_its_way ? T(1) : T(0);
    tile.step_count[i] = s.sum_r[lane];
    tile.ux[i] = s.x[lane];
    tile.uy[i] = s.y[lane];
    tile.uz[i] = s.z[lane];
    tile.sum_cos[i] = s.sum_x[lane];
    tile.sum_sin[i] = s.sum_y[lane];
    tile.compression[i] = s.compression[lane];
    tile.decompression[i] = s.decompression[lane];
    tile.balance[i] = s.balance[lane];
    tile.decompressing[i] = s.decompressing[lane];
    tile.compressions[i] = s.compressions[lane];
    --busy_;
    place_[lane].tile = nullptr;
    source_.done(place);
    refill(lane);
  }

  void refill(std::size_t lane) {
    Fields& s = fields_;
    Place<T> place;
    s.steps[lane] = s.sum_x[lane] = s.sum_y[lane] = s.sum_r[lane] = s.balance[lane] = T(0);
    s.compression[lane] = s.decompression[lane] = s.decompressing[lane] = T(0);
    s.compressions[lane] = T(1);
    if (!source_.next(place)) {
      // Nothing happens to a lane without a contact.
      s.busy[lane] = T(0);
      s.a1[lane] = s.a2[lane] = s.b1[lane] = s.b2[lane] = s.c1[lane] = s.c2[lane] = s.c3[lane] = T(0);
      s.e[lane] = s.law[lane] = s.kinematic_balance[lane] = s.monotone[lane] = s.y[lane] = T(0);
      s.x[lane] = T(1);
      s.z[lane] = T(-1);
      return;
    }
    ++busy_;
    place_[lane] = place;
    const Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    s.busy[lane] = T(1);
    s.a1[lane] = tile.a1[i];
    s.a2[lane] = tile.a2[i];
    s.b1[lane] = tile.b1[i];
    s.b2[lane] = tile.b2[i];
    s.c1[lane] = tile.c1[i];
    s.c2[lane] = tile.c2[i];
    s.c3[lane] = tile.c3[i];
    s.e[lane] = tile.restitution[i];
    s.law[lane] = tile.restitution_law[i];
    s.kinematic_balance[lane] = tile.restitution[i] * tile.u0z[i];
    s.monotone[lane] = tile.monotone[i];
    s.x[lane] = tile.u0x[i];
    s.y[lane] = tile.u0y[i];
    s.z[lane] = tile.u0z[i];
  }

  static constexpr unsigned all_lanes = width == 32 ? ~0u : (1u << width) - 1;

  Source& source_;
  T budget_;
  std::uint64_t loops_ = 0, sliding_steps_ = 0;
  std::size_t busy_ = 0;  // lanes with a contact
  Fields fields_ = {};
  Place<T> place_[width] = {};
};

}  // namespace
}  // namespace carom::kernel
