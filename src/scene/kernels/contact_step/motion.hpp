// Motion: velocities of the two bodies of a manifold in the frame of its contacts (t1, t2, n), the velocity changes by
// impulses, and the positions of contact points after a step ([BS] 3.2, equation 7).
//
// [BS] J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"

namespace carom::kernel {
namespace {

/// Components of v along the axes of a frame.
template <class B>
[[gnu::always_inline]] inline Vector3<B> into(const Frame<B>& frame, const Vector3<B>& v) {
  return {dot(v, frame.t1), dot(v, frame.t2), dot(v, frame.n)};
}
/// The inverse of into().
template <class B>
[[gnu::always_inline]] inline Vector3<B> out_of(const Frame<B>& frame, const Vector3<B>& v) {
  return mul_add(v.x, frame.t1, mul_add(v.y, frame.t2, v.z * frame.n));
}
template <class B>
[[gnu::always_inline]] inline Symmetric3<B> into(const Frame<B>& frame, const Symmetric3<B>& j) {
  const Vector3<B> j1 = j * frame.t1, j2 = j * frame.t2, j3 = j * frame.n;
  return {dot(frame.t1, j1), dot(frame.t1, j2), dot(frame.t1, j3),
          dot(frame.t2, j2), dot(frame.t2, j3), dot(frame.n, j3)};
}

template <class B>
struct Velocity {
  Vector3<B> v, w;
};

/// Relative velocities of both bodies of a manifold, in its frame: u = relative + wa x ra - wb x rb.
template <class B>
struct Motion {
  Vector3<B> relative, wa, wb;
};
template <class B>
[[gnu::always_inline]] inline Motion<B> motion_of(const Frame<B>& frame, const Velocity<B>& a, const Velocity<B>& b) {
  return {into(frame, a.v - b.v), into(frame, a.w), into(frame, b.w)};
}

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

/// Motion with the world as B.
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

/// Velocity changes by an impulse on a point of a manifold, in its frame. Impulses act on A, and reversed on B.
template <class B>
struct ManifoldBodies {
  Symmetric3<B> inertia_a, inertia_b;  // inverse
  B mass;                              // sum of the inverse masses

  /// Applies the change of a point's impulse, and adds it to `sum`.
  [[gnu::always_inline]] void push(Motion<B>& motion, Vector3<B>& sum, const Vector3<B>& change, const Vector3<B>& ra,
                                   const Vector3<B>& rb) const {
    motion.relative = mul_add(mass, change, motion.relative);
    sum = sum + change;
    motion.wa = add(motion.wa, inertia_a, cross(ra, change));
    motion.wb = subtract(motion.wb, inertia_b, cross(rb, change));
  }
  [[gnu::always_inline]] void push(MotionOnWorld<B>& motion, Vector3<B>& sum, const Vector3<B>& change,
                                   const Vector3<B>& ra, const Vector3<B>&) const {
    motion.relative = mul_add(mass, change, motion.relative);
    sum = sum + change;
    motion.wa = add(motion.wa, inertia_a, cross(ra, change));
  }
  /// Applies an angular impulse.
  [[gnu::always_inline]] void turn(Motion<B>& motion, const Vector3<B>& by) const {
    motion.wa = motion.wa + inertia_a * by;
    motion.wb = motion.wb - inertia_b * by;
  }

 private:
  [[gnu::always_inline]] static Vector3<B> add(const Vector3<B>& w, const Symmetric3<B>& j, const Vector3<B>& l) {
    return {mul_add(j.xx, l.x, mul_add(j.xy, l.y, mul_add(j.xz, l.z, w.x))),
            mul_add(j.xy, l.x, mul_add(j.yy, l.y, mul_add(j.yz, l.z, w.y))),
            mul_add(j.xz, l.x, mul_add(j.yz, l.y, mul_add(j.zz, l.z, w.z)))};
  }
  [[gnu::always_inline]] static Vector3<B> subtract(const Vector3<B>& w, const Symmetric3<B>& j, const Vector3<B>& l) {
    return {neg_mul_add(j.xx, l.x, neg_mul_add(j.xy, l.y, neg_mul_add(j.xz, l.z, w.x))),
            neg_mul_add(j.xy, l.x, neg_mul_add(j.yy, l.y, neg_mul_add(j.yz, l.z, w.y))),
            neg_mul_add(j.xz, l.x, neg_mul_add(j.yz, l.y, neg_mul_add(j.zz, l.z, w.z)))};
  }
};

/// Upper limit of the square of an angle.
template <class T>
inline constexpr T max_angle2 = sizeof(T) == sizeof(float) ? T(0x1p+126) : T(0x1p+1022);

/// Mean velocity of vectors that rotate with w for h. The rotation is the Padé approximant (2, 2) of the exponential.
/// It has the order of the Runge–Kutta method of [BS] and is a rotation at every spin. The polynomial of that method
/// grows without bound, and so would the impulses. With θ = h |w| and c = 1 - θ²/12 the mean velocity of r is
/// (c w x r + h/2 w x (w x r)) / (c² + θ²/4).
template <class B>
class Turn {
 public:
  Turn(const Vector3<B>& w, B h) : Turn(w, h, angle2_of(w, h)) {}

  /// Rotation of a body's normal: beyond one radian the angle is 1 / θ. With a larger angle the impulse along the
  /// normal would close its contact in every sweep.
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

/// Mean separation velocity over the step, and its part across the new normal.
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
