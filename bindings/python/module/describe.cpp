#include "describe.hpp"

#include <carom/system.hpp>

#include "core/columns/scene_columns.hpp"
#include "module.hpp"

namespace carom::python {
namespace {

// function or class -> list of (group, struct, name, parts, is a matrix, element, is needed, readers), and of options
// ("options", kind, name, default, choices, unit, range, help)
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

/// "Substeps, Ncp"; empty if every method reads the column.
std::string words_of_readers(unsigned readers) {
  using namespace columns;
  if (readers == by_all) return {};
  std::string names;
  // A method, and its restriction if the rest of its variants does not read the column.
  const auto add = [&](unsigned part, const char* name, unsigned rest = 0, const char* restriction = "") {
    if ((readers & part) == 0) return;
    names += (names.empty() ? "" : ", ") + std::string(name) + ((readers & rest) == rest ? "" : restriction);
  };
  add(by_substeps, "Substeps");
  add(by_corrected_pgs, "Pgs", by_pgs, " with position_correction");
  add(by_ncp, "Ncp");
  add(by_impacts, "SequentialImpacts");
  add(by_resting, "BenderSchmitt", by_collisions, " except phase='collisions'");
  return names;
}

/// The names of an enumeration and their numbers.
template <class Enum>
py::dict enumeration() {
  py::dict names;
  for (int number = 0; number < 256; ++number) {
    std::string name(to_string(static_cast<Enum>(number)));
    if (name == "unknown") continue;
    for (char& c : name)
      if (c == '-') c = '_';
    names[py::str(name)] = number;
  }
  return names;
}

/// The names of the fields of a report in Python, with their types.
template <class Report>
py::list report_fields() {
  py::list fields;
  const Report report;
  const auto add = [&](const std::string& name, const char* type) { fields.append(py::make_tuple(name, type)); };
  each_field(
      [&]<class T>(const char* name, const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
          add(name, "bool");
        } else if constexpr (std::is_integral_v<T>) {
          add(name, "int");
        } else if constexpr (std::is_floating_point_v<T>) {
          add(name, "float");
        } else if constexpr (std::is_enum_v<T>) {
          add(name, "str");
        } else {
          add(name, "dict[str, int]");
          if constexpr (requires { first_of(value); }) add(name_of_first(name), "dict[str, int]");
        }
      },
      report);
  return fields;
}

}  // namespace

std::string name_of_first(const std::string& counts) {
  return "first_" + (counts == "joints_by_status" ? "joint_by_status" : counts);
}

void describe(const char* function, const char* group, const char* of, const Record& record) {
  for (const Field& field : record.fields)
    list_of(function).append(py::make_tuple(group, of, py::handle(field.name), field.parts, field.is_matrix,
                                            words_of(field.element), field.is_needed, words_of_readers(field.readers)));
}

void describe(const char* function, const OptionList& options) {
  for (const Option& option : options)
    list_of(function).append(
        py::make_tuple("options", option.kind, py::handle(option.name), option.usual, option.choices, option.info.unit,
                       py::make_tuple(option.info.range.low, option.info.range.high, option.info.range.excludes_low,
                                      option.info.range.excludes_high),
                       option.info.help));
}

void describe_keywords(const char* function, std::initializer_list<const char*> names) {
  for (const char* name : names) list_of(function).append(py::make_tuple("keywords", "", name));
}

namespace {

py::list names_of(const std::string& function, bool are_results) {
  py::list names;
  for (const py::handle entry : list_of(function.c_str()))
    if ((text_of(py::object(entry[py::int_(0)]).ptr()) == "results") == are_results) names.append(entry[py::int_(2)]);
  return names;
}

}  // namespace

py::list keywords_of(const std::string& function) {
  return names_of(function, false);
}
py::list results_of(const std::string& function) {
  return names_of(function, true);
}

void add_descriptions(py::module_& module) {
  module.attr("descriptions") = descriptions();
  py::dict enums;
  enums["Law"] = enumeration<Law>();
  enums["RestitutionLaw"] = enumeration<RestitutionLaw>();
  enums["Status"] = enumeration<Status>();
  enums["SceneMethod"] = enumeration<SceneMethod>();
  enums["IslandStatus"] = enumeration<IslandStatus>();
  enums["IslandAlgorithm"] = enumeration<IslandAlgorithm>();
  enums["GradientStatus"] = enumeration<GradientStatus>();
  enums["ContactState"] = enumeration<ContactState>();
  module.attr("enumerations") = enums;
  py::dict reports;
  reports["Report"] = report_fields<Report>();
  reports["RegionReport"] = report_fields<RegionReport>();
  reports["GradientReport"] = report_fields<GradientReport>();
  reports["SceneReport"] = report_fields<SceneReport>();
  reports["SystemReport"] = report_fields<SystemReport>();
  reports["SystemIsland"] = report_fields<SystemIsland>();
  module.attr("reports") = reports;
}

}  // namespace carom::python
