// A call of a Solver that runs out of memory is an Error, writes no result, and leaves the solver usable. So are
// constructors, and calls of Mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/mechanism.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/failing_allocations.hpp"
#include "support/running/same_bits.hpp"
#include "support/scenes/generators.hpp"

namespace carom {
namespace {

using support::fails_without_allocation;

/// Columns that a call writes. Compares their bits.
template <class T>
struct Written : std::vector<std::vector<T>> {
  using std::vector<std::vector<T>>::vector;
  friend bool operator==(const Written& a, const Written& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), support::same_bits<std::vector<T>>);
  }
};

/// Calls solve(solver, columns) while each of its allocations in turn finds no memory. `make` makes the columns.
template <class Make, class Call>
void expect_untouched(const std::string& what, std::size_t least, const Make& make, const Call& call) {
  for (const int threads : {1, 2}) {
    const Execution execution{.threads = threads};
    auto expected = make();
    const auto untouched = make();
    {
      Solver solver(execution);
      call(solver, expected);
    }
    ASSERT_FALSE(expected == untouched) << what;
    for (std::size_t n = 1;; ++n) {
      ASSERT_LT(n, 1000u) << what;
      Solver solver(execution);
      auto columns = make();
      if (!fails_without_allocation(n, [&] { call(solver, columns); })) {
        EXPECT_GT(n, least) << what << ", allocations on threads: " << threads;
        break;
      }
      ASSERT_TRUE(columns == untouched) << what << ", allocation " << n;
      call(solver, columns);
      ASSERT_TRUE(columns == expected) << what << ", after allocation " << n;
    }
  }
}

constexpr std::size_t count = 3000;  // more than one range

/// Columns of results in a list, so that they can be compared.
template <class T>
struct SpatialColumns {
  Written<T> numbers = Written<T>(6, std::vector<T>(count, T(7)));
  std::vector<Status> status = std::vector<Status>(count, Status::no_solution);
  std::vector<std::int32_t> steps = std::vector<std::int32_t>(count, -3);

  Results<T> view() {
    auto& v = numbers;
    Results<T> results;
    results.impulse = {v[0], v[1], v[2]};
    results.separation_velocity = {v[3], v[4], v[5]};
    results.status = status;
    results.steps = steps;
    return results;
  }
  bool operator==(const SpatialColumns&) const = default;
};
template <class T>
struct PlanarColumns {
  Written<T> numbers = Written<T>(4, std::vector<T>(count, T(7)));
  std::vector<Status> status = std::vector<Status>(count, Status::no_solution);
  std::vector<std::int32_t> steps = std::vector<std::int32_t>(count, -3);

  planar::Results<T> view() {
    auto& v = numbers;
    planar::Results<T> results;
    results.impulse = {v[0], v[1]};
    results.separation_velocity = {v[2], v[3]};
    results.status = status;
    results.steps = steps;
    return results;
  }
  bool operator==(const PlanarColumns&) const = default;
};

template <class T>
class OutOfMemory : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(OutOfMemory, Precisions);

TYPED_TEST(OutOfMemory, leaves_results_of_contacts_as_they_are) {
  using T = TypeParam;
  const support::RandomContacts<T> contacts(count, 31);
  const support::RandomIndexedContacts<T> indexed(count, 400, 32);
  const support::RandomSpaceContacts<T> space(count, 33);
  const BlockedContacts<T> blocked = support::blocked_of(contacts.inline_contacts());
  std::vector<Law> laws(count);
  for (std::size_t i = 0; i < count; ++i) laws[i] = i % 3 == 0 ? Law::incremental : static_cast<Law>(1 + i % 3);
  auto mixed = space.space_contacts();
  mixed.laws.law = laws;
  const auto make = [] { return SpatialColumns<T>(); };
  const auto with = [](const auto& view, const Options& options = {}) {
    return
        [&view, options](Solver& solver, SpatialColumns<T>& columns) { solver.solve(view, columns.view(), options); };
  };
  const auto inline_view = contacts.inline_contacts();
  const auto indexed_view = indexed.indexed_contacts();
  expect_untouched("inline", 2, make, with(inline_view));
  expect_untouched("indexed", 2, make, with(indexed_view));
  expect_untouched("blocked", 2, make, with(blocked));
  expect_untouched("algebraic", 2, make, with(inline_view, {.law = Law::no_slip}));
  expect_untouched("mixed laws", 4, make, with(mixed));
}

TYPED_TEST(OutOfMemory, leaves_results_of_planar_contacts_as_they_are) {
  using T = TypeParam;
  const support::RandomPlanarBodies<T> contacts(count, 34);
  const auto view = select(contacts.inline_contacts(), {});
  expect_untouched(
      "planar", 1, [] { return PlanarColumns<T>(); },
      [&](Solver& solver, PlanarColumns<T>& columns) { solver.solve(view, columns.view()); });
}

TYPED_TEST(OutOfMemory, leaves_margins_as_they_are) {
  using T = TypeParam;
  const support::RandomSpaceContacts<T> contacts(count, 35);
  const auto view = contacts.space_contacts();
  expect_untouched(
      "margins", 0, [] { return Written<T>(2, std::vector<T>(count, T(7))); },
      [&](Solver& solver, Written<T>& columns) {
        RegionMargins<T> margins;
        margins.energy = columns[0];
        margins.cone = columns[1];
        solver.find_margins(view, view.separation_velocity, margins);
      });
}

TYPED_TEST(OutOfMemory, leaves_gradients_as_they_are) {
  using T = TypeParam;
  support::RandomSpaceContacts<T> contacts(count, 36);
  contacts.friction[count - 1] = -1;  // a doubtful one comes last
  const auto view = contacts.space_contacts();
  std::vector<Law> laws(count);
  for (std::size_t i = 0; i < count; ++i) laws[i] = i < count / 2 ? Law::no_slip : Law::incremental;
  auto mixed = view;
  mixed.laws.law = laws;
  for (const auto& contacts_of : {view, mixed})
    expect_untouched(
        "gradients", 1, [] { return Written<T>(3, std::vector<T>(count, T(7))); },
        [&](Solver& solver, Written<T>& columns) {
          Gradients<T> gradients;
          gradients.impulse_x.friction = columns[0];
          gradients.impulse_z.separation_velocity.z = columns[1];
          gradients.velocity_x.restitution = columns[2];
          solver.differentiate(contacts_of, gradients);
        });
}

TYPED_TEST(OutOfMemory, leaves_velocities_of_mechanisms_as_they_are) {
  using T = TypeParam;
  auto scene = scenes::chain<T>(6);
  scenes::append(scene, scenes::chain<T>(4));
  using Columns = Written<T>;
  const auto make = [&] {
    Columns columns;
    for (const auto* vectors : {&scene.bodies.velocity, &scene.bodies.angular_velocity})
      for (const auto& column : *vectors) columns.push_back(column);
    for (std::size_t i = 0; i < columns[0].size(); ++i) columns[0][i] += static_cast<T>(i);
    columns.emplace_back(scene.row_count(), T(0));
    return columns;
  };
  const auto view = scene.view();
  const Columns untouched = make();
  Columns expected = make();
  const auto satisfy = [](const Mechanisms<T>& mechanisms, Columns& c) {
    mechanisms.satisfy_rows({c[0], c[1], c[2]}, {c[3], c[4], c[5]}, c[6]);
  };
  const Mechanisms<T> mechanisms(view);
  satisfy(mechanisms, expected);
  std::size_t n = 1;
  for (; n < 1000; ++n) {
    Columns columns = make();
    if (!fails_without_allocation(n, [&] { satisfy(mechanisms, columns); })) break;
    ASSERT_TRUE(columns == untouched) << n;
    satisfy(mechanisms, columns);
    ASSERT_TRUE(columns == expected) << n;
  }
  EXPECT_GT(n, 3u);
  for (n = 1; fails_without_allocation(n, [&] { Mechanisms<T> again(view); });) ++n;
  EXPECT_GT(n, 3u);
}

TEST(OutOfMemoryConstructor, is_an_error) {
  const auto expect_failures = [](const auto& construct) {
    std::size_t n = 1;
    while (fails_without_allocation(n, construct)) ++n;
    EXPECT_GT(n, 1u);
  };
  expect_failures([] { Solver solver; });
  expect_failures([] { SceneSolver solver; });
  expect_failures([] { SystemSolver solver; });
  expect_failures([] { BlockedContacts<float> contacts(3); });
  expect_failures([] { available_isas(); });
  JointRowData<double> rows;
  expect_failures([&] { add_ball_joint(rows, JointBodies<double>{0, 1, {}, {}}); });
}

}  // namespace
}  // namespace carom
