// Comma-separated files as tables of text.
#pragma once

#include <filesystem>
#include <memory>
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

 private:
  struct State;
  struct Survey;

  const Survey& survey();

  std::unique_ptr<State> state_;
  std::unique_ptr<Survey> survey_;
};

/// Reads all of a file.
Table read_csv(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace carom::io
