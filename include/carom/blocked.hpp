// Contacts in a layout of carom's own, for batches that are larger than the caches: the columns of Contacts
// interleaved in blocks, so that a batch is one stream of memory instead of 37.
#pragma once

#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/memory.hpp>
#include <cstddef>
#include <utility>
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

/// Vectors, a column for each component.
template <class T>
struct BlockedVectors3 {
  BlockedColumn<T> x, y, z;  ///< in the unit of the vector
};

/// The upper triangle of symmetric 3 x 3 matrices.
template <class T>
struct BlockedSymmetric {
  BlockedColumn<T> xx, xy, xz, yy, yz, zz;  ///< in the unit of the matrix
};

/// One body of each contact, as BodyColumns.
template <class T>
struct BlockedBodies {
  BlockedColumn<T> inverse_mass;                  ///< [1/kg]
  BlockedSymmetric<T> inverse_inertia;            ///< [1/(kg m²)]
  BlockedVectors3<T> velocity, angular_velocity;  ///< [m/s], [rad/s]
};

/// The views of BlockedContacts, in the order in which their columns stand in a block. Those of the laws are the
/// host's, and not in the blocks.
template <class T>
struct BlockedColumns {
  BlockedColumn<T> friction, restitution;  ///< [1]
  BlockedVectors3<T> normal, r_a, r_b;     ///< [1], [m], [m]
  BlockedBodies<T> a, b;                   ///< the two bodies
  LawColumns<T> laws;                      ///< optional
};

/// Contacts that own their memory, for T float or double. The columns mean the same, with the same units and
/// ranges, and begin as zeros: body B is the immovable world unless it is filled in.
///
/// Block b holds the contacts 16 b to 16 b + 15 of each column in turn: friction, restitution, normal, r_a,
/// r_b, all of body A, all of body B. It begins on a cache line; the last one is filled up with zeros.
template <class T>
class CAROM_EXPORT BlockedContacts : public BlockedColumns<T> {
 public:
  static constexpr std::size_t block_size = 16;  ///< contacts
  static constexpr std::size_t columns = 37;     ///< of a block

  /// Throws std::bad_alloc.
  explicit BlockedContacts(std::size_t count);

  /// The number of contacts.
  std::size_t size() const { return this->friction.count; }

  /// Moving leaves the columns valid in the new object and no contacts in the old one; copying is not offered.
  BlockedContacts(BlockedContacts&& other) noexcept
      : BlockedColumns<T>(std::exchange(static_cast<BlockedColumns<T>&>(other), {})),
        memory_(std::move(other.memory_)) {}
  /// As the constructor.
  BlockedContacts& operator=(BlockedContacts&& other) noexcept {
    static_cast<BlockedColumns<T>&>(*this) = std::exchange(static_cast<BlockedColumns<T>&>(other), {});
    memory_ = std::move(other.memory_);
    return *this;
  }

 private:
  std::vector<T, LargeAllocator<T>> memory_;
};

}  // namespace carom
