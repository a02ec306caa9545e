// The kernels against the scalar reference, which shares no code with them: the same steps, so the same velocities
// within the rounding that support/running/agreement.cpp derives, and the same paths away from the boundaries between
// them.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/agreement.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

const Options euler{.integrator = Integrator::euler};

using support::Expected;
using support::RandomContacts;
using support::ResultArrays;

template <class T>
class KernelReference : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelReference, Precisions);

TYPED_TEST(KernelReference, velocities_agree_on_random_bodies) {
  using T = TypeParam;
  constexpr std::size_t count = 20000;
  const RandomContacts<T> contacts(count, 51);
  for (const int steps : {20, 200}) {
    SolverSetup options;
    options.integrator = Integrator::euler;
    options.steps = steps;
    const Expected expected(contacts.widened(), options);
    for (const Isa isa : available_isas()) {
      options.execution.isa = isa;
      ResultArrays<T> results(count);
      ConfiguredSolver(options).solve(contacts.inline_contacts(), results.results());
      EXPECT_EQ(disagreement(expected, results), "") << to_string(isa) << ", " << steps << " steps";
    }
  }
}

TYPED_TEST(KernelReference, paths_and_steps_agree_away_from_the_boundaries_between_paths) {
  using T = TypeParam;
  constexpr std::size_t count = 20000;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const RandomContacts<T> contacts(count, 52);
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.steps = 100;
  const Expected expected(contacts.widened(), options);
  for (const Isa isa : available_isas()) {
    options.execution.isa = isa;
    ResultArrays<T> results(count);
    ConfiguredSolver(options).solve(contacts.inline_contacts(), results.results());
    std::size_t clear = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (expected.boundary_distance[i] <= epsilon * expected.rounding[i] * expected.grazing[i]) continue;
      ++clear;
      EXPECT_EQ(to_string(results.path[i]), to_string(expected.results.path[i])) << i;
      EXPECT_EQ(results.steps[i], expected.results.steps[i]) << i;
    }
    // In double nearly all contacts are clear of every boundary; float rounds a hundred steps to about a step's reach
    // where K is slender.
    EXPECT_GT(clear, (std::is_same_v<T, double> ? count * 99 / 100 : count / 2));
  }
}

// In contact space both get the very same K and u0. The sets hold every path there is.
TEST(KernelReference, paths_agree_on_the_golden_set_in_contact_space) {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "incremental3d.csv");
  const support::FileContacts<KContacts<double>> contacts(table);
  const std::size_t count = table.rows();
  const Options options = euler;
  ResultArrays<double> expected(count, false);
  std::vector<double> distance(count);
  const Report reference = solve_by_reference(contacts.view(), expected.results(), options, distance);
  EXPECT_GE(reference.paths().size(), 8u);
  for (const Isa isa : available_isas()) {
    ResultArrays<double> results(count, false);
    Solver({.isa = isa}).solve(contacts.view(), results.results(), options);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.status[i], expected.status[i]) << i;
      // Some thousand steps of 2e-16, and as much again for the condition of K.
      if (results.status[i] != Status::ok || distance[i] < 1e-9) continue;
      EXPECT_EQ(to_string(results.path[i]), to_string(expected.path[i])) << "row " << i;
      EXPECT_EQ(results.steps[i], expected.steps[i]) << "row " << i;
    }
  }
}

// Limits without rounding errors: infinite friction, no friction, elastic, plastic, and a contact's own step.
TEST(KernelReference, limits_of_the_law_agree) {
  constexpr std::size_t count = 4000;
  RandomContacts<double> contacts(count, 53);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) contacts.friction[i] = std::numeric_limits<double>::infinity();
    if (i % 4 == 1) contacts.friction[i] = 0;
    if (i % 4 == 2) contacts.friction[i] = 1e3;
    if (i % 3 == 0) contacts.restitution[i] = 0;
    if (i % 3 == 1) contacts.restitution[i] = 1;
  }
  std::vector<double> own_step(count);
  for (std::size_t i = 0; i < count; ++i) own_step[i] = 1e-3 * (1 + static_cast<double>(i % 7));
  for (const bool with_step : {false, true}) {
    Contacts<double> view = contacts.inline_contacts();
    if (with_step) view.laws.step = own_step;
    ResultArrays<double> expected(count), results(count);
    std::vector<double> distance(count);
    const Report of_reference = solve_by_reference(view, expected.results(), euler, distance);
    const Report report = Solver().solve(view, results.results(), euler);
    ASSERT_GT(of_reference.max_energy_gain, 0);
    EXPECT_EQ(report.max_energy_gain_contact, of_reference.max_energy_gain_contact);
    EXPECT_NEAR(report.max_energy_gain, of_reference.max_energy_gain, 1e-8 * of_reference.max_energy_gain);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.status[i], expected.status[i]) << i;
      if (distance[i] < 1e-9) continue;
      EXPECT_EQ(to_string(results.path[i]), to_string(expected.path[i])) << i;
      double size = 0, difference = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        size = std::hypot(size, expected.impulse[j][i]);
        difference = std::hypot(difference, results.impulse[j][i] - expected.impulse[j][i]);
      }
      const double work = std::abs(expected.work_compression[i]);
      EXPECT_NEAR(results.work_compression[i], expected.work_compression[i], 1e-8 * work) << i;
      EXPECT_NEAR(results.work_decompression[i], expected.work_decompression[i], 1e-8 * work) << i;
      // Some thousand steps of 2e-16, raised by a condition of K up to some 1e4.
      EXPECT_LE(difference, 1e-8 * size) << i << ' ' << to_string(expected.path[i]);
    }
  }
}

}  // namespace
}  // namespace carom
