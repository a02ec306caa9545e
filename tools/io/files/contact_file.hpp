// Contacts of a file and their results in the form and the precision of the solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/columns/contact_columns.hpp"
#include "io/columns/contact_numbers.hpp"

namespace carom::io {

/// `count` contacts from `first` on, as the library reads them. AnyContacts is Contacts or KContacts, in 3D or planar.
template <class AnyContacts>
class ContactData {
 public:
  /// `contacts` must be of this form and outlive the object.
  ContactData(const ContactNumbers& contacts, std::size_t first, std::size_t count);
  ContactData(const ContactData&) = delete;
  ContactData& operator=(const ContactData&) = delete;

  const AnyContacts& view() const { return view_; }

 private:
  AnyContacts view_;
  std::vector<std::vector<float>> floats_;  // columns in float, where Contacts are
};

/// Arrays for all results of these contacts.
template <class AnyContacts>
class ResultData {
 public:
  /// `results` must be of this form and outlive the object.
  ResultData(ResultNumbers& results, std::size_t first, std::size_t count);
  ResultData(const ResultData&) = delete;
  ResultData& operator=(const ResultData&) = delete;

  const ResultsOf<AnyContacts>& view() const { return view_; }
  /// Copies the arrays to the results.
  void store();

 private:
  template <class Number>
  struct Place {
    std::vector<Number> values;
    double* target;
  };

  ResultsOf<AnyContacts> view_;
  std::vector<Place<float>> floats_;
  std::vector<Place<std::int32_t>> steps_;
};

}  // namespace carom::io
