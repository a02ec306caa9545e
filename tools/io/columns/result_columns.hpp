// The columns that results are written in, whatever the kind of the file.
#pragma once

#include <string>
#include <vector>

#include "contact_numbers.hpp"

namespace carom::io {

struct ResultColumn {
  enum class Source : std::uint8_t { table, numbers, status, path };

  std::string name;
  Source source = Source::table;
  std::size_t index = 0;  ///< in the table or in ResultNumbers::numbers
};

/// Those of the table, and the results: in the place of a column that bears a result's name, else behind the last one.
/// Details are among them if asked for, or if the table has a column of the name, which would otherwise tell of another
/// run.
std::vector<ResultColumn> result_columns(const Table& table, Form form, const ResultNumbers& results, bool details);

/// The words of the columns status and path, the latter by Path::index().
const std::vector<std::string>& words_of_statuses();
const std::vector<std::string>& words_of_paths();
/// The place of a row's word among those of statuses.
std::size_t index_of_status(const ContactNumbers& contacts, const ResultNumbers& results, std::size_t row);

}  // namespace carom::io
