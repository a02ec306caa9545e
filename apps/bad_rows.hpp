// Bad rows, on stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "command_options.hpp"
#include "io/faults.hpp"

namespace carom::apps {

/// Names the line and the columns of the first 20 faults, or of all. Returns the number of rows at fault.
template <class Contacts>
std::size_t print_bad_rows(const io::Table& table, const io::ContactData<Contacts>& contacts,
                           const Column<const Status>& statuses, const CommandOptions& options) {
  constexpr std::size_t limit = 20;
  std::size_t faults = 0, bad_rows = 0;
  const auto print = [&](std::size_t row, const std::string& message) {
    if (options.all_faults || faults < limit) fmt::print(stderr, "carom: {}{}\n", table.place(row), message);
    ++faults;
  };
  auto unreadable = contacts.faults().begin();
  for (std::size_t row = 0; row < contacts.size(); ++row) {
    if (!contacts.readable(row)) {
      for (; unreadable != contacts.faults().end() && unreadable->row == row; ++unreadable)
        print(row, unreadable->message);
    } else if (is_fault(statuses[row])) {
      const std::string why = faults < limit || options.all_faults
                                  ? describe_fault(table, contacts, row, statuses[row], options.solver_options())
                                  : std::string();
      print(row, why + " (" + std::string(to_string(statuses[row])) + ")");
    } else {
      continue;
    }
    ++bad_rows;
  }
  if (!options.all_faults && faults > limit)
    fmt::print(stderr, "carom: {}: {} more faults; --all-faults prints them\n", table.name(), faults - limit);
  return bad_rows;
}

}  // namespace carom::apps
