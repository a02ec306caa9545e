// Problems of FCLIB, unchanged and modified, judged by the residual of the returned solution.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "io/fclib/fclib.hpp"
#include "system_data.hpp"

namespace carom::test {
namespace {

std::vector<std::string> problems() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SYSTEMS_DIR))
    if (entry.path().extension() == ".hdf5") names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 12u);
  return names;
}

SystemData<double> data_of(const std::string& name) {
  const io::FclibProblem problem = io::read_fclib(name);
  return {problem.friction, problem.velocity, {}, problem.row_start, problem.column, problem.block};
}

/// Solves the system and judges the impulses.
void expect_solved(const SystemData<double>& system, const std::string& name, double tolerance = 1e-8) {
  SCOPED_TRACE(name);
  SystemSolution<double> solution(system.contacts());
  SystemOptions options;
  options.tolerance = tolerance;
  const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
  EXPECT_TRUE(report.ok());
  // The error's own sensitivity to u: μ|u_t| and u itself.
  const double rounding = 2 * rounding_of(system, solution.r), error = error_of(system, solution.r);
  EXPECT_LE(error, tolerance + rounding);
  EXPECT_NEAR(report.error, error, rounding);
  EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
}

TEST(Problems, all_are_solved_to_the_default_tolerance_and_to_one_of_1e_12) {
  for (const std::string& name : problems()) {
    expect_solved(data_of(name), name);
    expect_solved(data_of(name), name, 1e-12);
  }
}

TEST(Problems, all_are_solved_with_other_friction) {
  for (const std::string& name : problems())
    for (const double friction : {0.0, 1e-6, 0.3}) {
      SystemData<double> system = data_of(name);
      system.friction.assign(system.contacts(), friction);
      expect_solved(system, name + " with friction " + std::to_string(friction));
    }
}

TEST(Problems, all_are_solved_with_velocities_moved_by_half_of_their_length) {
  for (const std::string& name : problems())
    for (const unsigned seed : {1u, 2u, 3u}) {
      SystemData<double> system = data_of(name);
      std::mt19937_64 random(seed);
      std::uniform_real_distribution<double> uniform(-1, 1);
      std::vector<double> z(system.q.size());
      for (double& x : z) x = uniform(random);
      std::vector<double> moved = velocities_of(system, z);
      double length = 0, shift = 0;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i] -= system.q[i];
        length += system.q[i] * system.q[i];
        shift += moved[i] * moved[i];
      }
      for (std::size_t i = 0; i < moved.size(); ++i) system.q[i] += 0.5 * std::sqrt(length / shift) * moved[i];
      expect_solved(system, name + " moved by " + std::to_string(seed));
    }
}

TEST(Problems, the_normal_comes_first_in_files_and_last_here) {
  const SystemData<double> system = data_of(CAROM_SYSTEMS_DIR "/Rover1039.hdf5");
  // The first block of the file is 0.0139913, 0.00120538, -0.00237921; ... 0.106235 ...; ... 0.0030799.
  EXPECT_NEAR(system.block[0][8], 0.0139913, 1e-7);
  EXPECT_NEAR(system.block[0][6], 0.00120538, 1e-6);
  EXPECT_NEAR(system.block[0][0], 0.106235, 1e-6);
  EXPECT_NEAR(system.block[0][4], 0.0030799, 1e-7);
}

TEST(Problems, in_float_are_solved_to_1e_4_and_the_rounding_of_their_results) {
  for (const std::string& name : problems()) {
    SCOPED_TRACE(name);
    const SystemData<double> exact = data_of(name);
    SystemData<float> system;
    system.friction = {exact.friction.begin(), exact.friction.end()};
    system.q = {exact.q.begin(), exact.q.end()};
    system.row_start = exact.row_start;
    system.column = exact.column;
    for (const SystemBlock<double>& block : exact.block) {
      SystemBlock<float>& own = system.block.emplace_back();
      for (std::size_t e = 0; e < 9; ++e) own[e] = static_cast<float>(block[e]);
    }
    SystemSolution<float> solution(system.contacts());
    const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view());
    EXPECT_TRUE(report.ok());
    EXPECT_LE(report.error, 1e-4);
    // Velocities result from the impulses before rounding, so they are compared with Coulomb's law separately.
    for (std::size_t i = 0; i < system.contacts(); ++i) {
      const bool open = solution.state[i] == ContactState::open;
      EXPECT_TRUE(!open || solution.u[3 * i + 2] >= -1e-3f);
    }
  }
}

}  // namespace
}  // namespace carom::test
