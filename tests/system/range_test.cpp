// Velocities outside of the range of W. Systems with the caller's rounding errors are solved and the distance is
// reported; squeezed bodies have no solution.
#include <gtest/gtest.h>

#include <string>

#include "io/fclib/fclib.hpp"
#include "system_data.hpp"

namespace carom::test {
namespace {

/// 19 boxes of 1 kg under one of 100 kg in DART. 2.6e-7 m/s of the tangential velocities are outside of the range of W.
SystemData<double> stack() {
  const io::FclibProblem problem = io::read_fclib(CAROM_SYSTEMS_DIR "/outside_of_range/DART-stack20-100kg.hdf5");
  return {problem.friction, problem.velocity, {}, problem.row_start, problem.column, problem.block};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// q minus its projection onto the range of W, by Gram–Schmidt with pivoting: the longest remaining column comes next.
std::vector<double> outside_of_range(const SystemData<double>& system) {
  const std::size_t size = system.q.size();
  std::vector<std::vector<double>> column(size, std::vector<double>(size));
  for (std::size_t i = 0; i < system.rows(); ++i)
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k)
      for (std::size_t e = 0; e < 9; ++e)
        column[3 * static_cast<std::size_t>(system.column[k]) + e % 3][3 * i + e / 3] = system.block[k][e];
  std::vector<double> rest = system.q;
  double first = 0;
  for (std::size_t rank = 0; rank < size; ++rank) {
    std::size_t longest = rank;
    std::vector<double> square(size);
    for (std::size_t j = rank; j < size; ++j) {
      square[j] = dot(column[j], column[j]);
      if (square[j] > square[longest]) longest = j;
    }
    std::swap(column[rank], column[longest]);
    const double length = std::sqrt(square[longest]);
    if (rank == 0) first = length;
    if (length <= 1e-11 * first) break;
    for (double& x : column[rank]) x /= length;
    const auto remove = [&](std::vector<double>& from) {
      const double along = dot(column[rank], from);
      for (std::size_t i = 0; i < size; ++i) from[i] -= along * column[rank][i];
    };
    remove(rest);
    for (std::size_t j = rank + 1; j < size; ++j) remove(column[j]);
  }
  return rest;
}

TEST(Range, a_stack_whose_velocities_lie_outside_of_it_is_solved_and_the_distance_reported) {
  SystemData<double> system = stack();
  SystemSolution<double> solution(system.contacts());
  SystemSolver solver({.threads = 1});
  for (const ErrorScale scale : {ErrorScale::system, ErrorScale::island}) {
    SystemOptions options;
    options.scale = scale;
    options.budget = 2000;
    const SystemReport report = solver.solve(system.view(), solution.view(), options);
    EXPECT_TRUE(report.ok());
    const std::vector<double> outside = outside_of_range(system);
    const double distance = std::sqrt(dot(outside, outside) / dot(system.q, system.q));
    EXPECT_NEAR(distance, 1.34e-5, 1e-7);
    EXPECT_NEAR(report.range_distance, distance, 1e-4 * distance);
    EXPECT_NEAR(solver.islands()[0].range_distance, distance, 1e-4 * distance);
    EXPECT_EQ(report.islands, 1u);
    // The error refers to P q, the velocities to q.
    SystemData<double> projected = system;
    for (std::size_t i = 0; i < outside.size(); ++i) projected.q[i] -= outside[i];
    EXPECT_LE(error_of(projected, solution.r), 1.1e-8);
    EXPECT_GT(error_of(system, solution.r), 1e-6);
    const std::vector<double> u = velocities_of(system, solution.r);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(solution.u[i], u[i], 1e-14);
    EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
  }
}

TEST(Range, is_left_no_further_than_the_options_allow) {
  const SystemData<double> system = stack();
  SystemSolution<double> solution(system.contacts());
  SystemOptions options;
  options.budget = 1000;
  options.range_tolerance = 1e-5;
  const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
  EXPECT_FALSE(report.ok());
  EXPECT_NEAR(report.range_distance, 1.34e-5, 1e-7) << "reported all the same";
  options.range_tolerance = 0;
  const SystemReport never = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
  EXPECT_FALSE(never.ok());
  EXPECT_EQ(never.range_distance, 0);
}

// A body between two walls that approach it at `speed` and drag it in opposite directions.
SystemData<double> squeezed(double speed, double slip) {
  std::vector<double> w(36);
  for (std::size_t a = 0; a < 3; ++a) {
    w[a * 6 + a] = w[(3 + a) * 6 + 3 + a] = 1;
    w[a * 6 + 3 + a] = w[(3 + a) * 6 + a] = -1;
  }
  return system_of(w, {1, slip, -speed, -1, 0, -speed}, {0.5, 0.5});
}

TEST(Range, hides_no_approach_that_nothing_can_stop) {
  for (const double speed : {1.0, 1e-3, 1e-5, 1e-7}) {
    const SystemData<double> system = squeezed(speed, 0);
    SystemSolution<double> solution(2);
    SystemOptions options;
    options.range_tolerance = 1;
    options.budget = 1000;
    const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
    EXPECT_FALSE(report.ok()) << speed;
    EXPECT_NEAR(report.range_distance, speed * std::sqrt(2 / (2 + 2 * speed * speed)), 1e-6 * speed) << speed;
  }
}

TEST(Range, is_not_looked_for_where_velocities_are_in_it) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SystemData<double> system = random_system(seed, 12, 3, 0.6);
    SystemSolution<double> solution(12);
    const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view());
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.range_distance, 0);
  }
}

}  // namespace
}  // namespace carom::test
