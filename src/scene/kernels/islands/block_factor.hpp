// Factors and solutions of a BlockMatrix. With D the block on the diagonal when its column is eliminated, and B the
// blocks below it:
//
//   D = L P Lᵀ, L unit lower triangular     V = B L⁻ᵀ     U = V P⁻¹     T -= U Vᵀ     W = U L⁻¹ = B D⁻¹
//
// Weights of an interior point differ by ten powers of ten. An inverse of D would lose the masses between two stiff
// blocks, and the velocities along stiff directions among soft ones, so D⁻¹ is substitution with L and P everywhere.
// With W a body waits for one product of its neighbour: y_r -= W y_c forwards, z = D⁻¹ y of all bodies, and
// x_c = z_c - Σ Wᵀ x_r backwards.
#pragma once

#include "core/jobs/block_matrix.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class A>
struct BlockFactoring {
  using B = typename LaneTypes<A, double>::Batch;
  static constexpr std::size_t width = LaneTypes<A, double>::width;
  /// Vectors of a column. Padding that would fill a vector is not computed.
  static constexpr std::size_t parts = (6 + width - 1) / width;

  /// Lower limit of a pivot, relative to its diagonal element.
  static constexpr double min_pivot = 1e-15;

  struct Column {
    B part[parts];
  };
  [[gnu::always_inline]] static Column load(const double* from) {
    Column c;
    for (std::size_t i = 0; i < parts; ++i) c.part[i] = load_lanes<B>(from + i * width);
    return c;
  }
  [[gnu::always_inline]] static void store(double* to, const Column& c) {
    for (std::size_t i = 0; i < parts; ++i) store_lanes(to + i * width, c.part[i]);
  }
  /// y -= x s
  [[gnu::always_inline]] static void subtract(Column& y, const Column& x, double s) {
    for (std::size_t i = 0; i < parts; ++i) y.part[i] = neg_mul_add(x.part[i], B(s), y.part[i]);
  }
  /// y += x s
  [[gnu::always_inline]] static void add(Column& y, const Column& x, double s) {
    for (std::size_t i = 0; i < parts; ++i) y.part[i] = mul_add(x.part[i], B(s), y.part[i]);
  }
  [[gnu::always_inline]] static Column scaled(const Column& x, double s) {
    Column y;
    for (std::size_t i = 0; i < parts; ++i) y.part[i] = x.part[i] * B(s);
    return y;
  }

  /// Replaces D by L below the diagonal and the inverses of P on it. Pivots that rounding has made too small are
  /// raised.
  static bool find_root(BodyBlock& d) {
    double pivots[6];
    for (std::size_t j = 0; j < 6; ++j) {
      const double whole = d.column[j][j];
      double scaled_row[6];
      for (std::size_t k = 0; k < j; ++k) scaled_row[k] = d.column[k][j] * pivots[k];
      double pivot = whole;
      for (std::size_t k = 0; k < j; ++k) pivot = neg_mul_add(scaled_row[k], d.column[k][j], pivot);
      pivot = larger(pivot, min_pivot * whole);
      if (!(pivot > 0) || !(pivot < 1e300)) return false;
      pivots[j] = pivot;
      const double inverse = 1 / pivot;
      for (std::size_t i = j + 1; i < 6; ++i) {
        double sum = d.column[j][i];
        for (std::size_t k = 0; k < j; ++k) sum = neg_mul_add(d.column[k][i], scaled_row[k], sum);
        d.column[j][i] = sum * inverse;
      }
      d.column[j][j] = inverse;
    }
    return true;
  }

  /// Computes V, U and W of B.
  [[gnu::always_inline]] static void divide(const BodyBlock& b, const BodyBlock& root, BodyBlock& v, BodyBlock& u,
                                            BodyBlock& w) {
    Column c[6];
    for (std::size_t j = 0; j < 6; ++j) {
      c[j] = load(b.column[j]);
      for (std::size_t k = 0; k < j; ++k) subtract(c[j], c[k], root.column[k][j]);
      store(v.column[j], c[j]);
    }
    for (std::size_t j = 0; j < 6; ++j) {
      c[j] = scaled(c[j], root.column[j][j]);
      store(u.column[j], c[j]);
    }
    for (std::size_t j = 6; j-- > 0;) {
      for (std::size_t i = j + 1; i < 6; ++i) subtract(c[j], c[i], root.column[j][i]);
      store(w.column[j], c[j]);
    }
  }

  /// T -= U Vᵀ
  [[gnu::always_inline]] static void update(BodyBlock& t, const BodyBlock& u, const BodyBlock& v) {
    Column c[6];
    for (std::size_t k = 0; k < 6; ++k) c[k] = load(u.column[k]);
    CAROM_UNROLL
    for (std::size_t j = 0; j < 6; ++j) {
      Column sum = load(t.column[j]);
      CAROM_UNROLL
      for (std::size_t k = 0; k < 6; ++k) subtract(sum, c[k], v.column[k][j]);
      store(t.column[j], sum);
    }
  }

  static bool factor(const BlockMatrix& matrix, std::size_t first_column, std::size_t end_column) {
    std::size_t c = first_column;
    for (; c < end_column && find_root(matrix.diagonal[c]); ++c) {
      const std::uint32_t first = matrix.column_start[c], end = matrix.column_start[c + 1];
      for (std::uint32_t k = first; k < end; ++k)
        divide(matrix.lower[k], matrix.diagonal[c], matrix.left[k - first], matrix.right[k - first], matrix.lower[k]);
      for (std::uint32_t i = matrix.update_start[c]; i < matrix.update_start[c + 1]; ++i) {
        const BlockUpdate& of = matrix.updates[i];
        const std::uint32_t row = ~of.target;
        BodyBlock& target = row < matrix.bodies ? matrix.diagonal[row] : matrix.lower[of.target];
        update(target, matrix.right[of.a], matrix.left[of.b]);
      }
    }
    leave_lanes<A>();
    return c == end_column;
  }

  /// y = D⁻¹ y
  [[gnu::always_inline]] static void divide(const BodyBlock& root, double* y) {
    CAROM_UNROLL
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t i = j + 1; i < 6; ++i) y[i] = neg_mul_add(root.column[j][i], y[j], y[i]);
    for (std::size_t j = 0; j < 6; ++j) y[j] = y[j] * root.column[j][j];
    for (std::size_t j = 6; j-- > 0;)
      for (std::size_t i = 0; i < j; ++i) y[i] = neg_mul_add(root.column[i][j], y[j], y[i]);
  }

  /// A y, in two sums.
  [[gnu::always_inline]] static Column product(const BodyBlock& a, const double* y) {
    Column low = scaled(load(a.column[0]), y[0]), high = scaled(load(a.column[3]), y[3]);
    for (std::size_t k = 1; k < 3; ++k) {
      add(low, load(a.column[k]), y[k]);
      add(high, load(a.column[3 + k]), y[3 + k]);
    }
    for (std::size_t i = 0; i < parts; ++i) low.part[i] = low.part[i] + high.part[i];
    return low;
  }

  static void solve(const BlockMatrix& factors, BodyRow* x) {
    const std::size_t n = factors.bodies;
    for (std::size_t c = 0; c < n; ++c)
      for (std::uint32_t k = factors.column_start[c]; k < factors.column_start[c + 1]; ++k) {
        double* const to = x[factors.row[k]].at;
        const Column change = product(factors.lower[k], x[c].at);
        Column y = load(to);
        for (std::size_t i = 0; i < parts; ++i) y.part[i] = y.part[i] - change.part[i];
        store(to, y);
      }
    for (std::size_t c = 0; c < n; ++c) divide(factors.diagonal[c], x[c].at);
    for (std::size_t c = n; c-- > 0;) {
      const std::uint32_t first = factors.column_start[c], end = factors.column_start[c + 1];
      if (first == end) continue;
      Column sum[6];
      for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t i = 0; i < parts; ++i) sum[j].part[i] = B(0);
      for (std::uint32_t k = first; k < end; ++k) {
        const Column y = load(x[factors.row[k]].at);
        for (std::size_t j = 0; j < 6; ++j) {
          const Column w = load(factors.lower[k].column[j]);
          for (std::size_t i = 0; i < parts; ++i) sum[j].part[i] = mul_add(w.part[i], y.part[i], sum[j].part[i]);
        }
      }
      for (std::size_t j = 0; j < 6; ++j) {
        alignas(64) double s[8];
        store(s, sum[j]);
        x[c].at[j] = x[c].at[j] - (((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]));
      }
    }
    leave_lanes<A>();
  }
};

template <class A>
constexpr BlockKernels block_kernels_for(const ConeKernels& cones) {
  return {&BlockFactoring<A>::factor, &BlockFactoring<A>::solve, &cones};
}

}  // namespace
}  // namespace carom::kernel
