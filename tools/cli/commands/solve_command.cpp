#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/solve_options.hpp"
#include "cli/ranks/ranks.hpp"
#include "commands.hpp"
#include "io/fclib/fclib.hpp"
#include "io/files/table_file.hpp"

namespace carom::apps {
namespace {

constexpr const char* solve_footer =
    R"(Reads a CSV or HDF5 file with one contact a row, resolves every contact as if it were alone, and writes
all columns of the file and the results: impulse, new velocities, status, path. The columns tell
the form, in 3D or in the plane: both bodies' states (normal_x, inverse_mass_a, velocity_a_x, ...) or
contact space (k_xx, k_xy, ..., u0_x, u0_y, ...); docs/contact-files.md lists them. Units are SI: kg, m,
s, N s, J.

--law is the collision law of rows that name none in a column law; `carom laws` lists the laws and the
columns that they read beside friction and restitution.

Under the incremental law in 3D sliding is integrated exactly to rounding, unless --integrator euler is
given: then with twice the --steps the error is half as large and the time twice as long, and rows of a
file with a column impulse_step [N s] have that step instead.

Of a compression the normal force gives back e^2 times the work (energetic) or e times the impulse
(kinetic), or the normal velocity ends at -e times its first value (kinematic). A column
restitution_law tells each row's own law, in place of --restitution-law.

With --scene the rows of one scene_step are solved together. The columns body_a and body_b name the bodies
(-1 is the immovable world), whose state every row repeats. New velocities are the velocities after the whole
scene. Velocities in the file are those before the forces of the step if --gravity is given; without it
they include what the forces have added. docs/contact-files.md lists the optional columns and the methods that
read them. Columns that the method does not read are copied to the output.
  substeps            --time-step in substeps, as many as the load needs; for engines. The default
  pgs                 projected Gauss-Seidel: some iterations over all contacts, as in classical engines
  ncp                 the law of pgs solved to --tolerance, with --budget as the limit of the work
  sequential-impacts  one collision after the other under --law, the fastest first
  bender-schmitt      --phase collisions, resting (contacts that leave no overlap after --time-step) or both
Every option of a method has its name in C++, with hyphens: --help-method lists them.

HDF5 files in FCLIB's local layout are contact systems with the Delassus matrix W, q and mu, recognised by
their first bytes. They are solved to --tolerance, an error relative to |q|, with --budget as the most work
on contacts that W connects, counted in Gauss-Seidel iterations over them. -o gets a copy of the problem
with /solution/r [N s] and /solution/u [m/s]; several files give a table. docs/contact-systems.md tells more.

Bad rows are named on stderr by line and column, come out with their status, and disturb no other.

Examples:
  carom solve contacts.csv -o results.csv
  carom solve contacts.csv -o results.csv --restitution-law kinetic --details
  carom solve contacts.csv -o results.csv --law chatterjee-ruina
  carom solve contacts.csv -o results.csv --integrator euler --steps 1000
  carom solve contacts.csv -o - --precision float --threads 1 | head
  zcat contacts.csv.gz | carom solve - -o results.csv
  carom solve contacts.csv -o reference.csv --reference
  carom solve --scene contacts.csv -o results.csv --time-step 0.01 --gravity 0,0,-9.81
  carom solve --scene contacts.csv -o results.csv --method pgs --iterations 50
  carom solve --scene contacts.csv -o results.csv --method ncp --tolerance 1e-6
  carom solve --scene contacts.csv -o results.csv --method sequential-impacts --law chatterjee-ruina
  carom solve --scene contacts.csv -o results.csv --method bender-schmitt --phase resting --time-step 0.01
  carom solve --help-method ncp
  carom solve problem.hdf5 -o solved.hdf5 --json
  carom solve collection/*.hdf5 --tolerance 1e-12

Exit code: 0 all rows are fine, all systems solved; 1 there are bad rows or systems that have not reached the
tolerance (the results are written all the same);
2 wrong usage, or a file that can't be read or written.)";

/// Throws Error if options of contact systems stand on the command line of a contact file, or the file for results does
/// not.
void require_contact_file(const SolveOptions& command) {
  if (command.output.empty()) throw Error("carom: --output is required");
  const char* given = !command.more_inputs.empty() ? "a further file" : command.as_json ? "--json" : nullptr;
  if (given != nullptr)
    throw Error(fmt::format("carom: {} is for contact systems (HDF5), and {} is none", given, command.input));
}

int run(const SolveOptions& command) {
  if (io::is_hdf5(command.input) && io::is_fclib(command.input)) return solve_systems(command);
  require_contact_file(command);
  return command.scene ? solve_scenes(command) : solve_contacts(command);
}

void add_scene_options(CLI::App& solve, SolveOptions& options) {
  CLI::Option* scene = solve.add_flag("--scene", options.scene, "Solve the rows of one scene_step together");
  const std::string methods = names_of<SceneMethod>();
  const CLI::IsMember is_method(CLI::detail::split(methods, '|'));
  solve.add_option("--method", options.method, "Method of --scene, see below; substeps needs --time-step")
      ->option_text(fmt::format("{} [{}]", methods, to_string(SceneMethod::substeps)))
      ->check(is_method)
      ->needs(scene);
  solve
      .add_option_function<std::string>(
          "--help-method",
          [](const std::string& method) {
            if (speaks()) fmt::print("{}", help_of_method(scene_method_from_string(method)));
            throw CLI::Success();
          },
          "Print the options of a method with unit, range and default, and exit")
      ->option_text(methods)
      ->check(is_method)
      ->trigger_on_parse();
  solve.add_flag("--json", options.as_json, "Of contact systems: one JSON object on standard output");
}

/// True for the options of `carom solve` that contact systems take, besides the options of the library.
bool is_of_systems(const std::string& name) {
  for (const char* own : {"IN", "FURTHER", "--output", "--precision", "--threads", "--isa", "--json"})
    if (name == own) return true;
  return false;
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<SolveOptions>();
  CLI::App* solve = app.add_subcommand("solve", "Resolve the contacts of a file and write it with the results");
  add_command_options(*solve, *command);
  solve->add_option("FURTHER", command->more_inputs, "Further contact systems (HDF5), for a table")->option_text("");
  solve
      ->add_option("-o,--output", command->output,
                   "File for the results; - is standard output. Not needed for contact systems (HDF5)")
      ->option_text("OUT REQUIRED");
  solve->add_flag(
      "--reference", command->reference,
      "Solve with the scalar reference in double instead of the lanes: the exact one, or Euler's with euler");
  solve->add_flag("--details", command->details,
                  "Write the separation velocity too and, without --scene, the work of both phases [J] and the steps");
  add_resume_options(*solve, *command);
  add_scene_options(*solve, *command);
  add_library_options(*solve, *command);
  solve->footer(solve_footer);
  solve->callback([command, solve, &exit_code] {
    const std::vector<std::string> fields = command->given.fields();
    for (const CLI::Option* option : solve->get_options()) {
      const std::string name = option->get_name();
      const bool is_of_library =
          std::any_of(fields.begin(), fields.end(), [&](const std::string& field) { return flag_of(field) == name; });
      if (option->count() > 0 && !is_of_library && !is_of_systems(name)) command->given_of_contacts.push_back(name);
    }
    Ranks& ranks = Ranks::world();
    command->threads = ranks.threads(command->threads);
    exit_code = ranks.run([&] { return run(*command); });
  });
}

}  // namespace carom::apps
