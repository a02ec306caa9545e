#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "analysis/solving.hpp"
#include "commands/command_options.hpp"
#include "commands/commands.hpp"
#include "commands/output_file.hpp"
#include "io/result_file.hpp"
#include "report/bad_rows.hpp"
#include "report/progress_bar.hpp"

namespace carom::apps {
namespace {

struct SolveCommand : CommandOptions {
  std::string output;
  bool details = false;
};

constexpr const char* solve_footer =
    R"(Reads a CSV file with one contact a row, resolves every contact as if it were alone, and writes
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

Bad rows are named on stderr by line and column, come out with their status, and disturb no other.

Examples:
  carom solve contacts.csv -o results.csv
  carom solve contacts.csv -o results.csv --restitution kinetic --details
  carom solve contacts.csv -o results.csv --law chatterjee-ruina
  carom solve contacts.csv -o results.csv --integrator euler --steps 1000
  carom solve contacts.csv -o - --precision float --threads 1 | head
  zcat contacts.csv.gz | carom solve - -o results.csv
  carom solve contacts.csv -o reference.csv --reference

Exit code: 0 all rows are fine; 1 there are bad rows (the results are written all the same);
2 wrong usage, or a file that can't be read or written.)";

/// Sums over the parts of a file that have been solved.
struct Summary {
  std::map<std::string_view, std::size_t> by_status, by_law;
  Report report;
  std::size_t energy_gain_line = 0;
  double seconds = 0;
  std::size_t bad_rows = 0;
};

void add_rows(Summary& summary, const io::Table& table, const io::ContactNumbers& contacts, const Solved& solved) {
  for (std::size_t row = 0; row < contacts.size(); ++row)
    ++summary.by_status[contacts.readable(row) ? to_string(solved.results.status[row]) : io::unreadable];
  for (const Law law : contacts.named_laws()) ++summary.by_law[to_string(law)];
  const Report& report = solved.report;
  if (report.largest_energy_gain > summary.report.largest_energy_gain)
    summary.energy_gain_line = table.line(report.largest_energy_gain_contact);
  summary.report += report;
  summary.seconds += solved.seconds;
}

void print_summary(const SolveCommand& command, const io::Table& table, const Summary& summary) {
  FILE* out = command.output == "-" ? stderr : stdout;
  const Report& report = summary.report;
  const io::Form form = io::form_of(table);
  fmt::print(out, "{}: {} contacts, {}, {}, {}\n", table.name(), report.contacts, io::to_string(form),
             command.method_in_words(form), command.precision);
  if (!summary.by_law.empty()) {
    fmt::print(out, "law\n");
    for (const auto& [law, count] : summary.by_law) fmt::print(out, "  {:<40} {:>10}\n", law, count);
  }
  fmt::print(out, "status\n");
  for (const auto& [status, count] : summary.by_status) fmt::print(out, "  {:<40} {:>10}\n", status, count);
  fmt::print(out, "path\n");
  for (const auto& [path, count] : report.paths())
    if (path.course != Course::none) fmt::print(out, "  {:<40} {:>10}\n", to_string(path), count);
  const double seconds = summary.seconds, rate = seconds > 0 ? static_cast<double>(report.contacts) / seconds : 0;
  if (command.reference)
    fmt::print(out, "solved by the scalar reference in {:.3g} s: {:.3g} contacts/s\n", seconds, rate);
  else
    fmt::print(out, "solved on {} with {} thread{} in {:.3g} s: {:.3g} contacts/s\n", to_string(report.isa),
               report.threads, report.threads == 1 ? "" : "s", seconds, rate);
  if (report.largest_energy_gain > 0)
    fmt::print(out, "largest energy gain {:.3g} J at line {}\n", report.largest_energy_gain, summary.energy_gain_line);
  else
    fmt::print(out, "no contact gained energy\n");
}

/// Solves a part of the file at a time, so that memory does not grow with the file.
Summary solve(const SolveCommand& command, io::Form form, io::CsvReader& reader, ProgressBar& bar, OutputFile& output) {
  const Options options = command.solver_options();
  const io::Table& table = reader.table();
  std::optional<Solver> solver;
  if (!command.reference) solver.emplace(command.machine());
  BadRows bad_rows(command);
  Summary summary;
  // An empty file goes through the loop once: it has a header to write, and misuse is found in it too.
  for (bool first = true; reader.read(rows_at_once) || first; first = false) {
    const io::ContactNumbers contacts(table, form, command.read_options());
    const Solved solved = solver ? solve_on_lanes(contacts, *solver, options) : solve_by_reference(contacts, options);
    io::write_results(output.stream(), table, contacts, solved.results, command.details, first);
    bar.hide();
    bad_rows.print(table, contacts, solved.results.status);
    add_rows(summary, table, contacts, solved);
  }
  summary.bad_rows = bad_rows.finish(table);
  return summary;
}

int run(const SolveCommand& command) {
  command.require_valid(!command.reference);
  ProgressBar bar("solving");
  io::CsvReader reader(command.input, bar.function());
  const io::Form form = io::form_of(reader.table());
  command.require_fit(reader.table(), form);
  OutputFile output(command.output, command.input);
  const Summary summary = solve(command, form, reader, bar, output);
  output.finish();
  bar.hide();
  print_summary(command, reader.table(), summary);
  return summary.bad_rows == 0 ? exit_fine : exit_bad_rows;
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<SolveCommand>();
  CLI::App* solve = app.add_subcommand("solve", "Resolve the contacts of a file and write it with the results");
  add_command_options(*solve, *command);
  solve->add_option("-o,--output", command->output, "File for the results; - is standard output")
      ->option_text("OUT REQUIRED")
      ->required();
  solve->add_flag(
      "--reference", command->reference,
      "Solve with the scalar reference in double instead of the lanes: the exact one, or Euler's with euler");
  solve->add_flag("--details", command->details,
                  "Write the separation velocity, the work of both phases [J] and the steps too");
  solve->footer(solve_footer);
  solve->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
