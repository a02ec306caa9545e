// Sweep: the simultaneous step of every point in turn, as PgsSweep has it, in impulse space.
#pragma once

#include "prepare.hpp"
#include "scene/kernels/blocks/sweep.hpp"

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
    for (int k = 0; k < vectors; ++k)
      u[c].of[k] = mul_add(Base::load(by[2][c], k), z,
                           mul_add(Base::load(by[1][c], k), y, mul_add(Base::load(by[0][c], k), x, u[c].of[k])));
  }
  /// u without the part of it that stops a point with the velocity v.
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
  /// Same, and returns the maximum violation: of the targets, and by the velocities that the changes of impulses cause.
  [[gnu::always_inline]] V visit_and_measure() {
    V worst(0), range(0);
    for_four_points([&](auto p)
                        __attribute__((always_inline)) { visit_point<decltype(p)::value, true>(worst, range); });
    return choose(range == V(0), worst, V(static_cast<T>(__builtin_inf())));
  }

  template <int j, bool measures>
  [[gnu::always_inline]] void visit_point(V& worst, V& range) {
    const V zero(0);
    const V v1 = L::template at<j>(u[0]), v2 = L::template at<j>(u[1]), v3 = L::template at<j>(u[2]);
    const V p1 = impulse[j][0], p2 = impulse[j][1], p3 = impulse[j][2];
    const V k1 = number<j>(block.k1), k2 = number<j>(block.k2), inverse_k33 = number<j>(block.inverse_k33);
    const V i12 = number<j>(block.inverse_k[1]), i13 = number<j>(block.inverse_k[2]),
            i23 = number<j>(block.inverse_k[4]);
    const V s1 = neg_mul_add(i13, v3, neg_mul_add(i12, v2, neg_mul_add(number<j>(block.inverse_k[0]), v1, p1)));
    const V s2 = neg_mul_add(i23, v3, neg_mul_add(number<j>(block.inverse_k[3]), v2, neg_mul_add(i12, v1, p2)));
    const V s3 = neg_mul_add(number<j>(block.inverse_k[5]), v3, neg_mul_add(i23, v2, neg_mul_add(i13, v1, p3)));
    // The normal impulse without friction: none is needed of a contact that separates without its own impulse.
    const V needed = mul_add(k1, p1, mul_add(k2, p2, neg_mul_add(v3, inverse_k33, p3)));
    const V stick2 = mul_add(s1, s1, s2 * s2);
    const V bound2 = static_friction2 * (s3 * s3);
    const Mask pushes = needed > zero, is_bounded = bound2 > V(min_square<T>);
    Mask sticks = s3 >= zero && stick2 <= bound2;
    if (lane_bits(and_not(pushes, is_bounded)) != 0) [[unlikely]]
      sticks = and_not(sticks, and_not(is_something(s1, s2), is_bounded));
    const Mask stays = pushes && sticks;
    if constexpr (measures) {
      // Lanes without a point do not contribute.
      const Mask used = inverse_k33 > zero;
      worst = larger(choose(used, negated(v3), zero), worst);
      range = range + choose(used, vanishing(v3), zero);
    }
    if (lane_bits(stays) == all_lanes) [[likely]] {
      stop(block.stop[j], v1, v2, v3);
      set<j, measures>(s1, s2, s3, worst, range);
      return;
    }
    V n1 = choose(pushes, s1, zero), n2 = choose(pushes, s2, zero), n3 = choose(pushes, s3, zero);
    V c1 = n1 - p1, c2 = n2 - p2, c3 = n3 - p3;
    if (lane_bits(and_not(pushes, sticks)) != 0) {
      const Mask slips = and_not(pushes, sticks);
      const Slip slip = slip_of({v1, v2, v3}, {p1, p2, p3}, {s1, s2, stick2}, needed, k1, k2, number<j>(block.reach));
      n1 = choose(slips, slip.direction.x * slip.share, n1);
      n2 = choose(slips, slip.direction.y * slip.share, n2);
      n3 = choose(slips, slip.direction.z * slip.share, n3);
      c1 = choose(slips, mul_sub(slip.direction.x, slip.share, p1), c1);
      c2 = choose(slips, mul_sub(slip.direction.y, slip.share, p2), c2);
      c3 = choose(slips, mul_sub(slip.direction.z, slip.share, p3), c3);
    }
    if constexpr (islands == 1) {
      push(block.response[j], c1, c2, c3);
    } else {
      // Each island has the same bits as if solved separately.
      const auto& by = block.response[j];
      CAROM_UNROLL
      for (int c = 0; c < 3; ++c) CAROM_UNROLL
      for (int k = 0; k < vectors; ++k) {
        const V pushed =
            mul_add(Base::load(by[2][c], k), c3,
                    mul_add(Base::load(by[1][c], k), c2, mul_add(Base::load(by[0][c], k), c1, u[c].of[k])));
        u[c].of[k] = choose(stays, stopped(block.stop[j], c, k, v1, v2, v3), pushed);
      }
    }
    set<j, measures>(n1, n2, n3, worst, range);
  }
  static constexpr unsigned all_lanes = (1u << VectorTraits<V>::width) - 1;

  template <int j, bool measures>
  [[gnu::always_inline]] void set(V n1, V n2, V n3, V& worst, V& range) {
    if constexpr (measures) {
      const V c1 = n1 - impulse[j][0], c2 = n2 - impulse[j][1], c3 = n3 - impulse[j][2];
      const V size2 = mul_add(c1, c1, mul_add(c2, c2, c3 * c3));
      worst = larger(mass * square_root(size2), worst);
      range = range + vanishing(size2);
    }
    impulse[j][0] = n1;
    impulse[j][1] = n2;
    impulse[j][2] = n3;
  }

  /// An impulse on the cone: share times direction.
  struct Slip {
    Vector3<V> direction;
    V share;
  };
  /// The impulse against the slip, with one root and one division in a row. For the direction see PgsSweep;
  /// `stick` has the tangential impulse that stops the point, and its square.
  [[gnu::always_inline]] Slip slip_of(const Vector3<V>& v, const Vector3<V>& p, const Vector3<V>& stick, V needed, V k1,
                                      V k2, V reach) const {
    const V zero(0), quarter(T(0.25));
    V e1 = neg_mul_add(reach, neg_mul_add(k1, v.z, v.x), p.x), e2 = neg_mul_add(reach, neg_mul_add(k2, v.z, v.y), p.y);
    V size2 = mul_add(e1, e1, e2 * e2);
    const V bound = friction * choose(p.z > zero, p.z, needed);
    const Mask is_inside = size2 < larger(bound * bound, V(min_square<T>));
    if (lane_bits(is_inside) != 0) [[unlikely]] {
      const Mask inside = size2 < bound * bound;
      e1 = choose(inside, stick.x, e1);
      e2 = choose(inside, stick.y, e2);
      size2 = larger(choose(inside, stick.z, size2), V(min_square<T>));
    }
    const V f1 = friction * e1, f2 = friction * e2, size = square_root(size2);
    // On the ray (t1, t2, 1), (f1, f2) = size t, p_n moves u·n by K_33 (1 + κ·t) of its change.
    const V ray = size + mul_add(k1, f1, k2 * f2);
    Slip slip = {{f1, f2, size}, needed / ray};
    const Mask is_steep = ray < quarter * size;
    if (lane_bits(is_steep) != 0) [[unlikely]] {
      const V part = ray / size, divisor = larger(magnitude(part), quarter);
      slip.share = choose(is_steep, larger(mul_add(p.z, divisor - part, needed) / divisor, zero) / size, slip.share);
    }
    return slip;
  }
};

}  // namespace
}  // namespace carom::kernel
