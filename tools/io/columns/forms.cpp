#include "forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carom::io {
namespace {

constexpr std::array all_forms = {Form::bodies, Form::contact_space, Form::planar_bodies, Form::planar_contact_space};

template <class AnyContacts>
FormColumns names() {
  FormColumns names;
  const auto to = [](std::vector<std::string>& list) {
    return [&list](const std::string& name, auto&) { list.push_back(name); };
  };
  AnyContacts contacts;
  ResultsOf<AnyContacts> results;
  visit_needed(contacts, to(names.needed));
  visit_optional(contacts, to(names.optional));
  visit_law_parameters(contacts, to(names.law_parameters));
  visit_results(contacts, results, to(names.results));
  visit_details(contacts, results, to(names.details));
  names.impulse = std::string(impulse_name<AnyContacts>);
  const auto to_components = to(names.impulse_components);
  visit_vector(impulse_name<AnyContacts>, results.impulse, to_components);
  return names;
}

struct Candidate {
  Form form;
  std::vector<std::string> missing;

  double missing_share() const {
    return static_cast<double>(missing.size()) / static_cast<double>(columns_of(form).needed.size());
  }
};

Candidate candidate(Form form, const Table& table) {
  Candidate candidate{form, {}};
  for (const std::string& name : columns_of(form).needed)
    if (table.find(name) == Table::none) candidate.missing.push_back(name);
  return candidate;
}

// True if the table has a column that `form` needs and `other` does not.
bool has_one_of_its_own(const Table& table, Form form, Form other) {
  const auto &own = columns_of(form).needed, &others = columns_of(other).needed;
  return std::any_of(own.begin(), own.end(), [&](const std::string& name) {
    return table.find(name) != Table::none && std::find(others.begin(), others.end(), name) == others.end();
  });
}

}  // namespace

const FormColumns& columns_of(Form form) {
  static const std::array<FormColumns, 4> columns = {names<Contacts<double>>(), names<KContacts<double>>(),
                                                     names<planar::Contacts<double>>(),
                                                     names<planar::KContacts<double>>()};
  return columns[static_cast<std::size_t>(form)];
}

Form form_of(const Table& table) {
  std::array<Candidate, all_forms.size()> candidates;
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = candidate(all_forms[i], table);
  const bool in_space = has_one_of_its_own(table, Form::bodies, Form::planar_bodies) ||
                        has_one_of_its_own(table, Form::contact_space, Form::planar_contact_space);
  const auto* first = in_space ? &candidates[0] : &candidates[2];
  const auto* last = first + 2;
  for (const auto* c = first; c != last; ++c)
    if (c->missing.empty()) return c->form;

  // Without a column that shows the dimension, the table may be an incomplete file of either dimension.
  if (!in_space) first = &candidates[0];
  const auto* nearest = std::min_element(
      first, last, [](const Candidate& a, const Candidate& b) { return a.missing_share() < b.missing_share(); });
  throw Error("carom: " + table.header_place() + "not a contact file: the nearest is the " +
              std::string(to_string(nearest->form)) +
              ", of which these columns are missing: " + fmt::format("{}", fmt::join(nearest->missing, ", ")));
}

std::string columns_in_words(const std::vector<std::string>& names) {
  return fmt::format("{} {}", names.size() == 1 ? "the column" : "the columns", fmt::join(names, ", "));
}

std::string_view to_string(Form form) {
  constexpr std::array<std::string_view, 4> names = {"body form", "contact-space form", "planar body form",
                                                     "planar contact-space form"};
  const auto number = static_cast<std::size_t>(form);
  return number < names.size() ? names[number] : "unknown";
}

}  // namespace carom::io
