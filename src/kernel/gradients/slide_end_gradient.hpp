// The end of a collision and its gradient: of contacts whose slide has ended, is on a ray, has come to rest or never
// began. On a ray, with z and y the parts of δu_t along û and ê across it, b = δk - δN û, λ = dr/ds, n = ê·N ê and slip
// time T:
//
//   G = exp(-n T)          c = b_e / (λ + n)      C = y1 - c r1      y = C G + c r      I = (r G - r1) / (λ - n)
//   η = c Δ + C (1 - G) / n      z = z1 + b_u Δ - n_ue η
//   δX = δX1 + ê η         δA = δA1 + z1 Δ + ½ b_u Δ² - n_ue (½ c Δ² + C (Δ - I) / n)
//
// At rest G = r = 0, and λ + n drops out: η = (y1 + b_e Δ) / n, and the bracket is Δ (y1 + ½ b_e Δ) / (n - λ).
//
// At rest δs* = -û·δu_t / λ passes on alone. What turns has weighed in `balance`, since the collision ends at E = 0 and
//
//   energetic   δE = δW(end) + Σ ±(e² - 1) δW(turn)      δs = -δE / u_z
//   kinetic     δE = Σ ±(1 + e) δu_z / (du_z/ds)         δs = -δE
//   kinematic   δE = δu_z + e δu0_z                      δs = -δE / (du_z/ds)
#pragma once

#include "kernel/numerics/exponential.hpp"
#include "phases.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class SlideEndGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Tile = GradientTile<T>;
  using W = Variation<B>;
  using Contact = GradientContact<B>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  SlideEndGradient(const Tile& tile, const SlideMemory<T>& memory) : tile_(tile), memory_(memory) {}

  /// Of `n` contacts from number i on of those that are done.
  [[gnu::noinline]] void finish(std::size_t i, std::size_t n) {
    Contact c{};
    const auto* lanes = memory_.done;
    each([&](const B&, B& to) { to = load_lanes<B>(*lanes++ + i); }, c, c);
    T places[width];
    store_lanes(places, c.place);
    std::size_t slots[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      slots[lane] = lane < n ? static_cast<std::size_t>(static_cast<std::int32_t>(places[lane])) : 0;
    GradientGiven<B> g{};
    lanes = memory_.given;
    each(
        [&](const B&, B& to) {
          T brought[width];
          for (std::size_t lane = 0; lane < width; ++lane) brought[lane] = (*lanes)[slots[lane]];
          ++lanes;
          to = load_lanes<B>(brought);
        },
        g, g);
    const Mask there = load_lanes<B>(lane_numbers<T>.of) < B(static_cast<T>(n));
    const B how = load_lanes<B>(memory_.left + i);
    const auto is = [&](Left left) { return there && how == number<T, B>(left); };
    const Mask exhausted = is(Left::exhausted), at_start = is(Left::without_slip);
    const Mask on_ray = is(Left::on_ray), stops = is(Left::at_rest);

    end_.status = status_number<T, B>(GradientStatus::exact);
    mu_ = g.friction;
    k_ = c.rates;
    Slip<B> slip = slip_after(k_, c.slide.ux, c.slide.uy, B(0), B(0), B(0));
    slip.sum_x = c.slide.sum_x;
    slip.sum_y = c.slide.sum_y;
    slip.s = c.phase.length;
    slip.area = c.area;
    Tangent<B> five[5];
    complete(k_, LeftOut<B>(k_), slip, c.tangents, five);

    W arrival = no_variation<B>();  // of s where the slip stops
    Mask rests = at_start;
    if (lane_bits(on_ray || stops) != 0) {
      const Mask arrived = follow_ray(on_ray || stops, on_ray, stops, c, slip, five, arrival);
      rests = rests || arrived;
    }
    end_.place = place_of(slip, five, mu_);
    end_.z = c.slide.uz;
    end_.rate_x = negated(mu_ * slip.cosine);
    end_.rate_y = negated(mu_ * slip.sine);
    end_.slope = neg_mul_add(k_.c1, slip.cosine, neg_mul_add(k_.c2, slip.sine, k_.c3));
    const B tolerance(tile_.tolerance);
    say(and_not(there, rests) && slip.r <= tolerance, GradientStatus::one_sided);
    say(negated(g.u0z) <= tolerance, GradientStatus::one_sided);
    Mask undefined = Mask(false);
    if (lane_bits(rests) != 0) undefined = rest(rests, at_start, c, g, arrival);
    store(exhausted, undefined, c, g, places, n);
  }

 private:
  /// The end of the collision.
  struct End {
    Place<B> place;
    B z, rate_x, rate_y, slope;  // u_z, dp_t/ds, du_z/ds
    B status;
  };

  void say(Mask condition, GradientStatus worse) { end_.status = at_least<T>(end_.status, condition, worse); }

  /// Along rays, or what is left of the way to rest; those that come to rest. Their slip is 0 then.
  [[gnu::noinline]] Mask follow_ray(Mask wanted, Mask on_ray, Mask stops, Contact& c, Slip<B>& slip,
                                    Tangent<B> (&five)[5], W& arrival) {
    const B zero(0), one(1), half(T(0.5)), never(static_cast<T>(__builtin_inf()));
    // To fixed r, by the slip's own rates: there tangents are as small as r.
    const B own = mul_add(slip.cosine, slip.gx, slip.sine * slip.gy);
    Tangent<B> base[5];
    B back[5];
    for (int j = 0; j < 5; ++j) {
      const B h = negated(mul_add(slip.cosine, five[j].x, slip.sine * five[j].y)) / choose(wanted, own, one);
      back[j] = h;
      base[j] = {mul_add(slip.gx, h, five[j].x), mul_add(slip.gy, h, five[j].y), mul_add(slip.cosine, h, five[j].sum_x),
                 mul_add(slip.sine, h, five[j].sum_y), mul_add(slip.r, h, five[j].area)};
    }
    B x = slip.cosine, y = slip.sine;
    Turning<B> t = turning(k_, x, y);
    // A slip that keeps whatever direction it has is where it belongs.
    const Mask turns_there =
        on_ray && magnitude(t.slope) > B(T(1) / T(16)) * (magnitude(t.slope + t.rate) + magnitude(t.rate));
    if (lane_bits(turns_there) != 0) turn_onto_ray<T>(turns_there, k_, x, y, t);
    const B rate = choose(wanted, t.rate, B(-1)), stiffness = choose(wanted, mul_add(k_.a1, y * y, k_.a2 * x * x), one);
    const B coupling = x * y * (k_.a2 - k_.a1), rise = neg_mul_add(k_.c1, x, neg_mul_add(k_.c2, y, k_.c3));
    const Slip<B> from = slip;

    const auto move = [&](B distance, Mask rest, Slip<B>& to, Tangent<B>(&there)[5]) {
      to = from;
      to.cosine = x;
      to.sine = y;
      to.r = choose(rest, zero, mul_add(rate, distance, from.r));
      to.x = to.r * x;
      to.y = to.r * y;
      to.gx = rate * x;
      to.gy = rate * y;
      to.sum_x = mul_add(x, distance, from.sum_x);
      to.sum_y = mul_add(y, distance, from.sum_y);
      to.s = from.s + distance;
      to.area = from.area + distance * mul_add(half * rate, distance, from.r);
      // T, the slip time that it takes, and G, what is left of the way across then.
      const B time = distance / from.r * logarithm_ratio<T>(choose(rest, zero, rate * distance / from.r));
      const B left = choose(rest, zero, exponential<T>(negated(stiffness * time)));
      const B inverse_n = one / stiffness, gap = rate - stiffness;
      const B integral = mul_sub(to.r, left, from.r) / choose(gap == zero, one, gap);
      const B stopping = from.r / choose(rest, magnitude(rate), one), both = stiffness + magnitude(rate);
      for (int j = 0; j < 5; ++j) {
        const B bx = j == 0 ? negated(x) : j == 1 ? negated(y) : j == 3 ? one : zero;
        const B by = j == 1 ? negated(x) : j == 2 ? negated(y) : j == 4 ? one : zero;
        const B be = mul_sub(x, by, y * bx), bu = mul_add(x, bx, y * by);
        const B across = mul_sub(x, base[j].y, y * base[j].x), along = mul_add(x, base[j].x, y * base[j].y);
        const B slope = rate + stiffness, ratio = choose(rest, zero, be / choose(rest || slope == zero, one, slope));
        const B rest_of = neg_mul_add(ratio, from.r, across);
        const B aside = choose(rest, mul_add(be, stopping, across) * inverse_n,
                               mul_add(ratio, distance, rest_of * (one - left) * inverse_n));
        const B z = neg_mul_add(coupling, aside, mul_add(bu, distance, along));
        const B w = mul_add(ratio, to.r, rest_of * left);
        const B sum_aside =
            choose(rest, stopping * mul_add(half * be, stopping, across) / both,
                   mul_add(half * ratio * distance, distance, rest_of * inverse_n * (distance - integral)));
        Tangent<B>& d = there[j];
        d.x = mul_sub(x, z, y * w);
        d.y = mul_add(y, z, x * w);
        d.sum_x = neg_mul_add(y, aside, base[j].sum_x);
        d.sum_y = mul_add(x, aside, base[j].sum_y);
        d.area = neg_mul_add(coupling, sum_aside,
                             mul_add(along, distance, mul_add(half * bu * distance, distance, base[j].area)));
        // Back to fixed s.
        d.x = neg_mul_add(to.gx, back[j], d.x);
        d.y = neg_mul_add(to.gy, back[j], d.y);
        d.sum_x = neg_mul_add(x, back[j], d.sum_x);
        d.sum_y = neg_mul_add(y, back[j], d.sum_y);
        d.area = neg_mul_add(to.r, back[j], d.area);
      }
    };

    Mask decompressing = c.phase.decompressing > zero;
    const B to_rest = choose(rate < zero, from.r / magnitude(rate), never);
    B z = c.slide.uz, done = zero;
    Mask rest = stops, running = wanted;
    // A turn, after which there may be one more, and the end.
    for (int piece = 0; piece < 3; ++piece) {
      const auto [next, next_turns] = next_event<T>(c, decompressing, z, c.phase.balance, rise);
      const B left = to_rest - done;
      rest = choose_mask(running, stops || left <= next, rest);
      const B distance = choose(running, choose(rest, left, next), zero);
      const B work = distance * mul_add(half * rise, distance, z);
      pass(c, running, decompressing, work, distance);
      z = choose(running, mul_add(rise, distance, z), z);
      done = done + distance;
      const Mask turns = and_not(running && next_turns, rest);
      if (lane_bits(turns) != 0) {
        Slip<B> at;
        Tangent<B> there[5];
        move(done, Mask(false), at, there);
        at_turn(c, turns, place_of(at, there, mu_), rise, mu_);
        turn(c, turns, decompressing);
        z = choose(turns, zero, z);
      }
      // Without restitution the collision is over where it turns.
      running = turns && c.e > zero;
      if (lane_bits(running) == 0) break;
    }
    Slip<B> at;
    Tangent<B> there[5];
    move(done, rest, at, there);
    c.slide.uz = choose(wanted, z, c.slide.uz);
    slip = {choose(wanted, at.x, slip.x),         choose(wanted, at.y, slip.y),
            choose(wanted, at.r, slip.r),         choose(wanted, at.cosine, slip.cosine),
            choose(wanted, at.sine, slip.sine),   choose(wanted, at.gx, slip.gx),
            choose(wanted, at.gy, slip.gy),       choose(wanted, at.sum_x, slip.sum_x),
            choose(wanted, at.sum_y, slip.sum_y), choose(wanted, at.s, slip.s),
            choose(wanted, at.area, slip.area)};
    const Mask arrived = wanted && rest;
    for (int j = 0; j < 5; ++j) {
      const Tangent<B> d = there[j];
      five[j] = {choose(wanted, d.x, five[j].x), choose(wanted, d.y, five[j].y), choose(wanted, d.sum_x, five[j].sum_x),
                 choose(wanted, d.sum_y, five[j].sum_y), choose(wanted, d.area, five[j].area)};
      arrival.of[j] = choose(arrived, negated(mul_add(x, d.x, y * d.y)) / rate, zero);
    }
    arrival.of[W::scale] = choose(arrived, at.s, zero);
    return arrived;
  }

  static Mask choose_mask(Mask condition, Mask yes, Mask no) { return (condition && yes) || and_not(no, condition); }

  /// From rest on. Those whose derivatives by the slip do not exist.
  [[gnu::noinline]] Mask rest(Mask rests, Mask at_start, Contact& c, const GradientGiven<B>& g, const W& arrival) {
    const B zero(0), one(1), half(T(0.5)), two(2), tolerance(tile_.tolerance);
    const B size = length(g.q1, g.q2);
    const Mask leaves = rests && size > mu_;
    const B step = c.normal_step;
    const Sticker<B> sticker = {g.m1, g.m2, g.k1, g.k2, g.q1, g.q2, g.schur, g.friction};
    const StickingRates<B> rates = sticking_rates<A, T>(sticker, leaves);
    const B slope = choose(rests, step * rates.uz, one);
    say(rests && magnitude(size - mu_) <= tolerance * (size + mu_), GradientStatus::one_sided);
    const B z = choose(c.phase.decompressing > zero, larger(c.slide.uz, zero), smaller(c.slide.uz, zero));
    say(and_not(rests, at_start) && c.law == one && magnitude(z) <= tolerance, GradientStatus::one_sided);
    const Leaving<B> ray = leaving(leaves, c, g, rates);
    const Place<B> from = end_.place;

    Mask decompressing = c.phase.decompressing > zero;
    const Mask compresses = and_not(rests, decompressing);
    const B to_turn = choose(compresses, negated(z) / slope, zero);
    if (lane_bits(compresses) != 0) {
      pass(c, compresses, decompressing, half * z * to_turn, to_turn);
      const Place<B> place = stuck(from, to_turn, leaves, c, g, rates, ray, arrival);
      at_turn(c, compresses, place, slope, mu_);
      turn(c, compresses, decompressing);
    }
    const B first = choose(compresses, zero, z), need = negated(c.phase.balance);
    const B by_work = square_root(larger(mul_add(first, first, two * slope * need), zero));
    const B last = choose(c.law < one, by_work,
                          choose(c.law == one, mul_add(slope, larger(need, zero), first), larger(first, need)));
    const B distance = to_turn + (last - first) / slope;
    say(and_not(rests, compresses) && last - first <= tolerance, GradientStatus::one_sided);
    const Place<B> place = stuck(from, distance, leaves, c, g, rates, ray, arrival);
    end_.place = {choose(rests, place.ux, end_.place.ux), choose(rests, place.uy, end_.place.uy),
                  choose(rests, place.px, end_.place.px), choose(rests, place.py, end_.place.py),
                  choose(rests, place.s, end_.place.s),   choose(rests, place.area, end_.place.area),
                  choose(rests, place.vx, end_.place.vx), choose(rests, place.vy, end_.place.vy),
                  choose(rests, place.va, end_.place.va)};
    end_.z = choose(rests, last, end_.z);
    end_.rate_x = choose(rests, rates.px, end_.rate_x);
    end_.rate_y = choose(rests, rates.py, end_.rate_y);
    end_.slope = choose(rests, slope, end_.slope);
    const Mask undefined = at_start && leaves;
    say(undefined, GradientStatus::undefined);
    return undefined;
  }

  /// A place after rest, `distance` from it.
  [[gnu::noinline]] Place<B> stuck(const Place<B>& from, B distance, Mask leaves, const Contact& c,
                                   const GradientGiven<B>& g, const StickingRates<B>& rates, const Leaving<B>& ray,
                                   const W& arrival) const {
    const B zero(0), one(1), half(T(0.5));
    Place<B> held = {zero,   zero, zero, zero, from.s + distance, from.area, no_variation<B>(), no_variation<B>(),
                     from.va};
    const B i1 = one / (c.normal_step * g.m1), i2 = one / (c.normal_step * g.m2);
    held.px = negated(mul_add(g.q1, held.s, g.u0x * i1));
    held.py = negated(mul_add(g.q2, held.s, g.u0y * i2));
    held.vx.of[W::ux] = negated(i1);
    held.vx.of[W::xx] = negated(held.px * i1);
    held.vx.of[W::xy] = negated(held.py * i1);
    held.vx.of[W::xz] = negated(held.s * i1);
    held.vy.of[W::uy] = negated(i2);
    held.vy.of[W::xy] = negated(held.px * i2);
    held.vy.of[W::yy] = negated(held.py * i2);
    held.vy.of[W::yz] = negated(held.s * i2);
    held.va.of[W::scale] = from.area + from.area;
    held.va.of[W::turn] = zero;
    if (lane_bits(leaves) == 0) return held;

    Place<B> gone = from;
    gone.s = held.s;
    gone.ux = ray.rate * ray.x * distance;
    gone.uy = ray.rate * ray.y * distance;
    gone.px = mul_add(rates.px, distance, from.px);
    gone.py = mul_add(rates.py, distance, from.py);
    gone.area = mul_add(half * ray.rate * distance, distance, from.area);
    // Friction changes its direction at rest, and rest comes later or sooner.
    gone.vx = mul_add(end_.rate_x - rates.px, arrival, from.vx);
    gone.vy = mul_add(end_.rate_y - rates.py, arrival, from.vy);
    gone.va = mul_add(negated(ray.rate * distance), arrival, from.va);
    for (int j = 0; j < 5; ++j) {
      gone.vx.of[j] = neg_mul_add(mu_ * distance, ray.of_x[j], gone.vx.of[j]);
      gone.vy.of[j] = neg_mul_add(mu_ * distance, ray.of_y[j], gone.vy.of[j]);
      gone.va.of[j] = mul_add(half * distance * distance, ray.of_rate[j], gone.va.of[j]);
    }
    gone.vx.of[W::friction] = neg_mul_add(ray.x, distance, gone.vx.of[W::friction]);
    gone.vy.of[W::friction] = neg_mul_add(ray.y, distance, gone.vy.of[W::friction]);
    gone.vx.of[W::turn] = negated(gone.py);
    gone.vy.of[W::turn] = gone.px;
    return {choose(leaves, gone.ux, held.ux),
            choose(leaves, gone.uy, held.uy),
            choose(leaves, gone.px, held.px),
            choose(leaves, gone.py, held.py),
            held.s,
            choose(leaves, gone.area, held.area),
            choose(leaves, gone.vx, held.vx),
            choose(leaves, gone.vy, held.vy),
            choose(leaves, gone.va, held.va)};
  }

  /// From variations to the columns of the host's frame and units.
  [[gnu::noinline]] void store(Mask exhausted, Mask undefined, const Contact& c, const GradientGiven<B>& g,
                               const T* places, std::size_t n) {
    const B zero(0), one(1), two(2), tolerance(tile_.tolerance), unknown(static_cast<T>(__builtin_nan("")));
    const Mask energetic = c.law<one, kinetic = c.law == one, kinematic = c.law> one;
    const Mask at_once = and_not(c.e == zero, kinematic);
    const B slope = choose(end_.slope == zero, B(T(1e-30)), end_.slope);
    const B speed = choose(end_.z == zero, B(T(1e-30)), end_.z);
    W change = choose(energetic, of_work(end_.place, mu_), no_variation<B>());
    change = mul_add(one, change, choose(kinematic, no_variation<B>(), c.balance));
    const Mask by_slope = kinematic || at_once;
    if (lane_bits(by_slope) != 0) {
      W by_rise = of_normal_velocity(end_.place, k_);
      by_rise.of[W::uz] = by_rise.of[W::uz] + choose(kinematic, c.e, zero);
      change = choose(by_slope, by_rise, change);
    }
    const B divisor = choose(by_slope, slope, choose(energetic, speed, one));
    const W ds = mul_add(B(-1) / divisor, change, no_variation<B>());
    const B small = square_root(larger(B(-2) * c.slide.compression / slope, zero));
    const B of_e = choose(
        kinematic, negated(g.u0z) / slope,
        choose(kinetic, c.compressing_impulse, choose(at_once, small, B(-2) * c.e * c.slide.compression / speed)));
    say(and_not(energetic, at_once) && end_.z <= tolerance * magnitude(c.kinematic_balance), GradientStatus::unbounded);
    say(kinematic && magnitude(slope) <= tolerance * k_.c3, GradientStatus::unbounded);
    say(kinetic && c.weakest <= tolerance, GradientStatus::unbounded);

    const W rows[3] = {mul_add(end_.rate_x, ds, end_.place.vx), mul_add(end_.rate_y, ds, end_.place.vy), ds};
    const B of_restitution[3] = {end_.rate_x * of_e, end_.rate_y * of_e, of_e};
    // The factors from the slide's units to the host's.
    const B unit = c.normal_step * g.inverse_trace, impulse = g.velocity_unit * unit;
    const B r0 = length(g.u0x, g.u0y), inverse_r0 = choose(r0 > zero, one / choose(r0 > zero, r0, one), zero);
    const B cosine = g.u0x * inverse_r0, sine = g.u0y * inverse_r0;
    B column[3][Tile::own];
    for (int r = 0; r < 3; ++r) {
      const B(&v)[W::size] = rows[r].of;
      const B xx = mul_add(mu_, v[W::n11], v[W::xx]), xy = mul_add(mu_, v[W::n12], v[W::xy]);
      const B yy = mul_add(mu_, v[W::n22], v[W::yy]), xz = v[W::k1] + v[W::xz], yz = v[W::k2] + v[W::yz];
      const B turn = v[W::turn] - mul_add(k_.a1 - k_.a2, v[W::n12], mul_sub(k_.b1, v[W::k2], k_.b2 * v[W::k1]));
      const B ux = mul_add(inverse_r0, mul_sub(cosine, v[W::scale], sine * turn), v[W::ux]);
      const B uy = mul_add(inverse_r0, mul_add(sine, v[W::scale], cosine * turn), v[W::uy]);
      const B of_mu = c.normal_step * mul_add(g.m1, v[W::n11], g.m2 * v[W::n22]) + v[W::friction];
      const B of_k = impulse * unit;
      B(&to)[Tile::own] = column[r];
      to[Tile::friction] = impulse * of_mu;
      to[Tile::restitution] = impulse * of_restitution[r];
      // M in the host's frame, by its axes: the first one is t1, the other one lies across.
      const B a = g.t1x, b = g.t1y, d = g.t2x, e = g.t2y;
      to[Tile::k_xx] = of_k * mul_add(a * a, xx, mul_add(d * d, yy, a * d * xy));
      to[Tile::k_xy] = of_k * mul_add(two * a * b, xx, mul_add(two * d * e, yy, mul_add(a, e, b * d) * xy));
      to[Tile::k_yy] = of_k * mul_add(b * b, xx, mul_add(e * e, yy, b * e * xy));
      to[Tile::k_xz] = of_k * mul_add(a, xz, d * yz);
      to[Tile::k_yz] = of_k * mul_add(b, xz, e * yz);
      to[Tile::k_zz] = of_k * v[W::zz];
      to[Tile::u0_x] = choose(undefined, unknown, unit * mul_add(a, ux, d * uy));
      to[Tile::u0_y] = choose(undefined, unknown, unit * mul_add(b, ux, e * uy));
      to[Tile::u0_z] = unit * v[W::uz];
    }
    const B status = choose(exhausted, status_number<T, B>(GradientStatus::none), end_.status);
    const auto scatter = [&](T* to, B x) {
      if (to == nullptr) return;
      T values[width];
      store_lanes(values, without_sign_of_zero(x));
      for (std::size_t lane = 0; lane < n; ++lane) to[static_cast<std::int32_t>(places[lane])] = values[lane];
    };
    for (std::size_t v = 0; v < Tile::own; ++v) {
      scatter(tile_.out[0][v], mul_add(g.t1x, column[0][v], g.t2x * column[1][v]));
      scatter(tile_.out[1][v], mul_add(g.t1y, column[0][v], g.t2y * column[1][v]));
      scatter(tile_.out[2][v], column[2][v]);
    }
    scatter(tile_.status, status);
  }

  const Tile& tile_;
  const SlideMemory<T>& memory_;
  End end_;
  B mu_;
  Rates<B> k_;
};

}  // namespace
}  // namespace carom::kernel
