// Where `carom solve` writes: rows of CSV, or the columns of an HDF5 file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/solving.hpp"
#include "commands/output_file.hpp"
#include "io/result_file.hpp"
#include "io/table_reader.hpp"

namespace carom::apps {

/// Some rows on their way from the file that is read to the one that is written.
struct Rows {
  std::size_t first = 0;            ///< in the file
  std::size_t done = 0, total = 0;  ///< of the file, behind these rows
  io::Table table;
  std::optional<io::ContactNumbers> contacts;
  std::optional<Solved> solved;
  std::string text;              ///< to be written
  std::vector<io::Cells> cells;  ///< the same of HDF5
  // A study has these too:
  std::shared_ptr<const Rows> block;  ///< the rows as they stand in the file
  std::size_t point = 0;              ///< at which they are solved
};

class ResultSink {
 public:
  ResultSink() = default;
  virtual ~ResultSink() = default;
  ResultSink(const ResultSink&) = delete;
  ResultSink& operator=(const ResultSink&) = delete;

  /// Makes what is to be written of rows; several threads may do so.
  virtual void make(Rows& rows) const = 0;
  /// Writes it, in the order of the file. Throws Error.
  virtual void write(Rows& rows) = 0;
  /// Makes and writes the rows in small parts, which takes less memory than make() and write().
  virtual void put(const Rows& rows) = 0;
  /// Waits until all that was written is on the disk, if the file has to survive the run. Throws Error.
  virtual void sync() = 0;
};

/// `columns` are those of the first rows.
std::unique_ptr<ResultSink> csv_sink(OutputFile& output, std::vector<io::ResultColumn> columns);

/// Goes on with a file that is there, of an earlier run or of another rank, if `is_made`; else makes it. It gets the
/// rows of the reader's file.
std::unique_ptr<ResultSink> hdf5_sink(const std::string& part, std::vector<io::ResultColumn> columns,
                                      io::TableReader& reader, const io::ResultNumbers& results, bool is_made);

}  // namespace carom::apps
