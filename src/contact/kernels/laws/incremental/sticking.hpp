// Sticking and the diverging ray, on whole vectors of contacts.
//
//   q       M⁻¹ k                         a    du_z/dp_z
//   S       K_33 - k·q                    λ    dr/dp_z on the diverging ray
//   ψ       direction of that ray         E    e² W_c + W_d, zero at the end of the collision
//
// [R] eqs. 5 and 6 (stable sticking), 8 (the ray in closed form), 3.10 (the ray exists and is unique).
#pragma once

#include "contact/kernels/stages/collision_matrix.hpp"
#include "slide.hpp"

namespace carom::kernel {
namespace {

/// A collision on its way, in the tile's units.
template <class B>
struct Progress {
  B ux, uy, uz;
  B px, py, pz;
  B work_compression, work_decompression;
};

/// How a contact's collision ended.
template <class B>
struct Ending {
  Progress<B> progress;
  B path;  // Path::index
};

/// Difference of Path::index between contacts that friction cannot hold after their slip has stopped, and other ones.
inline constexpr int diverges_by = 16;
static_assert(Path{SlidingEnd::stick_in_c, Sticking::diverge, 1, 0}.index() ==
              Path{SlidingEnd::stick_in_c, Sticking::stable, 1, 0}.index() + diverges_by);

/// Parameters of sticking, see Prepared.
template <class B>
struct Sticker {
  B m1, m2, k1, k2, q1, q2, schur, friction;
};
template <class F, class From, class V>
[[gnu::always_inline]] inline void each(F&& f, const From& from, Sticker<V>& to) {
  f(from.m1, to.m1);
  f(from.m2, to.m2);
  f(from.k1, to.k1);
  f(from.k2, to.k2);
  f(from.q1, to.q1);
  f(from.q2, to.q2);
  f(from.schur, to.schur);
  f(from.friction, to.friction);
}

template <class B>
struct DivergingRay {
  B x, y;  // unit
  B rate;  // λ
};

/// The root λ > 0 of |(λ + μ M)⁻¹ k| = 1, by Newton's method on 1/|·| - 1, which rises monotonically from a lower bound
/// to the root: the secular equation of a trust-region step. J. Moré, D. Sorensen, Computing a trust region step, SIAM
/// J. Sci. Stat. Comput. 4, 1983. Undefined in lanes that are not `wanted`.
template <class A, class T>
inline DivergingRay<typename LaneTypes<A, T>::Batch> diverging_ray(typename LaneTypes<A, T>::Mask wanted,
                                                                   typename LaneTypes<A, T>::Batch m1,
                                                                   typename LaneTypes<A, T>::Batch m2,
                                                                   typename LaneTypes<A, T>::Batch given_k1,
                                                                   typename LaneTypes<A, T>::Batch given_k2,
                                                                   typename LaneTypes<A, T>::Batch given_friction) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1);
  // k, μ and λ scale together: with the larger of k and μ M of order 1 no square underflows.
  const B scale = larger(length(given_k1, given_k2), given_friction * m1);
  const B k1 = given_k1 / scale, k2 = given_k2 / scale, friction = given_friction / scale;
  const B a1 = friction * m1, a2 = friction * m2;
  B lambda = larger(length(k1, k2) - a1, zero);
  const B tolerance(T(4) * epsilon<T>);
  B v1 = zero, v2 = zero, norm = one;
  Mask moving = wanted;
  // Rounding could make the steps alternate about the root; few steps suffice for any root.
  constexpr int max_steps = 40;
  for (int iteration = 0;; ++iteration) {
    const B inverse_1 = one / (lambda + a1), inverse_2 = one / (lambda + a2);
    const B new_v1 = k1 * inverse_1, new_v2 = k2 * inverse_2;
    const B new_norm = square_root(mul_add(new_v1, new_v1, new_v2 * new_v2));
    const B slope = mul_add(new_v1 * new_v1, inverse_1, new_v2 * new_v2 * inverse_2);
    const B newton = (new_norm - one) * new_norm * new_norm / slope;
    v1 = choose(moving, new_v1, v1);
    v2 = choose(moving, new_v2, v2);
    norm = choose(moving, new_norm, norm);
    moving = moving && magnitude(new_norm - one) > tolerance;
    if (lane_bits(moving) == 0 || iteration == max_steps) break;
    lambda = choose(moving, larger(lambda + newton, zero), lambda);
  }
  // λ + μ M rounds λ to the size of μ M, and |(λ + μ M)⁻¹ k| is 1 no nearer than that lets it. One step of Newton's on
  // the angle itself, dr = k - μ M ψ across ψ to zero, is good to rounding.
  B x = v1 / norm, y = v2 / norm;
  B dx = neg_mul_add(a1, x, k1), dy = neg_mul_add(a2, y, k2);
  const B slope = lambda + mul_add(a1, y * y, a2 * x * x);
  const Mask turns = slope > zero;
  const B turn = choose(turns, mul_sub(x, dy, y * dx) / choose(turns, slope, one), zero);
  const B turned_x = neg_mul_add(turn, y, x), turned_y = mul_add(turn, x, y);
  const B length = square_root(mul_add(turned_x, turned_x, turned_y * turned_y));
  x = turned_x / length;
  y = turned_y / length;
  dx = neg_mul_add(a1, x, k1);
  dy = neg_mul_add(a2, y, k2);
  return {x, y, scale * larger(mul_add(x, dx, y * dy), zero)};
}

/// Rates of a contact without slip, per normal impulse.
template <class B>
struct StickingRates {
  B ux, uy, uz, px, py;
};

template <class A, class T>
inline StickingRates<typename LaneTypes<A, T>::Batch> sticking_rates(const Sticker<typename LaneTypes<A, T>::Batch>& k,
                                                                     typename LaneTypes<A, T>::Mask diverges) {
  using B = typename LaneTypes<A, T>::Batch;
  const B zero(0);
  const auto& [m1, m2, k1, k2, q1, q2, schur, friction] = k;
  StickingRates<B> rates = {zero, zero, schur, negated(q1), negated(q2)};
  if (lane_bits(diverges) == 0) return rates;
  const DivergingRay<B> ray = diverging_ray<A, T>(diverges, m1, m2, k1, k2, friction);
  rates.px = choose(diverges, negated(friction * ray.x), rates.px);
  rates.py = choose(diverges, negated(friction * ray.y), rates.py);
  rates.ux = choose(diverges, ray.rate * ray.x, zero);
  rates.uy = choose(diverges, ray.rate * ray.y, zero);
  // du_z/dp_z = c·K c + μ λ with c = (-μ ψ, 1), and c·K c = S + (q + c_t)·M (q + c_t) is a sum of positive terms.
  const B x = q1 + rates.px, y = q2 + rates.py;
  const B quadratic = mul_add(m1 * x, x, m2 * y * y);
  rates.uz = choose(diverges, schur + larger(quadratic, zero) + friction * ray.rate, rates.uz);
  return rates;
}

/// Solves `stuck` contacts from the time when the slip is within one step's reach to the end of the collision. Returns
/// contacts that friction cannot hold.
template <class A, class T>
inline typename LaneTypes<A, T>::Mask finish_sticking(const Sticker<typename LaneTypes<A, T>::Batch>& k,
                                                      typename LaneTypes<A, T>::Batch e,
                                                      typename LaneTypes<A, T>::Mask stuck,
                                                      Progress<typename LaneTypes<A, T>::Batch>& progress) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), two(2), half(T(0.5));
  Progress<B> c = progress;

  // Friction stops the rest of the slip: Δp = (-M⁻¹ u_t, 0). This is the limit of one more step for large friction, and
  // dissipates ½ u_t·M⁻¹ u_t.
  c.px = c.px - c.ux / k.m1;
  c.py = c.py - c.uy / k.m2;
  c.uz = neg_mul_add(k.q1, c.ux, neg_mul_add(k.q2, c.uy, c.uz));

  const Mask diverges = stuck && length(k.q1, k.q2) > k.friction;
  const StickingRates<B> rates = sticking_rates<A, T>(k, diverges);
  const B a = rates.uz;
  const Mask compressing = c.uz < zero;
  B s = choose(compressing, negated(c.uz) / a, zero);
  c.work_compression = choose(compressing, c.work_compression + half * c.uz * s, c.work_compression);
  c.uz = choose(compressing, zero, c.uz);
  // The last sliding step may have returned too much energy. The excess is taken back, up to the energy of u_z.
  const B work =
      larger(negated(mul_add(e * e, c.work_compression, c.work_decompression)), negated(c.uz * c.uz / (two * a)));
  const B end = square_root(larger(mul_add(c.uz, c.uz, two * a * work), zero));
  const B sum = c.uz + end;
  const Mask moves = sum > zero;
  s = s + choose(moves, two * work / choose(moves, sum, one), zero);
  c.work_decompression = c.work_decompression + work;
  progress.ux = choose(stuck, rates.ux * s, progress.ux);
  progress.uy = choose(stuck, rates.uy * s, progress.uy);
  progress.uz = choose(stuck, end, progress.uz);
  progress.px = choose(stuck, mul_add(rates.px, s, c.px), progress.px);
  progress.py = choose(stuck, mul_add(rates.py, s, c.py), progress.py);
  progress.pz = choose(stuck, c.pz + s, progress.pz);
  progress.work_compression = choose(stuck, c.work_compression, progress.work_compression);
  progress.work_decompression = choose(stuck, c.work_decompression, progress.work_decompression);
  return diverges;
}

}  // namespace
}  // namespace carom::kernel
