#include "table_output.hpp"

#include <limits>

#include "io/csv/csv_writer.hpp"
#include "io/files/table_file.hpp"
#include "io/hdf5/open_hdf5.hpp"

namespace carom::apps {
namespace {

std::unique_ptr<io::RowWriter> new_copy(io::TableReader& reader, OutputFile& output, bool in_float) {
  std::vector<io::FileColumn> columns;
  for (const std::string& name : reader.table().header()) {
    io::FileColumn& column = columns.emplace_back(io::FileColumn{name});
    if (!output.is_hdf5()) continue;
    column.type = reader.types()[columns.size() - 1];
    if (in_float && column.type.kind == io::ColumnType::float64) column.type.kind = io::ColumnType::float32;
  }
  return new_rows(output, columns, output.is_hdf5() ? reader.count() : 0);
}

io::RowBlock all_columns_of(const io::Table& table) {
  io::RowBlock rows{.table = &table};
  for (std::size_t i = 0; i < table.header().size(); ++i) rows.columns.emplace_back(i);
  return rows;
}

}  // namespace

std::unique_ptr<io::RowWriter> new_rows(OutputFile& output, const std::vector<io::FileColumn>& columns,
                                        std::size_t rows) {
  if (output.is_hdf5()) return io::new_hdf5(output.part(), columns, rows);
  return std::make_unique<io::CsvWriter>(output.stream(), columns);
}

void copy_rows(io::TableReader& reader, OutputFile& output, bool in_float) {
  constexpr std::size_t rows_at_once = 16384;
  const auto writer = new_copy(reader, output, in_float);
  io::RowBlock rows = all_columns_of(reader.table());
  for (; reader.read(rows_at_once); rows.first += rows.count) {
    rows.count = reader.table().rows();
    writer->put(rows);
  }
}

void make_hdf5_of_csv(OutputFile& output) {
  if (!output.is_hdf5()) return;
  output.stream().flush();
  const auto reader = io::open_table(output.part());
  reader->types();  // reads the file, which the writer replaces
  reader->read(std::numeric_limits<std::size_t>::max());
  io::RowBlock rows = all_columns_of(reader->table());
  rows.count = reader->table().rows();
  const auto writer = new_copy(*reader, output, false);
  writer->put(rows);
  writer->sync();
}

}  // namespace carom::apps
