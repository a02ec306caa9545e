// Sweep: single_manifold_cone_step of every point in turn, in impulse space.
#pragma once

#include "prepare.hpp"

namespace carom::kernel {
namespace {

template <class L>
struct SingleManifoldSweep : SingleManifoldBase<L> {
  using Base = SingleManifoldBase<L>;
  using Base::islands;
  using Base::vectors;
  using typename Base::Block;
  using typename Base::Points;
  using typename Base::T;
  using typename Base::V;
  using Mask = decltype(V() > V());

  Block& block;
  Points u[3];  // less the targets
  V impulse[4][3];
  V friction, static_friction2, mass;

  explicit SingleManifoldSweep(Block& of)
      : block(of), friction(L::shared(of.friction)), mass(L::shared(of.mass_a) + L::shared(of.mass_b)) {
    const V s = L::shared(of.static_friction);
    static_friction2 = s * s;
    for (int c = 0; c < 3; ++c) {
      const Points all = Base::points(of.impulse[c]);
      for_four_points([&](auto p) __attribute__((always_inline)) {
        impulse[decltype(p)::value][c] = L::template at<decltype(p)::value>(all);
      });
    }
    find_velocities();
  }

  /// Computes the velocities from the impulses, which removes accumulated rounding errors.
  [[gnu::always_inline]] void find_velocities() {
    for (int c = 0; c < 3; ++c) u[c] = Base::points(block.start[c]);
    for_four_points([&](auto p) __attribute__((always_inline)) {
      constexpr int j = decltype(p)::value;
      push(block.response[j], impulse[j][0], impulse[j][1], impulse[j][2]);
    });
  }
  [[gnu::always_inline]] void push(const T (&by)[3][3][4 * islands], V x, V y, V z) {
    CAROM_UNROLL
    for (int c = 0; c < 3; ++c) CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) u[c].of[k] = pushed(by, c, k, x, y, z);
  }
  [[gnu::always_inline]] V pushed(const T (&by)[3][3][4 * islands], int c, int k, V x, V y, V z) const {
    return mul_add(Base::load(by[2][c], k), z,
                   mul_add(Base::load(by[1][c], k), y, mul_add(Base::load(by[0][c], k), x, u[c].of[k])));
  }
  /// Removes the part of u that stops a point with the velocity v.
  [[gnu::always_inline]] void stop(const T (&by)[3][3][4 * islands], V x, V y, V z) {
    CAROM_UNROLL
    for (int c = 0; c < 3; ++c) CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) u[c].of[k] = stopped(by, c, k, x, y, z);
  }
  [[gnu::always_inline]] V stopped(const T (&by)[3][3][4 * islands], int c, int k, V x, V y, V z) const {
    return neg_mul_add(Base::load(by[2][c], k), z,
                       neg_mul_add(Base::load(by[1][c], k), y, neg_mul_add(Base::load(by[0][c], k), x, u[c].of[k])));
  }

  template <int j>
  [[gnu::always_inline]] V number(const T (&of)[4 * islands]) const {
    if constexpr (islands == 1)
      return L::shared(&of[j]);
    else
      return Base::load(of, j);
  }

  /// Visits all points once.
  [[gnu::always_inline]] void visit() {
    V worst(0), range(0);
    for_four_points([&](auto p)
                        __attribute__((always_inline)) { visit_point<decltype(p)::value, false>(worst, range); });
  }
  /// Visits all points once. Returns the max residual: the missed normal targets, and the velocities that the impulse
  /// changes cause.
  [[gnu::always_inline]] V visit_and_measure() {
    V worst(0), range(0);
    for_four_points([&](auto p)
                        __attribute__((always_inline)) { visit_point<decltype(p)::value, true>(worst, range); });
    return within_range(worst, range);
  }

  template <int j, bool measures>
  [[gnu::always_inline]] void visit_point(V& worst, V& range) {
    const Vector3<V> v = {L::template at<j>(u[0]), L::template at<j>(u[1]), L::template at<j>(u[2])};
    const Vector3<V> p = {impulse[j][0], impulse[j][1], impulse[j][2]};
    const V k1 = number<j>(block.k1), k2 = number<j>(block.k2), inverse_k33 = number<j>(block.inverse_k33);
    const auto& k = block.inverse_k;
    const Symmetric3<V> inverse = {number<j>(k[0]), number<j>(k[1]), number<j>(k[2]),
                                   number<j>(k[3]), number<j>(k[4]), number<j>(k[5])};
    if constexpr (measures) {
      // Lanes without a point have the velocity of another point.
      const V zero(0);
      const Mask used = inverse_k33 > zero;
      worst = larger(choose(used, negated(v.z), zero), worst);
      range = range + choose(used, vanishing(v.z), zero);
    }
    const auto on_stop = [&](const Vector3<V>& next) __attribute__((always_inline)) {
      stop(block.stop[j], v.x, v.y, v.z);
      set<j, measures>(next, worst, range);
    };
    const auto on_push = [&](const Vector3<V>& next, const Vector3<V>& change, Mask stops)
        __attribute__((always_inline)) {
      if constexpr (islands == 1) {
        push(block.response[j], change.x, change.y, change.z);
      } else {
        // Each island has the bits that it has alone.
        CAROM_UNROLL
        for (int c = 0; c < 3; ++c) CAROM_UNROLL
        for (int i = 0; i < vectors; ++i)
          u[c].of[i] = choose(stops, stopped(block.stop[j], c, i, v.x, v.y, v.z),
                              pushed(block.response[j], c, i, change.x, change.y, change.z));
      }
      set<j, measures>(next, worst, range);
    };
    const auto reach = [&]() __attribute__((always_inline)) {
      return number<j>(block.reach);
    };
    single_manifold_cone_step(inverse, inverse_k33, k1, k2, reach, friction, static_friction2, v, p, on_stop, on_push);
  }

  template <int j, bool measures>
  [[gnu::always_inline]] void set(const Vector3<V>& next, V& worst, V& range) {
    if constexpr (measures) {
      const V c1 = next.x - impulse[j][0], c2 = next.y - impulse[j][1], c3 = next.z - impulse[j][2];
      const V size2 = mul_add(c1, c1, mul_add(c2, c2, c3 * c3));
      worst = larger(mass * square_root(size2), worst);
      range = range + vanishing(size2);
    }
    impulse[j][0] = next.x;
    impulse[j][1] = next.y;
    impulse[j][2] = next.z;
  }
};

}  // namespace
}  // namespace carom::kernel
