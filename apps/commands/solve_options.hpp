// The options of `carom solve`.
#pragma once

#include <carom/scene.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_options.hpp"

namespace carom::apps {

struct SolveOptions : CommandOptions {
  std::string output;
  bool details = false;
  bool resume = false;
  double checkpoint = 10;  ///< [s]

  // These are for scenes.
  bool scene = false;
  std::string method = "pgs";
  std::optional<int> iterations;
  double relative_tolerance = SceneOptions{}.relative_tolerance;
  std::optional<double> time_step;
  std::optional<int> substeps;
  std::vector<std::string> given_of_laws;  ///< options of collision laws that stand on the command line

  // These are for contact systems, and the first two for scenes that are solved as such.
  std::optional<double> tolerance, budget;
  std::optional<int> max_island_size;  ///< of --method ncp
  bool pgs_presolve = false;           ///< of --method ncp
  std::vector<std::string> more_inputs;
  bool as_json = false;
  std::vector<std::string> given_of_contacts;  ///< options of contact files that stand on the command line
};

/// Solves every row as if it were alone. Returns the exit code; throws Error.
int solve_contacts(const SolveOptions& options);

/// Solves the rows of one scene_step together. Returns the exit code; throws Error.
int solve_scenes(const SolveOptions& options);

/// Solves the contact systems of HDF5 files. Returns the exit code; throws Error.
int solve_systems(const SolveOptions& options);

}  // namespace carom::apps
