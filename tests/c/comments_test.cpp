// The comments of the headers in C have the meaning, unit, range and default of every option, the unit and range of
// every column, and the methods that read it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "core/columns/option_table.hpp"
#include "core/columns/scene_columns.hpp"

namespace carom {
namespace {

/// A struct of a header: its own comment, and the comments of its fields.
struct Documented {
  std::string text;
  std::map<std::string, std::string> fields;
};

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : " ") + more;
}

/// The names that a declaration declares: "Column<const T> min_impulse{}, max_impulse{}".
std::vector<std::string> names_in(std::string declaration) {
  declaration = std::regex_replace(declaration, std::regex(R"(<[^;]*>|\{[^}]*\}|\[\w+\]|=[^,]*)"), "");
  std::vector<std::string> names;
  const std::regex last_word(R"((\w+)\s*(,|$))");
  for (std::sregex_iterator it(declaration.begin(), declaration.end(), last_word), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}

/// The structs of a header in C or C++. A comment is above its field, or behind it and in the lines after it.
const std::map<std::string, Documented>& structs_of(const std::string& header) {
  static std::map<std::string, std::map<std::string, Documented>> read;
  std::map<std::string, Documented>& structs = read[header];
  if (!structs.empty()) return structs;
  std::ifstream file(std::string(CAROM_INCLUDE) + "/" + header);
  EXPECT_TRUE(file) << header;
  const std::regex begin(R"((?:typedef )?struct (?:CAROM_EXPORT )?(\w+) \{)"), above(R"(\s*/// ?(.*))"),
      behind(R"(\s+///< (.*))"), field(R"(  (?!using|static)(\S[^/(]*);(?:\s+///< (.*))?)");
  Documented* current = nullptr;
  std::string text;
  std::vector<std::string> last;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_match(line, found, behind)) {
      for (const std::string& name : last) append(current->fields[name], found[1]);
    } else if (std::regex_match(line, found, above)) {
      append(text, found[1]);
    } else if (std::regex_match(line, found, begin)) {
      current = &structs[found[1]];
      current->text = text;
      text.clear();
    } else if (line[0] == '}') {
      current = nullptr;
      text.clear();
    } else if (current != nullptr && std::regex_match(line, found, field)) {
      last = names_in(found[1]);
      if (found[2].matched) append(text, found[2]);
      for (const std::string& name : last) current->fields[name] = text;
      text.clear();
    } else if (current == nullptr && line.find("template") == std::string::npos) {
      text.clear();
    }
  }
  return structs;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Options -------------------------------------------------------------------------------------------------------------

/// "2^30", "1e-6", "infinity", "1000".
double number_of(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  const std::size_t power = text.find('^');
  return power == std::string::npos ? number : std::pow(number, std::strtod(text.c_str() + power + 1, nullptr));
}

/// The range in a text: "In [0, 1].", "> 0.", "0 or 1.".
std::optional<Range> range_in(const std::string& text) {
  std::smatch found;
  if (std::regex_search(text, found, std::regex(R"(\bIn ([\[(])([^,]+), ([^\])]+)([\])]))")))
    return Range{number_of(found[2]), number_of(found[3]), found[1] == "(", found[4] == ")"};
  if (std::regex_search(text, found, std::regex(R"((>=?) ([\d.]+)\. Default)")))
    return Range{number_of(found[2]), max_float, found[1] == ">"};
  return std::nullopt;
}

template <class E>
std::string constant_of(E value) {
  const std::string prefix = std::is_same_v<E, Isa>                  ? "ISA"
                             : std::is_same_v<E, Law>                ? "LAW"
                             : std::is_same_v<E, RestitutionLaw>     ? "RESTITUTION"
                             : std::is_same_v<E, Integrator>         ? "INTEGRATOR"
                             : std::is_same_v<E, BenderSchmittPhase> ? "PHASE"
                             : std::is_same_v<E, ContactFilter>      ? "FILTER"
                                                                     : "ERROR_SCALE";
  std::string name(to_string(value));
  if (name == "auto") name = "automatic";
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return "CAROM_" + prefix + "_" + name;
}

template <class T>
void expect_default(const T& value, const std::string& text, const std::string& name) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(R"(Default:? ((?:[\w^-]|\.(?=\w))+))"))) {
    ADD_FAILURE() << name << " has no default: " << text;
  } else if constexpr (std::is_enum_v<T>) {
    EXPECT_EQ(found[1], constant_of(value)) << name;
  } else if constexpr (std::is_arithmetic_v<T>) {
    EXPECT_EQ(number_of(found[1]), static_cast<double>(value)) << name;
  } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    EXPECT_EQ(number_of(found[1]), value[0]) << name;
  } else if constexpr (std::is_pointer_v<T> || std::is_same_v<T, PositionCorrection>) {
    EXPECT_EQ(found[1], "NULL") << name;
  } else {
    EXPECT_TRUE(contains(text, "NaN") || contains(text, "NULL is none")) << name << ": " << text;
  }
}

template <class O>
void expect_described(const std::string& header, const std::string& name) {
  const auto& structs = structs_of(header);
  ASSERT_TRUE(structs.contains(name)) << name;
  const auto& fields = structs.at(name).fields;
  each_option(
      [&]<class T>(const OptionInfo& info, const T& value) {
        const std::string of = name + "." + info.name;
        ASSERT_TRUE(fields.contains(info.name)) << of;
        const std::string& text = fields.at(info.name);
        const std::string unit = *info.unit == '\0' ? "" : std::string("[") + info.unit + "] ";
        EXPECT_EQ(text.find(unit + info.help), 0u) << of << " begins with another text: " << text;
        expect_default(value, text, of);
        if constexpr (std::is_same_v<T, bool>) {
          EXPECT_TRUE(contains(text, "0 or 1.")) << of << ": " << text;
        } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
          EXPECT_TRUE(contains(text, "Finite.")) << of << ": " << text;
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          EXPECT_TRUE(contains(text, "Any number.")) << of << ": " << text;
        } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::optional<double>>) {
          const auto range = range_in(text);
          ASSERT_TRUE(range) << of << " has no range: " << text;
          EXPECT_EQ(range->low, info.range.low) << of;
          EXPECT_EQ(range->high, std::min(info.range.high, max_float)) << of;
          EXPECT_EQ(range->excludes_low, info.range.excludes_low) << of;
          EXPECT_EQ(range->excludes_high, info.range.excludes_high) << of;
        }
      },
      O{});
}

TEST(CComments, have_the_meaning_unit_range_and_default_of_every_option) {
  expect_described<const Execution>("c/solver.h", "carom_execution");
  expect_described<const Options>("c/solver.h", "carom_options");
  expect_described<const SceneOptions>("c/scene.h", "carom_scene_options");
  expect_described<const PositionCorrection>("c/scene.h", "carom_position_correction");
  expect_described<const Substeps>("c/scene.h", "carom_substeps");
  expect_described<const Pgs>("c/scene.h", "carom_pgs");
  expect_described<const Ncp>("c/scene.h", "carom_ncp");
  expect_described<const SequentialImpacts>("c/scene.h", "carom_sequential_impacts");
  expect_described<const BenderSchmitt>("c/scene.h", "carom_bender_schmitt");
  expect_described<const SystemOptions>("c/system.h", "carom_system_options");
  expect_described<const MechanismOptions>("c/mechanism.h", "carom_mechanism_options");
}

// Columns -------------------------------------------------------------------------------------------------------------

/// The structs of C++ that have the columns or figures of structs of C.
const std::map<std::string, std::string> in_cpp = {
    {"carom_bodies", "BodyColumns"},
    {"carom_law_columns", "LawColumns"},
    {"carom_contacts", "Contacts"},
    {"carom_indexed_contacts", "IndexedContacts"},
    {"carom_k_contacts", "KContacts"},
    {"carom_results", "ResultColumns"},
    {"carom_scene_bodies", "SceneBodies"},
    {"carom_scene_contacts", "SceneContacts"},
    {"carom_joint_rows", "JointRows"},
    {"carom_island_results", "IslandResults"},
    {"carom_scene_results", "SceneResults"},
    {"carom_contact_system", "ContactSystem"},
    {"carom_system_results", "SystemResults"},
    {"carom_region_margins", "RegionMargins"},
    {"carom_impulse_space", "ImpulseSpaceColumns"},
    {"carom_report", "Report"},
    {"carom_region_report", "RegionReport"},
    {"carom_gradient_report", "GradientReport"},
    {"carom_scene_report", "SceneReport"},
    {"carom_system_report", "SystemReport"},
    {"carom_system_island", "SystemIsland"},
};

/// The comment of a field, with the comment that "as in Contacts" refers to.
std::string comment_of(const std::map<std::string, Documented>& structs, const std::string& owner,
                       const std::string& field) {
  const std::string text = structs.at(owner).fields.at(field);
  std::smatch found;
  if (std::regex_search(text, found, std::regex(R"(as in (?:\w+::)?(\w+))")) && structs.contains(found[1]) &&
      structs.at(found[1]).fields.contains(field))
    return text + " " + structs.at(found[1]).fields.at(field);
  return text;
}

/// Units, limits that are numbers, and whether a column is optional.
std::set<std::string> facts_in(const std::string& text) {
  std::set<std::string> facts;
  const std::regex fact(
      R"(\[[^\]\s,]{1,12}(?: ?[\w²/()]+)*\](?= |$)|>=? ?[-\d.]+|[Ii]n [\[(][^\])]*\d[\])]|\boptional\b)");
  for (std::sregex_iterator it(text.begin(), text.end(), fact), end; it != end; ++it) facts.insert(it->str());
  return facts;
}

TEST(CComments, have_the_units_and_ranges_of_columns_and_reports_in_cpp) {
  std::map<std::string, Documented> c, cpp;
  const auto add = [](std::map<std::string, Documented>& to, const std::string& header) {
    to.insert(structs_of(header).begin(), structs_of(header).end());
  };
  for (const char* header : {"c/contacts.h", "c/scene.h", "c/system.h", "c/region.h", "c/solver.h", "c/gradients.h"})
    add(c, header);
  for (const char* header : {"contacts.hpp", "scene.hpp", "system.hpp", "region.hpp", "status.hpp", "gradients.hpp"})
    add(cpp, header);
  for (const auto& [name, name_in_cpp] : in_cpp) {
    ASSERT_TRUE(c.contains(name)) << name;
    ASSERT_TRUE(cpp.contains(name_in_cpp)) << name_in_cpp;
    for (const auto& [field, comment] : cpp.at(name_in_cpp).fields) {
      if (field == "laws" || field == "islands" || field == "a" || field == "b") continue;
      ASSERT_TRUE(c.at(name).fields.contains(field)) << name << "." << field;
      const std::string text = comment_of(c, name, field);
      EXPECT_NE(text, "") << name << "." << field << " has no comment";
      for (const std::string& fact : facts_in(comment_of(cpp, name_in_cpp, field)))
        EXPECT_TRUE(contains(text, fact)) << name << "." << field << " lacks " << fact << ": " << text;
    }
  }
}

/// As the tables in scene.h have it.
std::string words_of_readers(unsigned readers) {
  using namespace columns;
  if (readers == by_all) return "all methods";
  std::string words;
  const auto add = [&](unsigned part, const char* name, unsigned rest = 0, const char* restriction = "") {
    if ((readers & part) == 0) return;
    words += (words.empty() ? "" : ", ") + std::string(name) + ((readers & rest) == rest ? "" : restriction);
  };
  add(by_substeps, "carom_substeps");
  add(by_corrected_pgs, "carom_pgs", by_pgs, " with position_correction");
  add(by_ncp, "carom_ncp");
  add(by_impacts, "carom_sequential_impacts");
  add(by_resting, "carom_bender_schmitt", by_collisions, " except PHASE_COLLISIONS");
  return words;
}

/// The table in the comment of a struct: the readers of each column.
std::map<std::string, std::string> table_in(const std::string& text) {
  std::map<std::string, std::string> rows;
  const std::regex row(R"(\| ([^|]+) \| ([^|]+) \|)"), word(R"(\w[\w ]*)");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    const std::string names = (*it)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name) rows[name->str()] = (*it)[2];
  }
  return rows;
}

TEST(CComments, have_the_methods_that_read_a_column) {
  const auto& structs = structs_of("c/scene.h");
  const auto expect_readers = [&](const std::string& name, const auto& each) {
    auto rows = table_in(structs.at(name).text);
    const std::string rest = rows["all others"];
    EXPECT_EQ(rest, "all methods");
    std::set<std::string> seen = {"column", "all others"};
    each([&](const columns::Label& label, const auto&) {
      seen.insert(label.member);
      const auto row = rows.find(label.member);
      EXPECT_EQ(row == rows.end() ? rest : row->second, words_of_readers(label.readers)) << name << "." << label.member;
    });
    for (const auto& [column, readers] : rows) EXPECT_TRUE(seen.contains(column)) << name << " has no " << column;
  };
  const Scene<double> scene;
  expect_readers("carom_scene_contacts", [&](const auto& f) {
    columns::each_of_scene(f, scene.contacts);
    f(columns::Label{"contacts", "laws", "", "", "", "", columns::readers_of_laws}, scene.contacts.laws);
  });
  expect_readers("carom_joint_rows", [&](const auto& f) { columns::each_optional_of_rows(f, scene.joints); });
}

}  // namespace
}  // namespace carom
