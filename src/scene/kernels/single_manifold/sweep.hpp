// Sweep: single_manifold_cone_step of every point in turn, in impulse space.
#pragma once

#include "prepare.hpp"

namespace carom::kernel {
namespace {

template <class Vector, std::size_t size>
struct SingleManifoldSweep : SingleManifoldBase<Vector, size> {
  using Base = SingleManifoldBase<Vector, size>;
  using Base::load, Base::vectors;
  using typename Base::Block, typename Base::Lane, typename Base::Mask, typename Base::Points, typename Base::V;
  using Effect = Lane[3][Base::vectors][3];  // of a point on u

  Block& block;
  Points u[3];  // less the targets
  Vector3<V> impulse[4];
  V friction, static_friction2, mass;

  explicit SingleManifoldSweep(Block& of)
      : block(of), friction(load(of.friction)), mass(load(of.mass_a) + load(of.mass_b)) {
    const V s = load(of.static_friction);
    static_friction2 = s * s;
    for_four_points([&](auto p) __attribute__((always_inline)) {
      impulse[decltype(p)::value] = Base::template at<decltype(p)::value>(of.impulse);
    });
    find_velocities();
  }

  /// Computes the velocities from the impulses, which removes accumulated rounding errors.
  [[gnu::always_inline]] void find_velocities() {
    CAROM_UNROLL
    for (int c = 0; c < 3; ++c) CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) u[c].of[k] = load(block.start[k][c]);
    for_four_points([&](auto p) __attribute__((always_inline)) {
      constexpr int j = decltype(p)::value;
      push(block.response[j], impulse[j]);
    });
  }
  [[gnu::always_inline]] void push(const Effect& by, const Vector3<V>& v) {
    CAROM_UNROLL
    for (int c = 0; c < 3; ++c) CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) u[c].of[k] = pushed(by, c, k, v);
  }
  [[gnu::always_inline]] V pushed(const Effect& by, int c, int k, const Vector3<V>& v) const {
    return mul_add(load(by[2][k][c]), v.z,
                   mul_add(load(by[1][k][c]), v.y, mul_add(load(by[0][k][c]), v.x, u[c].of[k])));
  }
  /// Removes the part of u that stops a point with the velocity v.
  [[gnu::always_inline]] void stop(const Effect& by, const Vector3<V>& v) {
    CAROM_UNROLL
    for (int c = 0; c < 3; ++c) CAROM_UNROLL
    for (int k = 0; k < vectors; ++k) u[c].of[k] = stopped(by, c, k, v);
  }
  [[gnu::always_inline]] V stopped(const Effect& by, int c, int k, const Vector3<V>& v) const {
    return neg_mul_add(load(by[2][k][c]), v.z,
                       neg_mul_add(load(by[1][k][c]), v.y, neg_mul_add(load(by[0][k][c]), v.x, u[c].of[k])));
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
    const auto at = [](const auto& of) __attribute__((always_inline)) {
      return Base::template at<j>(of);
    };
    const Vector3<V> v = {at(u[0]), at(u[1]), at(u[2])};
    const V inverse_k33 = at(block.inverse_k33);
    if constexpr (measures) {
      // Lanes without a point have the velocity of another point.
      const V zero(0);
      const Mask used = inverse_k33 > zero;
      worst = larger(choose(used, negated(v.z), zero), worst);
      range = range + choose(used, vanishing(v.z), zero);
    }
    const auto on_stop = [&](const Vector3<V>& next) __attribute__((always_inline)) {
      stop(block.stop[j], v);
      set<j, measures>(next, worst, range);
    };
    const auto on_push = [&](const Vector3<V>& next, const Vector3<V>& change, Mask stops)
        __attribute__((always_inline)) {
      if constexpr (size == 1) {
        push(block.response[j], change);
      } else {
        // Each island has the bits that it has alone.
        CAROM_UNROLL
        for (int c = 0; c < 3; ++c) CAROM_UNROLL
        for (int i = 0; i < vectors; ++i)
          u[c].of[i] = choose(stops, stopped(block.stop[j], c, i, v), pushed(block.response[j], c, i, change));
      }
      set<j, measures>(next, worst, range);
    };
    const auto reach = [&]() __attribute__((always_inline)) {
      return at(block.reach);
    };
    single_manifold_cone_step(at(block.inverse_k), inverse_k33, at(block.k1), at(block.k2), reach, friction,
                              static_friction2, v, impulse[j], on_stop, on_push);
  }

  template <int j, bool measures>
  [[gnu::always_inline]] void set(const Vector3<V>& next, V& worst, V& range) {
    if constexpr (measures) {
      const Vector3<V> change = next - impulse[j];
      const V size2 = dot(change, change);
      worst = larger(mass * square_root(size2), worst);
      range = range + vanishing(size2);
    }
    impulse[j].x = next.x;
    impulse[j].y = next.y;
    impulse[j].z = next.z;
  }
};

}  // namespace
}  // namespace carom::kernel
