// Results as contact files.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "io/columns/contact_numbers.hpp"
#include "io/columns/result_columns.hpp"
#include "io/hdf5/hdf5_writer.hpp"

namespace carom::io {

/// The header as a line of CSV.
std::string csv_header(const std::vector<ResultColumn>& columns);

/// `count` rows of the table, in order: the text of their cells, and the results. Unreadable rows get the status
/// `unreadable`. Cells beyond the header are left out.
std::string csv_rows(const std::vector<ResultColumn>& columns, const Table& table, const ContactNumbers& contacts,
                     const ResultNumbers& results, std::size_t first_row, std::size_t count);

/// Writes the header and all rows. Throws Error if the stream fails.
void write_results(std::ostream& stream, const Table& table, const ContactNumbers& contacts,
                   const ResultNumbers& results, bool details);

/// The columns of an HDF5 file. `types`: the types of the table's columns.
std::vector<Hdf5Column> hdf5_columns(const std::vector<ResultColumn>& columns, const std::vector<ColumnType>& types,
                                     const ResultNumbers& results);

/// The cells of one of these columns. Only columns of the table read the table.
Cells result_cells(const ResultColumn& column, const ColumnType& type, const Table& table,
                   const ContactNumbers& contacts, const ResultNumbers& results);

}  // namespace carom::io
