// Where the stages read and write a tile of contacts, and what comes there from the forms of the host.
#pragma once

#include "../staging.hpp"

namespace carom::kernel {
namespace {

/// The numbers of the first contact of a tile of contacts between bodies; those of the others stand behind it.
template <class T>
struct BodyPointers {
  const T *friction, *restitution;
  Vector3<const T*> normal, lever_a, lever_b;
  Body<const T*> a, b;
};

/// The same of contacts without bodies.
template <class T>
struct SpacePointers {
  const T *friction, *restitution;
  Symmetric3<const T*> k;
  Vector3<const T*> separation_velocity;
};

/// Null where the host does not want a result.
template <class T>
struct ResultPointers {
  Vector3<T*> impulse, separation_velocity, velocity_a, angular_velocity_a, velocity_b, angular_velocity_b;
};

template <class T, template <class> class Contacts>
struct AlgebraicForm {
  using Pointers = BodyPointers<T>;
};
template <class T>
struct AlgebraicForm<T, SpaceContacts> {
  using Pointers = SpacePointers<T>;
};

/// A vector of a tile, at `offset` bytes from where its columns begin.
struct WholeBlock {
  std::size_t offset;
};

template <class A, class T>
struct TileLoader {
  using B = typename LaneTypes<A, T>::Batch;
  using Pair = typename Loader<A, T>::Pair;

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
  [[gnu::always_inline]] static Pair load_bodies(const BodyPointers<T>& contacts, WholeBlock block) {
    return {load(contacts.a, block), load(contacts.b, block)};
  }
};

/// A call, whichever form its contacts have.
template <class T>
struct AlgebraicCall {
  const ContactColumns<T>& contacts;
  const Results<T>& results;
  const Parameters<T>& parameters;
  const Layout& layout;
  const Members<T>& members;
  const unsigned laws;  // that occur in the range, bits of Law
  Source<T> source;

  template <template <class> class Contacts>
  explicit AlgebraicCall(const Job<T, Contacts>& job)
      : contacts(job.contacts),
        results(job.results),
        parameters(job.parameters),
        layout(job.layout),
        members(job.members),
        laws(job.laws) {
    for_each_column(job.contacts, [&](const Column<const T>& column) { source.add(column); });
    source.contacts = job.contacts.friction.count;
    source.block_bytes = job.layout.block_bytes;
    if constexpr (requires { job.contacts.body_a; }) {
      source.indexed = true;
      source.body_a = strided(job.contacts.body_a);
      source.body_b = strided(job.contacts.body_b);
      source.bodies = job.contacts.bodies.inverse_mass.count;
      for_each_of_bodies(job.contacts.bodies, [&](const Column<const T>& column) { source.add_of_body(column); });
      source.packed = static_cast<const T*>(job.layout.packed_bodies);
    }
  }
};

}  // namespace
}  // namespace carom::kernel
