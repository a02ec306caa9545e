// Stage 5b, law: sticking and the diverging ray. The scalar path of every kernel.
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
template <class T>
struct Progress {
  T ux, uy, uz;
  T px, py, pz;
  T work_compression, work_decompression;
};

template <class T>
struct Ray {
  T x, y;  // unit
  T rate;  // λ
};

/// |(x, y)|, without underflow of the squares.
template <class T>
inline T length(T x, T y) {
  const T largest = larger(magnitude(x), magnitude(y));
  if (!(largest > T(0))) return largest;
  const T a = x / largest, b = y / largest;
  return largest * square_root(mul_add(a, a, b * b));
}

/// The root λ > 0 of |(λ + μ M)⁻¹ k| = 1, by Newton's method on 1/|·| - 1, which rises monotonically from a lower bound
/// to the root: the secular equation of a trust-region step. J. Moré, D. Sorensen, Computing a trust region step, SIAM
/// J. Sci. Stat. Comput. 4, 1983.
template <class A, class T>
inline Ray<T> diverging_ray(T kxx, T kxy, T kyy, T det_m, T given_kx, T given_ky, T given_friction) {
  // k, μ and λ scale together: with the larger of k and μ M of order 1 no square underflows.
  const T scale = larger(length(given_kx, given_ky), given_friction * (kxx + kyy));
  const T kx = given_kx / scale, ky = given_ky / scale, friction = given_friction / scale;
  const T mxx = friction * kxx, mxy = friction * kxy, myy = friction * kyy;
  const T half_difference = T(0.5) * (mxx - myy);
  const T norm_m = mul_add(T(0.5), mxx + myy, square_root(mul_add(half_difference, half_difference, mxy * mxy)));
  const T norm_k = length(kx, ky);
  T lambda = larger(norm_k - norm_m, T(0));
  const T ulp = sizeof(T) == sizeof(float) ? T(0x1p-23) : T(0x1p-52);
  T vx, vy, norm;
  // Rounding could make the steps alternate about the root; a handful suffices wherever it lies.
  for (int iteration = 0;; ++iteration) {
    const T xx = lambda + mxx, yy = lambda + myy;
    // det(λ + μ M) as a sum of what is positive: det M has been taken from the bodies.
    const T inverse_det = T(1) / mul_add(lambda, lambda + mxx + myy, friction * friction * det_m);
    vx = difference_of_products(yy, kx, mxy, ky) * inverse_det;
    vy = difference_of_products(xx, ky, mxy, kx) * inverse_det;
    norm = square_root(mul_add(vx, vx, vy * vy));
    const T wx = difference_of_products(yy, vx, mxy, vy) * inverse_det;
    const T wy = difference_of_products(xx, vy, mxy, vx) * inverse_det;
    const T newton = (norm - T(1)) * norm * norm / mul_add(vx, wx, vy * wy);
    if (!(magnitude(newton) > T(4) * ulp * (lambda + mxx + myy)) || iteration == 40) break;
    lambda = larger(lambda + newton, T(0));
  }
  // λ + μ M rounds λ to the size of μ M, and |(λ + μ M)⁻¹ k| is 1 no nearer than that lets it. One step of Newton's on
  // the angle itself, dr = k - μ M ψ across ψ to zero, is good to rounding.
  T x = vx / norm, y = vy / norm;
  T dx = kx - mul_add(mxx, x, mxy * y), dy = ky - mul_add(mxy, x, myy * y);
  const T across = mul_add(mxx, y * y, mul_add(myy, x * x, T(-2) * mxy * x * y));
  const T slope = lambda + across;
  const T turn = slope > T(0) ? mul_sub(x, dy, y * dx) / slope : T(0);
  const T turned_x = neg_mul_add(turn, y, x), turned_y = mul_add(turn, x, y);
  const T length = square_root(mul_add(turned_x, turned_x, turned_y * turned_y));
  x = turned_x / length;
  y = turned_y / length;
  dx = kx - mul_add(mxx, x, mxy * y);
  dy = ky - mul_add(mxy, x, myy * y);
  return {x, y, scale * larger(mul_add(x, dx, y * dy), T(0))};
}

/// From the moment at which the slip is no more than one step's reach to the end of the collision.
template <class A, class T>
inline Sticking finish_sticking(const Tile<T>& tile, std::size_t i, Progress<T>& c) {
  const T kxx = tile.kxx[i], kxy = tile.kxy[i], kyy = tile.kyy[i];
  const T qx = tile.qx[i], qy = tile.qy[i], schur = tile.schur[i], friction = tile.friction[i];

  // What is left of the slip is stopped by friction alone: Δp = (-M⁻¹ u_t, 0). That is the limit of one more step for
  // large friction, and it takes the energy ½ u_t·M⁻¹ u_t.
  c.px = c.px - difference_of_products(kyy, c.ux, kxy, c.uy) / tile.det_m[i];
  c.py = c.py - difference_of_products(kxx, c.uy, kxy, c.ux) / tile.det_m[i];
  c.uz = neg_mul_add(qx, c.ux, neg_mul_add(qy, c.uy, c.uz));
  c.ux = T(0);
  c.uy = T(0);

  // Rates per normal impulse.
  const bool stable = length(qx, qy) <= friction;
  T a = schur, dpx = -qx, dpy = -qy, dux = T(0), duy = T(0);
  if (!stable) {
    const Ray<T> ray = diverging_ray<A>(kxx, kxy, kyy, tile.det_m[i], tile.kxz[i], tile.kyz[i], friction);
    dpx = -(friction * ray.x);
    dpy = -(friction * ray.y);
    dux = ray.rate * ray.x;
    duy = ray.rate * ray.y;
    // du_z/dp_z = c·K c + μ λ with c = (-μ ψ, 1), and c·K c = S + (q + c_t)·M (q + c_t): a sum of what is positive.
    const T x = qx + dpx, y = qy + dpy;
    const T quadratic = mul_add(x, mul_add(kxx, x, kxy * y), y * mul_add(kxy, x, kyy * y));
    a = schur + larger(quadratic, T(0)) + friction * ray.rate;
  }

  T s = T(0);
  if (c.uz < T(0)) {
    s = -c.uz / a;
    c.work_compression = c.work_compression + T(0.5) * c.uz * s;
    c.uz = T(0);
  }
  const T e = tile.restitution[i];
  // The last sliding step can have given back too much, of which the contact can return no more than it moves with.
  const T work = larger(-mul_add(e * e, c.work_compression, c.work_decompression), -(c.uz * c.uz / (T(2) * a)));
  const T end = square_root(larger(mul_add(c.uz, c.uz, T(2) * a * work), T(0)));
  const T sum = c.uz + end;
  if (sum > T(0)) s = s + T(2) * work / sum;
  c.work_decompression = c.work_decompression + work;
  c.uz = end;
  c.ux = dux * s;
  c.uy = duy * s;
  c.px = mul_add(dpx, s, c.px);
  c.py = mul_add(dpy, s, c.py);
  c.pz = c.pz + s;
  return stable ? Sticking::stable : Sticking::diverge;
}

}  // namespace
}  // namespace carom::kernel
