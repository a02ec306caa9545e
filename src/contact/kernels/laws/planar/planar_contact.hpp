// A vector of planar contacts: the stages load, frame, collision matrix and validate, and the input of store.
#pragma once

#include "store_planar.hpp"
#include "validate_planar.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, class Form>
struct PlanarContact {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Columns = PlanarColumns<A, T>;
  using Validator = PlanarValidator<A, T>;
  static constexpr bool has_bodies = requires(const Form& c) { c.r_a; };

  PlanarPair<B> bodies;
  Vector2<B> given, n, t;  // the caller's normal, the frame
  B length;                // of the normal
  B xx, xy, yy;            // K of contacts without bodies
  B friction, restitution;
  Vector2<B> before;  // [m/s] u0 in the frame of the results
  PlanarProblem<A, T> in;

  [[gnu::always_inline]] void load(const Form& c, std::size_t slot) {
    friction = Columns::load(c.friction, slot);
    restitution = Columns::load(c.restitution, slot);
    if constexpr (has_bodies) {
      load_bodies(c, slot);
      given = Columns::load(c.normal, slot);
      length = square_root(dot(given, given));
      const B inverse_length = B(1) / length;
      set_normal({given.x * inverse_length, given.y * inverse_length});
      set_velocity();
      in.set_bodies(bodies.a, bodies.r_a, bodies.b, bodies.r_b, t, n);
      in.set_velocity({dot(before, t), dot(before, n)});
    } else {
      xx = Columns::load(c.k.xx, slot);
      xy = Columns::load(c.k.xy, slot);
      yy = Columns::load(c.k.yy, slot);
      load_velocity(c, slot);
      in.set_matrix(xx, xy, yy);
      in.set_velocity(before);
    }
    in.set_friction(friction, restitution);
  }

  [[gnu::always_inline]] void load_bodies(const Form& c, std::size_t slot) {
    bodies = {Columns::load(c.a, slot), Columns::load(c.b, slot), Columns::load(c.r_a, slot),
              Columns::load(c.r_b, slot)};
  }
  [[gnu::always_inline]] void load_velocity(const Form& c, std::size_t slot) {
    before = Columns::load(c.separation_velocity, slot);
  }

  void set_normal(const Vector2<B>& normal) {
    n = normal;
    t = {n.y, negated(n.x)};
  }
  void set_velocity() {
    const auto& [a, b, r_a, r_b] = bodies;
    before = {
        neg_mul_add(a.angular_velocity, r_a.y, a.velocity.x) - neg_mul_add(b.angular_velocity, r_b.y, b.velocity.x),
        mul_add(a.angular_velocity, r_a.x, a.velocity.y) - mul_add(b.angular_velocity, r_b.x, b.velocity.y)};
  }

  /// Sets all faults except the faults of law parameters, which the validator already has.
  [[gnu::always_inline]] void validate(Validator& validator, const PlanarOptions& options) const {
    validator.contact_columns(friction, restitution, B(static_cast<T>(options.max_restitution)));
    B sum = vanishing(restitution);
    if constexpr (has_bodies) {
      validator.bodies(bodies.a, bodies.b);
      validator.set(magnitude(length - B(1)) > B(static_cast<T>(options.normal_tolerance)), Status::normal_not_unit);
      sum = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) + sum;
    } else {
      sum = vanishing(xx) + vanishing(xy) + vanishing(yy) + vanishing(before.x) + vanishing(before.y) + sum;
    }
    const auto each = [&](auto&& f) {
      if constexpr (has_bodies) {
        for_each_field(bodies, f);
        for_each_field(given, f);
      } else {
        f(xx);
        f(xy);
        f(yy);
        for_each_field(before, f);
      }
      f(restitution);
    };
    validator.numbers(sum == B(0), each, friction);
  }

  /// The last two faults of Status. The validator sets them first.
  [[gnu::always_inline]] void validate_matrix(Validator& validator) const {
    const B zero(0), unit = in.impulse_unit();
    // Comparisons with NaN are false, so a NaN is a fault.
    validator.fault = choose(in.definite, zero, B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    const Mask finite = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) == zero;
    const Mask in_range = vanishing(unit) == zero || in.trace <= zero;
    validator.fault = choose(finite && in_range, validator.fault, B(static_cast<T>(Status::overflow)));
  }

  /// The first fault. Without a fault, ok if the contact approaches, else separating.
  B verdict(const Validator& validator) const {
    const B zero(0), ok(static_cast<T>(Status::ok)), separating(static_cast<T>(Status::separating));
    return choose(validator.fault == zero, choose(in.y < zero, ok, separating), validator.fault);
  }

  /// Transforms a vector from the frame of the results to the frame of the law.
  Vector2<B> in_frame(const Vector2<B>& v) const {
    if constexpr (has_bodies)
      return {dot(v, t), dot(v, n)};
    else
      return v;
  }
  Vector2<B> in_world(const Vector2<B>& v) const {
    if constexpr (has_bodies)
      return {mul_add(v.x, t.x, v.y * n.x), mul_add(v.x, t.y, v.y * n.y)};
    else
      return v;
  }

  [[gnu::always_inline]] void store(const PlanarStorer<A, T>& storer, std::size_t slot, std::size_t count,
                                    const PlanarUnits<B>& units, const PlanarCollision<B>& out, B status) const {
    storer.template store<has_bodies>(slot, count, units, out, in_world(out.p), in_world(out.u),
                                      {known(before.x), known(before.y)}, status, bodies);
  }

 private:
  /// Zero if x is finite, else NaN.
  static B vanishing(B x) { return x - x; }
  static B known(B x) { return choose(vanishing(x) == B(0), x, B(static_cast<T>(__builtin_nan("")))); }
};

}  // namespace
}  // namespace carom::kernel
