// Iterative laws at the limits of their data. The result of a lane does not depend on other lanes. Built once per ISA,
// with its flags; CAROM_TEST_ISA names the architecture.
#include <gtest/gtest.h>

#include <limits>

#include "contact/kernels/laws/algebraic/anitescu_potra.hpp"
#include "contact/kernels/laws/algebraic/smith.hpp"
#include "contact/kernels/laws/algebraic/whittaker.hpp"
#include "support/laws/law_lanes.hpp"

namespace carom {
namespace {

using kernel::AnitescuPotra;
using kernel::Scalar;
using kernel::Smith;
using kernel::Whittaker;
using support::apply_law;
using support::infinity;
using support::LawCase;
using support::LawFound;
using support::random_cases;
using Isa = CAROM_TEST_ISA;

template <class T, class L>
struct With {
  using Number = T;
  using Law = L;
};
template <class W>
class LimitsOf : public testing::Test {
 public:
  using T = typename W::Number;
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  static std::vector<LawFound> apply(const std::vector<LawCase>& cases) {
    return apply_law<typename W::Law, Isa, T>(cases);
  }
};
using Laws = testing::Types<With<float, Whittaker>, With<double, Whittaker>, With<float, Smith>, With<double, Smith>,
                            With<float, AnitescuPotra>, With<double, AnitescuPotra>>;
TYPED_TEST_SUITE(LimitsOf, Laws);

// Eight roundings of terms of this size, as in iterative_laws_test.cpp; twice as many in two phases.
double bound(const LawFound& f, double epsilon) {
  return 16 * epsilon * support::size_of_terms(f);
}

double slip_after(const LawFound& f) {
  const auto u = velocity_after(f, f.p);
  return std::hypot(u[0], u[1]);
}

TYPED_TEST(LimitsOf, without_friction_only_the_normal_velocity_changes) {
  auto cases = random_cases(2000, 11);
  for (LawCase& c : cases) c.friction = 0;
  for (const LawFound& f : TestFixture::apply(cases)) {
    ASSERT_EQ(f.p[0], 0);
    ASSERT_EQ(f.p[1], 0);
    ASSERT_NEAR(f.p[2], -(1 + f.restitution) * f.u0[2] / f.k33, bound(f, TestFixture::epsilon));
    ASSERT_FALSE(f.several);
  }
}

// It sticks, or the normal impulse vanishes to rounding; very large friction has the same result.
TYPED_TEST(LimitsOf, unbounded_friction_is_the_limit_of_large_friction) {
  auto cases = random_cases(4000, 12, 4);
  for (LawCase& c : cases) c.friction = infinity;
  const auto unbounded = TestFixture::apply(cases);
  for (LawCase& c : cases) c.friction = 0.25 / TestFixture::epsilon;
  const auto large = TestFixture::apply(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LawFound& f = unbounded[i];
    ASSERT_TRUE(std::isfinite(f.p[0]) && std::isfinite(f.p[1]) && std::isfinite(f.p[2]));
    ASSERT_GE(f.p[2], 0);
    if (f.several || large[i].several) continue;
    // μ acts through 1 / μ <= 4 ε: through |p_t| / (μ p_z) where friction reverses the slip, and through the p_z that
    // large friction still needs where unbounded friction needs none. The eigenvalues of K lie within a factor of 16 of
    // each other, and so the solution follows a change of the equations by no more than 16² times its size: of K and of
    // S made of it.
    const double left = bound(f, TestFixture::epsilon);
    const double reversed = f.p[2] > 64 * left ? f.tangential() / f.p[2] : 0;
    const double needed = f.p[2] > 64 * left ? 0 : large[i].p[2];
    const double change = 256 * (left * (1 + reversed) + needed);
    for (std::size_t j = 0; j < 3; ++j) ASSERT_NEAR(f.p[j], large[i].p[j], change);
  }
}

// The first slip has no direction then: it sticks where |p_t| <= μ p_z with p = K⁻¹(u - u0), else it slips.
TYPED_TEST(LimitsOf, head_on) {
  auto cases = random_cases(4000, 13);
  for (LawCase& c : cases) c.u0[0] = c.u0[1] = 0;
  int slips = 0;
  const auto found = TestFixture::apply(cases);
  const auto whittaker = apply_law<Whittaker, Isa, typename TypeParam::Number>(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LawFound& f = found[i];
    const double det = f.m11 * f.m22 - f.m12 * f.m12;
    const double q1 = (f.m22 * f.k1 - f.m12 * f.k2) / det, q2 = (f.m11 * f.k2 - f.m12 * f.k1) / det;
    const double q = std::hypot(q1, q2);
    if (std::abs(q - f.friction) < 1e-3 * q) continue;
    slips += q > f.friction;
    if (q < f.friction) {
      ASSERT_NEAR(slip_after(f), 0, bound(f, TestFixture::epsilon));
    } else {
      ASSERT_GT(slip_after(f), 0);
    }
    // All of them are a law of the last slip here, and at a given ratio p_t / p_z in one or two phases alike.
    for (std::size_t j = 0; j < 3; ++j) ASSERT_NEAR(f.p[j], whittaker[i].p[j], 2048 * bound(f, TestFixture::epsilon));
  }
  EXPECT_GT(slips, 500);
}

TYPED_TEST(LimitsOf, grazing) {
  auto cases = random_cases(4000, 14);
  for (const double approach : {1e-4, 1e-9, 1e-18, 1e-30}) {
    for (LawCase& c : cases) c.u0[2] = -approach;
    for (const LawFound& f : TestFixture::apply(cases)) {
      const auto u = velocity_after(f, f.p);
      ASSERT_GE(f.p[2], 0);
      ASSERT_GE(u[2], -bound(f, TestFixture::epsilon));
      ASSERT_LE(f.tangential(), f.friction * f.p[2] + bound(f, TestFixture::epsilon));
      // p_z = c / (K_33 - μ k·d) with |d| <= 1, in each of two phases; if friction jams, the impulse is finite.
      if (f.friction * std::hypot(f.k1, f.k2) < 0.5 * f.k33) {
        ASSERT_LE(f.p[2], (1 + f.restitution) * -f.u0[2] / (0.5 * f.k33) + bound(f, TestFixture::epsilon));
      }
    }
  }
}

// Condition 1e8 in double, and the corresponding one in float. The equations hold as accurately as elsewhere; only the
// solution is uncertain.
TYPED_TEST(LimitsOf, nearly_singular_matrices) {
  const double condition = sizeof(typename TypeParam::Number) == sizeof(float) ? 3e3 : 1e8;
#ifdef CAROM_UNFUSED
  // The determinants in M⁻¹ lose as many digits.
  const double precision = TestFixture::epsilon * condition;
#else
  const double precision = TestFixture::epsilon;
#endif
  for (const LawFound& f : TestFixture::apply(random_cases(20000, 15, std::sqrt(condition)))) {
    ASSERT_GE(f.p[2], 0);
    const auto u = velocity_after(f, f.p);
    ASSERT_NEAR(u[0], f.u[0], bound(f, precision));
    ASSERT_NEAR(u[1], f.u[1], bound(f, precision));
    ASSERT_NEAR(u[2], f.u[2], bound(f, precision));
    ASSERT_GE(u[2], -bound(f, precision));
    ASSERT_LE(f.tangential(), f.friction * f.p[2] + 2 * bound(f, precision));
  }
}

TYPED_TEST(LimitsOf, a_result_does_not_depend_on_the_other_lanes) {
  auto cases = random_cases(997, 16, 32, 8);
  for (std::size_t i = 0; i < cases.size(); i += 7) cases[i].friction = i % 2 == 0 ? 0 : infinity;
  for (std::size_t i = 3; i < cases.size(); i += 11) cases[i].u0[0] = cases[i].u0[1] = 0;
  const auto together = TestFixture::apply(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto alone = TestFixture::apply({cases[i]})[0];
    LawCase separating = cases[i], broken = cases[i];
    separating.u0[2] = 1;
    broken.k[0] = std::numeric_limits<double>::quiet_NaN();
    const auto among = TestFixture::apply({cases[i], separating, broken, cases[(i + 1) % cases.size()]})[0];
    for (const LawFound& other : {alone, among}) {
      ASSERT_EQ(other.p, together[i].p);
      ASSERT_EQ(other.u, together[i].u);
      ASSERT_EQ(other.slips, together[i].slips);
      ASSERT_EQ(other.several, together[i].several);
    }
  }
}

TYPED_TEST(LimitsOf, lanes_have_the_bits_of_the_scalar_kernel) {
  using Number = typename TypeParam::Number;
  const auto cases = random_cases(5000, 17, 32, 8);
  const auto lanes = TestFixture::apply(cases);
  const auto scalar = apply_law<typename TypeParam::Law, Scalar, Number>(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(lanes[i].p, scalar[i].p);
    ASSERT_EQ(lanes[i].u, scalar[i].u);
    ASSERT_EQ(lanes[i].slips, scalar[i].slips);
    ASSERT_EQ(lanes[i].several, scalar[i].several);
  }
}

// Two phases and Smith's mean take energy away; Whittaker's law is known not to.
TYPED_TEST(LimitsOf, energy) {
  double largest = -infinity;
  for (const LawFound& f : TestFixture::apply(random_cases(50000, 18))) {
    const auto u = velocity_after(f, f.p);
    double gain = 0;
    for (std::size_t j = 0; j < 3; ++j) gain += 0.5 * f.p[j] * (u[j] + f.u0[j]);
    largest = std::max(largest, gain / (support::size_of_terms(f) * support::size_of_terms(f)));
  }
  if (std::is_same_v<typename TypeParam::Law, Whittaker>) {
    EXPECT_GT(largest, 1e-3);
  } else {
    EXPECT_LE(largest, 16 * TestFixture::epsilon);
  }
}

}  // namespace
}  // namespace carom
