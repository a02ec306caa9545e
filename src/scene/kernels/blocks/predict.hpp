// Predicts positions of contact points after a step: [BS] 3.2, equation 7 and the following text.
//
// [BS] J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
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

/// The same where B is the world.
template <class B>
struct MotionOnWorld {
  Vector3<B> relative, wa;
};

template <class B>
[[gnu::always_inline]] inline Vector3<B> velocity_at(const MotionOnWorld<B>& motion, const Vector3<B>& ra,
                                                     const Vector3<B>&) {
  const Vector3<B>&v = motion.relative, &w = motion.wa;
  return {neg_mul_add(w.z, ra.y, mul_add(w.y, ra.z, v.x)), neg_mul_add(w.x, ra.z, mul_add(w.z, ra.x, v.y)),
          neg_mul_add(w.y, ra.x, mul_add(w.x, ra.y, v.z))};
}

/// Max. square of an angle for the approximant.
template <class T>
inline constexpr T max_angle2 = sizeof(T) == sizeof(float) ? T(0x1p+126) : T(0x1p+1022);

/// The mean velocity of vectors that turn with w for h. Their rotation is the Padé approximant (2, 2) of the
/// exponential. It has the order of the Runge–Kutta method of [BS], and is a rotation at every spin: the polynomial of
/// that method grows without bound, and with it the impulses that answer to the prediction. With θ = h |w| and c = 1 -
/// θ²/12 the mean velocity of r is (c w x r + h/2 w x (w x r)) / (c² + θ²/4).
template <class B>
class Turn {
 public:
  Turn(const Vector3<B>& w, B h) : Turn(w, h, angle2_of(w, h)) {}

  /// For the normal of a body: beyond a radian the angle is 1 / θ. A normal that turned further would look away from
  /// the impulse along it; the impulse would then push its contact shut, sweep after sweep.
  static Turn of_normal(const Vector3<B>& w, B h) {
    const B angle2 = angle2_of(w, h), share = B(1) / larger(angle2, B(1));
    return Turn(share * w, h, smaller(angle2, share));
  }

  Vector3<B> mean(const Vector3<B>& r) const {
    const Vector3<B> q = cross(w_, r);
    return mul_add(twice_, cross(w_, q), once_ * q);
  }

 private:
  using T = VectorElement<B>;

  Turn(const Vector3<B>& w, B h, B angle2) : w_(w) {
    const B c = neg_mul_add(B(T(1) / T(12)), angle2, B(1));
    const B inverse = B(1) / mul_add(c, c, B(T(0.25)) * angle2);
    once_ = c * inverse;
    twice_ = (B(T(0.5)) * h) * inverse;
  }
  static B angle2_of(const Vector3<B>& w, B h) { return smaller((h * h) * dot(w, w), B(max_angle2<T>)); }

  Vector3<B> w_;
  B once_, twice_;
};

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
  const Turn<B> a(motion.wa, h), b(motion.wb, h);
  Vector3<B> u = motion.relative + (a.mean(ra) - b.mean(rb));
  u.z = u.z + gap_speed;
  const Vector3<B> turn = Turn<B>::of_normal(motion.wb, h).mean(Vector3<B>{B(0), B(0), B(1)});
  const Vector3<B> normal = {h * turn.x, h * turn.y, mul_add(h, turn.z, B(1))};
  const B separation = dot(u, normal);
  return {{neg_mul_add(separation, normal.x, u.x), neg_mul_add(separation, normal.y, u.y),
           neg_mul_add(separation, normal.z, u.z)},
          separation};
}

}  // namespace
}  // namespace carom::kernel
