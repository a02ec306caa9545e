#include "io/table.hpp"

#include <array>
#include <carom/status.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace carom::io {
namespace {

template <class Number>
void append_shortest(std::string& text, Number value) {
  std::array<char, 32> characters;
  const auto end = std::to_chars(characters.data(), characters.data() + characters.size(), value).ptr;
  text.append(characters.data(), end);
}

}  // namespace

std::string Table::header_place() const {
  std::string place = name_;
  if (columns_.empty()) place += ':' + std::to_string(header_line_);
  return place += ": ";
}

std::size_t Table::find(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (header_[i] == name) return i;
  return none;
}

bool Table::holds_numbers(std::size_t column) const {
  return !columns_.empty() && !std::holds_alternative<WordCells>(columns_[column]) &&
         !std::holds_alternative<TextCells>(columns_[column]);
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  if (!columns_.empty()) {
    if (const auto* words = std::get_if<WordCells>(&columns_[column])) return (*words->words)[words->codes[row]];
    const auto& [width, characters] = std::get<TextCells>(columns_[column]);
    const std::string_view padded = std::string_view(characters).substr(row * width, width);
    return padded.substr(0, padded.find_last_not_of('\0') + 1);
  }
  if (column >= width(row)) return {};
  const Row& at = rows_[row];
  const std::size_t begin = column == 0 ? 0 : cell_ends_[at.cell + column - 1] + 1;
  return std::string_view(text_).substr(at.text + begin, cell_ends_[at.cell + column] - begin);
}

std::string Table::text(std::size_t row, std::size_t column) const {
  if (!holds_numbers(column)) return std::string(cell(row, column));
  std::string text;
  append_number(text, columns_[column], row);
  return text;
}

std::optional<double> Table::number(std::size_t row, std::size_t column) const {
  if (!holds_numbers(column)) return to_number(cell(row, column));
  return std::visit(
      [row](const auto& cells) -> std::optional<double> {
        if constexpr (requires { cells.data(); }) {
          if (is_empty_cell(cells[row])) return std::nullopt;
          return static_cast<double>(cells[row]);
        }
        return std::nullopt;
      },
      columns_[column]);
}

std::string_view Table::plain_line(std::size_t row) const {
  if (!columns_.empty() || !rows_[row].is_plain) return {};
  return std::string_view(text_).substr(rows_[row].text, cell_ends_[rows_[row].cell + width(row) - 1]);
}

std::size_t Table::width(std::size_t row) const {
  if (!columns_.empty()) return header_.size();
  return (row + 1 < rows_.size() ? rows_[row + 1].cell : cell_ends_.size()) - rows_[row].cell;
}

std::string Table::place(std::size_t row) const {
  return name_ + (columns_.empty() ? ":" : ": row ") + std::to_string(line(row)) + ": ";
}

std::vector<double> Table::numbers(std::string_view name) const {
  const std::size_t column = find(name);
  if (column == none) throw Error("carom: " + header_place() + "the column " + std::string(name) + " is missing");
  std::vector<double> values(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto value = number(row, column);
    if (!value)
      throw Error("carom: " + place(row) + "column " + std::string(name) + ": '" + text(row, column) +
                  "' is not a number");
    values[row] = *value;
  }
  return values;
}

void append_number(std::string& text, double value) {
  constexpr double every_whole_number = 0x1p53;
  if (is_empty_cell(value)) return;
  if (std::abs(value) < every_whole_number && std::trunc(value) == value && !(value == 0 && std::signbit(value)))
    append_shortest(text, static_cast<std::int64_t>(value));
  else
    append_shortest(text, value);
}

void append_number(std::string& text, const Cells& cells, std::size_t row) {
  if (const auto* doubles = std::get_if<std::vector<double>>(&cells)) append_number(text, (*doubles)[row]);
  if (const auto* floats = std::get_if<std::vector<float>>(&cells)) append_number(text, double{(*floats)[row]});
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&cells)) append_shortest(text, (*integers)[row]);
  if (const auto* integers = std::get_if<std::vector<std::uint64_t>>(&cells)) append_shortest(text, (*integers)[row]);
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

}  // namespace carom::io
