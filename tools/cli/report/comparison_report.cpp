#include <cmath>

#include "cli/analysis/comparison.hpp"
#include "report_words.hpp"

namespace carom::apps {
namespace {

double ratio(const Comparison& comparison) {
  const double reference = comparison.reference.contacts_per_second;
  return reference > 0 ? comparison.lanes.contacts_per_second / reference : 0;
}

void print_spread(const std::string& name, const Spread& spread) {
  if (spread.rows == 0)
    fmt::print("  {:<38} no contact to compare\n", name);
  else
    fmt::print("  {:<38} largest {:.3g} (line {}), median {:.3g}\n", name, spread.largest, spread.line, spread.median);
}

void print_energy(const std::string& name, const Side& side) {
  if (side.energy_gain > 0)
    fmt::print("  {:<38} {:.3g} J (line {})\n", name, side.energy_gain, side.energy_gain_line);
  else
    fmt::print("  {:<38} none\n", name);
}

Json to_json(const Spread& spread) {
  if (spread.rows == 0) return {{"rows", 0}, {"largest", nullptr}, {"median", nullptr}, {"line", nullptr}};
  return {{"rows", spread.rows}, {"largest", spread.largest}, {"median", spread.median}, {"line", spread.line}};
}

Json to_json(const Side& side) {
  return {{"by_status", side.by_status},
          {"energy_gain", side.energy_gain},
          {"energy_gain_line", side.energy_gain > 0 ? Json(side.energy_gain_line) : Json(nullptr)},
          {"contacts_per_second", side.contacts_per_second}};
}

}  // namespace

void print_text(const Comparison& comparison, const CommandOptions& options) {
  fmt::print("{}: {} contacts, {}, {}\n", comparison.file, comparison.contacts, io::to_string(comparison.form),
             options.method_in_words(comparison.form));
  fmt::print("lanes: {}, {}, {} thread{}; reference: scalar, double, 1 thread\n", to_string(comparison.isa),
             options.precision, comparison.threads, comparison.threads == 1 ? "" : "s");

  fmt::print("status (lanes)\n");
  for (const auto& [status, count] : comparison.lanes.by_status) fmt::print("  {:<38} {}\n", status, count);

  fmt::print("difference of lanes and reference\n");
  print_spread("separation velocity / |u0|", comparison.velocity);

  fmt::print("paths that differ: {} of {}\n", comparison.path_differences.size(), comparison.contacts);
  std::size_t printed = 0;
  for (const PathDifference& difference : comparison.path_differences) {
    if (printed++ == max_rows_printed) {
      fmt::print("  and {} more; --json gives all\n", comparison.path_differences.size() - max_rows_printed);
      break;
    }
    fmt::print("  line {}: lanes {}, reference {}", difference.line, difference.lanes, difference.reference);
    if (std::isfinite(difference.boundary_distance))
      fmt::print(", distance to the boundary {:.3g}", difference.boundary_distance);
    fmt::print("\n");
  }

  fmt::print("largest energy gain\n");
  print_energy("lanes", comparison.lanes);
  print_energy("reference", comparison.reference);

  if (!comparison.expected_vectors.empty() || !comparison.expected_words.empty())
    fmt::print("difference to the results in the file\n");
  for (const ExpectedVector& expected : comparison.expected_vectors) {
    print_spread(expected.name + ", lanes", expected.lanes);
    print_spread(expected.name + ", reference", expected.reference);
  }
  for (const ExpectedWord& word : comparison.expected_words)
    fmt::print("  {:<38} lanes {}, reference {} of {} rows differ\n", word.name, word.lanes_differ,
               word.reference_differs, word.rows);

  if (comparison.contacts == 0) return;
  fmt::print("throughput (median of {})\n", comparison.repetitions);
  fmt::print("  {:<38} {:.3g} contacts/s\n", "lanes", comparison.lanes.contacts_per_second);
  fmt::print("  {:<38} {:.3g} contacts/s\n", "reference", comparison.reference.contacts_per_second);
  fmt::print("  {:<38} {:.3g}\n", "ratio", ratio(comparison));
}

void print_json(const Comparison& comparison, const CommandOptions& options) {
  const Options solver_options = options.solver_options();
  const bool euler = solver_options.integrator == Integrator::euler;
  Json differences = Json::array();
  for (const PathDifference& difference : comparison.path_differences)
    differences.push_back({{"line", difference.line},
                           {"lanes", difference.lanes},
                           {"reference", difference.reference},
                           {"boundary_distance", difference.boundary_distance}});
  Json expected = Json::object();
  for (const ExpectedVector& vector : comparison.expected_vectors)
    expected[vector.name] = {{"lanes", to_json(vector.lanes)}, {"reference", to_json(vector.reference)}};
  for (const ExpectedWord& word : comparison.expected_words)
    expected[word.name] = {
        {"rows", word.rows}, {"lanes_differ", word.lanes_differ}, {"reference_differs", word.reference_differs}};
  Json json = head_of(comparison);
  json.update({{"law", text_of(solver_options.law)},
               {"integrator", text_of(solver_options.integrator)},
               {"steps", euler ? Json(solver_options.steps) : Json(nullptr)},
               {"restitution_law", text_of(solver_options.restitution_law)},
               {"precision", options.precision},
               {"isa", to_string(comparison.isa)},
               {"threads", comparison.threads},
               {"velocity_difference", to_json(comparison.velocity)},
               {"path_differences", differences},
               {"lanes", to_json(comparison.lanes)},
               {"reference", to_json(comparison.reference)},
               {"throughput_ratio", ratio(comparison)},
               {"repetitions", comparison.repetitions},
               {"expected", expected}});
  print(json);
}

}  // namespace carom::apps
