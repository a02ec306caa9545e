// The contacts of a table and their results as columns of numbers. docs/contact-files.md describes the files.
#pragma once

#include <carom/laws.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forms.hpp"
#include "numbers.hpp"
#include "table.hpp"

namespace carom::io {

/// The statuses in words of rows that the library does not see: a cell could not be read; or the row belongs to a scene
/// and describes a body otherwise than an earlier row.
inline constexpr std::string_view unreadable = "unreadable", body_state_disagrees = "body_state_disagrees";

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

/// The contacts of a table, whatever their form: the columns that it has of those of the form, and the further ones of
/// the options.
class ContactNumbers {
 public:
  struct Fault {
    std::size_t row;
    std::string message;  ///< "column friction: 'abc' is not a number"
  };

  /// The table must have the columns that the form needs. Rows that can't be read become NaN and are listed as faults.
  /// An empty cell of a law's parameter is one only where the law of the row reads it; an empty weight is 0.
  ContactNumbers(const Table& table, Form form, const ReadOptions& options = {}, const Progress& progress = {});

  std::size_t size() const { return readable_.size(); }
  Form form() const { return form_; }
  /// True if the numbers are rounded to float.
  bool in_float() const { return in_float_; }
  const Numbers& numbers() const { return numbers_; }
  /// The faults stand in the order of the rows; a row can have several.
  const std::vector<Fault>& faults() const { return faults_; }
  /// Gives all rows one value in the place of their own.
  void fill(std::string_view name, double value);
  bool readable(std::size_t row) const { return readable_[row]; }
  /// Adds faults, whose rows are readable no more: `status` is the word for those that were up to now.
  void refuse(std::vector<Fault> faults, std::string_view status);
  /// The word for a row that is not readable.
  std::string_view status_of_unreadable(std::size_t row) const {
    const auto found = refused_.find(row);
    return found == refused_.end() ? unreadable : found->second;
  }

  /// True if the rows name laws or restitution laws: there is one for each row then, else none.
  bool names_laws() const { return law_column_ != Table::none; }
  bool names_restitution_laws() const { return restitution_law_column_ != Table::none; }
  const std::vector<Law>& named_laws() const { return laws_; }
  const std::vector<RestitutionLaw>& named_restitution_laws() const { return restitution_laws_; }

  Law law(std::size_t row) const { return names_laws() ? laws_[row] : law_; }
  /// The law of the row, and the members of weight above 0 of a composite.
  std::vector<Law> laws(std::size_t row) const;

 private:
  struct Source {
    std::size_t column;  // of the table
    bool is_parameter;   // of laws
    bool is_weight;
    bool is_text;
  };
  struct Reading;

  template <class Number>
  void copy(Reading& reading, const std::vector<Number>& from, std::size_t source);
  void copy_numbers(Reading& reading, std::size_t source);
  void take_empty(Reading& reading, std::size_t row, std::size_t source);
  void read_row(Reading& reading, std::size_t row);
  void read_text(Reading& reading, std::string_view text, std::size_t row, std::size_t source);
  void require_parameters(Reading& reading);
  void fault(std::size_t row, std::string message);

  Form form_;
  bool in_float_;
  Law law_;
  Numbers numbers_;
  std::vector<Source> sources_;                       // of numbers_
  std::vector<std::pair<Law, std::size_t>> weights_;  // members of a composite and their columns in numbers_
  std::size_t law_column_ = Table::none, restitution_law_column_ = Table::none;
  std::vector<RestitutionLaw> restitution_laws_;
  std::vector<Law> laws_;
  std::vector<Fault> faults_;
  std::vector<bool> readable_;
  std::unordered_map<std::size_t, std::string_view> refused_;  // rows with another word than `unreadable`
};

/// Results of contacts, whatever their form.
struct ResultNumbers {
  /// Places for the results of these contacts, filled with zeros.
  explicit ResultNumbers(const ContactNumbers& contacts);

  Numbers numbers;                     ///< FormColumns::results and details, but for status and path
  std::vector<std::string> on_demand;  ///< the names of the details that are there
  std::vector<std::string> further;    ///< the names of results beside those of the form
  std::vector<Status> status;
  std::vector<Path> path;
};

}  // namespace carom::io
