// Options that all commands that solve a file take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <carom/solver.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "io/contact_numbers.hpp"

namespace carom::apps {

struct CommandOptions {
  std::string input;
  std::string law = std::string(to_string(Options{}.law));
  std::string integrator = std::string(to_string(Options{}.integrator));
  std::string restitution = std::string(to_string(Options{}.restitution_law));
  std::string precision = "double";
  std::string isa = "auto";
  std::optional<int> steps;  ///< only if given
  double max_restitution = Options{}.max_restitution;
  int threads = 0;
  bool all_faults = false;
  bool reference = false;  ///< whether the scalar reference solves in place of the lanes

  bool in_float() const { return precision == "float"; }
  /// Throws Error.
  Execution execution() const;
  Options solver_options() const;
  /// Throws Error if the options are wrong whatever the table, so that no long file is read for nothing. The ISA
  /// matters only if the lanes are used.
  void require_valid(bool uses_lanes = true) const;
  /// The working precision's distance from 1 to the next number.
  double epsilon() const;
  io::ReadOptions read_options() const;
  /// To read contacts whose own laws don't count: a fault that the frictionless law finds is none of a law's
  /// parameters.
  io::ReadOptions read_options_without_laws() const;
  /// Throws Error if the options don't fit the table: what the law needs is not there, or there is no use for the
  /// integrator.
  void require_fit(const io::Table& table, io::Form form) const;
  /// The method for rows that name no law: "series", "euler with 200 steps", "whittaker".
  std::string method_in_words(io::Form form) const;
};

/// Adds all options but --reference, which single commands add.
void add_command_options(CLI::App& command, CommandOptions& options);

/// Adds these without --law. The restitution law has an option of this name.
void add_solver_options(CLI::App& command, CommandOptions& options, const std::string& restitution = "--restitution");

/// Adds --resume and --checkpoint, for HDF5 files.
void add_resume_options(CLI::App& command, bool& resume, double& checkpoint);

/// Numbers from `low` to `high`, of which NaN is none.
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

/// Numbers above 0, up to `high`.
inline CLI::Validator above_zero(double high) {
  return {[high](const std::string& text) {
            double value{};
            if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= high) return std::string();
            return fmt::format("{} is not a number in (0, {}]", text, high);
          },
          ""};
}

/// "incremental|frictionless|..."
std::string names_of_laws();

/// The columns that the law reads and the table lacks, in words; empty if it has what it needs.
std::string missing_parameters(Law law, const io::Table& table, io::Form form);

}  // namespace carom::apps
