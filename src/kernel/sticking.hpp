// Stage 5b, law: sticking and the diverging ray. On whole vectors of contacts.
//
//   q       M⁻¹ k                         a    du_z/dp_z
//   S       K_33 - k·q                    λ    dr/dp_z on the diverging ray
//   ψ       direction of that ray         E    e² W_c + W_d, zero at the end of the collision
//
// [R] eqs. 5 and 6 (stable sticking), 8 (the ray in closed form), 3.10 (the ray exists and is unique).
#pragma once

#include "job.hpp"
#include "lanes.hpp"

namespace carom::kernel {
namespace {

/// A collision on its way, in the tile's units.
template <class B>
struct Progress {
  B ux, uy, uz;
  B px, py, pz;
  B work_compression, work_decompression;
};

template <class B>
struct Ray {
  B x, y;  // unit
  B rate;  // λ
};

/// |(x, y)|, without underflow of the squares.
template <class B>
inline B length(B x, B y) {
  const B largest = larger(magnitude(x), magnitude(y));
  const B divisor = choose(largest > B(0), largest, B(1));
  const B a = x / divisor, b = y / divisor;
  return largest * square_root(mul_add(a, a, b * b));
}

/// The root λ > 0 of |(λ + μ M)⁻¹ k| = 1, by Newton's method on 1/|·| - 1, which rises monotonically from a lower bound
/// to the root: the secular equation of a trust-region step. J. Moré, D. Sorensen, Computing a trust region step, SIAM
/// J. Sci. Stat. Comput. 4, 1983. Only where `wanted`; elsewhere the ray means nothing.
template <class A, class T>
inline Ray<typename LaneTypes<A, T>::Batch> diverging_ray(
    typename LaneTypes<A, T>::Mask wanted, typename LaneTypes<A, T>::Batch kxx, typename LaneTypes<A, T>::Batch kxy,
    typename LaneTypes<A, T>::Batch kyy, typename LaneTypes<A, T>::Batch det_m,
    typename LaneTypes<A, T>::Batch given_kx, typename LaneTypes<A, T>::Batch given_ky,
    typename LaneTypes<A, T>::Batch given_friction) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const B zero(0), one(1), half(T(0.5));
  // k, μ and λ scale together: with the larger of k and μ M of order 1 no square underflows.
  const B scale = larger(length(given_kx, given_ky), given_friction * (kxx + kyy));
  const B kx = given_kx / scale, ky = given_ky / scale, friction = given_friction / scale;
  const B mxx = friction * kxx, mxy = friction * kxy, myy = friction * kyy;
  const B half_difference = half * (mxx - myy);
  const B norm_m = mul_add(half, mxx + myy, square_root(mul_add(half_difference, half_difference, mxy * mxy)));
  const B norm_k = length(kx, ky);
  B lambda = larger(norm_k - norm_m, zero);
  const B tolerance(sizeof(T) == sizeof(float) ? T(0x1p-21) : T(0x1p-50));  // 4 ulp
  B vx = zero, vy = zero, norm = one;
  Mask moving = wanted;
  // Rounding could make the steps alternate about the root; a handful suffices wherever it lies.
  for (int iteration = 0;; ++iteration) {
    const B xx = lambda + mxx, yy = lambda + myy;
    // det(λ + μ M) as a sum of what is positive: det M has been taken from the bodies.
    const B inverse_det = one / mul_add(lambda, lambda + mxx + myy, friction * friction * det_m);
    const B new_vx = difference_of_products(yy, kx, mxy, ky) * inverse_det;
    const B new_vy = difference_of_products(xx, ky, mxy, kx) * inverse_det;
    const B new_norm = square_root(mul_add(new_vx, new_vx, new_vy * new_vy));
    const B wx = difference_of_products(yy, new_vx, mxy, new_vy) * inverse_det;
    const B wy = difference_of_products(xx, new_vy, mxy, new_vx) * inverse_det;
    const B newton = (new_norm - one) * new_norm * new_norm / mul_add(new_vx, wx, new_vy * wy);
    vx = choose(moving, new_vx, vx);
    vy = choose(moving, new_vy, vy);
    norm = choose(moving, new_norm, norm);
    moving = moving && magnitude(newton) > tolerance * (lambda + mxx + myy);
    if (lane_bits(moving) == 0 || iteration == 40) break;
    lambda = choose(moving, larger(lambda + newton, zero), lambda);
  }
  // λ + μ M rounds λ to the size of μ M, and |(λ + μ M)⁻¹ k| is 1 no nearer than that lets it. One step of Newton's on
  // the angle itself, dr = k - μ M ψ across ψ to zero, is good to rounding.
  B x = vx / norm, y = vy / norm;
  B dx = kx - mul_add(mxx, x, mxy * y), dy = ky - mul_add(mxy, x, myy * y);
  const B across = mul_add(mxx, y * y, mul_add(myy, x * x, B(-2) * mxy * x * y));
  const B slope = lambda + across;
  const Mask turns = slope > zero;
  const B turn = choose(turns, mul_sub(x, dy, y * dx) / choose(turns, slope, one), zero);
  const B turned_x = neg_mul_add(turn, y, x), turned_y = mul_add(turn, x, y);
  const B length = square_root(mul_add(turned_x, turned_x, turned_y * turned_y));
  x = turned_x / length;
  y = turned_y / length;
  dx = kx - mul_add(mxx, x, mxy * y);
  dy = ky - mul_add(mxy, x, myy * y);
  return {x, y, scale * larger(mul_add(x, dx, y * dy), zero)};
}

/// From the moment at which the slip is no more than one step's reach to the end of the collision, where `stuck`. True
/// where friction could not hold the contact.
template <class A, class T>
inline typename LaneTypes<A, T>::Mask finish_sticking(const Tile<T>& tile, std::size_t slot,
                                                      typename LaneTypes<A, T>::Mask stuck,
                                                      Progress<typename LaneTypes<A, T>::Batch>& progress) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const auto load = [&](const T* lane) { return load_lanes<B>(lane + slot); };
  const B zero(0), one(1), two(2), half(T(0.5));
  const B kxx = load(tile.kxx), kxy = load(tile.kxy), kyy = load(tile.kyy), det_m = load(tile.det_m);
  const B qx = load(tile.qx), qy = load(tile.qy), schur = load(tile.schur), friction = load(tile.friction);
  Progress<B> c = progress;

  // What is left of the slip is stopped by friction alone: Δp = (-M⁻¹ u_t, 0). That is the limit of one more step for
  // large friction, and it takes the energy ½ u_t·M⁻¹ u_t.
  c.px = c.px - difference_of_products(kyy, c.ux, kxy, c.uy) / det_m;
  c.py = c.py - difference_of_products(kxx, c.uy, kxy, c.ux) / det_m;
  c.uz = neg_mul_add(qx, c.ux, neg_mul_add(qy, c.uy, c.uz));

  // Rates per normal impulse.
  const Mask diverges = stuck && length(qx, qy) > friction;
  B a = schur, dpx = negated(qx), dpy = negated(qy), dux = zero, duy = zero;
  if (lane_bits(diverges) != 0) {
    const Ray<B> ray = diverging_ray<A, T>(diverges, kxx, kxy, kyy, det_m, load(tile.kxz), load(tile.kyz), friction);
    dpx = choose(diverges, negated(friction * ray.x), dpx);
    dpy = choose(diverges, negated(friction * ray.y), dpy);
    dux = choose(diverges, ray.rate * ray.x, dux);
    duy = choose(diverges, ray.rate * ray.y, duy);
    // du_z/dp_z = c·K c + μ λ with c = (-μ ψ, 1), and c·K c = S + (q + c_t)·M (q + c_t): a sum of what is positive.
    const B x = qx + dpx, y = qy + dpy;
    const B quadratic = mul_add(x, mul_add(kxx, x, kxy * y), y * mul_add(kxy, x, kyy * y));
    a = choose(diverges, schur + larger(quadratic, zero) + friction * ray.rate, a);
  }

  const Mask compressing = c.uz < zero;
  B s = choose(compressing, negated(c.uz) / a, zero);
  c.work_compression = choose(compressing, c.work_compression + half * c.uz * s, c.work_compression);
  c.uz = choose(compressing, zero, c.uz);
  const B e = load(tile.restitution);
  // The last sliding step can have given back too much, of which the contact can return no more than it moves with.
  const B work =
      larger(negated(mul_add(e * e, c.work_compression, c.work_decompression)), negated(c.uz * c.uz / (two * a)));
  const B end = square_root(larger(mul_add(c.uz, c.uz, two * a * work), zero));
  const B sum = c.uz + end;
  const Mask moves = sum > zero;
  s = s + choose(moves, two * work / choose(moves, sum, one), zero);
  c.work_decompression = c.work_decompression + work;
  progress.ux = choose(stuck, dux * s, progress.ux);
  progress.uy = choose(stuck, duy * s, progress.uy);
  progress.uz = choose(stuck, end, progress.uz);
  progress.px = choose(stuck, mul_add(dpx, s, c.px), progress.px);
  progress.py = choose(stuck, mul_add(dpy, s, c.py), progress.py);
  progress.pz = choose(stuck, c.pz + s, progress.pz);
  progress.work_compression = choose(stuck, c.work_compression, progress.work_compression);
  progress.work_decompression = choose(stuck, c.work_decompression, progress.work_decompression);
  return diverges;
}

}  // namespace
}  // namespace carom::kernel
