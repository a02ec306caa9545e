// Gradients of the laws that bound an impulse by the permissible region: Brach, projected, polar. They are computed as
// they are, in numbers that carry their derivatives. docs/laws.md has the laws.
#pragma once

#include "simd/kernels/numerics/rotation.hpp"
#include "varied_contact.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class BoundedGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using N = Varied<B>;
  using V = Vector3<N>;
  using Tile = GradientTile<T>;
  using Contact = VariedContact<B>;
  using Parameter = columns::Parameter;

 public:
  /// `status` is raised for contacts near a border.
  BoundedGradient(const Tile& tile, B& status) : tile_(tile), status_(status) {}

  [[gnu::noinline]] V impulse(const Directions<B>& by) {
    const Contact c = Contact::template of<Tile>(by);
    const N zero(B(0)), one(B(1)), normal = zero - c.u0.z / c.zz;
    if (tile_.law == Law::brach) {
      const V r = in_axes(c, by.own(Parameter::impulse_ratio_1), by.own(Parameter::impulse_ratio_2), zero, by);
      return brach(c, r, (one + c.restitution) * normal);
    }
    const N inner = N(B(T(1.5))) * normal;
    if (tile_.law == Law::projected) {
      const V d = {by.own(Parameter::candidate_x), by.own(Parameter::candidate_y),
                   by.own(Parameter::candidate_z) - inner};
      Least s;
      s.add(Mask(true), one);
      return on_the_way(d, inner, reach(c, d, inner, s));
    }
    if (tile_.law != Law::polar) return {zero, zero, zero};
    const N tilt = by.own(Parameter::polar_angle), turn = by.own(Parameter::azimuth);
    const Rotation<B> of_tilt = rotation<A, T>(tilt.value), of_turn = rotation<A, T>(turn.value);
    const N sine = with(tilt, of_tilt.sine, of_tilt.cosine), cosine = with(tilt, of_tilt.cosine, negated(of_tilt.sine));
    const N turn_sine = with(turn, of_turn.sine, of_turn.cosine);
    const N turn_cosine = with(turn, of_turn.cosine, negated(of_turn.sine));
    const V d = in_axes(c, sine * turn_cosine, sine * turn_sine, cosine, by);
    return on_the_way(d, inner, by.own(Parameter::fraction) * reach(c, d, inner, {}));
  }

 private:
  void near(B a, B b) {
    // An inactive bound is infinite.
    const Mask close = vanishing(b) == B(0) && magnitude(a - b) <= B(tile_.tolerance) * (magnitude(a) + magnitude(b));
    status_ = at_least<T>(status_, close, GradientStatus::one_sided);
  }

  /// Minimum of the bounds. Inactive bounds are infinite.
  struct Least {
    N best = N(B(static_cast<T>(__builtin_inf())));
    B second = B(static_cast<T>(__builtin_inf()));

    void add(Mask bounds, const N& s) {
      const Mask less = bounds && s.value < best.value;
      const B other = choose(less, best.value, choose(bounds, s.value, second));
      second = smaller(second, other);
      best = choose(less, s, best);
    }
  };

  /// The root of energy + rate s + ½ curvature s² with energy <= 0.
  static N energy_reach(const N& energy, const N& rate, const N& curvature) {
    const B zero(0), one(1);
    const N square = rate * rate - (curvature + curvature) * energy;
    const Mask real = square.value > zero;
    const N s = root_of(choose(real, square, N(one)));
    const Mask rises = rate.value > zero;
    const N numerator = choose(rises, N(B(-2)) * energy, s - rate), denominator = choose(rises, rate + s, curvature);
    return choose(real, numerator / denominator, N(zero));
  }

  /// A vector given by axes 1 and 2.
  V in_axes(const Contact& c, const N& along, const N& across, const N& normal, const Directions<B>& by) {
    const B zero(0), unknown(static_cast<T>(__builtin_nan("")));
    const Mask slides = c.u0.x.value != zero || c.u0.y.value != zero;
    const N r = length_of(choose(slides, c.u0.x, N(B(1))), choose(slides, c.u0.y, N(zero)));
    N x = choose(slides, N(zero) - c.u0.x / r, N(B(1))), y = choose(slides, N(zero) - c.u0.y / r, N(zero));
    for (std::size_t d = 0; d < Directions<B>::at_once; ++d)
      if (by.variables[d] == Tile::u0_x || by.variables[d] == Tile::u0_y) {
        x.d[d] = choose(slides, x.d[d], unknown);
        y.d[d] = choose(slides, y.d[d], unknown);
      }
    status_ = at_least<T>(status_, and_not(Mask(true), slides), GradientStatus::undefined);
    return {x * along - y * across, y * along + x * across, normal};
  }

  static V on_the_way(const V& d, const N& inner, const N& s) { return {s * d.x, s * d.y, inner + s * d.z}; }

  /// From P_0 along d: as far as the region.
  N reach(const Contact& c, const V& d, const N& inner, Least s) {
    const B zero(0);
    const V kd = c.times(d);
    const N energy = N(B(T(-0.375))) * c.u0.z * c.u0.z / c.zz;
    s.add(Mask(true), energy_reach(energy, d.x * c.u0.x + d.y * c.u0.y + d.z * c.u0.z + inner * kd.z,
                                   d.x * kd.x + d.y * kd.y + d.z * kd.z));
    const Mask falls = kd.z.value < zero;
    s.add(falls, N(B(T(0.5))) * c.u0.z / choose(falls, kd.z, N(B(1))));
    const Mask aside = d.x.value != zero || d.y.value != zero;
    const N across = choose(aside, length_of(choose(aside, d.x, N(B(1))), d.y), N(zero));
    const N approach = across - c.friction * d.z;
    const Mask leaves = approach.value > zero;
    s.add(leaves, c.friction * inner / choose(leaves, approach, N(B(1))));
    near(s.best.value, s.second);
    return s.best;
  }

  V brach(const Contact& c, const V& r, const N& pz) {
    const B zero(0);
    const N coupling = (c.xz * r.x + c.yz * r.y) / c.zz, one(B(1));
    const V way = {r.x, r.y, N(zero) - coupling};
    Least w;
    const N rate = one + coupling;
    const Mask meets = rate.value > zero;
    w.add(meets, pz / choose(meets, rate, one));
    const Mask aside = r.x.value != zero || r.y.value != zero;
    const N size = choose(aside, length_of(choose(aside, r.x, one), r.y), N(zero));
    const N grip = size + c.friction * coupling;
    const Mask grips = grip.value > zero;
    w.add(grips, c.friction * pz / choose(grips, grip, one));
    const V kway = c.times(way);
    const Mask gains = c.restitution.value > B(1);
    const N lost = N(B(T(-0.5))) * (one - c.restitution * c.restitution) * c.u0.z * c.u0.z / c.zz;
    const N curvature = way.x * kway.x + way.y * kway.y + way.z * kway.z;
    w.add(aside, energy_reach(choose(gains, N(zero), lost),
                              way.x * c.u0.x + way.y * c.u0.y + way.z * c.u0.z + pz * kway.z, curvature));
    near(w.best.value, w.second);
    return {w.best * way.x, w.best * way.y, pz + w.best * way.z};
  }

  const Tile& tile_;
  B& status_;
};

}  // namespace
}  // namespace carom::kernel
