// Known answers and edge cases: no friction, infinite friction, deficient rank, no solution.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <limits>
#include <string>

#include "system_data.hpp"

namespace carom::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> identity(std::size_t size, double scale = 1) {
  std::vector<double> w(size * size);
  for (std::size_t i = 0; i < size; ++i) w[i * size + i] = scale;
  return w;
}

SystemReport solve(const SystemData<double>& system, SystemSolution<double>& solution,
                   const SystemOptions& options = {}) {
  return SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
}

void expect_vector(const std::vector<double>& numbers, std::size_t contact, double x, double y, double n) {
  EXPECT_NEAR(numbers[3 * contact], x, 1e-8);
  EXPECT_NEAR(numbers[3 * contact + 1], y, 1e-8);
  EXPECT_NEAR(numbers[3 * contact + 2], n, 1e-8);
}

// W = 1: r_n = 1 stops the approach; friction 0.5 takes 0.5 from a slip of 1 and all of a slip of 0.3.
TEST(Systems, known_contacts_slip_stick_and_open) {
  const SystemData<double> system = system_of(identity(9), {1, 0, -1, 0, 0.3, -1, 2, 2, 0.5}, {0.5, 0.5, 0.5});
  SystemSolution<double> solution(3);
  const SystemReport report = solve(system, solution);
  EXPECT_EQ(report.contacts, 3u);
  EXPECT_EQ(report.islands, 3u);
  EXPECT_TRUE(report.ok());
  expect_vector(solution.r, 0, -0.5, 0, 1);
  expect_vector(solution.u, 0, 0.5, 0, 0);
  EXPECT_EQ(solution.state[0], ContactState::slip);
  expect_vector(solution.r, 1, 0, -0.3, 1);
  expect_vector(solution.u, 1, 0, 0, 0);
  EXPECT_EQ(solution.state[1], ContactState::stick);
  expect_vector(solution.r, 2, 0, 0, 0);
  expect_vector(solution.u, 2, 2, 2, 0.5);
  EXPECT_EQ(solution.state[2], ContactState::open);
}

// Two frictionless blocks of 1 kg: the upper one falls at 1 m/s onto the lower one. Both end at rest, and both contacts
// take the same impulse. W = (1 −1; −1 2) for n.
TEST(Systems, without_friction_normal_impulses_are_those_of_a_stack) {
  std::vector<double> w(36);
  for (std::size_t a = 0; a < 3; ++a) {
    w[a * 6 + a] = 1;
    w[a * 6 + 3 + a] = w[(3 + a) * 6 + a] = -1;
    w[(3 + a) * 6 + 3 + a] = 2;
  }
  const SystemData<double> system = system_of(w, {0, 0, 0, 0.5, 0, -1}, {0, 0});
  SystemSolution<double> solution(2);
  EXPECT_TRUE(solve(system, solution).ok());
  expect_vector(solution.r, 0, 0, 0, 1);
  expect_vector(solution.r, 1, 0, 0, 1);
  expect_vector(solution.u, 1, 0.5, 0, 0);
}

TEST(Systems, any_friction_up_to_infinity_is_solved) {
  for (const double friction : {0.0, 1e-6, 10.0, 999.0, infinity}) {
    SCOPED_TRACE(friction);
    SystemData<double> system = random_system(5, 6, 3, friction);
    SystemSolution<double> solution(6);
    const SystemReport report = solve(system, solution);
    EXPECT_TRUE(report.ok());
    system.friction.assign(6, std::min(friction, SystemOptions{}.max_friction));
    EXPECT_LE(error_of(system, solution.r), 1e-8 * (1 + 1e-6));
  }
}

// With infinite friction a contact under pressure sticks at any slip.
TEST(Systems, infinite_friction_holds_what_presses) {
  const SystemData<double> system = system_of(identity(3), {5, -7, -0.1}, {infinity});
  SystemSolution<double> solution(1);
  EXPECT_TRUE(solve(system, solution).ok());
  expect_vector(solution.r, 0, -5, 7, 0.1);
  EXPECT_EQ(solution.state[0], ContactState::stick);
}

// Copies of a contact share its impulse in any way; the sum is the impulse of the single contact.
TEST(Systems, duplicates_of_a_contact_bear_its_impulse_together) {
  for (const std::size_t copies : {2u, 4u, 30u}) {
    std::vector<double> w(9 * copies * copies), q;
    for (std::size_t i = 0; i < 3 * copies; ++i)
      for (std::size_t j = 0; j < 3 * copies; ++j) w[i * 3 * copies + j] = i % 3 == j % 3 ? 1 : 0;
    for (std::size_t i = 0; i < copies; ++i) q.insert(q.end(), {1, 0, -1});
    SystemSolution<double> solution(copies);
    EXPECT_TRUE(solve(system_of(w, q, std::vector<double>(copies, 0.5)), solution).ok());
    double x = 0, n = 0;
    for (std::size_t i = 0; i < copies; ++i) {
      x += solution.r[3 * i];
      n += solution.r[3 * i + 2];
      expect_vector(solution.u, i, 0.5, 0, 0);
    }
    EXPECT_NEAR(x, -0.5, 1e-8);
    EXPECT_NEAR(n, 1, 1e-8);
  }
}

// A planar contact: the matrix has no second tangent.
TEST(Systems, a_block_without_a_second_tangent_is_solved) {
  std::vector<double> w = identity(3);
  w[4] = 0;
  SystemSolution<double> solution(1);
  EXPECT_TRUE(solve(system_of(w, {1, 0, -1}, {0.5}), solution).ok());
  expect_vector(solution.r, 0, -0.5, 0, 1);
}

// One body between two walls that both approach it: u_1 + u_2 = −2 for any impulses, so there is no solution.
SystemData<double> squeezed() {
  std::vector<double> w(36);
  for (std::size_t a = 0; a < 3; ++a) {
    w[a * 6 + a] = w[(3 + a) * 6 + 3 + a] = 1;
    w[a * 6 + 3 + a] = w[(3 + a) * 6 + a] = -1;
  }
  return system_of(w, {0, 0, -1, 0, 0, -1}, {0.5, 0.5});
}

TEST(Systems, one_without_a_solution_is_missed_and_gets_impulses_no_worse_than_none) {
  const SystemData<double> system = squeezed();
  SystemSolution<double> solution(2);
  const SystemReport report = solve(system, solution);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.unsolved, 1u);
  EXPECT_LE(error_of(system, solution.r), error_of(system, std::vector<double>(6)));
  EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
  for (const double x : solution.r) EXPECT_TRUE(std::isfinite(x));
}

TEST(Systems, an_island_that_is_missed_leaves_others_solved) {
  SystemData<double> system = squeezed();
  system.friction.push_back(0.5);
  system.q.insert(system.q.end(), {1, 0, -1});
  system.column.push_back(2);
  system.block.push_back({1, 0, 0, 0, 1, 0, 0, 0, 1});
  system.row_start.push_back(5);
  SystemSolution<double> solution(3);
  SystemSolver solver({.threads = 1});
  const SystemReport report = solver.solve(system.view(), solution.view());
  EXPECT_EQ(report.islands, 2u);
  EXPECT_EQ(report.unsolved, 1u);
  ASSERT_EQ(solver.islands().size(), 2u);
  EXPECT_FALSE(solver.islands()[0].solved);
  EXPECT_TRUE(solver.islands()[1].solved);
  EXPECT_EQ(solver.islands()[0].contacts, 2u);
  EXPECT_EQ(solution.island, (std::vector<std::int32_t>{0, 0, 1}));
  expect_vector(solution.r, 2, -0.5, 0, 1);
}

TEST(Systems, the_budget_bounds_the_work) {
  const SystemData<double> system = squeezed();
  for (const double budget : {1.0, 10.0, 300.0}) {
    SystemSolution<double> solution(2);
    SystemOptions options;
    options.budget = budget;
    const SystemReport report = solve(system, solution, options);
    EXPECT_FALSE(report.ok());
    EXPECT_LE(static_cast<double>(report.pgs_iterations), budget);
    EXPECT_GE(report.pgs_iterations, 1);
  }
}

TEST(Systems, impulses_are_never_worse_than_those_to_begin_with) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SystemData<double> system = random_system(seed, 10, 4, 0.5);
    SystemSolution<double> solution(10);
    solve(system, solution);
    const std::vector<double> solved = solution.r;
    // If the start already meets the tolerance, it is returned unchanged.
    system.warm = solved;
    SystemOptions options;
    options.tolerance = 1e-6;
    const SystemReport warm = solve(system, solution, options);
    EXPECT_EQ(warm.pgs_iterations, 0);
    EXPECT_EQ(warm.interior_point_iterations, 0);
    EXPECT_LE(error_of(system, solution.r), 1e-6);
    // The smallest budget does not make the start worse.
    for (std::size_t i = 0; i < solved.size(); ++i) system.warm[i] = solved[i] * (i % 3 == 2 ? 1.001 : 0.999);
    options.tolerance = 1e-12;
    options.budget = 1;
    solve(system, solution, options);
    EXPECT_LE(error_of(system, solution.r), error_of(system, system.warm) * (1 + 1e-12));
  }
}

TEST(Systems, warm_impulses_outside_of_their_cones_are_moved_into_them) {
  // The solution (−0.5, 0, 1) is the nearest point of the cone to each of these starts, so no iteration is needed.
  SystemData<double> system = system_of(identity(3), {1, 0, -1}, {0.5});
  for (const double outside : {0.25, 1.0, 4.0}) {
    system.warm = {-0.5 - outside, 0, 1 - 0.5 * outside};
    SystemSolution<double> solution(1);
    const SystemReport report = solve(system, solution);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.pgs_iterations, 0);
    expect_vector(solution.r, 0, -0.5, 0, 1);
  }
}

TEST(Systems, a_system_that_rests_needs_no_impulses) {
  const SystemData<double> system = system_of(identity(6), {1, 2, 0, 3, 4, 1e-300}, {0.5, 0.5});
  SystemSolution<double> solution(2);
  const SystemReport report = solve(system, solution);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.error, 0);
  EXPECT_EQ(solution.r, std::vector<double>(6));
  EXPECT_EQ(solution.u, system.q);
}

TEST(Systems, velocities_of_zero_are_solved_by_zero_whatever_the_start) {
  SystemData<double> system = system_of(identity(3), {0, 0, 0}, {0.5});
  system.warm = {0.1, 0, 1};
  SystemSolution<double> solution(1);
  EXPECT_TRUE(solve(system, solution).ok());
  EXPECT_EQ(solution.r, std::vector<double>(3));
}

// Numbers whose squares are beyond the range of double.
TEST(Systems, units_do_not_matter) {
  for (const double scale : {1e-200, 1e200}) {
    SystemData<double> system = system_of(identity(3), {scale, 0, -scale}, {0.5});
    SystemSolution<double> solution(1);
    EXPECT_TRUE(solve(system, solution).ok()) << scale;
    EXPECT_NEAR(solution.r[2] / scale, 1, 1e-8);
    EXPECT_NEAR(solution.r[0] / scale, -0.5, 1e-8);
  }
}

// Velocities must not be lost when they are subtracted from impulses of 1e20 kg m/s: everything would seem solved after
// one iteration. Tiny impulses are lost among velocities in the field's usual error, but not in an error with a mass
// taken from the matrix.
TEST(Systems, units_of_the_matrix_do_not_matter) {
  const SystemData<double> plain = random_system(7, 12, 3, 0.6);
  const struct {
    double scale, error_mass;
  } cases[] = {{0x1p-66, 1}, {0x1p-66, 0}, {0x1p66, 0}, {0x1p-66, 0x1p66}, {0x1p66, 0x1p-66}};
  for (const auto& [scale, error_mass] : cases) {
    SCOPED_TRACE(std::to_string(std::log2(scale)) + " " + std::to_string(error_mass));
    SystemData<double> system = plain;
    for (auto& block : system.block)
      for (double& w : block) w *= scale;
    SystemOptions options;
    options.error_mass = error_mass;
    SystemSolution<double> solution(12);
    EXPECT_TRUE(solve(system, solution, options).ok());
    std::vector<double> r = solution.r;
    for (double& x : r) x *= scale;
    // Judged in the units of the plain system. Its W is only roughly of order 1, hence the factor of ten.
    EXPECT_LE(error_of(plain, r), 1e-7);
    // Warm-started with these impulses, the system is solved at once.
    system.warm = solution.r;
    EXPECT_EQ(solve(system, solution, options).pgs_iterations, 0);
  }
}

// Impulses are finite and in their cones for any numbers in the matrix, solved or not.
TEST(Systems, matrices_at_the_ends_of_the_range_do_no_harm) {
  for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
    const SystemData<double> system = system_of(identity(6, scale), {1, 0, -1, 0.1, 0, -2}, {0.5, 0.5});
    SystemSolution<double> solution(2);
    solve(system, solution);
    for (const double x : solution.r) EXPECT_TRUE(std::isfinite(x)) << scale;
    EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
  }
}

// The matrix is not positive semidefinite, which no bodies can cause. The impulses are still in the cones.
TEST(Systems, a_matrix_that_is_not_positive_gets_impulses_in_the_cones) {
  std::vector<double> w = identity(6);
  for (std::size_t a = 0; a < 3; ++a) w[a * 6 + 3 + a] = w[(3 + a) * 6 + a] = 3;
  w[2 * 6 + 5] = w[5 * 6 + 2] = -3;
  const SystemData<double> system = system_of(w, {1, 0, -1, 0, 1, -1}, {0.5, 0.5});
  SystemSolution<double> solution(2);
  SystemOptions options;
  options.asymmetry = 0;
  EXPECT_FALSE(solve(system, solution, options).ok());
  EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
  EXPECT_LE(error_of(system, solution.r), error_of(system, std::vector<double>(6)));
}

/// One contact with w on the diagonal of W, approaching at q.
template <class T>
SystemData<T> approaching(T w, T q) {
  SystemData<T> system;
  system.friction = {T(0.3)};
  system.q = {0, 0, -q};
  system.column = {0};
  system.block = {{w, 0, 0, 0, w, 0, 0, 0, w}};
  system.row_start = {0, 1};
  return system;
}

template <class T>
void expect_finite(const SystemData<T>& system, const SystemOptions& options, bool may_be_solved) {
  SystemSolution<T> solution(system.contacts());
  SystemSolver solver({.threads = 1});
  const SystemReport report = solver.solve(system.view(), solution.view(), options);
  for (const T x : solution.r) EXPECT_TRUE(std::isfinite(x)) << x;
  for (const T x : solution.u) EXPECT_TRUE(std::isfinite(x)) << x;
  EXPECT_TRUE(std::isfinite(report.error)) << report.error;
  EXPECT_TRUE(std::isfinite(solver.islands()[0].error)) << solver.islands()[0].error;
  EXPECT_TRUE(may_be_solved || !report.ok());
  const double t = std::hypot(static_cast<double>(solution.r[0]), static_cast<double>(solution.r[1]));
  EXPECT_LE(t, 0.3 * static_cast<double>(solution.r[2]) * (1 + 1e-6));
}

// The impulse would be 1e40 kg m/s in float, 1e360 in double.
TEST(Systems, impulses_beyond_the_range_are_missed_and_finite) {
  for (const double error_mass : {0.0, 1.0, 1e30}) {
    SystemOptions options;
    options.error_mass = error_mass;
    expect_finite(approaching<float>(1e-20f, 1e20f), options, false);
    expect_finite(approaching<double>(1e-160, 1e200), options, false);
  }
}

// The tangential velocities of two contacts add up to 4e38 m/s.
TEST(Systems, velocities_beyond_the_range_are_missed_and_finite) {
  SystemData<float> system;
  system.friction = {1, 1};
  system.q = {3e38f, 0, 0.5e38f, 1e38f, 0, -3e38f};
  system.row_start = {0, 2, 4};
  system.column = {0, 1, 0, 1};
  const SystemBlock<float> own{1, 0, 0, 0, 1, 0, 0, 0, 1}, other{0, 0, 0.9f, 0, 0, 0, 0, 0, 0.9f},
      back{0, 0, 0, 0, 0, 0, 0.9f, 0, 0.9f};
  system.block = {own, other, back, own};
  SystemSolution<float> solution(2);
  SystemOptions options;
  options.asymmetry = 2;
  EXPECT_FALSE(SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options).ok());
  EXPECT_EQ(solution.u[0], std::numeric_limits<float>::max());
  for (const float x : solution.r) EXPECT_TRUE(std::isfinite(x));
  for (const float x : solution.u) EXPECT_TRUE(std::isfinite(x));
}

// In the solver's scaled units these impulses are beyond the range of double.
TEST(Systems, warm_impulses_that_are_huge_beside_the_velocities_give_way_to_none) {
  SystemData<double> system = approaching(1.0, 1e-150);
  system.warm = {0, 0, 1e200};
  system.tangential_compliance = {1};
  for (const double budget : {1.0, 10.0, 1000.0}) {
    SystemOptions options;
    options.budget = budget;
    expect_finite(system, options, true);
  }
}

TEST(Systems, numbers_of_any_size_give_finite_results) {
  for (const double w : {1e-305, 1e-150, 1.0, 1e150, 1.7e308})
    for (const double q : {1e-300, 1e-150, 1.0, 1e150, 1e308})
      for (const double error_mass : {0.0, 1.0, 1e30})
        for (const ErrorScale scale : {ErrorScale::system, ErrorScale::island}) {
          SCOPED_TRACE(std::to_string(std::log10(w)) + " " + std::to_string(std::log10(q)));
          SystemOptions options;
          options.error_mass = error_mass;
          options.scale = scale;
          options.budget = 100;
          SystemData<double> system = approaching(w, q);
          expect_finite(system, options, true);
          system.warm = {1, -2, 1e300};
          expect_finite(system, options, true);
        }
}

/// A contact has no impulse if and only if its state is `open`.
template <class T>
void expect_open_without_impulse(const SystemData<T>& system, double tolerance, std::size_t& open) {
  SystemSolution<T> solution(system.contacts());
  SystemOptions options;
  options.tolerance = tolerance;
  SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    const bool is_zero = solution.r[3 * i] == 0 && solution.r[3 * i + 1] == 0 && solution.r[3 * i + 2] == 0;
    EXPECT_EQ(solution.state[i] == ContactState::open, is_zero) << i << " at " << tolerance;
    open += is_zero ? 1 : 0;
  }
}

TEST(Systems, a_contact_is_open_exactly_if_its_impulse_is_zero) {
  for (const double tolerance : {1e-8, 1e-4, 1e-2, 0.1}) {
    std::size_t open = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const SystemData<double> system = random_system(seed, 1 + seed % 6, 1 + seed % 2, 0.5);
      expect_open_without_impulse(system, tolerance, open);
      SystemData<float> in_float;
      in_float.friction = {system.friction.begin(), system.friction.end()};
      in_float.q = {system.q.begin(), system.q.end()};
      in_float.row_start = system.row_start;
      in_float.column = system.column;
      for (const SystemBlock<double>& block : system.block)
        for (std::size_t e = 0; e < 9; ++e) {
          if (e == 0) in_float.block.emplace_back();
          in_float.block.back()[e] = static_cast<float>(block[e]);
        }
      expect_open_without_impulse(in_float, tolerance, open);
    }
    EXPECT_GT(open, 50u);
  }
}

// The mean trace is 18, and 3 / 18 lies between 1/8 and 1/4.
TEST(Systems, an_error_mass_of_0_is_the_next_power_of_two_above) {
  SystemData<double> system = random_system(3, 12, 2, 0.5);
  double trace = 0;
  for (std::size_t i = 0; i < 12; ++i)
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k)
      if (system.column[k] == static_cast<std::int32_t>(i))
        trace += (system.block[k][0] + system.block[k][4] + system.block[k][8]) / 12;
  for (SystemBlock<double>& block : system.block)
    for (double& w : block) w *= 18 / trace;
  SystemSolution<double> solution(12);
  SystemOptions options;
  options.error_mass = 0;
  options.tolerance = 1e-10;
  options.budget = 2;
  const SystemReport report = solve(system, solution, options);
  EXPECT_GT(report.error, 1e-6);
  const auto error_with = [&](double mass) {
    SystemData<double> scaled = system;
    for (SystemBlock<double>& block : scaled.block)
      for (double& w : block) w *= mass;
    std::vector<double> r = solution.r;
    for (double& x : r) x /= mass;
    return error_of(scaled, r);
  };
  EXPECT_NEAR(report.error, error_with(0.25), 1e-12);
  EXPECT_GT(std::abs(report.error - error_with(0.125)), 1e-3 * report.error);
}

TEST(Systems, an_empty_one_is_solved) {
  const SystemReport report = SystemSolver({.threads = 1}).solve(ContactSystem<double>{}, SystemResults<double>{});
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.contacts, 0u);
  EXPECT_EQ(report.islands, 0u);
  EXPECT_EQ(report.error, 0);
}

TEST(Systems, every_column_of_results_is_optional) {
  const SystemData<double> system = system_of(identity(3), {1, 0, -1}, {0.5});
  EXPECT_TRUE(SystemSolver({.threads = 1}).solve(system.view(), SystemResults<double>{}).ok());
}

}  // namespace
}  // namespace carom::test
