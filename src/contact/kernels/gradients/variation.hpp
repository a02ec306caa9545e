// Changes of a number with the parameters of a sliding contact, without a column for each of them.
//
// A contact slides in the units of series.hpp: N = μ M = diag(a1, a2), k = (b1, b2), s is the integral of r over τ.
// Scaling and turning u0_t are symmetries, so all columns are computed from
//
//   tangent    ∂ by N_11, N_12, N_22, k_1, k_2, which act through the slide
//   k, u0      ∂ by the six entries of K and by u0, where they act directly
//   friction   ∂ by μ, where it acts directly
//   scale      |u0_t| ∂/∂|u0_t|
//   turn       the change when the whole contact is turned about the normal
//
//   ∂/∂M_ij = μ tangent_ij + k_ij      ∂/∂μ = Σ M_ij tangent_ij + friction      ∂/∂θ0 = turn - Σ turn of N, k · tangent
#pragma once

#include "contact/kernels/laws/incremental/series_step.hpp"

namespace carom::kernel {
namespace {

template <class V>
struct Variation {
  enum : int {
    n11,
    n12,
    n22,
    k1,
    k2,
    tangents,
    xx = tangents,
    xy,
    xz,
    yy,
    yz,
    zz,
    ux,
    uy,
    uz,
    friction,
    scale,
    turn,
    size
  };

  V of[size];
};

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Variation<V>& from, Others&... others) {
  for (int i = 0; i < Variation<V>::size; ++i) f(from.of[i], others.of[i]...);
}

template <class B>
[[gnu::always_inline]] inline Variation<B> no_variation() {
  Variation<B> v;
  for (B& x : v.of) x = B(0);
  return v;
}
/// a + s v
template <class B>
[[gnu::always_inline]] inline Variation<B> mul_add(B s, const Variation<B>& v, const Variation<B>& a) {
  Variation<B> sum;
  for (int i = 0; i < Variation<B>::size; ++i) sum.of[i] = mul_add(s, v.of[i], a.of[i]);
  return sum;
}
template <class M, class B>
[[gnu::always_inline]] inline Variation<B> choose(M mask, const Variation<B>& yes, const Variation<B>& no) {
  Variation<B> chosen;
  for (int i = 0; i < Variation<B>::size; ++i) chosen.of[i] = choose(mask, yes.of[i], no.of[i]);
  return chosen;
}

/// A place on the course of a contact at fixed s: u and p, the length of the path in u_t's plane, and their changes.
template <class B>
struct Place {
  B ux, uy, px, py, s;
  B area;               // A, the integral of r over s
  Variation<B> vx, vy;  // of p_t
  Variation<B> va;      // of A
};

/// δu_z = δu0_z + δK_z p + k·δp_t
template <class B>
[[gnu::always_inline]] inline Variation<B> of_normal_velocity(const Place<B>& at, const Rates<B>& k) {
  using W = Variation<B>;
  W v = mul_add(k.b1, at.vx, mul_add(k.b2, at.vy, no_variation<B>()));
  v.of[W::xz] = v.of[W::xz] + at.px;
  v.of[W::yz] = v.of[W::yz] + at.py;
  v.of[W::zz] = v.of[W::zz] + at.s;
  v.of[W::uz] = v.of[W::uz] + B(1);
  return v;
}

/// δW = u_t·δp_t + p·δu0 + ½ p·δK p + A δμ + μ δA, W the work of the normal force.
template <class B>
[[gnu::always_inline]] inline Variation<B> of_work(const Place<B>& at, B mu) {
  using W = Variation<B>;
  using T = VectorElement<B>;
  const B half(T(0.5));
  W v = mul_add(at.ux, at.vx, mul_add(at.uy, at.vy, mul_add(mu, at.va, no_variation<B>())));
  const auto add = [&](int i, B x) { v.of[i] = v.of[i] + x; };
  add(W::xx, half * at.px * at.px);
  add(W::xy, at.px * at.py);
  add(W::xz, at.px * at.s);
  add(W::yy, half * at.py * at.py);
  add(W::yz, at.py * at.s);
  add(W::zz, half * at.s * at.s);
  add(W::ux, at.px);
  add(W::uy, at.py);
  add(W::uz, at.s);
  add(W::friction, at.area);
  return v;
}

/// The change of the slide at fixed s, by one of the tangents.
template <class V>
struct Tangent {
  V x, y;          // of u_t
  V sum_x, sum_y;  // of the integral of û over s
  V area;          // of A
};
template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Tangent<V>& from, Others&... others) {
  f(from.x, others.x...);
  f(from.y, others.y...);
  f(from.sum_x, others.sum_x...);
  f(from.sum_y, others.sum_y...);
  f(from.area, others.area...);
}

/// δk - δN û by the five tangents N_11, N_12, N_22, k_1 and k_2.
template <class B>
struct Forces {
  B x[5], y[5];

  Forces(B cosine, B sine)
      : x{negated(cosine), negated(sine), B(0), B(1), B(0)}, y{B(0), negated(cosine), negated(sine), B(0), B(1)} {}
};

/// Tangents by N_12, N_22, k_1 and k_2. N_11 replaces k_1 or k_2, whichever is larger, if N_11 is smaller than that.
/// The omitted tangent follows from scaling K, Σ N ∂_N + Σ k ∂_k = (s g, s û - X, s r - A), divided by the largest of
/// the three.
inline constexpr int carried = 4;

/// The omitted tangent.
template <class B>
struct LeftOut {
  using Mask = decltype(B(0) < B(0));
  Mask k1, k2;  // or else N_11

  explicit LeftOut(const Rates<B>& k) {
    const B x = magnitude(k.b1), y = magnitude(k.b2);
    k1 = x > k.a1 && x >= y;
    k2 = and_not(y > k.a1, k1);
  }
};

/// A slide at fixed s.
template <class B>
struct Slip {
  B x, y, r;  // u_t
  B cosine, sine;
  B gx, gy;  // du_t/ds
  B sum_x, sum_y, s, area;
};

/// Computes all five tangents from the four.
template <class B>
[[gnu::always_inline]] inline void complete(const Rates<B>& k, const LeftOut<B>& out, const Slip<B>& at,
                                            const Tangent<B> (&four)[carried], Tangent<B> (&five)[5]) {
  const B zero(0);
  const auto part = [&](auto member, B whole) {
    // Sum over the tangents that are stored.
    const B t12 = four[0].*member, t22 = four[1].*member, third = four[2].*member, fourth = four[3].*member;
    const B k1_there = choose(out.k1, zero, k.b1), k2_there = choose(out.k2, zero, k.b2);
    const B third_factor = choose(out.k1, k.a1, k1_there), fourth_factor = choose(out.k2, k.a1, k2_there);
    const B rest = whole - mul_add(k.a2, t22, mul_add(third_factor, third, fourth_factor * fourth));
    const B divisor = choose(out.k1, k.b1, choose(out.k2, k.b2, k.a1));
    const B left_out = rest / choose(divisor == zero, B(1), divisor);
    five[0].*member = choose(out.k1, third, choose(out.k2, fourth, left_out));
    five[1].*member = t12;
    five[2].*member = t22;
    five[3].*member = choose(out.k1, left_out, third);
    five[4].*member = choose(out.k2, left_out, fourth);
  };
  part(&Tangent<B>::x, at.s * at.gx);
  part(&Tangent<B>::y, at.s * at.gy);
  part(&Tangent<B>::sum_x, mul_sub(at.s, at.cosine, at.sum_x));
  part(&Tangent<B>::sum_y, mul_sub(at.s, at.sine, at.sum_y));
  part(&Tangent<B>::area, mul_sub(at.s, at.r, at.area));
}

template <class B>
[[gnu::always_inline]] inline Place<B> place_of(const Slip<B>& at, const Tangent<B> (&five)[5], B mu) {
  using W = Variation<B>;
  Place<B> place = {at.x,
                    at.y,
                    negated(mu * at.sum_x),
                    negated(mu * at.sum_y),
                    at.s,
                    at.area,
                    no_variation<B>(),
                    no_variation<B>(),
                    no_variation<B>()};
  for (int j = 0; j < 5; ++j) {
    place.vx.of[j] = negated(mu * five[j].sum_x);
    place.vy.of[j] = negated(mu * five[j].sum_y);
    place.va.of[j] = five[j].area;
  }
  place.vx.of[W::friction] = negated(at.sum_x);
  place.vy.of[W::friction] = negated(at.sum_y);
  place.vx.of[W::scale] = mu * mul_sub(at.s, at.cosine, at.sum_x);
  place.vy.of[W::scale] = mu * mul_sub(at.s, at.sine, at.sum_y);
  place.va.of[W::scale] = mul_sub(B(2), at.area, at.s * at.r);
  place.vx.of[W::turn] = mu * at.sum_y;
  place.vy.of[W::turn] = negated(mu * at.sum_x);
  return place;
}

}  // namespace
}  // namespace carom::kernel
