// The options of `carom sweep`, and its run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_options.hpp"

namespace carom::apps {

struct SweepOptions : RunOptions {
  std::vector<std::string> laws;
  std::vector<double> frictions, restitutions;  ///< empty: every row has its own
  bool as_json = false;
};

/// A law and the coefficients that all contacts have under it, instead of their own.
struct StudyPoint {
  Law law{};
  std::optional<double> friction, restitution;
};

/// Solves the contacts at every point. Returns the exit code; throws Error.
int run_sweep(const SweepOptions& options);

}  // namespace carom::apps
