// Stage 4, collision matrix: K, q = M⁻¹ k and the Schur complement S = K_33 - k·q = 1 / (K⁻¹)_33, the rate of u_z per
// normal impulse while the contact sticks.
//
//   K = [M k; kᵀ K_33],  K_ij = δ_ij m + Σ (r×e_i)·J (r×e_j),  m = 1/mA + 1/mB, J an inverse inertia     [R] eq. 2
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
  Symmetric3<B> k;  // divided by its trace
  B qx, qy, schur;  // schur divided by the trace
  B det_m;
  B trace;  // [1/kg]
  // Without a mass behind it nothing keeps rounding from making a singular K look definite: then det M and S must stand
  // out of their own rounding.
  B margin;
};

/// From A = K - m, and `schur(qx, qy)`, which returns S [1/kg].
template <class T, class B, class Schur>
inline CollisionMatrix<B> finish_collision_matrix(const Symmetric3<B>& a, B m, Schur&& schur) {
  const B trace = mul_add(B(3), m, a.xx + a.yy + a.zz);
  const B scale = B(1) / trace;
  CollisionMatrix<B> c;
  c.trace = trace;
  c.k = {(a.xx + m) * scale, a.xy * scale, a.xz * scale, (a.yy + m) * scale, a.yz * scale, (a.zz + m) * scale};
  const B ms = m * scale, axx = a.xx * scale, ayy = a.yy * scale;
  const B det_a = difference_of_products(axx, ayy, c.k.xy, c.k.xy);
  // Rounding alone makes det A negative where a mass stands behind it.
  c.det_m = mul_add(ms, ms + axx + ayy, choose(ms > B(0), larger(det_a, B(0)), det_a));
  constexpr double epsilon = sizeof(T) == sizeof(float) ? 0x1p-23 : 0x1p-52;
  c.margin = choose(ms > B(0), B(0), B(T(4 * epsilon)));
  const B inverse_det = B(1) / c.det_m;
  c.qx = difference_of_products(c.k.yy, c.k.xz, c.k.xy, c.k.yz) * inverse_det;
  c.qy = difference_of_products(c.k.xx, c.k.yz, c.k.xy, c.k.xz) * inverse_det;
  c.schur = schur(c.qx, c.qy) * scale;
  return c;
}

template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Frame<B>& frame, const Body<B>& body_a, const Vector3<B>& lever_a,
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
  return finish_collision_matrix<T>(a, m, [&](B qx, B qy) {
    const Vector3<B> v = mul_add(negated(qx), frame.t1, mul_add(negated(qy), frame.t2, frame.n));
    const Vector3<B> ca = cross(lever_a, v), cb = cross(lever_b, v);
    return mul_add(m, mul_add(qx, qx, mul_add(qy, qy, B(1))),
                   dot(ca, body_a.inverse_inertia * ca) + dot(cb, body_b.inverse_inertia * cb));
  });
}

/// Of a K that the host gives.
template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Symmetric3<B>& k) {
  return finish_collision_matrix<T>(k, B(0),
                                    [&](B qx, B qy) { return neg_mul_add(qx, k.xz, neg_mul_add(qy, k.yz, k.zz)); });
}

}  // namespace
}  // namespace carom::kernel
