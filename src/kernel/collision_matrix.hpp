// Stage 4, collision matrix: K in the contact frame, q = M⁻¹ k and the Schur complement S = K_33 - k·q = 1 / (K⁻¹)_33,
// the rate of u_z per normal impulse while the contact sticks.
//
//   K = [M k; kᵀ K_33],  K_ij = δ_ij m + Σ (r×e_i)·J (r×e_j),  m = 1/mA + 1/mB, J an inverse inertia     [R] eq. 2
//
// Laws are isotropic, so any two tangents will do: along the axes of M every step of sliding has two terms less.
//
// det M and S cancel when a body is slender. Both are sums of terms >= 0 when they are taken from the bodies:
// det M = m² + m tr A + det A with A = M - m, and S = v·K v = m |v|² + Σ (r×v)·J (r×v) with v = (-q, 1), which is also
// of second order in the error of q.
#pragma once

#include "frame.hpp"

namespace carom::kernel {
namespace {

/// In any frame whose third axis is the normal.
template <class B>
struct CollisionMatrix {
  using Mask = decltype(B(0) < B(0));

  // All divided by the trace of K.
  B m11, m12, m22;  // M
  B k1, k2, k33;    // k, K_33
  B det_m, q1, q2, schur;
  B trace;  // [1/kg]
  Mask definite;
};

/// With the axes of M for tangents.
template <class B>
struct PrincipalMatrix {
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

/// From A = K - m and `schur(q1, q2)`, which returns S [1/kg].
template <class T, class B, class Schur>
inline CollisionMatrix<B> scaled_matrix(const Symmetric3<B>& a, B m, Schur&& schur) {
  const B zero(0), one(1);
  CollisionMatrix<B> c;
  c.trace = mul_add(B(3), m, a.xx + a.yy + a.zz);
  const B scale = one / c.trace;
  c.m11 = (a.xx + m) * scale;
  c.m12 = a.xy * scale;
  c.m22 = (a.yy + m) * scale;
  c.k1 = a.xz * scale;
  c.k2 = a.yz * scale;
  c.k33 = (a.zz + m) * scale;
  const B ms = m * scale, axx = a.xx * scale, ayy = a.yy * scale;
  const B det_a = difference_of_products(axx, ayy, c.m12, c.m12);
  // Rounding alone makes det A negative where a mass stands behind it.
  c.det_m = mul_add(ms, ms + axx + ayy, choose(ms > zero, larger(det_a, zero), det_a));
  const B inverse_det = one / c.det_m;
  c.q1 = difference_of_products(c.m22, c.k1, c.m12, c.k2) * inverse_det;
  c.q2 = difference_of_products(c.m11, c.k2, c.m12, c.k1) * inverse_det;
  c.schur = schur(c.q1, c.q2) * scale;

  // Without a mass behind it nothing keeps rounding from making a singular K look definite: then det M and S must stand
  // out of their own rounding.
  constexpr double epsilon = sizeof(T) == sizeof(float) ? 0x1p-23 : 0x1p-52;
  const B margin = choose(ms > zero, zero, B(T(4 * epsilon)));
  c.definite = c.m11 > zero && c.det_m > margin * c.m11 * c.m22 && c.schur > margin * c.k33;
  return c;
}

/// Turns the frame about its normal to the axes of M.
template <class T, class B>
inline PrincipalMatrix<B> principal_matrix(Frame<B>& frame, const CollisionMatrix<B>& matrix) {
  const B zero(0), one(1), half(T(0.5));
  const B half_difference = half * (matrix.m11 - matrix.m22);
  const B radius = length(half_difference, matrix.m12);
  const auto turns = radius > zero;  // false of a K without any number in it, too
  const B divisor = choose(turns, radius, one);
  const B large = square_root(mul_add(half, magnitude(half_difference) / divisor, half));
  const B small = half * magnitude(matrix.m12) / (divisor * large);
  const auto beyond = half_difference < zero;
  const B cosine = choose(turns, choose(beyond, small, large), one);
  const B turn = choose(turns, choose(beyond, large, small), zero);
  const B sine = choose(matrix.m12 < zero, negated(turn), turn);
  const auto turned = [&](B x, B y) { return mul_add(cosine, x, sine * y); };
  const auto across = [&](B x, B y) { return mul_sub(cosine, y, sine * x); };
  PrincipalMatrix<B> c;
  c.trace = matrix.trace;
  c.m1 = mul_add(half, matrix.m11 + matrix.m22, radius);
  c.m2 = matrix.det_m / c.m1;
  c.k1 = turned(matrix.k1, matrix.k2);
  c.k2 = across(matrix.k1, matrix.k2);
  c.k33 = matrix.k33;
  c.q1 = turned(matrix.q1, matrix.q2);
  c.q2 = across(matrix.q1, matrix.q2);
  c.schur = matrix.schur;
  c.definite = matrix.definite;
  frame = {{turned(frame.t1.x, frame.t2.x), turned(frame.t1.y, frame.t2.y), turned(frame.t1.z, frame.t2.z)},
           {across(frame.t1.x, frame.t2.x), across(frame.t1.y, frame.t2.y), across(frame.t1.z, frame.t2.z)},
           frame.n};
  return c;
}

/// A = K - m
template <class B>
inline Symmetric3<B> inertia_at_contact(const Frame<B>& frame, const Symmetric3<B>& inverse_inertia_a,
                                        const Vector3<B>& lever_a, const Symmetric3<B>& inverse_inertia_b,
                                        const Vector3<B>& lever_b) {
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
  add(inverse_inertia_a, lever_a);
  add(inverse_inertia_b, lever_b);
  return a;
}

/// S = v·K v [1/kg]
template <class B>
inline B schur_of_bodies(const Frame<B>& frame, B m, B q1, B q2, const Symmetric3<B>& inverse_inertia_a,
                         const Vector3<B>& lever_a, const Symmetric3<B>& inverse_inertia_b, const Vector3<B>& lever_b) {
  const Vector3<B> v = mul_add(negated(q1), frame.t1, mul_add(negated(q2), frame.t2, frame.n));
  const Vector3<B> ca = cross(lever_a, v), cb = cross(lever_b, v);
  return mul_add(m, mul_add(q1, q1, mul_add(q2, q2, B(1))),
                 dot(ca, inverse_inertia_a * ca) + dot(cb, inverse_inertia_b * cb));
}

template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Frame<B>& frame, const Body<B>& body_a, const Vector3<B>& lever_a,
                                           const Body<B>& body_b, const Vector3<B>& lever_b) {
  const B m = body_a.inverse_mass + body_b.inverse_mass;
  const Symmetric3<B> a = inertia_at_contact(frame, body_a.inverse_inertia, lever_a, body_b.inverse_inertia, lever_b);
  return scaled_matrix<T>(a, m, [&](B q1, B q2) {
    return schur_of_bodies(frame, m, q1, q2, body_a.inverse_inertia, lever_a, body_b.inverse_inertia, lever_b);
  });
}

/// Of a K that the host gives, in the frame that it is given in.
template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Symmetric3<B>& k) {
  return scaled_matrix<T>(k, B(0), [&](B q1, B q2) { return neg_mul_add(q1, k.xz, neg_mul_add(q2, k.yz, k.zz)); });
}

}  // namespace
}  // namespace carom::kernel
