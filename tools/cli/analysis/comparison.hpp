// Compares the lanes with the reference on one table.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/options/command_options.hpp"
#include "io/columns/forms.hpp"

namespace carom::apps {

/// Differences in a set of rows.
struct Spread {
  std::size_t rows = 0;
  double largest = 0;
  double median = 0;
  std::size_t line = 0;  ///< line with the max difference
};

struct PathDifference {
  std::size_t line = 0;
  std::string lanes, reference;  ///< the path, or the status of a fault
  double boundary_distance = 0;  ///< reference::Outcome::boundary_distance
};

/// A vector that the table has as a result, and the differences of lanes and reference from it.
struct ExpectedVector {
  std::string name;
  Spread lanes, reference;
};

/// A result in words that the table has: "path" or "status".
struct ExpectedWord {
  std::string name;
  std::size_t rows = 0, lanes_differ = 0, reference_differs = 0;
};

/// Results of the lanes or of the reference.
struct Side {
  std::map<std::string, std::size_t> by_status;
  double energy_gain = 0;            ///< [J] max
  std::size_t energy_gain_line = 0;  ///< 0: no energy gain
  double contacts_per_second = 0;
};

struct Comparison {
  std::string file;
  io::Form form = io::Form::bodies;
  std::size_t contacts = 0;
  std::size_t bad_rows = 0;
  Isa isa = Isa::scalar;
  int threads = 1;
  int repetitions = 0;
  Side lanes, reference;
  Spread velocity;  ///< difference of the separation velocities relative to |u0|, over the rows that both resolved
  std::vector<PathDifference> path_differences;
  std::vector<ExpectedVector> expected_vectors;
  std::vector<ExpectedWord> expected_words;
};

/// Solves the table on the lanes and by the reference and times both. Prints bad rows on stderr. Throws Error.
Comparison compare(io::Table table, const CommandOptions& options);

void print_text(const Comparison& comparison, const CommandOptions& options);
void print_json(const Comparison& comparison, const CommandOptions& options);

}  // namespace carom::apps
