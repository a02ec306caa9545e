#include "column_types.hpp"

#include <algorithm>
#include <carom/status.hpp>
#include <cmath>
#include <unordered_map>

#include "scene_rows.hpp"
#include "units.hpp"

namespace carom::io {
namespace {

constexpr std::size_t longest_word = 64;

bool is_name_of_words(std::string_view name) {
  return name == "law" || name == "restitution_law" || name == "status" || name == "path";
}

bool is_name_of_numbers(std::string_view name) {
  return !unit_of(name).empty() || name == "key" ||
         std::find(scene_columns.begin(), scene_columns.end(), name) != scene_columns.end();
}

/// Identifiers may begin with a zero ("007"); programs write numbers without superfluous zeros.
bool has_superfluous_zero(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  return number.size() > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9';
}

template <class Integer>
std::vector<Integer> integers_of(const Table& table, std::size_t column) {
  std::vector<Integer> values(table.rows());
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = to_integer<Integer>(table.cell(row, column)).value_or(0);
  return values;
}

template <class Number>
std::vector<Number> numbers_of(const Table& table, std::size_t column, Number empty, Number (*rounded)(double)) {
  std::vector<Number> values(table.rows(), empty);
  for (std::size_t row = 0; row < values.size(); ++row)
    if (const std::string_view text = table.cell(row, column); !text.empty())
      values[row] = rounded(to_number(text).value_or(0));
  return values;
}

/// The first reading finds the words and the widths.
[[noreturn]] void throw_changed(const Table& table, std::size_t row) {
  throw Error("carom: " + table.place(row) + "the file has changed while it was read");
}

WordCells words_of(const Table& table, std::size_t column, const ColumnType& type) {
  std::unordered_map<std::string_view, std::uint8_t> codes;
  for (std::size_t i = 0; i < type.words->size(); ++i) codes.emplace((*type.words)[i], static_cast<std::uint8_t>(i));
  WordCells cells{std::vector<std::uint8_t>(table.rows()), type.words};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto found = codes.find(table.cell(row, column));
    if (found == codes.end()) throw_changed(table, row);
    cells.codes[row] = found->second;
  }
  return cells;
}

TextCells text_of(const Table& table, std::size_t column, std::size_t width) {
  TextCells cells{width, std::string(width * table.rows(), '\0')};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view text = table.cell(row, column);
    if (text.size() > width) throw_changed(table, row);
    std::copy(text.begin(), text.end(), cells.characters.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  return cells;
}

}  // namespace

TypeFinder::TypeFinder(std::string_view name)
    : is_of_numbers_(is_name_of_numbers(name)), all_numbers_(!is_name_of_words(name)) {}

void TypeFinder::add(std::string_view cell) {
  width_ = std::max(width_, cell.size());
  any_empty_ = any_empty_ || cell.empty();
  if (all_numbers_ && !cell.empty()) add_number(cell);
  if (few_words_) add_word(cell);
}

void TypeFinder::add_number(std::string_view cell) {
  constexpr double every_whole_number = 0x1p53;  // exclusive bound; 2^53 + 1 is rounded to it
  const std::optional<double> value = to_number(cell);
  all_numbers_ = value && (is_of_numbers_ || !has_superfluous_zero(cell));
  if (!value) return;
  all_int64_ = all_int64_ && to_integer<std::int64_t>(cell);
  all_uint64_ = all_uint64_ && to_integer<std::uint64_t>(cell);
  beyond_double_ = beyond_double_ || std::abs(*value) >= every_whole_number;
}

void TypeFinder::add_word(std::string_view cell) {
  if (!words_.contains(cell)) words_.emplace(cell);
  // Numbers differ from row to row, so a column of numbers soon has too many words.
  few_words_ = words_.size() <= max_words && cell.size() <= longest_word && cell != empty_word;
}

ColumnType TypeFinder::type(bool in_quotes) const {
  const bool are_numbers = all_numbers_ && (is_of_numbers_ || !in_quotes), whole = all_int64_ || all_uint64_;
  if (are_numbers && beyond_double_ && whole && !any_empty_)
    return {all_int64_ ? ColumnType::int64 : ColumnType::uint64, 1, nullptr};
  if (are_numbers && !(beyond_double_ && whole)) return {};
  if (few_words_)
    return {ColumnType::word, 1, std::make_shared<const std::vector<std::string>>(words_.begin(), words_.end())};
  return {ColumnType::text, width_, nullptr};
}

Cells cells_of(const Table& table, std::size_t column, const ColumnType& type) {
  if (const Cells* cells = table.cells(column)) return *cells;
  switch (type.kind) {
    case ColumnType::float64:
      return numbers_of<double>(table, column, empty_cell, [](double value) { return value; });
    case ColumnType::float32:
      return numbers_of<float>(table, column, empty_cell_in_float, in_float);
    case ColumnType::int64:
      return integers_of<std::int64_t>(table, column);
    case ColumnType::uint64:
      return integers_of<std::uint64_t>(table, column);
    case ColumnType::word:
      return words_of(table, column, type);
    default:
      return text_of(table, column, type.width);
  }
}

}  // namespace carom::io
