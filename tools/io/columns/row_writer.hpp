// Writes rows to files of either format, some rows at a time.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "numbers.hpp"
#include "table.hpp"
#include "table_reader.hpp"

namespace carom::io {

/// A column of a new file.
struct FileColumn {
  std::string name;
  ColumnType type = {};                   ///< in HDF5
  std::vector<std::size_t> extents = {};  ///< shape in HDF5; empty: the number of rows
};

/// A dataset that is written when the file is made.
struct ConstantColumn : FileColumn {
  Cells cells = {};
};

/// Rows to write. The columns view their values, which must live until the rows are written.
struct RowBlock {
  /// A column of `table` by its index, numbers, words, or cells.
  using Column = std::variant<std::size_t, const NumberColumn*, WordCells, const Cells*>;

  std::size_t first = 0;             ///< index of the first row in the file
  std::size_t count = 0;             ///< number of rows
  const Table* table = nullptr;      ///< may be null if no column is of a table
  std::vector<Column> columns = {};  ///< in the order of the file
  /// Copies a line of CSV unchanged if the columns begin with all columns of the table. Otherwise cells are quoted
  /// anew.
  bool keeps_lines = false;

  // Set by RowWriter::format().
  std::string text = {};
  std::vector<Cells> cells = {};
};

class RowWriter {
 public:
  RowWriter() = default;
  virtual ~RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  /// Formats rows for write(). Thread-safe.
  virtual void format(RowBlock& rows) const = 0;
  /// Writes formatted rows. CSV needs them in the order of the file. Throws Error.
  virtual void write(const RowBlock& rows) = 0;
  /// Formats and writes rows in small parts, which needs less memory than format() and write(). Throws Error.
  virtual void put(const RowBlock& rows, const Progress& progress = {}) = 0;
  /// Waits until all rows are on the disk, if the file must survive the run. Throws Error.
  virtual void sync() = 0;
};

}  // namespace carom::io
