// What a figure has to be read with: the machine and the build.
#pragma once

#include <carom/solver.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carom::bench {

/// The ISA that a solver takes if nobody names one: the fastest here, or that of the environment variable CAROM_ISA.
inline Isa best_isa() {
  return Solver().isa();
}

std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace carom::bench
