// Frame and collision matrix of a planar contact for its law. K is divided by its trace, u0 by its larger component,
// and so impulses by speed / trace: every number is of order 1 in any units of the caller.
//
//   K = (a b; b c)    along tangent and normal     [R] 5.2, step 2
//   det = m² + m Σ J |r|² + J_A J_B (r_A × r_B)²   m = 1/mA + 1/mB
//
// The determinant of a slender body's K cancels. The sum above has only terms >= 0, so it does not cancel, and it needs
// no frame. Without a mass it is 0 if the arms are parallel. In units of the trace, which is then Σ J |r|², the min
// eigenvalue is at least det. So det must exceed the margin of numerics/definite.hpp.
#pragma once

#include "contact/kernels/pipeline/law_parameters.hpp"
#include "contact/kernels/stages/contact_pointers.hpp"
#include "contact/kernels/stages/units.hpp"
#include "simd/kernels/numerics/definite.hpp"

namespace carom::kernel {
namespace {

/// The parameters of single laws, in addition to friction and restitution.
template <class B, class T>
struct PlanarParameters {
  using Parameter = columns::Parameter;

  ParameterLanes<T, 2> lanes;
  B restitution_law;

  B get(std::size_t i) const { return load_lanes<B>(lanes[i]); }
  B get(Parameter parameter) const { return get(static_cast<std::size_t>(parameter)); }
  B weight(std::size_t component) const { return get(ParameterLanes<T, 2>::first_weight + component); }

  Vector2<B> candidate() const { return {get(Parameter::candidate_x), get(Parameter::candidate_y)}; }
  void set_candidate(const Vector2<B>& p) const {
    store_lanes(lanes[static_cast<std::size_t>(Parameter::candidate_x)], p.x);
    store_lanes(lanes[static_cast<std::size_t>(Parameter::candidate_y)], p.y);
  }
};

/// Reads the parameters of contacts that all have one law.
template <class A, class T>
class PlanarLawColumns {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Reader = ParameterReader<A, T, 2>;
  using Lanes = ParameterLanes<T, 2>;

  T values_[Lanes::count][Lanes::step];
  unsigned found_ = 0;

 public:
  PlanarParameters<B, T> parameters = {{values_[0]}, B(0)};

  /// Sets the faults of `validator`. Returns zero where all parameters are finite, else NaN.
  [[gnu::always_inline]] B read(const LawColumns<T>& columns, const Block& block, Law law, RestitutionLaw otherwise,
                                Validator<A, T>& validator) {
    parameters.restitution_law = validator.restitution_law(columns, block, otherwise, RestitutionLaw::kinematic);
    if ((laws_with_parameters<2> & bit_of(law)) == 0) return B(0);
    return read_parameters(columns, block, law, validator);
  }

  template <class F>
  void for_each_field(F&& f) const {
    Reader::for_each_field(parameters.lanes, found_, f);
  }

 private:
  [[gnu::noinline]] B read_parameters(const LawColumns<T>& columns, const Block& block, Law law,
                                      Validator<A, T>& validator) {
    Reader reader(columns, block, parameters.lanes);
    reader.read(law, Mask(true));
    reader.validate(validator);
    found_ = reader.found();
    return reader.sum();
  }
};

/// Units in which the caller's numbers are of order 1: trace K [1/kg], the larger component of u0 [m/s], and their
/// quotient, speed / trace, for impulses.
template <class B>
struct PlanarUnits {
  B trace, speed, impulse;
};

/// An impulse [N s] in its unit, speed / trace, which may be as small as 0.
template <class T, class B>
[[gnu::always_inline]] inline Vector2<B> in_impulse_units(const Vector2<B>& p, B trace, B speed) {
  const B largest = larger(magnitude(p.x), magnitude(p.y));
  const auto far = largest * trace * B(T(1) / longest_impulse<T>) > speed;
  const B divisor = choose(far, largest, B(1)), factor(longest_impulse<T>);
  return {choose(far, p.x / divisor * factor, p.x * trace / speed),
          choose(far, p.y / divisor * factor, p.y * trace / speed)};
}

template <class A, class T>
struct PlanarProblem {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  B a, b, c, det;
  B inverse_c, slope, pivot;  // 1 / c, b / c, det / c
  B x, y;                     // u0
  B friction, restitution;
  B cone_t, cone_n;               // Coulomb's bound as cone_t |p_t| <= cone_n p_n, with finite coefficients
  B trace, inverse_trace, speed;  // [1/kg], [kg], [m/s]
  Mask definite;

  /// K is definite if its determinant is above `least`.
  [[gnu::always_inline]] void set_matrix(B xx, B xy, B yy, B determinant, B least) {
    a = xx;
    b = xy;
    c = yy;
    det = determinant;
    inverse_c = B(1) / c;
    slope = b * inverse_c;
    pivot = det * inverse_c;
    definite = a > B(0) && c > B(0) && det > least;
  }

  /// The determinant must exceed its own rounding.
  [[gnu::always_inline]] void set_matrix(B xx, B xy, B yy) {
    trace = xx + yy;
    const B scale = inverse_trace = B(1) / trace;
    const B aa = xx * scale, bb = xy * scale, cc = yy * scale;
    set_matrix(aa, bb, cc, difference_of_products(aa, cc, bb, bb), B(T(4) * epsilon<T>) * aa * cc);
  }

  [[gnu::always_inline]] void set_bodies(const BodyPair<B, 2>& bodies, const Vector2<B>& r_a, const Vector2<B>& r_b,
                                         const Vector2<B>& t, const Vector2<B>& n) {
    const auto& [body_a, body_b] = bodies;
    const B mass = body_a.inverse_mass + body_b.inverse_mass;
    const B turn_a = body_a.inverse_inertia * dot(r_a, r_a);
    const B turn_b = body_b.inverse_inertia * dot(r_b, r_b);
    trace = mul_add(B(2), mass, turn_a + turn_b);
    const B scale = inverse_trace = B(1) / trace;
    const B m = mass * scale, ja = body_a.inverse_inertia * scale, jb = body_b.inverse_inertia * scale;
    const B across = cross(r_a, r_b);
    // r × t = -r·n, r × n = r·t.
    const B at = dot(r_a, t), an = dot(r_a, n), bt = dot(r_b, t), bn = dot(r_b, n);
    const B ja_n = ja * an, jb_n = jb * bn;
    const B determinant = mul_add(m, m + (turn_a + turn_b) * scale, (ja * across) * (jb * across));
    set_matrix(mul_add(ja_n, an, mul_add(jb_n, bn, m)), negated(mul_add(ja_n, at, jb_n * bt)),
               mul_add(ja * at, at, mul_add(jb * bt, bt, m)), determinant,
               choose(m > B(0), B(0), B(singular_margin<T>)));
  }

  [[gnu::always_inline]] void set_velocity(const Vector2<B>& u0) {
    const B largest = larger(magnitude(u0.x), magnitude(u0.y));
    speed = choose(largest > B(0), largest, B(1));
    const B scale = B(1) / speed;
    x = u0.x * scale;
    y = u0.y * scale;
    // The inverse of a subnormal number may overflow.
    if (const Mask tiny = speed < B(min_normal<T>); lane_bits(tiny) != 0) [[unlikely]] {
      x = choose(tiny, u0.x / speed, x);
      y = choose(tiny, u0.y / speed, y);
    }
  }

  [[gnu::always_inline]] void set_friction(B given_friction, B given_restitution) {
    friction = given_friction;
    restitution = given_restitution;
    const Cone<B> cone = cone_of(friction);
    cone_t = cone.normal;
    cone_n = cone.tangential;
  }

  B impulse_unit() const { return speed * inverse_trace; }
  PlanarUnits<B> units() const { return {trace, speed, impulse_unit()}; }

  /// The rise of u_n under all laws of kinematic restitution.
  B rise() const { return negated(mul_add(restitution, y, y)); }

  Mask outside_cone(B p_t, B p_n) const { return cone_t * magnitude(p_t) > cone_n * p_n; }

  Vector2<B> velocity_after(const Vector2<B>& p) const {
    return {mul_add(a, p.x, mul_add(b, p.y, x)), mul_add(b, p.x, mul_add(c, p.y, y))};
  }

  /// p·u0 + ½ p·K p, of kinetic energy.
  B energy_gained(const Vector2<B>& p) const {
    const Vector2<B> u = velocity_after(p);
    return B(T(0.5)) * mul_add(p.x, x + u.x, p.y * (y + u.y));
  }

  /// The impulse that changes u by (dx, dy).
  Vector2<B> impulse_for(B dx, B dy) const {
    const B p_t = neg_mul_add(slope, dy, dx) / pivot;
    return {p_t, neg_mul_add(b, p_t, dy) * inverse_c};
  }

  /// The end of the cone on the side of `sign` where u_n has risen by `by`.
  Vector2<B> on_cone(B sign, B by) const {
    const B size = by / mul_add(cone_t, c, sign * cone_n * b);
    return {sign * cone_n * size, cone_t * size};
  }
};

template <class A, class T>
struct PlanarImpulse {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;

  Vector2<B> p;
  Mask slips;  // p lies on the friction cone
};

template <class B>
inline B sign_of(B x) {
  return choose(x < B(0), B(-1), B(1));
}

}  // namespace
}  // namespace carom::kernel
