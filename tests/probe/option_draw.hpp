// Draws options from their table (core/columns/option_table.hpp): every option that has a line there takes values from
// its range, whatever its name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/columns/option_table.hpp"
#include "random/draw.hpp"

namespace carom::probe {

/// Calls f(info, field) for every option of a struct of the table, of its parts, and of the method of a scene.
template <class F, class O>
void each_line(const F& f, O& options) {
  each_option([&]<class T>(const OptionInfo& info, T& field) { f(info, field); }, options);
  if constexpr (requires { options.method; }) std::visit([&](auto& method) { each_line(f, method); }, options.method);
}

class OptionDraw {
 public:
  /// Counts and budgets are drawn up to this number, or up to the value they had: the cost of a case is bounded by it.
  static constexpr double max_count = 32;

  explicit OptionDraw(support::Draw& draw) : draw_(draw) {}

  /// Gives every option a new value with a probability of 1/6. The others keep their values.
  template <class O>
  void vary(O& options) {
    each_line(
        [&]<class T>(const OptionInfo& info, T& value) {
          if constexpr (std::is_same_v<T, PositionCorrection>)
            vary(value);
          else if (draw_.below(6) == 0)
            renew(info, value);
        },
        options);
  }

 private:
  template <class T>
  void renew(const OptionInfo& info, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = draw_.below(2) == 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(draw_.below(enumerators<T>));
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      const std::uint64_t seeds[] = {0, 1, draw_.below(1000), std::numeric_limits<std::uint64_t>::max()};
      value = seeds[draw_.below(4)];
    } else if constexpr (std::is_same_v<T, int>) {
      value = static_cast<int>(count(info.range, value));
    } else if constexpr (std::is_same_v<T, double>) {
      value = std::string_view(info.unit) == "iterations" ? count(info.range, value) : number(info.range, value);
    } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
      for (double& x : value) x = number(info.range, x);
    } else if constexpr (std::is_same_v<T, PositionCorrection>) {
      vary(value);
    } else {
      if (!value) value.emplace();
      renew(info, *value);
      if (draw_.below(3) == 0) value.reset();
    }
  }

  /// Log-uniform, or an end.
  double count(const Range& range, double usual) {
    const double low = range.low, high = std::min(range.high, std::max(usual, max_count));
    if (draw_.below(4) == 0) return draw_.below(2) == 0 ? low : high;
    return std::clamp(std::floor((low + 1) * std::pow((high + 1) / (low + 1), draw_.uniform())) - 1, low, high);
  }

  /// An end of the range, a value between near ends, or a value within three decades of the usual one.
  double number(const Range& range, double usual) {
    const auto inside = [&](double x) {
      if (range.holds(x)) return x;
      const double end = x <= range.low ? range.low : range.high;
      return range.holds(end) ? end : std::nextafter(end, end == range.low ? range.high : range.low);
    };
    switch (draw_.below(8)) {
      case 0:
        return inside(range.low);
      case 1:
        return inside(range.high);
      case 2:
      case 3:
      case 4:
        if (range.high - range.low <= 1000) return inside(draw_.uniform(range.low, range.high));
        [[fallthrough]];
      default:
        const bool has_usual = usual != 0 && std::isfinite(usual);
        const double size =
            has_usual ? std::abs(usual) * std::pow(10.0, draw_.uniform(-3, 3)) : std::pow(10.0, draw_.uniform(-6, 2));
        return inside(range.low < 0 && draw_.below(2) == 0 ? -size : size);
    }
  }

  support::Draw& draw_;
};

/// Draws options around draw_usual() until accepts(options) is true.
template <class DrawUsual, class Accepts>
auto draw_options(support::Draw& draw, const DrawUsual& draw_usual, const Accepts& accepts) {
  for (;;) {
    auto options = draw_usual();
    OptionDraw(draw).vary(options);
    if (accepts(options)) return options;
  }
}

/// Returns whether a call accepts its options. Calls check options before columns, so other errors show that it does.
template <class Call>
bool accepts_options(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    return error.option().empty();
  }
}

/// An option as text.
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, std::array<double, 3>>)
    return fmt::format("({}, {}, {})", value[0], value[1], value[2]);
  else if constexpr (std::is_enum_v<T>)
    return std::string(to_string(value));
  else
    return fmt::format("{}", value);
}

/// The names and values of all options that differ from their defaults: "steps 3, integrator euler".
template <class O>
std::string changes_of(const O& options) {
  std::string text;
  const auto add = [&]<class T>(const OptionInfo& info, const T& value, const T& usual) {
    if constexpr (std::is_same_v<T, PositionCorrection>) {
      if (value != usual) text += fmt::format("{} ({}) ", info.name, changes_of(value));
    } else if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) {
      if (value) text += fmt::format("{} ({}) ", info.name, changes_of(*value));
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      if (value) text += fmt::format("{} {} ", info.name, *value);
    } else if (value != usual) {
      text += fmt::format("{} {} ", info.name, text_of(value));
    }
  };
  O usual;
  each_option(add, options, static_cast<const O&>(usual));
  if constexpr (requires { options.method; })
    std::visit([&](const auto& method) { text += changes_of(method); }, options.method);
  return text;
}

}  // namespace carom::probe
