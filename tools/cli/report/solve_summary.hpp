// The summary of a file that `carom solve` prints.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <carom/status.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/result_columns.hpp"

namespace carom::apps {

/// Counts over the rows of a file.
struct RowCounts {
  std::size_t rows = 0;
  std::map<std::string, std::size_t, std::less<>> by_law, by_status;
  std::array<std::size_t, Path::kinds> by_path{};

  void add(const io::ContactNumbers& contacts, const io::ResultNumbers& results) {
    rows += contacts.size();
    for (const Law law : contacts.named_laws()) ++by_law[std::string(to_string(law))];
    std::vector<std::size_t> statuses(io::words_of_statuses()->size());
    for (std::size_t row = 0; row < contacts.size(); ++row) {
      ++statuses[io::index_of_status(contacts, results, row)];
      ++by_path[results.path[row].index()];
    }
    for (std::size_t i = 0; i < statuses.size(); ++i)
      if (statuses[i] > 0) by_status[(*io::words_of_statuses())[i]] += statuses[i];
  }
};

inline nlohmann::json json_of(const RowCounts& counts) {
  return {{"rows", counts.rows}, {"laws", counts.by_law}, {"statuses", counts.by_status}, {"paths", counts.by_path}};
}

/// Adds the counts of another rank or of an earlier run.
inline void add(RowCounts& counts, const nlohmann::json& other) {
  using Counts = std::map<std::string, std::size_t>;
  counts.rows += other.at("rows").get<std::size_t>();
  for (const auto& [law, count] : other.at("laws").get<Counts>()) counts.by_law[law] += count;
  for (const auto& [status, count] : other.at("statuses").get<Counts>()) counts.by_status[status] += count;
  for (std::size_t i = 0; i < Path::kinds; ++i) counts.by_path[i] += other.at("paths").at(i).get<std::size_t>();
}

inline void print(std::FILE* out, const RowCounts& counts) {
  const auto print_one = [out](std::string_view word, std::size_t count) {
    fmt::print(out, "  {:<40} {:>10}\n", word, count);
  };
  if (!counts.by_law.empty()) {
    fmt::print(out, "law\n");
    for (const auto& [law, count] : counts.by_law) print_one(law, count);
  }
  fmt::print(out, "status\n");
  for (const auto& [status, count] : counts.by_status) print_one(status, count);
  fmt::print(out, "path\n");
  std::vector<std::pair<std::size_t, Path>> paths;
  for (std::size_t i = 0; i < Path::kinds; ++i)
    if (const Path path = Path::from_index(i); counts.by_path[i] > 0 && path.sliding_end != SlidingEnd::none)
      paths.emplace_back(counts.by_path[i], path);
  std::stable_sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, path] : paths) print_one(to_string(path), count);
}

/// "solved on avx2 with 2 threads in 0.1 s: 1e+06 contacts/s"
inline void print_speed(std::FILE* out, bool by_reference, Isa isa, int threads, std::size_t contacts, double seconds,
                        int ranks = 1) {
  const double rate = seconds > 0 ? static_cast<double>(contacts) / seconds : 0;
  const std::string where = ranks == 1 ? "" : fmt::format("on {} ranks ", ranks);
  if (by_reference)
    fmt::print(out, "solved by the scalar reference {}in {:.3g} s: {:.3g} contacts/s\n", where, seconds, rate);
  else
    fmt::print(out, "solved on {} with {} thread{} {}in {:.3g} s: {:.3g} contacts/s\n", to_string(isa), threads,
               threads == 1 ? "" : "s", where, seconds, rate);
}

}  // namespace carom::apps
