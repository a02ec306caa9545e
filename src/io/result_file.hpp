// Results as contact files.
#pragma once

#include <ostream>

#include "io/contact_numbers.hpp"

namespace carom::io {

/// Writes every row of the table, in order, with the text of its cells, and the results: in the place of a column that
/// bears a result's name, else behind the last one. Rows that could not be read get the status `unreadable`. Cells
/// beyond the header are left out. Details are written if asked for, or if the table has a column of the name, which
/// would otherwise tell of another run. The header is left out for further rows of a table. Throws Error if the stream
/// fails.
void write_results(std::ostream& stream, const Table& table, const ContactNumbers& contacts,
                   const ResultNumbers& results, bool details, bool with_header = true);

}  // namespace carom::io
