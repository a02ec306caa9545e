// The contacts of a table in their form, and places for their results.
#pragma once

#include "io/contact_file.hpp"

namespace carom::support {

template <class Contacts>
struct FileContacts : io::ContactNumbers, io::ContactData<Contacts> {
  explicit FileContacts(const io::Table& table, io::ReadOptions options = {})
      : io::ContactNumbers(table, io::form_of_contacts<Contacts>, in_precision(std::move(options))),
        io::ContactData<Contacts>(*this, 0, size()) {}

 private:
  static io::ReadOptions in_precision(io::ReadOptions options) {
    options.rounded_to_float |= std::is_same_v<NumberOf<Contacts>, float>;
    return options;
  }
};

template <class Contacts>
struct FileResults : io::ResultNumbers, io::ResultData<Contacts> {
  explicit FileResults(const FileContacts<Contacts>& contacts)
      : io::ResultNumbers(contacts), io::ResultData<Contacts>(*this, 0, contacts.size()) {}
};

}  // namespace carom::support
