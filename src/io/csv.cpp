#include "io/csv.hpp"

#include <csv.h>

#include <algorithm>
#include <carom/status.hpp>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <set>
#include <system_error>

namespace carom::io {
namespace {

std::size_t size_of_file(const std::filesystem::path& path) {
  std::error_code no_size;
  const auto size = std::filesystem::file_size(path, no_size);
  return no_size ? 0 : static_cast<std::size_t>(size);
}

}  // namespace

class TableReader {
 public:
  explicit TableReader(const std::filesystem::path& path) : path_(path) {
    table_.name_ = path.string();
    if (csv_init(&parser_, 0) != 0) throw std::bad_alloc();
  }
  ~TableReader() { csv_free(&parser_); }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  Table read(const Progress& progress) {
    std::ifstream file(path_, std::ios::binary);
    if (!file || std::filesystem::is_directory(path_))
      throw Error("carom: the file " + table_.name_ + " can't be read");
    const std::size_t size = size_of_file(path_);
    std::size_t done = 0;
    std::string text;
    while (std::getline(file, text)) {
      ++line_;
      if (line_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
      done += text.size() + 1;
      text += '\n';
      feed(text);
      if (progress && line_ % 4096 == 0) progress(std::min(done, size), size);
    }
    if (file.bad()) throw Error("carom: the file " + table_.name_ + " can't be read to its end");
    finish();
    return std::move(table_);
  }

 private:
  // Line by line, because libcsv does not tell on which line a row began.
  void feed(const std::string& text) {
    if (!within_row_) {
      if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
      row_line_ = line_;
      within_row_ = true;
    }
    if (csv_parse(&parser_, text.data(), text.size(), on_cell, on_row, this) != text.size() && !failure_)
      throw std::bad_alloc();
    if (failure_) std::rethrow_exception(failure_);
  }

  void finish() {
    csv_set_opts(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    if (csv_fini(&parser_, on_cell, on_row, this) != 0)
      throw Error("carom: " + table_.name_ + ":" + std::to_string(row_line_) +
                  ": this row has a quote that does not close before the end of the file");
    if (failure_) std::rethrow_exception(failure_);
    if (table_.header_line_ == 0) throw Error("carom: the file " + table_.name_ + " is empty: it has no header line");
  }

  void take_cell(std::string_view text) {
    if (table_.header_line_ == 0) {
      table_.header_.emplace_back(text);
      return;
    }
    table_.text_ += text;
    table_.cell_ends_.push_back(table_.text_.size());
  }

  void take_row() {
    within_row_ = false;
    if (table_.header_line_ != 0) {
      table_.lines_.push_back(row_line_);
      table_.row_ends_.push_back(table_.cell_ends_.size());
      return;
    }
    table_.header_line_ = row_line_;
    std::set<std::string_view> names;
    for (const std::string& name : table_.header_)
      if (!names.insert(name).second)
        throw Error("carom: " + table_.name_ + ":" + std::to_string(row_line_) + ": two columns are named '" + name +
                    "'");
  }

  // An exception must not pass through the C code of libcsv.
  static void on_cell(void* text, std::size_t length, void* self) {
    auto& reader = *static_cast<TableReader*>(self);
    try {
      if (!reader.failure_) reader.take_cell({static_cast<const char*>(text), length});
    } catch (...) {
      reader.failure_ = std::current_exception();
    }
  }
  static void on_row(int, void* self) {
    auto& reader = *static_cast<TableReader*>(self);
    try {
      if (!reader.failure_) reader.take_row();
    } catch (...) {
      reader.failure_ = std::current_exception();
    }
  }

  std::filesystem::path path_;
  csv_parser parser_{};
  Table table_;
  std::size_t line_ = 0;
  std::size_t row_line_ = 0;
  bool within_row_ = false;
  std::exception_ptr failure_;
};

std::size_t Table::find(std::string_view name) const {
  for (std::size_t column = 0; column < header_.size(); ++column)
    if (header_[column] == name) return column;
  return none;
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  const std::size_t index = (row == 0 ? 0 : row_ends_[row - 1]) + column;
  if (index >= row_ends_[row]) return {};
  const std::size_t begin = index == 0 ? 0 : cell_ends_[index - 1];
  return std::string_view(text_).substr(begin, cell_ends_[index] - begin);
}

std::size_t Table::width(std::size_t row) const {
  return row_ends_[row] - (row == 0 ? 0 : row_ends_[row - 1]);
}

std::string Table::place(std::size_t row) const {
  return name_ + ":" + std::to_string(lines_[row]) + ": ";
}

std::vector<double> Table::numbers(std::string_view name) const {
  const std::size_t column = find(name);
  if (column == none)
    throw Error("carom: " + name_ + ":" + std::to_string(header_line_) + ": the column " + std::string(name) +
                " is missing");
  std::vector<double> values(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto value = to_number(cell(row, column));
    if (!value)
      throw Error("carom: " + place(row) + "column " + std::string(name) + ": '" + std::string(cell(row, column)) +
                  "' is not a number");
    values[row] = *value;
  }
  return values;
}

Table read_csv(const std::filesystem::path& path, const Progress& progress) {
  return TableReader(path).read(progress);
}

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars gives no value beyond the range of double; the rounded one is 0 or infinity.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  return text.find_first_of(",\"\r\n") != std::string_view::npos || blank(text.front()) || blank(text.back());
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace carom::io
