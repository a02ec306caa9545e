// A vector of planar contacts: the stages load, frame, collision matrix and validate, and the input of store.
#pragma once

#include "store_planar.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, class Form>
struct PlanarContact {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = TileLoader<A, T>;
  static constexpr bool has_bodies = requires(const Form& c) { c.r_a; };

  BodyPair<B, 2> bodies;
  Vector2<B> r_a, r_b;
  Vector2<B> given, n, t;  // the caller's normal, the frame
  B length;                // of the normal
  Symmetric2<B> k;         // of contacts without bodies
  B friction, restitution;
  Vector2<B> before;  // [m/s] u0 in the frame of the results
  PlanarProblem<A, T> in;

  [[gnu::always_inline]] void load(const Form& c, WholeBlock block) {
    friction = Load::load(c.friction, block);
    restitution = Load::load(c.restitution, block);
    if constexpr (has_bodies) {
      load_bodies(c, block);
      given = Load::load(c.normal, block);
      length = square_root(dot(given, given));
      set_normal(B(1) / length * given);
      set_velocity();
      in.set_bodies(bodies, r_a, r_b, t, n);
    } else {
      k = Load::load(c.k, block);
      load_velocity(c, block);
      in.set_matrix(k.xx, k.xy, k.yy);
    }
    in.set_velocity(in_frame(before));
    in.set_friction(friction, restitution);
  }

  [[gnu::always_inline]] void load_bodies(const Form& c, WholeBlock block) {
    bodies = Load::load_bodies(c, block);
    r_a = Load::load(c.r_a, block);
    r_b = Load::load(c.r_b, block);
  }
  [[gnu::always_inline]] void load_velocity(const Form& c, WholeBlock block) {
    before = Load::load(c.separation_velocity, block);
  }

  void set_normal(const Vector2<B>& normal) {
    n = normal;
    t = {n.y, negated(n.x)};
  }
  void set_velocity() {
    const auto& [a, b] = bodies;
    before = {
        neg_mul_add(a.angular_velocity, r_a.y, a.velocity.x) - neg_mul_add(b.angular_velocity, r_b.y, b.velocity.x),
        mul_add(a.angular_velocity, r_a.x, a.velocity.y) - mul_add(b.angular_velocity, r_b.x, b.velocity.y)};
  }

  /// Sets all faults. `index_fault`: faults of the body indices, or null; `of_law` and `each` as in Validator::contact.
  template <class OfLaw, class Each>
  [[gnu::always_inline]] void validate(Validator<A, T>& validator, const Parameters<T>& options, const T* index_fault,
                                       OfLaw&& of_law, Each&& each) const {
    const auto limits = Validator<A, T>::limits_of(options);
    const Mask finite = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) == B(0);
    validator.computed(in.definite, finite && (vanishing(in.impulse_unit()) == B(0) || in.trace <= B(0)));
    if constexpr (has_bodies) {
      validator.contact(bodies, length, friction, restitution, limits,
                        vanishing(in.trace) + vanishing(in.x) + vanishing(in.y), of_law, [&](auto&& f) {
                          for_each_field(r_a, f);
                          for_each_field(r_b, f);
                          for_each_field(given, f);
                          each(f);
                        });
      if (index_fault != nullptr) validator.indices(load_lanes<B>(index_fault));
    } else {
      validator.contact(k, before, friction, restitution, limits, of_law, each);
    }
  }

  B verdict(const Validator<A, T>& validator) const { return validator.verdict(in.y < B(0)); }

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
    const auto [p, resolved] = storer.store(slot, count, units, out, in_world(out.p), in_world(out.u),
                                            {known(before.x), known(before.y)}, status);
    if constexpr (has_bodies)
      if (storer.wants_bodies())
        store_velocities(storer.results, slot, velocities_after(bodies.a, r_a, p, resolved, Mask(false)),
                         velocities_after(bodies.b, r_b, negated(p), resolved, Mask(false)));
  }

 private:
  static B known(B x) { return choose(vanishing(x) == B(0), x, B(static_cast<T>(__builtin_nan("")))); }
};

}  // namespace
}  // namespace carom::kernel
