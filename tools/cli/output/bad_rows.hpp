// Prints bad rows on stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/command_options.hpp"
#include "io/columns/faults.hpp"

namespace carom::apps {

/// Names the line and the columns of the first 20 faults, or of all.
class BadRows {
 public:
  /// Lines are kept for another rank to print, or printed at once.
  explicit BadRows(const CommandOptions& options, bool are_kept = false) : options_(options), are_kept_(are_kept) {}

  /// Prints the bad rows of a table, or of its next part.
  void print(const io::Table& table, const io::ContactNumbers& contacts, const std::vector<Status>& statuses) {
    auto unreadable = contacts.faults().begin();
    for (std::size_t row = 0; row < contacts.size(); ++row) {
      if (!contacts.readable(row)) {
        for (; unreadable != contacts.faults().end() && unreadable->row == row; ++unreadable)
          print(table, row, [&] { return unreadable->message; });
      } else if (is_fault(statuses[row])) {
        print(table, row, [&] {
          return describe_fault(table, contacts, row, statuses[row], options_.solver_options()) + " (" +
                 std::string(to_string(statuses[row])) + ")";
        });
      } else {
        continue;
      }
      ++rows_;
    }
  }
  /// The counts and the kept lines, for another rank or a later run.
  nlohmann::json sums() const { return {{"faults", faults_}, {"bad_rows", rows_}, {"lines", kept_}}; }
  /// Adds the sums of another rank or an earlier run, and prints its kept lines.
  void take(const nlohmann::json& sums) {
    const std::vector<std::string> lines = sums.at("lines");
    for (std::size_t i = 0; i < lines.size() && (options_.all_faults || faults_ + i < limit); ++i)
      std::fputs(lines[i].c_str(), stderr);
    faults_ += sums.at("faults").get<std::size_t>();
    rows_ += sums.at("bad_rows").get<std::size_t>();
  }
  /// Prints how many there are beyond the limit, after the last part. Returns the number of rows at fault.
  std::size_t finish(const io::Table& table) const {
    if (!options_.all_faults && faults_ > limit)
      fmt::print(stderr, "carom: {}: {} more faults; --all-faults prints them\n", table.name(), faults_ - limit);
    return rows_;
  }

 private:
  static constexpr std::size_t limit = 20;

  template <class Message>
  void print(const io::Table& table, std::size_t row, Message message) {
    if (options_.all_faults || faults_ < limit) {
      std::string line = fmt::format("carom: {}{}\n", table.place(row), message());
      if (are_kept_)
        kept_.push_back(std::move(line));
      else
        std::fputs(line.c_str(), stderr);
    }
    ++faults_;
  }

  const CommandOptions& options_;
  bool are_kept_;
  std::vector<std::string> kept_;
  std::size_t faults_ = 0, rows_ = 0;
};

/// Prints the bad rows of a whole table and returns their number.
inline std::size_t print_bad_rows(const io::Table& table, const io::ContactNumbers& contacts,
                                  const std::vector<Status>& statuses, const CommandOptions& options) {
  BadRows rows(options);
  rows.print(table, contacts, statuses);
  return rows.finish(table);
}

}  // namespace carom::apps
