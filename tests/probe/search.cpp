#include "probe/search.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <tuple>

namespace carom::probe {
namespace {

struct Record {
  std::uint64_t cases = 0, converged = 0, broken = 0;
  Verdict worst;
};

using Key = std::tuple<std::string, std::string, std::string>;

struct Part {
  std::map<Key, Record> records;
  std::map<std::string_view, std::map<std::uint64_t, std::string>> broken;  ///< by promise and index of the case
};

/// Max number of printed examples of a broken promise.
constexpr std::size_t max_printed = 4;

std::string table_of(const std::map<Key, Record>& records) {
  std::map<std::string, std::array<Record, 2>> by_kind;
  for (const auto& [key, r] : records) {
    Record& sum = by_kind[std::get<1>(key)][std::get<2>(key) == "float" ? 0 : 1];
    sum.cases += r.cases;
    sum.worst.add(r.worst);
  }
  std::string table =
      "| kind | scenes | float: worst | promise | double: worst | promise | bound |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [kind, r] : by_kind)
    table += fmt::format("| {} | {} | {:.2g} | {} | {:.2g} | {} | {} |\n", kind, r[0].cases + r[1].cases,
                         r[0].worst.worst, r[0].worst.promise, r[1].worst.worst, r[1].worst.promise, bound);
  return table;
}

}  // namespace

Counts search_cases(const Subject& subject, std::uint64_t seed, int threads, const GoesOn& goes_on, bool details,
                    std::string* table) {
  const auto parts = on_threads<Part>(subject.runs_alone ? 1 : threads, goes_on, [&](std::uint64_t index, Part& part) {
    const std::uint64_t number = case_number(seed, index);
    const Judged judged = subject.judge(number, false);
    Record& record = part.records[{judged.detail, judged.kind, judged.precision}];
    ++record.cases;
    record.converged += judged.converged ? 1 : 0;
    record.worst.add(judged.verdict);
    if (!judged.verdict.broken()) return;
    ++record.broken;
    part.broken[judged.verdict.promise][index] =
        fmt::format("{} {} breaks '{}' by {:.3g}: {}, {}, {}", subject.option, number, judged.verdict.promise,
                    judged.verdict.worst, judged.detail, judged.kind, judged.precision);
  });
  Part all;
  for (const Part& part : parts) {
    for (const auto& [key, r] : part.records) {
      Record& sum = all.records[key];
      sum.cases += r.cases;
      sum.converged += r.converged;
      sum.broken += r.broken;
      sum.worst.add(r.worst);
    }
    for (const auto& [promise, lines] : part.broken) all.broken[promise].insert(lines.begin(), lines.end());
  }

  for (const auto& [promise, lines] : all.broken) {
    std::size_t printed = 0;
    for (const auto& [index, line] : lines)
      if (printed++ < max_printed) fmt::print("{}\n", line);
    fmt::print("'{}' broken: {}\n", promise, lines.size());
  }
  if (details)
    fmt::print("{:<18}{:<13}{:<8}{:>10}{:>11}{:>9}{:>10}{:>7}  {}\n", subject.name, "kind", "", "cases", "converged",
               "broken", "worst", "bound", "promise");
  Counts counts;
  std::uint64_t converged = 0, cases = 0;
  for (const auto& [key, r] : all.records) {
    const auto& [detail, kind, precision] = key;
    if (details)
      fmt::print("{:<18}{:<13}{:<8}{:>10}{:>11}{:>9}{:>10.3g}{:>7}  {}\n", detail, kind, precision, r.cases,
                 r.converged, r.broken, r.worst.worst, bound, r.worst.promise);
    counts[fmt::format("{}, {}", subject.name, kind)].add({r.cases, r.broken});
    cases += r.cases;
    converged += r.converged;
  }
  if (table != nullptr) *table = fmt::format("{}\n{} {} judged.\n", table_of(all.records), cases, subject.name);
  fmt::print("{} {} judged from seed {}, {} of them converged\n", cases, subject.name, seed, converged);
  return counts;
}

bool renew_table(const std::string& path, const std::string& name, const std::string& table) {
  const std::string begin = "<!-- table of " + name + " -->\n", end = "<!-- end of table -->";
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t from = text.find(begin), to = text.find(end, std::min(from, text.size()));
  if (!in || from == std::string::npos || to == std::string::npos) {
    fmt::print(stderr, "carom_probe: {} has no marks for a table, or cannot be read\n", path);
    return false;
  }
  in.close();
  text.replace(from + begin.size(), to - from - begin.size(), table);
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) fmt::print(stderr, "carom_probe: cannot write {}\n", path);
  return static_cast<bool>(out);
}

}  // namespace carom::probe
