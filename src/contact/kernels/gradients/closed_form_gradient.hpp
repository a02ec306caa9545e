// Gradients of the laws that are linear in P_I = P n and P_II: frictionless, no slip, Chatterjee-Ruina and bilinear.
//
//   δP_II   -K⁻¹ (δu0 + δK P_II)
//   δP      -(δu0_z + P δK_33) / K_33
//   δp      κ δP_II + (1 + e - κ) δP n + P δe n + c δs + the turn of the slip
//   δs      a·δP_II + b δP + the direct changes by e, μ and e_t
//
// docs/laws.md has the laws.
#pragma once

#include "contact/kernels/stages/collision_matrix.hpp"
#include "contact/kernels/stages/units.hpp"
#include "gradient_lanes.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class ClosedFormGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using V = Vector3<B>;
  using Tile = GradientTile<T>;

 public:
  explicit ClosedFormGradient(const Tile& tile, T max_restitution) : tile_(tile), max_restitution_(max_restitution) {}

  void run() const {
    for (std::size_t i = 0; i < tile_.count; i += LaneTypes<A, T>::width) {
      const GradientLanes<A, T> lanes(tile_, i);
      if (tile_.chosen == nullptr || lane_bits(lanes.chosen) != 0) differentiate(lanes);
    }
  }

 private:
  /// The derivatives of p.
  struct Linear {
    B kappa;
    V c, a;
    B b, of_restitution, of_friction, of_own;  // of s
    B turn_xx, turn_xy, turn_yy;               // by u0_t
    B near;                                    // 1: near a border
  };

  [[gnu::always_inline]] void differentiate(const GradientLanes<A, T>& lanes) const {
    const B zero(0), one(1);
    const Symmetric3<B> k = lanes.k();
    const V u0 = lanes.u0();
    const B friction = lanes.in(Tile::friction), restitution = lanes.in(Tile::restitution);
    const bool reads = tile_.law == Law::chatterjee_ruina || tile_.law == Law::bilinear;
    const B own = reads ? lanes.own(columns::Parameter::tangential_restitution) : zero;

    const B det = difference_of_products(k.xx, k.yy, k.xy, k.xy), inverse_det = one / det;
    const B q1 = difference_of_products(k.yy, k.xz, k.xy, k.yz) * inverse_det;
    const B q2 = difference_of_products(k.xx, k.yz, k.xy, k.xz) * inverse_det;
    const B schur = neg_mul_add(q1, k.xz, neg_mul_add(q2, k.yz, k.zz));
    const B inverse_k33 = one / k.zz, gzz = one / schur;
    const Symmetric3<B> g = {mul_add(k.yy, inverse_det, q1 * q1 * gzz),
                             mul_sub(q1 * q2, gzz, k.xy * inverse_det),
                             negated(q1 * gzz),
                             mul_add(k.xx, inverse_det, q2 * q2 * gzz),
                             negated(q2 * gzz),
                             gzz};
    const B stop = negated(u0.z * inverse_k33);
    // D = P_II - P_I stops the slip that is left after P_I.
    const B slip1 = mul_add(k.xz, stop, u0.x), slip2 = mul_add(k.yz, stop, u0.y);
    const V d = negated(
        V{mul_add(g.xx, slip1, g.xy * slip2), mul_add(g.xy, slip1, g.yy * slip2), mul_add(g.xz, slip1, g.yz * slip2)});
    const V sticking = {d.x, d.y, d.z + stop};

    const Mask approaches = u0.z < zero;
    const Linear p = tile_.law == Law::bilinear ? bilinear(u0, sticking, stop, friction, restitution, own)
                                                : on_ray(d, stop, friction, restitution, own);

    const auto put = [&](std::size_t variable, const V& x) __attribute__((always_inline)) {
      lanes.put(variable, choose(approaches, x, V{zero, zero, zero}));
    };
    // The columns of κ K⁻¹ + c (K⁻¹ a)ᵀ.
    const V ga = g * p.a;
    const V bx = mul_add(ga.x, p.c, p.kappa * V{g.xx, g.xy, g.xz});
    const V by = mul_add(ga.y, p.c, p.kappa * V{g.xy, g.yy, g.yz});
    const V bz = mul_add(ga.z, p.c, p.kappa * V{g.xz, g.yz, g.zz});
    const V by_normal = negated(inverse_k33) * mul_add(p.b, p.c, V{zero, zero, one + restitution - p.kappa});
    const auto both = [&](const V& a, B pa, const V& b, B pb) { return negated(mul_add(pb, a, pa * b)); };
    put(Tile::friction, p.of_friction * p.c);
    put(Tile::restitution, mul_add(p.of_restitution, p.c, V{zero, zero, stop}));
    put(Tile::k_xx, negated(sticking.x * bx));
    put(Tile::k_xy, both(bx, sticking.x, by, sticking.y));
    put(Tile::k_xz, both(bx, sticking.x, bz, sticking.z));
    put(Tile::k_yy, negated(sticking.y * by));
    put(Tile::k_yz, both(by, sticking.y, bz, sticking.z));
    put(Tile::k_zz, stop * by_normal - sticking.z * bz);
    put(Tile::u0_x, V{p.turn_xx, p.turn_xy, zero} - bx);
    put(Tile::u0_y, V{p.turn_xy, p.turn_yy, zero} - by);
    put(Tile::u0_z, by_normal - bz);
    if (reads) put(Tile::own + static_cast<std::size_t>(columns::Parameter::tangential_restitution), p.of_own * p.c);

    B status = at_least<T>(zero, p.near > zero, GradientStatus::one_sided);
    status = at_least<T>(status, negated(u0.z) <= B(tile_.tolerance) * (magnitude(u0.x) + magnitude(u0.y)),
                         GradientStatus::one_sided);
    const Mask undefined = slips_nowhere(u0);
    status = at_least<T>(status, undefined, GradientStatus::undefined);
    lanes.put(tile_.status, choose(approaches, status, status_number<T, B>(GradientStatus::zero)));
    lanes.put(tile_.plain, choose(is_plain(k, det, schur, u0, friction, restitution, own), one, zero));
  }

  Mask slips_nowhere(const V& u0) const {
    return tile_.law == Law::bilinear ? (u0.x == B(0) && u0.y == B(0)) : Mask(false);
  }

  /// 1 where two numbers whose order decides on the law's case are nearly equal.
  B near(B a, B b) const { return choose(magnitude(a - b) <= B(tile_.tolerance) * (magnitude(a) + b), B(1), B(0)); }

  /// The laws with p = (1 + e) P_I + κ D: s is κ.
  Linear on_ray(const V& d, B stop, B friction, B restitution, B own) const {
    const B zero(0), one(1), factor = one + restitution, no_slip = tile_.law == Law::no_slip ? one : zero;
    Linear p = {no_slip * factor, d, {zero, zero, zero}, zero, no_slip, zero, zero, zero, zero, zero, zero};
    if (tile_.law != Law::chatterjee_ruina) return p;
    const B across = square_root(mul_add(d.x, d.x, d.y * d.y));
    const B candidate = one + own, rate = neg_mul_add(friction, d.z, across), room = friction * factor * stop;
    const Mask outside = candidate * rate > room;
    const B inverse_rate = one / choose(outside, rate, one), inverse_across = one / choose(outside, across, one);
    p.kappa = choose(outside, room * inverse_rate, candidate);
    const B share = choose(outside, inverse_rate, zero), scale = negated(p.kappa * share);
    p.a = {scale * d.x * inverse_across, scale * d.y * inverse_across, negated(scale * friction)};
    p.b = share * friction * (factor - p.kappa);
    p.of_restitution = share * friction * stop;
    p.of_friction = share * mul_add(p.kappa, d.z, factor * stop);
    p.of_own = choose(outside, zero, one);
    p.near = near(candidate * rate, room);
    return p;
  }

  /// s is the size of the tangential impulse, and c its direction.
  Linear bilinear(const V& u0, const V& sticking, B stop, B friction, B restitution, B own) const {
    const B zero(0), one(1), unknown(static_cast<T>(__builtin_nan("")));
    const B slip = length(u0.x, u0.y), across = length(sticking.x, sticking.y);
    const Mask slides = slip > zero;
    const B inverse_slip = one / choose(slides, slip, one), inverse_across = one / choose(across > zero, across, one);
    const B x = u0.x * inverse_slip, y = u0.y * inverse_slip;
    const B factor = one + restitution, candidate = (one + own) * across, room = friction * factor * stop;
    const Mask outside = candidate > room, sticks = and_not(slides, outside);
    const B of_stick = choose(sticks, (one + own) * inverse_across, zero);
    const B of_slip = choose(slides && outside, one, zero);
    const B size = choose(slides, choose(outside, room, candidate), zero);
    const B turn = choose(slides, negated(size * inverse_slip), unknown);
    return {zero,
            {negated(x), negated(y), zero},
            {of_stick * sticking.x, of_stick * sticking.y, zero},
            of_slip * friction * factor,
            of_slip * friction * stop,
            of_slip * factor * stop,
            choose(sticks, across, zero),
            turn * y * y,
            negated(turn * x * y),
            turn * x * x,
            near(candidate, room)};
  }

  Mask is_plain(const Symmetric3<B>& k, B det, B schur, const V& u0, B friction, B restitution, B own) const {
    const B zero(0), margin(T(8) * epsilon<T>);
    const B numbers = vanishing(k.xz) + vanishing(k.yz) + vanishing(u0.x) + vanishing(u0.y) + vanishing(u0.z) +
                      vanishing(det) + vanishing(schur) + vanishing(friction) + vanishing(k.zz);
    return numbers == zero && k.xx > zero && det > margin * k.xx * k.yy && schur > margin * k.zz && friction >= zero &&
           restitution >= zero && restitution <= B(max_restitution_) && magnitude(own) <= B(1);
  }

  const Tile& tile_;
  T max_restitution_;
};

}  // namespace
}  // namespace carom::kernel
