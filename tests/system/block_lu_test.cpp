// The sparse factorisation against products with the matrix, for patterns of every kind.
#include "linear/block_lu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "systems/problem/island_system.hpp"

namespace carom::systems {
namespace {

/// A matrix that is diagonally dominant, not symmetric, with this pattern.
IslandSystem matrix_of(const std::vector<std::set<std::int32_t>>& pattern, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  IslandSystem system;
  system.clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    for (const std::int32_t j : pattern[i]) {
      const bool own = static_cast<std::size_t>(j) == i;
      if (own) system.diagonal.push_back(static_cast<std::int32_t>(system.column.size()));
      system.column.push_back(j);
      for (std::size_t e = 0; e < 9; ++e)
        system.block.push_back(uniform(random) +
                               (own && e % 4 == 0 ? 4.0 * static_cast<double>(pattern[i].size()) : 0));
    }
    system.row_start.push_back(static_cast<std::int32_t>(system.column.size()));
    system.friction.push_back(1);
    for (int a = 0; a < 3; ++a) system.q.push_back(0);
  }
  return system;
}

/// Contacts are connected at random; with `one_sided` some blocks have no counterpart.
std::vector<std::set<std::int32_t>> random_pattern(std::size_t contacts, std::size_t links, bool one_sided,
                                                   std::mt19937_64& random) {
  std::vector<std::set<std::int32_t>> pattern(contacts);
  for (std::size_t i = 0; i < contacts; ++i) pattern[i].insert(static_cast<std::int32_t>(i));
  for (std::size_t l = 0; l < links; ++l) {
    const std::size_t i = random() % contacts, j = random() % contacts;
    pattern[i].insert(static_cast<std::int32_t>(j));
    if (!one_sided || l % 3 > 0) pattern[j].insert(static_cast<std::int32_t>(i));
  }
  return pattern;
}

void expect_solved(const std::vector<std::set<std::int32_t>>& pattern, std::mt19937_64& random) {
  IslandSystem system = matrix_of(pattern, random);
  const std::size_t contacts = system.contacts();
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers x(3 * contacts), right, diagonal(9 * contacts);
  for (double& value : x) value = uniform(random);
  for (double& value : diagonal) value = uniform(random);
  velocities(system, x, right);
  for (std::size_t i = 0; i < contacts; ++i) add_product(&diagonal[9 * i], &x[3 * i], &right[3 * i]);
  BlockLu lu;
  lu.plan(system);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(lu.factor(system.block, diagonal));
    Numbers solution = right;
    lu.solve(solution);
    // Dominant diagonals keep the condition number below some 10.
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(solution[i], x[i], 1e-13);
  }
}

TEST(BlockLu, solves_for_random_patterns) {
  std::mt19937_64 random(1);
  for (const std::size_t contacts : {1u, 2u, 3u, 5u, 9u, 20u, 50u, 120u})
    for (const std::size_t links_each : {0u, 1u, 2u, 5u})
      for (const bool one_sided : {false, true}) {
        SCOPED_TRACE(std::to_string(contacts) + " contacts, " + std::to_string(links_each) + " links each");
        expect_solved(random_pattern(contacts, contacts * links_each, one_sided, random), random);
      }
}

TEST(BlockLu, solves_for_chains_grids_twins_and_full_matrices) {
  std::mt19937_64 random(2);
  const auto link = [](std::vector<std::set<std::int32_t>>& pattern, std::size_t i, std::size_t j) {
    pattern[i].insert(static_cast<std::int32_t>(j));
    pattern[j].insert(static_cast<std::int32_t>(i));
  };
  std::vector<std::set<std::int32_t>> chain(40), grid(144), twins(48), full(15);
  for (auto* pattern : {&chain, &grid, &twins, &full})
    for (std::size_t i = 0; i < pattern->size(); ++i) (*pattern)[i].insert(static_cast<std::int32_t>(i));
  for (std::size_t i = 1; i < chain.size(); ++i) link(chain, i - 1, i);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (i % 12 > 0) link(grid, i, i - 1);
    if (i >= 12) link(grid, i, i - 12);
  }
  // Four contacts of each pair of bodies in a stack.
  for (std::size_t i = 0; i < twins.size(); ++i)
    for (std::size_t j = i + 1; j < twins.size(); ++j)
      if (j / 4 - i / 4 <= 1) link(twins, i, j);
  for (std::size_t i = 0; i < full.size(); ++i)
    for (std::size_t j = i + 1; j < full.size(); ++j) link(full, i, j);
  for (const auto* pattern : {&chain, &grid, &twins, &full}) expect_solved(*pattern, random);
}

TEST(BlockLu, a_stack_is_factored_without_fill) {
  // Minimum degree takes a chain of groups from its ends: each of 4 contacts meets 4 others at most.
  std::vector<std::set<std::int32_t>> twins(400);
  for (std::int32_t i = 0; i < 400; ++i)
    for (std::int32_t j = 0; j < 400; ++j)
      if (std::abs(j / 4 - i / 4) <= 1) twins[static_cast<std::size_t>(i)].insert(j);
  std::mt19937_64 random(3);
  BlockLu lu;
  lu.plan(matrix_of(twins, random));
  for (const Front& front : lu.tree().front) EXPECT_LE(front.rest, 8);
}

TEST(BlockLu, a_singular_matrix_is_told) {
  std::mt19937_64 random(4);
  IslandSystem system = matrix_of({{0}}, random);
  system.block.assign(9, 1);
  BlockLu lu;
  lu.plan(system);
  EXPECT_FALSE(lu.factor(system.block, Numbers(9)));
  system.block.assign(9, std::nan(""));
  EXPECT_FALSE(lu.factor(system.block, Numbers(9)));
}

}  // namespace
}  // namespace carom::systems
