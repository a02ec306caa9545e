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

/// Status words of rows that the library does not see: a cell cannot be read, or the state of a body differs from an
/// earlier row of the scene.
inline constexpr std::string_view unreadable = "unreadable", body_state_disagrees = "body_state_disagrees";

/// Options for reading the cells of a table.
struct ReadOptions {
  bool rounded_to_float = false;
  Law law = Law::incremental;                                  ///< of rows that name none
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< of rows that name none
  /// false: ignores the column `law` and requires no law parameter.
  bool own_laws = true;
  /// Further columns of numbers, which are required and have no empty cells.
  std::vector<std::string> further = {};
};

/// The contacts of a table in any form: the columns of the form that the table has, and the further columns of the
/// options.
class ContactNumbers {
 public:
  struct Fault {
    std::size_t row;
    std::string message;  ///< "column friction: 'abc' is not a number"
  };

  /// The table must have the columns that the form needs. Rows that can't be read become NaN and are listed as faults.
  /// An empty cell of a law parameter is a fault only if the law of the row reads it. An empty weight is 0.
  ContactNumbers(const Table& table, Form form, const ReadOptions& options = {}, const Progress& progress = {});

  std::size_t size() const { return readable_.size(); }
  Form form() const { return form_; }
  /// True if the numbers are rounded to float.
  bool in_float() const { return in_float_; }
  const Numbers& numbers() const { return numbers_; }
  /// The faults in the order of the rows. A row can have several faults.
  const std::vector<Fault>& faults() const { return faults_; }
  /// Sets a column to one value.
  void fill(std::string_view name, double value);
  bool readable(std::size_t row) const { return readable_[row]; }
  /// Adds faults. Their rows become unreadable. `status`: status word of rows that were readable.
  void refuse(std::vector<Fault> faults, std::string_view status);
  /// The word for a row that is not readable.
  std::string_view status_of_unreadable(std::size_t row) const {
    const auto found = refused_.find(row);
    return found == refused_.end() ? unreadable : found->second;
  }

  /// True if the rows name laws or restitution laws. Then each row has one; otherwise the vectors are empty.
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
  double rounded(Number value) const {
    return in_float_ ? static_cast<double>(static_cast<float>(value)) : static_cast<double>(value);
  }
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
  std::unordered_map<std::size_t, std::string_view> refused_;  // rows with a status word other than `unreadable`
};

/// Results of contacts in any form.
struct ResultNumbers {
  /// Zero results for these contacts.
  explicit ResultNumbers(const ContactNumbers& contacts);

  Numbers numbers;                     ///< FormColumns::results and details without status and path
  std::vector<std::string> on_demand;  ///< names of the details that exist
  std::vector<std::string> further;    ///< names of further results
  std::vector<Status> status;
  std::vector<Path> path;
};

}  // namespace carom::io
