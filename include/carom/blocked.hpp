// Contacts in a memory layout for batches that are larger than the caches. The columns of Contacts are interleaved in
// blocks, so that a batch is one stream of memory instead of 37.
#pragma once

#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/memory.hpp>
#include <cstddef>
#include <utility>
#include <vector>

namespace carom {

/// A column in blocks: 16 adjacent elements of one column, then 16 of the next column. Views memory that a
/// BlockedContacts owns.
template <class T>
struct BlockedColumn {
  T* data = nullptr;               ///< element 0
  std::size_t count = 0;           ///< number of contacts
  std::size_t block_elements = 0;  ///< distance between two blocks, in elements

  /// Returns element i. i < count.
  T& operator[](std::size_t i) const { return data[i / 16 * block_elements + i % 16]; }
};

/// Vectors: one column per component.
template <class T>
struct BlockedVectors3 {
  BlockedColumn<T> x, y, z;  ///< in the unit of the vector
};

/// The upper triangle of symmetric 3 × 3 matrices.
template <class T>
struct BlockedSymmetric {
  BlockedColumn<T> xx, xy, xz, yy, yz, zz;  ///< in the unit of the matrix
};

/// One body of every contact; see BodyColumns.
template <class T>
struct BlockedBodies {
  BlockedColumn<T> inverse_mass;                  ///< [1/kg]
  BlockedSymmetric<T> inverse_inertia;            ///< [1/(kg m²)]
  BlockedVectors3<T> velocity, angular_velocity;  ///< [m/s], [rad/s]
};

/// The columns of BlockedContacts, in their order within a block. Columns of laws are not in the blocks: they view your
/// own memory.
template <class T>
struct BlockedColumns {
  BlockedColumn<T> friction, restitution;  ///< [1]
  BlockedVectors3<T> normal, r_a, r_b;     ///< [1], [m], [m]
  BlockedBodies<T> a, b;                   ///< the two bodies
  LawColumns<T> laws;                      ///< optional
};

/// Contacts that own their memory. T is float or double. The columns have the meaning, units and ranges of Contacts.
/// All numbers are 0 at first, so body B is the immovable world until it is filled in.
///
/// Block b holds contacts 16 b to 16 b + 15 of each column in turn: friction, restitution, normal, r_a, r_b, body A,
/// body B. A block starts on a cache line. The last block is padded with zeros.
template <class T>
class CAROM_EXPORT BlockedContacts : public BlockedColumns<T> {
 public:
  static constexpr std::size_t block_size = 16;  ///< contacts per block
  static constexpr std::size_t columns = 37;     ///< columns per block

  /// Allocates `count` contacts. Throws Error if memory runs out.
  explicit BlockedContacts(std::size_t count);

  /// Returns the number of contacts.
  std::size_t size() const { return this->friction.count; }

  /// Takes the memory of `other`, which is left without contacts. Contacts cannot be copied.
  BlockedContacts(BlockedContacts&& other) noexcept
      : BlockedColumns<T>(std::exchange(static_cast<BlockedColumns<T>&>(other), {})),
        memory_(std::move(other.memory_)) {}
  /// Same as the move constructor.
  BlockedContacts& operator=(BlockedContacts&& other) noexcept {
    static_cast<BlockedColumns<T>&>(*this) = std::exchange(static_cast<BlockedColumns<T>&>(other), {});
    memory_ = std::move(other.memory_);
    return *this;
  }

 private:
  std::vector<T, LargeAllocator<T>> memory_;
};

}  // namespace carom
