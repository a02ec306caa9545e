// Contacts as pointers to the numbers of the first contact of a tile, and vectors of contacts from there on.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct Body {
  B inverse_mass;
  Symmetric3<B> inverse_inertia;
  Vector3<B> velocity, angular_velocity;
};
template <class B>
struct BodyPair {
  Body<B> a, b;
};

/// Pointers to the first contact of a tile of contacts between bodies; the other contacts follow it.
template <class T>
struct BodyPointers {
  const T *friction, *restitution;
  Vector3<const T*> normal, r_a, r_b;
  Body<const T*> a, b;
};

/// Same for contacts without bodies.
template <class T>
struct SpacePointers {
  const T *friction, *restitution;
  Symmetric3<const T*> k;
  Vector3<const T*> separation_velocity;
};

/// A vector of a tile, at `offset` bytes from where its columns begin.
struct WholeBlock {
  std::size_t offset;
};

template <class A, class T>
struct TileLoader {
  using B = typename LaneTypes<A, T>::Batch;

  [[gnu::always_inline]] static B load(const T* from, WholeBlock block) {
    return load_lanes<B>(reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + block.offset));
  }
  [[gnu::always_inline]] static Vector3<B> load(const Vector3<const T*>& v, WholeBlock block) {
    return {load(v.x, block), load(v.y, block), load(v.z, block)};
  }
  [[gnu::always_inline]] static Symmetric3<B> load(const Symmetric3<const T*>& m, WholeBlock block) {
    return {load(m.xx, block), load(m.xy, block), load(m.xz, block),
            load(m.yy, block), load(m.yz, block), load(m.zz, block)};
  }
  [[gnu::always_inline]] static Body<B> load(const Body<const T*>& body, WholeBlock block) {
    return {load(body.inverse_mass, block), load(body.inverse_inertia, block), load(body.velocity, block),
            load(body.angular_velocity, block)};
  }
  [[gnu::always_inline]] static BodyPair<B> load_bodies(const BodyPointers<T>& contacts, WholeBlock block) {
    return {load(contacts.a, block), load(contacts.b, block)};
  }
};

}  // namespace
}  // namespace carom::kernel
