// Upper limit of a core: a sliding step needs one square root and one division, and their unit is the busiest one on
// current CPUs. Independent square roots and divisions in registers measure its throughput.
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
