#include "system_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/columns/report_table.hpp"
#include "report_words.hpp"

namespace carom::apps {
namespace {

Json json_of(const SolvedSystem& system) {
  const SystemReport& report = system.report;
  Json json = {{"file", system.name}, {"solved", report.ok()}};
  each_field(
      [&]<class T>(const char* name, const T& figure) {
        if constexpr (std::is_arithmetic_v<T>) json[name] = figure;
      },
      report);
  json["iterations"] = report.pgs_iterations + report.interior_point_iterations + report.newton_iterations;
  return json;
}

double seconds_of(const std::vector<SolvedSystem>& systems) {
  double seconds = 0;
  for (const SolvedSystem& system : systems) seconds += system.report.seconds;
  return seconds;
}

std::string unsolved_in_words(const SolvedSystem& system) {
  const SystemReport& r = system.report;
  return r.ok() ? "" : fmt::format("  not solved: {} island{}", r.unsolved, r.unsolved == 1 ? "" : "s");
}

std::size_t solved_of(const std::vector<SolvedSystem>& systems) {
  return static_cast<std::size_t>(
      std::count_if(systems.begin(), systems.end(), [](const SolvedSystem& s) { return s.report.ok(); }));
}

}  // namespace

void print_text(const std::vector<SolvedSystem>& systems, std::FILE* out) {
  std::size_t width = 4;
  for (const SolvedSystem& system : systems) width = std::max(width, system.name.size());
  fmt::print(out, "{:{}}  {:>8}  {:>7}  {:>8}  {:>7}  {:>8}  {:>6}  {:>10}\n", "file", width, "contacts", "islands",
             "error", "pgs", "interior", "newton", "ms");
  for (const SolvedSystem& system : systems) {
    const SystemReport& r = system.report;
    fmt::print(out, "{:{}}  {:>8}  {:>7}  {:>8.1e}  {:>7}  {:>8}  {:>6}  {:>10.4f}{}\n", system.name, width, r.contacts,
               r.islands, r.error, r.pgs_iterations, r.interior_point_iterations, r.newton_iterations, 1e3 * r.seconds,
               unsolved_in_words(system));
  }
  if (systems.size() > 1)
    fmt::print(out, "{} of {} solved, {:.4f} ms\n", solved_of(systems), systems.size(), 1e3 * seconds_of(systems));
}

void print_json(const std::vector<SolvedSystem>& systems, const SystemOptions& options, double tolerance,
                std::FILE* out) {
  Json json;
  if (systems.size() == 1) {
    json = json_of(systems.front());
  } else {
    json = {{"systems", Json::array()}, {"solved", solved_of(systems)}, {"seconds", seconds_of(systems)}};
    for (const SolvedSystem& system : systems) json["systems"].push_back(json_of(system));
  }
  json["tolerance"] = tolerance;
  json["budget"] = options.budget;
  print(json, out);
}

}  // namespace carom::apps
