// Comma-separated files as tables of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom::io {

/// Is told now and then how much of the work is done.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// A table with a header line, or some of its rows. Cells keep their text, so that a column nobody reads comes out as
/// it went in.
class Table {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The file, for messages.
  const std::string& name() const { return name_; }
  const std::vector<std::string>& header() const { return header_; }
  /// The line of the file, from 1, on which the header begins.
  std::size_t header_line() const { return header_line_; }
  std::size_t rows() const { return rows_.size(); }
  /// The index of the column with that name, or `none`.
  std::size_t find(std::string_view name) const;
  /// The text of a cell; empty where a row is shorter than the header.
  std::string_view cell(std::size_t row, std::size_t column) const;
  /// The number of cells in the row as it stands in the file, which may differ from the header's.
  std::size_t width(std::size_t row) const;
  /// The line of the file, from 1, on which the row begins.
  std::size_t line(std::size_t row) const { return rows_[row].line; }
  /// "FILE:LINE: " of a row.
  std::string place(std::size_t row) const;
  /// A column all of whose cells are numbers; throws carom::Error with line and column otherwise.
  std::vector<double> numbers(std::string_view name) const;

 private:
  friend class CsvReader;

  struct Row {
    std::size_t text, cell;  ///< where it begins in text_ and in cell_ends_
    std::size_t line;
  };

  std::string name_;
  std::vector<std::string> header_;
  std::size_t header_line_ = 0;
  std::string text_;                      // of all cells, one after the other
  std::vector<std::uint32_t> cell_ends_;  // from where the text of the row begins
  std::vector<Row> rows_;
};

/// Reads a table some rows at a time: RFC 4180 with LF or CRLF; blank lines, and blanks around an unquoted cell, don't
/// count. The path "-" is standard input. All members throw carom::Error if the file can't be read, has no header, has
/// two columns of one name, or ends within quotes.
class CsvReader {
 public:
  /// Reads the header.
  explicit CsvReader(const std::filesystem::path& path, Progress progress = {});
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// The header and the rows that were read last.
  const Table& table() const;
  /// Reads the next rows in place of the last ones: up to the end of the line on which there are `enough` of them.
  /// False: there were none left.
  bool read(std::size_t enough);
  /// Reads all rows that are left.
  Table read_all() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads all of a file.
Table read_csv(const std::filesystem::path& path, const Progress& progress = {});

/// The number that the whole text stands for, correctly rounded: decimal, inf and nan, with or without a sign.
std::optional<double> to_number(std::string_view text);

/// Whether a cell must stand in quotes to be read as it is.
bool needs_quotes(std::string_view text);
std::string quoted(std::string_view text);

}  // namespace carom::io
