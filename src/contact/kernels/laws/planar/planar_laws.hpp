// Applies the law of a vector of contacts.
//
// [CR]: A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include "planar_friction.hpp"
#include "planar_incremental.hpp"
#include "planar_region.hpp"

namespace carom::kernel {
namespace {

/// Returns f.template operator()<law>().
template <Law first = Law{}, class F>
[[gnu::always_inline]] inline auto with_law(Law law, F&& f) {
  constexpr auto next = static_cast<std::size_t>(first) + 1;
  if constexpr (next < law_count)
    if (law != first) return with_law<static_cast<Law>(next)>(law, f);
  return f.template operator()<first>();
}

template <class A, class T>
struct PlanarLaws {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  using Impulse = PlanarImpulse<A, T>;
  using Parameters = PlanarParameters<B, T>;
  using Incremental = PlanarIncremental<A, T>;
  using Collision = PlanarCollision<B>;

  const Problem& in;
  const Parameters& parameters;

  /// `wanted` are the lanes that matter.
  [[gnu::always_inline]] Collision resolve(Law law, Mask wanted) const {
    switch (law) {
      case Law::incremental:
        return resolve<Law::incremental>(wanted);
      case Law::frictionless:
        return resolve<Law::frictionless>(wanted);
      case Law::no_slip:
        return resolve<Law::no_slip>(wanted);
      case Law::chatterjee_ruina:
        return resolve<Law::chatterjee_ruina>(wanted);
      default:
        return resolve_other(law, wanted);
    }
  }
  template <Law law>
  [[gnu::always_inline]] Collision resolve(Mask wanted) const {
    if constexpr (law == Law::incremental)
      return Incremental::resolve(in, parameters.restitution_law);
    else if constexpr (law == Law::composite)
      return of_impulse(law, composite(wanted));
    else
      return of_impulse(law, algebraic<law>(wanted));
  }

 private:
  /// The normal velocity after `law`, of which u0 + K p makes `sum`. It is >= 0 by definition, if bilinear restitution
  /// takes no part, and of a contact that hardly approaches less than the sum's rounding.
  B normal_velocity(Law law, B sum) const {
    switch (law) {
      case Law::frictionless:
      case Law::no_slip:
      case Law::chatterjee_ruina:
      case Law::whittaker:
      case Law::smith:
      case Law::brach:
        return negated(in.restitution * in.y);
      case Law::bilinear:
        return sum;
      case Law::composite:
        return choose(parameters.weight(columns::member_of(Law::bilinear)) > B(0), sum, larger(sum, B(0)));
      default:
        return larger(sum, B(0));
    }
  }

  [[gnu::always_inline]] Collision of_impulse(Law law, const Impulse& impulse) const {
    Vector2<B> u = in.velocity_after(impulse.p);
    u.y = normal_velocity(law, u.y);
    return {impulse.p,
            u,
            B(0),
            B(0),
            choose(impulse.slips, Incremental::code(planar_slip), Incremental::code(planar_stick)),
            in.energy_gained(impulse.p)};
  }

  [[gnu::noinline]] Collision resolve_other(Law law, Mask wanted) const {
    return of_impulse(law, law == Law::composite ? composite(wanted) : algebraic(law, wanted));
  }

  template <Law law>
  [[gnu::always_inline]] Impulse algebraic(Mask wanted) const {
    if constexpr (law == Law::no_slip) return no_slip();
    if constexpr (law == Law::chatterjee_ruina) return chatterjee_ruina();
    if constexpr (law == Law::bilinear) return bilinear();
    if constexpr (law == Law::whittaker) return PlanarFriction<A, T>::whittaker(in);
    if constexpr (law == Law::smith) return PlanarFriction<A, T>::smith(in, wanted);
    if constexpr (law == Law::anitescu_potra) return PlanarFriction<A, T>::two_phases(in, B(0));
    if constexpr (law == Law::pfeiffer_glocker)
      return PlanarFriction<A, T>::two_phases(in, larger(tangential_restitution(), B(0)));
    if constexpr (law == Law::brach) return PlanarRegion<A, T>::brach(in, parameters);
    if constexpr (law == Law::projected) return PlanarRegion<A, T>::projected(in, parameters);
    if constexpr (law == Law::polar) return PlanarRegion<A, T>::polar(in, parameters);
    return frictionless();
  }
  [[gnu::noinline]] Impulse algebraic(Law law, Mask wanted) const {
    return with_law(
        law, [&]<Law one>() __attribute__((always_inline)) { return algebraic<one>(wanted); });
  }

  B tangential_restitution() const { return parameters.get(columns::Parameter::tangential_restitution); }

  B bounce() const { return in.rise() * in.inverse_c; }

  /// The tangential impulse that stops all of u.
  B stop() const { return mul_sub(in.slope, in.y, in.x) / in.pivot; }

  Impulse frictionless() const { return {{B(0), bounce()}, in.friction == B(0)}; }

  Impulse no_slip() const {
    const B p_t = stop(), p_n = negated(mul_add(in.b, p_t, in.y)) * in.inverse_c, factor = B(1) + in.restitution;
    return {{factor * p_t, factor * p_n}, Mask(false)};
  }

  /// [CR] eqs. 10 to 14, with the cone's condition divided by max(1, μ). P_II - P_I does not change u_n.
  Impulse chatterjee_ruina() const {
    const B p_n = bounce(), p_t = stop();
    const B wanted_t = mul_add(tangential_restitution(), p_t, p_t);
    const B wanted_n = neg_mul_add(in.slope, wanted_t, p_n);
    const Mask slips = in.outside_cone(wanted_t, wanted_n);
    const Vector2<B> slipping = in.on_cone(sign_of(p_t), in.rise());
    return {{choose(slips, slipping.x, wanted_t), choose(slips, slipping.y, wanted_n)}, slips};
  }

  /// [CR] eq. 9.
  Impulse bilinear() const {
    const B p_n = bounce(), p_t = magnitude(stop());
    const B wanted = mul_add(tangential_restitution(), p_t, p_t);
    const Mask slips = in.outside_cone(wanted, p_n), moves = magnitude(in.x) > B(0);
    const B friction = choose(slips, in.friction * p_n, wanted);
    return {{choose(moves, negated(sign_of(in.x)) * friction, B(0)), p_n}, slips};
  }

  /// On the cone if all members of weight are, on the same side of it.
  [[gnu::noinline]] Impulse composite(Mask wanted) const {
    const B zero(0);
    B largest = parameters.weight(0);
    for (std::size_t i = 1; i < columns::component_count; ++i) largest = larger(largest, parameters.weight(i));
    const Mask any = largest > zero;
    const B scale = B(1) / choose(any, largest, B(1));
    B sum = zero, p_t = zero, p_n = zero, side = zero;
    Mask slips(true);
    for (std::size_t i = 0; i < columns::component_count; ++i) {
      const B own = parameters.weight(i);
      const Mask counts = wanted && own > zero;
      if (lane_bits(counts) == 0) continue;
      Impulse one;
      if (columns::components[i].law == Law::incremental) {
        const Collision c = Incremental::resolve(in, parameters.restitution_law);
        one = {c.p,
               c.path == Incremental::code(planar_slide_end) || c.path == Incremental::code(planar_diverge_at_start)};
      } else {
        one = algebraic(columns::components[i].law, counts);
      }
      const B weight = choose(counts, own * scale, zero);
      p_t = choose(counts, mul_add(weight, one.p.x, p_t), p_t);
      p_n = choose(counts, mul_add(weight, one.p.y, p_n), p_n);
      sum = sum + weight;
      slips = slips && (and_not(Mask(true), counts) || (one.slips && side * one.p.x >= zero));
      side = choose(counts && magnitude(one.p.x) > zero, one.p.x, side);
    }
    const B divisor = choose(sum > zero, sum, B(1));
    return {{p_t / divisor, p_n / divisor}, slips};
  }
};

}  // namespace
}  // namespace carom::kernel
