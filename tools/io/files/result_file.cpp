#include "result_file.hpp"

#include <algorithm>
#include <string_view>

#include "io/columns/column_types.hpp"
#include "io/csv/csv.hpp"

namespace carom::io {

std::string csv_header(const std::vector<ResultColumn>& columns) {
  std::string line;
  for (const ResultColumn& column : columns) {
    append_cell(line, column.name);
    line += ',';
  }
  line.back() = '\n';
  return line;
}

std::string csv_rows(const std::vector<ResultColumn>& columns, const Table& table, const ContactNumbers& contacts,
                     const ResultNumbers& results, std::size_t first_row, std::size_t count) {
  using Source = ResultColumn::Source;
  constexpr std::size_t length_of_cell = 20;
  std::string text;
  text.reserve(length_of_cell * columns.size() * count);
  // Lines of the table are copied unchanged if no result replaces a cell.
  const std::size_t width = table.header().size();
  const bool begins_with_table = std::all_of(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(width),
                                             [](const ResultColumn& c) { return c.source == Source::table; });
  for (std::size_t row = first_row; row < first_row + count; ++row) {
    std::size_t first = 0;
    if (const std::string_view line = table.plain_line(row);
        begins_with_table && !line.empty() && table.width(row) == width) {
      text += line;
      text += ',';
      first = width;
    }
    for (std::size_t i = first; i < columns.size(); ++i) {
      const ResultColumn& column = columns[i];
      if (column.source == Source::numbers) {
        const NumberColumn& numbers = results.numbers.columns()[column.index];
        append_number(text, numbers.values[row], numbers.digits);
      } else if (column.source == Source::status) {
        text += words_of_statuses()[index_of_status(contacts, results, row)];
      } else if (column.source == Source::path) {
        text += words_of_paths()[results.path[row].index()];
      } else {
        append_cell(text, table, row, column.index);
      }
      text += ',';
    }
    text.back() = '\n';
  }
  return text;
}

void write_results(std::ostream& stream, const Table& table, const ContactNumbers& contacts,
                   const ResultNumbers& results, bool details) {
  const std::vector<ResultColumn> columns = result_columns(table, contacts.form(), results, details);
  stream << csv_header(columns) << csv_rows(columns, table, contacts, results, 0, table.rows());
  stream.flush();
  if (!stream) throw Error("carom: the results could not be written");
}

std::vector<Hdf5Column> hdf5_columns(const std::vector<ResultColumn>& columns, const std::vector<ColumnType>& types,
                                     const ResultNumbers& results) {
  using Source = ResultColumn::Source;
  const auto words = [](const std::vector<std::string>& all) {
    return ColumnType{ColumnType::word, 1, std::make_shared<const std::vector<std::string>>(all)};
  };
  std::vector<Hdf5Column> all;
  for (const ResultColumn& column : columns) {
    ColumnType type;
    if (column.source == Source::table) type = types[column.index];
    if (column.source == Source::numbers && results.numbers.columns()[column.index].digits == digits_of_float)
      type.kind = ColumnType::float32;
    if (column.source == Source::status) type = words(words_of_statuses());
    if (column.source == Source::path) type = words(words_of_paths());
    all.push_back({column.name, std::move(type), {}});
  }
  return all;
}

Cells result_cells(const ResultColumn& column, const ColumnType& type, const Table& table,
                   const ContactNumbers& contacts, const ResultNumbers& results) {
  using Source = ResultColumn::Source;
  if (column.source == Source::table) return cells_of(table, column.index, type);
  if (column.source == Source::numbers) {
    const std::vector<double>& values = results.numbers.columns()[column.index].values;
    if (type.kind == ColumnType::float32) return std::vector<float>(values.begin(), values.end());
    return values;
  }
  WordCells cells{std::vector<std::uint8_t>(contacts.size()), type.words};
  for (std::size_t row = 0; row < contacts.size(); ++row)
    cells.codes[row] = static_cast<std::uint8_t>(
        column.source == Source::path ? results.path[row].index() : index_of_status(contacts, results, row));
  return cells;
}

}  // namespace carom::io
