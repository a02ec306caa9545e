// A body as a record of numbers. The solver packs the records once a call; kernels gather them by index.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carom::kernel {

/// The numbers of BodyColumns in their order, padded to whole cache lines.
struct BodyRecord {
  static constexpr std::size_t size = 16, inverse_mass = 0, inverse_inertia = 1, velocity = 7, angular_velocity = 10,
                               numbers = 13;
};

/// Record of a body; `records` is the record of body 0. The world (-1) and the dummy body (-2) precede it.
template <class T>
[[gnu::always_inline]] inline T* record_of(T* records, std::ptrdiff_t body) {
  return records + body * static_cast<std::ptrdiff_t>(BodyRecord::size);
}

/// Returns whether impulses can move a body with this record.
template <class T>
[[gnu::always_inline]] inline bool is_movable(const T* record) {
  return record[0] > T(0) || record[1] + record[4] + record[6] > T(0);  // the trace of J
}

}  // namespace carom::kernel
