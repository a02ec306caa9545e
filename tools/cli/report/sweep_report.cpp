#include "sweep_report.hpp"

#include <algorithm>
#include <cmath>

#include "cli/output/exact_numbers.hpp"
#include "report_words.hpp"

namespace carom::apps {
namespace {

/// Indices from status_room on are words for rows that the library does not see.
bool is_bad(std::size_t status) {
  return status >= status_room || is_fault(static_cast<Status>(status));
}

/// Text where JSON has no number: "inf", "-inf" and "nan".
Json json_of(double number) {
  return std::isfinite(number) ? Json(number) : Json(fmt::format("{}", number));
}

Json or_null(const std::optional<double>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

std::string or_own(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "own";
}

}  // namespace

std::size_t PointSums::resolved() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < status_room; ++i)
    if (is_resolved(static_cast<Status>(i))) count += by_status[i];
  return count;
}

std::size_t PointSums::bad() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < by_status.size(); ++i)
    if (is_bad(i)) count += by_status[i];
  return count;
}

void PointSums::add(const PointSums& other) {
  for (std::size_t i = 0; i < by_status.size(); ++i) by_status[i] += other.by_status[i];
  energy_loss += other.energy_loss;
  max_energy_gain = std::max(max_energy_gain, other.max_energy_gain);
}

void to_json(nlohmann::json& json, const PointSums& sums) {
  json = {sums.by_status, exact_text(sums.energy_loss), exact_text(sums.max_energy_gain)};
}

void from_json(const nlohmann::json& json, PointSums& sums) {
  json.at(0).get_to(sums.by_status);
  sums.energy_loss = exact_number(json.at(1));
  sums.max_energy_gain = exact_number(json.at(2));
}

void print_text(const SweepReport& report, const SweepOptions& options) {
  fmt::print("{}: {} contacts, {}, {} point{}, {}\n", report.file, report.contacts, io::to_string(report.form),
             report.points.size(), report.points.size() == 1 ? "" : "s", options.precision);
  fmt::print("{:<18} {:>9} {:>11} {:>11} {:>11} {:>11} {:>14} {:>16}\n", "law", "friction", "restitution", "resolved",
             "not solved", "bad", "J lost", "largest gain J");
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const StudyPoint& point = report.points[i];
    const PointSums& sums = report.sums[i];
    fmt::print("{:<18} {:>9} {:>11} {:>11} {:>11} {:>11} {:>14.6g} {:>16.3g}\n", to_string(point.law),
               or_own(point.friction), or_own(point.restitution), sums.resolved(),
               report.contacts - sums.resolved() - sums.bad(), sums.bad(), sums.energy_loss, sums.max_energy_gain);
  }
}

void print_json(const SweepReport& report, const SweepOptions& options) {
  Json points = Json::array();
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const StudyPoint& point = report.points[i];
    const PointSums& sums = report.sums[i];
    Json statuses = Json::object();
    for (std::size_t status = 0; status < sums.by_status.size(); ++status)
      if (sums.by_status[status] > 0) statuses[(*io::words_of_statuses())[status]] = sums.by_status[status];
    points.push_back({{"law", to_string(point.law)},
                      {"friction", or_null(point.friction)},
                      {"restitution", or_null(point.restitution)},
                      {"resolved", sums.resolved()},
                      {"bad", sums.bad()},
                      {"statuses", statuses},
                      {"energy_loss", json_of(sums.energy_loss)},
                      {"max_energy_gain", json_of(sums.max_energy_gain)}});
  }
  Json json = head_of(report);
  json.update({{"restitution_law", text_of(options.solver_options().restitution_law)},
               {"precision", options.precision},
               {"points", points}});
  print(json);
}

}  // namespace carom::apps
