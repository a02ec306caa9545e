// A contact as all stages use it: load, the frame, the collision matrix, and the separation velocity. Frame and matrix
// depend only on the geometry and the masses. The separation velocity changes with every impulse.
#pragma once

#include "collision_matrix.hpp"
#include "contact_pointers.hpp"
#include "validate.hpp"

namespace carom::kernel {
namespace {

/// The velocity of A's contact point relative to B's.
template <class B>
inline Vector3<B> separation_velocity(const Vector3<B>& velocity_a, const Vector3<B>& angular_velocity_a,
                                      const Vector3<B>& r_a, const Vector3<B>& velocity_b,
                                      const Vector3<B>& angular_velocity_b, const Vector3<B>& r_b) {
  return velocity_a + cross(angular_velocity_a, r_a) - velocity_b - cross(angular_velocity_b, r_b);
}

/// The frame of a normal that is divided by its length.
template <class B>
inline Frame<B> frame_along(const Vector3<B>& normal, B length) {
  return make_frame((B(1) / length) * normal);
}

/// Contacts between bodies, one per lane.
template <class A, class T>
struct BodyContact {
  using B = typename LaneTypes<A, T>::Batch;
  using Load = TileLoader<A, T>;

  BodyPair<B> bodies;
  Vector3<B> r_a, r_b, normal;
  B friction, restitution;
  B length;  // of the normal
  Frame<B> frame;

  BodyContact(const BodyPointers<T>& contacts, WholeBlock block)
      : bodies(Load::load_bodies(contacts, block)),
        r_a(Load::load(contacts.r_a, block)),
        r_b(Load::load(contacts.r_b, block)),
        normal(Load::load(contacts.normal, block)),
        friction(Load::load(contacts.friction, block)),
        restitution(Load::load(contacts.restitution, block)),
        length(square_root(dot(normal, normal))),
        frame(frame_along(normal, length)) {}

  /// The turning_terms of both bodies.
  [[gnu::noinline]] static B terms(const BodyPointers<T>& contacts, WholeBlock block) {
    return turning_terms(Load::load(contacts.a.inverse_inertia, block), Load::load(contacts.r_a, block)) +
           turning_terms(Load::load(contacts.b.inverse_inertia, block), Load::load(contacts.r_b, block));
  }

  CollisionMatrix<B> matrix() const { return collision_matrix<T>(frame, bodies.a, r_a, bodies.b, r_b); }
  Vector3<B> approach() const {
    return separation_velocity(bodies.a.velocity, bodies.a.angular_velocity, r_a, bodies.b.velocity,
                               bodies.b.angular_velocity, r_b);
  }
  Vector3<B> in_frame(const Vector3<B>& v) const { return {dot(v, frame.t1), dot(v, frame.t2), dot(v, frame.n)}; }

  /// Calls f on every loaded number except the coefficients.
  template <class F>
  void for_each_number(F&& f) const {
    for_each_field(bodies.a, f);
    for_each_field(bodies.b, f);
    for_each_field(r_a, f);
    for_each_field(r_b, f);
    for_each_field(normal, f);
  }
};

/// Contacts in contact space, one per lane. The frame is the identity.
template <class A, class T>
struct SpaceContact {
  using B = typename LaneTypes<A, T>::Batch;
  using Load = TileLoader<A, T>;

  Symmetric3<B> k;
  Vector3<B> u0;
  B friction, restitution;
  Frame<B> frame = {{B(1), B(0), B(0)}, {B(0), B(1), B(0)}, {B(0), B(0), B(1)}};

  SpaceContact(const SpacePointers<T>& contacts, WholeBlock block)
      : k(Load::load(contacts.k, block)),
        u0(Load::load(contacts.separation_velocity, block)),
        friction(Load::load(contacts.friction, block)),
        restitution(Load::load(contacts.restitution, block)) {}
};

}  // namespace
}  // namespace carom::kernel
