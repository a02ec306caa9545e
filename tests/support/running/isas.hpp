// The ISAs that give the same bits.
#pragma once

#include <carom/solver.hpp>
#include <vector>

namespace carom::support {

/// SSE2 has no fused multiply-add: kernel_reference_test compares it within the bound of rounding errors.
inline std::vector<Isa> isas_with_fma() {
  std::vector<Isa> isas = available_isas();
  std::erase(isas, Isa::sse2);
  return isas;
}

}  // namespace carom::support
