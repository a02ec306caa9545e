// After the first call of a size, a SystemSolver does not allocate. A call without memory writes no result.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "support/running/failing_allocations.hpp"
#include "support/running/same_bits.hpp"
#include "system/system_data.hpp"

namespace carom::test {
namespace {

using support::allocations_during;

/// Islands of up to 13 contacts, some with moments. The sizes are the same for every `seed`.
SystemData<double> islands(std::uint64_t seed) {
  SystemData<double> whole;
  std::vector<SystemData<double>> part;
  std::size_t contacts = 0, rows = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    part.push_back(random_system(100 * seed + i, 1 + 5 * i % 13, 1 + i % 5, 0.6, i % 3 == 2 ? 1 : 0));
    contacts += part.back().contacts();
  }
  std::size_t first = 0, first_moment = contacts;
  const auto place = [&](const SystemData<double>& system, std::size_t row, std::size_t from, std::size_t from_moment) {
    return static_cast<std::int32_t>(row < system.contacts() ? from + row : from_moment + row - system.contacts());
  };
  // Rows of contacts, then rows of moments.
  for (const bool of_moments : {false, true}) {
    first = 0;
    first_moment = contacts;
    for (const SystemData<double>& system : part) {
      for (std::size_t i = of_moments ? system.contacts() : 0; i < (of_moments ? system.rows() : system.contacts());
           ++i) {
        for (auto k = static_cast<std::size_t>(system.row_start[i]);
             k < static_cast<std::size_t>(system.row_start[i + 1]); ++k) {
          whole.column.push_back(place(system, static_cast<std::size_t>(system.column[k]), first, first_moment));
          whole.block.push_back(system.block[k]);
        }
        whole.row_start.push_back(static_cast<std::int64_t>(whole.column.size()));
        whole.q.insert(whole.q.end(), system.q.begin() + static_cast<std::ptrdiff_t>(3 * i),
                       system.q.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
        ++rows;
      }
      if (!of_moments) {
        whole.friction.insert(whole.friction.end(), system.friction.begin(), system.friction.end());
        for (const std::int32_t m : system.moment) whole.moment.push_back(static_cast<std::int32_t>(first) + m);
      }
      first += system.contacts();
      first_moment += system.moment.size();
    }
  }
  whole.rolling_friction.assign(whole.moment.size(), 0.1);
  whole.spinning_friction.assign(whole.moment.size(), 0.05);
  EXPECT_EQ(rows, whole.rows());
  return whole;
}

TEST(LaterSystemCall, allocates_nothing) {
  const SystemData<double> system = islands(1);
  SystemSolution<double> solution(system.contacts(), system.moment.size());
  auto view = system.view();
  view.rolling_friction = 0.1;
  const auto results = solution.view();
  for (const double tolerance : {1e-4, 1e-10}) {
    SystemSolver solver({.threads = 1});
    SystemOptions options;
    options.tolerance = tolerance;
    const SystemReport first = solver.solve(view, results, options);
    EXPECT_GT(first.islands, 8u);
    EXPECT_TRUE(tolerance > 1e-8 || first.interior_point_iterations > 0);
    const support::Allocations made = allocations_during([&] { solver.solve(view, results, options); });
    EXPECT_EQ(made.by_new, 0u) << tolerance;
    EXPECT_EQ(made.by_malloc, 0u) << tolerance;
  }
}

TEST(LaterSystemCall, without_memory_writes_nothing) {
  const SystemData<double> system = islands(2);
  const auto view = system.view();
  SystemSolution<double> expected(system.contacts(), system.moment.size());
  SystemSolver({.threads = 1}).solve(view, expected.view());
  std::size_t failures = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    SystemSolver solver({.threads = 1});
    SystemSolution<double> solution(system.contacts(), system.moment.size());
    for (std::vector<double>* numbers : {&solution.r, &solution.u}) numbers->assign(numbers->size(), 3);
    solution.state.assign(solution.state.size(), ContactState{7});
    solution.island.assign(solution.island.size(), -5);
    const SystemSolution<double> untouched = solution;
    const auto results = solution.view();
    failed = support::fails_without_allocation(failures + 1, [&] { solver.solve(view, results); });
    if (!failed) break;
    ASSERT_EQ(solution.r, untouched.r) << failures + 1;
    ASSERT_EQ(solution.u, untouched.u) << failures + 1;
    ASSERT_EQ(solution.state, untouched.state) << failures + 1;
    ASSERT_EQ(solution.island, untouched.island) << failures + 1;
    // The solver remains usable.
    SystemSolution<double> after(system.contacts(), system.moment.size());
    ASSERT_TRUE(solver.try_solve(view, after.view()).has_value());
    ASSERT_TRUE(support::same_bits(after.r, expected.r)) << failures + 1;
    ASSERT_TRUE(support::same_bits(after.u, expected.u)) << failures + 1;
  }
  EXPECT_GT(failures, 20u);
}

}  // namespace
}  // namespace carom::test
