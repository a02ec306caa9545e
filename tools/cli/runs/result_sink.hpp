// Where `carom solve` writes: rows of CSV, or the columns of an HDF5 file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/analysis/solving.hpp"
#include "cli/output/output_file.hpp"
#include "io/columns/table_reader.hpp"
#include "io/files/result_file.hpp"

namespace carom::apps {

/// A block of rows on its way from the input file to the output file.
struct Rows {
  std::size_t first = 0;            ///< in the file
  std::size_t done = 0, total = 0;  ///< progress through the file, after these rows
  io::Table table;
  std::optional<io::ContactNumbers> contacts;
  std::optional<Solved> solved;
  std::string text;              ///< to be written
  std::vector<io::Cells> cells;  ///< the output for HDF5
  // Used by studies only:
  std::shared_ptr<const Rows> block;  ///< the rows as in the file
  std::size_t point = 0;              ///< index of the point at which they are solved
};

class ResultSink {
 public:
  ResultSink() = default;
  virtual ~ResultSink() = default;
  ResultSink(const ResultSink&) = delete;
  ResultSink& operator=(const ResultSink&) = delete;

  /// Formats the rows for output. Thread-safe.
  virtual void make(Rows& rows) const = 0;
  /// Writes formatted rows. Call it in the order of the file. Throws Error.
  virtual void write(Rows& rows) = 0;
  /// Formats and writes the rows in small parts. Needs less memory than make() and write().
  virtual void put(const Rows& rows) = 0;
  /// Waits until all output is on the disk, if the file has to survive the run. Throws Error.
  virtual void sync() = 0;
};

/// `columns`: the columns of the first rows.
std::unique_ptr<ResultSink> csv_sink(OutputFile& output, std::vector<io::ResultColumn> columns);

/// Creates the file with the rows of the reader's file or, if `is_made`, continues a file of an earlier run or of
/// another rank.
std::unique_ptr<ResultSink> hdf5_sink(const std::string& part, std::vector<io::ResultColumn> columns,
                                      io::TableReader& reader, const io::ResultNumbers& results, bool is_made);

}  // namespace carom::apps
