// Every option can be set through C, and has the default of C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "c/in_c.hpp"
#include "c/options_in_c.hpp"
#include "c/scene_fields.hpp"

namespace carom {
namespace {

/// Sets every option to a value in its range other than its default.
struct SetOther {
  template <class T>
  void operator()(const OptionInfo& info, T& value) const {
    const T usual = value;
    if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>((static_cast<std::size_t>(value) + 1) % enumerators<T>);
    } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
      value = {1, -2, 3};
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      value = (info.range.low + info.range.high) / 4;
    } else if constexpr (std::is_same_v<T, PositionCorrection>) {
      each_option(*this, value);
    } else if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) {
      each_option(*this, value.emplace());
    } else {
      for (const double factor : {0.5, 2.0, 1.0}) {
        value = static_cast<T>(static_cast<double>(usual) * factor + (factor == 1 ? 1 : 0));
        if (value != usual && info.range.holds(static_cast<double>(value))) break;
      }
      if (std::isinf(static_cast<double>(usual))) value = T(7);
    }
    EXPECT_FALSE(value == usual) << info.name;
  }
};

template <class O>
O other() {
  O made;
  each_option(SetOther{}, made);
  return made;
}

class COptions : public testing::TestWithParam<SceneMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, COptions,
                         testing::Values(SceneMethod::substeps, SceneMethod::pgs, SceneMethod::ncp,
                                         SceneMethod::sequential_impacts, SceneMethod::bender_schmitt),
                         [](const auto& of) {
                           std::string name(to_string(of.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(COptions, are_all_set_through_c) {
  SceneOptions expected = other<SceneOptions>();
  expected.method = default_method(GetParam());
  std::visit([]<class M>(M& method) { method = other<M>(); }, expected.method);
  const SceneOptionsInC in_c(expected);
  EXPECT_EQ(c::taken_scene_options(&in_c.options), expected);
}

TEST_P(COptions, that_are_not_set_have_the_defaults_of_cpp) {
  const auto kind = static_cast<std::int32_t>(GetParam());
  SceneOptions expected{.method = default_method(GetParam())};
  const auto expect = [&](auto method, auto init) {
    std::memset(static_cast<void*>(&method), 0x5a, sizeof method);
    init(&method, sizeof method);
    EXPECT_EQ(method.head.struct_size, sizeof method);
    EXPECT_EQ(method.head.kind, kind);
    carom_scene_options options;
    carom_scene_options_init(&options, sizeof options);
    EXPECT_EQ(options.method, nullptr);
    options.method = &method.head;
    EXPECT_EQ(c::taken_scene_options(&options), expected);
    // Options of an older version that end with the head.
    method.head.struct_size = sizeof method.head;
    std::memset(reinterpret_cast<char*>(&method) + sizeof method.head, 0x5a, sizeof method - sizeof method.head);
    EXPECT_EQ(c::taken_scene_options(&options), expected);
  };
  switch (GetParam()) {
    case SceneMethod::substeps:
      return expect(carom_substeps{}, carom_substeps_init);
    case SceneMethod::pgs:
      return expect(carom_pgs{}, carom_pgs_init);
    case SceneMethod::ncp:
      return expect(carom_ncp{}, carom_ncp_init);
    case SceneMethod::sequential_impacts:
      return expect(carom_sequential_impacts{}, carom_sequential_impacts_init);
    case SceneMethod::bender_schmitt:
      return expect(carom_bender_schmitt{}, carom_bender_schmitt_init);
  }
}

TEST(COptions, without_a_method_are_for_substeps) {
  EXPECT_EQ(c::taken_scene_options(nullptr), SceneOptions());
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  EXPECT_EQ(c::taken_scene_options(&options), SceneOptions());
  options.time_step = 0.5;
  EXPECT_EQ(c::taken_scene_options(&options), SceneOptions{.time_step = 0.5});
}

TEST(COptions, of_position_correction_have_the_defaults_of_cpp) {
  carom_position_correction correction;
  carom_position_correction_init(&correction, sizeof correction);
  EXPECT_EQ(c::taken<PositionCorrection>(&correction), PositionCorrection());
  carom_pgs pgs;
  carom_pgs_init(&pgs, sizeof pgs);
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  options.method = &pgs.head;
  EXPECT_FALSE(std::get<Pgs>(c::taken_scene_options(&options).method).position_correction);
  pgs.position_correction = &correction;
  EXPECT_EQ(std::get<Pgs>(c::taken_scene_options(&options).method).position_correction, PositionCorrection());
}

TEST(COptions, of_pgs_have_nan_for_the_default_fraction_of_joints) {
  carom_pgs pgs;
  carom_pgs_init(&pgs, sizeof pgs);
  EXPECT_TRUE(std::isnan(pgs.joint_warm_start));
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  options.method = &pgs.head;
  EXPECT_EQ(std::get<Pgs>(c::taken_scene_options(&options).method).joint_warm_start, std::nullopt);
  pgs.joint_warm_start = 0.25;
  EXPECT_EQ(std::get<Pgs>(c::taken_scene_options(&options).method).joint_warm_start, 0.25);
}

template <class O>
void expect_equal(const O& found, const O& expected) {
  each_option([](const OptionInfo& info, const auto& a, const auto& b) { EXPECT_EQ(a, b) << info.name; }, found,
              expected);
}

template <class O, class C>
void expect_all_set(void (*init)(C*, std::size_t)) {
  const O expected = other<O>();
  C in_c;
  init(&in_c, sizeof in_c);
  expect_equal(c::taken<O>(&in_c), O());
  each_option(PutOptions{}, expected, in_c);
  expect_equal(c::taken<O>(&in_c), expected);
}

TEST(COptions, of_contacts_systems_and_mechanisms_are_all_set_through_c) {
  expect_all_set<Options>(carom_options_init);
  expect_all_set<SystemOptions>(carom_system_options_init);
  expect_all_set<MechanismOptions>(carom_mechanism_options_init);
}

/// A scene without contacts, solved with wrong options.
class CMethodMisuse : public testing::Test {
 protected:
  CMethodMisuse() {
    EXPECT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK);
    scene.bodies = &bodies;
    carom_scene_options_init(&options, sizeof options);
    options.time_step = 0.01;
    carom_pgs_init(&pgs, sizeof pgs);
    options.method = &pgs.head;
  }
  ~CMethodMisuse() override { carom_scene_solver_destroy(solver); }

  carom_error solve() { return carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, &options, nullptr); }
  void expect_refusal(const std::string& text) {
    EXPECT_EQ(solve(), CAROM_ERROR_ARGUMENT) << text;
    EXPECT_NE(std::string(carom_error_message()).find(text), std::string::npos) << carom_error_message();
  }

  carom_scene_solver* solver = nullptr;
  carom_scene_bodies bodies = sized<carom_scene_bodies>();
  carom_scene scene = sized<carom_scene>();
  carom_scene_options options;
  carom_pgs pgs;
};

TEST_F(CMethodMisuse, of_the_kind_is_an_error) {
  EXPECT_EQ(solve(), CAROM_OK) << carom_error_message();
  for (const int kind : {-1, 5, 256}) {
    pgs.head.kind = kind;
    expect_refusal("the kind of a carom_method is " + std::to_string(kind));
  }
}

TEST_F(CMethodMisuse, of_struct_size_is_an_error) {
  for (const std::size_t size : {std::size_t(0), sizeof(std::size_t)}) {
    pgs.head.struct_size = size;
    expect_refusal("struct_size of a carom_method is " + std::to_string(size));
  }
  struct Newer {
    carom_pgs pgs;
    double more;
  } newer{pgs, 0};
  newer.pgs.head.struct_size = sizeof newer;
  options.method = &newer.pgs.head;
  EXPECT_EQ(solve(), CAROM_OK) << carom_error_message();
  newer.more = 1;
  expect_refusal("of a carom_pgs");
}

TEST_F(CMethodMisuse, of_an_option_names_it) {
  pgs.warm_start = std::numeric_limits<double>::quiet_NaN();  // has no default by NaN
  expect_refusal("pgs.warm_start");
  carom_pgs_init(&pgs, sizeof pgs);
  pgs.joint_warm_start = 2;
  expect_refusal("pgs.joint_warm_start");
  carom_pgs_init(&pgs, sizeof pgs);
  carom_position_correction correction{};
  pgs.position_correction = &correction;
  expect_refusal("struct_size of a carom_position_correction");
  carom_position_correction_init(&correction, sizeof correction);
  correction.rate = 2;
  expect_refusal("pgs.position_correction.rate");
  carom_sequential_impacts impacts;
  carom_sequential_impacts_init(&impacts, sizeof impacts);
  options.method = &impacts.head;
  impacts.law = 256;  // 0 in eight bits
  expect_refusal("the option sequential_impacts.law is number 256, of which there are 13");
}

}  // namespace
}  // namespace carom
