// Stage 5a, law: sliding, by Euler's method in the normal impulse. [R] section 4, step 3.
//
//   u ← u + δ K (-μ cosθ, -μ sinθ, 1),   W ← W + δ u_z
//
// Every lane carries one contact from its first step to its last and then takes the next one, so that no lane idles
// before the source runs dry. Several vectors of lanes are stepped in turn: one alone would wait for its own square
// root and division most of the time. The loop knows three events: the slip is within the reach of one step (sticking),
// the work of decompression has reached what ends the collision, and u_z has turned negative again. Everything else
// about a contact is done once, outside of the loop.
#pragma once

#include "sticking.hpp"

namespace carom::kernel {
namespace {

/// A contact of a tile.
template <class T>
struct Place {
  Tile<T>* tile;
  std::size_t slot;
};

/// Takes contacts from `Source`, which offers
///   bool next(Place<T>& place)   the next contact that collides; false: there is none left
///   void done(Place<T> place)    its results are in the tile
template <class A, class T, class Source>
class EulerSlider {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr std::size_t vectors = LaneTypes<A, T>::interleaved;
  static constexpr std::size_t lanes = width * vectors;

 public:
  EulerSlider(Source& source, std::int32_t step_budget) : source_(source), budget_(step_budget) {}

  /// Until the source has no contact left and the last one has ended.
  void solve() {
    for (std::size_t lane = 0; lane < lanes; ++lane) refill(lane);
    deadline_ = budget_;
    if (busy_ > 0) run();
  }

  /// Moves the contacts of a tile that are still on their way: to `to(from)`.
  template <class F>
  void relocate(const Tile<T>* tile, F&& to) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (place_[lane].tile == tile) place_[lane] = to(place_[lane]);
  }

  /// Steps of the loop times lanes: with one contact in every lane all the time, the sum of the contacts' steps.
  std::uint64_t lane_steps() const { return static_cast<std::uint64_t>(now_) * lanes; }

 private:
  /// What the loop reads and writes, one value a lane.
  struct alignas(64) Vector {
    T axx[width], axy[width], ayy[width], bx[width], by[width];  // δ μ M, δ k
    T cx[width], cy[width], cz[width];                           // δ μ k, δ K_33
    T stick_radius2[width], e2[width];
    T ux[width], uy[width], uz[width], sum_cos[width], sum_sin[width];
    T compression[width], decompression[width];  // sums of u_z < 0, of u_z >= 0
    unsigned decompressing;                      // a bit a lane: u_z has been >= 0 since the last compression began
  };

  struct State {
    B ux, uy, uz, sum_cos, sum_sin, compression, decompression;
  };

  static State load_state(const Vector& v) {
    return {load_lanes<B>(v.ux),           load_lanes<B>(v.uy),      load_lanes<B>(v.uz),
            load_lanes<B>(v.sum_cos),      load_lanes<B>(v.sum_sin), load_lanes<B>(v.compression),
            load_lanes<B>(v.decompression)};
  }

  static void store_state(Vector& v, const State& s) {
    store_lanes(v.ux, s.ux);
    store_lanes(v.uy, s.uy);
    store_lanes(v.uz, s.uz);
    store_lanes(v.sum_cos, s.sum_cos);
    store_lanes(v.sum_sin, s.sum_sin);
    store_lanes(v.compression, s.compression);
    store_lanes(v.decompression, s.decompression);
  }

  static B slip2(const State& s) { return mul_add(s.ux, s.ux, s.uy * s.uy); }

  static constexpr unsigned all_lanes = width == 32 ? ~0u : (1u << width) - 1;

  struct Events {
    unsigned ended, stuck, compressing_again;
    unsigned any() const { return ended | stuck | compressing_again; }
  };

  /// The collision ends where W_d >= -e² W_c while u_z >= 0.
  static Events events(Vector& v, const State& s, B r2) {
    const unsigned compressing = lane_bits(s.uz < B(0));
    const unsigned due = lane_bits(mul_add(load_lanes<B>(v.e2), s.compression, s.decompression) >= B(0));
    const unsigned stuck = lane_bits(r2 <= load_lanes<B>(v.stick_radius2));
    const unsigned again = compressing & v.decompressing;
    v.decompressing |= compressing ^ all_lanes;
    return {due & (compressing ^ all_lanes), stuck, again};
  }

  static void step(const Vector& v, State& s, B inverse_r) {
    const B cosine = s.ux * inverse_r, sine = s.uy * inverse_r;
    s.compression = s.compression + negative_part(s.uz);
    s.decompression = s.decompression + positive_part(s.uz);
    s.sum_cos = s.sum_cos + cosine;
    s.sum_sin = s.sum_sin + sine;
    const B axy = load_lanes<B>(v.axy);
    s.ux = s.ux + neg_mul_add(load_lanes<B>(v.axx), cosine, neg_mul_add(axy, sine, load_lanes<B>(v.bx)));
    s.uy = s.uy + neg_mul_add(axy, cosine, neg_mul_add(load_lanes<B>(v.ayy), sine, load_lanes<B>(v.by)));
    s.uz = s.uz + neg_mul_add(load_lanes<B>(v.cx), cosine, neg_mul_add(load_lanes<B>(v.cy), sine, load_lanes<B>(v.cz)));
  }

  void run() {
    State s[vectors];
    B r2[vectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < vectors; ++i) s[i] = load_state(vectors_[i]);
    for (;;) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < vectors; ++i) {
        r2[i] = slip2(s[i]);
        for (Events e = events(vectors_[i], s[i], r2[i]); e.any() != 0; e = events(vectors_[i], s[i], r2[i])) {
          store_state(vectors_[i], s[i]);
          handle(i, e);
          s[i] = load_state(vectors_[i]);
          r2[i] = slip2(s[i]);
        }
      }
      if (now_ == deadline_) [[unlikely]] {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vectors; ++i) store_state(vectors_[i], s[i]);
        handle_deadline();
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vectors; ++i) s[i] = load_state(vectors_[i]);
        if (busy_ > 0) continue;  // new contacts may begin with an event
      }
      if (busy_ == 0) [[unlikely]]
        return;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < vectors; ++i) r2[i] = B(1) / square_root(r2[i]);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < vectors; ++i) step(vectors_[i], s[i], r2[i]);
      ++now_;
    }
  }

  [[gnu::noinline]] void handle(std::size_t i, const Events& e) {
    for_each_bit(e.ended | e.stuck | e.compressing_again, [&](std::size_t j) {
      const std::size_t lane = i * width + j;
      const unsigned bit = 1u << j;
      Vector& v = vectors_[i];
      if ((e.compressing_again & bit) != 0) {
        if (compressions_[lane] < 3) ++compressions_[lane];
        v.decompressing &= ~bit;
      }
      if ((e.ended & bit) != 0)
        finish(lane, Course::slide_end);
      else if ((e.stuck & bit) != 0)
        finish(lane, now_ == start_[lane] ? Course::stick_at_start
                     : v.uz[j] < T(0)     ? Course::stick_in_c
                                          : Course::stick_in_d);
    });
  }

  /// A contact that has used up its budget can have an event at the same moment; then the event counts.
  void handle_deadline() {
    deadline_ = now_ + budget_;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (place_[lane].tile == nullptr) continue;
      if (now_ - start_[lane] == budget_)
        finish(lane, Course::none);
      else if (start_[lane] + budget_ < deadline_)
        deadline_ = start_[lane] + budget_;
    }
  }

  /// Course::none: the budget is used up.
  void finish(std::size_t lane, Course course) {
    Vector& v = vectors_[lane / width];
    const std::size_t j = lane % width;
    Tile<T>& tile = *place_[lane].tile;
    const std::size_t i = place_[lane].slot;
    const auto steps = static_cast<std::int32_t>(now_ - start_[lane]);
    tile.steps[i] = steps;
    if (course == Course::none) {
      tile.status[i] = Status::step_budget_reached;
    } else {
      const T step = tile.step[i], friction_step = step * tile.friction_rate[i];
      // With infinite friction the sliding phase passes without normal impulse, and so without work.
      const T normal_step = step * tile.normal_rate[i];
      Progress<T> c = {v.ux[j],
                       v.uy[j],
                       v.uz[j],
                       -(friction_step * v.sum_cos[j]),
                       -(friction_step * v.sum_sin[j]),
                       normal_step * static_cast<T>(steps),
                       normal_step * v.compression[j],
                       normal_step * v.decompression[j]};
      Sticking sticking = Sticking::none;
      if (course != Course::slide_end) sticking = finish_sticking<A>(tile, i, c);
      // Each compression but the last has had its decompression.
      const std::uint8_t compressions = steps > 0 ? compressions_[lane] : std::uint8_t{0};
      const bool last = steps == 0 || (v.decompressing >> j & 1u) == 0;
      tile.path[i] = Path{course, sticking, compressions,
                          static_cast<std::uint8_t>(last && steps > 0 ? compressions - 1 : compressions)};
      tile.ux[i] = c.ux;
      tile.uy[i] = c.uy;
      tile.uz[i] = c.uz;
      tile.px[i] = c.px;
      tile.py[i] = c.py;
      tile.pz[i] = c.pz;
      tile.work_compression[i] = c.work_compression;
      tile.work_decompression[i] = c.work_decompression;
    }
    --busy_;
    const Place<T> place = place_[lane];
    place_[lane].tile = nullptr;
    source_.done(place);
    refill(lane);
  }

  void refill(std::size_t lane) {
    Vector& v = vectors_[lane / width];
    const std::size_t j = lane % width;
    start_[lane] = now_;
    compressions_[lane] = 1;
    v.decompressing &= ~(1u << j);
    place_[lane].tile = nullptr;
    // Whole vectors are written, since a vector that is read soon after one of its elements was written would have to
    // wait for the store.
    const auto is_lane = load_lanes<B>(lane_numbers) == B(static_cast<T>(j));
    const auto set = [&](T(&lanes_of)[width], T value) {
      store_lanes(lanes_of, choose(is_lane, B(value), load_lanes<B>(lanes_of)));
    };
    set(v.sum_cos, T(0));
    set(v.sum_sin, T(0));
    set(v.compression, T(0));
    set(v.decompression, T(0));
    Place<T> place;
    if (!source_.next(place)) {
      // A lane without a contact slides on for ever, and nothing happens to it.
      T(*const zeros[])[width] = {&v.axx, &v.axy, &v.ayy, &v.bx, &v.by, &v.cx, &v.cy, &v.cz, &v.e2, &v.uy};
      for (auto* lanes_of : zeros) set(*lanes_of, T(0));
      set(v.stick_radius2, T(-1));
      set(v.ux, T(1));
      set(v.uz, T(-1));
      return;
    }
    ++busy_;
    place_[lane] = place;
    const Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    const T step = tile.step[i], friction_step = step * tile.friction_rate[i];
    const T normal_step = step * tile.normal_rate[i];
    set(v.axx, friction_step * tile.kxx[i]);
    set(v.axy, friction_step * tile.kxy[i]);
    set(v.ayy, friction_step * tile.kyy[i]);
    set(v.bx, normal_step * tile.kxz[i]);
    set(v.by, normal_step * tile.kyz[i]);
    set(v.cx, friction_step * tile.kxz[i]);
    set(v.cy, friction_step * tile.kyz[i]);
    set(v.cz, normal_step * tile.kzz[i]);
    set(v.stick_radius2, tile.stick_radius[i] * tile.stick_radius[i]);
    set(v.e2, tile.restitution[i] * tile.restitution[i]);
    set(v.ux, tile.u0x[i]);
    set(v.uy, tile.u0y[i]);
    set(v.uz, tile.u0z[i]);
  }

  alignas(64) static constexpr T lane_numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

  Source& source_;
  std::int64_t budget_;
  std::int64_t now_ = 0;       // steps of the loop so far
  std::int64_t deadline_ = 0;  // no contact's budget ends before this step
  std::size_t busy_ = 0;       // lanes with a contact
  Vector vectors_[vectors] = {};
  Place<T> place_[lanes] = {};
  std::int64_t start_[lanes] = {};
  std::uint8_t compressions_[lanes] = {};
};

}  // namespace
}  // namespace carom::kernel
