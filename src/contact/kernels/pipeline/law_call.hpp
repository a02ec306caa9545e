// Pointers by which the stages read and write a tile of contacts, and their setup from the caller's columns.
#pragma once

#include "contact/kernels/stages/contact_pointers.hpp"
#include "contact/kernels/stages/staging.hpp"
#include "law_parameters.hpp"

namespace carom::kernel {
namespace {

template <class AnyContacts>
inline constexpr int dimension_of = FormTraits<AnyContacts>::is_planar ? 2 : 3;

/// The pointers by which the stages see a form of contacts: those by index are contacts between bodies, too.
template <class T, class AnyContacts>
struct PointersOf {
  using Type = BodyPointers<T, dimension_of<AnyContacts>>;
};
template <class T, class AnyContacts>
requires(requires(const AnyContacts& c) { c.separation_velocity; }) struct PointersOf<T, AnyContacts> {
  using Type = SpacePointers<T, dimension_of<AnyContacts>>;
};

template <class T, int dimension>
struct ResultColumnsIn {
  using Type = Results<T>;
};
template <class T>
struct ResultColumnsIn<T, 2> {
  using Type = planar::Results<T>;
};

/// A call, whichever form its contacts have; its source has no columns yet.
template <class T, int dimension>
struct LawCall {
  const LawColumns<T>& columns;
  const typename ResultColumnsIn<T, dimension>::Type& results;
  const Parameters<T>& parameters;
  const Layout& layout;
  const Components<T>& components;
  const unsigned laws;  // that occur in the range, bits of Law
  Source<T> source;

  template <template <class> class AnyContacts>
  explicit LawCall(const Job<T, AnyContacts>& job)
      : columns(job.contacts.laws),
        results(job.results),
        parameters(job.parameters),
        layout(job.layout),
        components(job.components),
        laws(job.laws) {
    source.describe(job.contacts, job.layout);
  }

  /// Has the columns that do not become lanes come into the cache ahead of time.
  template <template <class> class AnyContacts>
  void fetch_beside(const Job<T, AnyContacts>& job) {
    if constexpr (requires { job.contacts.body_a; }) {
      source.add_beside(job.contacts.body_a);
      source.add_beside(job.contacts.body_b);
    }
    add_beside();
  }

 private:
  [[gnu::noinline]] void add_beside() {
    source.add_beside(columns.law);
    source.add_beside(columns.restitution_law);
    for_each_parameter<dimension>(
        laws, [&](const Column<const T>& column) { source.add_beside(column); }, columns);
  }
};

/// Copies fewer contacts than a vector has to the lanes of a tile. The last contact fills the remaining lanes.
template <class A, class T, class AnyContacts>
[[gnu::noinline]] void bring_few(const AnyContacts& contacts, std::size_t first, std::size_t count, Source<T>& source,
                                 LawTile<T>& tile) {
  using B = typename LaneTypes<A, T>::Batch;
  const auto bring = [&](auto&& to_lane) __attribute__((always_inline)) {
    std::size_t c = 0;
    for_each_column(
        contacts, [&](const Column<const T>& column) __attribute__((always_inline)) { to_lane(column, tile.in[c++]); });
    source.count = source.fetched = c;
  };
  bring([&](const Column<const T>& column, T* lane)
            __attribute__((always_inline)) { store_lanes(lane, B(element(column, first + count - 1))); });
  for (std::size_t i = 0; i + 1 < count; ++i)
    bring([&](const Column<const T>& column, T* lane)
              __attribute__((always_inline)) { lane[i] = element(column, first + i); });
  source.brought = true;
}

}  // namespace
}  // namespace carom::kernel
