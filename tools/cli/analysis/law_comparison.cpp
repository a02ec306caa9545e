#include "law_comparison.hpp"

#include <algorithm>
#include <cmath>

#include "cli/output/bad_rows.hpp"
#include "reading.hpp"
#include "region.hpp"
#include "solving.hpp"
#include "vectors.hpp"

namespace carom::apps {
namespace {

// The impulses of a law, and the rows that have an impulse.
struct Impulses {
  std::vector<Vector> p;
  std::vector<bool> resolved;
};

// Returns the smallest value that at least this fraction of the values does not exceed.
double quantile(std::vector<double>& values, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

class LawComparer {
 public:
  LawComparer(const io::Table& table, const LawComparisonOptions& command)
      : table_(table),
        command_(command),
        contacts_(read_contacts(table, io::form_of(table), command.read_options_without_laws())),
        scales_(scales_of(contacts_)) {}

  LawComparison compare() {
    LawComparison comparison;
    comparison.file = table_.name();
    comparison.form = contacts_.form();
    comparison.contacts = contacts_.size();
    const LawSelection selection = command_.laws.empty() ? all_laws_for(table_, comparison.form)
                                                         : laws_by_name(command_.laws, table_, comparison.form);
    comparison.skipped = selection.skipped;
    std::vector<Impulses> impulses;
    for (const Law law : selection.laws) impulses.push_back(run(law, comparison));
    for (std::size_t i = 0; i < impulses.size(); ++i)
      for (std::size_t j = 0; j < impulses.size(); ++j)
        if (i != j)
          comparison.distances.push_back(distance_of(selection.laws[i], impulses[i], selection.laws[j], impulses[j]));
    return comparison;
  }

 private:
  Impulses run(Law law, LawComparison& comparison) const {
    Options options = command_.solver_options();
    options.law = law;
    Solver solver(command_.execution());
    const io::ResultNumbers results =
        solve_contacts(contacts_, solver, options, command_.reference, std::string(to_string(law)));
    const Region region = region_of(contacts_, scales_, results.numbers, solver, options);
    // Impulses are finite, so faults of the region are faults of the data under any law.
    if (comparison.runs.empty()) comparison.bad_rows = print_bad_rows(table_, contacts_, region.statuses(), command_);
    return tally(law, results, region, comparison);
  }

  Impulses tally(Law law, const io::ResultNumbers& results, const Region& region, LawComparison& comparison) const {
    const bool is_first = comparison.runs.empty();
    const double tolerance = 64 * command_.epsilon();
    const Vectors impulse(results.numbers, io::columns_of(contacts_.form()).impulse);
    LawRun& run = comparison.runs.emplace_back();
    run.law = law;
    Impulses impulses{std::vector<Vector>(contacts_.size()), std::vector<bool>(contacts_.size())};
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      if (is_fault(region.statuses()[row])) continue;
      const Status status = results.status[row];
      if (is_first && region.statuses()[row] == Status::separating) ++comparison.separating;
      if (is_fault(status)) ++run.not_solved;
      if (!is_resolved(status)) continue;
      ++run.resolved;
      if (status == Status::several_solutions) ++run.several_solutions;
      impulses.resolved[row] = true;
      impulses.p[row] = impulse[row];
      if (!region.is_outside(0, row, norm(impulses.p[row]), tolerance)) continue;
      ++run.energy_gains;
      if (-region.margin(0, row) <= run.max_energy_gain) continue;
      run.max_energy_gain = -region.margin(0, row);
      run.energy_gain_line = table_.line(row);
    }
    return impulses;
  }

  LawDistance distance_of(Law law, const Impulses& from, Law other, const Impulses& to) const {
    LawDistance result{.law = law, .other = other};
    std::vector<double> distances;
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      if (!from.resolved[row] || !to.resolved[row]) continue;
      const double difference = distance(to.p[row], from.p[row]);
      const double relative = difference == 0 ? 0 : difference / norm(from.p[row]);
      distances.push_back(relative);
      if (result.line != 0 && relative <= result.largest) continue;
      result.largest = relative;
      result.line = table_.line(row);
    }
    result.rows = distances.size();
    if (distances.empty()) return result;
    result.median = quantile(distances, 0.5);
    result.percentile_90 = quantile(distances, 0.9);
    return result;
  }

  const io::Table& table_;
  const LawComparisonOptions& command_;
  io::ContactNumbers contacts_;
  ContactScales scales_;
};

}  // namespace

LawComparison compare_laws(const io::Table& table, const LawComparisonOptions& options) {
  return LawComparer(table, options).compare();
}

}  // namespace carom::apps
