#include "describe.hpp"

#include <carom/law_info.hpp>
#include <carom/system.hpp>
#include <vector>

namespace carom::python {
namespace {

// function -> list of (group, struct, name, shape, element, is needed)
py::dict& descriptions() {
  static auto* const all = new py::dict;
  return *all;
}

py::list list_of(const char* function) {
  py::dict& all = descriptions();
  if (!all.contains(function)) all[function] = py::list();
  return all[function];
}

const char* words_of(Element element) {
  switch (element) {
    case Element::number:
      return "number";
    case Element::int32:
      return "int32";
    case Element::uint64:
      return "uint64";
    case Element::law:
      return "law";
    case Element::restitution_law:
      return "restitution_law";
    case Element::path:
      return "path";
    default:
      return "status";
  }
}

template <class Enum, class Next>
py::dict names_of(std::size_t count, const Next& next) {
  py::dict names;
  for (std::size_t i = 0; i < count; ++i) {
    const Enum value = next(i);
    std::string name(to_string(value));
    for (char& c : name)
      if (c == '-') c = '_';
    names[py::str(name)] = static_cast<int>(value);
  }
  return names;
}

template <class Enum>
py::dict first_names(std::size_t count) {
  return names_of<Enum>(count, [](std::size_t i) { return static_cast<Enum>(i); });
}

}  // namespace

void describe(const char* function, const char* group, const char* of, const Record& record) {
  for (const Field& field : record.fields)
    list_of(function).append(py::make_tuple(group, of, py::handle(field.name), field.parts, field.is_matrix,
                                            words_of(field.element), field.is_needed));
}

void describe(const char* function, const OptionList& options) {
  for (const Option& option : options)
    list_of(function).append(py::make_tuple("options", option.of, py::handle(option.name), option.member, option.kind,
                                            option.usual, option.choices));
}

void add_descriptions(py::module_& module) {
  module.attr("descriptions") = descriptions();
  py::dict enums;
  enums["Law"] = first_names<Law>(law_count);
  enums["RestitutionLaw"] = first_names<RestitutionLaw>(restitution_law_count);
  enums["Status"] = names_of<Status>(all_statuses().size(), [](std::size_t i) { return all_statuses()[i]; });
  enums["GradientStatus"] = first_names<GradientStatus>(gradient_status_count);
  enums["ContactState"] = first_names<ContactState>(3);
  module.attr("enumerations") = enums;
}

}  // namespace carom::python
