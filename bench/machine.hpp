// The machine and the build, needed to interpret a figure.
#pragma once

#include <carom/solver.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carom::bench {

/// The ISA that a solver selects by default: the fastest one, or the ISA in the environment variable CAROM_ISA.
inline Isa best_isa() {
  return Solver().isa();
}

std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace carom::bench
