// The solver's statuses in the words of contact files.
#pragma once

#include <carom/solver.hpp>
#include <string>

#include "contact_numbers.hpp"

namespace carom::io {

/// Why the solver refused a row: the columns at fault and what is wrong with them.
std::string describe_fault(const Table& table, const ContactNumbers& contacts, std::size_t row, Status status,
                           const Options& options);

}  // namespace carom::io
