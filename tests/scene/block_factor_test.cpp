// The factorisation of matrices of bodies.
#include "linear/block_factor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/jobs/dispatch.hpp"
#include "support/running/isas.hpp"

namespace carom::scenes {
namespace {

/// A random sum of J Jᵀ over the edges of a graph, and a multiple of 1, in blocks and dense.
struct RandomSystem {
  scene::direct::BlockFactor factor;
  std::vector<double> dense, right;

  RandomSystem(std::size_t bodies, std::mt19937& random, Isa isa) : dense(36 * bodies * bodies) {
    using namespace scene::direct;
    std::uniform_real_distribution<double> draw(-1, 1);
    Array<Edge> edges;
    for (std::size_t k = 0; bodies > 1 && k < 2 * bodies; ++k) {
      const auto a = static_cast<std::int32_t>(random() % bodies), b = static_cast<std::int32_t>(random() % bodies);
      if (a != b) edges.push_back({a, b});
    }
    factor.use(*find_isa(isa).scene.blocks);
    EXPECT_TRUE(factor.plan(bodies, edges, 1e9));
    factor.clear();
    const std::size_t n = 6 * bodies;
    for (std::size_t i = 0; i < n; ++i) {
      dense[i * n + i] = 1;
      factor.diagonal(i / 6).column[i % 6][i % 6] = 1;
    }
    for (const Edge& edge : edges) {
      const std::size_t at[2] = {factor.position(static_cast<std::size_t>(edge[0])),
                                 factor.position(static_cast<std::size_t>(edge[1]))};
      double j[2][6];
      for (auto& side : j)
        for (double& x : side) x = draw(random);
      for (int s = 0; s < 2; ++s)
        for (int t = 0; t < 2; ++t)
          for (std::size_t r = 0; r < 6; ++r)
            for (std::size_t c = 0; c < 6; ++c) {
              dense[(6 * at[s] + r) * n + 6 * at[t] + c] += j[s][r] * j[t][c];
              if (s == t)
                factor.diagonal(at[s]).column[c][r] += j[s][r] * j[t][c];
              else if (at[s] > at[t])
                factor.block(factor.between(at[t], at[s])).column[c][r] += j[s][r] * j[t][c];
            }
    }
    for (std::size_t i = 0; i < n; ++i) right.push_back(draw(random));
  }

  /// `cuts`: columns at which the factorisation is interrupted.
  std::vector<double> solution(const std::vector<std::size_t>& cuts = {}) {
    std::vector<scene::direct::BodyRow> x(right.size() / 6, scene::direct::BodyRow{});
    for (std::size_t i = 0; i < right.size(); ++i) x[i / 6].at[i % 6] = right[i];
    std::size_t first = 0;
    for (const std::size_t cut : cuts) {
      EXPECT_TRUE(factor.factor(first, cut));
      first = cut;
    }
    EXPECT_TRUE(factor.factor(first, factor.bodies()));
    factor.solve(x.data());
    std::vector<double> numbers;
    for (std::size_t i = 0; i < right.size(); ++i) numbers.push_back(x[i / 6].at[i % 6]);
    return numbers;
  }
};

TEST(BlockFactor, solves_a_random_positive_definite_system) {
  for (const Isa isa : available_isas()) {
    std::mt19937 random(7);
    for (const std::size_t bodies : {1u, 2u, 7u, 30u}) {
      RandomSystem system(bodies, random, isa);
      const std::vector<double> x = system.solution();
      const std::size_t n = x.size();
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0, size = 0;
        for (std::size_t k = 0; k < n; ++k) {
          sum += system.dense[i * n + k] * x[k];
          size += std::abs(system.dense[i * n + k] * x[k]);
        }
        // The backward error of Cholesky's method is 3 n ε at most.
        EXPECT_NEAR(sum, system.right[i],
                    3 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * (size + 1))
            << bodies << to_string(isa);
      }
    }
  }
}

TEST(BlockFactor, has_the_same_bits_on_every_isa_with_fused_multiply_adds) {
  for (const Isa isa : support::isas_with_fma()) {
    std::mt19937 random(7), again(7);
    for (const std::size_t bodies : {1u, 2u, 7u, 30u})
      EXPECT_EQ(RandomSystem(bodies, random, isa).solution(), RandomSystem(bodies, again, Isa::scalar).solution())
          << bodies << to_string(isa);
  }
}

TEST(BlockFactor, in_slices_is_the_same) {
  std::mt19937 random(7), again(7);
  EXPECT_EQ(RandomSystem(30, random, Isa::automatic).solution({1, 7, 29}),
            RandomSystem(30, again, Isa::automatic).solution());
}

// Each body of a row touches two of the row below. The sum of each row of the matrix is the right-hand side of ones.
TEST(BlockFactor, of_a_pyramid_is_dissected) {
  constexpr int base = 60;
  Array<scene::direct::Edge> edges;
  Array<std::array<double, 3>> places;
  for (std::int32_t row = 0; row < base; ++row)
    for (std::int32_t i = 0; i < base - row; ++i) {
      const auto at = static_cast<std::int32_t>(places.size()), below = at - (base - row) - 1;
      places.push_back({i + 0.5 * row, 0, static_cast<double>(row)});
      if (row > 0) edges.insert(edges.end(), {{at, below}, {below + 1, at}});
    }
  scene::direct::BlockFactor by_degree, factor;
  factor.use(*find_isa(Isa::automatic).scene.blocks);
  ASSERT_TRUE(by_degree.plan(places.size(), edges, 1e9));
  ASSERT_TRUE(factor.plan(places.size(), edges, 1e9, places));
  EXPECT_LT(factor.work(), 0.9 * by_degree.work());
  factor.clear();
  std::vector<scene::direct::BodyRow> x(places.size(), scene::direct::BodyRow{});
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c) {
      factor.diagonal(i).column[c][c] = 5;
      x[i].at[c] = 5;
    }
  for (const auto& [a, b] : edges) {
    const std::size_t i = factor.position(static_cast<std::size_t>(a)),
                      k = factor.position(static_cast<std::size_t>(b));
    for (std::size_t c = 0; c < 6; ++c) {
      factor.block(factor.between(std::min(i, k), std::max(i, k))).column[c][c] = -1;
      x[i].at[c] -= 1;
      x[k].at[c] -= 1;
    }
  }
  ASSERT_TRUE(factor.factor());
  factor.solve(x.data());
  // The eigenvalues lie between 1 and 9.
  for (const scene::direct::BodyRow& row : x)
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(row.at[c], 1, 1e-12);
}

TEST(BlockFactor, refuses_a_plan_that_takes_more_work_than_allowed) {
  scene::direct::BlockFactor factor;
  factor.use(*find_isa(Isa::automatic).scene.blocks);
  EXPECT_FALSE(factor.plan(3, {{0, 1}, {1, 2}}, 100));
  EXPECT_TRUE(factor.plan(3, {{0, 1}, {1, 2}}, 1e5));
  EXPECT_GT(factor.work(), 100);
}

TEST(BlockFactor, fails_on_a_matrix_that_is_not_positive_definite_or_not_finite) {
  scene::direct::BlockFactor factor;
  factor.use(*find_isa(Isa::automatic).scene.blocks);
  ASSERT_TRUE(factor.plan(1, {}, 1e5));
  factor.clear();
  EXPECT_FALSE(factor.factor());
  factor.clear();
  for (std::size_t i = 0; i < 6; ++i) factor.diagonal(0).column[i][i] = std::nan("");
  EXPECT_FALSE(factor.factor());
}

}  // namespace
}  // namespace carom::scenes
