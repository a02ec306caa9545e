// Contacts of a file in the form and the precision that they are solved in, and places for their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/columns/contact_columns.hpp"
#include "io/columns/contact_numbers.hpp"

namespace carom::io {

/// `count` contacts from `first` on, for the library: Contacts is a form of Contacts or KContacts, in 3D or
/// planar.
template <class AnyContacts>
class ContactData {
 public:
  /// The numbers are those of this form, and must outlive it.
  ContactData(const ContactNumbers& contacts, std::size_t first, std::size_t count);
  ContactData(const ContactData&) = delete;
  ContactData& operator=(const ContactData&) = delete;

  const AnyContacts& view() const { return view_; }

 private:
  AnyContacts view_;
  std::vector<std::vector<float>> floats_;  // columns in float, where Contacts are
};

/// Places for all results of these contacts.
template <class AnyContacts>
class ResultData {
 public:
  /// `results` are those of this form, and must outlive it.
  ResultData(ResultNumbers& results, std::size_t first, std::size_t count);
  ResultData(const ResultData&) = delete;
  ResultData& operator=(const ResultData&) = delete;

  const ResultsOf<AnyContacts>& view() const { return view_; }
  /// Brings what stands in the places to the results.
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
