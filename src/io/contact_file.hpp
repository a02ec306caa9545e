// Contact files: tables with one contact a row, told apart by the names of their columns. docs/contact-files.md
// describes them.
#pragma once

#include <carom/contacts.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/contact_columns.hpp"
#include "io/csv.hpp"

namespace carom::io {

enum class Form : std::uint8_t {
  bodies,         ///< both bodies' states
  contact_space,  ///< collision matrix and separation velocity
};

/// Throws Error if the columns are those of neither form. A table with the columns of both has the body form.
Form form_of(const Table& table);

/// "body form", "contact-space form"
std::string_view to_string(Form form);

/// The status in words of a row whose cells could not be read.
inline constexpr std::string_view unreadable = "unreadable";

template <class Contacts>
struct ScalarOf;
template <template <class> class Contacts, class T>
struct ScalarOf<Contacts<T>> {
  using type = T;
};

/// The contacts of a table as columns of numbers. Contacts is InlineContacts<T> or SpaceContacts<T>.
template <class Contacts>
class ContactData {
 public:
  using Scalar = typename ScalarOf<Contacts>::type;

  struct Fault {
    std::size_t row;
    std::string message;  ///< "column friction: 'abc' is not a number"
  };

  /// The table must have the columns of this form. Rows that can't be read become NaN and are listed as faults.
  explicit ContactData(const Table& table, bool rounded_to_float = false, const Progress& progress = {});
  ContactData(const ContactData&) = delete;
  ContactData& operator=(const ContactData&) = delete;

  std::size_t size() const { return readable_.size(); }
  const Contacts& view() const { return view_; }
  Contacts view(std::size_t first, std::size_t count) const;
  /// In the order of the rows; a row can have several.
  const std::vector<Fault>& faults() const { return faults_; }
  bool readable(std::size_t row) const { return readable_[row]; }

 private:
  Contacts view_;
  std::vector<std::vector<Scalar>> numbers_;
  std::vector<RestitutionLaw> laws_;
  std::vector<Fault> faults_;
  std::vector<bool> readable_;
};

/// Places for all results of contacts of this form.
template <class Contacts>
class ResultData {
 public:
  using Scalar = typename ScalarOf<Contacts>::type;

  explicit ResultData(std::size_t size);
  ResultData(const ResultData&) = delete;
  ResultData& operator=(const ResultData&) = delete;

  std::size_t size() const { return statuses_.size(); }
  const Results<Scalar>& view() const { return view_; }
  Results<Scalar> view(std::size_t first, std::size_t count) const;

 private:
  Results<Scalar> view_;
  std::vector<std::vector<Scalar>> numbers_;
  std::vector<Status> statuses_;
  std::vector<Path> paths_;
  std::vector<std::int32_t> steps_;
};

}  // namespace carom::io
