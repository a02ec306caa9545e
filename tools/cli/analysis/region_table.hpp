// Writes a table with the margins of its rows and what spans their impulse space.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "io/columns/numbers.hpp"
#include "io/csv/csv.hpp"

namespace carom::apps {

/// Writes all rows: their cells, then the numbers. Columns of the table with the name of one of the numbers are left
/// out. Throws Error if the stream fails.
inline void write_region(std::ostream& stream, const io::Table& table, const io::Numbers& numbers,
                         const io::Progress& progress) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.header().size(); ++i)
    if (numbers.find(table.header()[i]) == nullptr) kept.push_back(i);
  std::string line;
  for (const std::size_t i : kept) {
    io::append_cell(line, table.header()[i]);
    line += ',';
  }
  for (const io::NumberColumn& column : numbers.columns()) line += column.name + ",";
  line.back() = '\n';
  stream << line;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    line.clear();
    for (const std::size_t i : kept) {
      io::append_cell(line, table, row, i);
      line += ',';
    }
    for (const io::NumberColumn& column : numbers.columns()) {
      io::append_number(line, column.values[row], column.digits);
      line += ',';
    }
    line.back() = '\n';
    stream << line;
    if (progress && row % 4096 == 0) progress(row, table.rows());
  }
  stream.flush();
  if (!stream) throw Error("carom: the output could not be written");
}

}  // namespace carom::apps
