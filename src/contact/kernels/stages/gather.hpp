// Gathers elements of columns that are not adjacent: contacts in a list, fields of structs, indexed bodies.
#pragma once

#include "load.hpp"
#include "simd/kernels/lanes/lanes.hpp"
#include "source.hpp"

namespace carom::kernel {
namespace {

/// Contacts of a tile that is not read in place: `count` of them from `first` on, or the contacts in `list`, relative
/// to `first`.
struct Picked {
  std::size_t first, count;
  const std::uint32_t* list;
  std::size_t block_bytes;  // as in Layout
};

template <class V>
[[gnu::noinline]] inline void gather(const Strided<V>& column, const Picked& picked, V* to) {
  const std::size_t first = picked.first;
  const std::uint32_t* const list = picked.list;
  if (list != nullptr && picked.block_bytes == 0 && is_contiguous(column)) {
    _Pragma("GCC unroll 4") for (std::size_t i = 0; i < picked.count; ++i) to[i] = column.data[first + list[i]];
    return;
  }
  if (picked.block_bytes != 0) {
    for (std::size_t k = 0; k < picked.count; ++k)
      to[k] = *reinterpret_cast<const V*>(reinterpret_cast<const char*>(column.data) +
                                          offset_of<V>(first + (list != nullptr ? list[k] : k), picked.block_bytes));
  } else if (list == nullptr) {
    const char* from = reinterpret_cast<const char*>(&element(column, first));
    _Pragma("GCC unroll 8") for (std::size_t k = 0; k < picked.count; ++k, from += column.stride) to[k] =
        *reinterpret_cast<const V*>(from);
  } else {
    _Pragma("GCC unroll 4") for (std::size_t k = 0; k < picked.count; ++k) to[k] = element(column, first + list[k]);
  }
}

/// In a list, a contact whose results are not written.
inline constexpr std::uint32_t skipped = ~0u;

/// Scatters elements to the positions of a list's contacts in the caller's column.
template <class V>
[[gnu::noinline]] inline void scatter(const Column<V>& column, const Picked& picked, const V* from) {
  const std::uint32_t* const list = picked.list;
  if (is_contiguous(column)) {
    V* const to = &element(column, picked.first);
    if (list == nullptr)
      __builtin_memcpy(to, from, picked.count * sizeof(V));
    else
      for (std::size_t i = 0; i < picked.count; ++i)
        if (list[i] != skipped) to[list[i]] = from[i];
    return;
  }
  if (list == nullptr) {
    char* to = reinterpret_cast<char*>(&element(column, picked.first));
    _Pragma("GCC unroll 8") for (std::size_t i = 0; i < picked.count; ++i, to += column.stride) *
        reinterpret_cast<V*>(to) = from[i];
    return;
  }
  for (std::size_t i = 0; i < picked.count; ++i)
    if (list[i] != skipped) element(column, picked.first + list[i]) = from[i];
}

template <class V>
[[gnu::noinline]] inline void clear(const Column<V>& column, const Picked& picked) {
  for (std::size_t i = 0; i < picked.count; ++i)
    if (picked.list == nullptr || picked.list[i] != skipped)
      element(column, picked.first + (picked.list != nullptr ? picked.list[i] : i)) = V(0);
}

/// Positions of the bodies of a tile's contacts on one side: -1 for the world, -2 for an invalid index.
inline void place_bodies(const std::int32_t* body, std::size_t count, std::size_t bodies, std::int32_t* place) {
  // -1 and the range of bodies are tested at once: contacts with the world occur at random, so a branch is slow.
  const auto end = static_cast<std::uint32_t>(bodies < 0x80000000u ? bodies : 0x80000000u);
  for (std::size_t i = 0; i < count; ++i) place[i] = static_cast<std::uint32_t>(body[i]) + 1u <= end ? body[i] : -2;
}

/// A Status for each contact.
template <class T>
inline void validate_bodies(const std::int32_t* place_a, const std::int32_t* place_b, std::size_t count, T* fault) {
  constexpr auto outside = static_cast<std::int32_t>(Status::body_index_out_of_range);
  constexpr auto same = static_cast<std::int32_t>(Status::same_body);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t a = place_a[i], b = place_b[i];
    fault[i] = static_cast<T>(a == -2 || b == -2 ? outside : a == b && a >= 0 ? same : 0);
  }
}

/// Gathers a number of the bodies at `place`, in whole vectors. The world reads as an immovable body at rest, an
/// invalid body as NaN: `absent` has 0, NaN, and 1 for a body.
template <class A, class T>
[[gnu::noinline]] inline void gather_number(const Strided<T>& column, const std::int32_t* place, const T* absent,
                                            std::size_t count, T* to) {
  using B = typename LaneTypes<A, T>::Batch;
  constexpr std::size_t width = LaneTypes<A, T>::width;
  const auto each = [&](auto&& at) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < count; i += width) {
      T values[width];
      for (std::size_t lane = 0; lane < width; ++lane) {
        const std::int32_t body = place[i + lane];
        values[lane] = at(static_cast<std::size_t>(body < 0 ? 0 : body));
      }
      const B none = load_lanes<B>(absent + i);
      store_lanes(to + i, choose(none == B(1), load_lanes<B>(values), none));
    }
  };
  if (is_contiguous(column))
    each([&](std::size_t i) __attribute__((always_inline)) { return column.data[i]; });
  else
    each([&](std::size_t i) __attribute__((always_inline)) { return element(column, i); });
}

}  // namespace
}  // namespace carom::kernel
