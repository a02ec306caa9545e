// Which form a table has.
#include <algorithm>
#include <array>

#include "io/contact_file.hpp"

namespace carom::io {
namespace {

struct Candidate {
  Form form;
  std::vector<std::string> names, missing;

  double missing_share() const { return static_cast<double>(missing.size()) / static_cast<double>(names.size()); }
};

template <class Contacts>
Candidate candidate(Form form, const Table& table) {
  Candidate candidate{form, {}, {}};
  Contacts contacts;
  visit_needed(contacts, [&](const std::string& name, auto&) {
    candidate.names.push_back(name);
    if (table.find(name) == Table::none) candidate.missing.push_back(name);
  });
  return candidate;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Whether the table has a column that only the first of two forms needs.
bool has_one_of_its_own(const Table& table, const Candidate& of, const Candidate& other) {
  return std::any_of(of.names.begin(), of.names.end(), [&](const std::string& name) {
    return table.find(name) != Table::none &&
           std::find(other.names.begin(), other.names.end(), name) == other.names.end();
  });
}

}  // namespace

Form form_of(const Table& table) {
  const std::array candidates = {
      candidate<InlineContacts<double>>(Form::bodies, table),
      candidate<SpaceContacts<double>>(Form::contact_space, table),
      candidate<planar::InlineContacts<double>>(Form::planar_bodies, table),
      candidate<planar::SpaceContacts<double>>(Form::planar_contact_space, table),
  };
  const bool in_space = has_one_of_its_own(table, candidates[0], candidates[2]) ||
                        has_one_of_its_own(table, candidates[1], candidates[3]);
  const auto* first = in_space ? &candidates[0] : &candidates[2];
  const auto* last = first + 2;
  for (const auto* c = first; c != last; ++c)
    if (c->missing.empty()) return c->form;

  // A table without a column that tells the dimension may be a poor file of either.
  if (!in_space) first = &candidates[0];
  const auto* nearest = std::min_element(
      first, last, [](const Candidate& a, const Candidate& b) { return a.missing_share() < b.missing_share(); });
  throw Error("carom: " + table.name() + ":" + std::to_string(table.header_line()) +
              ": not a contact file: the nearest is the " + std::string(to_string(nearest->form)) +
              ", of which these columns are missing: " + listed(nearest->missing));
}

std::string_view to_string(Form form) {
  constexpr std::array<std::string_view, 4> names = {"body form", "contact-space form", "planar body form",
                                                     "planar contact-space form"};
  return names[static_cast<std::size_t>(form)];
}

}  // namespace carom::io
