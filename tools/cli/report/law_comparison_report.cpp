#include <ostream>

#include "cli/analysis/law_comparison.hpp"
#include "report_words.hpp"

namespace carom::apps {

void print_text(const LawComparison& comparison, const LawComparisonOptions& options) {
  fmt::print("{}: {} contacts, {}, {}\n", comparison.file, comparison.contacts, io::to_string(comparison.form),
             options.precision);
  fmt::print("{} bad, {} separating\n", comparison.bad_rows, comparison.separating);
  fmt::print("{:<18} {:>9} {:>10} {:>11} {:>17}\n", "law", "resolved", "not solved", "ambiguous", "gains of energy");
  for (const LawRun& run : comparison.runs) {
    fmt::print("{:<18} {:>9} {:>10} {:>11} {:>17}", to_string(run.law), run.resolved, run.not_solved,
               run.several_solutions, run.energy_gains);
    if (run.energy_gains > 0) fmt::print("   {:.3g} J at line {}", run.max_energy_gain, run.energy_gain_line);
    fmt::print("\n");
  }
  print(comparison.skipped);
  if (comparison.distances.empty()) return;

  const Law first = comparison.runs.front().law;
  fmt::print("difference of the impulse to that of {}, relative to the latter\n", to_string(first));
  fmt::print("{:<18} {:>9} {:>10} {:>11} {:>17}\n", "law", "rows", "median", "90 %", "largest");
  for (const LawDistance& distance : comparison.distances)
    if (distance.law == first && distance.rows > 0)
      fmt::print("{:<18} {:>9} {:>10.3g} {:>11.3g} {:>17.3g}   at line {}\n", to_string(distance.other), distance.rows,
                 distance.median, distance.percentile_90, distance.largest, distance.line);
}

void print_json(const LawComparison& comparison, const LawComparisonOptions& options) {
  Json laws = Json::array();
  for (const LawRun& run : comparison.runs)
    laws.push_back({{"law", to_string(run.law)},
                    {"resolved", run.resolved},
                    {"not_solved", run.not_solved},
                    {"several_solutions", run.several_solutions},
                    {"energy_gains", run.energy_gains},
                    {"max_energy_gain", run.max_energy_gain},
                    {"energy_gain_line", run.energy_gains > 0 ? Json(run.energy_gain_line) : Json(nullptr)}});
  Json distances = Json::array();
  for (const LawDistance& d : comparison.distances) {
    const auto known = [&](double x) { return d.rows > 0 ? Json(x) : Json(nullptr); };
    distances.push_back({{"law", to_string(d.law)},
                         {"other", to_string(d.other)},
                         {"rows", d.rows},
                         {"median", known(d.median)},
                         {"percentile_90", known(d.percentile_90)},
                         {"largest", known(d.largest)},
                         {"line", d.rows > 0 ? Json(d.line) : Json(nullptr)}});
  }
  Json json = head_of(comparison);
  json.update({{"separating", comparison.separating},
               {"restitution_law", text_of(options.solver_options().restitution_law)},
               {"precision", options.precision},
               {"laws", laws},
               {"distances", distances},
               {"skipped", to_json(comparison.skipped)}});
  print(json);
}

void write_csv(std::ostream& stream, const LawComparison& comparison) {
  stream << "law,other,rows,median,percentile_90,largest,line\n";
  for (const LawDistance& d : comparison.distances)
    if (d.rows > 0)
      stream << fmt::format("{},{},{},{:.17g},{:.17g},{:.17g},{}\n", to_string(d.law), to_string(d.other), d.rows,
                            d.median, d.percentile_90, d.largest, d.line);
  stream.flush();
  if (!stream) throw Error("carom: the output could not be written");
}

}  // namespace carom::apps
