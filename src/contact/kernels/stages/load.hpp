// Loads single columns of the caller: columns that few laws read, and columns of scenes. Whole blocks of contiguous
// columns are vector loads; other columns are gathered value by value. The lanes behind the end of a batch repeat its
// last contact, and are not read. The columns of every contact are read by contact_reader.hpp.
#pragma once

#include "elements.hpp"
#include "simd/kernels/lanes/collect.hpp"
#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// Contacts in the lanes: `count` of them, from `first` on. Only `lanes` are stored.
struct Block {
  std::size_t first;
  std::size_t count;
  unsigned lanes;
};

/// The next contacts of a range that ends before `end`.
template <std::size_t width>
inline Block block_at(std::size_t first, std::size_t end) {
  return end - first < width ? Block{first, end - first, (1u << (end - first)) - 1}
                             : Block{first, width, (1u << width) - 1};
}

/// The lanes of a block whose contacts the incremental kernel solves.
template <class T>
inline unsigned incremental_lanes(const LawColumns<T>& contacts, Law otherwise, Selection selection,
                                  const Block& block) {
  const bool composite = selection == Selection::composite;
  const Law wanted = composite ? Law::composite : Law::incremental;
  const Column<const T>& weight = contacts.weight.incremental;
  unsigned lanes = block.lanes;
  for_each_bit(block.lanes, [&](std::size_t lane) {
    const std::size_t i = block.first + lane;
    const Law law = contacts.law.data != nullptr ? element(contacts.law, i) : otherwise;
    if (law != wanted || (composite && !(element(weight, i) > T(0)))) lanes &= ~(1u << lane);
  });
  return lanes;
}

template <class A, class T>
struct Loader {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  [[gnu::always_inline]] static B load(const Column<const T>& column, const Block& block) {
    if (block.count == width && column.stride == static_cast<std::ptrdiff_t>(sizeof(T))) [[likely]]
      return load_lanes<B>(column.data + block.first);
    if (column.stride == 0) return B(*column.data);
    return collect(column, block);
  }
  [[gnu::always_inline]] static Vector3<B> load(const Vector3Columns<const T>& columns, const Block& block) {
    if (stand_side_by_side(columns)) return collect(columns, block);
    return {load(columns.x, block), load(columns.y, block), load(columns.z, block)};
  }

 private:
  // The lanes after the last contact repeat it.
  [[gnu::noinline]] static B collect(const Column<const T>& column, const Block& block) {
    const char* const from = reinterpret_cast<const char*>(&element(column, block.first));
    const auto last = static_cast<std::ptrdiff_t>(block.count) - 1;
    if (last == 0) return B(*reinterpret_cast<const T*>(from));
    return lanes_of<B>([&](std::size_t lane) __attribute__((always_inline)) {
      const auto i = static_cast<std::ptrdiff_t>(lane);
      return *reinterpret_cast<const T*>(from + (i < last ? i : last) * column.stride);
    });
  }
  [[gnu::noinline]] static Vector3<B> collect(const Vector3Columns<const T>& columns, const Block& block) {
    const char* const from = reinterpret_cast<const char*>(&element(columns.x, block.first));
    const auto last = static_cast<std::ptrdiff_t>(block.count) - 1;
    Vector3<B> v;
    load_threes<B>(
        [&](std::size_t lane) __attribute__((always_inline)) {
          const auto i = static_cast<std::ptrdiff_t>(lane);
          return reinterpret_cast<const T*>(from + (i < last ? i : last) * columns.x.stride);
        },
        v.x, v.y, v.z);
    return v;
  }
};

}  // namespace
}  // namespace carom::kernel
