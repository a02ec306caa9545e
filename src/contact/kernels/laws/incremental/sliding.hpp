// Sliding, by Euler's method in the normal impulse. [R] section 4, step 3.
//
//   u ← u + δ K (-μ cosθ, -μ sinθ, 1),   W ← W + δ u_z
//
// Every lane holds one contact from its first step to its last and then takes the next one, so no lane is idle before
// the source is empty. Several vectors of lanes are stepped in turn: a single one would wait for its own square root
// and division most of the time. The loop handles three events: the slip is within the reach of one step (sticking),
// the work of decompression reaches the end of the collision, and u_z becomes negative again. The next stage processes
// contacts after their last step, in whole vectors.
#pragma once

#include "flow.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class EulerSlider {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr std::size_t vectors = 4;  // that are under way at once: a step waits for divisions and roots
  static constexpr std::size_t lanes = width * vectors;
  static constexpr unsigned all_lanes = (1u << width) - 1;

 public:
  EulerSlider(Tiles<A, T>& tiles, SlidingTiles<T>& workspace)
      : flow_(tiles, workspace), budget_(tiles.parameters().step_budget) {}

  /// Until the last contact of the range has ended and is stored.
  [[gnu::noinline]] void solve() {
    for (std::size_t lane = 0; lane < lanes; ++lane) refill(lane);
    deadline_ = budget_;
    if (busy_ > 0) run();
    flow_.finish();
  }

  /// Steps of the loop times lanes: with one contact in every lane all the time, the sum of the contacts' steps.
  std::uint64_t lane_steps() const { return static_cast<std::uint64_t>(now_) * lanes; }
  std::uint64_t sliding_steps() const { return sliding_steps_; }

 private:
  using Lane = T[width];

  /// The numbers that the loop reads and writes, one a lane.
  struct alignas(64) Vector {
    Rates<Lane> rates;
    Lane above_stick_radius2;  // the number next above stick_radius2
    Lane e2;
    Slide<Lane> slide;
  };

  using State = Slide<B>;

  static State load_state(const Vector& v) { return load_each<B>(v.slide); }

  static void store_state(Vector& v, const State& s) { store_each<B, Slide>(v.slide, s); }

  [[gnu::always_inline]] static void step(const Vector& v, State& s, B inverse_r) {
    const B cosine = s.ux * inverse_r, sine = s.uy * inverse_r;
    s.compression = s.compression + smaller(s.uz, B(0));
    s.decompression = s.decompression + larger(s.uz, B(0));
    s.sum_x = s.sum_x + cosine;
    s.sum_y = s.sum_y + sine;
    s.ux = s.ux + neg_mul_add(load_lanes<B>(v.rates.a1), cosine, load_lanes<B>(v.rates.b1));
    s.uy = s.uy + neg_mul_add(load_lanes<B>(v.rates.a2), sine, load_lanes<B>(v.rates.b2));
    s.uz = s.uz + neg_mul_add(load_lanes<B>(v.rates.c1), cosine,
                              neg_mul_add(load_lanes<B>(v.rates.c2), sine, load_lanes<B>(v.rates.c3)));
  }

  void run() {
    State s[vectors];
    B inverse_r[vectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < vectors; ++i) {
      s[i] = load_state(vectors_[i]);
      inverse_r[i] = settle(i, s[i], s[i].uz);
    }
    while (busy_ > 0) {
      if (now_ == deadline_) [[unlikely]] {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vectors; ++i) store_state(vectors_[i], s[i]);
        handle_deadline();
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vectors; ++i) {
          s[i] = load_state(vectors_[i]);
          inverse_r[i] = settle(i, s[i], s[i].uz);
        }
        continue;
      }
      ++now_;
      // A vector's root and division are under way while the others take their steps.
#pragma GCC unroll 8
      for (std::size_t i = 0; i < vectors; ++i) {
        const B uz_before = s[i].uz;
        step(vectors_[i], s[i], inverse_r[i]);
        inverse_r[i] = settle(i, s[i], uz_before);
      }
    }
  }

  /// Handles the events of a vector until its next step can be taken; returns 1 / |u_t| for that.
  [[gnu::always_inline]] B settle(std::size_t i, State& s, B uz_before) {
    Vector& v = vectors_[i];
    const B r2 = mul_add(s.ux, s.ux, s.uy * s.uy);
    // With sign bits only, which need no comparison: either a contact compresses or work remains to be returned, it has
    // not started to compress again, and it is not stuck.
    const auto before = bits_of(uz_before), now = bits_of(s.uz);
    const auto stuck = bits_of(r2 - load_lanes<B>(v.above_stick_radius2));
    const auto owes = bits_of(mul_add(load_lanes<B>(v.e2), s.compression, s.decompression));
    if (sign_bits(from_bits<B>((owes | now) & ~(stuck | (now & ~before)))) == all_lanes) [[likely]]
      return reciprocal_root(r2);
    store_state(v, s);
    handle_events(i, uz_before);
    s = load_state(v);
    return reciprocal_root(mul_add(s.ux, s.ux, s.uy * s.uy));
  }

  /// 1 / √x with the root and the division in parallel, since each step waits for the one before it. 1 / x overflows
  /// only without friction, where the direction of the slip does not matter: with friction, so small a slip sticks.
  [[gnu::always_inline]] static B reciprocal_root(B x) {
    constexpr T largest = sizeof(T) == sizeof(float) ? T(0x1p127) : T(0x1p1023);
    return square_root(x) * smaller(B(1) / x, B(largest));
  }

  /// Handles the events of a vector until there are no more.
  [[gnu::noinline]] void handle_events(std::size_t i, B uz_before) {
    Vector& v = vectors_[i];
    for (;;) {
      const State s = load_state(v);
      const Mask decompressing = s.uz >= B(0);
      const B r2 = mul_add(s.ux, s.ux, s.uy * s.uy);
      // The collision ends where W_d >= -e² W_c while u_z >= 0.
      const Mask due = decompressing && mul_add(load_lanes<B>(v.e2), s.compression, s.decompression) >= B(0);
      const unsigned ended = lane_bits(due), stopped = lane_bits(r2 < load_lanes<B>(v.above_stick_radius2));
      const unsigned again = lane_bits(and_not(uz_before >= B(0), decompressing));
      if ((ended | stopped | again) == 0) return;
      for_each_bit(again, [&](std::size_t j) {
        std::uint32_t& compressions = compressions_[i * width + j];
        if (compressions < 3) ++compressions;
      });
      for_each_bit(ended | stopped, [&](std::size_t j) {
        const std::size_t lane = i * width + j;
        finish(lane, (ended >> j & 1u) != 0 ? SlidingEnd::slide_end
                     : now_ == start_[lane] ? SlidingEnd::stick_at_start
                     : v.slide.uz[j] < T(0) ? SlidingEnd::stick_in_c
                                            : SlidingEnd::stick_in_d);
      });
      uz_before = load_lanes<B>(v.slide.uz);
    }
  }

  /// A contact that has used up its budget can have an event at the same moment; then the event counts.
  [[gnu::noinline]] void handle_deadline() {
    deadline_ = now_ + budget_;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (place_[lane].tile == nullptr) continue;
      if (now_ - start_[lane] == budget_) {
        place_[lane].tile->status[place_[lane].slot] = T(static_cast<int>(Status::step_budget_reached));
        finish(lane, SlidingEnd::none);
      } else if (start_[lane] + budget_ < deadline_) {
        deadline_ = start_[lane] + budget_;
      }
    }
  }

  [[gnu::always_inline]] void finish(std::size_t lane, SlidingEnd sliding_end) {
    const Vector& v = vectors_[lane / width];
    const std::size_t j = lane % width;
    const Place<T> place = place_[lane];
    Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    const auto steps = static_cast<std::int32_t>(now_ - start_[lane]);
    sliding_steps_ += static_cast<std::uint64_t>(steps);
    tile.steps[i] = steps;
    // Each compression but the last has had its decompression.
    const std::uint32_t compressions = steps > 0 ? compressions_[lane] : 0;
    const bool last = steps > 0 && v.slide.uz[j] < T(0);
    const bool sticks = sliding_end > SlidingEnd::slide_end;
    tile.path[i] = static_cast<T>(Path{sliding_end, sticks ? Sticking::stable : Sticking::none,
                                       static_cast<std::uint8_t>(compressions),
                                       static_cast<std::uint8_t>(compressions - (last ? 1 : 0))}
                                      .index());
    tile.sticks[i] = sticks ? T(1) : T(0);
    tile.length[i] = static_cast<T>(steps);
    copy_lane(v.slide, j, tile.slide, i);
    --busy_;
    place_[lane].tile = nullptr;
    flow_.done(place);
    refill(lane);
  }

  [[gnu::always_inline]] void refill(std::size_t lane) {
    Place<T> place;
    if (!flow_.next(place, [&](const Tile<T>& tile) { relocate(tile); })) return idle(lane);
    ++busy_;
    place_[lane] = place;
    start_[lane] = now_;
    compressions_[lane] = 1;
    const Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    // Whole vectors are written, since a vector that is read soon after one of its elements was written would have to
    // wait for the store.
    Vector& v = vectors_[lane / width];
    const Mask is_lane = load_lanes<B>(lane_numbers) == B(static_cast<T>(lane % width));
    const auto set = [&](Lane & lanes_of, T value) __attribute__((always_inline)) {
      store_lanes(lanes_of, choose(is_lane, B(value), load_lanes<B>(lanes_of)));
    };
    each(
        [&](const auto& of_tile, Lane& to) __attribute__((always_inline)) { set(to, of_tile[i]); }, tile.rates,
        v.rates);
    set(v.above_stick_radius2, from_bits<T>(bits_of(tile.stick_radius2[i]) + 1));
    set(v.e2, tile.e2[i]);
    set(v.slide.ux, tile.u0x[i]);
    set(v.slide.uy, tile.u0y[i]);
    set(v.slide.uz, tile.u0z[i]);
    set(v.slide.sum_x, T(0));
    set(v.slide.sum_y, T(0));
    set(v.slide.compression, T(0));
    set(v.slide.decompression, T(0));
  }

  // The remainder consists of contacts in these lanes.
  static_assert(lanes <= tile_size<T>);

  /// Moves the contacts of a tile that are still on their way to the remainder.
  [[gnu::noinline]] void relocate(const Tile<T>& tile) {
    for (Place<T>& place : place_)
      if (place.tile == &tile) place = flow_.make_remainder(place);
  }

  /// A lane without a contact slides for ever without events.
  [[gnu::noinline]] void idle(std::size_t lane) {
    Vector& v = vectors_[lane / width];
    const std::size_t j = lane % width;
    place_[lane].tile = nullptr;
    clear_lane(v.rates, j);
    clear_lane(v.slide, j);
    v.e2[j] = T(0);
    v.above_stick_radius2[j] = T(-1);
    v.slide.ux[j] = T(1);
    v.slide.uz[j] = T(-1);
  }

  alignas(64) static constexpr T lane_numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

  Flow<A, T> flow_;
  std::int64_t budget_;
  std::int64_t now_ = 0;       // steps of the loop so far
  std::int64_t deadline_ = 0;  // no contact's budget ends before this step
  std::size_t busy_ = 0;       // lanes with a contact
  std::uint64_t sliding_steps_ = 0;
  Vector vectors_[vectors] = {};
  Place<T> place_[lanes] = {};
  std::int64_t start_[lanes] = {};
  std::uint32_t compressions_[lanes] = {};
};

}  // namespace
}  // namespace carom::kernel
