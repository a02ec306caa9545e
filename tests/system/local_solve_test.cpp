// The exact solution of one contact and the projection onto its cone, by themselves.
#include "systems/solvers/local_solve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "system_data.hpp"
#include "systems/problem/measure.hpp"

namespace carom::test {
namespace {

/// W = Hᵀ H of a contact whose H has rows of the lengths `size`; three rows make it regular. Levers stay short enough
/// for friction below 1 that there is one solution.
std::array<double, 9> random_block(std::mt19937_64& random, const std::array<double, 3>& size) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  double h[3][3];
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t c = 0; c < 3; ++c) h[row][c] = size[row] * (row == c ? 1 : 0.3 * uniform(random));
  std::array<double, 9> w{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t row = 0; row < 3; ++row) w[3 * i + j] += h[row][i] * h[row][j];
  return w;
}

/// The error of r, relative to b and with the contact's own mass.
double error_of(const std::array<double, 9>& w, const double* b, double friction, const double* r) {
  const double mass = 3 / (w[0] + w[4] + w[8]);
  std::vector<double> q(b, b + 3), scaled(w.begin(), w.end());
  for (double& x : scaled) x *= mass;
  return error_of(system_of(scaled, q, {friction}), {r[0] / mass, r[1] / mass, r[2] / mass});
}

TEST(LocalSolve, is_exact_at_every_visit) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int slips = 0;
  for (const std::array<double, 3> size :
       {std::array{1.0, 1.0, 1.0}, {1e-3, 1.0, 1.0}, {30.0, 1.0, 1.0}, {1.0, 1.0, 20.0}})
    for (const double friction : {0.0, 1e-6, 0.1, 0.5})
      for (int contact = 0; contact < 25; ++contact) {
        const std::array<double, 9> w = random_block(random, size);
        systems::LocalContact local(w.data(), friction);
        double r[3] = {0, 0, 0};
        // The velocities of later visits are near and far from the first one's, whose root they begin with.
        const double first[3] = {uniform(random), uniform(random), -1};
        for (const double change : {0.0, 0.0, 1e-3, 1.0, 100.0, 1e-6}) {
          double b[3];
          for (std::size_t a = 0; a < 3; ++a) b[a] = first[a] + change * uniform(random);
          local.solve(b, r);
          if (std::hypot(r[0], r[1]) > 0.999 * friction * r[2] && r[2] > 0) ++slips;
          // The root is found to 1e-14 of the impulse, which is at most 1e3 of the velocity in its own mass.
          EXPECT_LE(error_of(w, b, friction, r), 1e-10) << friction << " " << size[0] << " " << change;
        }
      }
  EXPECT_GT(slips, 500);
}

// W has no second tangent, or only the normal: a step is proximal, and visits converge.
TEST(LocalSolve, converges_where_tangents_are_singular) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::array<double, 3> size : {std::array{1.0, 0.0, 1.0}, {0.0, 0.0, 1.0}})
    for (int contact = 0; contact < 25; ++contact) {
      const std::array<double, 9> w = random_block(random, size);
      systems::LocalContact local(w.data(), 0.5);
      // b in the range of W, so that there is a solution.
      const double z[3] = {uniform(random), uniform(random), -2};
      double b[3] = {0, 0, 0}, r[3] = {0, 0, 0};
      systems::add_product(w.data(), z, b);
      for (int visit = 0; visit < 5; ++visit) local.solve(b, r);
      for (const double x : r) ASSERT_TRUE(std::isfinite(x));
      EXPECT_LE(error_of(w, b, 0.5, r), 1e-8);
    }
}

TEST(Projection, moves_along_the_normal_of_the_cone) {
  for (const double friction : {1e-3, 0.5, 2.0})
    for (const double angle : {0.0, 1.0, 4.0})
      for (const double outside : {0.0, 0.1, 1.0, 50.0}) {
        // A point on the cone and points outside in direction of the normal; n is below 0 for the farthest.
        const double x = std::cos(angle), y = std::sin(angle), length = outside / std::hypot(1, friction);
        const double on[3] = {2 * friction * x, 2 * friction * y, 2};
        double r[3] = {on[0] + length * x, on[1] + length * y, on[2] - friction * length};
        systems::project(r, friction);
        for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(r[a], on[a], 1e-14 * (1 + outside));
        double inside[3] = {0.9 * on[0], 0.9 * on[1], 2}, polar[3] = {x, y, -friction - 1e-9};
        systems::project(inside, friction);
        EXPECT_EQ(inside[0], 0.9 * on[0]);
        EXPECT_EQ(inside[2], 2);
        systems::project(polar, friction);
        EXPECT_EQ(polar[0], 0);
        EXPECT_EQ(polar[2], 0);
      }
}

}  // namespace
}  // namespace carom::test
