// Stage 5, law: every law of a block that its contacts name, each on all lanes, of which the contacts take theirs. A
// batch of one law evaluates that alone.
//
// [CR]: A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include "friction.hpp"
#include "incremental.hpp"
#include "region.hpp"

namespace carom::kernel {
namespace {

constexpr unsigned bit_of(Law law) {
  return 1u << static_cast<unsigned>(law);
}

/// The members of a composite, in the order of LawColumns::Weights.
constexpr Law planar_members[] = {Law::incremental, Law::frictionless,   Law::chatterjee_ruina, Law::bilinear,
                                  Law::smith,       Law::anitescu_potra, Law::pfeiffer_glocker, Law::brach,
                                  Law::projected,   Law::polar};
constexpr std::size_t planar_member_count = sizeof planar_members / sizeof planar_members[0];

template <class A, class T>
struct PlanarLaws {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  using Impulse = PlanarImpulse<A, T>;
  using Parameters = PlanarParameters<B>;
  using Incremental = PlanarIncremental<A, T>;
  using Collision = PlanarCollision<B>;

  const Problem& in;
  const Parameters& parameters;
  const B (&weights)[planar_member_count];

  /// `laws` are those that occur, a bit each, `law` that of each lane, `wanted` the lanes that matter.
  [[gnu::always_inline]] Collision resolve(unsigned laws, B law, Mask wanted) const {
    if (laws == bit_of(Law::incremental)) return Incremental::resolve(in, parameters.restitution_law);
    if (laws == bit_of(Law::frictionless)) return of_impulse(frictionless());
    if (laws == bit_of(Law::no_slip)) return of_impulse(no_slip());
    if (laws == bit_of(Law::chatterjee_ruina)) return of_impulse(chatterjee_ruina());
    return resolve_any(laws, law, wanted);
  }

 private:
  static B number(Law law) { return B(static_cast<T>(law)); }

  [[gnu::noinline]] Collision resolve_any(unsigned laws, B law, Mask wanted) const {
    const B zero(0);
    Collision out = {{zero, zero}, {zero, zero}, zero, zero, zero};
    if ((laws & bit_of(Law::incremental)) != 0) out = Incremental::resolve(in, parameters.restitution_law);
    for_each_bit(laws & ~bit_of(Law::incremental), [&](std::size_t i) {
      const Mask here = law == B(static_cast<T>(i));
      const Collision one =
          of_impulse(static_cast<Law>(i) == Law::composite ? composite(wanted && here)
                                                           : algebraic(static_cast<Law>(i), wanted && here));
      out.p = {choose(here, one.p.x, out.p.x), choose(here, one.p.y, out.p.y)};
      out.u = {choose(here, one.u.x, out.u.x), choose(here, one.u.y, out.u.y)};
      out.work_compression = choose(here, zero, out.work_compression);
      out.work_decompression = choose(here, zero, out.work_decompression);
      out.course = choose(here, one.course, out.course);
    });
    return out;
  }

  Collision of_impulse(const Impulse& impulse) const {
    return {impulse.p, in.velocity_after(impulse.p), B(0), B(0),
            choose(impulse.slips, Incremental::code(planar_slip), Incremental::code(planar_stick))};
  }

  Impulse algebraic(Law law, Mask wanted) const {
    switch (law) {
      case Law::no_slip:
        return no_slip();
      case Law::chatterjee_ruina:
        return chatterjee_ruina();
      case Law::bilinear:
        return bilinear();
      case Law::whittaker:
        return PlanarFriction<A, T>::whittaker(in);
      case Law::smith:
        return PlanarFriction<A, T>::smith(in, wanted);
      case Law::anitescu_potra:
        return PlanarFriction<A, T>::two_phases(in, B(0));
      case Law::pfeiffer_glocker:
        return PlanarFriction<A, T>::two_phases(in, larger(parameters.tangential_restitution, B(0)));
      case Law::brach:
        return PlanarRegion<A, T>::brach(in, parameters);
      case Law::projected:
        return PlanarRegion<A, T>::projected(in, parameters);
      case Law::polar:
        return PlanarRegion<A, T>::polar(in, parameters);
      default:
        return frictionless();
    }
  }

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
    const B wanted_t = mul_add(parameters.tangential_restitution, p_t, p_t);
    const B wanted_n = neg_mul_add(in.slope, wanted_t, p_n);
    const Mask slips = in.outside_cone(wanted_t, wanted_n);
    const Vector2<B> slipping = in.on_cone(sign_of(p_t), in.rise());
    return {{choose(slips, slipping.x, wanted_t), choose(slips, slipping.y, wanted_n)}, slips};
  }

  /// [CR] eq. 9.
  Impulse bilinear() const {
    const B p_n = bounce(), p_t = magnitude(stop());
    const B wanted = mul_add(parameters.tangential_restitution, p_t, p_t);
    const Mask slips = in.outside_cone(wanted, p_n), moves = magnitude(in.x) > B(0);
    const B friction = choose(slips, in.friction * p_n, wanted);
    return {{choose(moves, negated(sign_of(in.x)) * friction, B(0)), p_n}, slips};
  }

  /// On the cone if all members of weight are, on the same side of it.
  [[gnu::noinline]] Impulse composite(Mask wanted) const {
    const B zero(0);
    B largest = weights[0];
    for (std::size_t i = 1; i < planar_member_count; ++i) largest = larger(largest, weights[i]);
    const Mask any = largest > zero;
    const B scale = B(1) / choose(any, largest, B(1));
    B sum = zero, p_t = zero, p_n = zero, side = zero;
    Mask slips(true);
    for (std::size_t i = 0; i < planar_member_count; ++i) {
      const Mask counts = wanted && weights[i] > zero;
      if (lane_bits(counts) == 0) continue;
      Impulse one;
      if (planar_members[i] == Law::incremental) {
        const Collision c = Incremental::resolve(in, parameters.restitution_law);
        one = {c.p, c.course == Incremental::code(planar_slide_end) ||
                        c.course == Incremental::code(planar_stick_at_start_diverge)};
      } else {
        one = algebraic(planar_members[i], counts);
      }
      const B weight = choose(counts, weights[i] * scale, zero);
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
