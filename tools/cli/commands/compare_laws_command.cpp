#include <memory>
#include <optional>

#include "cli/analysis/law_comparison.hpp"
#include "cli/analysis/reading.hpp"
#include "cli/output/table_output.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

struct CompareLawsCommand : LawComparisonOptions {
  std::string output;
  bool as_json = false;
};

constexpr const char* compare_laws_footer =
    R"(Solves the file under one law after the other, whatever law its rows name, and tells
  - how many rows each law resolves, does not solve, and resolves though it has several solutions there;
  - the rows in which it gains energy, and the largest gain [J];
  - how far its impulse p' lies from the impulse p of the first law: median, 90 % point and largest of
    |p' - p| / |p|, over the rows that both resolve.
--laws chooses the laws and the first of them; without it they are all for which the file has the columns.
--json and -o tell the distances of every pair, of which examples/laws/plot.py draws a picture.

Examples:
  carom compare-laws contacts.csv
  carom compare-laws contacts.csv --laws whittaker,smith,anitescu-potra
  carom compare-laws contacts.csv -o distances.csv && python3 examples/laws/plot.py distances.csv laws.png

Exit code: 0 all rows are fine; 1 there are bad rows (the others are compared all the same);
2 wrong usage, or a file that can't be read or written.)";

int run(const CompareLawsCommand& command) {
  command.require_valid();
  const io::Table table = read_table(command.input);
  std::optional<OutputFile> output;
  if (!command.output.empty()) output.emplace(command.output, command.input);
  const LawComparison comparison = compare_laws(table, command);
  if (output) {
    write_csv(output->stream(), comparison);
    make_hdf5_of_csv(*output);
    output->finish();
  }
  if (command.as_json)
    print_json(comparison, command);
  else if (command.output != "-")
    print_text(comparison, command);
  return comparison.bad_rows == 0 ? exit_fine : exit_bad_rows;
}

}  // namespace

void add_compare_laws_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<CompareLawsCommand>();
  CLI::App* compare = app.add_subcommand("compare-laws", "Tell how far the laws lie apart on the contacts of a file");
  add_solver_options(*compare, *command);
  compare->add_option("--laws", command->laws, "The laws, with commas between them; `carom laws` lists them")
      ->option_text("NAME,NAME,...")
      ->delimiter(',')
      ->check(CLI::IsMember(law_names()));
  compare->add_flag("--reference", command->reference, "Solve with the scalar reference instead of the lanes");
  add_report_options(*compare, command->as_json, command->output, "the distances of every pair");
  compare->footer(compare_laws_footer);
  compare->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
