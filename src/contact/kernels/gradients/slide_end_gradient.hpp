// The end of a collision and its gradient: of contacts whose slide has ended, is on a ray, has come to rest or never
// began. The events where u_z is 0 have weighed in `balance`, since the collision ends at E = 0 and
//
//   energetic   δE = δW(end) + Σ ±(e² - 1) δW(turn)      δs = -δE / u_z
//   kinetic     δE = Σ ±(1 + e) δu_z / (du_z/ds)         δs = -δE
//   kinematic   δE = δu_z + e δu0_z                      δs = -δE / (du_z/ds)
#pragma once

#include "ray_gradient.hpp"
#include "rest_gradient.hpp"

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

  /// Finishes `n` completed contacts from index i on.
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

    W arrival = no_variation<B>();  // δs where the slip stops
    Mask rests = at_start;
    if (lane_bits(on_ray || stops) != 0) {
      const Mask arrived = follow_ray<T>(on_ray, stops, mu_, c, slip, five, arrival);
      rests = rests || arrived;
    }
    end_.place = place_of(slip, five, mu_);
    end_.z = c.slide.uz;
    end_.rate_x = negated(mu_ * slip.cosine);
    end_.rate_y = negated(mu_ * slip.sine);
    end_.slope = neg_mul_add(k_.c1, slip.cosine, neg_mul_add(k_.c2, slip.sine, k_.c3));
    const B tolerance(tile_.tolerance);
    end_.say(and_not(there, rests) && slip.r <= tolerance, GradientStatus::one_sided);
    end_.say(negated(g.u0z) <= tolerance, GradientStatus::one_sided);
    Mask undefined = Mask(false);
    if (lane_bits(rests) != 0)
      undefined = RestGradient<A, T>(end_, tile_.tolerance).finish(rests, at_start, c, g, arrival);
    store(exhausted, undefined, c, g, places, n);
  }

 private:
  /// Computes the columns in the caller's frame and units from the variations.
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
    end_.say(and_not(energetic, at_once) && end_.z <= tolerance * magnitude(c.kinematic_balance),
             GradientStatus::unbounded);
    end_.say(kinematic && magnitude(slope) <= tolerance * k_.c3, GradientStatus::unbounded);
    end_.say(kinetic && c.weakest <= tolerance, GradientStatus::unbounded);

    const W rows[3] = {mul_add(end_.rate_x, ds, end_.place.vx), mul_add(end_.rate_y, ds, end_.place.vy), ds};
    const B of_restitution[3] = {end_.rate_x * of_e, end_.rate_y * of_e, of_e};
    // Factors from the slide's units to the caller's.
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
      // M in the caller's frame, by its axes: the first one is t1, the other one is perpendicular.
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
  EndOfCollision<T, B> end_;
  B mu_;
  Rates<B> k_;
};

}  // namespace
}  // namespace carom::kernel
