// Columns written to an HDF5 file in blocks of rows. HDF5 lays out the file and closes it before the first row: what is
// written afterwards goes to the places of the datasets, so that the file is sound whenever the run ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/columns/table_reader.hpp"

namespace carom::io {

struct Hdf5Column {
  std::string name;
  ColumnType type;
  std::vector<std::size_t> extents = {};  ///< of a dataset that is no column; of a column the number of rows
};

class Hdf5Writer {
 public:
  /// Makes the file, or replaces it by one of zeros. Throws Error, also where carom was built without HDF5.
  Hdf5Writer(const std::string& path, const std::vector<Hdf5Column>& columns, std::size_t rows);
  /// Opens a file that the other constructor has made. Throws Error if it does not have these columns and rows.
  static Hdf5Writer reopened(const std::string& path, const std::vector<Hdf5Column>& columns, std::size_t rows);
  ~Hdf5Writer();
  Hdf5Writer(Hdf5Writer&& other) noexcept;
  Hdf5Writer& operator=(Hdf5Writer&&) = delete;

  /// Throws Error with the system's reason. The cells are of the column's type; of a dataset that is no column,
  /// `first_row` counts cells.
  void write(std::size_t column, std::size_t first_row, const Cells& cells);
  /// Waits until all that was written is on the disk. Throws Error.
  void sync();

 private:
  Hdf5Writer(std::string path, std::vector<std::uint64_t> places);

  std::string path_;
  std::vector<std::uint64_t> places_;  ///< of the columns' first rows in the file
  int file_ = -1;
};

}  // namespace carom::io
