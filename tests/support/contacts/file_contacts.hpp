// The contacts of a table in their form, and places for their results.
#pragma once

#include <sstream>
#include <string>

#include "io/csv/csv_writer.hpp"
#include "io/files/contact_file.hpp"
#include "io/files/result_columns.hpp"

namespace carom::support {

template <class AnyContacts>
struct FileContacts : io::ContactNumbers, io::ContactData<AnyContacts> {
  explicit FileContacts(const io::Table& table, io::ReadOptions options = {})
      : io::ContactNumbers(table, io::form_of_contacts<AnyContacts>, in_precision(std::move(options))),
        io::ContactData<AnyContacts>(*this, 0, size()) {}

 private:
  static io::ReadOptions in_precision(io::ReadOptions options) {
    options.rounded_to_float |= std::is_same_v<NumberOf<AnyContacts>, float>;
    return options;
  }
};

template <class AnyContacts>
struct FileResults : io::ResultNumbers, io::ResultData<AnyContacts> {
  explicit FileResults(const FileContacts<AnyContacts>& contacts)
      : io::ResultNumbers(contacts), io::ResultData<AnyContacts>(*this, 0, contacts.size()) {}
};

/// The table with the results, as CSV.
inline std::string csv_of(const io::Table& table, const io::ContactNumbers& contacts, const io::ResultNumbers& results,
                          bool details) {
  const auto columns = io::result_columns(table, contacts.form(), results, details);
  std::ostringstream stream;
  io::CsvWriter(stream, io::file_columns(columns, {}, results)).put(io::result_rows(columns, table, contacts, results));
  return stream.str();
}

}  // namespace carom::support
