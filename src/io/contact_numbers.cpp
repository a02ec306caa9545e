#include "io/contact_numbers.hpp"

#include <algorithm>
#include <carom/law_info.hpp>
#include <limits>
#include <optional>

#include "columns.hpp"

namespace carom::io {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string trouble(const std::string& column, std::string_view text, const std::string& kind) {
  return "column " + column + (text.empty() ? ": the cell is empty" : ": '" + std::string(text) + "' is not " + kind);
}

std::optional<Law> to_law(std::string_view text) {
  for (const LawInfo& info : all_laws())
    if (to_string(info.law) == text) return info.law;
  return {};
}

std::optional<RestitutionLaw> to_restitution_law(std::string_view text) {
  for (const RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic})
    if (to_string(law) == text) return law;
  return {};
}

}  // namespace

ContactNumbers::ContactNumbers(const Table& table, Form form, const ReadOptions& options, const Progress& progress)
    : form_(form), in_float_(options.rounded_to_float), law_(options.law), readable_(table.rows(), true) {
  const std::size_t rows = table.rows();
  const auto place = [&](const std::string& name, bool is_parameter) {
    sources_.push_back({table.find(name), is_parameter, name.starts_with("weight_")});
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
  for (const columns::Member& member : columns::members)
    for (std::size_t i = 0; i < numbers_.columns().size(); ++i)
      if (numbers_.columns()[i].name == member.weight) weights_.emplace_back(member.law, i);

  for (std::size_t row = 0; row < rows; ++row) {
    if (progress && row % 4096 == 0) progress(row, rows);
    read_row(table, options, row);
    // The solver must see a fault in the row, whichever of its cells is at fault.
    if (!readable_[row]) numbers_.values(0)[row] = nan;
  }
}

void ContactNumbers::read_row(const Table& table, const ReadOptions& options, std::size_t row) {
  const auto fault = [&](std::string message) {
    faults_.push_back({row, std::move(message)});
    readable_[row] = false;
  };
  if (const std::size_t width = table.width(row); width != table.header().size())
    return fault("the row has " + std::to_string(width) + " cells, the header " +
                 std::to_string(table.header().size()));

  std::vector<std::string_view> empty_parameters;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& from = sources_[i];
    const std::string& name = table.header()[from.column];
    const std::string_view text = table.cell(row, from.column);
    if (from.is_weight && text.empty()) {
      numbers_.values(i)[row] = 0;
    } else if (from.is_parameter && text.empty()) {
      empty_parameters.push_back(name);
    } else if (const std::optional<double> value = to_number(text)) {
      numbers_.values(i)[row] = in_float_ ? static_cast<float>(*value) : *value;
    } else {
      fault(trouble(name, text, "a number"));
    }
  }
  if (names_restitution_laws())
    if (const std::string_view text = table.cell(row, restitution_law_column_); !text.empty()) {
      if (const auto law = to_restitution_law(text))
        restitution_laws_[row] = *law;
      else
        fault(trouble(table.header()[restitution_law_column_], text,
                      "a restitution law: energetic, kinetic or kinematic"));
    }
  if (names_laws())
    if (const std::string_view text = table.cell(row, law_column_); !text.empty()) {
      if (const auto law = to_law(text))
        laws_[row] = *law;
      else
        return fault(trouble(table.header()[law_column_], text, "a law; `carom laws` lists them"));
    }
  if (empty_parameters.empty() || !options.own_laws) return;
  for (const Law law : laws(row))
    for (const LawParameter& parameter : law_info(law).parameters)
      if (is_planar_form(form_) ? parameter.in_plane : parameter.in_space)
        if (const auto found = std::find(empty_parameters.begin(), empty_parameters.end(), parameter.name);
            found != empty_parameters.end()) {
          fault(trouble(std::string(parameter.name), "", ""));
          empty_parameters.erase(found);
        }
}

void ContactNumbers::refuse(std::vector<Fault> faults, std::string_view status) {
  for (Fault& fault : faults) {
    if (readable_[fault.row] && status != unreadable) refused_.emplace(fault.row, status);
    readable_[fault.row] = false;
    faults_.push_back(std::move(fault));
  }
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) { return a.row < b.row; });
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
