// Random contacts for tests and benchmarks, from the distribution of golden/bodies3d.csv, and arrays for their results.
// The same seed gives the same bits on every platform.
#pragma once

#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/random_contacts.hpp"

namespace carom::support {

/// Optimised and without a sanitizer: then tests draw more contacts.
#if defined(NDEBUG) && !defined(CAROM_SANITIZED)
inline constexpr bool fast_build = true;
#else
inline constexpr bool fast_build = false;
#endif

/// All result columns, filled with zeros. Without `bodies` the velocities of the bodies are left out.
template <class T>
struct ResultArrays {
  explicit ResultArrays(std::size_t contacts, bool bodies = true);

  Vectors3<T> impulse, separation_velocity;
  Vectors3<T> velocity_a, angular_velocity_a, velocity_b, angular_velocity_b;
  std::vector<Status> status;
  std::vector<Path> path;
  std::vector<T> work_compression, work_decompression;
  std::vector<std::int32_t> steps;

  Results<T> results();
};

}  // namespace carom::support
