#include "table.hpp"

#include <array>
#include <carom/status.hpp>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <type_traits>

namespace carom::io {
namespace {

template <class Number>
void append_shortest(std::string& text, Number value) {
  std::array<char, 32> characters;
  const auto end = std::to_chars(characters.data(), characters.data() + characters.size(), value).ptr;
  text.append(characters.data(), end);
}

// The bits of NaNs. The mantissa of an infinity is 0.
constexpr int mantissa_of_double = 52, mantissa_of_float = 23;
constexpr int more_mantissa = mantissa_of_double - mantissa_of_float;
constexpr std::uint64_t exponent_of_nan = 0x7ff0'0000'0000'0000, quiet = 0x0008'0000'0000'0000, payloads = quiet - 1;
constexpr std::uint32_t exponent_of_nan_in_float = 0x7f80'0000, quiet_in_float = 0x0040'0000;

void append_nan(std::string& text, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t payload = bits & payloads;
  const bool is_quiet = (bits & quiet) != 0;
  if (std::signbit(value)) text += '-';
  text += is_quiet ? "nan" : "snan";
  if (is_quiet && payload == 0) return;
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), payload, 16).ptr;
  text.append("(0x").append(digits.data(), end) += ')';
}

/// A NaN with a payload.
std::optional<double> to_nan(std::string_view text) {
  constexpr std::string_view begin = "nan(0x";
  std::uint64_t bits = exponent_of_nan | quiet, payload = 0;
  if (text.starts_with('-')) {
    bits |= std::uint64_t{1} << 63;
    text.remove_prefix(1);
  }
  if (text.starts_with('s')) {
    bits &= ~quiet;
    text.remove_prefix(1);
  }
  if (!text.starts_with(begin) || !text.ends_with(')')) return std::nullopt;
  text = text.substr(begin.size(), text.size() - begin.size() - 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), payload, 16);
  // An infinity has the bits of a signalling NaN without a payload.
  const bool is_nan = payload <= payloads && (payload != 0 || (bits & quiet) != 0);
  if (error != std::errc() || end != text.data() + text.size() || !is_nan) return std::nullopt;
  return std::bit_cast<double>(bits | payload);
}

}  // namespace

double in_double(float value) {
  if (!std::isnan(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint64_t sign = bits >> 31, mantissa = bits & (exponent_of_nan_in_float ^ 0x7fff'ffff);
  return std::bit_cast<double>(sign << 63 | exponent_of_nan | mantissa << more_mantissa);
}

float in_float(double value) {
  if (!std::isnan(value)) return static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 63);
  auto mantissa = static_cast<std::uint32_t>((bits & (quiet | payloads)) >> more_mantissa);
  if (mantissa == 0) mantissa = quiet_in_float;  // the bits of an infinity
  return std::bit_cast<float>(sign << 31 | exponent_of_nan_in_float | mantissa);
}

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

bool Table::holds_text(std::size_t column) const {
  return columns_.empty() ? in_quotes_[column] : !holds_numbers(column);
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
          if constexpr (std::is_same_v<typename std::decay_t<decltype(cells)>::value_type, float>)
            return in_double(cells[row]);
          else
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
  if (std::isnan(value)) return append_nan(text, value);
  if (std::abs(value) < every_whole_number && std::trunc(value) == value && !(value == 0 && std::signbit(value)))
    append_shortest(text, static_cast<std::int64_t>(value));
  else
    append_shortest(text, value);
}

void append_number(std::string& text, double value, int digits) {
  if (std::isnan(value)) return append_number(text, value);
  std::array<char, 40> characters;
  const auto end =
      std::to_chars(characters.data(), characters.data() + characters.size(), value, std::chars_format::general, digits)
          .ptr;
  text.append(characters.data(), end);
}

void append_number(std::string& text, const Cells& cells, std::size_t row) {
  if (const auto* doubles = std::get_if<std::vector<double>>(&cells)) append_number(text, (*doubles)[row]);
  if (const auto* floats = std::get_if<std::vector<float>>(&cells)) append_number(text, in_double((*floats)[row]));
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&cells)) append_shortest(text, (*integers)[row]);
  if (const auto* integers = std::get_if<std::vector<std::uint64_t>>(&cells)) append_shortest(text, (*integers)[row]);
}

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument || std::isnan(value))
    if (const auto with_payload = to_nan(text)) return with_payload;
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars gives no value beyond the range of double; the rounded one is 0 or infinity.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

}  // namespace carom::io
