// Pointers by which the stages read and write a tile of contacts, and their setup from the caller's columns.
#pragma once

#include "contact/kernels/stages/contact_pointers.hpp"
#include "contact/kernels/stages/staging.hpp"

namespace carom::kernel {
namespace {

/// Null if a result is not requested.
template <class T>
struct ResultPointers {
  Vector3<T*> impulse, separation_velocity, velocity_a, angular_velocity_a, velocity_b, angular_velocity_b;
};

template <class T, template <class> class AnyContacts>
struct AlgebraicForm {
  using Pointers = BodyPointers<T>;
};
template <class T>
struct AlgebraicForm<T, KContacts> {
  using Pointers = SpacePointers<T>;
};

/// A call, for any form of contacts; its source has no columns yet.
template <class T>
struct AlgebraicCall {
  const LawColumns<T>& columns;
  const Results<T>& results;
  const Parameters<T>& parameters;
  const Layout& layout;
  const Components<T>& components;
  const unsigned laws;  // that occur in the range, bits of Law
  Source<T> source;

  template <template <class> class AnyContacts>
  explicit AlgebraicCall(const Job<T, AnyContacts>& job)
      : columns(job.contacts.laws),
        results(job.results),
        parameters(job.parameters),
        layout(job.layout),
        components(job.components),
        laws(job.laws) {
    source.describe(job.contacts, job.layout);
    if constexpr (requires { job.contacts.body_a; })
      if (layout.prefetch) {
        source.add_beside(job.contacts.body_a);
        source.add_beside(job.contacts.body_b);
      }
    if (layout.prefetch) add_beside();
  }

 private:
  [[gnu::noinline]] void add_beside() {
    const unsigned composite = laws & 1u << static_cast<unsigned>(Law::composite);
    source.add_beside(columns.law);
    source.add_beside(columns.restitution_law);
    columns::each_parameter(
        [&](const columns::Label&, auto known, const Column<const T>& column) {
          constexpr unsigned readers = columns::readers_of(decltype(known)::value, false);
          if ((laws & readers) != 0 || composite != 0) source.add_beside(column);
        },
        columns);
    if (composite != 0)
      columns::each_weight(
          [&](const columns::Label&, Law, const Column<const T>& column) { source.add_beside(column); },
          columns.weight);
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
