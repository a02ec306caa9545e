// Contacts as pointers to the numbers of the first contact of a tile, and vectors of contacts from there on.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// Vectors and matrices of numbers V in a dimension.
template <class V, int dimension>
struct InDimension;
template <class V>
struct InDimension<V, 2> {
  using Vector = Vector2<V>;
  using Matrix = Symmetric2<V>;
  using Inertia = V;
  using AngularVelocity = V;
};
template <class V>
struct InDimension<V, 3> {
  using Vector = Vector3<V>;
  using Matrix = Symmetric3<V>;
  using Inertia = Symmetric3<V>;
  using AngularVelocity = Vector3<V>;
};

template <class B, int dimension = 3>
struct Body {
  using In = InDimension<B, dimension>;
  B inverse_mass;
  typename In::Inertia inverse_inertia;
  typename In::Vector velocity;
  typename In::AngularVelocity angular_velocity;
};
template <class B, int dimension = 3>
struct BodyPair {
  Body<B, dimension> a, b;
};

/// Addresses of the numbers of the first contact of a tile of contacts between bodies. The other contacts follow.
template <class T, int dimension = 3>
struct BodyPointers {
  const T *friction, *restitution;
  typename InDimension<const T*, dimension>::Vector normal, r_a, r_b;
  Body<const T*, dimension> a, b;
};

/// The same of contacts without bodies.
template <class T, int dimension = 3>
struct SpacePointers {
  const T *friction, *restitution;
  typename InDimension<const T*, dimension>::Matrix k;
  typename InDimension<const T*, dimension>::Vector separation_velocity;
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
  [[gnu::always_inline]] static Vector2<B> load(const Vector2<const T*>& v, WholeBlock block) {
    return {load(v.x, block), load(v.y, block)};
  }
  [[gnu::always_inline]] static Symmetric2<B> load(const Symmetric2<const T*>& m, WholeBlock block) {
    return {load(m.xx, block), load(m.xy, block), load(m.yy, block)};
  }
  [[gnu::always_inline]] static Vector3<B> load(const Vector3<const T*>& v, WholeBlock block) {
    return {load(v.x, block), load(v.y, block), load(v.z, block)};
  }
  [[gnu::always_inline]] static Symmetric3<B> load(const Symmetric3<const T*>& m, WholeBlock block) {
    return {load(m.xx, block), load(m.xy, block), load(m.xz, block),
            load(m.yy, block), load(m.yz, block), load(m.zz, block)};
  }
  template <int dimension>
  [[gnu::always_inline]] static Body<B, dimension> load(const Body<const T*, dimension>& body, WholeBlock block) {
    return {load(body.inverse_mass, block), load(body.inverse_inertia, block), load(body.velocity, block),
            load(body.angular_velocity, block)};
  }
  template <int dimension>
  [[gnu::always_inline]] static BodyPair<B, dimension> load_bodies(const BodyPointers<T, dimension>& contacts,
                                                                   WholeBlock block) {
    return {load(contacts.a, block), load(contacts.b, block)};
  }
};

}  // namespace
}  // namespace carom::kernel
