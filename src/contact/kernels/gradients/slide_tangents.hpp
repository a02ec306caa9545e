// The tangents of a slide, integrated with its series: see slide_gradient.hpp. At fixed slip time
//
//   δu_t' = -N δu_t + k δr - δN u_t + r δk      r δr = u_t·δu_t      δX' = δu_t      δs' = δr      δA' = 2 u_t·δu_t
//
// and after the step converted back to fixed s, where no two solutions move apart.
#pragma once

#include "variation.hpp"

namespace carom::kernel {
namespace {

/// The parts of a series that do not depend on the tangent.
template <class T, class B>
struct SeriesOfTangents {
  static constexpr int order = SeriesOrder<T>::state;
  const Taylor<T, B>& series;
  const Rates<B>& k;
  LeftOut<B> out;
  B inverse_r;

  /// Series of δu_t, δr and u_t·δu_t. Their integrals are made where they are needed, since memory is short.
  struct Coefficients {
    B x[order + 1], y[order + 1], r[order + 1], w[order + 1];
  };

  /// All of them side by side: each waits for its own last order.
  [[gnu::noinline]] void expand(const Tangent<B> (&from)[carried], Coefficients (&c)[carried]) const {
    CAROM_UNROLL
    for (int t = 0; t < carried; ++t) {
      c[t].x[0] = from[t].x;
      c[t].y[0] = from[t].y;
      c[t].w[0] = mul_add(series.x[0], from[t].x, series.y[0] * from[t].y);
      c[t].r[0] = c[t].w[0] * inverse_r;
    }
    for (int m = 1; m <= order; ++m) {
      const B inverse_m(T(1) / static_cast<T>(m));
      B of_x[carried], of_y[carried], of_r[carried];
      CAROM_UNROLL
      for (int t = 0; t < carried; ++t) {
        B fx, fy;
        force(t, series.sum_x[m], series.sum_y[m], series.sum_r[m], fx, fy);
        c[t].x[m] = mul_add(neg_mul_add(k.a1, c[t].x[m - 1], k.b1 * c[t].r[m - 1]), inverse_m, fx);
        c[t].y[m] = mul_add(neg_mul_add(k.a2, c[t].y[m - 1], k.b2 * c[t].r[m - 1]), inverse_m, fy);
        of_x[t] = series.x[0] * c[t].x[m];
        of_y[t] = series.y[0] * c[t].y[m];
        of_r[t] = B(0);
      }
      for (int j = 1; j <= m; ++j) {
        const B qx = series.x[j], qy = series.y[j], qr = series.r[j];
        CAROM_UNROLL
        for (int t = 0; t < carried; ++t) {
          of_x[t] = mul_add(qx, c[t].x[m - j], of_x[t]);
          of_y[t] = mul_add(qy, c[t].y[m - j], of_y[t]);
          of_r[t] = mul_add(qr, c[t].r[m - j], of_r[t]);
        }
      }
      CAROM_UNROLL
      for (int t = 0; t < carried; ++t) {
        c[t].w[m] = of_x[t] + of_y[t];
        c[t].r[m] = (c[t].w[m] - of_r[t]) * inverse_r;
      }
    }
  }

  /// The size of order m of the integrals.
  static B size_of_order(const Coefficients& c, int m) {
    return B(T(1) / static_cast<T>(m)) * larger(larger(magnitude(c.x[m - 1]), magnitude(c.y[m - 1])),
                                                larger(magnitude(c.r[m - 1]), magnitude(c.w[m - 1])));
  }

  /// -δN u_t + r δk, for one order or integrated: (x, y, r) are u_t and r in the same form.
  [[gnu::always_inline]] void force(int which, B x, B y, B r, B& fx, B& fy) const {
    const B zero(0);
    fx = fy = zero;
    switch (which) {
      case 0:  // N_12
        fx = negated(y);
        fy = negated(x);
        break;
      case 1:  // N_22
        fy = negated(y);
        break;
      case 2:  // k_1 or N_11
        fx = choose(out.k1, negated(x), r);
        break;
      default:  // k_2 or N_11
        fx = choose(out.k2, negated(x), zero);
        fy = choose(out.k2, zero, r);
    }
  }

  /// The tangent at fixed s, h later, where the slide is `at`; dx, dy, dr are the series' integrals there.
  [[gnu::always_inline]] Tangent<B> at(int which, const Tangent<B>& from, const Coefficients& c, B h, const Slip<B>& at,
                                       B dx, B dy, B dr) const {
    const B zero(0);
    B sx = zero, sy = zero, ds = zero, sw = zero;
    for (int m = order; m > 0; --m) {
      const B inverse_m(T(1) / static_cast<T>(m));
      sx = mul_add(sx, h, inverse_m * c.x[m - 1]);
      sy = mul_add(sy, h, inverse_m * c.y[m - 1]);
      ds = mul_add(ds, h, inverse_m * c.r[m - 1]);
      sw = mul_add(sw, h, inverse_m * c.w[m - 1]);
    }
    sx = sx * h;
    sy = sy * h;
    ds = ds * h;
    sw = sw * h;
    B fx, fy;
    force(which, dx, dy, dr, fx, fy);
    Tangent<B> t;
    t.x = from.x + neg_mul_add(k.a1, sx, mul_add(k.b1, ds, fx));
    t.y = from.y + neg_mul_add(k.a2, sy, mul_add(k.b2, ds, fy));
    t.sum_x = from.sum_x + neg_mul_add(at.cosine, ds, sx);
    t.sum_y = from.sum_y + neg_mul_add(at.sine, ds, sy);
    t.area = from.area + neg_mul_add(at.r, ds, sw + sw);
    t.x = neg_mul_add(at.gx, ds, t.x);
    t.y = neg_mul_add(at.gy, ds, t.y);
    return t;
  }
};

/// A slide that has come from u_t = (x, y) by integrals dx, dy, dr.
template <class B>
[[gnu::always_inline]] inline Slip<B> slip_after(const Rates<B>& k, B x, B y, B dx, B dy, B dr) {
  Slip<B> at;
  at.x = x + neg_mul_add(k.a1, dx, k.b1 * dr);
  at.y = y + neg_mul_add(k.a2, dy, k.b2 * dr);
  at.r = square_root(mul_add(at.x, at.x, at.y * at.y));
  const B inverse = B(1) / choose(at.r > B(0), at.r, B(1));
  at.cosine = at.x * inverse;
  at.sine = at.y * inverse;
  at.gx = neg_mul_add(k.a1, at.cosine, k.b1);
  at.gy = neg_mul_add(k.a2, at.sine, k.b2);
  return at;
}

}  // namespace
}  // namespace carom::kernel
