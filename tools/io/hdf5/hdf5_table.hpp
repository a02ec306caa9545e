// Contacts in HDF5: a dataset of the root group for every column, all of one length. docs/contact-files.md describes
// the files.
#pragma once

#include "hdf5_handle.hpp"
#include "io/columns/table_reader.hpp"

namespace carom::io {

class Hdf5TableReader final : public TableReader {
 public:
  /// Opens the file and all its columns, or `only` one, and looks whether their values are there. Throws Error, naming
  /// the dataset.
  Hdf5TableReader(const std::string& path, Progress progress, std::size_t first_row, const std::string& only);

  const Table& table() const override { return table_; }
  /// Throws Error, naming the dataset and the rows that can't be read.
  bool read(std::size_t enough) override;
  Table take() override;
  std::size_t count() override { return rows_; }
  const std::vector<ColumnType>& types() override { return types_; }

 private:
  struct Column {
    std::string name;
    Hdf5Handle set, memory_type;
    std::vector<hsize_t> extents;
    std::size_t axis = 0;         // along which the rows lie
    bool is_of_pointers = false;  // text of HDF5's variable length
    std::vector<int> words;       // of codes: their places among the words, -1 of none
  };

  void open_column(const std::string& name);
  void find_type(Column& column, ColumnType& type);
  void find_words(Column& column, ColumnType& type, hid_t own_type);
  void find_rows(Column& column);
  std::size_t longest_text(const Column& column) const;
  Cells read(const Column& column, const ColumnType& type, std::size_t first, std::size_t count) const;
  void read(const Column& column, std::size_t first, std::size_t count, void* to) const;
  TextCells read_text(const Column& column, std::size_t width, std::size_t first, std::size_t count) const;
  [[noreturn]] void fail(const std::string& dataset, const std::string& what) const;

  Hdf5Handle file_;
  std::size_t bytes_ = 0;  // of the file
  Progress progress_;
  Table table_;
  std::vector<Column> columns_;
  std::vector<ColumnType> types_;
  std::size_t rows_ = 0, next_ = 0;
};

}  // namespace carom::io
