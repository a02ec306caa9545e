// What `solve` and `compare` have in common on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <carom/solver.hpp>
#include <string>

namespace carom::apps {

struct CommandOptions {
  std::string input;
  std::string integrator = "euler";
  std::string precision = "double";
  std::string isa = "auto";
  int steps = Options{}.steps;
  int threads = 0;
  bool all_faults = false;

  bool in_float() const { return precision == "float"; }
  /// Throws Error.
  Options solver_options() const;
};

void add_command_options(CLI::App& command, CommandOptions& options);

}  // namespace carom::apps
