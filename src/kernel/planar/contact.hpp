// Stages 1 to 4 for a vector of contacts of any form, and what stage 6 needs of it.
#pragma once

#include "store.hpp"
#include "validate.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts, bool dense>
struct PlanarContact {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Columns = PlanarColumns<A, T, dense>;
  using Validator = PlanarValidator<A, T>;
  static constexpr bool has_bodies = requires(Contacts<T> c) { c.lever_a; };
  static constexpr bool has_indices = requires(Contacts<T> c) { c.body_a; };

  PlanarPair<B> bodies;
  typename Columns::Indices index_a, index_b;
  Vector2<B> given, n, t;  // the normal as the host has it, the frame
  B length;                // of the normal
  B xx, xy, yy;            // K of contacts without bodies
  B friction, restitution;
  Vector2<B> before;  // [m/s] u0 in the frame of the results
  PlanarProblem<A, T> in;

  [[gnu::always_inline]] void load(const Contacts<T>& c, const Lanes& lanes) {
    friction = Columns::load(c.friction, lanes);
    restitution = Columns::load(c.restitution, lanes);
    if constexpr (has_bodies) {
      load_levers(c, lanes);
      load_bodies(c, lanes);
      given = Columns::load(c.normal, lanes);
      length = square_root(dot(given, given));
      const B inverse_length = B(1) / length;
      set_normal({given.x * inverse_length, given.y * inverse_length});
      set_velocity();
      in.set_bodies(bodies.a, bodies.lever_a, bodies.b, bodies.lever_b, t, n);
      in.set_velocity({dot(before, t), dot(before, n)});
    } else {
      xx = Columns::load(c.k.xx, lanes);
      xy = Columns::load(c.k.xy, lanes);
      yy = Columns::load(c.k.yy, lanes);
      load_velocity(c, lanes);
      in.set_matrix(xx, xy, yy);
      in.set_velocity(before);
    }
    in.set_friction(friction, restitution);
  }

  [[gnu::always_inline]] void load_levers(const Contacts<T>& c, const Lanes& lanes) {
    bodies.lever_a = Columns::load(c.lever_a, lanes);
    bodies.lever_b = Columns::load(c.lever_b, lanes);
  }
  [[gnu::always_inline]] void load_bodies(const Contacts<T>& c, const Lanes& lanes) {
    if constexpr (has_indices) {
      const std::size_t count = c.bodies.inverse_mass.count;
      index_a = Columns::load_indices(c.body_a, count, lanes);
      index_b = Columns::load_indices(c.body_b, count, lanes);
      bodies.a = Columns::gather(c.bodies, index_a);
      bodies.b = Columns::gather(c.bodies, index_b);
    } else {
      bodies.a = Columns::load(c.a, lanes);
      bodies.b = Columns::load(c.b, lanes);
    }
  }
  [[gnu::always_inline]] void load_velocity(const Contacts<T>& c, const Lanes& lanes) {
    before = Columns::load(c.separation_velocity, lanes);
  }

  void set_normal(const Vector2<B>& normal) {
    n = normal;
    t = {n.y, negated(n.x)};
  }
  void set_velocity() {
    const auto& [a, b, lever_a, lever_b] = bodies;
    before = {
        neg_mul_add(a.angular_velocity, lever_a.y, a.velocity.x) -
            neg_mul_add(b.angular_velocity, lever_b.y, b.velocity.x),
        mul_add(a.angular_velocity, lever_a.x, a.velocity.y) - mul_add(b.angular_velocity, lever_b.x, b.velocity.y)};
  }

  /// The faults that no parameter of a law has a part in; of those of a law's parameters the validator has been told.
  [[gnu::always_inline]] void judge(Validator& validator, const PlanarOptions& options) const {
    validator.contact_columns(friction, restitution, B(static_cast<T>(options.largest_restitution)));
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
    if constexpr (has_indices) validator.indices(index_a, index_b);
  }

  /// The last two of Status, which come first to a validator.
  [[gnu::always_inline]] void judge_matrix(Validator& validator) const {
    const B zero(0), unit = in.impulse_unit();
    // Comparisons with NaN are false: what can't be told to be right is a fault.
    validator.fault = choose(in.definite, zero, B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    const Mask finite = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) == zero;
    const Mask in_range = vanishing(unit) == zero || in.trace <= zero;
    validator.fault = choose(finite && in_range, validator.fault, B(static_cast<T>(Status::overflow)));
    if constexpr (has_bodies) validator.pivot(bodies.a, bodies.b);
  }

  /// The first fault, or else ok where there is something for the law to resolve.
  B verdict(const Validator& validator) const {
    const B zero(0), ok(static_cast<T>(Status::ok)), separating(static_cast<T>(Status::separating));
    return choose(validator.fault == zero, choose(in.y < zero, ok, separating), validator.fault);
  }

  /// From the frame of the results to that of the law.
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

  [[gnu::always_inline]] void store(const PlanarStorer<A, T, dense>& storer, const Lanes& lanes,
                                    const PlanarUnits<B>& units, const PlanarCollision<B>& out, B status) const {
    storer.template store<has_bodies>(lanes, units, out, in_world(out.p), in_world(out.u),
                                      {known(before.x), known(before.y)}, status, bodies);
  }

 private:
  /// Zero of what is finite, else NaN.
  static B vanishing(B x) { return x - x; }
  static B known(B x) { return choose(vanishing(x) == B(0), x, B(static_cast<T>(__builtin_nan("")))); }
};

}  // namespace
}  // namespace carom::kernel
