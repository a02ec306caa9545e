// The rest of a slide that settles on a ray and comes to rest there has a closed form. The field is homogeneous, so
// the remaining integrals are the slip times a function of the angle to the ray. With t = tan(angle / 2),
// ρ = r / (1 + t²), and A = diag(a1, a2), b, C in the frame of the ray (x its own direction, y across), κ = b_x + A_xx:
//
//   t' = P / (1 + t²),         P = f' t + 3 A_xy t² + (A_yy - κ) t³ - A_xy t⁴
//   (ln ρ)' = H / (1 + t²),    H = l - 2 A_xy t + (κ - 2 A_yy) t² + 2 A_xy t³
//
//   the integral of r      ρ σ        P σ' + H σ = -(1 + t²)²; of x and y with -(1 - t⁴) and -2 t (1 + t²)
//   the rise of u_z        ρ ζ        ζ = C_3 σ - C·(σ of x and y)
//   the work               u_z ρ σ - ρ² ω with u_z at rest,    P ω' + 2 H ω = -ζ (1 + t²)²
//
// Each has one solution that is regular at t = 0: a power series with a recurrence of four terms.
#pragma once

#include "direction.hpp"

namespace carom::kernel {
namespace {

template <class B, class M>
struct Rest {
  M known;                // elsewhere the other numbers are undefined
  B sum_x, sum_y, sum_r;  // integrals of x, y and r
  B u_z;                  // at rest
  B work;                 // the integral of u_z r
};

/// From u = (x, y, z) on, where `wanted`. Not known where the series has not
/// converged, where u_z may turn around, or where the ray does not attract or
/// bring to rest.
template <class T, class B, class M>
[[gnu::noinline]] inline Rest<B, M> slide_to_rest(M wanted, const Rates<B>& k, B x, B y, B z) {
  const auto& [a1, a2, b1, b2, c1, c2, c3] = k;
  constexpr int terms = SeriesOrder<T>::rest;
  const B zero(0), one(1), two(2), tolerance(SeriesOrder<T>::tolerance);
  const B r = square_root(mul_add(x, x, y * y));
  const B inverse_r = one / choose(wanted, r, one);
  const B start_x = x * inverse_r, start_y = y * inverse_r;
  B ray_x = start_x, ray_y = start_y;
  Turning<B> ray = turning(k, ray_x, ray_y);
  turn_onto_ray<T>(wanted, k, ray_x, ray_y, ray);
  const B least(T(-1) / T(512));
  M known = wanted && ray.rate < least && ray.slope < least && magnitude(ray.f) < B(T(8) * epsilon<T>);

  // u_z is monotone if C·û is, and z' has the same sign at both ends.
  const B rise_start = neg_mul_add(c1, start_x, neg_mul_add(c2, start_y, c3));
  const B rise_end = neg_mul_add(c1, ray_x, neg_mul_add(c2, ray_y, c3));
  const B across_start = mul_sub(c1, start_y, c2 * start_x), across_end = mul_sub(c1, ray_y, c2 * ray_x);
  const M rises = c3 * c3 > mul_add(c1, c1, c2 * c2);
  known = known && (rises || (rise_start * rise_end > zero && across_start * across_end > zero));

  const B along = mul_add(x, ray_x, y * ray_y), across = mul_sub(ray_x, y, ray_y * x);
  known = known && along > zero;
  const B rho = B(T(0.5)) * (r + along);
  const B t = choose(known, across, zero) / choose(known, r + along, one);

  const B a_xx = mul_add(a1 * ray_x, ray_x, a2 * ray_y * ray_y), a_yy = mul_add(a1 * ray_y, ray_y, a2 * ray_x * ray_x);
  const B a_xy = (a2 - a1) * ray_x * ray_y;
  const B kappa = mul_add(b1, ray_x, b2 * ray_y) + a_xx;
  const B c_x = mul_add(c1, ray_x, c2 * ray_y), c_y = mul_sub(c2, ray_x, c1 * ray_y);
  const B rate = choose(known, ray.rate, B(-1)), slope = choose(known, ray.slope, B(-1));
  const B h[4] = {rate, B(-2) * a_xy, neg_mul_add(two, a_yy, kappa), two * a_xy};
  const B p[4] = {slope, B(3) * a_xy, a_yy - kappa, negated(a_xy)};

  constexpr int sources_r[5] = {1, 0, 2, 0, 1}, sources_x[5] = {1, 0, 0, 0, -1}, sources_y[5] = {0, 2, 0, 2, 0};
  B s_r[terms], s_x[terms], s_y[terms], zeta[terms], omega[terms];
  const auto add_term = [&](int n, B sum_r, B sum_x, B sum_y, B sum_w) __attribute__((always_inline)) {
    CAROM_UNROLL
    for (int j = 1; j <= 3; ++j) {
      if (j > n) break;
      const B factor = mul_add(B(static_cast<T>(n - j)), p[j], h[j]);
      sum_r = mul_add(factor, s_r[n - j], sum_r);
      sum_x = mul_add(factor, s_x[n - j], sum_x);
      sum_y = mul_add(factor, s_y[n - j], sum_y);
      sum_w = mul_add(factor + h[j], omega[n - j], sum_w);
    }
    const B steep = B(static_cast<T>(n)) * slope;
    const B scale = B(-1) / (rate + steep);
    s_r[n] = sum_r * scale;
    s_x[n] = sum_x * scale;
    s_y[n] = sum_y * scale;
    zeta[n] = neg_mul_add(c_x, s_x[n], neg_mul_add(c_y, s_y[n], k.c3 * s_r[n]));
    omega[n] = negated(sum_w + zeta[n]) / (mul_add(two, rate, steep));
  };
  CAROM_UNROLL
  for (int n = 0; n < 5; ++n)
    add_term(n, B(static_cast<T>(sources_r[n])), B(static_cast<T>(sources_x[n])), B(static_cast<T>(sources_y[n])),
             n >= 4   ? mul_add(two, zeta[n - 2], zeta[n - 4])
             : n >= 2 ? two * zeta[n - 2]
                      : zero);
  for (int n = 5, end = inner_iterations(terms); n < end; ++n)
    add_term(n, zero, zero, zero, mul_add(two, zeta[n - 2], zeta[n - 4]));

  // Estimate of the next terms.
  B power = one;
  for (int n = 0; n < terms - 1; ++n) power = power * magnitude(t);
  const auto last = [&](const B(&v)[terms]) { return larger(magnitude(v[terms - 1]), magnitude(v[terms - 2])); };
  const B left =
      power * rho * larger(larger(last(s_r), larger(last(s_x), last(s_y))), larger(last(zeta), rho * last(omega)));
  known = known && left <= tolerance;

  const B along_sum = rho * value<terms - 1>(s_x, t), across_sum = rho * value<terms - 1>(s_y, t);
  Rest<B, M> rest = {known,
                     mul_sub(along_sum, ray_x, across_sum * ray_y),
                     mul_add(along_sum, ray_y, across_sum * ray_x),
                     rho * value<terms - 1>(s_r, t),
                     zero,
                     zero};
  rest.u_z = z + neg_mul_add(c1, rest.sum_x, neg_mul_add(c2, rest.sum_y, c3 * rest.sum_r));
  rest.work = neg_mul_add(rho * rho, value<terms - 1>(omega, t), rest.u_z * rest.sum_r);
  return rest;
}

}  // namespace
}  // namespace carom::kernel
