// Tables of contacts, as their files hold them: the text of CSV, or the columns of numbers and words of HDF5.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom::io {

/// Is told now and then how much of the work is done.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Cells that hold one of few words each, by its place among them.
struct WordCells {
  std::vector<std::uint8_t> codes;
  std::shared_ptr<const std::vector<std::string>> words;
};

/// Cells of text, each filled up to the width with zero bytes.
struct TextCells {
  std::size_t width = 1;
  std::string characters;
};

/// The cells of a column that is not text of CSV.
using Cells = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                           std::vector<std::uint64_t>, WordCells, TextCells>;

/// The empty cell of a column of numbers: a NaN of its own, in float as in double.
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

/// A table, or some of its rows. Cells of text keep it, so that a column nobody reads comes out as it went in.
class Table {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The file, for messages.
  const std::string& name() const { return name_; }
  const std::vector<std::string>& header() const { return header_; }
  /// "FILE:LINE: " of the header of a text, "FILE: " else.
  std::string header_place() const;
  std::size_t rows() const { return columns_.empty() ? rows_.size() : count_; }
  /// The index of the column with that name, or `none`.
  std::size_t find(std::string_view name) const;
  /// The cells of a column that is no text of CSV; nullptr of one that is.
  const Cells* cells(std::size_t column) const { return columns_.empty() ? nullptr : &columns_[column]; }
  /// True of numbers, which have no text of their own.
  bool holds_numbers(std::size_t column) const;
  /// True of text and words, even if all of them look like numbers. A CSV column holds text once one of its cells was
  /// quoted.
  bool holds_text(std::size_t column) const;
  /// The text of a cell of a column that does not hold numbers; empty where a row is shorter than the header.
  std::string_view cell(std::size_t row, std::size_t column) const;
  /// The text of any cell: of a number the shortest that brings back its bits.
  std::string text(std::size_t row, std::size_t column) const;
  /// The number that a cell holds.
  std::optional<double> number(std::size_t row, std::size_t column) const;
  /// The cells of a row with commas between them, if that is a line of CSV; empty if it is not, or there is no text.
  std::string_view plain_line(std::size_t row) const;
  /// The number of cells in the row as it stands in the file, which may differ from the header's.
  std::size_t width(std::size_t row) const;
  /// The line of the text, from 1, on which the row begins; without text the number of the row, from 1.
  std::size_t line(std::size_t row) const { return columns_.empty() ? rows_[row].line : first_row_ + row + 1; }
  /// What line() counts: "line" or "row".
  const char* unit_of_line() const { return columns_.empty() ? "line" : "row"; }
  /// "FILE:LINE: " or "FILE: row N: ".
  std::string place(std::size_t row) const;
  /// A column all of whose cells are numbers; throws carom::Error with its place otherwise.
  std::vector<double> numbers(std::string_view name) const;

 private:
  friend class CsvReader;
  friend class Hdf5TableReader;

  struct Row {
    std::size_t text, cell;  ///< where it begins in text_ and in cell_ends_
    std::size_t line;
    bool is_plain;  ///< its text is that of the line
  };

  std::string name_;
  std::vector<std::string> header_;
  std::size_t header_line_ = 0;           // 0 until it is read
  std::string text_;                      // of all cells, each with a comma behind it
  std::vector<std::uint32_t> cell_ends_;  // from where the text of the row begins
  std::vector<Row> rows_;
  std::vector<bool> in_quotes_;  // by column: a cell that is not empty was quoted
  std::vector<Cells> columns_;   // instead of the text
  std::size_t first_row_ = 0, count_ = 0;
};

/// Appends the shortest text that brings back the bits of a number, whole numbers as such; nothing of an empty cell. A
/// NaN with a payload P is nan(0xP), as C's strtod reads it, and snan(0xP) if it is signalling.
void append_number(std::string& text, double value);
/// Appends a number with `digits` significant digits, as printf's %.*g does. NaNs are written as above.
void append_number(std::string& text, double value, int digits);
/// The same of a column of numbers.
void append_number(std::string& text, const Cells& cells, std::size_t row);

/// The correctly rounded number that the whole text represents: decimal, inf or nan, with or without a sign, or a NaN
/// with a payload as append_number() writes it.
std::optional<double> to_number(std::string_view text);

}  // namespace carom::io
