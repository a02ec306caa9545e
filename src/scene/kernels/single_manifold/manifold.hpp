// Single manifold: an island of one manifold, whose points only see its impulses. It is solved in impulse space. The
// block has the impulses, the velocities of the points, and W, the effect of each impulse on all velocities. A visit
// that sticks changes the velocities by W K⁻¹ v at once. Bodies are only read at the beginning and changed at the end.
#pragma once

#include "layout.hpp"
#include "scene/kernels/blocks/prepare_manifolds.hpp"

namespace carom::kernel {
namespace {

template <class L>
struct SingleManifolds {
  using T = typename L::T;
  using V = typename L::V;
  static constexpr std::size_t islands = L::islands;
  using OfIsland = T[islands];
  using OfPoints = T[points_of_manifold * islands];

  const Constraint* manifold[islands];
  std::size_t used = 0;                                 // islands, from the first on
  std::uint32_t contact[points_of_manifold * islands];  // after a manifold's last point: its contact again
  std::uint32_t last_contact;                           // the highest of them
  bool is_whole;                        // manifolds have four points each, side by side in the caller's columns
  std::int32_t a[islands], b[islands];  // velocity rows; ~row of a body that does not move
  // Aligned so that no vector crosses a cache line.
  alignas(64) OfIsland t1[3], t2[3], n[3];
  OfIsland bias[3];
  OfIsland friction, static_friction;
  OfIsland mass_a, mass_b;  // inverse
  OfIsland inertia_a[6], inertia_b[6];
  alignas(64) OfPoints r_a[3], r_b[3];
  OfPoints inverse_k33, k1, k2, reach;  // as Blocks::Response has them
  OfPoints inverse_k[6];                // 11, 12, 13, 22, 23, 33; zeros where there is no contact
  OfPoints target;
  OfPoints impulse[3];
  OfPoints start[3];           // u without impulses, less the target
  OfPoints response[4][3][3];  // [point][component of its impulse][component of u]: W
  OfPoints stop[4][3][3];      // [point][component of its velocity][component of u]: W K⁻¹
  OfIsland approach;           // as BlockHead::violation
};

/// All stages load and store the numbers by these.
template <class L>
struct SingleManifoldBase {
  using T = typename L::T;
  using V = typename L::V;
  using Points = typename L::Points;
  using Block = SingleManifolds<L>;
  static constexpr std::size_t islands = L::islands, width = VectorTraits<V>::width;
  static constexpr int vectors = L::vectors;

  static Vector3<V> shared(const T (&from)[3][islands]) {
    return {L::shared(from[0]), L::shared(from[1]), L::shared(from[2])};
  }
  static Symmetric3<V> shared(const T (&from)[6][islands]) {
    return {L::shared(from[0]), L::shared(from[1]), L::shared(from[2]),
            L::shared(from[3]), L::shared(from[4]), L::shared(from[5])};
  }
  static V load(const T (&from)[4 * islands], int k) {
    return load_lanes<V>(from + static_cast<std::size_t>(k) * width);
  }
  static Vector3<V> load(const T (&from)[3][4 * islands], int k) {
    return {load(from[0], k), load(from[1], k), load(from[2], k)};
  }
  static Points points(const T (&from)[4 * islands]) {
    Points x;
    CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) x.of[k] = load(from, k);
    return x;
  }
  static void store(T (&to)[4 * islands], int k, V x) { store_lanes(to + static_cast<std::size_t>(k) * width, x); }
  static void store(T (&to)[3][4 * islands], int k, const Vector3<V>& v) {
    store(to[0], k, v.x);
    store(to[1], k, v.y);
    store(to[2], k, v.z);
  }
  static void store(T (&to)[4 * islands], const Points& x) {
    CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) store(to, k, x.of[k]);
  }
  /// A number that all points of a manifold share.
  static void store_shared(T (&to)[islands], V x) {
    if constexpr (islands == 1) {
      T lanes[width];
      store_lanes(lanes, x);
      to[0] = lanes[0];
    } else {
      store_lanes(to, x);
    }
  }
  static void store_shared(T (&to)[3][islands], const Vector3<V>& v) {
    store_shared(to[0], v.x);
    store_shared(to[1], v.y);
    store_shared(to[2], v.z);
  }
  static void store_shared(T (&to)[6][islands], const Symmetric3<V>& m) {
    store_shared(to[0], m.xx);
    store_shared(to[1], m.xy);
    store_shared(to[2], m.xz);
    store_shared(to[3], m.yy);
    store_shared(to[4], m.yz);
    store_shared(to[5], m.zz);
  }
  static Frame<V> frame_of(const Block& block) { return {shared(block.t1), shared(block.t2), shared(block.n)}; }

  /// Calls f(place in OfPoints, contact).
  template <class F>
  static void for_each_contact(const Block& block, F&& f) {
    for (std::size_t island = 0; island < block.used; ++island)
      for (std::size_t p = 0, count = block.manifold[island]->count; p < count; ++p)
        f(p * islands + island, std::size_t{block.contact[p * islands + island]});
  }

  static Motion<V> motion_of(const Frame<V>& frame, const Vector3<V>& va, const Vector3<V>& wa, const Vector3<V>& vb,
                             const Vector3<V>& wb) {
    return {into(frame, va - vb), into(frame, wa), into(frame, wb)};
  }
  struct Velocities {
    Vector3<V> va, wa, vb, wb;
  };
  static Velocities gather(const VelocityRow<T>* rows, const Block& block) {
    V a[row_size], b[row_size];
    const auto side = [&](const std::int32_t(&index)[islands], V* to) {
      const T* row[islands];
      for (std::size_t i = 0; i < islands; ++i) row[i] = rows[index[i] ^ (index[i] >> 31)].numbers;
      L::template load_rows<islands == 1 ? 6 : 8>(row, to);
    };
    side(block.a, a);
    side(block.b, b);
    return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
  }
  static Motion<V> motion(const Block& block, const Frame<V>& frame, const Velocities& v) {
    const Motion<V> sum = motion_of(frame, v.va, v.wa, v.vb, v.wb);
    return {sum.relative + shared(block.bias), sum.wa, sum.wb};
  }
};

}  // namespace
}  // namespace carom::kernel
