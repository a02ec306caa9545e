// The rays of constant sliding: the quartic against eq. 7 of the paper and against the secular equation.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double degree = std::numbers::pi / 180;

TEST(rays, those_of_the_paper_are_found) {
  const std::vector<double> rays = rays_of_constant_sliding(unstable_example, 0.7);
  ASSERT_EQ(rays.size(), 4u);
  const double expected[] = {209.082 - 360, 281.352 - 360, 322.897 - 360, 86.669};
  // The expected angles are rounded to a thousandth of a degree.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(rays[i] / degree, expected[i], 0.0005 + 1e-12);
}

TEST(rays, only_the_first_of_the_paper_diverges) {
  for (double ray : rays_of_constant_sliding(unstable_example, 0.7))
    EXPECT_EQ(growth(unstable_example, 0.7, ray) > 0, std::abs(ray / degree - 86.669) < 1) << ray / degree;
  EXPECT_NEAR(diverging_ray(unstable_example, 0.7) / degree, 86.669, 0.0005 + 1e-12);
}

TEST(rays, sliding_keeps_its_direction_on_every_ray) {
  for (const Collision& c : random_collisions(2000, 11, 200)) {
    const std::vector<double> rays = rays_of_constant_sliding(c.k, c.friction);
    // The slip's turning is a function of the angle with mean 0 and at most four zeros.
    EXPECT_TRUE(rays.size() == 2 || rays.size() == 4) << rays.size();
    EXPECT_TRUE(std::is_sorted(rays.begin(), rays.end()));
    for (double ray : rays) {
      EXPECT_GT(ray, -std::numbers::pi);
      EXPECT_LE(ray, std::numbers::pi);
      const Vector3 rate = sliding_rate(c.k, c.friction, ray);
      const double turning = std::cos(ray) * rate[1] - std::sin(ray) * rate[0];
      // Magnitude of the terms of `turning` and of its derivative. The angle has a rounding error of at most 2 epsilon,
      // each of some ten operations half an epsilon.
      const double scale = c.friction * trace(c.k) + std::hypot(c.k[0][2], c.k[1][2]);
      EXPECT_LE(std::abs(turning), 16 * epsilon * scale);
    }
  }
}

TEST(rays, the_diverging_ray_solves_the_secular_equation) {
  std::size_t unstable = 0;
  for (const Collision& c : random_collisions(4000, 12, 200)) {
    const auto q = q_of(c.k);
    if (std::hypot(q[0], q[1]) <= c.friction) continue;
    ++unstable;
    const double psi = diverging_ray(c.k, c.friction);
    const double lambda = growth(c.k, c.friction, psi);
    EXPECT_GT(lambda, 0);
    // (λ 1 + μ M) ψ̂ = k
    const double x = std::cos(psi), y = std::sin(psi), m = c.friction;
    const double residual_x = (lambda + m * c.k[0][0]) * x + m * c.k[0][1] * y - c.k[0][2];
    const double residual_y = m * c.k[0][1] * x + (lambda + m * c.k[1][1]) * y - c.k[1][2];
    const double scale = m * trace(c.k) + std::hypot(c.k[0][2], c.k[1][2]);
    EXPECT_LE(std::hypot(residual_x, residual_y), 32 * epsilon * scale);
  }
  EXPECT_GT(unstable, 200u);
}

TEST(rays, pi_is_an_ordinary_angle) {
  // Sliding along -x under symmetry about x: a ray, and the diverging one because k points there and exceeds μ M.
  const Matrix3 k = symmetric(1, 0, -0.9, 2, 0, 3);
  EXPECT_EQ(diverging_ray(k, 0.5), std::numbers::pi);
  const auto rays = rays_of_constant_sliding(k, 0.5);
  EXPECT_EQ(std::count(rays.begin(), rays.end(), std::numbers::pi), 1);
}

TEST(rays, turning_the_tangents_turns_the_diverging_ray) {
  // Base: the paper's example. Each turn puts its ray at, or at a tiny distance from, an angle with a special place in
  // tan(θ/2): 0, ±π/2, π.
  const double base = diverging_ray(unstable_example, 0.7);
  for (double target : {0.0, 0.5 * std::numbers::pi, -0.5 * std::numbers::pi, std::numbers::pi})
    for (double offset : {0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-8, -1e-8, 1e-4, -1e-4}) {
      const double turn = target + offset - base;
      const double c = std::cos(turn), s = std::sin(turn);
      const auto& k = unstable_example;
      const double xx = c * c * k[0][0] - 2 * c * s * k[0][1] + s * s * k[1][1];
      const double yy = s * s * k[0][0] + 2 * c * s * k[0][1] + c * c * k[1][1];
      const double xy = c * s * (k[0][0] - k[1][1]) + (c * c - s * s) * k[0][1];
      const Matrix3 turned = symmetric(xx, xy, c * k[0][2] - s * k[1][2], yy, s * k[0][2] + c * k[1][2], k[2][2]);
      const double found = diverging_ray(turned, 0.7);
      // The turning's derivative on this ray is about -17 and its terms sum up to about 20: rounding each of some
      // twenty operations moves the zero by less than 32 epsilon.
      EXPECT_LE(std::abs(std::remainder(found - (target + offset), 2 * std::numbers::pi)), 32 * epsilon);
    }
}

}  // namespace
}  // namespace carom::reference
