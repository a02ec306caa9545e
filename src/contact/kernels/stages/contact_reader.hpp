// Reads the contacts of a job, a tile at a time, in any form.
#pragma once

#include "contact_pointers.hpp"
#include "staged_columns.hpp"

namespace carom::kernel {
namespace {

/// One of the pointers by which the stages see the contacts of a tile is in use, and a vector of it.
template <class A, class T>
class ContactReader {
 public:
  template <class AnyContacts, class Tile>
  ContactReader(const AnyContacts& contacts, const Layout& layout, std::size_t count, Tile& tile)
      : has_bodies_(!requires { contacts.separation_velocity; }),
        index_fault_(tile.index_fault),
        source_(source_of(contacts, layout)),
        in_place_(source_.is_in_place()),
        columns_(source_, tile) {
    columns_.begin_range(count);
  }
  ContactReader(const ContactReader&) = delete;  // it has pointers to itself

  bool has_bodies() const { return has_bodies_; }
  const BodyPointers<T>& between_bodies() const { return between_bodies_; }
  const SpacePointers<T>& in_space() const { return in_space_; }

  /// Number of contacts to read at a time, so that copies stay in the first-level cache until they are used.
  std::size_t at_once() const { return in_place_ ? ~std::size_t{0} : 256 / sizeof(T); }

  /// Points to the contacts [first, first + count): whole vectors, or fewer than one.
  [[gnu::noinline]] void read(std::size_t first, std::size_t count) {
    columns_.load(first, count, false);
    if (has_bodies_)
      columns_.point(between_bodies_);
    else
      columns_.point(in_space_);
  }

  /// The vector at a slot of these contacts.
  WholeBlock block(std::size_t slot) const { return {offset_of<T>(slot, columns_.block_bytes())}; }
  /// The faults of its indices, numbers of Status; null without indices.
  const T* index_fault(std::size_t slot) const { return source_.indexed ? index_fault_ + slot : nullptr; }

 private:
  template <class AnyContacts>
  static Source<T> source_of(const AnyContacts& contacts, const Layout& layout) {
    Source<T> source;
    source.describe(contacts, layout);
    for_each_column(contacts, [&](const Column<const T>& column) { source.add(column); });
    return source;
  }

  const bool has_bodies_;
  const T* index_fault_;
  const Source<T> source_;
  const bool in_place_;
  StagedColumns<A, T> columns_;
  BodyPointers<T> between_bodies_;
  SpacePointers<T> in_space_;
};

}  // namespace
}  // namespace carom::kernel
