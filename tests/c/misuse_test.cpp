// Misuse of the C interface is a code and a message, and structs of other versions are read and written as far as they
// go.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "c/in_c.hpp"

namespace carom {
namespace {

/// One contact head-on: K = 2 · 1, u0 = -3, e = 1/2, hence p_z = (1 + e) 3 / 2.
class CMisuse : public testing::Test {
 protected:
  CMisuse() {
    contacts.struct_size = sizeof contacts;
    contacts.friction = contacts.restitution = {&half, 1, 0};
    contacts.k = {{&two, 1, 0}, {&zero, 1, 0}, {&zero, 1, 0}, {&two, 1, 0}, {&zero, 1, 0}, {&two, 1, 0}};
    contacts.separation_velocity = {{&zero, 1, 0}, {&zero, 1, 0}, {&approach, 1, 0}};
    results.struct_size = sizeof results;
    results.impulse.z = {&impulse, 1, 0};
    EXPECT_EQ(carom_solver_create(nullptr, &solver), CAROM_OK);
  }
  ~CMisuse() override { carom_solver_destroy(solver); }

  carom_error solve(const carom_options* options = nullptr, carom_report* report = nullptr) {
    impulse = 0;
    return carom_solve_k(solver, CAROM_DOUBLE, &contacts, &results, options, report);
  }
  void expect_refusal(carom_error error, const std::string& part, carom_error expected = CAROM_ERROR_ARGUMENT) {
    EXPECT_EQ(error, expected);
    EXPECT_NE(std::string(carom_error_message()).find(part), std::string::npos) << carom_error_message();
    EXPECT_EQ(carom_error_kind(), expected);
    EXPECT_EQ(impulse, 0);
  }
  static carom_options defaults() {
    carom_options options;
    carom_options_init(&options, sizeof options);
    return options;
  }

  const double half = 0.5, two = 2, zero = 0, approach = -3;
  double impulse = 0;
  carom_k_contacts contacts{};
  carom_results results{};
  carom_solver* solver = nullptr;
};

TEST_F(CMisuse, of_null_pointers_is_an_error) {
  expect_refusal(carom_solve_k(nullptr, CAROM_DOUBLE, &contacts, &results, nullptr, nullptr), "solver is a null");
  expect_refusal(carom_solve_k(solver, CAROM_DOUBLE, nullptr, &results, nullptr, nullptr), "contacts is a null");
  expect_refusal(carom_solver_create(nullptr, nullptr), "solver is a null");
  expect_refusal(carom_scene_solve(nullptr, CAROM_DOUBLE, nullptr, nullptr, nullptr, nullptr), "solver is a null");
  expect_refusal(carom_blocked_contacts_columns(nullptr, nullptr), "contacts is a null");
  carom_solver_destroy(nullptr);
  carom_scene_solver_destroy(nullptr);
  carom_blocked_contacts_destroy(nullptr);
  carom_options_init(nullptr, sizeof(carom_options));
}

TEST_F(CMisuse, names_the_column) {
  contacts.restitution = {};
  expect_refusal(solve(), "the column restitution is missing");
  contacts.restitution = {&half, 2, 0};
  expect_refusal(solve(), "the column restitution has 2 elements");
}

TEST_F(CMisuse, of_options_and_of_the_precision_is_an_error) {
  carom_options options = defaults();
  options.steps = 0;
  expect_refusal(solve(&options), "steps");
  options = defaults();
  options.law = 256;  // 0 in eight bits
  expect_refusal(solve(&options), "the option law is number 256");
  expect_refusal(carom_solve_k(solver, 2, &contacts, &results, nullptr, nullptr), "precision");
  carom_solver* none = nullptr;
  const carom_execution execution = execution_in_c(CAROM_ISA_NEON, 1), threads = execution_in_c(0, 5000);
  if (carom_solver_isa(solver) != CAROM_ISA_NEON)
    expect_refusal(carom_solver_create(&execution, &none), "neon", CAROM_ERROR_NOT_AVAILABLE);
  expect_refusal(carom_solver_create(&threads, &none), "threads");
  EXPECT_EQ(none, nullptr);
}

TEST_F(CMisuse, of_margins_and_gradients_is_an_error) {
  const carom_vectors3 none{};
  expect_refusal(carom_find_margins_k(solver, CAROM_DOUBLE, &contacts, nullptr, nullptr, nullptr, nullptr,
                                      CAROM_DEFAULT_TOLERANCE, nullptr),
                 "impulse is a null");
  expect_refusal(carom_find_margins_k(solver, CAROM_DOUBLE, &contacts, &none, nullptr, nullptr, nullptr,
                                      CAROM_DEFAULT_TOLERANCE, nullptr),
                 "impulse");
  expect_refusal(carom_differentiate(solver, CAROM_DOUBLE, &contacts, nullptr, nullptr, -0.5, nullptr), "tolerance");
  auto derivatives = sized<carom_derivatives>();
  derivatives.weight.polar = {&impulse, 2, 0};
  auto gradients = sized<carom_gradients>();
  gradients.velocity_y = &derivatives;
  expect_refusal(carom_differentiate(solver, CAROM_DOUBLE, &contacts, &gradients, nullptr, 0, nullptr),
                 "gradients.velocity_y.weight.polar");
  derivatives.struct_size = 0;
  expect_refusal(carom_differentiate(solver, CAROM_DOUBLE, &contacts, &gradients, nullptr, 0, nullptr), "struct_size");
}

TEST_F(CMisuse, no_solver_holds_no_memory) {
  EXPECT_EQ(carom_solver_memory(nullptr), 0u);
  EXPECT_EQ(carom_scene_solver_memory(nullptr), 0u);
  EXPECT_EQ(carom_system_solver_memory(nullptr), 0u);
}

TEST_F(CMisuse, of_memory_beyond_all_is_an_error) {
  carom_blocked_contacts* blocked = nullptr;
  expect_refusal(carom_blocked_contacts_create(CAROM_FLOAT, ~std::size_t{0} / 256, &blocked), "memory",
                 CAROM_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(blocked, nullptr);
}

TEST_F(CMisuse, names_column_row_and_option) {
  const auto expect_place = [](const std::string& column, std::int64_t row, const std::string& option) {
    EXPECT_EQ(carom_error_column(), column);
    EXPECT_EQ(carom_error_row(), row);
    EXPECT_EQ(carom_error_option(), option);
  };
  carom_options options = defaults();
  options.steps = 0;
  expect_refusal(solve(&options), "steps");
  expect_place("", -1, "steps");
  contacts.friction.count = 2;
  expect_refusal(solve(), "restitution");
  expect_place("restitution", -1, "");
  carom_joints* joints = nullptr;
  ASSERT_EQ(carom_joints_create(CAROM_DOUBLE, &joints), CAROM_OK);
  auto row = sized<carom_joint_row>();
  EXPECT_EQ(carom_joints_get(joints, 7, &row), CAROM_ERROR_ARGUMENT);
  expect_place("", 7, "");
  carom_joints_destroy(joints);
}

TEST_F(CMisuse, is_told_to_its_own_thread) {
  expect_refusal(carom_solve_k(nullptr, CAROM_DOUBLE, &contacts, &results, nullptr, nullptr), "solver");
  std::string elsewhere = "unset";
  carom_error kind = CAROM_ERROR_UNKNOWN;
  std::thread([&] {
    elsewhere = carom_error_message();
    kind = carom_error_kind();
  }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_EQ(kind, CAROM_OK);
}

TEST_F(CMisuse, of_struct_size_is_an_error) {
  contacts.struct_size = 0;
  expect_refusal(solve(), "struct_size of a carom_k_contacts is 0");
  contacts.struct_size = sizeof contacts;
  carom_report report{};
  expect_refusal(solve(nullptr, &report), "struct_size of a carom_report");
}

TEST_F(CMisuse, does_not_come_from_structs_of_an_older_version) {
  carom_options options = defaults();
  options.struct_size = offsetof(carom_options, max_restitution);
  options.max_restitution = options.normal_tolerance = options.inertia_tolerance = -1;  // beyond its end
  ASSERT_EQ(solve(&options), CAROM_OK) << carom_error_message();
  EXPECT_NEAR(impulse, 2.25, 1e-12);  // some roundings

  contacts.struct_size = offsetof(carom_k_contacts, laws);
  contacts.laws = reinterpret_cast<const carom_law_columns*>(&options);
  ASSERT_EQ(solve(), CAROM_OK) << carom_error_message();

  carom_report report;
  std::memset(static_cast<void*>(&report), 0x5a, sizeof report);
  report.struct_size = offsetof(carom_report, by_path);
  ASSERT_EQ(solve(nullptr, &report), CAROM_OK);
  EXPECT_EQ(report.by_status[CAROM_STATUS_OK], 1u);
  EXPECT_EQ(report.struct_size, offsetof(carom_report, by_path));
  EXPECT_EQ(report.threads, 0x5a5a5a5a);
}

TEST_F(CMisuse, comes_from_structs_of_a_newer_version_only_if_they_say_more) {
  struct Newer {
    carom_options options;
    double more;
  } newer{defaults(), 0};
  newer.options.struct_size = sizeof newer;
  ASSERT_EQ(solve(&newer.options), CAROM_OK) << carom_error_message();
  EXPECT_NEAR(impulse, 2.25, 1e-12);
  newer.more = 1;
  expect_refusal(solve(&newer.options), "carom_options");

  struct NewerReport {
    carom_report report;
    double more;
  } report{};
  report.report.struct_size = sizeof report;
  report.more = 7;
  ASSERT_EQ(solve(nullptr, &report.report), CAROM_OK);
  EXPECT_EQ(report.report.contacts, 1u);
  EXPECT_EQ(report.more, 7);
}

}  // namespace
}  // namespace carom
