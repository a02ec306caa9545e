// Random systems: small ones against an exhaustive search, larger ones by their residual.
#include <gtest/gtest.h>

#include <string>

#include "exhaustive.hpp"
#include "system_data.hpp"
#include "systems/call/islands.hpp"
#include "systems/problem/factorisation.hpp"
#include "systems/problem/measure.hpp"
#include "systems/solvers/interior_point.hpp"

namespace carom::test {
namespace {

/// The solver's velocities equal the velocities of one of the solutions of the search. With tolerance 1e-12 they agree
/// up to the condition of these systems, below 1e4.
void expect_among_solutions(const SystemData<double>& system, const std::string& name) {
  SCOPED_TRACE(name);
  const auto solutions = ExhaustiveSearch(system).solutions();
  SystemSolution<double> solution(system.contacts());
  SystemOptions options;
  options.tolerance = 1e-12;
  const SystemReport report = SystemSolver({.threads = 1}).solve(system.view(), solution.view(), options);
  ASSERT_FALSE(solutions.empty());
  EXPECT_TRUE(report.ok());
  double nearest = 1e300;
  for (const std::vector<double>& r : solutions) {
    const std::vector<double> u = velocities_of(system, r);
    double farthest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) farthest = std::max(farthest, std::abs(u[i] - solution.u[i]));
    nearest = std::min(nearest, farthest);
  }
  EXPECT_LE(nearest, 1e-8);
}

TEST(RandomSystems, of_one_contact_have_the_solution_of_an_exhaustive_search) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const double friction : {0.0, 0.2, 0.8})
      expect_among_solutions(random_system(seed, 1, 1, friction), "seed " + std::to_string(seed));
}

TEST(RandomSystems, of_two_contacts_have_a_solution_of_an_exhaustive_search) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    expect_among_solutions(random_system(seed, 2, 2, seed % 2 == 0 ? 0.2 : 0.7), "seed " + std::to_string(seed));
}

TEST(RandomSystems, of_many_contacts_and_any_rank_are_solved) {
  SystemSolver solver({.threads = 1});
  std::uint64_t seed = 0;
  for (const std::size_t contacts : {3u, 5u, 10u, 30u, 60u})
    for (const std::size_t bodies : {1u, 3u, 10u, 40u})
      for (const double friction : {0.0, 0.1, 0.5}) {
        SCOPED_TRACE(std::to_string(contacts) + " contacts of " + std::to_string(bodies) + " bodies, friction " +
                     std::to_string(friction));
        const SystemData<double> system = random_system(++seed, contacts, bodies, friction);
        SystemSolution<double> solution(contacts);
        const SystemReport report = solver.solve(system.view(), solution.view());
        EXPECT_TRUE(report.ok());
        EXPECT_LE(error_of(system, solution.r), 1e-8 * (1 + 1e-6));
        EXPECT_LE(farthest_outside(system, solution.r), 1e-15);
      }
}

/// Returns whether the interior point, without other methods and from its usual start, reaches 1e-8.
bool solved_inside(const SystemData<double>& data, bool proximal) {
  const ContactSystem<double> system = data.view();
  systems::Islands islands;
  islands.find(system);
  systems::IslandSystem island;
  systems::read_island(system, islands, 0, 1, 1000, island);
  systems::Factorisation lu;
  lu.forget();
  systems::Incumbent best;
  best.r.assign(3 * island.contacts(), 0);
  systems::Numbers velocities;
  best.error = systems::measure(island, best.r, velocities);
  double square = 0;
  for (const double x : island.q) square += x * x;
  systems::WorkBudget work_budget;
  work_budget.target = 1e-8 * std::sqrt(square);
  work_budget.budget = 1e6;
  work_budget.sweep_cost = systems::sweep_cost(island);
  systems::InteriorPoint().run(island, lu, best, work_budget, {.proximal = proximal});
  return best.error <= work_budget.target;
}

TEST(RandomSystems, some_are_solved_inside_by_the_proximal_term_alone) {
  std::size_t with = 0, without = 0, by_it_alone = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const SystemData<double> system = random_system(seed, 20, 5, 0.3);
    const bool a = solved_inside(system, true), b = solved_inside(system, false);
    with += a;
    without += b;
    by_it_alone += a && !b;
  }
  EXPECT_GT(with, without);
  EXPECT_GE(by_it_alone, 10u);
}

}  // namespace
}  // namespace carom::test
