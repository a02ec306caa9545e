// Reads tables of either format some rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace carom::io {

/// Type of a column in HDF5.
struct ColumnType {
  enum Kind : std::uint8_t { float64, float32, int64, uint64, word, text } kind = float64;
  std::size_t width = 1;                                       ///< width of text [bytes]
  std::shared_ptr<const std::vector<std::string>> words = {};  ///< for `word`: at most 256
};

/// Signature at the start of an HDF5 file.
inline constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

class TableReader {
 public:
  TableReader() = default;
  virtual ~TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// The header and the rows of the last read.
  virtual const Table& table() const = 0;
  /// Replaces the rows by the next ones, about `enough`. Returns false at the end of the file.
  virtual bool read(std::size_t enough) = 0;
  /// Moves the rows of the last read out of the reader.
  virtual Table take() = 0;
  /// Number of rows in the file, and the types of its columns in HDF5. A CSV file is read once for both; standard input
  /// cannot be. Throws Error.
  virtual std::size_t count() = 0;
  virtual const std::vector<ColumnType>& types() = 0;
};

/// The name of a column today, of the name that a file has: files of carom 0.1 have "lever_a_x" and "gap" for "r_a_x"
/// and "separation".
std::string current_name(std::string_view name);

/// Gives the columns of a header that a file has at `place` the names of today. Throws Error if two columns then have
/// one name.
void use_current_names(std::vector<std::string>& header, const std::string& place);

}  // namespace carom::io
