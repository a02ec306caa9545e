// The table of options (option_table.hpp) has every field, the ranges that solvers check, and the rows of the tables in
// docs/scenes.md.
#include <gtest/gtest.h>

#include <carom/mechanism.hpp>
#include <carom/system.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/columns/check.hpp"
#include "core/columns/option_table.hpp"
#include "support/scenes/refusal.hpp"

namespace carom::scenes {
namespace {

// Fields --------------------------------------------------------------------------------------------------------------

/// Converts to the type of any field.
struct Anything {
  template <class T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    return T{};
  }
};
template <class S, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (requires { S{Fields{}..., Anything{}}; })
    return field_count<S, Fields..., Anything>();
  else
    return sizeof...(Fields);
}

template <class S>
std::size_t table_lines() {
  std::size_t count = 0;
  S options;
  each_option([&](const OptionInfo&, auto&) { ++count; }, options);
  return count;
}

/// The fields of the struct itself: a line each. Fields of `Part` are in the lines of the struct that has it.
template <class S, class... Parts>
void expect_a_line_per_field(std::size_t without_a_line, const char* name) {
  const std::size_t of_parts = (std::size_t{0} + ... + field_count<Parts>());
  EXPECT_EQ(table_lines<S>(), field_count<S>() - sizeof...(Parts) - without_a_line + of_parts) << name;
}

TEST(OptionTable, has_a_line_for_each_field) {
  expect_a_line_per_field<Execution, Scheduler>(0, "Execution");
  expect_a_line_per_field<Tolerances>(0, "Tolerances");
  expect_a_line_per_field<Options, Tolerances>(0, "Options");
  expect_a_line_per_field<PositionCorrection>(0, "PositionCorrection");
  expect_a_line_per_field<Substeps>(0, "Substeps");
  expect_a_line_per_field<Pgs>(0, "Pgs");
  expect_a_line_per_field<Ncp>(0, "Ncp");
  expect_a_line_per_field<SequentialImpacts>(0, "SequentialImpacts");
  expect_a_line_per_field<BenderSchmitt>(0, "BenderSchmitt");
  expect_a_line_per_field<SceneOptions, Tolerances>(1, "SceneOptions, whose method has lines of its own");
  expect_a_line_per_field<SystemOptions>(0, "SystemOptions");
  expect_a_line_per_field<MechanismOptions>(0, "MechanismOptions");
}

// Ranges --------------------------------------------------------------------------------------------------------------

/// Calls f(name, change) for values next to the ends of each option's range, outside of it.
template <class S, class F>
void each_bad_value(const std::string& prefix, const F& f) {
  std::size_t position = 0;
  S shape;
  each_option(
      [&]<class T>(const OptionInfo& info, T&) {
        const std::size_t wanted = position++;
        const auto give = [&](T value) {
          f(prefix + info.name, [=](S& options) {
            std::size_t at = 0;
            each_option(
                [&]<class U>(const OptionInfo&, U& field) {
                  if constexpr (std::is_same_v<U, T>)
                    if (at == wanted) field = value;
                  ++at;
                },
                options);
          });
        };
        if constexpr (std::is_same_v<T, double>) {
          constexpr double infinity = std::numeric_limits<double>::infinity();
          give(info.range.excludes_low ? info.range.low : std::nextafter(info.range.low, -infinity));
          if (info.range.high < infinity)
            give(info.range.excludes_high ? info.range.high : std::nextafter(info.range.high, infinity));
          give(std::numeric_limits<double>::quiet_NaN());
        } else if constexpr (std::is_same_v<T, int>) {
          give(static_cast<int>(info.range.low) - 1);
          give(static_cast<int>(info.range.high) + 1);
        } else if constexpr (std::is_enum_v<T>) {
          give(static_cast<T>(enumerators<T>));
        }
      },
      shape);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class M>
void expect_checked(const std::string& prefix, const SceneOptions& good) {
  EXPECT_EQ(error_of([&] { check_scene_options(good); }), "") << prefix;
  each_bad_value<M>(prefix, [&](const std::string& name, const auto& change) {
    SceneOptions options = good;
    change(options.use<M>());
    EXPECT_NE(error_of([&] { check_scene_options(options); }).find("the option " + name + " is "), std::string::npos)
        << name << ": " << error_of([&] { check_scene_options(options); });
  });
}

TEST(OptionTable, has_the_ranges_that_are_checked) {
  expect_checked<Substeps>("substeps.", {.time_step = 0.01, .method = Substeps{}});
  expect_checked<Pgs>("pgs.", {.method = Pgs{}});
  expect_checked<Ncp>("ncp.", {.method = Ncp{}});
  expect_checked<SequentialImpacts>("sequential_impacts.", {.method = SequentialImpacts{}});
  expect_checked<BenderSchmitt>("bender_schmitt.", {.time_step = 0.01, .method = BenderSchmitt{}});
  each_bad_value<PositionCorrection>("substeps.position_correction.", [](const std::string& name, const auto& change) {
    SceneOptions options{.time_step = 0.01};
    change(options.use<Substeps>().position_correction);
    EXPECT_NE(error_of([&] { check_scene_options(options); }).find("the option " + name + " is "), std::string::npos)
        << name;
  });
  each_bad_value<Options>("", [](const std::string& name, const auto& change) {
    Options options;
    change(options);
    EXPECT_NE(error_of([&] { check_options(options); }).find(name + " is "), std::string::npos) << name;
  });
}

// docs/scenes.md ------------------------------------------------------------------------------------------------------

/// A number as the page has it: 10⁻⁶, 1,000,000, ∞, M.
double number_in_page(std::string text) {
  if (text == "∞") return std::numeric_limits<double>::infinity();
  if (text == "M") return SceneLimits::max_iterations;
  const auto erase_all = [&](const std::string& part) {
    for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  };
  erase_all(",");
  if (!text.starts_with("10") || text.find_first_not_of("0123456789.-") == std::string::npos) return std::stod(text);
  const std::vector<std::string> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string exponent;
  for (std::size_t at = 2; at < text.size();) {
    if (text.compare(at, std::string("⁻").size(), "⁻") == 0) {
      exponent += '-';
      at += std::string("⁻").size();
      continue;
    }
    std::size_t digit = 0;
    while (digit < digits.size() && text.compare(at, digits[digit].size(), digits[digit]) != 0) ++digit;
    if (digit == digits.size()) return std::numeric_limits<double>::quiet_NaN();
    exponent += static_cast<char>('0' + digit);
    at += digits[digit].size();
  }
  return std::stod("1e" + exponent);
}

using Cells = std::vector<std::string>;

/// The rows of the tables of the page by the name of the struct and of the option.
std::map<std::string, Cells> rows_of_page() {
  std::map<std::string, Cells> rows;
  std::ifstream page(CAROM_SCENES_PAGE);
  std::string line, owner;
  while (std::getline(page, line)) {
    if (line.starts_with("## ")) owner.clear();
    if (line.starts_with("**`")) owner = line.substr(3, line.find('`', 3) - 3);
    if (owner.empty() || !line.starts_with("| `")) continue;
    Cells cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) {
      const std::size_t first = cell.find_first_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    rows[owner + "." + cells[0].substr(1, cells[0].find('`', 1) - 1)] = cells;
  }
  return rows;
}

template <class T>
void expect_default(const T& value, const std::string& cell, const std::string& name) {
  if constexpr (std::is_same_v<T, bool>) {
    EXPECT_EQ(cell, value ? "true" : "false") << name;
  } else if constexpr (std::is_arithmetic_v<T>) {
    EXPECT_EQ(number_in_page(cell), static_cast<double>(value)) << name;
  } else if constexpr (std::is_enum_v<T> && requires { to_string(value); }) {
    EXPECT_EQ(cell, "`" + std::string(to_string(value)) + "`") << name;
  }
}

void expect_range(const Range& range, const std::string& cell, const std::string& name) {
  if (cell == "finite") {
    EXPECT_TRUE(range.holds(-max_float) && range.holds(max_float)) << name;
    return;
  }
  const std::size_t comma = cell.find(", ");
  ASSERT_NE(comma, std::string::npos) << name << ": " << cell;
  const std::string high = cell.substr(comma + 2, cell.size() - comma - 3);
  const bool ends_at_max_float = high == "∞" && cell.back() == ')';
  EXPECT_EQ(cell[0] == '(', range.excludes_low) << name;
  EXPECT_EQ(number_in_page(cell.substr(1, comma - 1)), range.low) << name;
  EXPECT_EQ(cell.back() == ')' && !ends_at_max_float, range.excludes_high) << name;
  EXPECT_EQ(ends_at_max_float ? max_float : number_in_page(high), range.high) << name;
}

template <class S>
void expect_in_page(const std::string& owner, std::map<std::string, Cells>& rows) {
  S options;
  each_option(
      [&]<class T>(const OptionInfo& info, const T& value) {
        Tolerances tolerances;
        bool is_of_data = false;
        if (owner == "SceneOptions")
          each_option([&](const OptionInfo& of, auto&) { is_of_data |= std::string(of.name) == info.name; },
                      tolerances);
        const std::string name = owner + "." + (is_of_data ? "data." : "") + info.name;
        const auto row = rows.find(name);
        ASSERT_NE(row, rows.end()) << "docs/scenes.md has no row of " << name;
        const Cells& cells = row->second;
        expect_default(value, cells[1], name);
        EXPECT_EQ(cells[2], info.unit) << name;
        const bool has_range = std::isfinite(info.range.low) || std::isfinite(info.range.high);
        if (has_range)
          expect_range(info.range, cells[3], name);
        else
          EXPECT_EQ(cells[3], "") << name;
        rows.erase(row);
      },
      options);
}

TEST(OptionTable, has_the_rows_of_the_page_of_scenes) {
  std::map<std::string, Cells> rows = rows_of_page();
  expect_in_page<SceneOptions>("SceneOptions", rows);
  expect_in_page<Substeps>("Substeps", rows);
  expect_in_page<PositionCorrection>("PositionCorrection", rows);
  expect_in_page<Pgs>("Pgs", rows);
  expect_in_page<Ncp>("Ncp", rows);
  expect_in_page<SequentialImpacts>("SequentialImpacts", rows);
  expect_in_page<BenderSchmitt>("BenderSchmitt", rows);
  rows.erase("SceneOptions.method");
  for (const auto& [name, cells] : rows) ADD_FAILURE() << "docs/scenes.md has a row of an unknown option: " << name;
}

}  // namespace
}  // namespace carom::scenes
