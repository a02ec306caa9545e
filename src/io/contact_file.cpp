#include "io/contact_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>

namespace carom::io {
namespace {

template <class Contacts>
std::vector<std::string> needed_names() {
  std::vector<std::string> names;
  Contacts contacts;
  visit_needed(contacts, [&](const std::string& name, auto&) { names.push_back(name); });
  return names;
}

std::vector<std::string> missing_from(const Table& table, std::vector<std::string> names) {
  std::erase_if(names, [&](const std::string& name) { return table.find(name) != Table::none; });
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

template <class T>
Column<T> slice(const Column<T>& column, std::size_t first, std::size_t count) {
  if (!column) return {};
  return {&column[first], count, column.stride};
}

}  // namespace

Form form_of(const Table& table) {
  const auto body_names = needed_names<InlineContacts<double>>();
  const auto space_names = needed_names<SpaceContacts<double>>();
  const auto body_missing = missing_from(table, body_names);
  if (body_missing.empty()) return Form::bodies;
  const auto space_missing = missing_from(table, space_names);
  if (space_missing.empty()) return Form::contact_space;

  const std::string place = "carom: " + table.name() + ":" + std::to_string(table.header_line()) + ": ";
  const std::array<std::string_view, 5> planar = {"k_xx", "k_xy", "k_yy", "u0_x", "u0_y"};
  const auto there = [&](std::string_view name) { return table.find(name) != Table::none; };
  const bool in_3d = there("k_xz") || there("k_yz") || there("k_zz") || there("u0_z");
  if (!in_3d && std::all_of(planar.begin(), planar.end(), there))
    throw Error(place + "these are planar contacts (" + listed({planar.begin(), planar.end()}) +
                "); this version resolves contacts in 3D only");

  const double body_share = static_cast<double>(body_missing.size()) / static_cast<double>(body_names.size());
  const double space_share = static_cast<double>(space_missing.size()) / static_cast<double>(space_names.size());
  const bool body_is_nearer = body_share < space_share;
  throw Error(place + "not a contact file: the nearest is the " +
              std::string(to_string(body_is_nearer ? Form::bodies : Form::contact_space)) +
              ", of which these columns are missing: " + listed(body_is_nearer ? body_missing : space_missing));
}

std::string_view to_string(Form form) {
  return form == Form::bodies ? "body form" : "contact-space form";
}

template <class Contacts>
ContactData<Contacts>::ContactData(const Table& table, bool rounded_to_float, const Progress& progress)
    : readable_(table.rows(), true) {
  const std::size_t rows = table.rows();
  std::vector<std::size_t> number_columns;
  std::size_t law_column = Table::none;

  const auto number_place = [&](const std::string& name, Column<const Scalar>& column) {
    number_columns.push_back(table.find(name));
    column = numbers_.emplace_back(rows, std::numeric_limits<Scalar>::quiet_NaN());
  };
  visit_needed(view_, number_place);
  visit_optional(view_, [&](const std::string& name, auto& column) {
    if (table.find(name) == Table::none) return;
    if constexpr (std::is_same_v<decltype(column), Column<const RestitutionLaw>&>) {
      law_column = table.find(name);
      laws_.resize(rows);
      column = laws_;
    } else {
      number_place(name, column);
    }
  });

  for (std::size_t row = 0; row < rows; ++row) {
    const auto fault = [&](std::string message) {
      faults_.push_back({row, std::move(message)});
      readable_[row] = false;
    };
    if (progress && row % 4096 == 0) progress(row, rows);
    if (const std::size_t width = table.width(row); width != table.header().size()) {
      fault("the row has " + std::to_string(width) + " cells, the header " + std::to_string(table.header().size()));
      continue;
    }
    const auto read = [&](std::size_t column, const char* kind, auto&& parse) {
      const std::string_view text = table.cell(row, column);
      if (!parse(text))
        fault("column " + table.header()[column] +
              (text.empty() ? ": the cell is empty" : ": '" + std::string(text) + "' is not " + kind));
    };
    for (std::size_t i = 0; i < number_columns.size(); ++i)
      read(number_columns[i], "a number", [&](std::string_view text) {
        const std::optional<double> value = to_number(text);
        if (value) numbers_[i][row] = static_cast<Scalar>(rounded_to_float ? static_cast<float>(*value) : *value);
        return value.has_value();
      });
    if (law_column != Table::none)
      read(law_column, "a restitution law: energetic, kinetic or kinematic", [&](std::string_view text) {
        for (const RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic})
          if (to_string(law) == text) {
            laws_[row] = law;
            return true;
          }
        return false;
      });
    // The solver must see a fault in the row, whichever of its cells is at fault.
    if (!readable_[row]) numbers_.front()[row] = std::numeric_limits<Scalar>::quiet_NaN();
  }
}

template <class Contacts>
Contacts ContactData<Contacts>::view(std::size_t first, std::size_t count) const {
  Contacts part = view_;
  const auto cut = [&](const std::string&, auto& column) { column = slice(column, first, count); };
  visit_needed(part, cut);
  visit_optional(part, cut);
  return part;
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
Results<typename ResultData<Contacts>::Scalar> ResultData<Contacts>::view(std::size_t first, std::size_t count) const {
  Results<Scalar> part = view_;
  const auto cut = [&](const std::string&, auto& column) { column = slice(column, first, count); };
  visit_results(Contacts{}, part, cut);
  visit_details(Contacts{}, part, cut);
  return part;
}

template class ContactData<InlineContacts<float>>;
template class ContactData<InlineContacts<double>>;
template class ContactData<SpaceContacts<float>>;
template class ContactData<SpaceContacts<double>>;
template class ResultData<InlineContacts<float>>;
template class ResultData<InlineContacts<double>>;
template class ResultData<SpaceContacts<float>>;
template class ResultData<SpaceContacts<double>>;

}  // namespace carom::io
