// The kernels find the diverging ray by a secular equation, the reference by [R]'s quartic. Two ways, one ray.
#include "contact/kernels/laws/incremental/sticking.hpp"

#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/contacts/random_contacts.hpp"

namespace carom {
namespace {

using support::RandomSpaceContacts;

template <class T>
class DivergingRay : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DivergingRay, Precisions);

template <class T>
kernel::DivergingRay<T> ray_of(T m1, T m2, T k1, T k2, T friction) {
  return kernel::diverging_ray<kernel::Scalar, T>(true, m1, m2, k1, k2, friction);
}

// |(λ + μ M) ψ - k|, relative to the largest that its terms can be.
double residual(double m1, double m2, double k1, double k2, double mu, double x, double y, double lambda) {
  const double rx = (lambda + mu * m1) * x - k1, ry = (lambda + mu * m2) * y - k2;
  return std::hypot(rx, ry) / (lambda + mu * m1 + std::hypot(k1, k2));
}

TYPED_TEST(DivergingRay, of_the_secular_equation_is_that_of_the_quartic) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const RandomSpaceContacts<T> contacts(20000, 41);
  int unstable = 0;
  for (std::size_t i = 0; i < 20000; ++i) {
    // M along its axes: the diagonal of a random one, the larger first.
    const std::size_t large = contacts.k[0][i] > contacts.k[3][i] ? 0 : 3;
    const T t1 = contacts.k[large][i], t2 = contacts.k[3 - large][i], t3 = contacts.k[2][i], t4 = contacts.k[4][i];
    const double m1 = static_cast<double>(t1), m2 = static_cast<double>(t2);
    const double k1 = static_cast<double>(t3), k2 = static_cast<double>(t4);
    const double k33 = 1 + k1 * k1 / m1 + k2 * k2 / m2;
    const double q = std::hypot(k1 / m1, k2 / m2);
    // From hardly any friction to hardly any room left for a ray.
    for (const double part : {1e-6, 0.1, 0.5, 0.9, 0.999}) {
      const T friction = static_cast<T>(part * q);
      const double mu = static_cast<double>(friction);
      if (!(mu < q * (1 - 10 * epsilon))) continue;
      ++unstable;
      const auto ray = ray_of<T>(t1, t2, t3, t4, friction);
      const double x = static_cast<double>(ray.x), y = static_cast<double>(ray.y);
      const double lambda = static_cast<double>(ray.rate);
      ASSERT_NEAR(std::hypot(x, y), 1, 2 * epsilon);
      ASSERT_GE(lambda, 0);
      // Four rounding errors in each of k - μ M ψ along and across ψ, and in ψ itself.
      const double left = residual(m1, m2, k1, k2, mu, x, y, lambda);
      ASSERT_LE(left, 16 * epsilon) << i;

      const double angle = reference::diverging_ray({{{m1, 0, k1}, {0, m2, k2}, {k1, k2, k33}}}, mu);
      const double cosine = std::cos(angle), sine = std::sin(angle);
      // Two unit vectors that solve (λ + μ M) ψ = k up to residuals ρ differ by at most Σρ / (λ + μ λ_min(M)): multiply
      // the difference of the two equations by the difference of the vectors.
      const double size = lambda + mu * m1 + std::hypot(k1, k2);
      const double bound = size * (16 + 16) * epsilon / (lambda + mu * m2);
      EXPECT_LE(std::hypot(x - cosine, y - sine), bound) << i;
    }
  }
  EXPECT_GT(unstable, 50000);
}

// [R] 3.7: μ = 0.7, K = (20 0 1; 0 4 6; 1 6 10) has rays at 86.669°, 209.082°, 281.352° and 322.897°, the first
// diverges.
TYPED_TEST(DivergingRay, of_the_example_of_the_source) {
  using T = TypeParam;
  const auto ray = ray_of<T>(20, 4, 1, 6, T(0.7));
  const double angle = std::atan2(static_cast<double>(ray.y), static_cast<double>(ray.x)) * 180 / std::numbers::pi;
  EXPECT_NEAR(angle, 86.669, 0.0005);
  // dr/dp_z = k·ψ - μ ψ·M ψ
  const double x = static_cast<double>(ray.x), y = static_cast<double>(ray.y);
  EXPECT_NEAR(static_cast<double>(ray.rate), x + 6 * y - 0.7 * (20 * x * x + 4 * y * y),
              40 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

TYPED_TEST(DivergingRay, without_friction_points_along_k) {
  using T = TypeParam;
  const auto ray = ray_of<T>(5, 3, 3, -4, 0);
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(static_cast<double>(ray.x), 0.6, 2 * epsilon);
  EXPECT_NEAR(static_cast<double>(ray.y), -0.8, 2 * epsilon);
  EXPECT_NEAR(static_cast<double>(ray.rate), 5, 10 * epsilon);
}

}  // namespace
}  // namespace carom
