// Options of the library on a command line. Every line of src/core/columns/option_table.hpp is an option with the name
// of its field, with hyphens.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/columns/option_table.hpp"
#include "io/columns/table.hpp"

namespace carom::apps {

/// "--max-impacts" of the field "max_impacts".
std::string flag_of(std::string_view field);

// Values as texts: "0.2", "both", "0,0,-9.81".
std::string text_of(bool value);
std::string text_of(int value);
std::string text_of(std::uint64_t value);
std::string text_of(double value);
std::string text_of(const std::array<double, 3>& value);
std::string text_of(const std::optional<double>& value);
template <class E>
requires std::is_enum_v<E> std::string text_of(E value) {
  return std::string(to_string(value));
}

// The inverses. Throw Error with the option if the text is not in its range.
void read_value(const OptionInfo& option, const std::string& text, bool& value);
void read_value(const OptionInfo& option, const std::string& text, int& value);
void read_value(const OptionInfo& option, const std::string& text, std::uint64_t& value);
void read_value(const OptionInfo& option, const std::string& text, double& value);
void read_value(const OptionInfo& option, const std::string& text, std::array<double, 3>& value);
void read_value(const OptionInfo& option, const std::string& text, std::optional<double>& value);
[[noreturn]] void throw_unknown_name(const OptionInfo& option, const std::string& text, const std::string& names);

/// "both|collisions|resting"
template <class E>
requires std::is_enum_v<E> std::string names_of() {
  std::string names;
  for (std::size_t i = 0; i < enumerators<E>; ++i) names += (names.empty() ? "" : "|") + text_of(static_cast<E>(i));
  return names;
}
template <class E>
requires std::is_enum_v<E>
void read_value(const OptionInfo& option, const std::string& text, E& value) {
  const std::optional<E> read = io::to_enumerator<E>(text);
  if (!read) throw_unknown_name(option, text, names_of<E>());
  value = *read;
}

/// The value of an option in help: its symbol ("N") and its range ("[0, 1]") or the names of an enumeration.
struct ValueHelp {
  std::string symbol, range;
};
ValueHelp help_of_number(const OptionInfo& option, const char* symbol);
template <class T>
ValueHelp value_help(const OptionInfo& option) {
  if constexpr (std::is_enum_v<T>) {
    return {"NAME", names_of<T>()};
  } else if constexpr (std::same_as<T, bool>) {
    return {};
  } else if constexpr (std::same_as<T, std::array<double, 3>>) {
    return help_of_number(option, "X,Y,Z");
  } else {
    return help_of_number(option, std::integral<T> ? "N" : "X");
  }
}

template <class T>
concept HasParts = std::same_as<T, PositionCorrection>;
template <class T>
concept MayHaveParts = std::same_as<T, std::optional<PositionCorrection>>;

/// Calls f(OptionInfo, value) for every option of a struct, with the options of its parts among them. An optional part
/// is an option of the type bool: whether it is there.
template <class F, class O>
void each_single_option(const F& f, const O& options) {
  each_option(
      [&]<class T>(const OptionInfo& info, const T& value) {
        if constexpr (HasParts<T>) {
          each_single_option(f, value);
        } else if constexpr (MayHaveParts<T>) {
          f(info, value.has_value());
          each_single_option(f, value.value_or(typename T::value_type{}));
        } else {
          f(info, value);
        }
      },
      options);
}

/// The values of all options of a struct by their flags: "--law" is "incremental".
template <class O>
std::map<std::string, std::string> texts_of_options(const O& options) {
  std::map<std::string, std::string> texts;
  each_single_option([&](const OptionInfo& info, const auto& value) { texts[flag_of(info.name)] = text_of(value); },
                     options);
  return texts;
}

/// The options of the library that stand on the command line.
class GivenOptions {
 public:
  /// Adds the options of this struct to a command, with their defaults in the help. `description` returns the help text
  /// of an option. Options with an empty text and options that the command already has are left out.
  template <class O, class Description>
  void add_to(CLI::App& command, const O& defaults, const Description& description, bool with_defaults = true) {
    each_single_option(
        [&]<class T>(const OptionInfo& info, const T& value) {
          const std::string text = description(info);
          if (!text.empty() && command.get_option_no_throw(flag_of(info.name)) == nullptr)
            add(command, info, value_help<T>(info), with_defaults ? text_of(value) : std::string(), text);
        },
        defaults);
  }

  bool has(std::string_view field) const { return texts_.find(field) != texts_.end(); }
  void set(const std::string& field, const std::string& text) { texts_[field] = text; }
  /// The fields that are given.
  std::vector<std::string> fields() const;

  /// Sets the fields that are given. Any option of an optional part makes the part. Returns whether any was given.
  /// Throws Error if a value is out of its range.
  template <class O>
  bool read(O& options) const {
    bool any = false;
    each_option(
        [&]<class T>(const OptionInfo& info, T& value) {
          if constexpr (HasParts<T>) {
            any |= read(value);
          } else if constexpr (MayHaveParts<T>) {
            typename T::value_type parts;
            if (!read(parts) && !has(info.name)) return;
            value = parts;
            any = true;
          } else if (const auto found = texts_.find(info.name); found != texts_.end()) {
            read_value(info, found->second, value);
            any = true;
          }
        },
        options);
    return any;
  }

 private:
  void add(CLI::App& command, const OptionInfo& option, const ValueHelp& help, const std::string& value,
           std::string description);

  std::map<std::string, std::string, std::less<>> texts_;  // by field
};

}  // namespace carom::apps
