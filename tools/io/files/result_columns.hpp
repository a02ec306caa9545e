// The columns of results in files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/columns/contact_numbers.hpp"
#include "io/columns/row_writer.hpp"

namespace carom::io {

/// A column of a file with results.
struct ResultColumn {
  enum class Source : std::uint8_t { table, numbers, status, path };

  std::string name;
  Source source = Source::table;
  std::size_t index = 0;  ///< in the table or in ResultNumbers::numbers
};

/// The column of a result that has this name in files.
ResultColumn result_column(std::string name, const ResultNumbers& results);

/// The columns of the table and the results. A result replaces a column of its name; the other results follow the
/// table. Details are written if `details` is true or the table has a column of the name, because the old column would
/// belong to another run.
std::vector<ResultColumn> result_columns(const Table& table, Form form, const ResultNumbers& results, bool details);

/// The columns of the new file. `types`: the types of the table's columns, for HDF5.
std::vector<FileColumn> file_columns(const std::vector<ResultColumn>& columns, const std::vector<ColumnType>& types,
                                     const ResultNumbers& results);

/// The rows of a table with their results in these columns. Views all arguments but the columns.
RowBlock result_rows(const std::vector<ResultColumn>& columns, const Table& table, const ContactNumbers& contacts,
                     const ResultNumbers& results);

using Words = std::shared_ptr<const std::vector<std::string>>;
/// The words of the column `status`, by index_of_status().
const Words& words_of_statuses();
/// The index of a row's word in words_of_statuses().
std::size_t index_of_status(const ContactNumbers& contacts, const ResultNumbers& results, std::size_t row);

}  // namespace carom::io
