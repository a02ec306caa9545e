// The search for single contacts that break a promise: contacts of hard kinds under every law, form, precision and ISA.
#pragma once

#include <carom/laws.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "probe/search.hpp"

namespace carom::probe {

struct ContactSearch {
  std::uint64_t seed = 1, contacts = 0;  ///< contacts: at least so many, in whole rounds of all kinds
  int threads = 1;
  std::optional<Law> law;   ///< that one alone
  std::string table, rows;  ///< the file whose table is renewed, the folder for the worst contacts; or none
  bool details = false;     ///< prints the errors by law, kind, precision and ISA
};

/// Prints every kind of contacts that breaks a promise, as a contact file. Nothing if a file cannot be written.
std::optional<Counts> search_contacts(const ContactSearch& search, const GoesOn& goes_on);

}  // namespace carom::probe
