// Options that all commands that solve a file take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <carom/solver.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "given_options.hpp"
#include "io/columns/contact_numbers.hpp"

namespace carom::apps {

struct CommandOptions {
  std::string input;
  GivenOptions given;  ///< of the library
  std::string precision = "double";
  std::string isa = "auto";
  int threads = 0;
  bool all_faults = false;
  bool reference = false;  ///< whether the scalar reference solves in place of the lanes

  bool in_float() const { return precision == "float"; }
  /// Throws Error.
  Execution execution() const;
  /// Throws Error, also if the integrator has no use for another option.
  Options solver_options() const;
  /// Checks the options before a long file is read. Throws Error if they are wrong for every table. The ISA
  /// matters only if the lanes are used.
  void require_valid(bool uses_lanes = true) const;
  /// The working precision's distance from 1 to the next number.
  double epsilon() const;
  io::ReadOptions read_options() const;
  /// To read contacts without their laws: parameters of laws are not read and have no faults.
  io::ReadOptions read_options_without_laws() const;
  /// Throws Error if the options do not fit the table: columns of the law are missing, or the table has no contacts
  /// that are integrated.
  void require_fit(const io::Table& table, io::Form form) const;
  /// The method for rows that name no law: "series", "euler with 200 steps", "whittaker".
  std::string method_in_words(io::Form form) const;
};

/// Options of commands that write all rows with their results.
struct RunOptions : CommandOptions {
  std::string output;
  bool details = false;
  bool resume = false;
  double checkpoint = 10;  ///< [s]
};

/// Adds all options but --reference, which single commands add.
void add_command_options(CLI::App& command, CommandOptions& options);

/// Adds the same options without --law, which the command has itself.
void add_solver_options(CLI::App& command, CommandOptions& options);

/// Adds --precision. `of` is its text.
void add_precision(CLI::App& command, std::string& precision, const std::string& of);

/// Adds --json and -o, which exclude each other. `of` is the contents of the file.
void add_report_options(CLI::App& command, bool& as_json, std::string& output, const std::string& of);

/// Adds --resume and --checkpoint, for HDF5 files.
void add_resume_options(CLI::App& command, RunOptions& options);

/// Accepts numbers from `low` to `high`, and no NaN.
template <class T>
CLI::Validator within(T low, T high) {
  return {[low, high](const std::string& text) {
            T value{};
            if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return std::string();
            return fmt::format("{} is not a {} in [{}, {}]", text, std::is_integral_v<T> ? "whole number" : "number",
                               low, high);
          },
          ""};
}

/// The names of all laws.
std::vector<std::string> law_names();

/// The columns that the law reads and the table lacks, in words; empty if none is missing.
std::string missing_parameters(Law law, const io::Table& table, io::Form form);

}  // namespace carom::apps
