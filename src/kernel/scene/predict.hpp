// Where contact points will be after a step: [BS] 3.2, equation 7 and what follows it.
#pragma once

#include "block.hpp"

namespace carom::kernel {
namespace {

/// Relative velocities of both bodies of a manifold, in its frame: u = relative + wa x ra - wb x rb.
template <class B>
struct Motion {
  Vector3<B> relative, wa, wb;
};

template <class B>
[[gnu::always_inline]] inline Vector3<B> velocity_at(const Motion<B>& motion, const Vector3<B>& ra,
                                                     const Vector3<B>& rb) {
  const auto component =
      [](B relative, B way, B raz, B waz, B ray, B wby, B rbz, B wbz, B rby) __attribute__((always_inline)) {
    return neg_mul_add(waz, ray, mul_add(way, raz, relative)) - mul_sub(wby, rbz, wbz * rby);
  };
  const Vector3<B>&a = motion.wa, &b = motion.wb;
  return {component(motion.relative.x, a.y, ra.z, a.z, ra.y, b.y, rb.z, b.z, rb.y),
          component(motion.relative.y, a.z, ra.x, a.x, ra.z, b.z, rb.x, b.x, rb.z),
          component(motion.relative.z, a.x, ra.y, a.y, ra.x, b.x, rb.y, b.y, rb.x)};
}

/// The mean velocity of a vector r that turns with w for h: what the fourth-order Runge–Kutta method makes of r' = w x
/// r, which is h's polynomial below.
template <class B>
inline Vector3<B> mean_turn(const Vector3<B>& w, const Vector3<B>& r, B h) {
  const Vector3<B> q1 = cross(w, r), q2 = h * cross(w, q1), q3 = h * cross(w, q2), q4 = h * cross(w, q3);
  using T = VectorElement<B>;
  return mul_add(B(T(0.5)), q2, q1) + mul_add(B(T(1) / T(24)), q4, B(T(1) / T(6)) * q3);
}

/// The mean separation velocity over the step, and the part of it that is left when its share along the new normal is
/// taken off.
template <class B>
struct Prediction {
  Vector3<B> slip;
  B separation;
};

/// `gap_speed` is gap / h.
template <class B>
inline Prediction<B> predict(const Motion<B>& motion, const Vector3<B>& ra, const Vector3<B>& rb, B gap_speed, B h) {
  Vector3<B> u = motion.relative + (mean_turn(motion.wa, ra, h) - mean_turn(motion.wb, rb, h));
  u.z = u.z + gap_speed;
  const Vector3<B> turn = mean_turn(motion.wb, Vector3<B>{B(0), B(0), B(1)}, h);
  const Vector3<B> normal = {h * turn.x, h * turn.y, mul_add(h, turn.z, B(1))};
  const B separation = dot(u, normal);
  return {{neg_mul_add(separation, normal.x, u.x), neg_mul_add(separation, normal.y, u.y),
           neg_mul_add(separation, normal.z, u.z)},
          separation};
}

}  // namespace
}  // namespace carom::kernel
