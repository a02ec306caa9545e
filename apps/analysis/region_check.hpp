// The impulses of a table, of its rows' laws or of every law, put to the permissible region.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/law_runs.hpp"
#include "commands/command_options.hpp"

namespace carom::apps {

struct RegionCheckOptions : CommandOptions {
  std::string which;  ///< the name of a law, "all", or empty: the impulses of the file, else its laws, else all
  std::optional<double> tolerance;
  bool reference = false;

  double tolerance_in_use() const;
};

/// Of one bound: the rows beyond it, and the one that is farthest beyond, relative to its scale (RegionReport).
struct Breach {
  std::size_t rows = 0;
  double amount = 0;  ///< [unit of the bound]
  double relative = 0;
  std::size_t line = 0;
};

struct RowOutside {
  std::size_t line = 0;
  std::string law;               ///< empty for impulses of the file
  std::array<double, 4> beyond;  ///< [unit of the bound] 0 where it is kept
};

/// Impulses of one source.
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

/// Prints bad rows on stderr. With an `output` writes the rows there, with their margins and what spans impulse space.
/// Throws Error; also if there is an output and more than one law.
RegionCheck check_region(const io::Table& table, const RegionCheckOptions& options, std::ostream* output);

void print_text(const RegionCheck& check, const RegionCheckOptions& options);
void print_json(const RegionCheck& check, const RegionCheckOptions& options);

}  // namespace carom::apps
