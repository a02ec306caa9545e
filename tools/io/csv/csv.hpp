// Comma-separated files as tables of text.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/columns/table_reader.hpp"

namespace carom::io {

/// Reads a table some rows at a time: RFC 4180 with LF or CRLF; blank lines, and blanks around an unquoted cell, don't
/// count. The path "-" is standard input. All members throw carom::Error if the file can't be read, has no header, has
/// two columns of one name, or ends within quotes.
class CsvReader final : public TableReader {
 public:
  /// Reads the header.
  explicit CsvReader(const std::filesystem::path& path, Progress progress = {});
  ~CsvReader() override;

  const Table& table() const override;
  /// Reads up to the end of the line on which there are `enough` rows.
  bool read(std::size_t enough) override;
  Table take() override;
  std::size_t count() override;
  const std::vector<ColumnType>& types() override;
  /// Reads all rows that are left.
  Table read_all() &&;

 private:
  struct State;
  struct Survey;

  const Survey& survey();

  std::unique_ptr<State> state_;
  std::unique_ptr<Survey> survey_;
};

/// Reads all of a file.
Table read_csv(const std::filesystem::path& path, const Progress& progress = {});

/// True if the cell needs quotes to be read back unchanged.
bool needs_quotes(std::string_view text);
std::string quoted(std::string_view text);
/// Appends a cell, quoted if necessary.
void append_cell(std::string& line, std::string_view cell);
/// Appends a cell of a table. Text that looks like a number is quoted too, so that it stays text.
void append_cell(std::string& line, const Table& table, std::size_t row, std::size_t column);

}  // namespace carom::io
