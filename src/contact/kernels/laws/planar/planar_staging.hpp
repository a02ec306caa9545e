// Pointers by which the stages read and write a tile of planar contacts, and their setup from the caller's columns.
#pragma once

#include "contact/kernels/stages/staging.hpp"
#include "planar_laws.hpp"

namespace carom::kernel {
namespace {

/// Pointers to the first contact of a tile of contacts between bodies; the other contacts follow it.
template <class T>
struct PlanarBodyPointers {
  const T *friction, *restitution;
  Vector2<const T*> normal, r_a, r_b;
  PlanarBody<const T*> a, b;
};

/// Same for contacts without bodies.
template <class T>
struct PlanarSpacePointers {
  const T *friction, *restitution;
  Symmetric2<const T*> k;
  Vector2<const T*> separation_velocity;
};

/// Null if a result is not requested.
template <class T>
struct PlanarResultPointers {
  Vector2<T*> impulse, separation_velocity, velocity_a;
  T* angular_velocity_a;
  Vector2<T*> velocity_b;
  T* angular_velocity_b;
  T *work_compression, *work_decompression;
  Status* status;
  Path* path;
};

template <class T, template <class> class AnyContacts>
struct PlanarForm {
  using Pointers = PlanarBodyPointers<T>;
};
template <class T>
struct PlanarForm<T, planar::KContacts> {
  using Pointers = PlanarSpacePointers<T>;
};

/// Results that are numbers, in the order of core/columns/columns.hpp; works last.
template <class Results, class F>
[[gnu::always_inline]] inline void for_each_planar_result(Results& r, F&& f) {
  for_each_result(r, f);
  f(r.work_compression);
  f(r.work_decompression);
}

/// A planar call, for any form of contacts.
template <class T>
struct PlanarCall {
  const LawColumns<T>& columns;
  const planar::Results<T>& results;
  const PlanarOptions& options;
  const Layout& layout;
  Source<T> source;

  template <template <class> class AnyContacts>
  explicit PlanarCall(const PlanarJob<T, AnyContacts>& job)
      : columns(job.contacts.laws), results(job.results), options(job.options), layout(job.layout) {
    for_each_column(job.contacts, [&](const Column<const T>& column) { source.add(column); });
    source.describe(job.contacts, job.layout);
  }
};

}  // namespace
}  // namespace carom::kernel
