// The input and output of the algebraic laws, a vector of contacts at a time.
//
// A law is a struct with
//
//   static constexpr Law law;              its name in the interface
//   static constexpr bool iterates;        whether it takes so long that a vector should be full of its contacts
//   template <class A, class T>
//   static LawResult<A, T> apply(Mask wanted, const LawInput<A, T>& input);
//
// It may have
//
//   template <class A, class T>
//   static LawResult<A, T> attempt(Mask wanted, const LawInput<A, T>& input, Mask& left);
//
// which gives up on contacts that take many more iterations than usual. They are `left`, a subset of `wanted`. The
// other contacts have the bits of `apply`.
//
// All numbers are of order 1 in any units: K is divided by its trace, velocities by |u0| and so impulses by |u0| /
// trace K. Vectors are in the contact frame, with the normal along z and arbitrary tangents. In the `wanted` lanes the
// contact approaches (u0.z < 0), K is positive definite, friction is in [0, infinity] and the parameters are in range.
// The other lanes have arbitrary values, and their results are not read; iterations must not wait for them.
#pragma once

#include <carom/laws.hpp>

#include "contact/kernels/stages/collision_matrix.hpp"
#include "contact/kernels/stages/units.hpp"

namespace carom::kernel {
namespace {

/// The parameters as lanes, with the names of the caller's columns; zero if a contact's law does not read them.
template <class B>
struct LawParameters {
  B tangential_restitution;
  B impulse_ratio_1, impulse_ratio_2;  // along -u0_t and along n x -u0_t
  B polar_angle, azimuth, fraction;    // azimuth from -u0_t towards n x -u0_t
  Vector3<B> candidate;
};

template <class A, class T>
struct LawInput {
  using B = typename LaneTypes<A, T>::Batch;

  B m11, m12, m22;  // M, the tangential block of K
  B k1, k2, k33;    // k = (K_13, K_23), K_33
  B det_m, q1, q2;  // det M, q = M⁻¹ k
  B schur;          // S = K_33 - k·q, of the entries
  Vector3<B> u0;    // |u0| = 1
  B friction;       // may be infinite
  B restitution;    // [0, 1]
  LawParameters<B> parameters;
};

template <class A, class T>
struct LawResult {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  Vector3<B> p;  // impulse
  Vector3<B> u;  // separation velocity after it, u0 + K p
  Mask slips;    // p is on the friction cone
  Mask none;     // there is no solution; p and u are not read
  Mask several;  // there are other solutions too
};

/// M⁻¹ v, to a few roundings of the entries of M.
template <class A, class T, class B>
inline Vector3<B> inverse_m_times(const LawInput<A, T>& in, B v1, B v2) {
  const B inverse_det = B(1) / in.det_m;
  return {difference_of_products(in.m22, v1, in.m12, v2) * inverse_det,
          difference_of_products(in.m11, v2, in.m12, v1) * inverse_det, B(0)};
}

/// K p.
template <class A, class T, class B>
inline Vector3<B> k_times(const LawInput<A, T>& in, const Vector3<B>& p) {
  return {mul_add(in.m11, p.x, mul_add(in.m12, p.y, in.k1 * p.z)),
          mul_add(in.m12, p.x, mul_add(in.m22, p.y, in.k2 * p.z)),
          mul_add(in.k1, p.x, mul_add(in.k2, p.y, in.k33 * p.z))};
}

/// -u0_t / |u0_t|; without slip, the first tangent.
template <class B>
struct SlipAxis {
  B x, y;
  B slip;  // |u0_t|
};
template <class B>
inline SlipAxis<B> slip_axis(const Vector3<B>& u0) {
  const B slip = length(u0.x, u0.y);
  const auto slides = slip > B(0);
  const B divisor = choose(slides, slip, B(1));
  return {choose(slides, negated(u0.x / divisor), B(1)), choose(slides, negated(u0.y / divisor), B(0)), slip};
}

}  // namespace
}  // namespace carom::kernel
