// Searches for single contacts that break a promise: hard kinds of contacts under every law, form, precision and ISA.
#pragma once

#include <carom/laws.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "probe/search.hpp"

namespace carom::probe {

struct ContactSearch {
  std::uint64_t seed = 1, contacts = 0;  ///< contacts: minimum number, rounded up to whole rounds of all kinds
  int threads = 1;
  std::optional<Law> law;   ///< restricts the search to this law
  std::string table, rows;  ///< file with the table to renew, folder for the worst contacts; empty: skipped
  bool details = false;     ///< prints the errors by law, kind, precision and ISA
};

/// Prints every kind of contact that violates a documented bound, as a contact file. Returns nullopt if a file cannot
/// be written.
std::optional<Counts> search_contacts(const ContactSearch& search, const GoesOn& goes_on);

}  // namespace carom::probe
