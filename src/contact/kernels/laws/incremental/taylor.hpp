// The Taylor series of a slide about its present state, in slip time: see series.hpp.
#pragma once

#include "direction.hpp"
#include "simd/kernels/lanes/unrolled_pair.hpp"

namespace carom::kernel {
namespace {

template <class T, class B>
struct Taylor {
  using Order = SeriesOrder<T>;
  static constexpr int state = Order::state, work = Order::work;

  B x[state + 1], y[state + 1], r[state + 1], z[work + 1];
  B sum_x[state + 1], sum_y[state + 1], sum_r[work + 1], sum_zr[work + 1];  // integrals of x, y, r and z r

  /// About a slip of length r_0.
  [[gnu::always_inline]] void expand(const Rates<B>& k, B x_0, B y_0, B z_0, B r_0, B inverse_r) {
    const B zero(0);
    x[0] = x_0;
    y[0] = y_0;
    z[0] = z_0;
    r[0] = r_0;
    sum_x[0] = sum_y[0] = sum_r[0] = sum_zr[0] = zero;
    add_orders<at_once>(From1{}, k, inverse_r);
    add_orders<at_once>(From5{}, k, inverse_r);
    if constexpr (state > 12)
      for (int first = 9, last = inner_iterations(state + 1 - at_once); first <= last; first += at_once)
        add_orders<at_once>(first, k, inverse_r);
    if constexpr (state % at_once > 0) add_orders<state % at_once>(state - state % at_once + 1, k, inverse_r);
    multiply_and_integrate();
    CAROM_UNROLL
    for (int m = state + 1; m <= work; ++m) z[m] = sum_r[m] = zero;
  }

  /// How far the series has converged.
  B step() const {
    const auto max_of = [&](int m) {
      return larger(larger(magnitude(x[m]), magnitude(y[m])), larger(magnitude(r[m]), magnitude(z[m])));
    };
    // The solution is smooth on the scale of 4.
    return smaller(smaller(converged_step<state, T>(max_of(state), Order::log2_tolerance),
                           converged_step<state - 1, T>(max_of(state - 1), Order::log2_tolerance)),
                   B(4));
  }

 private:
  /// Four orders at a time, which share the loads of the earlier orders.
  static constexpr int at_once = 4;

  /// The first two beginnings, as types: fewer orders are known there than anywhere later.
  struct From1 {
    constexpr operator int() const { return 1; }
  };
  struct From5 {
    constexpr operator int() const { return 5; }
  };
  struct Inverses {
    T of[state + 1];
    constexpr Inverses() : of{} {
      for (int m = 1; m <= state; ++m) of[m] = T(1) / static_cast<T>(m);
    }
  };
  static constexpr Inverses inverses = {};

  /// The orders from `first` on.
  template <int count, class First>
  [[gnu::always_inline]] void add_orders(First first, const Rates<B>& k, B inverse_r) {
    const B half(T(0.5));
    B known[count];
    for (int i = 0; i < count; ++i) known[i] = B(0);
    add_known<count, false>(x, first, known);
    add_known<count, false>(y, first, known);
    add_known<count, true>(r, first, known);
    CAROM_UNROLL
    for (int i = 0; i < count; ++i) {
      const int m = first + i;
      const B inverse_m(inverses.of[m]);
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
      // The terms that have been known longest come first: the next order waits for the last ones.
      r[m] = mul_add(x[0], x[m], mul_add(y[0], y[m], sum)) * inverse_r;
    }
  }

  /// sum + a b or, with `minus`, sum - a b.
  template <bool minus>
  [[gnu::always_inline]] static B add_product(B a, B b, B sum) {
    return minus ? neg_mul_add(a, b, sum) : mul_add(a, b, sum);
  }

  /// Half of the terms of order first + i in a square that need only orders below `first`.
  template <int count, bool minus>
  [[gnu::always_inline]] static void add_known(const B (&v)[state + 1], int first, B (&sum)[count]) {
    const B half(T(0.5));
    CAROM_UNROLL
    for (int j = 1; j < at_once; ++j) {
      CAROM_UNROLL
      for (int i = 0; i < count && i < j; ++i) sum[i] = add_product<minus>(v[j], v[first + i - j], sum[i]);
    }
    int j = at_once;
    for (; 2 * j < first; ++j) {
      CAROM_UNROLL
      for (int i = 0; i < count; ++i) sum[i] = add_product<minus>(v[j], v[first + i - j], sum[i]);
    }
    sum[1] = add_product<minus>(half * v[j], v[j], sum[1]);
    if constexpr (count > 2) {
      sum[2] = add_product<minus>(v[j], v[first + 2 - j], sum[2]);
      sum[3] = add_product<minus>(v[j], v[first + 3 - j], sum[3]);
      sum[3] = add_product<minus>(half * v[j + 1], v[j + 1], sum[3]);
    }
  }
  template <int count, bool minus>
  [[gnu::always_inline]] static void add_known(const B (&)[state + 1], From1, B (&)[count]) {}
  template <int count, bool minus>
  [[gnu::always_inline]] static void add_known(const B (&v)[state + 1], From5, B (&sum)[count]) {
    const B half(T(0.5));
    sum[0] = add_product<minus>(v[2], v[3], add_product<minus>(v[1], v[4], sum[0]));
    sum[1] = add_product<minus>(half * v[3], v[3], add_product<minus>(v[2], v[4], sum[1]));
    sum[2] = add_product<minus>(v[3], v[4], sum[2]);
    sum[3] = add_product<minus>(half * v[4], v[4], sum[3]);
  }

  /// The integral of z r. Four terms at a time share their loads, and both halves of a vector share the code.
  [[gnu::always_inline]] void multiply_and_integrate() {
    using V = typename Parts<B>::Type;
    constexpr int count = Parts<B>::count;
    sum_zr[0] = B(0);
    for (std::size_t part = 0, parts = count > 1 ? static_cast<std::size_t>(inner_iterations(count)) : 1; part < parts;
         ++part) {
      CAROM_UNROLL
      for (int first = 1; first <= work; first += 4) {
        V sum[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
        CAROM_UNROLL
        for (int j = 0; j <= state; ++j) {
          CAROM_UNROLL
          for (int i = 0; i < 4; ++i) {
            const int k = first + i - 1 - j;
            if (first + i <= work && k >= 0 && k <= state)
              sum[i] = mul_add(part_of(z[j], part), part_of(r[k], part), sum[i]);
          }
        }
        CAROM_UNROLL
        for (int i = 0; i < 4; ++i)
          if (first + i <= work) part_of(sum_zr[first + i], part) = sum[i] * V(T(1) / static_cast<T>(first + i));
      }
    }
  }
};

}  // namespace
}  // namespace carom::kernel
