#include "result_sink.hpp"

#include <algorithm>

namespace carom::apps {
namespace {

class CsvSink final : public ResultSink {
 public:
  CsvSink(OutputFile& output, std::vector<io::ResultColumn> columns) : output_(output), columns_(std::move(columns)) {
    output_.stream() << io::csv_header(columns_);
  }
  void make(Rows& rows) const override { rows.text = text_of(rows, 0, rows.table.rows()); }
  void write(Rows& rows) override { output_.stream() << rows.text << std::flush; }
  void put(const Rows& rows) override {
    constexpr std::size_t at_once = 4096;
    const std::size_t count = rows.table.rows();
    for (std::size_t first = 0; first < count; first += at_once)
      output_.stream() << text_of(rows, first, std::min(at_once, count - first));
    output_.stream().flush();
  }
  void sync() override {}

 private:
  std::string text_of(const Rows& rows, std::size_t first, std::size_t count) const {
    return io::csv_rows(columns_, rows.table, *rows.contacts, rows.solved->results, first, count);
  }

  OutputFile& output_;
  std::vector<io::ResultColumn> columns_;
};

class Hdf5Sink final : public ResultSink {
 public:
  Hdf5Sink(io::Hdf5Writer writer, std::vector<io::ResultColumn> columns, std::vector<io::Hdf5Column> in_file,
           std::size_t rows)
      : writer_(std::move(writer)), columns_(std::move(columns)), in_file_(std::move(in_file)), rows_(rows) {}
  void make(Rows& rows) const override {
    rows.cells.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      rows.cells.push_back(is_copied(rows, i) ? io::Cells() : cells_of(rows, i));
  }
  void write(Rows& rows) override {
    require_place(rows);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      writer_.write(i, rows.first, is_copied(rows, i) ? *rows.table.cells(columns_[i].index) : rows.cells[i]);
  }
  void put(const Rows& rows) override {
    require_place(rows);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (is_copied(rows, i))
        writer_.write(i, rows.first, *rows.table.cells(columns_[i].index));
      else
        writer_.write(i, rows.first, cells_of(rows, i));
  }
  void sync() override { writer_.sync(); }

 private:
  void require_place(const Rows& rows) const {
    if (rows.first + rows.table.rows() > rows_)
      throw Error("carom: " + rows.table.name() + " has changed while it was read");
  }

  io::Cells cells_of(const Rows& rows, std::size_t i) const {
    return io::result_cells(columns_[i], in_file_[i].type, rows.table, *rows.contacts, rows.solved->results);
  }

  // A column of HDF5 is written as it was read.
  bool is_copied(const Rows& rows, std::size_t i) const {
    return columns_[i].source == io::ResultColumn::Source::table && rows.table.cells(columns_[i].index) != nullptr;
  }

  io::Hdf5Writer writer_;
  std::vector<io::ResultColumn> columns_;
  std::vector<io::Hdf5Column> in_file_;
  std::size_t rows_;
};

}  // namespace

std::unique_ptr<ResultSink> csv_sink(OutputFile& output, std::vector<io::ResultColumn> columns) {
  return std::make_unique<CsvSink>(output, std::move(columns));
}

std::unique_ptr<ResultSink> hdf5_sink(const std::string& part, std::vector<io::ResultColumn> columns,
                                      io::TableReader& reader, const io::ResultNumbers& results, bool is_made) {
  std::vector<io::Hdf5Column> in_file = io::hdf5_columns(columns, reader.types(), results);
  const std::size_t rows = reader.count();
  io::Hdf5Writer writer = is_made ? io::Hdf5Writer::reopened(part, in_file, rows) : io::Hdf5Writer(part, in_file, rows);
  return std::make_unique<Hdf5Sink>(std::move(writer), std::move(columns), std::move(in_file), rows);
}

}  // namespace carom::apps
