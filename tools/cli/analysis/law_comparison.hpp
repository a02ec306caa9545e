// Compares the impulses of the laws on the contacts of a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/options/command_options.hpp"
#include "law_runs.hpp"

namespace carom::apps {

struct LawComparisonOptions : CommandOptions {
  std::vector<std::string> laws;  ///< empty: all that the table allows
};

/// Results of one law over the rows without faults.
struct LawRun {
  Law law;
  std::size_t resolved = 0, not_solved = 0, several_solutions = 0;
  std::size_t energy_gains = 0;      ///< rows
  double max_energy_gain = 0;        ///< [J]
  std::size_t energy_gain_line = 0;  ///< line with the max gain; 0 without a gain
};

/// |p' - p| / |p| of the impulses p of one law and p' of another, over the rows that both resolve.
struct LawDistance {
  Law law, other;
  std::size_t rows = 0;
  double median = 0, percentile_90 = 0, largest = 0;
  std::size_t line = 0;  ///< line with the max distance
};

struct LawComparison {
  std::string file;
  io::Form form = io::Form::bodies;
  std::size_t contacts = 0, bad_rows = 0, separating = 0;
  std::vector<LawRun> runs;
  std::vector<LawDistance> distances;  ///< one per ordered pair, sorted by `law`, then by `other`
  std::vector<SkippedLaw> skipped;
};

/// Solves the table under each law, and prints bad rows on stderr. Throws Error.
LawComparison compare_laws(const io::Table& table, const LawComparisonOptions& options);

void print_text(const LawComparison& comparison, const LawComparisonOptions& options);
void print_json(const LawComparison& comparison, const LawComparisonOptions& options);
/// Writes one pair of laws a line: law, other, rows, median, percentile_90, largest, line.
void write_csv(std::ostream& stream, const LawComparison& comparison);

}  // namespace carom::apps
