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

/// Vectors in space as three quantities of a tile.
template <class T, class B>
[[gnu::always_inline]] inline void store_vector(T* x, T* y, T* z, std::size_t slot, const Vector3<B>& v) {
  store_lanes(x + slot, v.x);
  store_lanes(y + slot, v.y);
  store_lanes(z + slot, v.z);
}
template <class B, class T>
[[gnu::always_inline]] inline Vector3<B> load_vector(const T* x, const T* y, const T* z, std::size_t slot) {
  return {load_lanes<B>(x + slot), load_lanes<B>(y + slot), load_lanes<B>(z + slot)};
}
/// The frame of a tile of any kernel.
template <class B, class Tile>
[[gnu::always_inline]] inline Frame<B> load_frame(const Tile& tile, std::size_t slot) {
  return {load_vector<B>(tile.t1x, tile.t1y, tile.t1z, slot), load_vector<B>(tile.t2x, tile.t2y, tile.t2z, slot),
          load_vector<B>(tile.nx, tile.ny, tile.nz, slot)};
}
template <class Tile, class B>
[[gnu::always_inline]] inline void store_frame(Tile& tile, std::size_t slot, const Frame<B>& frame) {
  store_vector(tile.t1x, tile.t1y, tile.t1z, slot, frame.t1);
  store_vector(tile.t2x, tile.t2y, tile.t2z, slot, frame.t2);
  store_vector(tile.nx, tile.ny, tile.nz, slot, frame.n);
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
  Vector3<B> in_frame(const Vector3<B>& v) const { return frame.from_world(v); }

  /// Sets the faults of all columns. `of_law` and `each`: as in Validator::contact.
  template <class OfLaw, class Each>
  [[gnu::always_inline]] void validate(Validator<A, T>& validator, const typename Validator<A, T>::Limits& limits,
                                       OfLaw&& of_law, Each&& each) const {
    validator.contact(bodies, length, friction, restitution, limits, vanishing(approach()), of_law, [&](auto&& f) {
      for_each_field(r_a, f);
      for_each_field(r_b, f);
      for_each_field(normal, f);
      each(f);
    });
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

  CollisionMatrix<B> matrix() const { return collision_matrix<T>(k); }
  const Vector3<B>& approach() const { return u0; }
  static const Vector3<B>& in_frame(const Vector3<B>& v) { return v; }

  template <class OfLaw, class Each>
  [[gnu::always_inline]] void validate(Validator<A, T>& validator, const typename Validator<A, T>::Limits& limits,
                                       OfLaw&& of_law, Each&& each) const {
    validator.contact(k, u0, friction, restitution, limits, of_law, each);
  }
};

}  // namespace
}  // namespace carom::kernel
