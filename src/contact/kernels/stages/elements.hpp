// Elements of columns; enumeration of the numeric columns of a form of contacts, and of its results.
#pragma once

#include "core/columns/columns.hpp"
#include "core/jobs/job.hpp"

namespace carom::kernel {
namespace {

template <class V>
inline const V& element(const Column<const V>& column, std::size_t i) {
  return *reinterpret_cast<const V*>(reinterpret_cast<const char*>(column.data) +
                                     static_cast<std::ptrdiff_t>(i) * column.stride);
}
template <class V>
inline V& element(const Column<V>& column, std::size_t i) {
  return *reinterpret_cast<V*>(reinterpret_cast<char*>(column.data) + static_cast<std::ptrdiff_t>(i) * column.stride);
}

template <class V>
inline bool is_contiguous(const Column<V>& column) {
  return column.stride == static_cast<std::ptrdiff_t>(sizeof(V));
}

/// Returns whether the three components of every vector are adjacent, as in structs.
template <class V>
inline bool stand_side_by_side(const Vector3Columns<V>& v) {
  return v.y.data == v.x.data + 1 && v.z.data == v.x.data + 2 && v.y.stride == v.x.stride && v.z.stride == v.x.stride;
}

/// Offset of element i of a column whose elements are adjacent or, with `block_bytes`, in blocks.
template <class T>
inline std::size_t offset_of(std::size_t i, std::size_t block_bytes) {
  return block_bytes == 0 ? i * sizeof(T) : i / contacts_in_block * block_bytes + i % contacts_in_block * sizeof(T);
}

/// Calls f(column) for each numeric column of contacts, without indexed bodies. `AnyContacts` may be const, as may the
/// types below.
template <class AnyContacts, class F>
[[gnu::always_inline]] inline void for_each_column(AnyContacts& contacts, F&& f) {
  columns::each_number(
      [&](const columns::Label&, auto& column) __attribute__((always_inline)) { f(column); }, contacts);
}

/// Calls f(column) for the columns of the state of bodies.
template <class Bodies, class F>
[[gnu::always_inline]] inline void for_each_of_bodies(Bodies& bodies, F&& f) {
  columns::each(
      [&](const columns::Label&, auto& column) __attribute__((always_inline)) { f(column); }, columns::Label{}, bodies);
}

/// Calls f(column) for results that are vectors: works and steps are not among them.
template <class Results, class F>
[[gnu::always_inline]] inline void for_each_result(Results& results, F&& f) {
  columns::each_vector_result(
      [&](const columns::Label&, auto& column) __attribute__((always_inline)) { f(column); }, results);
}

}  // namespace
}  // namespace carom::kernel
