// The bits of a result depend neither on the threads nor, with errors relative to islands, on other islands.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstring>

#include "system_data.hpp"

namespace carom::test {
namespace {

/// Systems one after the other as one, whose islands they are.
SystemData<double> joined(const std::vector<SystemData<double>>& systems) {
  SystemData<double> whole;
  for (const SystemData<double>& system : systems) {
    const auto first = static_cast<std::int32_t>(whole.contacts());
    const auto blocks = static_cast<std::int64_t>(whole.block.size());
    whole.friction.insert(whole.friction.end(), system.friction.begin(), system.friction.end());
    whole.q.insert(whole.q.end(), system.q.begin(), system.q.end());
    for (const std::int32_t j : system.column) whole.column.push_back(first + j);
    whole.block.insert(whole.block.end(), system.block.begin(), system.block.end());
    for (std::size_t i = 1; i < system.row_start.size(); ++i) whole.row_start.push_back(blocks + system.row_start[i]);
  }
  return whole;
}

std::vector<SystemData<double>> random_systems(std::size_t count) {
  std::vector<SystemData<double>> systems;
  for (std::size_t s = 0; s < count; ++s) systems.push_back(random_system(s + 1, 1 + s % 13, 1 + s % 5, 0.6));
  return systems;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(SystemBits, do_not_depend_on_threads) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
  const SystemData<double> system = joined(random_systems(60));
  SystemSolution<double> alone(system.contacts());
  const SystemReport one = SystemSolver({.threads = 1}).solve(system.view(), alone.view());
  EXPECT_EQ(one.threads, 1);
  SystemSolver solver({.threads = 4});
  tbb::task_arena arena(4);
  for (int run = 0; run < 3; ++run) {
    SystemSolution<double> shared(system.contacts());
    const SystemReport report = arena.execute([&] { return solver.solve(system.view(), shared.view()); });
    EXPECT_TRUE(same_bits(alone.r, shared.r));
    EXPECT_TRUE(same_bits(alone.u, shared.u));
    EXPECT_EQ(alone.state, shared.state);
    EXPECT_EQ(one.error, report.error);
    EXPECT_EQ(one.pgs_iterations, report.pgs_iterations);
    EXPECT_EQ(one.interior_point_iterations, report.interior_point_iterations);
  }
}

TEST(SystemBits, of_islands_do_not_depend_on_others_where_errors_are_theirs) {
  const std::vector<SystemData<double>> systems = random_systems(20);
  const SystemData<double> whole = joined(systems);
  SystemSolver solver({.threads = 1});
  SystemOptions options;
  options.scale = ErrorScale::island;
  SystemSolution<double> together(whole.contacts());
  solver.solve(whole.view(), together.view(), options);
  std::size_t first = 0;
  for (const SystemData<double>& system : systems) {
    SystemSolution<double> alone(system.contacts());
    solver.solve(system.view(), alone.view(), options);
    const std::vector<double> part(together.r.begin() + static_cast<std::ptrdiff_t>(first),
                                   together.r.begin() + static_cast<std::ptrdiff_t>(first + alone.r.size()));
    // Scaling by a power of two other than the whole's may change only the last bits of tiny numbers.
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], alone.r[i]);
    first += part.size();
  }
}

}  // namespace
}  // namespace carom::test
