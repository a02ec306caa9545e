#include "csv_writer.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace carom::io {
namespace {

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto special = [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; };
  return std::any_of(text.begin(), text.end(), special) || blank(text.front()) || blank(text.back());
}

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

void append_cell(std::string& line, std::string_view cell) {
  if (needs_quotes(cell))
    append_quoted(line, cell);
  else
    line += cell;
}

/// Text that looks like a number is quoted, so that it stays text.
void append_cell(std::string& line, const Table& table, std::size_t row, std::size_t column) {
  if (table.holds_numbers(column)) return append_number(line, *table.cells(column), row);
  const std::string_view cell = table.cell(row, column);
  if (table.holds_text(column) && to_number(cell))
    append_quoted(line, cell);
  else
    append_cell(line, cell);
}

void append_cell(std::string& line, const RowBlock& rows, std::size_t row, const RowBlock::Column& column) {
  if (const auto* index = std::get_if<std::size_t>(&column))
    append_cell(line, *rows.table, row, *index);
  else if (const auto* numbers = std::get_if<const NumberColumn*>(&column))
    append_number(line, (*numbers)->values[row], (*numbers)->digits);
  else if (const auto* words = std::get_if<WordCells>(&column))
    append_cell(line, (*words->words)[words->codes[row]]);
  else
    append_number(line, *std::get<const Cells*>(column), row);
}

bool begins_with_table(const RowBlock& rows) {
  const std::size_t width = rows.table->header().size();
  for (std::size_t i = 0; i < width; ++i) {
    const auto* index = i < rows.columns.size() ? std::get_if<std::size_t>(&rows.columns[i]) : nullptr;
    if (index == nullptr || *index != i) return false;
  }
  return true;
}

std::string text_of(const RowBlock& rows, std::size_t first_row, std::size_t count) {
  constexpr std::size_t length_of_cell = 20;
  std::string text;
  text.reserve(length_of_cell * rows.columns.size() * count);
  const std::size_t width = rows.keeps_lines && begins_with_table(rows) ? rows.table->header().size() : 0;
  for (std::size_t row = first_row; row < first_row + count; ++row) {
    const std::size_t begin = text.size();
    std::size_t first = 0;
    if (width > 0 && rows.table->width(row) == width)
      if (const std::string_view line = rows.table->plain_line(row); !line.empty()) {
        text += line;
        text += ',';
        first = width;
      }
    for (std::size_t i = first; i < rows.columns.size(); ++i) {
      append_cell(text, rows, row, rows.columns[i]);
      text += ',';
    }
    if (text.size() == begin + 1) text.insert(begin, "\"\"");  // a blank line would not be a row
    text.back() = '\n';
  }
  return text;
}

}  // namespace

CsvWriter::CsvWriter(std::ostream& stream, const std::vector<FileColumn>& columns) : stream_(stream) {
  std::string line;
  for (const FileColumn& column : columns) {
    append_cell(line, column.name);
    line += ',';
  }
  line.back() = '\n';
  stream_ << line;
}

void CsvWriter::format(RowBlock& rows) const {
  rows.text = text_of(rows, 0, rows.count);
}

void CsvWriter::write(const RowBlock& rows) {
  stream_ << rows.text << std::flush;
}

void CsvWriter::put(const RowBlock& rows, const Progress& progress) {
  constexpr std::size_t at_once = 4096;
  for (std::size_t first = 0; first < rows.count; first += at_once) {
    stream_ << text_of(rows, first, std::min(at_once, rows.count - first));
    if (progress) progress(first, rows.count);
  }
  stream_.flush();
}

void CsvWriter::sync() {
  stream_.flush();
}

}  // namespace carom::io
