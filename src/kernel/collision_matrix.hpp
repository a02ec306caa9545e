// Stage 4, collision matrix: K in the principal frame of its tangential block, q = M⁻¹ k and the Schur complement
// S = K_33 - k·q = 1 / (K⁻¹)_33, the rate of u_z per normal impulse while the contact sticks.
//
//   K = [M k; kᵀ K_33],  K_ij = δ_ij m + Σ (r×e_i)·J (r×e_j),  m = 1/mA + 1/mB, J an inverse inertia     [R] eq. 2
//
// The law is isotropic, so any two tangents will do: along the axes of M every later stage has two terms less.
//
// det M and S cancel when a body is slender. Both are sums of terms >= 0 when they are taken from the bodies:
// det M = m² + m tr A + det A with A = M - m, and S = v·K v = m |v|² + Σ (r×v)·J (r×v) with v = (-q, 1), which is also
// of second order in the error of q.
#pragma once

#include "frame.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct CollisionMatrix {
  using Mask = decltype(B(0) < B(0));

  // All divided by the trace of K.
  B m1, m2;       // M, m1 >= m2
  B k1, k2, k33;  // k, K_33
  B q1, q2, schur;
  B trace;  // [1/kg]
  Mask definite;
};

/// |(x, y)|, without underflow of the squares.
template <class B>
inline B length(B x, B y) {
  const B largest = larger(magnitude(x), magnitude(y));
  const B divisor = choose(largest > B(0), largest, B(1));
  const B a = x / divisor, b = y / divisor;
  return largest * square_root(mul_add(a, a, b * b));
}

/// From A = K - m in a frame, which is turned about its normal, and `schur(qx, qy)` in the frame as it was, which
/// returns S [1/kg].
template <class T, class B, class Schur>
inline CollisionMatrix<B> finish_collision_matrix(Frame<B>& frame, const Symmetric3<B>& a, B m, Schur&& schur) {
  const B zero(0), one(1), half(T(0.5));
  const B trace = mul_add(B(3), m, a.xx + a.yy + a.zz);
  const B scale = one / trace;
  const B xx = (a.xx + m) * scale, xy = a.xy * scale, yy = (a.yy + m) * scale;
  const B xz = a.xz * scale, yz = a.yz * scale;
  const B ms = m * scale, axx = a.xx * scale, ayy = a.yy * scale;
  const B det_a = difference_of_products(axx, ayy, xy, xy);
  // Rounding alone makes det A negative where a mass stands behind it.
  const B det_m = mul_add(ms, ms + axx + ayy, choose(ms > zero, larger(det_a, zero), det_a));

  const B half_difference = half * (xx - yy);
  const B radius = length(half_difference, xy);
  const auto turns = radius > zero;  // false of a K without any number in it, too
  const B divisor = choose(turns, radius, one);
  const B large = square_root(mul_add(half, magnitude(half_difference) / divisor, half));
  const B small = half * magnitude(xy) / (divisor * large);
  const auto beyond = half_difference < zero;
  const B cosine = choose(turns, choose(beyond, small, large), one);
  const B turn = choose(turns, choose(beyond, large, small), zero);
  const B sine = choose(xy < zero, negated(turn), turn);
  const auto turned = [&](B x, B y) { return mul_add(cosine, x, sine * y); };
  const auto across = [&](B x, B y) { return mul_sub(cosine, y, sine * x); };
  CollisionMatrix<B> c;
  c.trace = trace;
  c.m1 = mul_add(half, xx + yy, radius);
  c.m2 = det_m / c.m1;
  c.k1 = turned(xz, yz);
  c.k2 = across(xz, yz);
  c.k33 = (a.zz + m) * scale;
  const B inverse_det = one / det_m;
  const B qx = difference_of_products(yy, xz, xy, yz) * inverse_det;
  const B qy = difference_of_products(xx, yz, xy, xz) * inverse_det;
  c.q1 = turned(qx, qy);
  c.q2 = across(qx, qy);
  c.schur = schur(qx, qy) * scale;
  frame = {{turned(frame.t1.x, frame.t2.x), turned(frame.t1.y, frame.t2.y), turned(frame.t1.z, frame.t2.z)},
           {across(frame.t1.x, frame.t2.x), across(frame.t1.y, frame.t2.y), across(frame.t1.z, frame.t2.z)},
           frame.n};

  // Without a mass behind it nothing keeps rounding from making a singular K look definite: then det M and S must stand
  // out of their own rounding.
  constexpr double epsilon = sizeof(T) == sizeof(float) ? 0x1p-23 : 0x1p-52;
  const B margin = choose(ms > zero, zero, B(T(4 * epsilon)));
  c.definite = xx > zero && det_m > margin * xx * yy && c.schur > margin * c.k33;
  return c;
}

template <class T, class B>
inline CollisionMatrix<B> collision_matrix(Frame<B>& frame, const Body<B>& body_a, const Vector3<B>& lever_a,
                                           const Body<B>& body_b, const Vector3<B>& lever_b) {
  const B m = body_a.inverse_mass + body_b.inverse_mass;
  Symmetric3<B> a = {B(0), B(0), B(0), B(0), B(0), B(0)};
  const auto add = [&](const Symmetric3<B>& inverse_inertia, const Vector3<B>& lever) {
    const Vector3<B> c1 = cross(lever, frame.t1), c2 = cross(lever, frame.t2), c3 = cross(lever, frame.n);
    const Vector3<B> j1 = inverse_inertia * c1, j2 = inverse_inertia * c2, j3 = inverse_inertia * c3;
    a.xx = a.xx + dot(c1, j1);
    a.xy = a.xy + dot(c1, j2);
    a.xz = a.xz + dot(c1, j3);
    a.yy = a.yy + dot(c2, j2);
    a.yz = a.yz + dot(c2, j3);
    a.zz = a.zz + dot(c3, j3);
  };
  add(body_a.inverse_inertia, lever_a);
  add(body_b.inverse_inertia, lever_b);
  return finish_collision_matrix<T>(frame, a, m, [&, given = frame](B qx, B qy) {
    const Vector3<B> v = mul_add(negated(qx), given.t1, mul_add(negated(qy), given.t2, given.n));
    const Vector3<B> ca = cross(lever_a, v), cb = cross(lever_b, v);
    return mul_add(m, mul_add(qx, qx, mul_add(qy, qy, B(1))),
                   dot(ca, body_a.inverse_inertia * ca) + dot(cb, body_b.inverse_inertia * cb));
  });
}

/// Of a K that the host gives, in the frame that it is given in.
template <class T, class B>
inline CollisionMatrix<B> collision_matrix(Frame<B>& frame, const Symmetric3<B>& k) {
  return finish_collision_matrix<T>(frame, k, B(0),
                                    [&](B qx, B qy) { return neg_mul_add(qx, k.xz, neg_mul_add(qy, k.yz, k.zz)); });
}

}  // namespace
}  // namespace carom::kernel
