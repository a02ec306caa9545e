// Contact models of contact systems satisfy their law, which is evaluated independently of the solver's formulation.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "system_data.hpp"

namespace carom::test {
namespace {

double number(const std::vector<double>& column, std::size_t i) {
  return column.empty() ? 0 : column[i];
}

/// By how much impulses miss the law of docs/contact-systems.md, Contact models: relative to the largest impulse, speed
/// or product of them.
double missed(const SystemData<double>& system, const std::vector<double>& r) {
  const std::vector<double> u = velocities_of(system, r);
  double impulse = 1e-300, speed = 1e-300, worst = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i < 3 * system.contacts()) impulse = std::max(impulse, std::abs(r[i]));
    speed = std::max({speed, std::abs(u[i]), std::abs(system.q[i])});
  }
  const auto take = [&](double x) { worst = std::max(worst, x == x ? x : 1e300); };
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    const double mu1 = system.friction[i], mu2 = system.friction_2.empty() ? mu1 : system.friction_2[i];
    double x = 1, y = 0;
    if (!system.friction_direction.empty()) {
      x = system.friction_direction[2 * i];
      y = system.friction_direction[2 * i + 1];
    }
    const double length = std::hypot(x, y), gives_way = number(system.tangential_compliance, i);
    const auto along = [&](const double* v) { return (x * v[0] + y * v[1]) / length; };
    const auto across = [&](const double* v) { return (x * v[1] - y * v[0]) / length; };
    const double z[2] = {u[3 * i] + gives_way * r[3 * i], u[3 * i + 1] + gives_way * r[3 * i + 1]};
    const double p1 = along(&r[3 * i]), p2 = across(&r[3 * i]), pn = r[3 * i + 2];
    const double zn = u[3 * i + 2] + number(system.normal_compliance, i) * pn;
    take(-zn / speed);
    take(-pn / impulse);
    take(std::abs(pn * zn) / (impulse * speed));
    take((std::hypot(mu2 * p1, mu1 * p2) - mu1 * mu2 * pn) / (impulse * std::max(mu1, mu2) + 1e-300));
    if (mu1 == 0) take(std::abs(p1) / impulse);
    if (mu2 == 0) take(std::abs(p2) / impulse);
    // Friction dissipates the most that its ellipse lets it.
    take(std::abs(pn * std::hypot(mu1 * along(z), mu2 * across(z)) + p1 * along(z) + p2 * across(z)) /
         (impulse * speed));
  }
  for (std::size_t k = 0; k < system.moment.size(); ++k) {
    const double *m = &r[3 * (system.contacts() + k)], *o = &u[3 * (system.contacts() + k)];
    const double pn = r[3 * static_cast<std::size_t>(system.moment[k]) + 2];
    const double roll = number(system.rolling_friction, k) * pn, spin = number(system.spinning_friction, k) * pn;
    take((std::hypot(m[0], m[1]) - roll) / impulse);
    take((std::abs(m[2]) - spin) / impulse);
    // Bounds hold to rounding, for any error.
    EXPECT_LE(std::hypot(m[0], m[1]), roll * (1 + 0x1p-50));
    EXPECT_LE(std::abs(m[2]), spin * (1 + 0x1p-50));
    take(std::abs(roll * std::hypot(o[0], o[1]) + m[0] * o[0] + m[1] * o[1]) / (impulse * speed));
    take(std::abs(spin * std::abs(o[2]) + m[2] * o[2]) / (impulse * speed));
  }
  return worst;
}

SystemData<double> with_models(std::uint64_t seed, std::size_t contacts, std::size_t bodies, std::size_t moments = 0) {
  SystemData<double> system = random_system(seed, contacts, bodies, 0.3, moments);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < contacts; ++i) {
    system.friction_2.push_back(random() % 8 == 0 ? 0 : random() % 3 == 0 ? 0.3 : 0.3 * std::pow(30, -uniform(random)));
    if (random() % 2 == 0) std::swap(system.friction[i], system.friction_2[i]);
    if (random() % 8 == 0) system.friction[i] = system.friction_2[i] = 0;
    for (int c = 0; c < 2; ++c) system.friction_direction.push_back(4 * uniform(random) - 2);
    system.normal_compliance.push_back(random() % 2 == 0 ? 0 : uniform(random));
    system.tangential_compliance.push_back(random() % 2 == 0 ? 0 : uniform(random));
  }
  for (std::size_t m = 0; m < moments; ++m) {
    system.rolling_friction.push_back(random() % 4 == 0 ? 0 : 0.2 * uniform(random));
    system.spinning_friction.push_back(random() % 4 == 0 ? 0 : 0.2 * uniform(random));
  }
  return system;
}

SystemOptions to(double tolerance) {
  SystemOptions options;
  options.tolerance = tolerance;
  return options;
}

/// A system of each size: f(seed, contacts, bodies).
template <class F>
void each_size(const F& f) {
  std::uint64_t seed = 0;
  for (const std::size_t contacts : {1u, 2u, 5u, 20u})
    for (const std::size_t bodies : {1u, 4u, 15u})
      for (int k = 0; k < 4; ++k) f(++seed, contacts, bodies);
}

// An error of 1e-12 |q| leaves misses of some times that, relative to the largest impulse and speed.
void expect_law(SystemSolver& solver, const SystemData<double>& system, std::uint64_t seed) {
  SystemSolution<double> solution(system.contacts(), system.moment.size());
  EXPECT_TRUE(solver.solve(system.view(), solution.view(), to(1e-12)).ok()) << seed;
  EXPECT_LE(missed(system, solution.r), 1e-11) << seed;
  const std::vector<double> u = velocities_of(system, solution.r);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], solution.u[i], 1e-13) << seed;
}

TEST(SystemModels, of_random_systems_hold_by_their_law) {
  SystemSolver solver({.threads = 1});
  each_size([&](std::uint64_t seed, std::size_t contacts, std::size_t bodies) {
    expect_law(solver, with_models(seed, contacts, bodies), seed);
  });
}

TEST(SystemModels, with_moments_hold_by_their_law) {
  SystemSolver solver({.threads = 1});
  each_size([&](std::uint64_t seed, std::size_t contacts, std::size_t bodies) {
    expect_law(solver, with_models(seed, contacts, bodies, contacts - (seed % contacts)), seed);
    std::size_t in_islands = 0;
    for (const SystemIsland& island : solver.islands()) in_islands += island.contacts;
    EXPECT_EQ(in_islands, contacts);
  });
}

/// A ball of 1 kg and 0.1 m that turns, with g h of its contact, and one that only falls, which is an island of its
/// own.
template <class T>
SystemData<T> balls(double length) {
  constexpr double radius = 0.1, inertia = 0.004, w = 1 + radius * radius / inertia, turn = radius / inertia;
  SystemData<T> balls;
  const auto add = [&](std::int32_t column, const std::array<double, 9>& block) {
    SystemBlock<T>& to = balls.block.emplace_back();
    for (std::size_t e = 0; e < 9; ++e) to[e] = static_cast<T>(block[e]);
    balls.column.push_back(column);
  };
  add(0, {w, 0, 0, 0, w, 0, 0, 0, 1});
  add(2, {0, -turn, 0, turn, 0, 0, 0, 0, 0});
  add(1, {w, 0, 0, 0, w, 0, 0, 0, 1});
  add(0, {0, turn, 0, -turn, 0, 0, 0, 0, 0});
  add(2, {1 / inertia, 0, 0, 0, 1 / inertia, 0, 0, 0, 1 / inertia});
  balls.row_start = {0, 2, 3, 5};
  balls.friction.assign(2, T(0.5));
  for (const double q : {1.0, 0.0, -0.0981, 0.0, 0.0, -0.0981, 0.3, 10.0, 2.0}) balls.q.push_back(static_cast<T>(q));
  balls.moment = {0};
  balls.rolling_friction = balls.spinning_friction = {static_cast<T>(length)};
  return balls;
}

template <class T>
void expect_carried(double length) {
  const SystemData<T> system = balls<T>(length);
  for (const ErrorScale scale : {ErrorScale::system, ErrorScale::island}) {
    SystemSolution<T> solution(2, 1);
    SystemOptions options;
    options.scale = scale;
    const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
    EXPECT_TRUE(report.ok()) << length;
    // The default tolerance, of |q| near 1.
    const double most = sizeof(T) == sizeof(float) ? 2e-4 : 2e-8;
    for (const std::size_t normal : {2u, 5u}) EXPECT_NEAR(static_cast<double>(solution.u[normal]), 0, most) << length;
  }
}

TEST(SystemModels, of_any_length_leave_no_contact_unsolved) {
  for (const double length : {1e2, 1e3, 1e30}) expect_carried<float>(length);
  for (const double length : {1e3, 1e6, 1e30, 1e160}) expect_carried<double>(length);
}

TEST(SystemModels, that_change_nothing_change_no_bit) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const SystemData<double> plain = random_system(seed, 10, 3, 0.5);
    SystemData<double> system = plain;
    system.friction_2 = system.friction;
    system.friction_direction.assign(20, 0);
    system.normal_compliance.assign(10, 0);
    system.tangential_compliance.assign(10, 0);
    SystemSolution<double> expected(10), found(10);
    SystemSolver solver({.threads = 1});
    solver.solve(plain.view(), expected.view());
    solver.solve(system.view(), found.view());
    EXPECT_EQ(found.r, expected.r);
    EXPECT_EQ(found.u, expected.u);
    EXPECT_EQ(found.state, expected.state);
  }
}

// Adds γ to the diagonal of W: the impulses are equal, and velocities differ by the compliance times the impulse.
TEST(SystemModels, compliance_is_a_part_of_the_matrix_and_none_of_the_velocity) {
  SystemData<double> system = random_system(7, 12, 4, 0.4), by_hand = system;
  for (std::size_t i = 0; i < 12; ++i) {
    system.normal_compliance.push_back(0.25 * static_cast<double>(i % 3));
    system.tangential_compliance.push_back(0.5 * static_cast<double>(i % 2));
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k)
      if (static_cast<std::size_t>(system.column[k]) == i) {
        by_hand.block[k][0] += system.tangential_compliance[i];
        by_hand.block[k][4] += system.tangential_compliance[i];
        by_hand.block[k][8] += system.normal_compliance[i];
      }
  }
  SystemSolution<double> found(12), expected(12);
  SystemSolver solver({.threads = 1});
  solver.solve(system.view(), found.view());
  solver.solve(by_hand.view(), expected.view());
  EXPECT_EQ(found.r, expected.r);
  EXPECT_EQ(found.state, expected.state);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(found.u[3 * i + 2] + system.normal_compliance[i] * found.r[3 * i + 2], expected.u[3 * i + 2], 1e-14);
}

// A skate: it sticks across, and slides along the direction in which it has no friction.
TEST(SystemModels, a_skate_holds_across_its_blade) {
  SystemData<double> system = system_of({1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.3, 0.4, -1}, {0});
  system.friction_2 = {1};
  system.friction_direction = {3, 4};
  system.q = {1, 0, -1};
  SystemSolution<double> solution(1);
  EXPECT_TRUE(SystemSolver({.threads = 1}).solve(system.view(), solution.view()).ok());
  // The slip across is 0.8 along (0.8, -0.6), which friction takes; 0.6 along (0.6, 0.8) is left.
  const double u[3] = {0.36, 0.48, 0}, r[3] = {-0.64, 0.48, 1};
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(solution.u[c], u[c], 1e-8);
    EXPECT_NEAR(solution.r[c], r[c], 1e-8);
  }
}

TEST(SystemModels, begin_with_impulses_in_the_hosts_numbers) {
  SystemData<double> system = with_models(3, 8, 3);
  SystemSolution<double> first(8), second(8);
  SystemSolver solver({.threads = 1});
  const SystemReport cold = solver.solve(system.view(), first.view(), to(1e-10));
  system.warm = first.r;
  const SystemReport warm = solver.solve(system.view(), second.view(), to(1e-9));
  EXPECT_GT(cold.pgs_iterations, 3);
  EXPECT_EQ(warm.pgs_iterations, 0);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(second.r[i], first.r[i], 1e-14);
}

}  // namespace
}  // namespace carom::test
