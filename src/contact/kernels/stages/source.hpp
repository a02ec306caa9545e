// The caller's columns that load reads, in one array for any form of contacts.
#pragma once

#include "core/jobs/body_record.hpp"
#include "elements.hpp"

namespace carom::kernel {
namespace {

/// A column to read. Without a constructor: the constructors of Column are shared by all ISAs.
template <class V>
struct Strided {
  const V* data;
  std::ptrdiff_t stride;  // [bytes]
};
template <class V>
[[gnu::always_inline]] inline Strided<V> strided(const Column<const V>& column) {
  return {column.data, column.stride};
}
template <class V>
inline const V& element(const Strided<V>& column, std::size_t i) {
  return *reinterpret_cast<const V*>(reinterpret_cast<const char*>(column.data) +
                                     static_cast<std::ptrdiff_t>(i) * column.stride);
}
template <class V>
inline bool is_contiguous(const Strided<V>& column) {
  return column.stride == static_cast<std::ptrdiff_t>(sizeof(V));
}

template <class T>
struct Source {
  static constexpr std::size_t most = columns::numbers_of<Contacts<T>>(), max_of_body = BodyRecord::numbers;

  Strided<T> columns[most];
  std::size_t count = 0;      // of the columns that become lanes
  std::ptrdiff_t uneven = 0;  // 0 if all columns are contiguous
  std::size_t fetched = 0;    // number of columns that are prefetched, beyond `count` too
  bool brought = false;       // the numbers are already in the lanes, and `columns` is empty
  std::size_t contacts = 0;
  std::size_t block_bytes = 0;  // as in Layout

  /// Contiguous columns that are read or written in place: address and size of an element.
  struct {
    std::size_t begin, size;
  } beside[columns::parameter_count + columns::component_count + 6];
  std::size_t beside_count = 0;

  // These are of contacts whose bodies are stored once.
  bool indexed = false;
  Strided<std::int32_t> body_a, body_b;
  std::size_t bodies = 0;
  Strided<T> of_body[max_of_body];
  std::size_t of_body_count = 0;
  const T* packed = nullptr;  // as in Layout

  /// Sets the properties of a form. Its columns must be added afterwards.
  template <class AnyContacts>
  void describe(const AnyContacts& form, const Layout& layout) {
    contacts = form.friction.count;
    block_bytes = layout.block_bytes;
    if constexpr (requires { form.body_a; }) {
      indexed = true;
      body_a = strided(form.body_a);
      body_b = strided(form.body_b);
      bodies = form.bodies.inverse_mass.count;
      for_each_of_bodies(form.bodies, [&](const Column<const T>& column) { add_of_body(column); });
      packed = static_cast<const T*>(layout.packed_bodies);
    }
  }
  void add(const Column<const T>& column) {
    columns[count] = strided(column);
    uneven |= column.stride ^ static_cast<std::ptrdiff_t>(sizeof(T));
    fetched = ++count;
  }
  void add_fetched(const Column<const T>& column) {
    if (column.data != nullptr) columns[fetched++] = strided(column);
  }
  /// A column that is brought into the cache ahead of time but does not become lanes.
  template <class V>
  void add_beside(const Column<V>& column) {
    if (column.data != nullptr && is_contiguous(column))
      beside[beside_count++] = {reinterpret_cast<std::size_t>(column.data), sizeof(V)};
  }
  void add_of_body(const Column<const T>& column) { of_body[of_body_count++] = strided(column); }

  /// Returns whether nothing has to be gathered, except repeated values.
  bool is_in_place() const {
    bool in_place = !indexed;
    for (std::size_t c = 0; c < count; ++c)
      in_place = in_place && (columns[c].stride == 0 || is_contiguous(columns[c]));
    return in_place;
  }
  bool is_dense() const { return !indexed && uneven == 0; }

  /// More of the contiguous columns begin in the same line of a page than the first-level cache has room for there, as
  /// large ones do that an allocator begins with a page. Each of their lines is displaced before the next vector of
  /// contacts is read from it, and takes several times as long as a copy of whole lines.
  bool collides() const {
    constexpr std::size_t page = 4096, line = 64, room = 8;
    std::uint8_t begun[page / line] = {};
    bool many = false;
    for (std::size_t c = 0; c < count; ++c)
      if (is_contiguous(columns[c]))
        many = ++begun[reinterpret_cast<std::size_t>(columns[c].data) % page / line] > room || many;
    return many && block_bytes == 0;
  }
};

}  // namespace
}  // namespace carom::kernel
