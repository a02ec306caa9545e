#include "io/contact_file.hpp"

#include <algorithm>
#include <carom/law_info.hpp>
#include <limits>
#include <optional>
#include <type_traits>

namespace carom::io {
namespace {

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

template <class Contacts>
ContactData<Contacts>::ContactData(const Table& table, const ReadOptions& options, const Progress& progress)
    : law_(options.law), readable_(table.rows(), true) {
  const std::size_t rows = table.rows();
  const auto place = [&](const std::string& name, Column<const Scalar>& column, bool is_parameter) {
    number_columns_.push_back({table.find(name), is_parameter, name.starts_with("weight_")});
    column = numbers_.emplace_back(rows, std::numeric_limits<Scalar>::quiet_NaN());
  };
  visit_needed(view_, [&](const std::string& name, auto& column) { place(name, column, false); });
  visit_optional(view_, [&](const std::string& name, auto& column) {
    if (table.find(name) == Table::none) return;
    if constexpr (std::is_same_v<decltype(column), Column<const RestitutionLaw>&>) {
      restitution_law_column_ = table.find(name);
      restitution_laws_.assign(rows, options.restitution_law);
      column = restitution_laws_;
    } else if constexpr (std::is_same_v<decltype(column), Column<const Law>&>) {
      if (!options.own_laws) return;
      law_column_ = table.find(name);
      laws_.assign(rows, options.law);
      column = laws_;
    } else {
      place(name, column, name != "impulse_step");
    }
  });

  for (const std::string& name : options.further)
    place(name, further_.emplace_back(name, Column<const Scalar>()).second, false);

  for (std::size_t row = 0; row < rows; ++row) {
    if (progress && row % 4096 == 0) progress(row, rows);
    read_row(table, options, row);
    // The solver must see a fault in the row, whichever of its cells is at fault.
    if (!readable_[row]) numbers_.front()[row] = std::numeric_limits<Scalar>::quiet_NaN();
  }
}

template <class Contacts>
void ContactData<Contacts>::read_row(const Table& table, const ReadOptions& options, std::size_t row) {
  const auto fault = [&](std::string message) {
    faults_.push_back({row, std::move(message)});
    readable_[row] = false;
  };
  if (const std::size_t width = table.width(row); width != table.header().size())
    return fault("the row has " + std::to_string(width) + " cells, the header " +
                 std::to_string(table.header().size()));

  std::vector<std::string_view> empty_parameters;
  for (std::size_t i = 0; i < number_columns_.size(); ++i) {
    const NumberColumn& from = number_columns_[i];
    const std::string& name = table.header()[from.column];
    const std::string_view text = table.cell(row, from.column);
    if (from.is_weight && text.empty()) {
      numbers_[i][row] = 0;
    } else if (from.is_parameter && text.empty()) {
      empty_parameters.push_back(name);
    } else if (const std::optional<double> value = to_number(text)) {
      numbers_[i][row] = static_cast<Scalar>(options.rounded_to_float ? static_cast<float>(*value) : *value);
    } else {
      fault(trouble(name, text, "a number"));
    }
  }
  if (restitution_law_column_ != Table::none)
    if (const std::string_view text = table.cell(row, restitution_law_column_); !text.empty()) {
      if (const auto law = to_restitution_law(text))
        restitution_laws_[row] = *law;
      else
        fault(trouble(table.header()[restitution_law_column_], text,
                      "a restitution law: energetic, kinetic or kinematic"));
    }
  if (law_column_ != Table::none)
    if (const std::string_view text = table.cell(row, law_column_); !text.empty()) {
      if (const auto law = to_law(text))
        laws_[row] = *law;
      else
        return fault(trouble(table.header()[law_column_], text, "a law; `carom laws` lists them"));
    }
  if (empty_parameters.empty() || !options.own_laws) return;
  for (const Law law : laws(row))
    for (const LawParameter& parameter : law_info(law).parameters)
      if (is_planar<Contacts> ? parameter.in_plane : parameter.in_space)
        if (const auto found = std::find(empty_parameters.begin(), empty_parameters.end(), parameter.name);
            found != empty_parameters.end()) {
          fault(trouble(std::string(parameter.name), "", ""));
          empty_parameters.erase(found);
        }
}

template <class Contacts>
std::vector<Law> ContactData<Contacts>::laws(std::size_t row) const {
  std::vector<Law> laws = {law(row)};
  if (laws.front() != Law::composite) return laws;
  columns::each_weight(
      [&](const auto&, Law member, const Column<const Scalar>& weight) {
        if (weight && weight[row] > 0) laws.push_back(member);
      },
      view_.weight);
  return laws;
}

template <class Contacts>
Contacts ContactData<Contacts>::view(std::size_t first, std::size_t count) const {
  return columns::sliced(view_, first, count);
}

template <class Contacts>
ResultData<Contacts>::ResultData(std::size_t size) : statuses_(size), paths_(size), steps_(size) {
  const auto place = [&](const std::string&, auto& column) {
    using Target = std::remove_reference_t<decltype(column)>;
    if constexpr (std::is_same_v<Target, Column<Status>>) {
      column = statuses_;
    } else if constexpr (std::is_same_v<Target, Column<Path>>) {
      column = paths_;
    } else if constexpr (std::is_same_v<Target, Column<std::int32_t>>) {
      column = steps_;
    } else {
      column = numbers_.emplace_back(size);
    }
  };
  visit_results(Contacts{}, view_, place);
  visit_details(Contacts{}, view_, place);
}

template <class Contacts>
ResultsOf<Contacts> ResultData<Contacts>::view(std::size_t first, std::size_t count) const {
  ResultsOf<Contacts> part = view_;
  const auto cut = [&](const std::string&, auto& column) { column = columns::sliced(column, first, count); };
  visit_results(Contacts{}, part, cut);
  visit_details(Contacts{}, part, cut);
  return part;
}

template class ContactData<InlineContacts<float>>;
template class ContactData<InlineContacts<double>>;
template class ContactData<SpaceContacts<float>>;
template class ContactData<SpaceContacts<double>>;
template class ContactData<planar::InlineContacts<float>>;
template class ContactData<planar::InlineContacts<double>>;
template class ContactData<planar::SpaceContacts<float>>;
template class ContactData<planar::SpaceContacts<double>>;
template class ResultData<InlineContacts<float>>;
template class ResultData<InlineContacts<double>>;
template class ResultData<SpaceContacts<float>>;
template class ResultData<SpaceContacts<double>>;
template class ResultData<planar::InlineContacts<float>>;
template class ResultData<planar::InlineContacts<double>>;
template class ResultData<planar::SpaceContacts<float>>;
template class ResultData<planar::SpaceContacts<double>>;

}  // namespace carom::io
