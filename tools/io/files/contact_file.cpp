#include "contact_file.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

namespace carom::io {

template <class AnyContacts>
ContactData<AnyContacts>::ContactData(const ContactNumbers& contacts, std::size_t first, std::size_t count) {
  const auto part = [&](const auto& values) { return std::span(values).subspan(first, count); };
  const auto place = [&](const std::string& name, auto& column) {
    using Target = std::remove_reference_t<decltype(column)>;
    if constexpr (std::is_same_v<Target, Column<const RestitutionLaw>>) {
      if (contacts.names_restitution_laws()) column = part(contacts.named_restitution_laws());
    } else if constexpr (std::is_same_v<Target, Column<const Law>>) {
      if (contacts.names_laws()) column = part(contacts.named_laws());
    } else if (const NumberColumn* numbers = contacts.numbers().find(name)) {
      const std::span<const double> doubles = part(numbers->values);
      if constexpr (std::is_same_v<Target, Column<const double>>)
        column = doubles;
      else
        column = floats_.emplace_back(doubles.begin(), doubles.end());
    }
  };
  visit_needed(view_, place);
  visit_optional(view_, place);
}

template <class AnyContacts>
ResultData<AnyContacts>::ResultData(ResultNumbers& results, std::size_t first, std::size_t count) {
  const auto part = [&](auto& values) { return std::span(values).subspan(first, count); };
  const auto place = [&](const std::string& name, auto& column) {
    using Target = std::remove_reference_t<decltype(column)>;
    if constexpr (std::is_same_v<Target, Column<Status>>) {
      column = part(results.status);
    } else if constexpr (std::is_same_v<Target, Column<Path>>) {
      column = part(results.path);
    } else {
      const std::span<double> doubles = part(results.numbers.at(name));
      if constexpr (std::is_same_v<Target, Column<double>>)
        column = doubles;
      else if constexpr (std::is_same_v<Target, Column<float>>)
        column = floats_.emplace_back(Place<float>{std::vector<float>(count), doubles.data()}).values;
      else
        column = steps_.emplace_back(Place<std::int32_t>{std::vector<std::int32_t>(count), doubles.data()}).values;
    }
  };
  visit_results(AnyContacts{}, view_, place);
  visit_details(AnyContacts{}, view_, place);
}

template <class AnyContacts>
void ResultData<AnyContacts>::store() {
  for (const auto& place : floats_) std::copy(place.values.begin(), place.values.end(), place.target);
  for (const auto& place : steps_) std::copy(place.values.begin(), place.values.end(), place.target);
}

#define CAROM_FORM(AnyContacts)            \
  template class ContactData<AnyContacts>; \
  template class ResultData<AnyContacts>;
CAROM_FORM(Contacts<float>)
CAROM_FORM(Contacts<double>)
CAROM_FORM(KContacts<float>)
CAROM_FORM(KContacts<double>)
CAROM_FORM(planar::Contacts<float>)
CAROM_FORM(planar::Contacts<double>)
CAROM_FORM(planar::KContacts<float>)
CAROM_FORM(planar::KContacts<double>)
#undef CAROM_FORM

}  // namespace carom::io
