// Layouts of single manifolds: one manifold with its points in the lanes of a vector, or one manifold per lane with a
// vector for every point. Both use the same code, so they have the same bits.
#pragma once

#include "scene/kernels/blocks/block.hpp"
#include "simd/kernels/lanes/vec4.hpp"

namespace carom::kernel {
namespace {

/// The number of a point, for the compiler.
template <int j>
struct PointNumber {
  static constexpr int value = j;
};
/// Calls f(PointNumber) for the points of a manifold in their order.
template <class F>
[[gnu::always_inline]] inline void for_four_points(F&& f) {
  f(PointNumber<0>{});
  f(PointNumber<1>{});
  f(PointNumber<2>{});
  f(PointNumber<3>{});
}

/// Numbers of the four points: `count` vectors.
template <class V, int count>
struct FourPoints {
  V of[count];
};

#ifdef CAROM_HAS_VEC4
template <class Number>
struct PointsOnLanes {
  using T = Number;
  using V = Vec4<T>;
  static constexpr int vectors = 1;          // of four points
  static constexpr std::size_t islands = 1;  // side by side
  using Points = FourPoints<V, vectors>;

  /// A number of point j, on all lanes to which that point contributes.
  template <int j>
  [[gnu::always_inline]] static V at(const Points& x) {
    return broadcast<j>(x.of[0]);
  }
  [[gnu::always_inline]] static V shared(const T* from) { return V(*from); }
  /// Stores a number of point j, in the form that `at` returns.
  [[gnu::always_inline]] static void store_at(T* to, int j, V x) { to[j] = x.v[0]; }
  /// Lanes of vector k that hold one of `count` points.
  [[gnu::always_inline]] static auto in_use(V count, int) {
    static constexpr T number[4] = {0, 1, 2, 3};
    return count > load_lanes<V>(number);
  }
  template <std::size_t columns>
  [[gnu::always_inline]] static void load_rows(const T* const* row, V* lanes) {
    for (std::size_t c = 0; c < columns; ++c) lanes[c] = V(row[0][c]);
  }
};
#endif

template <class A, class Number>
struct ManifoldsOnLanes {
  using T = Number;
  using V = typename LaneTypes<A, T>::Batch;
  static constexpr int vectors = 4;
  static constexpr std::size_t islands = LaneTypes<A, T>::width;
  using Points = FourPoints<V, vectors>;

  template <int j>
  [[gnu::always_inline]] static V at(const Points& x) {
    return x.of[j];
  }
  [[gnu::always_inline]] static V shared(const T* from) { return load_lanes<V>(from); }
  [[gnu::always_inline]] static void store_at(T* to, int j, V x) {
    store_lanes(to + static_cast<std::size_t>(j) * islands, x);
  }
  [[gnu::always_inline]] static auto in_use(V count, int k) { return count > V(static_cast<T>(k)); }
  template <std::size_t columns>
  static void load_rows(const T* const* row, V* lanes) {
    V all[row_size];
    kernel::load_rows<V, columns>(row, all);
    for (std::size_t c = 0; c < columns; ++c) lanes[c] = all[c];
  }
};

/// The layout for one island at a time.
#ifdef CAROM_HAS_VEC4
template <class A, class T>
struct SingleManifoldLayout {
  using Type = PointsOnLanes<T>;
};
template <class T>
struct SingleManifoldLayout<Scalar, T> {
  using Type = ManifoldsOnLanes<Scalar, T>;
};
#else
template <class, class T>
struct SingleManifoldLayout {
  using Type = ManifoldsOnLanes<Scalar, T>;
};
#endif

}  // namespace
}  // namespace carom::kernel
