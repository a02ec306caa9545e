// Laws whose impulse is given by its place in the permissible region; [CR] 3.2 and 4.1.
//
// [CR]: A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include "angle.hpp"
#include "planar_problem.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct PlanarRegion {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  using Impulse = PlanarImpulse<A, T>;
  using Parameters = PlanarParameters<B, T>;

  /// The tangent along which the ratio and the polar angle count.
  static B axis_of(const Problem& in) { return choose(in.x > B(0), B(-1), B(1)); }

  static B unbounded() { return B(static_cast<T>(__builtin_inf())); }

  /// The positive root t of square t² + 2 linear t = constant >= 0, if there is one: else infinity. For constant = 0
  /// the first t beyond which the left side is positive.
  static B root(B square, B linear, B constant) {
    const B zero(0), one(1);
    const B discriminant = mul_add(linear, linear, square * constant);
    const B radical = square_root(larger(discriminant, zero));
    const Mask rises = linear > zero, opens = square > zero;
    const Mask meets = discriminant >= zero;
    const B sum = linear + radical;
    const B by_sum = constant / choose(rises, sum, one);
    const B by_difference = (radical - linear) / choose(opens, square, one);
    return choose(rises && meets, by_sum, choose(and_not(opens, rises), by_difference, unbounded()));
  }

  /// u_n = -e u0_n and p_t = θ p_n, with θ held inside the region: along p = (w σ, (rise - w σ b) / c), on which K
  /// changes the slip alone. The energy gained is (square w² + 2 linear w - lost) / 2, of which there may be no more
  /// than for w = 0 where e > 1.
  static Impulse brach(const Problem& in, const Parameters& parameters) {
    const B zero(0), one(1);
    const B ratio = parameters.get(columns::Parameter::impulse_ratio_1);
    const B e = in.restitution, side = sign_of(axis_of(in) * ratio);
    const B linear = side * neg_mul_add(in.slope, in.y, in.x);
    const B lost = larger((one - e) * (one + e), zero) * in.inverse_c * in.y * in.y;
    const B by_energy = root(in.pivot, linear, lost);

    // |p_t| = h p_n where the ratio is reached, or the cone, and its p as bound_n |p_t| = bound_t p_n.
    const B size = magnitude(ratio), h = smaller(size, in.friction);
    const Mask steep = h > one;
    const B bound_t = choose(steep, one, h), bound_n = choose(steep, one / h, one);
    const B divisor = mul_add(bound_n, in.c, side * in.b * bound_t);
    const Mask meets = divisor > zero;
    const B by_ratio = choose(meets, in.rise() / choose(meets, divisor, one), unbounded());
    const Mask bounded = bound_t * by_ratio <= by_energy;
    const B w = choose(bounded, bound_t * by_ratio, by_energy);
    const B free = larger(neg_mul_add(side * in.b, w, in.rise()) * in.inverse_c, bound_n * w);
    const B p_n = choose(bounded, bound_n * by_ratio, free);
    // If c is small, the rounding error of p_n is not small relative to p_t.
    return {{side * choose(steep, w, smaller(w, bound_t * p_n)), p_n}, bounded && in.friction <= size};
  }

  /// Distance from 1.5 P_I along d to the boundary of the region.
  struct Reach {
    B length;
    Mask cone;
  };
  static Reach reach(const Problem& in, const Vector2<B>& d) {
    const B zero(0), one(1), half(T(0.5));
    const B p_n = centre(in);
    const B kd_t = mul_add(in.a, d.x, in.b * d.y), kd_n = mul_add(in.b, d.x, in.c * d.y);
    const Mask approaches = kd_n < zero;
    const B square = mul_add(d.x, kd_t, d.y * kd_n);
    const B linear = mul_sub(d.x, mul_add(in.b, p_n, in.x), half * in.y * d.y);
    const B energy = root(square, linear, B(T(0.75)) * in.y * in.y * in.inverse_c);
    const B penetration = choose(approaches, half * in.y / choose(approaches, kd_n, one), unbounded());
    const B length = smaller(energy, penetration);
    const B outwards = mul_sub(in.cone_t, magnitude(d.x), in.cone_n * d.y);
    const Mask leaves = outwards > zero;
    const B to_cone = choose(leaves, in.cone_n * p_n / choose(leaves, outwards, one), unbounded());
    return {smaller(length, to_cone), leaves && to_cone <= length};
  }

  static Impulse projected(const Problem& in, const Parameters& parameters) {
    const B zero(0), one(1);
    const B p_n = centre(in);
    const Vector2<B> wanted = parameters.candidate(), way = {wanted.x, wanted.y - p_n};
    const B size = larger(magnitude(way.x), magnitude(way.y));
    const B divisor = choose(size > zero, size, one);
    const Vector2<B> d = {way.x / divisor, way.y / divisor};
    const Reach r = reach(in, d);
    const Mask inside = size < r.length, smooth = in.friction == zero;
    const Vector2<B> p = {choose(inside, wanted.x, r.length * d.x),
                          choose(inside, wanted.y, mul_add(r.length, d.y, p_n))};
    return {in_cone(in, p), smooth || and_not(r.cone, inside)};
  }

  static Impulse polar(const Problem& in, const Parameters& parameters) {
    const B zero(0);
    const Vector2<B> given = direction_at<T>(parameters.get(columns::Parameter::polar_angle));
    const B fraction = parameters.get(columns::Parameter::fraction);
    // Along the normal exactly, also where π is rounded, so that without friction there is a way to go.
    const Vector2<B> d = {choose(magnitude(given.x) <= B(epsilon<T>), zero, axis_of(in) * given.x), given.y};
    const Reach r = reach(in, d);
    const B length = fraction * r.length;
    return {in_cone(in, {length * d.x, mul_add(length, d.y, centre(in))}),
            in.friction == zero || (r.cone && fraction == B(1))};
  }

 private:
  /// If the way removes nearly all of the normal impulse of 1.5 P_I, the rounding error of p_n is not small relative to
  /// p_t, and p could leave the cone. So p_n is raised to the cone of p_t, which is accurate.
  static Vector2<B> in_cone(const Problem& in, const Vector2<B>& p) {
    const Mask rubs = in.cone_n > B(0);
    const B least = in.cone_t * magnitude(p.x) / choose(rubs, in.cone_n, B(1));
    return {p.x, choose(rubs, larger(p.y, least), p.y)};
  }

  /// Normal impulse of 1.5 P_I, a point of the region.
  static B centre(const Problem& in) { return B(T(-1.5)) * in.y * in.inverse_c; }
};

}  // namespace
}  // namespace carom::kernel
