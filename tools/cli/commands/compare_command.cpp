#include <memory>

#include "cli/analysis/comparison.hpp"
#include "cli/analysis/reading.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

struct CompareCommand : CommandOptions {
  bool as_json = false;
};

constexpr const char* compare_footer =
    R"(Solves the file on the SIMD lanes and with the scalar reference (double, one thread, other code), series
against the exact reference, euler against the Euler reference at the same step, every other law
against its own definition, and tells
  - the difference in the separation velocity relative to |u0|, largest and median, over the
    contacts that both resolved;
  - the contacts whose path differs, and how near the reference was to deciding otherwise (relative;
    rounding explains a differing path near the boundary only; laws in closed form tell no distance);
  - the largest energy that either gained [J];
  - the throughput of both [contacts/s], each the median of three runs or more after warming up.
With --precision float the numbers are rounded to float for both, and the reference works on in double.
Columns with names of results (u_x, p_x, impulse_x, path, ...) are taken as expected values: differences
of velocities are relative to |u0|, of angular velocities to |u0| / |lever|, of impulses to |u0| / trace K.
From exact results series differs by rounding alone, euler with N steps by some 1/N.

Examples:
  carom compare contacts.csv
  carom compare contacts.csv --integrator euler --steps 1000
  carom compare contacts.csv --law whittaker
  carom compare contacts.csv --precision float --isa avx2 --threads 1
  carom compare contacts.csv --json | jq .throughput_ratio

Exit code: 0 all rows are fine; 1 there are bad rows (the others are compared all the same);
2 wrong usage, or a file that can't be read.)";

int run(const CompareCommand& command) {
  command.require_valid();
  const Comparison comparison = compare(read_table(command.input), command);
  if (command.as_json)
    print_json(comparison, command);
  else
    print_text(comparison, command);
  return comparison.bad_rows == 0 ? exit_fine : exit_bad_rows;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App* compare = app.add_subcommand("compare", "Check the lanes against the scalar reference, and time both");
  add_command_options(*compare, *command);
  compare->add_flag("--json", command->as_json, "One JSON object on standard output");
  compare->footer(compare_footer);
  compare->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
