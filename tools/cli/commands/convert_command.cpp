#include <memory>
#include <string>

#include "cli/output/progress_bar.hpp"
#include "cli/output/table_output.hpp"
#include "commands.hpp"
#include "io/files/table_file.hpp"

namespace carom::apps {
namespace {

struct ConvertCommand {
  std::string input, output, precision = "double";
};

constexpr const char* convert_footer =
    R"(OUT is HDF5 if its name ends in .h5 or .hdf5, and CSV else; IN is recognised by its first bytes.

HDF5 has a dataset for every column: numbers, or words and text where not all cells are numbers. Numbers
keep their bits both ways, words and text their characters. In CSV numbers have the fewest digits that bring
back their bits. CSV is read twice on its way to HDF5, which needs the number of rows first.

Examples:
  carom convert contacts.csv contacts.h5
  carom convert results.h5 - | head

Exit code: 0 all is well; 2 wrong usage, or a file that can't be read or written.)";

int run(const ConvertCommand& command) {
  ProgressBar bar("converting");
  const auto reader = io::open_table(command.input, bar.function());
  OutputFile output(command.output, command.input);
  // Cells that were read from HDF5 are written as they are.
  copy_rows(*reader, output, command.precision == "float" && !io::is_hdf5(command.input));
  output.finish();
  return exit_fine;
}

}  // namespace

void add_convert_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App* convert = app.add_subcommand("convert", "Make HDF5 of a CSV file, or CSV of HDF5");
  convert->add_option("IN", command->input, "File to read; - is standard input")->option_text("REQUIRED")->required();
  convert->add_option("OUT", command->output, "File to write; - is standard output")
      ->option_text("REQUIRED")
      ->required();
  add_precision(*convert, command->precision, "Of the numbers of CSV in HDF5; float rounds them");
  convert->footer(convert_footer);
  convert->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
