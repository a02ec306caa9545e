#include "given_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::apps {
namespace {

constexpr double highest = std::numeric_limits<double>::infinity();

/// "[0, 1]", "(0, 3.4e38]"; empty for every value.
std::string range_in_words(const Range& range) {
  const auto bound = [](double value) { return value == max_float ? "3.4e38" : fmt::format("{}", value); };
  if (range.low == -highest) return {};
  if (range.low == -max_float) return "finite";
  return fmt::format("{}{}, {}{}", range.excludes_low ? '(' : '[', bound(range.low), bound(range.high),
                     range.excludes_high ? ')' : ']');
}

[[noreturn]] void throw_bad_number(const OptionInfo& option, const std::string& text, const char* kind) {
  const std::string range = range_in_words(option.range);
  throw Error(range == "finite" ? fmt::format("carom: {}: {} is not a finite {}", flag_of(option.name), text, kind)
                                : fmt::format("carom: {}: {} is not a {}{}{}", flag_of(option.name), text, kind,
                                              range.empty() ? "" : " in ", range));
}

template <class Integer>
void read_integer(const OptionInfo& option, const std::string& text, Integer& value) {
  const std::optional<Integer> read = io::to_integer<Integer>(text);
  if (!read || !option.range.holds(static_cast<double>(*read))) throw_bad_number(option, text, "whole number");
  value = *read;
}

}  // namespace

std::string flag_of(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(int value) {
  return std::to_string(value);
}
std::string text_of(std::uint64_t value) {
  return std::to_string(value);
}
std::string text_of(double value) {
  return fmt::format("{}", value);
}
std::string text_of(const std::array<double, 3>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
std::string text_of(const std::optional<double>& value) {
  return value ? text_of(*value) : "as above";
}

void read_value(const OptionInfo& option, const std::string& text, bool& value) {
  if (text != "true" && text != "false")
    throw Error(fmt::format("carom: {}: '{}' is neither true nor false", flag_of(option.name), text));
  value = text == "true";
}
void read_value(const OptionInfo& option, const std::string& text, int& value) {
  read_integer(option, text, value);
}
void read_value(const OptionInfo& option, const std::string& text, std::uint64_t& value) {
  read_integer(option, text, value);
}
void read_value(const OptionInfo& option, const std::string& text, double& value) {
  const std::optional<double> read = io::to_number(text);
  if (!read || !option.range.holds(*read)) throw_bad_number(option, text, "number");
  value = *read;
}
void read_value(const OptionInfo& option, const std::string& text, std::array<double, 3>& value) {
  std::array<double, 3> read{};
  std::size_t begin = 0;
  for (double& number : read) {
    if (begin > text.size())
      throw Error(
          fmt::format("carom: {}: '{}' does not have three numbers, as in 0,0,-9.81", flag_of(option.name), text));
    const std::size_t end = &number == &read.back() ? text.size() : std::min(text.find(',', begin), text.size());
    read_value(option, text.substr(begin, end - begin), number);
    begin = end + 1;
  }
  value = read;
}
void read_value(const OptionInfo& option, const std::string& text, std::optional<double>& value) {
  double read{};
  read_value(option, text, read);
  value = read;
}
void throw_unknown_name(const OptionInfo& option, const std::string& text, const std::string& names) {
  throw Error(fmt::format("carom: {}: {} not in {}", flag_of(option.name), text, names));
}

ValueHelp help_of_number(const OptionInfo& option, const char* symbol) {
  return {symbol, range_in_words(option.range)};
}

std::vector<std::string> GivenOptions::fields() const {
  std::vector<std::string> fields;
  for (const auto& [field, text] : texts_) fields.push_back(field);
  return fields;
}

void GivenOptions::add(CLI::App& command, const OptionInfo& option, const ValueHelp& help, const std::string& value,
                       std::string description) {
  constexpr std::size_t max_width = 40;
  const std::string flag = flag_of(option.name);
  if (help.symbol.empty()) {
    command.add_flag_callback(
        flag, [this, field = std::string(option.name)] { set(field, text_of(true)); }, description);
    return;
  }
  const bool has_names = help.symbol == "NAME";
  if (has_names && help.range.size() > max_width) description += " " + help.range;
  if (const std::string unit = option.unit; unit.size() > 0 && unit != "1") description += " [" + unit + "]";
  command
      .add_option_function<std::string>(
          flag, [this, field = std::string(option.name)](const std::string& text) { set(field, text); }, description)
      ->option_text((has_names && help.range.size() <= max_width ? help.range : help.symbol) +
                    (value.empty() ? "" : " [" + value + "]"));
}

}  // namespace carom::apps
