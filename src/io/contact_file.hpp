// Contact files: tables with one contact a row, told apart by the names of their columns. docs/contact-files.md
// describes them.
#pragma once

#include <carom/laws.hpp>
#include <carom/status.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/contact_columns.hpp"
#include "io/csv.hpp"

namespace carom::io {

enum class Form : std::uint8_t {
  bodies,                ///< both bodies' states
  contact_space,         ///< collision matrix and separation velocity
  planar_bodies,         ///< the same in the plane
  planar_contact_space,  ///< with the tangent x and the normal y
};

/// Throws Error if the columns are those of no form. A table with a column that only contacts in 3D need holds such
/// contacts, and one with the columns of both forms has the body form.
Form form_of(const Table& table);

constexpr bool is_planar_form(Form form) {
  return form == Form::planar_bodies || form == Form::planar_contact_space;
}

/// "body form", "planar contact-space form"
std::string_view to_string(Form form);

/// The status in words of a row whose cells could not be read.
inline constexpr std::string_view unreadable = "unreadable";

/// How the cells of a table are understood.
struct ReadOptions {
  bool rounded_to_float = false;
  Law law = Law::incremental;                                  ///< of rows that name none
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< of rows that name none
  /// false: the laws are not those of the rows, so that the column `law` is not read, and no parameter has to be there.
  bool own_laws = true;
  /// Further columns of numbers, which must be there and filled.
  std::vector<std::string> further = {};
};

/// The contacts of a table as columns of numbers. Contacts is a form of InlineContacts or SpaceContacts, in 3D or
/// planar.
template <class Contacts>
class ContactData {
 public:
  using Scalar = ScalarOf<Contacts>;

  struct Fault {
    std::size_t row;
    std::string message;  ///< "column friction: 'abc' is not a number"
  };

  /// The table must have the columns of this form. Rows that can't be read become NaN and are listed as faults. An
  /// empty cell of a law's parameter is one only where the law of the row reads it; an empty weight is 0.
  explicit ContactData(const Table& table, const ReadOptions& options = {}, const Progress& progress = {});
  ContactData(const ContactData&) = delete;
  ContactData& operator=(const ContactData&) = delete;

  std::size_t size() const { return readable_.size(); }
  const Contacts& view() const { return view_; }
  Contacts view(std::size_t first, std::size_t count) const;
  /// In the order of the rows; a row can have several.
  const std::vector<Fault>& faults() const { return faults_; }
  bool readable(std::size_t row) const { return readable_[row]; }

  /// ReadOptions::further, in that order, each with its name.
  const std::vector<std::pair<std::string, Column<const Scalar>>>& further() const { return further_; }

  Law law(std::size_t row) const { return view_.law ? view_.law[row] : law_; }
  /// The law of the row, and the members of weight above 0 of a composite.
  std::vector<Law> laws(std::size_t row) const;

 private:
  void read_row(const Table& table, const ReadOptions& options, std::size_t row);

  struct NumberColumn {
    std::size_t column;  // of the table
    bool is_parameter;   // of laws
    bool is_weight;
  };

  Law law_;
  Contacts view_;
  std::vector<NumberColumn> number_columns_;
  std::vector<std::pair<std::string, Column<const Scalar>>> further_;
  std::size_t law_column_ = Table::none, restitution_law_column_ = Table::none;
  std::vector<std::vector<Scalar>> numbers_;
  std::vector<RestitutionLaw> restitution_laws_;
  std::vector<Law> laws_;
  std::vector<Fault> faults_;
  std::vector<bool> readable_;
};

/// Places for all results of contacts of this form.
template <class Contacts>
class ResultData {
 public:
  using Scalar = ScalarOf<Contacts>;

  explicit ResultData(std::size_t size);
  ResultData(const ResultData&) = delete;
  ResultData& operator=(const ResultData&) = delete;

  std::size_t size() const { return statuses_.size(); }
  const ResultsOf<Contacts>& view() const { return view_; }
  ResultsOf<Contacts> view(std::size_t first, std::size_t count) const;

 private:
  ResultsOf<Contacts> view_;
  std::vector<std::vector<Scalar>> numbers_;
  std::vector<Status> statuses_;
  std::vector<Path> paths_;
  std::vector<std::int32_t> steps_;
};

}  // namespace carom::io
