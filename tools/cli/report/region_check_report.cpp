#include "cli/analysis/region.hpp"
#include "cli/analysis/region_check.hpp"
#include "report_words.hpp"

namespace carom::apps {
namespace {

std::size_t rows_outside(const RegionCheck& check) {
  std::size_t sum = 0;
  for (const CheckedImpulses& checked : check.checks) sum += checked.outside.size();
  return sum;
}

void print_rows(const RegionCheck& check) {
  const std::size_t all = rows_outside(check);
  if (all == 0) return;
  fmt::print("rows outside\n");
  std::size_t printed = 0;
  for (const CheckedImpulses& checked : check.checks)
    for (const RowOutside& row : checked.outside) {
      if (printed++ == max_rows_printed) return fmt::print("  and {} more; --json gives all\n", all - max_rows_printed);
      std::string what;
      for (std::size_t i = 0; i < bounds.size(); ++i)
        if (row.beyond[i] > 0)
          what += fmt::format("{} {} by {:.3g} {}", what.empty() ? "" : ",", bounds[i].breach, row.beyond[i],
                              bounds[i].unit);
      fmt::print("  line {}:{}{}{}\n", row.line, row.law.empty() ? "" : " ", row.law, what);
    }
}

}  // namespace

void print_text(const RegionCheck& check, const RegionCheckOptions& options) {
  fmt::print("{}: {} contacts, {}, {}; tolerance {:.3g}\n", check.file, check.contacts, io::to_string(check.form),
             options.precision, options.tolerance_in_use());
  fmt::print("{:<18} {:>9} {:>10} {:>9}", "impulses of", "checked", "not solved", "outside");
  for (const Bound& bound : bounds) fmt::print(" {:>15}", bound.breach);
  fmt::print("\n");
  for (const CheckedImpulses& checked : check.checks) {
    fmt::print("{:<18} {:>9} {:>10} {:>9}", checked.source, checked.checked, checked.not_solved,
               checked.outside.size());
    for (const Breach& breach : checked.breaches) fmt::print(" {:>15}", breach.rows);
    fmt::print("\n");
  }
  print(check.skipped);
  if (rows_outside(check) > 0) fmt::print("farthest outside\n");
  for (const CheckedImpulses& checked : check.checks)
    for (std::size_t i = 0; i < bounds.size(); ++i)
      if (const Breach& breach = checked.breaches[i]; breach.rows > 0)
        fmt::print("  {:<16} {} by {:.3g} {}, {:.3g} of its scale, at line {}\n", checked.source, bounds[i].breach,
                   breach.amount, bounds[i].unit, breach.relative, breach.line);
  print_rows(check);
}

void print_json(const RegionCheck& check, const RegionCheckOptions& options) {
  Json checks = Json::array();
  for (const CheckedImpulses& checked : check.checks) {
    Json breaches = Json::object();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const Breach& breach = checked.breaches[i];
      breaches[std::string(bounds[i].name)] = {{"rows", breach.rows},
                                               {"amount", breach.amount},
                                               {"unit", bounds[i].unit},
                                               {"relative", breach.relative},
                                               {"line", breach.rows > 0 ? Json(breach.line) : Json(nullptr)}};
    }
    Json rows = Json::array();
    for (const RowOutside& row : checked.outside) {
      Json beyond = Json::object();
      for (std::size_t i = 0; i < bounds.size(); ++i)
        if (row.beyond[i] > 0) beyond[std::string(bounds[i].name)] = row.beyond[i];
      rows.push_back(
          {{"line", row.line}, {"law", row.law.empty() ? Json(nullptr) : Json(row.law)}, {"beyond", beyond}});
    }
    checks.push_back({{"impulses_of", checked.source},
                      {"checked", checked.checked},
                      {"not_solved", checked.not_solved},
                      {"outside", checked.outside.size()},
                      {"bounds", breaches},
                      {"rows", rows}});
  }
  Json json = head_of(check);
  json.update({{"precision", options.precision},
               {"tolerance", options.tolerance_in_use()},
               {"outside", rows_outside(check)},
               {"checks", checks},
               {"skipped", to_json(check.skipped)}});
  print(json);
}

}  // namespace carom::apps
