// Report on the points of a sweep.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/sweep_options.hpp"
#include "io/columns/forms.hpp"
#include "io/files/result_columns.hpp"

namespace carom::apps {

/// Sums over the contacts at a point.
struct PointSums {
  std::vector<std::size_t> by_status = std::vector<std::size_t>(io::words_of_statuses()->size());
  double energy_loss = 0, max_energy_gain = 0;  ///< [J]

  std::size_t resolved() const;
  std::size_t bad() const;
  void add(const PointSums& other);
};

void to_json(nlohmann::json& json, const PointSums& sums);
void from_json(const nlohmann::json& json, PointSums& sums);

struct SweepReport {
  std::string file;
  io::Form form{};
  std::size_t contacts = 0;
  std::vector<StudyPoint> points;
  std::vector<PointSums> sums;
};

/// A line per point.
void print_text(const SweepReport& report, const SweepOptions& options);
void print_json(const SweepReport& report, const SweepOptions& options);

}  // namespace carom::apps
