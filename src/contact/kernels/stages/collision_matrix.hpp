// Collision matrix: K in the contact frame, q = M⁻¹ k and the Schur complement S = K_33 - k·q = 1 / (K⁻¹)_33,
// the rate of u_z per normal impulse while the contact sticks.
//
//   K = [M k; kᵀ K_33],  K_ij = δ_ij m + Σ (r×e_i)·J (r×e_j),  m = 1/mA + 1/mB, J an inverse inertia     [R] eq. 2
//
// Laws are isotropic, so any two tangents will do: along the axes of M every step of sliding has two terms less.
//
// Laws solve with K exactly as it is stored, with rounded entries. Then p is the solution for a contact that differs
// only by rounding, and it stops the contact correctly even for very slender bodies. So det M is computed from the
// entries of M without rounding the products, and S from the entries of K. With A = M - m, a mass keeps det M above
// m (m + tr A), and S = v·K v above m |v|² with v = (-q, 1). Entries that violate these bounds do so by rounding. Where
// such a bound is itself below the rounding, an eigenvalue that is too small would make impulses too large and add
// energy. In both cases the max rounding error is added to the diagonal: it makes the matrix definite, and an impulse
// of a larger K adds no energy. Without a mass K must be definite by more than its rounding (numerics/definite.hpp).
//
// A lever arm along the axis of a large inverse inertia cancels it: Σ tr J |r|² is then far above the trace of K. The
// products J [r] keep their digits, so the error of the entries is ε times the root of that ratio. For an extreme ratio
// the entries are summed with twice the digits.
#pragma once

#include "contact_pointers.hpp"
#include "frame.hpp"
#include "simd/kernels/numerics/definite.hpp"
#include "simd/kernels/numerics/double_double.hpp"

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
  B trace, inverse_trace;  // [1/kg], [kg]
  Mask definite;
};

/// With the axes of M as tangents.
template <class B>
struct PrincipalMatrix {
  using Mask = decltype(B(0) < B(0));

  // All divided by the trace of K.
  B m1, m2;       // M, m1 >= m2
  B k1, k2, k33;  // k, K_33
  B size_k;       // |k|
  B q1, q2, schur;
  B trace, inverse_trace;  // [1/kg], [kg]
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

/// det M, q and S from the entries.
template <class B>
inline void factorise(CollisionMatrix<B>& c) {
  c.det_m = difference_of_products(c.m11, c.m22, c.m12, c.m12);
  const B inverse_det = B(1) / c.det_m;
  c.q1 = difference_of_products(c.m22, c.k1, c.m12, c.k2) * inverse_det;
  c.q2 = difference_of_products(c.m11, c.k2, c.m12, c.k1) * inverse_det;
  c.schur = neg_mul_add(c.q1, c.k1, neg_mul_add(c.q2, c.k2, c.k33));
}

/// From A = K - m [1/kg]. `is_definite(c)` decides on matrices without mass.
template <class T, class B, class IsDefinite>
[[gnu::always_inline]] inline CollisionMatrix<B> scaled_matrix(const Symmetric3<B>& a, B m, IsDefinite&& is_definite) {
  const B zero(0), one(1), half(T(0.5));
  CollisionMatrix<B> c;
  c.trace = mul_add(B(3), m, a.xx + a.yy + a.zz);
  c.inverse_trace = one / c.trace;
  const B scale = c.inverse_trace;
  c.m11 = (a.xx + m) * scale;
  c.m12 = a.xy * scale;
  c.m22 = (a.yy + m) * scale;
  c.k1 = a.xz * scale;
  c.k2 = a.yz * scale;
  c.k33 = (a.zz + m) * scale;
  factorise(c);

  const B ms = m * scale, shift(T(4) * epsilon<T>), least = larger(half * ms, shift);
  const auto odd =
      c.det_m < least * (ms + (a.xx + a.yy) * scale) || c.schur < least * mul_add(c.q1, c.q1, mul_add(c.q2, c.q2, one));
  if (const auto thin = ms > zero && odd; lane_bits(thin) != 0) [[unlikely]] {
    CollisionMatrix<B> shifted = c;
    shifted.m11 = c.m11 + shift;
    shifted.m22 = c.m22 + shift;
    shifted.k33 = c.k33 + shift;
    factorise(shifted);
    const auto take = [&](B& x, B y) { x = choose(thin, y, x); };
    take(c.m11, shifted.m11);
    take(c.m22, shifted.m22);
    take(c.k33, shifted.k33);
    take(c.det_m, shifted.det_m);
    take(c.q1, shifted.q1);
    take(c.q2, shifted.q2);
    take(c.schur, shifted.schur);
  }

  c.definite = c.m11 > zero && c.det_m > zero && c.schur > zero;
  if (const auto massless = m == zero; lane_bits(massless) != 0) [[unlikely]]
    c.definite = c.definite && (m > zero || is_definite(c));
  return c;
}

/// Turns the frame about its normal to the axes of M. `a` is K [1/kg], or K less a multiple of 1.
template <class T, class B>
[[gnu::always_inline]] inline PrincipalMatrix<B> principal_matrix(Frame<B>& frame, const Symmetric3<B>& a,
                                                                  const CollisionMatrix<B>& matrix) {
  const B zero(0), one(1), half(T(0.5));
  // M = mean + R (cos 2φ, sin 2φ; sin 2φ, -cos 2φ): the axis lies along (|cos 2φ| + 1, |sin 2φ|) or the other way
  // round.
  const B half_difference = half * (a.xx - a.yy);
  const auto [scale, inverse_scale] = binade_of(larger(magnitude(half_difference), magnitude(a.xy)));
  const B cos2 = inverse_scale * magnitude(half_difference), sin2 = inverse_scale * magnitude(a.xy);
  const B radius = square_root(mul_add(cos2, cos2, sin2 * sin2)), along = cos2 + radius;
  const auto turns = along > zero;  // false also if K contains NaN
  const B inverse_length = one / square_root(choose(turns, mul_add(along, along, sin2 * sin2), one));
  const B large = choose(turns, along * inverse_length, one), small = sin2 * inverse_length;
  const auto beyond = half_difference < zero;
  const B cosine = choose(beyond, small, large), turn = choose(beyond, large, small);
  const B sine = choose(a.xy < zero, negated(turn), turn);
  const auto turned = [&](B x, B y) { return mul_add(cosine, x, sine * y); };
  const auto across = [&](B x, B y) { return mul_sub(cosine, y, sine * x); };
  PrincipalMatrix<B> c;
  c.trace = matrix.trace;
  c.inverse_trace = matrix.inverse_trace;
  c.m1 = mul_add(half, matrix.m11 + matrix.m22, radius * scale * matrix.inverse_trace);
  c.m2 = matrix.det_m / c.m1;
  c.k1 = turned(matrix.k1, matrix.k2);
  c.k2 = across(matrix.k1, matrix.k2);
  c.k33 = matrix.k33;
  c.size_k = square_root(mul_add(matrix.k1, matrix.k1, matrix.k2 * matrix.k2));
  c.q1 = turned(matrix.q1, matrix.q2);
  c.q2 = across(matrix.q1, matrix.q2);
  c.schur = matrix.schur;
  c.definite = matrix.definite;
  frame = {{turned(frame.t1.x, frame.t2.x), turned(frame.t1.y, frame.t2.y), turned(frame.t1.z, frame.t2.z)},
           {across(frame.t1.x, frame.t2.x), across(frame.t1.y, frame.t2.y), across(frame.t1.z, frame.t2.z)},
           frame.n};
  return c;
}

/// True if A = K - m loses too many digits: its trace is far below the bound of its terms, Σ tr J |r|².
template <class B>
inline auto cancels(const Symmetric3<B>& a, B m, const Symmetric3<B>& inverse_inertia_a, const Vector3<B>& r_a,
                    const Symmetric3<B>& inverse_inertia_b, const Vector3<B>& r_b) {
  return turning_terms(inverse_inertia_a, r_a) + turning_terms(inverse_inertia_b, r_b) >
         B(max_cancellation<typename VectorTraits<B>::Element>) * mul_add(B(3), m, a.xx + a.yy + a.zz);
}

/// k += [r]ᵀ J [r], where [r] p = r × p, from the rows of J [r]
template <class B>
[[gnu::always_inline]] inline void add_inertia(Symmetric3<B>& k, const TurnRows<B>& rows, const Vector3<B>& r) {
  const auto& [x, y, z] = rows;
  k.xx = neg_mul_add(r.y, z.x, mul_add(r.z, y.x, k.xx));
  k.xy = neg_mul_add(r.y, z.y, mul_add(r.z, y.y, k.xy));
  k.xz = neg_mul_add(r.y, z.z, mul_add(r.z, y.z, k.xz));
  k.yy = neg_mul_add(r.z, x.y, mul_add(r.x, z.y, k.yy));
  k.yz = neg_mul_add(r.z, x.z, mul_add(r.x, z.z, k.yz));
  k.zz = neg_mul_add(r.x, y.z, mul_add(r.y, x.z, k.zz));
}

/// Rotates a symmetric matrix from the world to the frame of the contact.
template <class B>
[[gnu::always_inline]] inline Symmetric3<B> in_frame(const Frame<B>& frame, const Symmetric3<B>& g) {
  const Vector3<B> g1 = g * frame.t1, g2 = g * frame.t2, g3 = g * frame.n;
  return {dot(frame.t1, g1), dot(frame.t1, g2), dot(frame.t1, g3),
          dot(frame.t2, g2), dot(frame.t2, g3), dot(frame.n, g3)};
}

/// [r]ᵀ J [r] of both bodies with twice the digits, where [r] p = r × p; in the frame of the contact.
template <class B>
[[gnu::noinline]] inline Symmetric3<B> accurate_inertia_at_contact(const Frame<B>& frame,
                                                                   const Symmetric3<B>& inverse_inertia_a,
                                                                   const Vector3<B>& r_a,
                                                                   const Symmetric3<B>& inverse_inertia_b,
                                                                   const Vector3<B>& r_b) {
  const auto of_bodies = [&](auto&& entry) {
    return (entry(inverse_inertia_a, r_a) + entry(inverse_inertia_b, r_b)).value();
  };
  // Called with cyclic permutations of x, y, z.
  const auto diagonal = [](B y, B z, B jyy, B jyz, B jzz) {
    const DoubleDouble<B> across = double_double_product(double_double_product(y, z), jyz);
    return double_double_product(double_double_product(y, y), jzz) +
           double_double_product(double_double_product(z, z), jyy) - (across + across);
  };
  const auto beside = [](B x, B y, B z, B jxy, B jxz, B jyz, B jzz) {
    return double_double_product(double_double_product(x, z), jyz) +
           double_double_product(double_double_product(y, z), jxz) -
           (double_double_product(double_double_product(x, y), jzz) +
            double_double_product(double_double_product(z, z), jxy));
  };
  using Inertia = const Symmetric3<B>&;
  using Lever = const Vector3<B>&;
  const Symmetric3<B> g = {of_bodies([&](Inertia j, Lever r) { return diagonal(r.y, r.z, j.yy, j.yz, j.zz); }),
                           of_bodies([&](Inertia j, Lever r) { return beside(r.x, r.y, r.z, j.xy, j.xz, j.yz, j.zz); }),
                           of_bodies([&](Inertia j, Lever r) { return beside(r.x, r.z, r.y, j.xz, j.xy, j.yz, j.yy); }),
                           of_bodies([&](Inertia j, Lever r) { return diagonal(r.z, r.x, j.zz, j.xz, j.xx); }),
                           of_bodies([&](Inertia j, Lever r) { return beside(r.y, r.z, r.x, j.yz, j.xy, j.xz, j.xx); }),
                           of_bodies([&](Inertia j, Lever r) { return diagonal(r.x, r.y, j.xx, j.xy, j.yy); })};
  return in_frame(frame, g);
}

/// A = K - m
template <class B>
inline Symmetric3<B> inertia_at_contact(const Frame<B>& frame, B m, const Symmetric3<B>& inverse_inertia_a,
                                        const Vector3<B>& r_a, const Symmetric3<B>& inverse_inertia_b,
                                        const Vector3<B>& r_b) {
  Symmetric3<B> a = {B(0), B(0), B(0), B(0), B(0), B(0)};
  const auto add = [&](const Symmetric3<B>& inverse_inertia, const Vector3<B>& lever) {
    const Vector3<B> c1 = cross(lever, frame.t1), c2 = cross(lever, frame.t2), c3 = cross(lever, frame.n);
    const TurnRows<B> rows(inverse_inertia, lever);
    const Vector3<B> j1 = rows.times(frame.t1), j2 = rows.times(frame.t2), j3 = rows.times(frame.n);
    a.xx = a.xx + dot(c1, j1);
    a.xy = a.xy + dot(c1, j2);
    a.xz = a.xz + dot(c1, j3);
    a.yy = a.yy + dot(c2, j2);
    a.yz = a.yz + dot(c2, j3);
    a.zz = a.zz + dot(c3, j3);
  };
  add(inverse_inertia_a, r_a);
  add(inverse_inertia_b, r_b);
  if (const auto lossy = cancels(a, m, inverse_inertia_a, r_a, inverse_inertia_b, r_b); lane_bits(lossy) != 0)
      [[unlikely]] {
    const Symmetric3<B> g = accurate_inertia_at_contact(frame, inverse_inertia_a, r_a, inverse_inertia_b, r_b);
    a = choose(lossy, g, a);
  }
  return a;
}

/// Same, summed in the frame of the world, which takes fewer operations. The rounding error is ε tr K. If this is too
/// large relative to the min eigenvalue, which is at least m, or if A cancels, `careful()` returns A as above.
template <class B, class Careful>
[[gnu::always_inline]] inline Symmetric3<B> quick_inertia_at_contact(const Frame<B>& frame, B m,
                                                                     const Symmetric3<B>& inverse_inertia_a,
                                                                     const Vector3<B>& r_a,
                                                                     const Symmetric3<B>& inverse_inertia_b,
                                                                     const Vector3<B>& r_b, Careful&& careful) {
  Symmetric3<B> g = {B(0), B(0), B(0), B(0), B(0), B(0)};
  add_inertia(g, TurnRows<B>(inverse_inertia_a, r_a), r_a);
  add_inertia(g, TurnRows<B>(inverse_inertia_b, r_b), r_b);
  const Symmetric3<B> a = in_frame(frame, g);
  const auto doubtful = cancels(g, m, inverse_inertia_a, r_a, inverse_inertia_b, r_b) ||
                        g.xx + g.yy + g.zz > B(typename VectorTraits<B>::Element(64)) * m;
  if (lane_bits(doubtful) == 0) [[likely]]
    return a;
  return choose(doubtful, careful(), a);
}

/// Between bodies. `terms()` returns the sum of their turning_terms, for bodies without mass.
template <class T, class B, class Terms>
[[gnu::always_inline]] inline CollisionMatrix<B> matrix_of_bodies(const Symmetric3<B>& a, B m, Terms&& terms) {
  return scaled_matrix<T>(a, m, [&](const CollisionMatrix<B>& c) {
    const Symmetric3<B> k = {c.m11, c.m12, c.k1, c.m22, c.k2, c.k33};
    return stands_out(k, B(singular_margin<T>) * terms() * c.inverse_trace);
  });
}

template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Frame<B>& frame, const Body<B>& body_a, const Vector3<B>& r_a,
                                           const Body<B>& body_b, const Vector3<B>& r_b) {
  const B m = body_a.inverse_mass + body_b.inverse_mass;
  return matrix_of_bodies<T>(
      inertia_at_contact(frame, m, body_a.inverse_inertia, r_a, body_b.inverse_inertia, r_b), m,
      [&] { return turning_terms(body_a.inverse_inertia, r_a) + turning_terms(body_b.inverse_inertia, r_b); });
}

/// Bounds the terms of S = v·K v, v = (-q, 1), for a K given by the caller, up to a factor: S must exceed its rounding
/// error. Scaling rounds each entry of K by ε/2, which moves S by ε/2 Σ |v_i K_ij v_j| <= 3/2 ε d. The rounding of q
/// adds 3 ε (|q1 k1| + |q2 k2|) <= 3 ε d, and the rounding of the sum 3/2 ε d. So the error of S is at most 6 ε d.
template <class B>
[[gnu::always_inline]] inline B schur_terms(B q1, B q2, B m11, B m22, B k33) {
  return mul_add(q1 * q1, m11, mul_add(q2 * q2, m22, k33));
}

/// The collision matrix of a K given by the caller, in the caller's frame. det M and S must exceed their rounding
/// errors.
template <class T, class B>
inline CollisionMatrix<B> collision_matrix(const Symmetric3<B>& k) {
  return scaled_matrix<T>(k, B(0), [](const CollisionMatrix<B>& c) {
    return c.det_m > B(T(4) * epsilon<T>) * c.m11 * c.m22 &&
           c.schur > B(T(8) * epsilon<T>) * schur_terms(c.q1, c.q2, c.m11, c.m22, c.k33);
  });
}

}  // namespace
}  // namespace carom::kernel
