// The series of a slide about where it stands, in slip time: see series.hpp.
#pragma once

#include "direction.hpp"

namespace carom::kernel {
namespace {

template <class T, class B>
struct Taylor {
  using Order = SeriesOrder<T>;
  static constexpr int state = Order::state, work = Order::work;

  B x[state + 1], y[state + 1], r[state + 1], z[work + 1];
  B sum_x[state + 1], sum_y[state + 1], sum_r[work + 1], sum_zr[work + 1];  // integrals of x, y, r and z r

  [[gnu::always_inline]] void expand(const Rates<B>& k, B x_0, B y_0, B z_0) {
    const B zero(0), half(T(0.5));
    x[0] = x_0;
    y[0] = y_0;
    z[0] = z_0;
    r[0] = square_root(mul_add(x_0, x_0, y_0 * y_0));
    const B inverse_r = B(1) / r[0];
    sum_x[0] = sum_y[0] = sum_r[0] = sum_zr[0] = zero;
    // Four orders at a time: what they need of the orders before them shares its loads.
    CAROM_UNROLL
    for (int first = 1; first <= state; first += 4) {
      B known[4] = {zero, zero, zero, zero};
      add_known(x, first, known);
      add_known(y, first, known);
      subtract_known(r, first, known);
      CAROM_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int m = first + i;
        if (m > state) break;
        const B inverse_m(T(1) / static_cast<T>(m));
        sum_x[m] = x[m - 1] * inverse_m;
        sum_y[m] = y[m - 1] * inverse_m;
        sum_r[m] = r[m - 1] * inverse_m;
        x[m] = neg_mul_add(k.a1, sum_x[m], k.b1 * sum_r[m]);
        y[m] = neg_mul_add(k.a2, sum_y[m], k.b2 * sum_r[m]);
        z[m] = neg_mul_add(k.c1, sum_x[m], neg_mul_add(k.c2, sum_y[m], k.c3 * sum_r[m]));
        // r² = x² + y²
        B sum = known[i];
        CAROM_UNROLL
        for (int j = i; j >= 1; --j) {
          if (2 * j > m) continue;
          if (2 * j == m) {
            sum = mul_add(half * x[j], x[j], mul_add(half * y[j], y[j], neg_mul_add(half * r[j], r[j], sum)));
          } else {
            sum = neg_mul_add(r[j], r[m - j], mul_add(x[j], x[m - j], mul_add(y[j], y[m - j], sum)));
          }
        }
        // What has been known longest comes first: the last terms are what the next order waits for.
        r[m] = mul_add(x[0], x[m], mul_add(y[0], y[m], sum)) * inverse_r;
      }
    }
    multiply_and_integrate();
    CAROM_UNROLL
    for (int m = state + 1; m <= work; ++m) z[m] = sum_r[m] = zero;
  }

  /// How far the series has converged.
  B step() const {
    const auto largest_of = [&](int m) {
      return larger(larger(magnitude(x[m]), magnitude(y[m])), larger(magnitude(r[m]), magnitude(z[m])));
    };
    // The solution is smooth on the scale of 4.
    return smaller(smaller(converged_step<state, T>(largest_of(state), Order::log2_tolerance),
                           converged_step<state - 1, T>(largest_of(state - 1), Order::log2_tolerance)),
                   B(4));
  }

 private:
  /// Half of the terms of order first + i in a square that need only orders below `first`.
  [[gnu::always_inline]] static void add_known(const B (&v)[state + 1], int first, B (&sum)[4]) {
    CAROM_UNROLL
    for (int j = 1; 2 * j <= first + 3; ++j) {
      CAROM_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int m = first + i;
        if (m > state || m - j >= first || 2 * j > m) continue;
        sum[i] = 2 * j == m ? mul_add(B(T(0.5)) * v[j], v[j], sum[i]) : mul_add(v[j], v[m - j], sum[i]);
      }
    }
  }
  [[gnu::always_inline]] static void subtract_known(const B (&v)[state + 1], int first, B (&sum)[4]) {
    CAROM_UNROLL
    for (int j = 1; 2 * j <= first + 3; ++j) {
      CAROM_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int m = first + i;
        if (m > state || m - j >= first || 2 * j > m) continue;
        sum[i] = 2 * j == m ? neg_mul_add(B(T(0.5)) * v[j], v[j], sum[i]) : neg_mul_add(v[j], v[m - j], sum[i]);
      }
    }
  }

  /// The integral of z r. Four terms at a time share what they load.
  [[gnu::always_inline]] void multiply_and_integrate() {
    sum_zr[0] = B(0);
    CAROM_UNROLL
    for (int first = 1; first <= work; first += 4) {
      B sum[4] = {B(0), B(0), B(0), B(0)};
      CAROM_UNROLL
      for (int j = 0; j <= state; ++j) {
        CAROM_UNROLL
        for (int i = 0; i < 4; ++i) {
          const int k = first + i - 1 - j;
          if (first + i <= work && k >= 0 && k <= state) sum[i] = mul_add(z[j], r[k], sum[i]);
        }
      }
      CAROM_UNROLL
      for (int i = 0; i < 4; ++i)
        if (first + i <= work) sum_zr[first + i] = sum[i] * B(T(1) / static_cast<T>(first + i));
    }
  }
};

}  // namespace
}  // namespace carom::kernel
