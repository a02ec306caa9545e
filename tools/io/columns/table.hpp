// Tables of contacts, as their files hold them: the text of CSV, or the columns of numbers and words of HDF5.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/columns/option_table.hpp"

namespace carom::io {

/// Called now and then with the amount of work done so far.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Cells with one of a few words each, stored as an index into the list of words.
struct WordCells {
  std::vector<std::uint8_t> codes;
  std::shared_ptr<const std::vector<std::string>> words;
};

/// Cells of text, each padded to the width with zero bytes.
struct TextCells {
  std::size_t width = 1;
  std::string characters;
};

/// The cells of a column that is not CSV text.
using Cells = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                           std::vector<std::uint64_t>, WordCells, TextCells>;

/// The empty cell of a column of numbers: a NaN with its own payload, in float as in double.
inline constexpr auto empty_cell = std::bit_cast<double>(std::uint64_t{0x7ff8'ca60'0000'0000});
inline constexpr auto empty_cell_in_float = std::bit_cast<float>(std::uint32_t{0x7fc6'5300});

/// Convert a number to the other precision. A NaN keeps its sign, its kind (quiet or signalling) and the payload bits
/// that fit; conversions of the language may change them.
double in_double(float value);
float in_float(double value);

inline bool is_empty_cell(double value) {
  return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(empty_cell);
}
inline bool is_empty_cell(std::int64_t) {
  return false;
}
inline bool is_empty_cell(std::uint64_t) {
  return false;
}
inline bool is_empty_cell(float value) {
  return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(empty_cell_in_float);
}

/// A table, or some of its rows. Text cells stay text, so a column that nobody reads is written as it was read.
class Table {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The file name, for messages.
  const std::string& name() const { return name_; }
  const std::vector<std::string>& header() const { return header_; }
  /// "FILE:LINE: " of the header if the table is text, otherwise "FILE: ".
  std::string header_place() const;
  std::size_t rows() const { return columns_.empty() ? rows_.size() : count_; }
  /// The index of the column with that name, or `none`.
  std::size_t find(std::string_view name) const;
  /// The cells of a column; nullptr for a column of CSV text.
  const Cells* cells(std::size_t column) const { return columns_.empty() ? nullptr : &columns_[column]; }
  /// True if the column holds numbers without text.
  bool holds_numbers(std::size_t column) const;
  /// True of text and words, even if all of them look like numbers. A CSV column holds text once one of its cells was
  /// quoted.
  bool holds_text(std::size_t column) const;
  /// The text of a cell of a column that does not hold numbers; empty where a row is shorter than the header.
  std::string_view cell(std::size_t row, std::size_t column) const;
  /// The text of any cell. A number is written with the min number of digits that reproduces its bits.
  std::string text(std::size_t row, std::size_t column) const;
  /// The number in a cell.
  std::optional<double> number(std::size_t row, std::size_t column) const;
  /// The cells of a row separated by commas, if the row is one line of CSV. Otherwise empty.
  std::string_view plain_line(std::size_t row) const;
  /// The number of cells of the row in the file, which may differ from the header's.
  std::size_t width(std::size_t row) const;
  /// The line on which the row begins, from 1. Without text the number of the row, from 1.
  std::size_t line(std::size_t row) const { return columns_.empty() ? rows_[row].line : first_row_ + row + 1; }
  /// The unit of line(): "line" or "row".
  const char* unit_of_line() const { return columns_.empty() ? "line" : "row"; }
  /// "FILE:LINE: " or "FILE: row N: ".
  std::string place(std::size_t row) const;
  /// A column of numbers. Throws carom::Error with the place of the first other cell.
  std::vector<double> numbers(std::string_view name) const;

 private:
  friend class CsvReader;
  friend class Hdf5TableReader;

  struct Row {
    std::size_t text, cell;  ///< begin of the row in text_ and in cell_ends_
    std::size_t line;
    bool is_plain;  ///< the text of the row is exactly its line in the file
  };

  std::string name_;
  std::vector<std::string> header_;
  std::size_t header_line_ = 0;           // 0 until it is read
  std::string text_;                      // of all cells, each with a comma behind it
  std::vector<std::uint32_t> cell_ends_;  // offset from the begin of the row's text
  std::vector<Row> rows_;
  std::vector<bool> in_quotes_;  // by column: a cell that is not empty was quoted
  std::vector<Cells> columns_;   // instead of the text
  std::size_t first_row_ = 0, count_ = 0;
};

/// Appends the shortest text that reproduces the bits of a number, without a decimal point for whole numbers. Appends
/// nothing for an empty cell. A NaN with payload P is written nan(0xP), as C's strtod reads it, and snan(0xP) if it is
/// signalling.
void append_number(std::string& text, double value);
/// Appends a number with `digits` significant digits, as printf's %.*g does. NaNs are written as by append_number().
void append_number(std::string& text, double value, int digits);
/// Same for a column of numbers.
void append_number(std::string& text, const Cells& cells, std::size_t row);

/// The correctly rounded number that the whole text represents: decimal, inf or nan, with or without a sign, or a NaN
/// with a payload as append_number() writes it.
std::optional<double> to_number(std::string_view text);

/// The whole number that the whole text represents.
template <class Integer>
std::optional<Integer> to_integer(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The enumerator with this name.
template <class Enum>
std::optional<Enum> to_enumerator(std::string_view text) {
  for (std::size_t i = 0; i < enumerators<Enum>; ++i)
    if (to_string(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace carom::io
