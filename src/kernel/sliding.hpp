// Stage 5a, law: sliding, by Euler's method in the normal impulse. [R] section 4, step 3.
//
//   u ← u + δ K (-μ cosθ, -μ sinθ, 1),   W ← W + δ u_z
//
// Every lane carries one contact from its first step to its last and then takes the next one of the tile. The loop
// knows three events: the slip is within the reach of one step (sticking), u_z changes sign, W has reached what ends
// the collision. Everything that depends on the event is done contact by contact outside of the loop. Within one phase
// of compression or decompression W is a plain sum of u_z; where the phase ends it goes to W_c or W_d.
#pragma once

#include "sticking.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class EulerSlider {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  using Lanes = T[width];

 public:
  EulerSlider(Tile<T>& tile, std::int32_t step_budget) : tile_(tile), budget_(step_budget) {}

  void solve() {
    for (std::size_t lane = 0; lane < width; ++lane) refill(lane);
    while (busy_ != 0) {
      const unsigned events = run();
      const unsigned handled = (events | exhausted()) & busy_;
      for_each_bit(handled, [&](std::size_t lane) { handle(lane); });
    }
  }

 private:
  /// Steps all lanes until something happens to one of them, which is named by its bit, or until a budget is used up.
  unsigned run() {
    std::int64_t left = steps_left();
    const B axx = load_lanes<B>(axx_), axy = load_lanes<B>(axy_), ayy = load_lanes<B>(ayy_);
    const B bx = load_lanes<B>(bx_), by = load_lanes<B>(by_);
    const B cx = load_lanes<B>(cx_), cy = load_lanes<B>(cy_), cz = load_lanes<B>(cz_);
    const B radius = load_lanes<B>(radius_), end_work = load_lanes<B>(end_work_);
    const Mask compressing = load_lanes<B>(compressing_) > B(0);
    B ux = load_lanes<B>(ux_), uy = load_lanes<B>(uy_), uz = load_lanes<B>(uz_);
    B sum_cos = load_lanes<B>(sum_cos_), sum_sin = load_lanes<B>(sum_sin_), sum_uz = load_lanes<B>(sum_uz_);
    const std::int64_t all = left;
    unsigned events;
    for (;;) {
      const B r = square_root(mul_add(ux, ux, uy * uy));
      const Mask sign_changed = (uz < B(0)) != compressing;
      events = lane_bits(r <= radius || sign_changed || sum_uz >= end_work);
      if (events != 0 || left == 0) break;
      --left;
      const B inverse_r = B(1) / r;
      const B cosine = ux * inverse_r, sine = uy * inverse_r;
      sum_uz = sum_uz + uz;
      sum_cos = sum_cos + cosine;
      sum_sin = sum_sin + sine;
      ux = ux + neg_mul_add(axx, cosine, neg_mul_add(axy, sine, bx));
      uy = uy + neg_mul_add(axy, cosine, neg_mul_add(ayy, sine, by));
      uz = uz + neg_mul_add(cx, cosine, neg_mul_add(cy, sine, cz));
    }
    steps_run_ += all - left;
    store_lanes(ux_, ux);
    store_lanes(uy_, uy);
    store_lanes(uz_, uz);
    store_lanes(sum_cos_, sum_cos);
    store_lanes(sum_sin_, sum_sin);
    store_lanes(sum_uz_, sum_uz);
    return events;
  }

  std::int32_t steps_of(std::size_t lane) const { return static_cast<std::int32_t>(steps_run_ - start_[lane]); }

  std::int64_t steps_left() const {
    std::int64_t least = budget_;
    for_each_bit(busy_, [&](std::size_t lane) {
      const std::int64_t left = budget_ - steps_of(lane);
      if (left < least) least = left;
    });
    return least;
  }

  unsigned exhausted() const {
    unsigned bits = 0;
    for_each_bit(busy_, [&](std::size_t lane) { bits |= steps_of(lane) == budget_ ? 1u << lane : 0u; });
    return bits;
  }

  void handle(std::size_t lane) {
    if (const bool compressing = uz_[lane] < T(0); compressing != (compressing_[lane] > T(0))) {
      change_phase(lane, compressing);
    }
    if (sum_uz_[lane] >= end_work_[lane]) return finish(lane, Course::slide_end);
    const T r = square_root(mul_add(ux_[lane], ux_[lane], uy_[lane] * uy_[lane]));
    if (r <= radius_[lane]) {
      if (steps_of(lane) == 0) return finish(lane, Course::stick_at_start);
      return finish(lane, compressing_[lane] > T(0) ? Course::stick_in_c : Course::stick_in_d);
    }
    if (steps_of(lane) == budget_) return finish(lane, Course::none);
  }

  void change_phase(std::size_t lane, bool compressing) {
    std::uint8_t& phases = compressing ? compressions_[lane] : decompressions_[lane];
    if (phases < 3) ++phases;
    close_phase(lane);
    compressing_[lane] = compressing ? T(1) : T(0);
    const std::size_t i = slot_[lane];
    const T e = tile_.restitution[i];
    end_work_[lane] = compressing ? never : -mul_add(e * e, sum_compression_[lane], sum_decompression_[lane]);
  }

  void close_phase(std::size_t lane) {
    T& sum = compressing_[lane] > T(0) ? sum_compression_[lane] : sum_decompression_[lane];
    sum = sum + sum_uz_[lane];
    sum_uz_[lane] = T(0);
  }

  /// Course::none: the budget is used up.
  void finish(std::size_t lane, Course course) {
    const std::size_t i = slot_[lane];
    close_phase(lane);
    const std::int32_t steps = steps_of(lane);
    tile_.steps[i] = steps;
    if (course == Course::none) {
      tile_.status[i] = Status::step_budget_reached;
      return refill(lane);
    }
    const T step = tile_.step[i], friction_step = step * tile_.friction_rate[i];
    // With infinite friction the sliding phase passes without normal impulse, and so without work.
    const T normal_step = step * tile_.normal_rate[i];
    Progress<T> c = {ux_[lane],
                     uy_[lane],
                     uz_[lane],
                     -(friction_step * sum_cos_[lane]),
                     -(friction_step * sum_sin_[lane]),
                     normal_step * static_cast<T>(steps),
                     normal_step * sum_compression_[lane],
                     normal_step * sum_decompression_[lane]};
    Sticking sticking = Sticking::none;
    if (course != Course::slide_end) sticking = finish_sticking<A>(tile_, i, c);
    const bool slid = steps > 0;
    tile_.path[i] = Path{course, sticking, slid ? compressions_[lane] : std::uint8_t{0},
                         slid ? decompressions_[lane] : std::uint8_t{0}};
    tile_.ux[i] = c.ux;
    tile_.uy[i] = c.uy;
    tile_.uz[i] = c.uz;
    tile_.px[i] = c.px;
    tile_.py[i] = c.py;
    tile_.pz[i] = c.pz;
    tile_.work_compression[i] = c.work_compression;
    tile_.work_decompression[i] = c.work_decompression;
    refill(lane);
  }

  void refill(std::size_t lane) {
    busy_ &= ~(1u << lane);
    start_[lane] = steps_run_;
    sum_cos_[lane] = sum_sin_[lane] = sum_uz_[lane] = T(0);
    sum_compression_[lane] = sum_decompression_[lane] = T(0);
    compressing_[lane] = T(1);
    end_work_[lane] = never;
    compressions_[lane] = 1;
    decompressions_[lane] = 0;
    if (next_ == tile_.colliding_count) return park(lane);
    busy_ |= 1u << lane;
    const std::size_t i = slot_[lane] = tile_.colliding[next_++];
    const T step = tile_.step[i], friction_step = step * tile_.friction_rate[i];
    const T normal_step = step * tile_.normal_rate[i];
    axx_[lane] = friction_step * tile_.kxx[i];
    axy_[lane] = friction_step * tile_.kxy[i];
    ayy_[lane] = friction_step * tile_.kyy[i];
    bx_[lane] = normal_step * tile_.kxz[i];
    by_[lane] = normal_step * tile_.kyz[i];
    cx_[lane] = friction_step * tile_.kxz[i];
    cy_[lane] = friction_step * tile_.kyz[i];
    cz_[lane] = normal_step * tile_.kzz[i];
    radius_[lane] = tile_.stick_radius[i];
    ux_[lane] = tile_.u0x[i];
    uy_[lane] = tile_.u0y[i];
    uz_[lane] = tile_.u0z[i];
  }

  /// A lane without a contact slides on for ever, and nothing happens to it.
  void park(std::size_t lane) {
    axx_[lane] = axy_[lane] = ayy_[lane] = bx_[lane] = by_[lane] = cx_[lane] = cy_[lane] = cz_[lane] = T(0);
    radius_[lane] = T(-1);
    ux_[lane] = T(1);
    uy_[lane] = T(0);
    uz_[lane] = T(-1);
  }

  static constexpr T never = static_cast<T>(__builtin_inf());

  Tile<T>& tile_;
  std::int32_t budget_;
  std::size_t next_ = 0;
  unsigned busy_ = 0;           // a bit a lane
  std::int64_t steps_run_ = 0;  // of the loop
  // Of the loop, one value a lane.
  alignas(64) Lanes axx_, axy_, ayy_, bx_, by_, cx_, cy_, cz_;  // δ μ M, δ k, δ μ k, δ K_33
  Lanes radius_, end_work_, compressing_;
  Lanes ux_, uy_, uz_, sum_cos_, sum_sin_, sum_uz_;
  // Beside the loop.
  Lanes sum_compression_, sum_decompression_;
  std::size_t slot_[width];
  std::int64_t start_[width];
  std::uint8_t compressions_[width], decompressions_[width];
};

}  // namespace
}  // namespace carom::kernel
