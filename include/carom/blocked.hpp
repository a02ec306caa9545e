// Contacts in a layout of carom's own, for batches that are larger than the caches: the columns of InlineContacts
// interleaved in blocks, so that a batch is one stream of memory instead of 37.
#pragma once

#include <carom/contacts.hpp>
#include <carom/memory.hpp>
#include <cstddef>
#include <vector>

namespace carom {

/// A column that stands in blocks: 16 elements next to each other, then those of other columns. A view of memory that a
/// BlockedContacts owns.
template <class T>
struct BlockedColumn {
  T* data = nullptr;               ///< of element 0
  std::size_t count = 0;           ///< contacts
  std::size_t block_elements = 0;  ///< from a block to the next

  /// i < count.
  T& operator[](std::size_t i) const { return data[i / 16 * block_elements + i % 16]; }
};

template <class T>
struct BlockedVectors3 {
  BlockedColumn<T> x, y, z;
};

template <class T>
struct BlockedSymmetric {
  BlockedColumn<T> xx, xy, xz, yy, yz, zz;
};

template <class T>
struct BlockedBodies {
  BlockedColumn<T> inverse_mass;
  BlockedSymmetric<T> inverse_inertia;
  BlockedVectors3<T> velocity, angular_velocity;
};

/// InlineContacts that own their memory, for T float or double. The columns mean the same, with the same units and
/// ranges, and begin as zeros: body B is the immovable world unless it is filled in. The optional ones of LawColumns
/// and ContactColumns are the host's, and not in the blocks.
///
/// Block b holds the contacts 16 b to 16 b + 15 of each column in turn: friction, restitution, normal, lever_a,
/// lever_b, all of body A, all of body B. It begins on a cache line; the last one is filled up with zeros.
template <class T>
class BlockedContacts : public LawColumns<T> {
 public:
  static constexpr std::size_t block_size = 16;  ///< contacts
  static constexpr std::size_t columns = 37;

  BlockedColumn<T> friction, restitution;
  BlockedVectors3<T> normal;
  BlockedBodies<T> a, b;
  BlockedVectors3<T> lever_a, lever_b;
  Column<const T> step;  ///< as in ContactColumns, as are the two below
  Column<const RestitutionLaw> restitution_law;
  Column<const Law> law;

  /// Throws std::bad_alloc. Moving leaves the columns valid in the new object, copying is not offered.
  explicit BlockedContacts(std::size_t count) : count_(count), memory_(elements_for(count)) {
    T* next = memory_.data();
    const auto column = [&](BlockedColumn<T>& c) {
      c = {next, count, columns * block_size};
      next += block_size;
    };
    const auto vectors = [&](BlockedVectors3<T>& v) {
      column(v.x);
      column(v.y);
      column(v.z);
    };
    const auto bodies = [&](BlockedBodies<T>& body) {
      column(body.inverse_mass);
      auto& j = body.inverse_inertia;
      for (BlockedColumn<T>* c : {&j.xx, &j.xy, &j.xz, &j.yy, &j.yz, &j.zz}) column(*c);
      vectors(body.velocity);
      vectors(body.angular_velocity);
    };
    column(friction);
    column(restitution);
    vectors(normal);
    vectors(lever_a);
    vectors(lever_b);
    bodies(a);
    bodies(b);
  }

  std::size_t size() const { return count_; }

  BlockedContacts(BlockedContacts&&) noexcept = default;
  BlockedContacts& operator=(BlockedContacts&&) noexcept = default;

 private:
  static std::size_t elements_for(std::size_t count) {
    constexpr std::size_t most = ~std::size_t{0} / 2 / (columns * sizeof(T)) - block_size;
    if (count > most) allocate_large(~std::size_t{0});  // throws, also for hosts that are compiled without exceptions
    // One block at least, so that the columns of no contacts stand somewhere too.
    return (count > 0 ? (count + block_size - 1) / block_size : 1) * columns * block_size;
  }

  std::size_t count_;
  std::vector<T, LargeAllocator<T>> memory_;
};

}  // namespace carom
