#include "contact_numbers.hpp"

#include <algorithm>
#include <carom/law_info.hpp>
#include <limits>
#include <optional>

#include "core/columns/columns.hpp"

namespace carom::io {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string trouble(const std::string& column, std::string_view text, const std::string& kind) {
  return "column " + column + (text.empty() ? ": the cell is empty" : ": '" + std::string(text) + "' is not " + kind);
}

}  // namespace

struct ContactNumbers::Reading {
  struct EmptyParameter {
    std::size_t row, source;
  };

  const Table& table;
  const ReadOptions& options;
  std::vector<EmptyParameter> empty = {};
  std::vector<std::size_t> of_unknown_law = {};  // rows, in their order
};

ContactNumbers::ContactNumbers(const Table& table, Form form, const ReadOptions& options, const Progress& progress)
    : form_(form), in_float_(options.rounded_to_float), law_(options.law), readable_(table.rows(), true) {
  const std::size_t rows = table.rows();
  const auto place = [&](const std::string& name, bool is_parameter) {
    const std::size_t column = table.find(name);
    sources_.push_back({column, is_parameter, name.starts_with("weight_"), !table.holds_numbers(column)});
    numbers_.add(name, std::vector<double>(rows, nan));
  };
  for (const std::string& name : columns_of(form).needed) place(name, false);
  for (const std::string& name : columns_of(form).optional) {
    if (table.find(name) == Table::none) continue;
    if (name == "restitution_law") {
      restitution_law_column_ = table.find(name);
      restitution_laws_.assign(rows, options.restitution_law);
    } else if (name == "law") {
      if (!options.own_laws) continue;
      law_column_ = table.find(name);
      laws_.assign(rows, options.law);
    } else {
      place(name, name != "impulse_step");
    }
  }
  for (const std::string& name : options.further) place(name, false);
  for (const columns::Component& component : columns::components)
    if (const std::size_t i = numbers_.index_of(component.weight); i < numbers_.columns().size())
      weights_.emplace_back(component.law, i);

  Reading reading{table, options};
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (!sources_[i].is_text) copy_numbers(reading, i);
  const bool has_text = names_laws() || names_restitution_laws() ||
                        std::any_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.is_text; });
  for (std::size_t row = 0; has_text && row < rows; ++row) {
    if (progress && row % 4096 == 0) progress(row, rows);
    read_row(reading, row);
  }
  if (options.own_laws) require_parameters(reading);
  std::ranges::stable_sort(faults_, {}, &Fault::row);
  // The solver must see a fault in the row, whichever of its cells is at fault.
  for (const Fault& fault : faults_) numbers_.values(0)[fault.row] = nan;
}

void ContactNumbers::fault(std::size_t row, std::string message) {
  faults_.push_back({row, std::move(message)});
  readable_[row] = false;
}

void ContactNumbers::take_empty(Reading& reading, std::size_t row, std::size_t source) {
  const Source& from = sources_[source];
  double& value = numbers_.values(source)[row];
  value = nan;
  if (from.is_weight)
    value = 0;
  else if (from.is_parameter)
    reading.empty.push_back({row, source});
  else
    fault(row, trouble(reading.table.header()[from.column], "", ""));
}

template <class Number>
void ContactNumbers::copy(Reading& reading, const std::vector<Number>& from, std::size_t source) {
  std::vector<double>& to = numbers_.values(source);
  bool any_empty = false;
  for (std::size_t row = 0; row < from.size(); ++row) {
    to[row] = rounded(from[row]);
    any_empty |= is_empty_cell(from[row]);
  }
  for (std::size_t row = 0; any_empty && row < from.size(); ++row)
    if (is_empty_cell(from[row])) take_empty(reading, row, source);
}

void ContactNumbers::copy_numbers(Reading& reading, std::size_t source) {
  std::visit(
      [&](const auto& cells) {
        if constexpr (requires { cells.data(); }) copy(reading, cells, source);
      },
      *reading.table.cells(sources_[source].column));
}

void ContactNumbers::read_text(Reading& reading, std::string_view text, std::size_t row, std::size_t source) {
  if (text.empty()) return take_empty(reading, row, source);
  if (const std::optional<double> value = to_number(text))
    numbers_.values(source)[row] = rounded(*value);
  else
    fault(row, trouble(reading.table.header()[sources_[source].column], text, "a number"));
}

void ContactNumbers::read_row(Reading& reading, std::size_t row) {
  const Table& table = reading.table;
  if (const std::size_t width = table.width(row); width != table.header().size())
    return fault(
        row, "the row has " + std::to_string(width) + " cells, the header " + std::to_string(table.header().size()));

  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].is_text) read_text(reading, table.cell(row, sources_[i].column), row, i);
  if (names_restitution_laws())
    if (const std::string text = table.text(row, restitution_law_column_); !text.empty()) {
      if (const auto law = to_enumerator<RestitutionLaw>(text))
        restitution_laws_[row] = *law;
      else
        fault(row, trouble(table.header()[restitution_law_column_], text,
                           "a restitution law: energetic, kinetic or kinematic"));
    }
  if (!names_laws()) return;
  if (const std::string text = table.text(row, law_column_); !text.empty()) {
    if (const auto law = to_enumerator<Law>(text)) {
      laws_[row] = *law;
    } else {
      fault(row, trouble(table.header()[law_column_], text, "a law; `carom laws` lists them"));
      reading.of_unknown_law.push_back(row);
    }
  }
}

// An empty cell is a fault where the law of the row reads it.
void ContactNumbers::require_parameters(Reading& reading) {
  auto& empty = reading.empty;
  std::ranges::stable_sort(empty, {}, &Reading::EmptyParameter::row);
  for (auto first = empty.begin(); first != empty.end();) {
    const std::size_t row = first->row;
    const auto last = std::find_if(first, empty.end(), [row](const auto& cell) { return cell.row != row; });
    std::vector<std::string_view> names;
    for (; first != last; ++first) names.push_back(reading.table.header()[sources_[first->source].column]);
    if (std::binary_search(reading.of_unknown_law.begin(), reading.of_unknown_law.end(), row)) continue;
    for (const Law law : laws(row))
      for (const LawParameter& parameter : law_info(law).parameters)
        if (is_there(parameter, form_))
          if (const auto found = std::find(names.begin(), names.end(), parameter.name); found != names.end()) {
            fault(row, trouble(std::string(parameter.name), "", ""));
            names.erase(found);
          }
  }
}

void ContactNumbers::fill(std::string_view name, double value) {
  std::ranges::fill(numbers_.at(name), rounded(value));
}

void ContactNumbers::refuse(std::vector<Fault> faults, std::string_view status) {
  for (Fault& fault : faults) {
    if (readable_[fault.row] && status != unreadable) refused_.emplace(fault.row, status);
    readable_[fault.row] = false;
    faults_.push_back(std::move(fault));
  }
  std::ranges::stable_sort(faults_, {}, &Fault::row);
}

std::vector<Law> ContactNumbers::laws(std::size_t row) const {
  std::vector<Law> laws = {law(row)};
  if (laws.front() == Law::composite)
    for (const auto& [member, column] : weights_)
      if (numbers_.columns()[column].values[row] > 0) laws.push_back(member);
  return laws;
}

ResultNumbers::ResultNumbers(const ContactNumbers& contacts)
    : on_demand(columns_of(contacts.form()).details), status(contacts.size()), path(contacts.size()) {
  const FormColumns& columns = columns_of(contacts.form());
  for (const auto* names : {&columns.results, &columns.details})
    for (const std::string& name : *names)
      if (name != "status" && name != "path")
        numbers.add(name, std::vector<double>(contacts.size()),
                    contacts.in_float() && name != "steps" ? digits_of_float : digits_of_double);
}

}  // namespace carom::io
