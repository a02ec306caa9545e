#include <fmt/format.h>

#include <carom/status.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/output/output_file.hpp"
#include "cli/output/progress_bar.hpp"
#include "commands.hpp"
#include "io/columns/column_types.hpp"
#include "io/columns/table_reader.hpp"
#include "io/csv/csv.hpp"
#include "io/hdf5/hdf5_writer.hpp"

namespace carom::apps {
namespace {

struct ConvertCommand {
  std::string input, output, precision = "double";
};

constexpr std::size_t rows_of_conversion_at_once = 16384;

constexpr const char* convert_footer =
    R"(OUT is HDF5 if its name ends in .h5 or .hdf5, and CSV else; IN is recognised by its first bytes.

HDF5 has a dataset for every column: numbers, or words and text where not all cells are numbers. Numbers
keep their bits both ways, words and text their characters. In CSV numbers have the fewest digits that bring
back their bits. CSV is read twice on its way to HDF5, which needs the number of rows first.

Examples:
  carom convert contacts.csv contacts.h5
  carom convert results.h5 - | head

Exit code: 0 all is well; 2 wrong usage, or a file that can't be read or written.)";

void to_hdf5(const ConvertCommand& command, io::TableReader& reader, OutputFile& output) {
  std::vector<io::Hdf5Column> columns;
  for (std::size_t i = 0; i < reader.types().size(); ++i) {
    io::ColumnType type = reader.types()[i];
    // Cells that were read from HDF5 are written as they are.
    if (command.precision == "float" && type.kind == io::ColumnType::float64 && !io::is_hdf5(command.input))
      type.kind = io::ColumnType::float32;
    columns.push_back({reader.table().header()[i], type, {}});
  }
  io::Hdf5Writer writer(output.part(), columns, reader.count());
  for (std::size_t first = 0; reader.read(rows_of_conversion_at_once); first += reader.table().rows()) {
    if (first + reader.table().rows() > reader.count())
      throw Error("carom: " + command.input + " has changed while it was read");
    for (std::size_t i = 0; i < columns.size(); ++i)
      writer.write(i, first, io::cells_of(reader.table(), i, columns[i].type));
  }
}

void to_csv(io::TableReader& reader, OutputFile& output) {
  std::string text;
  for (const std::string& name : reader.table().header()) {
    io::append_cell(text, name);
    text += ',';
  }
  text.back() = '\n';
  output.stream() << text;
  while (reader.read(rows_of_conversion_at_once)) {
    const io::Table& table = reader.table();
    text.clear();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::size_t begin = text.size();
      for (std::size_t i = 0; i < table.header().size(); ++i) {
        io::append_cell(text, table, row, i);
        text += ',';
      }
      if (text.size() == begin + 1) text.insert(begin, "\"\"");  // a blank line would be no row
      text.back() = '\n';
    }
    output.stream() << text;
  }
  output.stream().flush();
}

int run(const ConvertCommand& command) {
  ProgressBar bar("converting");
  const auto reader = io::open_table(command.input, bar.function());
  OutputFile output(command.output, command.input);
  if (io::is_hdf5_name(command.output))
    to_hdf5(command, *reader, output);
  else
    to_csv(*reader, output);
  output.finish();
  return exit_fine;
}

}  // namespace

void make_hdf5_of_csv(OutputFile& output) {
  if (!io::is_hdf5_name(output.place())) return;
  output.stream().flush();
  const auto reader = io::open_table(output.part());
  std::vector<io::Hdf5Column> columns;
  for (std::size_t i = 0; i < reader->types().size(); ++i)
    columns.push_back({reader->table().header()[i], reader->types()[i], {}});
  reader->read(std::numeric_limits<std::size_t>::max());
  io::Hdf5Writer writer(output.part(), columns, reader->count());
  for (std::size_t i = 0; i < columns.size(); ++i)
    writer.write(i, 0, io::cells_of(reader->table(), i, columns[i].type));
  writer.sync();
}

void add_convert_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App* convert = app.add_subcommand("convert", "Make HDF5 of a CSV file, or CSV of HDF5");
  convert->add_option("IN", command->input, "File to read; - is standard input")->option_text("REQUIRED")->required();
  convert->add_option("OUT", command->output, "File to write; - is standard output")
      ->option_text("REQUIRED")
      ->required();
  convert->add_option("--precision", command->precision, "Of the numbers of CSV in HDF5; float rounds them")
      ->option_text("double|float [" + command->precision + "]")
      ->check(CLI::IsMember({"double", "float"}));
  convert->footer(convert_footer);
  convert->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
