// A body as a record of numbers: what the solver packs once a call, and kernels gather by index.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carom::kernel {

/// The numbers of BodyColumns in their order; then some to spare, so that a record begins with a line of the cache.
struct BodyRecord {
  static constexpr std::size_t size = 16, inverse_mass = 0, inverse_inertia = 1, velocity = 7, angular_velocity = 10,
                               numbers = 13;
};

/// The record of a body in an array that begins with body 0. Before it stand the world, -1, and what is no body, -2.
template <class T>
[[gnu::always_inline]] inline T* record_of(T* records, std::ptrdiff_t body) {
  return records + body * static_cast<std::ptrdiff_t>(BodyRecord::size);
}

/// Whether a body with this record answers to impulses.
template <class T>
[[gnu::always_inline]] inline bool is_movable(const T* record) {
  return record[0] > T(0) || record[1] + record[4] + record[6] > T(0);  // the trace of J
}

}  // namespace carom::kernel
