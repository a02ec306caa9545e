// Finds impulses outside the permissible region: impulses of a table, of its rows' laws or of every law.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "cli/options/command_options.hpp"
#include "law_runs.hpp"

namespace carom::apps {

struct RegionCheckOptions : CommandOptions {
  /// The law whose impulses are checked: its name, "all", or empty for the impulses of the file, else the laws of its
  /// rows, else all laws.
  std::string impulses_of;
  std::optional<double> tolerance;

  double tolerance_in_use() const;
};

/// The rows beyond one bound. `amount`, `relative` and `line` are of the row farthest beyond it, relative to the scale
/// of the bound (RegionReport).
struct Breach {
  std::size_t rows = 0;
  double amount = 0;  ///< [unit of the bound]
  double relative = 0;
  std::size_t line = 0;
};

struct RowOutside {
  std::size_t line = 0;
  std::string law;               ///< empty for impulses of the file
  std::array<double, 4> beyond;  ///< [unit of the bound] 0: inside
};

/// The check of the impulses of one source.
struct CheckedImpulses {
  std::string source;  ///< the name of a law, "the file", or "the rows' laws"
  std::size_t checked = 0, not_solved = 0;
  std::array<Breach, 4> breaches;
  std::vector<RowOutside> outside;
};

struct RegionCheck {
  std::string file;
  io::Form form = io::Form::bodies;
  std::size_t contacts = 0, bad_rows = 0;
  std::vector<CheckedImpulses> checks;
  std::vector<SkippedLaw> skipped;
};

/// Checks the impulses and prints bad rows on stderr. If `output` is not null, writes the rows with their margins and
/// the landmarks of impulse space to it. Throws Error, also if there is an output and several sources of impulses.
RegionCheck check_region(const io::Table& table, const RegionCheckOptions& options, std::ostream* output);

void print_text(const RegionCheck& check, const RegionCheckOptions& options);
void print_json(const RegionCheck& check, const RegionCheckOptions& options);

}  // namespace carom::apps
