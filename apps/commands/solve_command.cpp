#include <fmt/format.h>

#include <carom/system.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/solve_options.hpp"
#include "io/fclib.hpp"
#include "io/table_reader.hpp"
#include "ranks/ranks.hpp"

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
restitution_law tells each row's own law, in place of --restitution.

With --scene the rows of one scene_step are solved together. The columns body_a and body_b name the bodies
(-1 is the immovable world), whose state every row repeats; new velocities are those after the whole scene.
Optional columns: static_friction (not of ncp), target_velocity [m/s], surface_velocity_x, _y, _z [m/s],
gap [m] for resting and substeps, slop [m] for substeps, key for simultaneous, substeps and ncp. Contact models are of these three: friction_2 with
friction_direction_x, _y, _z, rolling_friction and spinning_friction [m], normal_compliance and
tangential_compliance [1/kg], and, of substeps, stiffness [N/m] and damping [N s/m].
  simultaneous  all contacts in sweeps on their friction cones, as engines do
  sequential-impacts  one collision after the other under --law, the fastest first
  iteration     normal impulses, then friction, in sweeps, until the contacts have rebounded
  resting       impulses that leave no overlap after --time-step, of contacts at rest
  step          iteration, then resting
  substeps      --time-step in substeps, as many as the load needs: what rests stays at rest
  ncp       the law of simultaneous, solved to --tolerance with --budget as contact systems are

HDF5 files in FCLIB's layout are contact systems, recognised by their first bytes: local ones with the
Delassus matrix W, q and mu, global ones with M, H, f, w and mu, of which W and q are made. They are
solved to --tolerance, an error relative to |q|, with --budget as the most work on contacts that W
connects, counted in Gauss-Seidel sweeps over them. -o gets a copy of the problem with /solution/r [N s]
and /solution/u [m/s], of global ones /solution/v as well; several files give a table.
docs/contact-systems.md tells more.

Bad rows are named on stderr by line and column, come out with their status, and disturb no other.

Examples:
  carom solve contacts.csv -o results.csv
  carom solve contacts.csv -o results.csv --restitution kinetic --details
  carom solve contacts.csv -o results.csv --law chatterjee-ruina
  carom solve contacts.csv -o results.csv --integrator euler --steps 1000
  carom solve contacts.csv -o - --precision float --threads 1 | head
  zcat contacts.csv.gz | carom solve - -o results.csv
  carom solve contacts.csv -o reference.csv --reference
  carom solve --scene contacts.csv -o results.csv --iterations 50
  carom solve --scene contacts.csv -o results.csv --method sequential-impacts --law chatterjee-ruina
  carom solve --scene contacts.csv -o results.csv --method resting --time-step 0.01
  carom solve --scene contacts.csv -o results.csv --method substeps --time-step 0.01
  carom solve --scene contacts.csv -o results.csv --method ncp --tolerance 1e-6
  carom solve problem.hdf5 -o solved.hdf5 --json
  carom solve collection/*.hdf5 --tolerance 1e-12

Exit code: 0 all rows are fine, all systems solved; 1 there are bad rows or systems that missed the
tolerance (the results are written all the same);
2 wrong usage, or a file that can't be read or written.)";

/// Throws Error if options of contact systems stand on the command line of a contact file, or the file for results does
/// not.
void require_contact_file(const SolveOptions& command) {
  if (command.output.empty()) throw Error("carom: --output is required");
  const char* given = !command.more_inputs.empty()          ? "a further file"
                      : command.tolerance && !command.scene ? "--tolerance"
                      : command.budget && !command.scene    ? "--budget"
                      : command.as_json                     ? "--json"
                                                            : nullptr;
  if (given != nullptr)
    throw Error(fmt::format("carom: {} is for contact systems (HDF5), and {} is none", given, command.input));
}

int run(const SolveOptions& command) {
  if (io::is_hdf5(command.input) && io::is_fclib(command.input)) return solve_systems(command);
  require_contact_file(command);
  return command.scene ? solve_scenes(command) : solve_contacts(command);
}

std::vector<std::string> scene_methods() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scene_method_count; ++i) names.emplace_back(to_string(static_cast<SceneMethod>(i)));
  return names;
}

void add_scene_options(CLI::App& solve, SolveOptions& options) {
  CLI::Option* scene = solve.add_flag("--scene", options.scene, "Solve the rows of one scene_step together");
  solve.add_option("--method", options.method, "How, with --scene: see below. The next options are of scenes too")
      ->option_text(fmt::format("{} [{}]", fmt::join(scene_methods(), "|"), options.method))
      ->check(CLI::IsMember(scene_methods()))
      ->needs(scene);
  solve
      .add_option("--iterations", options.iterations,
                  "Most sweeps over the contacts that bodies connect; of sequence impacts for every contact. By "
                  "default 10 of pgs and of ncp's, 100 of sequence, 1000 of the others")
      ->option_text("N")
      ->check(within(1, SceneLimits::max_iterations))
      ->needs(scene);
  solve
      .add_option("--relative-tolerance", options.relative_tolerance,
                  "Ends sooner, when no contact misses its target by more than this share of the greatest approach "
                  "speed")
      ->option_text(fmt::format("R [{}]", options.relative_tolerance))
      ->check(within(0.0, 1.0))
      ->needs(scene);
  solve.add_option("--time-step", options.time_step, "Step [s] of resting, step and substeps, which need it")
      ->option_text("H")
      ->check(above_zero(SceneLimits::max_time_step))
      ->needs(scene);
  solve.add_option("--substeps", options.substeps, "Their number, instead of 4 to 64 by the load of what is connected")
      ->option_text("N")
      ->check(within(1, SceneLimits::max_substeps))
      ->needs(scene);
}

void add_system_options(CLI::App& solve, SolveOptions& options) {
  solve
      .add_option("--tolerance", options.tolerance,
                  "Error of contact systems (HDF5) and of --method ncp, relative to |q|; by default 1e-8, with "
                  "--precision float 1e-4")
      ->option_text("R")
      ->check(above_zero(SystemOptions::max_tolerance));
  solve
      .add_option("--budget", options.budget,
                  "Most work on contacts of a system that W connects, or that bodies connect, in Gauss-Seidel sweeps "
                  "over them")
      ->option_text(fmt::format("N [{}, {} of --method ncp]", SystemOptions{}.budget, NcpOptions{}.budget))
      ->check(within(1.0, SystemOptions::max_budget));
  solve
      .add_option("--largest-island", options.max_island_size,
                  "Most contacts that bodies connect which --method ncp solves; what is larger is swept")
      ->option_text("N")
      ->check(within(1, SceneLimits::max_iterations));
  solve.add_flag("--after-sweeps", options.pgs_presolve,
                 "--method ncp sweeps at first, and solves what has not converged");
  solve.add_flag("--json", options.as_json, "Of contact systems: one JSON object on standard output");
}

/// Tells the options of `carom solve` that contact systems take.
bool is_of_systems(const std::string& name) {
  for (const char* own :
       {"IN", "FURTHER", "--output", "--precision", "--threads", "--isa", "--tolerance", "--budget", "--json"})
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
  add_resume_options(*solve, command->resume, command->checkpoint);
  add_scene_options(*solve, *command);
  add_system_options(*solve, *command);
  solve->footer(solve_footer);
  solve->callback([command, solve, &exit_code] {
    for (const char* option : {"--law", "--restitution", "--integrator", "--steps"})
      if (solve->get_option(option)->count() > 0) command->given_of_laws.emplace_back(option);
    for (const CLI::Option* option : solve->get_options()) {
      const std::string name = option->get_name();
      if (option->count() > 0 && !is_of_systems(name)) command->given_of_contacts.push_back(name);
    }
    Ranks& ranks = Ranks::world();
    command->threads = ranks.threads(command->threads);
    exit_code = ranks.run([&] { return run(*command); });
  });
}

}  // namespace carom::apps
