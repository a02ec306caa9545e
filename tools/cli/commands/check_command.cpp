#include <memory>
#include <optional>

#include "cli/analysis/reading.hpp"
#include "cli/analysis/region_check.hpp"
#include "cli/output/table_output.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

struct CheckCommand : RegionCheckOptions {
  std::string output;
  bool as_json = false;
};

constexpr const char* check_footer =
    R"(Puts impulses p to the permissible region of Chatterjee and Ruina and tells which rows leave it, by which
bound, and by how much:
  gains energy      p u0 + 1/2 p K p > 0 [J]
  penetrates        the bodies still approach afterwards [m/s]
  pulls             the normal impulse is negative [N s]
  leaves the cone   the tangential impulse exceeds friction times the normal one [N s]
The impulses are those of the file (impulse_x, ... or p_x, ..., such as `carom solve` writes). With --law
NAME they are those of this law, or of the law that a row names; with --law all those of every law that
the columns of the file allow, whatever the rows name. A file without impulses is checked under the laws of its
rows, or under all. A row is outside if it is beyond a bound by more than --tolerance, relative to
1/2 u0 K^-1 u0, to |u0|, or to |p| for the last two.

-o writes the rows with the distances to the bounds (margin_energy, margin_non_penetration, margin_tension,
margin_cone; negative outside) and with what spans their impulse space: plastic_frictionless_x, ... (the
impulse that stops the approach without friction), plastic_sticking_x, ... (the one that stops all of u),
contact_energy [J] (1/2 u0 K^-1 u0).

Examples:
  carom check results.csv
  carom check contacts.csv --law whittaker
  carom check contacts.csv --law all --json | jq '.checks[] | select(.outside > 0) | .impulses_of'
  carom check results.csv -o margins.csv

Exit code: 0 all rows are fine, in the region or not; 1 there are bad rows (the others are checked all the
same); 2 wrong usage, or a file that can't be read or written.)";

int run(CheckCommand& command) {
  if (!command.impulses_of.empty() && command.impulses_of != "all") command.given.set("law", command.impulses_of);
  command.require_valid();
  const io::Table table = read_table(command.input);
  std::optional<OutputFile> output;
  if (!command.output.empty()) output.emplace(command.output, command.input);
  const RegionCheck check = check_region(table, command, output ? &output->stream() : nullptr);
  if (output) {
    make_hdf5_of_csv(*output);
    output->finish();
  }
  if (command.as_json)
    print_json(check, command);
  else if (command.output != "-")
    print_text(check, command);
  return check.bad_rows == 0 ? exit_fine : exit_bad_rows;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* check = app.add_subcommand("check", "Tell which impulses leave the permissible region");
  add_solver_options(*check, *command);
  std::vector<std::string> names = law_names();
  names.emplace_back("all");
  check->add_option("--law", command->impulses_of, "The law whose impulses are checked; `carom laws` lists them")
      ->option_text("NAME|all")
      ->check(CLI::IsMember(names));
  check->add_option("--tolerance", command->tolerance, "How far beyond a bound is still inside, relative")
      ->option_text("X [64 roundings of the precision]")
      ->check(within(0.0, 1.0));
  check->add_flag("--reference", command->reference, "Solve with the scalar reference instead of the lanes");
  add_report_options(*check, command->as_json, command->output, "the rows with their margins");
  check->footer(check_footer);
  check->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
