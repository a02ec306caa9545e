// Files as tables, some rows at a time: CSV or HDF5, told by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/table.hpp"

namespace carom::io {

/// What HDF5 has for a column.
struct ColumnType {
  enum Kind : std::uint8_t { float64, float32, int64, uint64, word, text } kind = float64;
  std::size_t width = 1;                                  ///< of text [bytes]
  std::shared_ptr<const std::vector<std::string>> words;  ///< of word: at most 256
};

/// Signature at the start of an HDF5 file.
inline constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

class TableReader {
 public:
  TableReader() = default;
  virtual ~TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// The header and the rows that were read last.
  virtual const Table& table() const = 0;
  /// Reads the next rows in place of the last ones, about `enough`. False: there were none left.
  virtual bool read(std::size_t enough) = 0;
  /// The rows that were read last, which the reader then has no more.
  virtual Table take() = 0;
  /// How many rows the file has, and how HDF5 holds its columns. CSV is read through once for them: standard input
  /// can't be. Throws Error.
  virtual std::size_t count() = 0;
  virtual const std::vector<ColumnType>& types() = 0;
};

/// "-" is standard input. HDF5 is read from `first_row` on, and of it the column `only` if it is named. Throws Error,
/// naming the file and what is wrong in it; also where it is HDF5 and carom was built without.
std::unique_ptr<TableReader> open_table(const std::string& path, Progress progress = {}, std::size_t first_row = 0,
                                        const std::string& only = {});

/// All of a file.
Table read_table(const std::string& path, Progress progress = {});

/// Recognises regular files that begin with the signature of HDF5. False for "-".
bool is_hdf5(const std::string& path);

/// Tells HDF5 files that are to be by their names, which end in .h5 or .hdf5.
bool is_hdf5_name(const std::string& path);

}  // namespace carom::io
