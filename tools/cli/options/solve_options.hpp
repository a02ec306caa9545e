// The options of `carom solve`.
#pragma once

#include <carom/scene.hpp>
#include <string>
#include <vector>

#include "command_options.hpp"

namespace carom::apps {

/// A struct of options that `carom solve` reads: whose it is ("ncp") and its fields.
struct OptionOwner {
  std::string name;
  std::vector<std::string> fields;
};
inline constexpr const char *single_contacts = "single contacts", *all_scenes = "scenes",
                            *contact_systems = "contact systems (HDF5)";
/// Single contacts, scenes, every method by its name, contact systems.
const std::vector<OptionOwner>& option_owners();

struct SolveOptions : RunOptions {
  // These are for scenes.
  bool scene = false;
  std::string method;  ///< empty if it is not given

  // These are for contact systems.
  std::vector<std::string> more_inputs;
  bool as_json = false;
  std::vector<std::string> given_of_contacts;  ///< options of contact files, not of the library, on the command line

  /// The method that is given or the default, substeps. Throws Error if the default lacks its time step.
  SceneMethod scene_method() const;
  /// Throws Error.
  SceneOptions scene_options() const;
  /// Throws Error if an option of the library is given that none of these owners has. `solved` names the problem in the
  /// message.
  void require_owned(const std::vector<std::string>& owners, const std::string& solved) const;
};

/// Adds the options of scenes, methods and contact systems.
void add_library_options(CLI::App& command, SolveOptions& options);

/// The table of the options of a method: unit, range, default and meaning.
std::string help_of_method(SceneMethod method);

/// Solves every row as if it were alone. Returns the exit code; throws Error.
int solve_contacts(const SolveOptions& options);

/// Solves the rows of one scene_step together. Returns the exit code; throws Error.
int solve_scenes(const SolveOptions& options);

/// Solves the contact systems of HDF5 files. Returns the exit code; throws Error.
int solve_systems(const SolveOptions& options);

}  // namespace carom::apps
