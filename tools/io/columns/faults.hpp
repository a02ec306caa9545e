// Descriptions of the solver's statuses for contact files.
#pragma once

#include <carom/solver.hpp>
#include <string>

#include "contact_numbers.hpp"

namespace carom::io {

/// Describes why the solver refused a row. Names the columns at fault.
std::string describe_fault(const Table& table, const ContactNumbers& contacts, std::size_t row, Status status,
                           const Options& options);

}  // namespace carom::io
