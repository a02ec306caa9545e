// What a core can do at most: a step of sliding needs one square root and one division, and on today's CPUs no other
// unit is as busy as the one that makes them. Independent roots and quotients in registers show its speed.
#pragma once

#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>

namespace carom::bench {

template <class T>
struct LimitLoop {
  /// x ← numerator / √x, `rounds` times, on `lanes` numbers that are read first and written last.
  void (*run)(T* x, T numerator, std::int64_t rounds);
  std::size_t lanes;
};

struct LimitLoops {
  LimitLoop<float> f32;
  LimitLoop<double> f64;
};

/// The ISA must be one of available_isas().
const LimitLoops& limit_loops(Isa isa);

}  // namespace carom::bench
