// The gradient of the incremental law. Contacts of a tile slide in parallel, as in series.hpp, with four tangents each
// (slide_tangents.hpp). Contacts whose slide is over are removed from the vectors. Sign changes of u_z on the way add
// to a variation (variation.hpp), from which slide_end_gradient.hpp computes the columns at the end.
#pragma once

#include "slide_end_gradient.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class SlideGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Order = SeriesOrder<T>;
  using Tile = GradientTile<T>;
  using Lane = typename SlideMemory<T>::Lane;
  using Contact = GradientContact<B>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  SlideGradient(const Tile& tile, const SlideOptions<T>& options, SlideMemory<T>& memory)
      : tile_(tile), options_(options), memory_(memory) {}

  void run() {
    for (std::size_t i = 0; i < tile_.count; i += width) begin(i);
    while (active_ > 0) sweep();
    SlideEndGradient<A, T> end(tile_, memory_);
    for (std::size_t i = 0; i < done_; i += width) end.finish(i, done_ - i < width ? done_ - i : width);
  }

 private:
  static constexpr unsigned bits_of_first(std::size_t n) { return n >= 32 ? ~0u : (1u << n) - 1; }

  [[gnu::noinline]] void begin(std::size_t i) {
    const GradientLanes<A, T> lanes(tile_, i);
    if (tile_.chosen != nullptr && lane_bits(lanes.chosen) == 0) return;
    const B zero(0), one(1);
    const Symmetric3<B> k = lanes.k();
    Frame<B> frame = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    const PrincipalMatrix<B> matrix = principal_matrix<T>(frame, k, collision_matrix<T>(k));
    const auto [direction, speed] = scaled_direction_of(lanes.u0());
    const B friction = lanes.in(Tile::friction), restitution = lanes.in(Tile::restitution);
    const B law = load_lanes<B>(options_.restitution_law + i);
    GradientGiven<B> given = {
        {matrix.m1, matrix.m2, matrix.k1, matrix.k2, matrix.q1, matrix.q2, matrix.schur, friction},
        dot(direction, frame.t1),
        dot(direction, frame.t2),
        direction.z,
        frame.t1.x,
        frame.t1.y,
        frame.t2.x,
        frame.t2.y,
        speed,
        matrix.inverse_trace};
    store_struct(memory_.given, given, i);

    const B turning = mul_add(friction, matrix.m1, matrix.size_k);
    const B fastest = larger(turning, B(T(0x1p-10)) * matrix.k33);
    const B step = one / choose(fastest > zero, fastest, one), friction_step = step * friction;
    const B finite =
        vanishing(matrix.trace) + vanishing(speed) + vanishing(step) + vanishing(friction) + vanishing(restitution);
    const Mask approaches = direction.z < zero;
    const Mask good = matrix.definite && finite == zero && step > zero && friction >= zero && restitution >= zero &&
                      restitution <= B(options_.max_restitution) && law <= B(T(2));
    lanes.put(tile_.plain, choose(good, one, zero));
    lanes.put(tile_.status, status_number<T, B>(GradientStatus::zero));
    for (std::size_t v = 0; v < Tile::own; ++v) lanes.put(v, Vector3<B>{zero, zero, zero});

    Contact c{};
    each([&](const B&, B& x) { x = B(0); }, c, c);
    c.rates = {friction_step * matrix.m1, friction_step * matrix.m2, step * matrix.k1, step * matrix.k2,
               friction_step * matrix.k1, friction_step * matrix.k2, step * matrix.k33};
    c.e = restitution;
    c.law = law;
    c.kinematic_balance = restitution * given.u0z;
    c.monotone = choose(c.rates.c3 >= friction_step * matrix.size_k, one, zero);
    c.friction_step = friction_step;
    c.normal_step = step;
    c.place = load_lanes<B>(lane_numbers<T>.of) + B(static_cast<T>(i));
    c.slide.ux = given.u0x;
    c.slide.uy = given.u0y;
    c.slide.uz = given.u0z;
    c.phase.compressions = one;
    c.weakest = one;
    measure(c);
    // The square of a smaller slip would vanish.
    const Mask slides = c.r > B(T(0x1p-60)), takes = good && approaches && lanes.chosen;
    add(memory_.active, active_, c, lane_bits(takes && slides));
    leave(c, lane_bits(and_not(takes, slides)), Left::without_slip);
  }

  static void measure(Contact& c) {
    c.r = square_root(mul_add(c.slide.ux, c.slide.ux, c.slide.uy * c.slide.uy));
    c.inverse_r = B(1) / choose(c.r > B(0), c.r, B(1));
  }

  /// A step of every contact that slides.
  [[gnu::noinline]] void sweep() {
    const std::size_t n = active_;
    for (std::size_t i = n; i % width != 0; ++i) make_idle(i);
    active_ = 0;
    for (std::size_t i = 0; i < n; i += width) {
      const std::size_t here = n - i < width ? n - i : width;
      Contact c = load_struct<Contact>(memory_.active, i);
      const unsigned ended = lane_bits(step(c, load_lanes<B>(lane_numbers<T>.of) < B(static_cast<T>(here))));
      measure(c);
      const unsigned all = bits_of_first(here);
      const Turning<B> t = turning(c.rates, c.slide.ux * c.inverse_r, c.slide.uy * c.inverse_r);
      const unsigned rest = lane_bits(c.r <= B(Order::tolerance / 256) && t.rate < B(0)) & all & ~ended;
      const unsigned ray = lane_bits(is_on_ray(c, t)) & all & ~ended & ~rest;
      const unsigned exhausted =
          lane_bits(c.steps >= B(static_cast<T>(options_.step_budget))) & all & ~ended & ~rest & ~ray;
      leave(c, ended, Left::ended);
      leave(c, rest, Left::at_rest);
      leave(c, ray, Left::on_ray);
      leave(c, exhausted, Left::exhausted);
      add(memory_.active, active_, c, all & ~ended & ~rest & ~ray & ~exhausted);
    }
  }

  /// The tangents and A along a step of the slide.
  struct Beside {
    static constexpr int order = Order::state;
    using Tangents = SeriesOfTangents<T, B>;

    Contact& c;
    const Rates<B> k;
    const LeftOut<B> out;
    mutable typename Tangents::Coefficients coefficients[carried];
    mutable B sum_area[order + 1];

    /// The longest step to which the tangents have converged: the neighbours of a solution that is smooth, as on a ray,
    /// need not be so.
    [[gnu::always_inline]] B longest(const Taylor<T, B>& series) const {
      // A' = r²
      sum_area[0] = B(0);
      for (int m = 0; m < order; ++m) {
        B square = B(0);
        for (int j = 0; j <= m; ++j) square = mul_add(series.r[j], series.r[m - j], square);
        sum_area[m + 1] = square * B(T(1) / static_cast<T>(m + 1));
      }
      Tangents{series, k, out, c.inverse_r}.expand(c.tangents, coefficients);
      B last = magnitude(sum_area[order]), before = magnitude(sum_area[order - 1]);
      for (int j = 0; j < carried; ++j) {
        last = larger(last, Tangents::size_of_order(coefficients[j], order));
        before = larger(before, Tangents::size_of_order(coefficients[j], order - 1));
      }
      return smaller(converged_step<order, T>(last, Order::log2_tolerance),
                     converged_step<order - 1, T>(before, Order::log2_tolerance));
    }

    [[gnu::always_inline]] Slip<B> slip_at(const Taylor<T, B>& series, B h, B& dx, B& dy, B& dr) const {
      dx = value<order>(series.sum_x, h);
      dy = value<order>(series.sum_y, h);
      dr = value<order>(series.sum_r, h);
      Slip<B> slip = slip_after(k, c.slide.ux, c.slide.uy, dx, dy, dr);
      slip.sum_x = c.slide.sum_x + dx;
      slip.sum_y = c.slide.sum_y + dy;
      slip.s = c.phase.length + dr;
      slip.area = c.area + value<order>(sum_area, h);
      return slip;
    }

    [[gnu::always_inline]] void operator()(const Taylor<T, B>& series, B stop, B low, Mask turned) const {
      const Tangents tangents{series, k, out, c.inverse_r};
      B dx, dy, dr;
      if (lane_bits(turned) != 0) {
        const Slip<B> slip = slip_at(series, low, dx, dy, dr);
        Tangent<B> four[carried], five[5];
        for (int j = 0; j < carried; ++j)
          four[j] = tangents.at(j, c.tangents[j], coefficients[j], low, slip, dx, dy, dr);
        complete(k, out, slip, four, five);
        const B mu = c.friction_step / c.normal_step;
        const B slope = neg_mul_add(k.c1, slip.cosine, neg_mul_add(k.c2, slip.sine, k.c3));
        at_turn(c, turned, place_of(slip, five, mu), slope, mu);
      }
      const Slip<B> slip = slip_at(series, stop, dx, dy, dr);
      for (int j = 0; j < carried; ++j)
        c.tangents[j] = tangents.at(j, c.tangents[j], coefficients[j], stop, slip, dx, dy, dr);
      c.area = slip.area;
    }
  };

  [[gnu::always_inline]] static Mask step(Contact& c, Mask busy) {
    const Beside beside{c, c.rates, LeftOut<B>(c.rates), {}, {}};
    return step_series<T>(static_cast<SeriesContact<B>&>(c), busy, beside);
  }

  /// Returns contacts on a ray, which has a closed form. This includes slips that do not turn in any direction and come
  /// to rest before any other event.
  static Mask is_on_ray(const Contact& c, const Turning<B>& t) {
    const B zero(0), one(1), never(static_cast<T>(__builtin_inf()));
    const Rates<B>& k = c.rates;
    const B x = c.slide.ux * c.inverse_r, y = c.slide.uy * c.inverse_r;
    const B stiffness = mul_add(k.a1, y * y, k.a2 * x * x), slope = magnitude(t.slope), f = magnitude(t.f);
    const Mask known =
        stiffness > B(T(1e-3)) * (slope + magnitude(t.rate)) && magnitude(t.rate) > B(T(1e-5)) * stiffness;
    const Mask near = known && f <= B(T(0.1)) * slope && c.r * f <= B(Order::tolerance) * slope && t.slope < zero &&
                      slope > B(T(1) / T(8)) * (stiffness + magnitude(t.rate)) &&
                      magnitude(t.rate - stiffness) > B(T(1e-3)) * stiffness;
    const Mask still = known && f <= B(T(4) * epsilon<T>) && t.rate < zero;
    if (lane_bits(and_not(still, near)) == 0) return near;
    const B rise = neg_mul_add(k.c1, x, neg_mul_add(k.c2, y, k.c3));
    const B rest = choose(t.rate < zero, c.r / magnitude(choose(t.rate < zero, t.rate, one)), never);
    const B next = next_event<T>(c, c.phase.decompressing > zero, c.slide.uz, c.phase.balance, rise).distance;
    return near || (still && rest < next);
  }

  template <class S>
  static void store_struct(Lane* lanes, const S& s, std::size_t i) {
    S copy = s;
    each([&](const B& from, B&) { store_lanes(*lanes++ + i, from); }, s, copy);
  }
  template <class S>
  [[gnu::always_inline]] static S load_struct(Lane* lanes, std::size_t i) {
    S s{};
    each([&](const B&, B& to) { to = load_lanes<B>(*lanes++ + i); }, s, s);
    return s;
  }
  [[gnu::noinline]] static void add(Lane* lanes, std::size_t& count, const Contact& c, unsigned bits) {
    if (bits == 0) return;
    const std::size_t at = count;
    if (bits == bits_of_first(width)) {
      each([&](const B& from) { store_lanes(*lanes++ + at, from); }, c);
    } else {
      const Compaction<B> chosen(bits);
      each([&](const B& from) { chosen.store(*lanes++ + at, from); }, c);
    }
    count += static_cast<std::size_t>(__builtin_popcount(bits));
  }
  void leave(const Contact& c, unsigned bits, Left how) {
    const std::size_t from = done_;
    add(memory_.done, done_, c, bits);
    for (std::size_t i = from; i < done_; ++i) memory_.left[i] = static_cast<T>(how);
  }
  [[gnu::noinline]] void make_idle(std::size_t i) {
    Contact c{};
    each([&](const B&, B& x) { x = B(0); }, c, c);
    c.slide.ux = c.r = c.inverse_r = c.normal_step = B(1);
    c.slide.uz = B(-1);
    c.rates.c3 = B(1);
    std::size_t lane = 0;
    each(
        [&](const B& from) {
          T values[width];
          store_lanes(values, from);
          memory_.active[lane++][i] = values[0];
        },
        c);
  }

  const Tile& tile_;
  const SlideOptions<T>& options_;
  SlideMemory<T>& memory_;
  std::size_t active_ = 0, done_ = 0;
};

}  // namespace
}  // namespace carom::kernel
