// What `solve` and `compare` have in common on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <carom/solver.hpp>
#include <optional>
#include <string>

namespace carom::apps {

struct CommandOptions {
  std::string input;
  std::string integrator = std::string(to_string(Options{}.integrator));
  std::string restitution = std::string(to_string(Options{}.restitution_law));
  std::string precision = "double";
  std::string isa = "auto";
  std::optional<int> steps;  ///< only if given
  int threads = 0;
  bool all_faults = false;

  bool in_float() const { return precision == "float"; }
  /// Throws Error.
  Options solver_options() const;
  /// "series", "euler with 200 steps".
  std::string integrator_in_words() const;
};

void add_command_options(CLI::App& command, CommandOptions& options);

}  // namespace carom::apps
