// Contact step: the new impulse of one contact while all other impulses stay as they are.
//
//   friction                    | wide lanes                  | single manifold
//   ----------------------------+-----------------------------+---------------------------
//   cone, all components        | cone_step                   | single_manifold_cone_step
//   cone, normal first [BS]     | normal_first_step           |
//   ellipse, all components     | ellipse_step                |
//   rolling, spinning           | rolling_step, spinning_step |
//
// Wide lanes hold one contact each, and the bodies hold the velocities. A single manifold has its points on the lanes
// of one vector, or one manifold a lane; its contacts hold the velocities. Islands with other friction have a graph and
// wide lanes. The scalar variant of a step is its template with lanes of one number.
//
// The callers load the lanes, call a step and change the velocities: blocks/sweep.hpp, models/sweep.hpp and
// single_manifold/sweep.hpp. The step of SystemSolver, in double on every ISA, is systems/solvers/local_solve.cpp.
//
// The two steps on the cone differ in the order of their operations. The wide step derives K⁻¹ from the Schur form at
// every visit, which saves memory, and relaxes. The single manifold stores K⁻¹, does not relax, and needs one root and
// one division in sequence for a slip.
//
// [BS] J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
#pragma once

#include "cone_root.hpp"
#include "preparation.hpp"

namespace carom::kernel {
namespace {

/// Minimum length of friction or of a moment, and its square. Sweeps flush squares below the smallest normal number to
/// zero. If two components are lost, a longer vector changes by less than ε.
template <class T>
inline constexpr T min_length = sizeof(T) == sizeof(float) ? T(0x1p-51) : T(0x1p-484);
template <class T>
inline constexpr T min_square = min_length<T>* min_length<T>;

/// True for limits whose squares keep their digits. Smaller limits count as 0.
template <class B>
[[gnu::always_inline]] inline auto is_some(B limit) {
  return limit > B(min_length<VectorElement<B>>);
}
/// True for nonzero vectors, even if their squares vanish.
template <class B>
[[gnu::always_inline]] inline auto is_something(B x, B y) {
  return magnitude(x) + magnitude(y) > B(0);
}
/// Returns true if (x, y) lies within the radius of the cone; `size2` is its squared length. A radius below the
/// minimum length counts as 0.
template <class B>
[[gnu::always_inline]] inline auto is_in_cone(B x, B y, B size2, B radius2) {
  return and_not(size2 <= radius2, and_not(is_something(x, y), radius2 > B(min_square<VectorElement<B>>)));
}

// Cone, all components at once --------------------------------------------------------------------------------------
//
// If the impulse that stops the contact is in the cone, it is the solution. Otherwise the contact slips: the impulse
// lies on the cone and brings u·n to its target, or it is 0. Friction points along p_t - ρ u_t if that is at or outside
// the cone; at a fixed point friction then opposes the slip. Inside the cone that direction could be a fixed point with
// friction along the slip. There friction points along the impulse that stops the contact, which is no fixed point
// unless 1 + κ·t < 0 (docs/scenes.md).

/// Lanes whose contact is pushed, and whose stopping impulse is in the cone.
template <class B>
struct ConeState {
  using Mask = decltype(B() > B());
  Mask pushes, sticks;

  /// `stick`: stopping impulse, `length2`: its squared friction. `needed`: normal impulse without friction; a contact
  /// with `needed` <= 0 separates without an impulse. Contacts without response keep their impulse if `may_retire`.
  template <bool may_retire>
  [[gnu::always_inline]] static ConeState of(const Vector3<B>& stick, B length2, B needed, B static_friction2,
                                             B inverse_k33) {
    const B zero(0), bound2 = static_friction2 * (stick.z * stick.z);
    const Mask pushes = needed > zero, is_bounded = bound2 > B(min_square<VectorElement<B>>);
    Mask sticks = stick.z >= zero && length2 <= bound2;
    if (lane_bits(and_not(pushes, is_bounded)) != 0) [[unlikely]] {
      sticks = and_not(sticks, and_not(is_something(stick.x, stick.y), is_bounded));
      if constexpr (may_retire) sticks = sticks || inverse_k33 == zero;
    }
    return {pushes, sticks};
  }
};

/// Impulse on the cone against the slip: `share` times `along`.
template <class B>
struct ConeSlip {
  Vector3<B> along;
  B share;
};
/// (a1, a2): slip once the normal velocity is at its target. p: impulse so far. `relaxes`: the share is the normal
/// impulse, with relaxation; else the share needs one division.
template <bool relaxes, class B>
[[gnu::always_inline]] inline ConeSlip<B> slip_on_cone(B a1, B a2, const Vector3<B>& p, const Vector3<B>& stick,
                                                       B stick2, B needed, B friction, B reach, B k1, B k2,
                                                       B relaxation) {
  using T = VectorElement<B>;
  const B zero(0), quarter(T(0.25));
  B e1 = neg_mul_add(reach, a1, p.x), e2 = neg_mul_add(reach, a2, p.y), size2 = mul_add(e1, e1, e2 * e2);
  const B bound = friction * choose(p.z > zero, p.z, needed), bound2 = bound * bound;
  const auto is_special = size2 < larger(bound2, B(min_square<T>));
  if (lane_bits(is_special) != 0) [[unlikely]] {
    const auto inside = size2 < bound2;
    e1 = choose(inside, stick.x, e1);
    e2 = choose(inside, stick.y, e2);
    size2 = larger(choose(inside, stick2, size2), B(min_square<T>));
  }
  const B size = square_root(size2), f1 = friction * e1, f2 = friction * e2;
  // On the ray (t1, t2, 1), with (f1, f2) = size t, u·n changes by K_33 (1 + κ·t) times the change of p_n. A ray that
  // changes it by less than a quarter of K_33, or against p_n, counts as one with a quarter or with the opposite sign.
  const B ray = size + mul_add(k1, f1, k2 * f2);
  const auto is_steep = ray < quarter * size;
  const auto steep = [&](B part) __attribute__((always_inline)) {
    const B divisor = larger(magnitude(part), quarter);
    return mul_add(p.z, divisor - part, needed) / divisor;
  };
  if constexpr (relaxes) {
    const B inverse_size = B(1) / size;
    B full = size * (needed / ray);
    if (lane_bits(is_steep) != 0) [[unlikely]]
      full = choose(is_steep, steep(ray * inverse_size), full);
    return {{f1 * inverse_size, f2 * inverse_size, B(1)}, larger(mul_add(relaxation, full - p.z, p.z), zero)};
  } else {
    B share = needed / ray;
    if (lane_bits(is_steep) != 0) [[unlikely]]
      share = choose(is_steep, larger(steep(ray / size), zero) / size, share);
    return {{f1, f2, size}, share};
  }
}

/// Wide lanes. u: velocity of the contact, p: impulse so far, `missed`: target less u·n. With compliance, u·n +
/// compliance p_n replaces u·n, and the response includes the compliance.
template <class B>
[[gnu::always_inline]] inline Vector3<B> cone_step(const SchurForm<B>& k, B friction, B static_friction2, B relaxation,
                                                   const Vector3<B>& u, const Vector3<B>& p, B missed) {
  const B zero(0);
  const B needed = mul_add(k.k1, p.x, mul_add(k.k2, p.y, mul_add(missed, k.inverse_k33, p.z)));
  // The products with K⁻¹ begin without the velocity, so that the next point waits for the fewest operations.
  const Vector3<B> i = inverse_column(k);
  const B d1 = mul_add(i.x, missed, mul_add(k.s11, u.x, k.s12 * u.y));
  const B d2 = mul_add(i.y, missed, mul_add(k.s12, u.x, k.s22 * u.y));
  const B dn = mul_add(i.z, missed, mul_add(i.x, u.x, i.y * u.y));
  const Vector3<B> stick = {neg_mul_add(relaxation, d1, p.x), neg_mul_add(relaxation, d2, p.y),
                            mul_add(relaxation, dn, p.z)};
  const B stick2 = mul_add(stick.x, stick.x, stick.y * stick.y);
  const auto [pushes, sticks] = ConeState<B>::template of<true>(stick, stick2, needed, static_friction2, k.inverse_k33);
  const Vector3<B> none = {zero, zero, zero};
  // A slip takes a root and a division, which cost nothing if every lane sticks or separates.
  if (lane_bits(and_not(pushes, sticks)) == 0) return choose(pushes, stick, none);

  const auto [along, normal] = slip_on_cone<true>(mul_add(k.k1, missed, u.x), mul_add(k.k2, missed, u.y), p, stick,
                                                  stick2, needed, friction, k.reach, k.k1, k.k2, relaxation);
  const Vector3<B> slip = {along.x * normal, along.y * normal, normal};
  return choose(pushes, choose(sticks, stick, slip), none);
}

/// Single manifold. `inverse` is K⁻¹, v: velocity less its target, p: impulse so far. Calls stop(impulse) if all lanes
/// take the impulse that stops them, else push(impulse, change, stops): lanes `stops` take the stopping impulse.
template <class V, class Reach, class Stop, class Push>
[[gnu::always_inline]] inline void single_manifold_cone_step(const Symmetric3<V>& inverse, V inverse_k33, V k1, V k2,
                                                             const Reach& reach, V friction, V static_friction2,
                                                             const Vector3<V>& v, const Vector3<V>& p, const Stop& stop,
                                                             const Push& push) {
  constexpr unsigned all_lanes = (1u << VectorTraits<V>::width) - 1;
  const V zero(0);
  const V s1 = neg_mul_add(inverse.xz, v.z, neg_mul_add(inverse.xy, v.y, neg_mul_add(inverse.xx, v.x, p.x)));
  const V s2 = neg_mul_add(inverse.yz, v.z, neg_mul_add(inverse.yy, v.y, neg_mul_add(inverse.xy, v.x, p.y)));
  const V s3 = neg_mul_add(inverse.zz, v.z, neg_mul_add(inverse.yz, v.y, neg_mul_add(inverse.xz, v.x, p.z)));
  const V needed = mul_add(k1, p.x, mul_add(k2, p.y, neg_mul_add(v.z, inverse_k33, p.z)));
  const V stick2 = mul_add(s1, s1, s2 * s2);
  const Vector3<V> stick = {s1, s2, s3};
  const auto [pushes, sticks] = ConeState<V>::template of<false>(stick, stick2, needed, static_friction2, inverse_k33);
  const auto stops = pushes && sticks;
  if (lane_bits(stops) == all_lanes) [[likely]]
    return stop(stick);
  V n1 = choose(pushes, s1, zero), n2 = choose(pushes, s2, zero), n3 = choose(pushes, s3, zero);
  V c1 = n1 - p.x, c2 = n2 - p.y, c3 = n3 - p.z;
  if (lane_bits(and_not(pushes, sticks)) != 0) {
    const auto slips = and_not(pushes, sticks);
    const auto [along, share] = slip_on_cone<false>(neg_mul_add(k1, v.z, v.x), neg_mul_add(k2, v.z, v.y), p, stick,
                                                    stick2, needed, friction, reach(), k1, k2, zero);
    n1 = choose(slips, along.x * share, n1);
    n2 = choose(slips, along.y * share, n2);
    n3 = choose(slips, along.z * share, n3);
    c1 = choose(slips, mul_sub(along.x, share, p.x), c1);
    c2 = choose(slips, mul_sub(along.y, share, p.y), c2);
    c3 = choose(slips, mul_sub(along.z, share, p.z), c3);
  }
  push(Vector3<V>{n1, n2, n3}, Vector3<V>{c1, c2, c3}, stops);
}

// Cone, normal first ------------------------------------------------------------------------------------------------

/// Form for this step: k, and M for S.
template <class B>
[[gnu::always_inline]] inline ContactForm<B> normal_first_form(const Symmetric3<B>& k) {
  return {B(1) / k.zz, k.xz, k.yz, k.xx, k.xy, k.yy};
}

/// Wide lanes. Solves for the normal impulse, then for friction: [BS] equations 1 to 6. The accumulated normal impulse
/// bounds the accumulated friction.
template <class B>
[[gnu::always_inline]] inline Vector3<B> normal_first_step(const ContactForm<B>& k, B friction, B static_friction,
                                                           const Vector3<B>& u, const Vector3<B>& p, B missed) {
  const B zero(0), one(1);
  const B normal = larger(mul_add(missed, k.inverse_k33, p.z), zero), change = normal - p.z;
  const B u1 = mul_add(k.k1, change, u.x), u2 = mul_add(k.k2, change, u.y);
  // u_t / (tᵀ M t) with t = u_t / |u_t|
  const B slip2 = mul_add(u1, u1, u2 * u2);
  const B work = mul_add(u1, mul_add(k.s11, u1, k.s12 * u2), u2 * mul_add(k.s12, u1, k.s22 * u2));
  const B stopping = choose(work > zero, slip2 / choose(work > zero, work, one), zero);
  const B c1 = neg_mul_add(stopping, u1, p.x), c2 = neg_mul_add(stopping, u2, p.y);
  const B min_size(min_length<VectorElement<B>>), bound = static_friction * normal;
  const B size = larger(square_root(mul_add(c1, c1, c2 * c2)), choose(is_something(c1, c2), min_size, zero));
  const B share = choose(size <= bound, one, friction * normal / larger(size, min_size));
  // Behind a lane's last point the slip may be NaN.
  const auto pushed = normal > zero;
  return {choose(pushed, share * c1, zero), choose(pushed, share * c2, zero), normal};
}

// Ellipse -----------------------------------------------------------------------------------------------------------

/// The ellipse of friction is D = diag(d1, d2) times a disc of radius μ p_n, and the larger d is 1: p_t = D q,
/// |q| <= μ p_n.
template <class Number>
struct FrictionEllipse {
  Number d1, d2, inverse_d1, inverse_d2;  // the inverse of 0 is 0
  Number most;                            // μ
  Number static_ratio;                    // static friction over friction
};
template <class B>
[[gnu::always_inline]] inline FrictionEllipse<B> friction_ellipse(B friction, B friction_2, B static_friction) {
  const B zero(0), one(1), most = larger(friction, friction_2);
  const auto has_friction = most > zero, slides = friction > zero;
  const B divisor = choose(has_friction, most, one);
  const auto part = [&](B coefficient) { return choose(has_friction, coefficient / divisor, one); };
  const auto inverse = [&](B x) { return choose(x > zero, one / choose(x > zero, x, one), zero); };
  const B d1 = part(friction), d2 = part(friction_2);
  return {d1, d2, inverse(d1), inverse(d2), most, choose(slides, static_friction / choose(slides, friction, one), one)};
}

/// |q|² of an impulse.
template <class B>
[[gnu::always_inline]] inline B length2_of(const FrictionEllipse<B>& ellipse, const Vector3<B>& p) {
  const B q1 = ellipse.inverse_d1 * p.x, q2 = ellipse.inverse_d2 * p.y;
  return mul_add(q1, q1, q2 * q2);
}

/// Form for the step on the ellipse: the Schur complement of K with its compliance.
template <class B>
struct EllipseForm : ContactForm<B> {
  Eigenvalues2<B> axes;  // of D S D
};
template <class B>
[[gnu::always_inline]] inline EllipseForm<B> ellipse_form(const Symmetric3<B>& k, B d1, B d2) {
  const ContactForm<B> s = schur_complement(k);
  const B both = d1 * d2;
  return {s, Eigenvalues2<B>::of((d1 * d1) * s.s11, both * s.s12, (d2 * d2) * s.s22,
                                 (both * both) * difference_of_products(s.s11, s.s22, s.s12, s.s12))};
}

/// Applies the relaxation to the change of the impulse, then the bound of the ellipse.
template <class B>
[[gnu::noinline]] inline Vector3<B> relaxed_on_ellipse(const FrictionEllipse<B>& ellipse, B relaxation,
                                                       const Vector3<B>& p, const Vector3<B>& next) {
  const B zero(0), one(1);
  const Vector3<B> to = {mul_add(relaxation, next.x - p.x, p.x), mul_add(relaxation, next.y - p.y, p.y),
                         larger(mul_add(relaxation, next.z - p.z, p.z), zero)};
  const B size2 = length2_of(ellipse, to);
  const B bound = larger(ellipse.static_ratio, one) * ellipse.most * to.z;
  const B size = square_root(larger(size2, B(min_square<VectorElement<B>>)));
  const B share = choose(is_in_cone(to.x, to.y, size2, bound * bound), one, ellipse.most * to.z / size);
  return {share * to.x, share * to.y, to.z};
}

template <class B>
struct EllipseImpulse {
  Vector3<B> impulse;
  decltype(B() > B()) sticks;
};

/// Wide lanes. All three components at once, exactly: 0, the impulse that stops the contact if it is in the ellipse, or
/// the impulse on the ellipse against the slip. Velocities include the yield of the compliance. (z1, z2): slip,
/// `missed`: target less the normal velocity.
template <class B>
[[gnu::always_inline]] inline EllipseImpulse<B> ellipse_step(const EllipseForm<B>& form, const FrictionEllipse<B>& of,
                                                             B relaxation, B z1, B z2, B missed, const Vector3<B>& p) {
  const B zero(0), one(1);
  const B k1 = form.k1, k2 = form.k2;
  const B need = mul_add(k1, p.x, mul_add(k2, p.y, mul_add(missed, form.inverse_k33, p.z)));
  const B length = of.most * need;
  const auto pushes = need > zero, has_friction = is_some(length);
  // The slip without friction, once the normal velocity is at its target.
  const B b1 = neg_mul_add(form.s11, p.x, neg_mul_add(form.s12, p.y, mul_add(k1, missed, z1)));
  const B b2 = neg_mul_add(form.s12, p.x, neg_mul_add(form.s22, p.y, mul_add(k2, missed, z2)));
  const Eigenvalues2<B>& axes = form.axes;
  const auto turned = [&](B x, B y) { return into_axes(axes.cosine, axes.sine, Plane<B>{of.d1 * x, of.d2 * y}); };
  const Plane<B> k = turned(k1, k2);
  const ConeRoot<B> root(axes.large, axes.small, turned(b1, b2), {of.most * k.x, of.most * k.y}, length);
  OnCone<B> found = root.stick();
  const B bound = of.static_ratio * found.length;
  const B size2 = mul_add(found.q.x, found.q.x, found.q.y * found.q.y);
  const auto is_within = is_in_cone(found.q.x, found.q.y, size2, bound * bound);
  const auto sticks = bound >= zero && is_within && has_friction;
  const auto slips = and_not(pushes && has_friction, sticks);
  if (lane_bits(slips) != 0) {
    const Plane<B> before = into_axes(axes.cosine, axes.sine, Plane<B>{of.inverse_d1 * p.x, of.inverse_d2 * p.y});
    const OnCone<B> slip = root.slip(slips, before);
    found.q = {choose(slips, slip.q.x, found.q.x), choose(slips, slip.q.y, found.q.y)};
    found.length = choose(slips, slip.length, found.length);
  }
  const Plane<B> q = out_of_axes(axes.cosine, axes.sine, found.q);
  Vector3<B> next = {choose(has_friction, of.d1 * q.x, zero), choose(has_friction, of.d2 * q.y, zero),
                     choose(has_friction, found.length / choose(has_friction, of.most, one), need)};
  next = choose(pushes, next, Vector3<B>{zero, zero, zero});
  if (lane_bits(relaxation == one) == 0) next = relaxed_on_ellipse(of, relaxation, p, next);
  return {next, pushes && sticks};
}

// Moment of a manifold against rolling and spinning -----------------------------------------------------------------

/// Upper limits of the moment of a manifold.
template <class B>
struct MomentLimits {
  B roll, spin;

  /// The moment within the limits.
  [[gnu::always_inline]] Vector3<B> cut(const Vector3<B>& m) const {
    const B longest = larger(roll, B(0)), most = larger(spin, B(0));
    const B share = choose(is_some(longest), share_within(mul_add(m.x, m.x, m.y * m.y), longest), B(0));
    return {share * m.x, share * m.y, larger(smaller(m.z, most), negated(most))};
  }
};

/// The rolling part of the moment m, exactly. o: relative angular velocity, `axes`: response to moments. An axis with
/// eigenvalue 0 has no moment.
template <class B>
[[gnu::always_inline]] inline Plane<B> rolling_step(const Eigenvalues2<B>& axes, const Plane<B>& o, const Plane<B>& m,
                                                    B limit) {
  const B zero(0);
  const Plane<B> along = into_axes(axes.cosine, axes.sine, o), now = into_axes(axes.cosine, axes.sine, m);
  const auto slip = [&](B eigenvalue, B o_now, B m_now) {
    return choose(eigenvalue > zero, neg_mul_add(eigenvalue, m_now, o_now), zero);
  };
  const ConeRoot<B> root(axes.large, axes.small, {slip(axes.large, along.x, now.x), slip(axes.small, along.y, now.y)},
                         {zero, zero}, limit);
  OnCone<B> found = root.stick();
  const auto pushes = is_some(limit);
  const B size2 = mul_add(found.q.x, found.q.x, found.q.y * found.q.y);
  const auto slips = and_not(pushes, size2 <= limit * limit);
  if (lane_bits(slips) != 0) {
    const OnCone<B> on_limit = root.slip(slips, now);
    found.q = {choose(slips, on_limit.q.x, found.q.x), choose(slips, on_limit.q.y, found.q.y)};
  }
  const Plane<B> q = out_of_axes(axes.cosine, axes.sine, found.q);
  return {choose(pushes, q.x, zero), choose(pushes, q.y, zero)};
}

/// The moment m with its spinning part solved, within the limits. o: relative angular velocity about the normal,
/// `inverse`: 1 over the response, or 0.
template <class B>
[[gnu::always_inline]] inline Vector3<B> spinning_step(B inverse, B o, const Vector3<B>& m,
                                                       const MomentLimits<B>& limits) {
  return limits.cut({m.x, m.y, choose(inverse > B(0), neg_mul_add(inverse, o, m.z), B(0))});
}

}  // namespace
}  // namespace carom::kernel
