// Stage 5a, law: sliding, by Euler's method in the normal impulse. [R] section 4, step 3.
//
//   u ← u + δ K (-μ cosθ, -μ sinθ, 1),   W ← W + δ u_z
//
// Every lane carries one contact from its first step to its last and then takes the next one, so that no lane idles
// before the source runs dry. Several vectors of lanes are stepped in turn: one alone would wait for its own square
// root and division most of the time. The loop knows three events: the slip is within the reach of one step (sticking),
// u_z changes sign, W has reached what ends the collision. Within one phase of compression or decompression W is a
// plain sum of u_z; where the phase ends it goes to W_c or W_d.
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
    T stick_radius2[width], end_work[width], compressing[width];
    T ux[width], uy[width], uz[width], sum_cos[width], sum_sin[width], sum_uz[width];
    T sum_compression[width], sum_decompression[width], e2[width];
  };

  struct State {
    B ux, uy, uz, sum_cos, sum_sin, sum_uz;
  };

  static State load_state(const Vector& v) {
    return {load_lanes<B>(v.ux),      load_lanes<B>(v.uy),      load_lanes<B>(v.uz),
            load_lanes<B>(v.sum_cos), load_lanes<B>(v.sum_sin), load_lanes<B>(v.sum_uz)};
  }

  static void store_state(Vector& v, const State& s) {
    store_lanes(v.ux, s.ux);
    store_lanes(v.uy, s.uy);
    store_lanes(v.uz, s.uz);
    store_lanes(v.sum_cos, s.sum_cos);
    store_lanes(v.sum_sin, s.sum_sin);
    store_lanes(v.sum_uz, s.sum_uz);
  }

  static B slip2(const State& s) { return mul_add(s.ux, s.ux, s.uy * s.uy); }

  static Mask sign_changed(const Vector& v, const State& s) {
    return differ(s.uz<B(0), load_lanes<B>(v.compressing)> B(0));
  }

  static Mask ended(const Vector& v, const State& s, B r2) {
    return r2 <= load_lanes<B>(v.stick_radius2) || s.sum_uz >= load_lanes<B>(v.end_work);
  }

  static void step(const Vector& v, State& s, B inverse_r) {
    const B cosine = s.ux * inverse_r, sine = s.uy * inverse_r;
    s.sum_uz = s.sum_uz + s.uz;
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
        while (lane_bits(sign_changed(vectors_[i], s[i]) || ended(vectors_[i], s[i], r2[i])) != 0) [[unlikely]] {
            store_state(vectors_[i], s[i]);
            handle_events(i);
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

  [[gnu::noinline]] void handle_events(std::size_t i) {
    Vector& v = vectors_[i];
    const State s = load_state(v);
    if (const unsigned bits = lane_bits(sign_changed(v, s)); bits != 0) change_phase(i, bits);
    const State after = load_state(v);
    for_each_bit(lane_bits(ended(v, after, slip2(after))), [&](std::size_t j) {
      finish(i * width + j, v.sum_uz[j] >= v.end_work[j]    ? Course::slide_end
                            : now_ == start_[i * width + j] ? Course::stick_at_start
                            : v.compressing[j] > T(0)       ? Course::stick_in_c
                                                            : Course::stick_in_d);
    });
  }

  void change_phase(std::size_t i, unsigned bits) {
    Vector& v = vectors_[i];
    const B zero(0), one(1), sum = load_lanes<B>(v.sum_uz);
    const Mask compressing = load_lanes<B>(v.compressing) > zero;
    const Mask changed = sign_changed(v, load_state(v));
    B compression = load_lanes<B>(v.sum_compression), decompression = load_lanes<B>(v.sum_decompression);
    compression = choose(changed && compressing, compression + sum, compression);
    decompression = choose(differ(changed, changed && compressing), decompression + sum, decompression);
    const B due = -mul_add(load_lanes<B>(v.e2), compression, decompression);
    store_lanes(v.sum_compression, compression);
    store_lanes(v.sum_decompression, decompression);
    store_lanes(v.end_work, choose(changed, choose(compressing, due, B(never)), load_lanes<B>(v.end_work)));
    store_lanes(v.sum_uz, choose(changed, zero, sum));
    store_lanes(v.compressing, choose(differ(changed, compressing), one, zero));
    for_each_bit(bits, [&](std::size_t j) {
      std::uint8_t& phases = v.compressing[j] > T(0) ? compressions_[i * width + j] : decompressions_[i * width + j];
      if (phases < 3) ++phases;
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
      T& phase_sum = v.compressing[j] > T(0) ? v.sum_compression[j] : v.sum_decompression[j];
      phase_sum = phase_sum + v.sum_uz[j];
      const T step = tile.step[i], friction_step = step * tile.friction_rate[i];
      // With infinite friction the sliding phase passes without normal impulse, and so without work.
      const T normal_step = step * tile.normal_rate[i];
      Progress<T> c = {v.ux[j],
                       v.uy[j],
                       v.uz[j],
                       -(friction_step * v.sum_cos[j]),
                       -(friction_step * v.sum_sin[j]),
                       normal_step * static_cast<T>(steps),
                       normal_step * v.sum_compression[j],
                       normal_step * v.sum_decompression[j]};
      Sticking sticking = Sticking::none;
      if (course != Course::slide_end) sticking = finish_sticking<A>(tile, i, c);
      const bool slid = steps > 0;
      tile.path[i] = Path{course, sticking, slid ? compressions_[lane] : std::uint8_t{0},
                          slid ? decompressions_[lane] : std::uint8_t{0}};
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
    v.sum_cos[j] = v.sum_sin[j] = v.sum_uz[j] = T(0);
    v.sum_compression[j] = v.sum_decompression[j] = T(0);
    v.compressing[j] = T(1);
    v.end_work[j] = never;
    compressions_[lane] = 1;
    decompressions_[lane] = 0;
    place_[lane].tile = nullptr;
    Place<T> place;
    if (!source_.next(place)) return park(v, j);
    ++busy_;
    place_[lane] = place;
    const Tile<T>& tile = *place.tile;
    const std::size_t i = place.slot;
    const T step = tile.step[i], friction_step = step * tile.friction_rate[i];
    const T normal_step = step * tile.normal_rate[i];
    v.axx[j] = friction_step * tile.kxx[i];
    v.axy[j] = friction_step * tile.kxy[i];
    v.ayy[j] = friction_step * tile.kyy[i];
    v.bx[j] = normal_step * tile.kxz[i];
    v.by[j] = normal_step * tile.kyz[i];
    v.cx[j] = friction_step * tile.kxz[i];
    v.cy[j] = friction_step * tile.kyz[i];
    v.cz[j] = normal_step * tile.kzz[i];
    v.stick_radius2[j] = tile.stick_radius[i] * tile.stick_radius[i];
    v.e2[j] = tile.restitution[i] * tile.restitution[i];
    v.ux[j] = tile.u0x[i];
    v.uy[j] = tile.u0y[i];
    v.uz[j] = tile.u0z[i];
  }

  /// A lane without a contact slides on for ever, and nothing happens to it.
  static void park(Vector& v, std::size_t j) {
    v.axx[j] = v.axy[j] = v.ayy[j] = v.bx[j] = v.by[j] = v.cx[j] = v.cy[j] = v.cz[j] = v.e2[j] = T(0);
    v.stick_radius2[j] = T(-1);
    v.ux[j] = T(1);
    v.uy[j] = T(0);
    v.uz[j] = T(-1);
  }

  static constexpr T never = static_cast<T>(__builtin_inf());

  Source& source_;
  std::int64_t budget_;
  std::int64_t now_ = 0;       // steps of the loop so far
  std::int64_t deadline_ = 0;  // no contact's budget ends before this step
  std::size_t busy_ = 0;       // lanes with a contact
  Vector vectors_[vectors];
  Place<T> place_[lanes];
  std::int64_t start_[lanes];
  std::uint8_t compressions_[lanes], decompressions_[lanes];
};

}  // namespace
}  // namespace carom::kernel
