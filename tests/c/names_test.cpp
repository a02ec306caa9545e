// The enumerations in carom/c/ have the same members as in C++: every constant has the name that to_string returns for
// its number.
#include <carom/carom.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace carom {
namespace {

/// The constants of an enumeration, by number.
std::map<int, std::string> constants(const std::string& type) {
  std::stringstream text;
  for (const char* name : {"base.h", "enums.h"}) text << std::ifstream(std::string(CAROM_INCLUDE "/c/") + name).rdbuf();
  const std::string header = text.str();
  const std::size_t begin = header.find("typedef enum " + type + " {"), end = header.find("} " + type + ";");
  std::map<int, std::string> found;
  if (begin == std::string::npos || end == std::string::npos) return found;
  const std::string body = header.substr(begin, end - begin);
  const std::regex line("\n  CAROM_([A-Z0-9_]+) = ([0-9]+),");
  for (std::sregex_iterator it(body.begin(), body.end(), line); it != std::sregex_iterator(); ++it)
    found[std::stoi((*it)[2])] = (*it)[1];
  return found;
}

/// As a constant has it.
std::string upper(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

template <class E>
void expect_names(const std::string& type, const std::string& prefix) {
  const auto found = constants(type);
  EXPECT_FALSE(found.empty()) << type;
  for (int number = 0; number < 256; ++number) {
    const std::string name(to_string(static_cast<E>(number)));
    const auto at = found.find(number);
    if (name == "unknown") {
      EXPECT_TRUE(at == found.end()) << type << " " << number;
    } else {
      ASSERT_TRUE(at != found.end()) << type << " lacks " << name;
      EXPECT_EQ(at->second, prefix + upper(name == "auto" ? "automatic" : name)) << type;
    }
  }
}

TEST(CNames, are_those_of_cpp) {
  expect_names<Law>("carom_law", "LAW_");
  expect_names<RestitutionLaw>("carom_restitution_law", "RESTITUTION_");
  expect_names<Integrator>("carom_integrator", "INTEGRATOR_");
  expect_names<Status>("carom_status", "STATUS_");
  expect_names<Isa>("carom_isa", "ISA_");
  expect_names<SceneMethod>("carom_scene_method", "METHOD_");
  expect_names<GradientStatus>("carom_gradient_status", "GRADIENT_");
  expect_names<ContactState>("carom_contact_state", "CONTACT_");
  expect_names<IslandStatus>("carom_island_status", "ISLAND_");
  expect_names<IslandAlgorithm>("carom_island_algorithm", "ISLAND_BY_");
  expect_names<CombineRule>("carom_combine_rule", "COMBINE_");
  expect_names<ContactFilter>("carom_contact_filter", "FILTER_");
  expect_names<BenderSchmittPhase>("carom_bender_schmitt_phase", "PHASE_");
  expect_names<ErrorScale>("carom_error_scale", "ERROR_SCALE_");
}

TEST(CNames, of_errors_are_those_of_kinds) {
  const auto found = constants("carom_error");
  ASSERT_EQ(found.size(), 8u);
  for (const auto& [number, constant] : found) {
    const std::string name = carom_error_name(number);
    EXPECT_EQ(constant, number == CAROM_OK ? "OK" : "ERROR_" + upper(name));
    EXPECT_EQ(name, number == CAROM_OK ? "ok" : to_string(static_cast<ErrorKind>(number)));
  }
  for (int number = 0; number < 256; ++number)
    EXPECT_TRUE(found.count(number) > 0 || to_string(static_cast<ErrorKind>(number)) == "unknown") << number;
  EXPECT_STREQ(carom_error_name(-1), "unknown");
}

// Enumerations without names.
static_assert(CAROM_SLIDING_END_SLIDE_END == int(SlidingEnd::slide_end) &&
              CAROM_SLIDING_END_STICK_IN_C == int(SlidingEnd::stick_in_c) &&
              CAROM_SLIDING_END_STICK_IN_D == int(SlidingEnd::stick_in_d) &&
              CAROM_SLIDING_END_SLIP == int(SlidingEnd::slip) &&
              CAROM_SLIDING_END_STICK_AT_START == int(SlidingEnd::stick_at_start) &&
              CAROM_SLIDING_END_STICK == int(SlidingEnd::stick) &&
              CAROM_SLIDING_END_SEPARATING == int(SlidingEnd::separating) &&
              CAROM_SLIDING_END_NONE == int(SlidingEnd::none));
static_assert(CAROM_STICKING_NONE == int(Sticking::none) && CAROM_STICKING_STABLE == int(Sticking::stable) &&
              CAROM_STICKING_DIVERGE == int(Sticking::diverge));

TEST(CNames, of_paths_have_their_index) {
  for (std::size_t i = 0; i < Path::kinds; ++i) {
    const Path path = Path::from_index(i);
    const carom_path in_c{static_cast<std::uint8_t>(path.sliding_end), static_cast<std::uint8_t>(path.sticking),
                          path.compressions, path.decompressions};
    EXPECT_EQ(carom_path_index(in_c), static_cast<int>(i));
  }
  EXPECT_EQ(carom_path_index({200, 0, 0, 0}), -1);
}

TEST(CNames, are_told_for_any_number) {
  EXPECT_STREQ(carom_law_name(CAROM_LAW_CHATTERJEE_RUINA), "chatterjee-ruina");
  EXPECT_STREQ(carom_restitution_law_name(CAROM_RESTITUTION_KINETIC), "kinetic");
  EXPECT_STREQ(carom_integrator_name(CAROM_INTEGRATOR_SERIES), "series");
  EXPECT_STREQ(carom_status_name(CAROM_STATUS_NO_SOLUTION), "no_solution");
  EXPECT_STREQ(carom_isa_name(CAROM_ISA_AVX2), "avx2");
  EXPECT_STREQ(carom_gradient_status_name(CAROM_GRADIENT_ONE_SIDED), "one-sided");
  EXPECT_STREQ(carom_scene_method_name(CAROM_METHOD_SUBSTEPS), "substeps");
  EXPECT_STREQ(carom_contact_state_name(CAROM_CONTACT_SLIP), "slip");
  EXPECT_STREQ(carom_bender_schmitt_phase_name(CAROM_PHASE_RESTING), "resting");
  EXPECT_STREQ(carom_contact_filter_name(CAROM_FILTER_TOUCHING), "touching");
  EXPECT_STREQ(carom_error_scale_name(CAROM_ERROR_SCALE_ISLAND), "island");
  EXPECT_STREQ(carom_island_status_name(CAROM_ISLAND_NOT_CONVERGED), "not_converged");
  EXPECT_STREQ(carom_island_algorithm_name(CAROM_ISLAND_BY_LAST_IMPULSES), "last_impulses");
  EXPECT_STREQ(carom_combine_rule_name(CAROM_COMBINE_GEOMETRIC_MEAN), "geometric-mean");
  for (const std::int32_t number : {-1, 255, 256, 1 << 30}) EXPECT_STREQ(carom_law_name(number), "unknown");
  EXPECT_STREQ(carom_version(), std::string(version()).c_str());
}

TEST(CLaws, are_described_as_in_cpp) {
  ASSERT_EQ(carom_law_count(), static_cast<int>(all_laws().size()));
  for (const LawInfo& expected : all_laws()) {
    carom_law_info info{};
    info.struct_size = sizeof info;
    const auto law = static_cast<std::int32_t>(expected.law);
    ASSERT_EQ(carom_law_info_of(law, &info), CAROM_OK);
    EXPECT_EQ(info.law, law);
    EXPECT_EQ(info.in_space, expected.in_space);
    EXPECT_EQ(info.in_plane, expected.in_plane);
    EXPECT_EQ(info.reads_friction, expected.reads_friction);
    EXPECT_EQ(info.reads_restitution, expected.reads_restitution);
    EXPECT_EQ(info.may_gain_energy, expected.may_gain_energy);
    EXPECT_EQ(info.restitution, expected.restitution);
    EXPECT_EQ(info.energy_gain, expected.energy_gain);
    EXPECT_EQ(info.source, expected.source);
    ASSERT_EQ(info.parameters, expected.parameters.size());
    carom_law_parameter parameter{};
    parameter.struct_size = sizeof parameter;
    for (std::size_t i = 0; i < info.parameters; ++i) {
      ASSERT_EQ(carom_law_parameter_at(law, i, &parameter), CAROM_OK);
      EXPECT_EQ(parameter.name, expected.parameters[i].name);
      EXPECT_EQ(parameter.in_space, expected.parameters[i].in_space);
      EXPECT_EQ(parameter.in_plane, expected.parameters[i].in_plane);
      EXPECT_EQ(parameter.low, expected.parameters[i].low);
      EXPECT_EQ(parameter.high, expected.parameters[i].high);
    }
    EXPECT_EQ(carom_law_parameter_at(law, info.parameters, &parameter), CAROM_ERROR_ARGUMENT);
    EXPECT_NE(std::string(carom_error_message()).find(to_string(expected.law)), std::string::npos);
  }
  carom_law_info info{};
  EXPECT_EQ(carom_law_info_of(0, &info), CAROM_ERROR_ARGUMENT);  // without its size
  info.struct_size = sizeof info;
  for (const std::int32_t number : {-1, carom_law_count(), 256})
    EXPECT_EQ(carom_law_info_of(number, &info), CAROM_ERROR_ARGUMENT) << number;
}

}  // namespace
}  // namespace carom
