// Report on contact systems: a line or a JSON object each.
#pragma once

#include <carom/system.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace carom::apps {

/// Further figures of a global system.
struct GlobalReport {
  std::size_t velocities = 0;  ///< 0: the system is local
  bool mass_was_half = false;  ///< the file has one side of M's diagonal
  double momentum_error = 0;   ///< [1] of M v = H r + f
  double velocity_error = 0;   ///< [1] |u − Hᵀ v − w| / |q|, which counts as an error of the solution does
  double seconds = 0;          ///< [s] that W and q took
};

struct SolvedSystem {
  std::string name;  ///< of the file
  SystemReport report;
  double tolerance = 0;
  GlobalReport global{};

  bool solved() const { return report.ok() && global.velocity_error <= tolerance; }
};

void print_text(const std::vector<SolvedSystem>& systems, std::FILE* out);
/// One object, with a list of the systems and sums.
void print_json(const std::vector<SolvedSystem>& systems, const SystemOptions& options, double tolerance,
                std::FILE* out);

}  // namespace carom::apps
