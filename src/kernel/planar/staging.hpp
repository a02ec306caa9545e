// Batches beyond the caches a small tile at a time: columns come to one place, which the processor's own prefetchers
// could not follow at so many; results go past the caches.
#pragma once

#include "../column_stream.hpp"
#include "columns.hpp"
#include "laws.hpp"

namespace carom::kernel {
namespace {

/// Calls f(a's column, b's column) for each column of numbers that all laws read, but for bodies stored once.
template <class Columns, class Others, class F>
[[gnu::always_inline]] inline void for_each_number(Columns& a, Others& b, F&& f) {
  columns::each_number([&](const columns::Label&, auto& of_a, auto& of_b)
                           __attribute__((always_inline)) { f(of_a, of_b); },
                       a, b);
}

template <class Results, class Others, class F>
[[gnu::always_inline]] inline void for_each_result(Results& a, Others& b, F&& f) {
  columns::each_vector_result([&](const columns::Label&, auto& of_a, auto& of_b)
                                  __attribute__((always_inline)) { f(of_a, of_b); },
                              a, b);
  f(a.work_compression, b.work_compression);
  f(a.work_decompression, b.work_decompression);
}

/// A column from its element number `first` on.
template <class V>
inline Column<V> from(const Column<V>& column, std::size_t first) {
  Column<V> rest = column;
  if (rest.data != nullptr) rest.data = &element(column, first);
  return rest;
}

template <class A, class T, template <class> class Contacts>
class PlanarStagedContacts {
  using B = typename LaneTypes<A, T>::Batch;
  using Stage = PlanarStage<T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  PlanarStagedContacts(const Contacts<T>& host, Stage& stage) : host_(host), staged_(host), stage_(stage) {}

  /// The contacts [first, first + count) with what `law` reads; of no_law what all laws do.
  [[gnu::noinline]] const Contacts<T>& fill(std::size_t first, std::size_t count, Law law) {
    std::size_t next = 0;
    const auto stage = [&](const Column<const T>& host, Column<const T>& staged) __attribute__((always_inline)) {
      if (host.data == nullptr) return;
      staged.data = is_contiguous(host) ? copy(host.data + first, stage_.in[next++], count) : &element(host, first);
    };
    for_each_number(host_, staged_, stage);
    for_each_parameter(host_, staged_, law, stage);
    staged_.restitution_law = from(host_.restitution_law, first);
    if constexpr (requires { host_.body_a; }) {
      staged_.body_a = from(host_.body_a, first);
      staged_.body_b = from(host_.body_b, first);
    }
    return staged_;
  }

  /// Begins to bring what any law reads of a vector of contacts.
  [[gnu::always_inline]] void fetch_parameters(std::size_t i) const {
    if (i % Stage::line >= width) return;
    for_each_parameter(
        host_, host_, Law::composite, [&](const Column<const T>& column, const auto&) __attribute__((always_inline)) {
          if (column.data != nullptr) __builtin_prefetch(&element(column, i), 0, 2);
        });
  }

 private:
  static constexpr std::size_t tiles_ahead = 3;

  /// And begins to fetch a later tile: to the second level, since columns that begin at the same place of a page
  /// displace each other from the first.
  [[gnu::noinline]] static const T* copy(const T* from, T* to, std::size_t count) {
    for (std::size_t i = 0; i < Stage::size; i += Stage::line)
      __builtin_prefetch(from + tiles_ahead * Stage::size + i, 0, 2);
    std::size_t i = 0;
    for (; i + width <= count; i += width) store_lanes(to + i, load_lanes<B>(from + i));
    for (; i < count; ++i) to[i] = from[i];
    return to;
  }

  const Contacts<T>& host_;
  Contacts<T> staged_;
  Stage& stage_;
};

/// The bodies that the contacts [i, i + count) name, of contacts that come later.
template <class T>
[[gnu::noinline]] inline void fetch_bodies(const planar::IndexedContacts<T>& contacts, std::size_t i,
                                           std::size_t count) {
  const planar::BodyColumns<const T>& bodies = contacts.bodies;
  const Column<const T>* const columns[] = {&bodies.inverse_mass, &bodies.inverse_inertia, &bodies.velocity.x,
                                            &bodies.velocity.y, &bodies.angular_velocity};
  const Column<const std::int32_t>* const sides[] = {&contacts.body_a, &contacts.body_b};
  for (const auto* side : sides) {
    for (std::size_t j = i; j < i + count; ++j) {
      // Of the world or a body out of range that is no one's address, which does no harm.
      const auto body = static_cast<std::uint64_t>(*reinterpret_cast<const std::int32_t*>(
          reinterpret_cast<const char*>(side->data) + static_cast<std::ptrdiff_t>(j) * side->stride));
      for (const auto* column : columns)
        __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uint64_t>(column->data) +
                                                         body * static_cast<std::uint64_t>(column->stride)));
    }
  }
}

/// Results of a tile, and of a range of tiles, on their way to the host.
template <class T>
class PlanarStagedResults {
 public:
  PlanarStagedResults(const planar::Results<T>& host, PlanarStage<T>& stage)
      : host_(host), staged_(host), stage_(stage) {
    for_each_result(host_, staged_, [&](const Column<T>& column, Column<T>& staged) {
      streams_[count_++] = {&column, &staged, false, 0, 0};
    });
  }

  /// Before the first tile of a range, which begins with contact `first`.
  void begin_range(std::size_t first) {
    for_each([&](ColumnStream<T>& column, T*) { column.begin(first, true); });
  }

  /// Where the results of the contacts from `first` on go.
  [[gnu::noinline]] const planar::Results<T>& begin_tile(std::size_t first) {
    for_each([&](ColumnStream<T>& column, T* buffer) {
      column.staged->data = column.streamed ? buffer + column.waiting : &element(*column.host, first);
    });
    staged_.status = from(host_.status, first);
    staged_.path = from(host_.path, first);
    return staged_;
  }

  [[gnu::noinline]] void end_tile(std::size_t first, std::size_t count) {
    for_each([&](ColumnStream<T>& column, T* buffer) {
      if (column.streamed) column.flush(buffer, first, count);
    });
  }

  /// After the last tile of a range that ends before contact `end`.
  void end_range(std::size_t end) {
    for_each([&](const ColumnStream<T>& column, const T* buffer) { column.end(end, buffer); });
    end_stream();
  }

 private:
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < count_; ++i)
      if (streams_[i].host->data != nullptr) f(streams_[i], stage_.out[i]);
  }

  const planar::Results<T>& host_;
  planar::Results<T> staged_;
  PlanarStage<T>& stage_;
  std::size_t count_ = 0;
  ColumnStream<T> streams_[12];
};

}  // namespace
}  // namespace carom::kernel
