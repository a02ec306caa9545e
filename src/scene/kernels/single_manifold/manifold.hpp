// Single manifold: an island of one manifold, whose points only see its impulses. It is solved in impulse space. The
// block has the impulses, the velocities of the points, and W, the effect of each impulse on all velocities. A visit
// that sticks changes the velocities by W K⁻¹ v at once. Bodies are only read at the beginning and changed at the end.
//
// A block is one manifold with its points on the lanes of a vector, or one manifold per lane with a vector for every
// point. Both use the same code, so they have the same bits.
#pragma once

#include "scene/kernels/blocks/prepare_manifolds.hpp"
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

template <class V, std::size_t size>
struct alignas(64) SingleManifolds : ManifoldLanes<VectorElement<V>, size> {
  using T = VectorElement<V>;
  using Lane = T[VectorTraits<V>::width];
  static constexpr std::size_t vectors = ManifoldColumns<V, size>::vectors;

  const Constraint* manifold[size];
  std::size_t used = 0;                              // manifolds, from the first on
  std::uint32_t contact[points_of_manifold * size];  // after a manifold's last point: its contact again
  std::uint32_t last_contact;                        // the highest of them
  bool is_whole;  // manifolds have four points each, side by side in the caller's columns
  // Aligned so that no vector crosses a cache line.
  alignas(64) Lane r_a[vectors][3], r_b[vectors][3];
  Lane inverse_k33[vectors], k1[vectors], k2[vectors], reach[vectors];  // as Blocks::Response has them
  Lane inverse_k[vectors][6];                                           // K⁻¹; zeros where there is no contact
  Lane target[vectors];
  Lane impulse[vectors][3];
  Lane start[vectors][3];           // u without impulses, less the target
  Lane response[4][3][vectors][3];  // [point][component of its impulse] of u: W
  Lane stop[4][3][vectors][3];      // [point][component of its velocity] of u: W K⁻¹
  T approach[size];                 // as BlockHead::violation
};

/// All stages load and store the numbers by these.
template <class Vector, std::size_t size>
struct SingleManifoldBase : ManifoldColumns<Vector, size> {
  using Columns = ManifoldColumns<Vector, size>;
  using Columns::load, Columns::store, Columns::width;
  using typename Columns::Lane, typename Columns::T, typename Columns::V;
  using Block = SingleManifolds<V, size>;
  static constexpr int vectors = static_cast<int>(Columns::vectors);

  /// The vector and the lane of a point.
  static constexpr std::size_t vector_of(std::size_t p) { return vectors == 1 ? 0 : p; }
  static constexpr std::size_t lane_of(std::size_t p, std::size_t island) { return vectors == 1 ? p : island; }

  /// Numbers of the four points.
  struct Points {
    V of[vectors];
  };
  /// A number of point j, on all lanes to which that point contributes.
  template <int j>
  [[gnu::always_inline]] static V at(const Points& x) {
    if constexpr (vectors == 1)
      return broadcast<j>(x.of[0]);
    else
      return x.of[j];
  }
  template <int j>
  [[gnu::always_inline]] static V at(const Lane& lane) {
    if constexpr (vectors == 1)
      return V(lane[j]);
    else
      return load(lane);
  }
  template <int j>
  [[gnu::always_inline]] static V at(const Lane (&of)[vectors]) {
    return at<j>(of[vector_of(j)]);
  }
  template <int j>
  [[gnu::always_inline]] static Vector3<V> at(const Lane (&vectors_of)[vectors][3]) {
    const auto& of = vectors_of[vector_of(j)];
    return {at<j>(of[0]), at<j>(of[1]), at<j>(of[2])};
  }
  template <int j>
  [[gnu::always_inline]] static Symmetric3<V> at(const Lane (&matrices)[vectors][6]) {
    const auto& of = matrices[vector_of(j)];
    return {at<j>(of[0]), at<j>(of[1]), at<j>(of[2]), at<j>(of[3]), at<j>(of[4]), at<j>(of[5])};
  }

  /// Calls f(vector, lane, contact).
  template <class F>
  static void for_each_contact(const Block& block, F&& f) {
    for (std::size_t island = 0; island < block.used; ++island)
      for (std::size_t p = 0, count = block.items[island]; p < count; ++p)
        f(vector_of(p), lane_of(p, island), std::size_t{block.contact[p * size + island]});
  }
};

}  // namespace
}  // namespace carom::kernel
