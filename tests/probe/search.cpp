#include "probe/search.hpp"

#include <fmt/format.h>

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
constexpr std::size_t most_printed = 4;

}  // namespace

Counts search_cases(const Subject& subject, std::uint64_t seed, int threads, const GoesOn& goes_on, bool details) {
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
      if (printed++ < most_printed) fmt::print("{}\n", line);
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
  fmt::print("{} {} judged from seed {}, {} of them converged\n", cases, subject.name, seed, converged);
  return counts;
}

}  // namespace carom::probe
