// The laws that need an iteration, on the lanes of one ISA: their defining equations, and which solution they take.
// Built once an ISA, with its flags; CAROM_TEST_ISA names the architecture.
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

template <class T>
class IterativeLaws : public testing::Test {
 public:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(IterativeLaws, Precisions);

// Every equation of the laws is a sum of products of numbers, each of which is rounded once or twice; the largest are
// of the size of |u0| + |K| |p|. Eight times a half for the equation, and as much for its solution. Without a fused
// multiply-add the determinants of 2x2 systems lose digits, up to as many as the condition of K has, here 32².
#ifdef CAROM_UNFUSED
constexpr double roundings = 8 * 32 * 32;
#else
constexpr double roundings = 8;
#endif

double cross(double ax, double ay, double bx, double by) {
  return ax * by - ay * bx;
}

/// Against which friction acts: p_t = -μ p_z d, or |p_t| < μ p_z without slip.
void expect_ncp(const LawFound& f, double epsilon) {
  const auto u = velocity_after(f, f.p);
  const double size = size_of_terms(f), bound = roundings * epsilon * size;
  ASSERT_GE(f.normal(), 0);
  if (f.slips) {
    const double limit = f.friction * f.normal();
    if (std::isfinite(f.friction)) {
      ASSERT_NEAR(f.tangential(), limit, bound * std::max(1.0, f.friction));
    } else {
      ASSERT_NEAR(f.normal(), 0, bound);
    }
    if (f.tangential() > 0) {
      ASSERT_NEAR(cross(f.p[0], f.p[1], u[0], u[1]) / f.tangential(), 0, bound);
      ASSERT_LE((f.p[0] * u[0] + f.p[1] * u[1]) / f.tangential(), bound);
    }
  } else {
    ASSERT_NEAR(std::hypot(u[0], u[1]), 0, bound);
    if (std::isfinite(f.friction)) {
      ASSERT_LE(f.tangential(), f.friction * f.normal() + bound * std::max(1.0, f.friction));
    }
  }
}

void expect_its_velocity(const LawFound& f, double epsilon) {
  const auto u = velocity_after(f, f.p);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(f.u[i], u[i], roundings * epsilon * size_of_terms(f));
}

void expect_whittaker(const LawFound& f, double epsilon) {
  ASSERT_FALSE(f.none);
  ASSERT_NEAR(velocity_after(f, f.p)[2], -f.restitution * f.u0[2], roundings * epsilon * size_of_terms(f));
  expect_ncp(f, epsilon);
  expect_its_velocity(f, epsilon);
}

/// D of Smith's law.
std::array<double, 2> mean_slip(const LawFound& f, double u1, double u2) {
  const double first = std::hypot(f.u0[0], f.u0[1]), last = std::hypot(u1, u2);
  const double weight = first * first + last * last;
  return {(first * f.u0[0] + last * u1) / weight, (first * f.u0[1] + last * u2) / weight};
}

void expect_smith(const LawFound& f, double epsilon) {
  ASSERT_FALSE(f.none);
  ASSERT_GE(f.normal(), 0);
  const auto u = velocity_after(f, f.p);
  const double size = size_of_terms(f), bound = roundings * epsilon * size;
  ASSERT_NEAR(u[2], -f.restitution * f.u0[2], bound);
  // D changes by no more than 2 |u_t| / |u0_t|² or so per change of u_t, and u_t is uncertain by `bound`.
  const auto d = mean_slip(f, u[0], u[1]);
  const double first = std::hypot(f.u0[0], f.u0[1]);
  const double m = f.friction * f.normal();
  ASSERT_NEAR(std::hypot(f.p[0] + m * d[0], f.p[1] + m * d[1]), 0, bound * (1 + 4 * m / first));
  expect_its_velocity(f, epsilon);
}

TYPED_TEST(IterativeLaws, whittaker_solves_its_equations) {
  int slips = 0;
  for (const LawFound& f : apply_law<Whittaker, Isa, TypeParam>(random_cases(100000, 1))) {
    expect_whittaker(f, TestFixture::epsilon);
    if (testing::Test::HasFatalFailure()) return;
    slips += f.slips;
  }
  EXPECT_GT(slips, 50000);
  EXPECT_LT(slips, 95000);
}

TYPED_TEST(IterativeLaws, smith_solves_its_equations) {
  for (const double friction : {1.2, 10.0})
    for (const LawFound& f : apply_law<Smith, Isa, TypeParam>(random_cases(50000, 2, 32, friction))) {
      expect_smith(f, TestFixture::epsilon);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// Compression is Whittaker's law with e = 0, so the impulse of expansion is the difference.
TYPED_TEST(IterativeLaws, anitescu_potra_solves_the_equations_of_both_phases) {
  for (const double friction : {1.2, 10.0}) {
    std::vector<LawCase> cases = random_cases(50000, 3, 32, friction);
    const auto found = apply_law<AnitescuPotra, Isa, TypeParam>(cases);
    for (LawCase& c : cases) c.restitution = 0;
    const auto compressed = apply_law<Whittaker, Isa, TypeParam>(cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const LawFound& f = found[i];
      expect_its_velocity(f, TestFixture::epsilon);
      const double bound = 2 * roundings * TestFixture::epsilon * size_of_terms(f);
      LawFound second = f;
      for (std::size_t j = 0; j < 3; ++j) second.p[j] = f.p[j] - compressed[i].p[j];
      const auto u = velocity_after(f, f.p);
      // Normal impulse by restitution, or more of it where the bodies would still approach.
      const double excess = second.p[2] - f.restitution * compressed[i].p[2];
      ASSERT_GE(excess, -bound);
      ASSERT_GE(u[2], -bound);
      if (excess > bound) {
        ASSERT_NEAR(u[2], 0, bound);
      }
      const double limit = f.friction * second.p[2], slip = std::hypot(u[0], u[1]);
      ASSERT_LE(second.tangential(), limit + bound * (1 + f.friction));
      if (slip > 100 * bound) {
        ASSERT_NEAR(second.tangential(), limit, bound * (1 + f.friction));
        ASSERT_NEAR(cross(second.p[0], second.p[1], u[0], u[1]) / slip, 0, bound * (1 + second.tangential() / slip));
        ASSERT_LE((second.p[0] * u[0] + second.p[1] * u[1]) / slip, bound);
      }
    }
  }
}

// Slip at 61° with K = (1 0 .5; 0 1 0; .5 0 .5) and μ = 2 turns towards k, where more normal impulse presses the bodies
// together: du_z/dp_z = .5 - cos θ. It comes to rest, and they part again, with p_t = -M⁻¹ u_t - q p_z, for which u_z =
// 0 takes p_z = q·u_t / (K_33 - k·q).
TYPED_TEST(IterativeLaws, an_approach_during_expansion_is_stopped_by_more_normal_impulse) {
  using T = TypeParam;
  const T angle = T(61 * 3.14159265358979 / 180), slip = T(0.8), zero = 0, one = 1;
  kernel::LawInput<Scalar, T> in{};
  in.m11 = in.m22 = in.det_m = one;
  in.k1 = in.k33 = in.q1 = T(0.5);
  in.schur = T(0.25);
  in.friction = T(2);
  const kernel::Vector3<T> u = {slip * std::cos(angle), slip * std::sin(angle), zero};
  const auto result = kernel::slip_to_normal_velocity<Scalar, T>(true, in, u, zero);
  const double bound = roundings * TestFixture::epsilon * 2;
  const double normal = 2 * static_cast<double>(u.x);
  EXPECT_FALSE(result.slips);
  EXPECT_NEAR(static_cast<double>(result.p.z), normal, bound);
  EXPECT_NEAR(static_cast<double>(result.p.x), -static_cast<double>(u.x) - 0.5 * normal, bound);
  EXPECT_NEAR(static_cast<double>(result.p.y), -static_cast<double>(u.y), bound);
}

// φ(λ) = |v| - μ (c + k·v) / K_33 along v(λ) = (λ + S)⁻¹ ũ: all its changes of sign, and whether it starts below zero.
struct SlipRatios {
  bool sticks = false;
  double first = infinity;  // the smallest root
  int number = 0;
  double nearest = infinity;  // |φ| / |v| where it turns without a root: how near two more are
};
SlipRatios search_slip_ratios(const LawFound& f) {
  const double c = -(1 + f.restitution) * f.u0[2];
  const double s11 = f.m11 - f.k1 * f.k1 / f.k33, s12 = f.m12 - f.k1 * f.k2 / f.k33, s22 = f.m22 - f.k2 * f.k2 / f.k33;
  const double x = f.u0[0] + f.k1 * c / f.k33, y = f.u0[1] + f.k2 * c / f.k33;
  const double trace = s11 + s22, det = s11 * s22 - s12 * s12;
  const auto phi = [&](double lambda) {
    const double d = (lambda + trace) * lambda + det;
    const double v1 = ((lambda + s22) * x - s12 * y) / d, v2 = ((lambda + s11) * y - s12 * x) / d;
    return (std::hypot(v1, v2) - f.friction * (c + f.k1 * v1 + f.k2 * v2) / f.k33) / std::hypot(v1, v2);
  };
  SlipRatios found;
  double before = phi(0), older = before, at = 0;
  found.sticks = before <= 0;
  constexpr int samples = 3000;
  for (int i = 0; i < samples; ++i) {
    const double lambda = 1e-7 * std::pow(1e14, static_cast<double>(i) / samples);
    const double here = phi(lambda);
    if ((here > 0) != (before > 0)) {
      ++found.number;
      if (found.first == infinity) found.first = 0.5 * (at + lambda);
    } else if ((before - older) * (here - before) < 0) {
      found.nearest = std::min(found.nearest, std::abs(before));
    }
    older = before;
    before = here;
    at = lambda;
  }
  found.number += found.sticks ? 1 : 0;
  return found;
}

TYPED_TEST(IterativeLaws, whittaker_takes_the_least_slip_ratio_and_tells_of_others) {
  if (sizeof(TypeParam) == sizeof(float)) GTEST_SKIP() << "ties lie closer than float can tell";
  int several = 0;
  for (const double friction : {1.2, 4.0})
    for (const LawFound& f : apply_law<Whittaker, Isa, TypeParam>(random_cases(2500, 5, 32, friction))) {
      const SlipRatios all = search_slip_ratios(f);
      if (all.nearest < 1e-4) continue;
      ASSERT_EQ(f.slips, !all.sticks);
      ASSERT_EQ(f.several, all.number > 1);
      several += f.several;
      if (f.slips) {
        const double lambda = std::hypot(f.u[0], f.u[1]) / f.tangential();
        // Between two samples, 1e14^(1/3000) apart.
        ASSERT_NEAR(lambda / all.first, 1, 0.012);
      }
    }
  EXPECT_GT(several, 4);
}

// u_z as a function of p_z, with |u_t| at each by bisection: its passages through -e u0_z.
struct NormalImpulses {
  std::vector<double> crossings;
  double nearest = infinity;
};
double last_slip(const LawFound& f, double normal, std::array<double, 2>& d) {
  const double m = f.friction * normal, first = std::hypot(f.u0[0], f.u0[1]);
  const double x = f.u0[0] + normal * f.k1, y = f.u0[1] + normal * f.k2;
  std::array<double, 2> u{};
  const auto size = [&](double slip) {
    const double weight = first * first + slip * slip, t = slip * slip / weight, r = m * slip / weight;
    const double b1 = x - m * (1 - t) * (f.m11 * f.u0[0] + f.m12 * f.u0[1]) / first;
    const double b2 = y - m * (1 - t) * (f.m12 * f.u0[0] + f.m22 * f.u0[1]) / first;
    const double a11 = 1 + r * f.m11, a12 = r * f.m12, a22 = 1 + r * f.m22, det = a11 * a22 - a12 * a12;
    u = {(a22 * b1 - a12 * b2) / det, (a11 * b2 - a12 * b1) / det};
    return std::hypot(u[0], u[1]);
  };
  double low = 0, high = 1;
  while (size(high) > high) high *= 2;
  for (int i = 0; i < 45; ++i) {
    const double middle = 0.5 * (low + high);
    (size(middle) > middle ? low : high) = middle;
  }
  size(0.5 * (low + high));
  d = mean_slip(f, u[0], u[1]);
  return f.u0[2] + f.k33 * normal - m * (f.k1 * d[0] + f.k2 * d[1]);
}
NormalImpulses search_normal_impulses(const LawFound& f, double top) {
  NormalImpulses found;
  std::array<double, 2> d{};
  double before = f.u0[2] * (1 + f.restitution), older = before, at = 0;
  constexpr int samples = 200;
  for (int i = 1; i <= samples; ++i) {
    const double part = static_cast<double>(i) / samples, z = top * part * part;
    const double here = last_slip(f, z, d) + f.restitution * f.u0[2];
    if ((here < 0) != (before < 0)) found.crossings.push_back(0.5 * (at + z));
    if ((before - older) * (here - before) < 0) found.nearest = std::min(found.nearest, std::abs(before));
    older = before;
    before = here;
    at = z;
  }
  return found;
}

TYPED_TEST(IterativeLaws, smith_takes_the_least_normal_impulse_and_tells_of_others) {
  if (sizeof(TypeParam) == sizeof(float)) GTEST_SKIP() << "ties lie closer than float can tell";
  int several = 0, solved = 0;
  for (const double friction : {1.2, 60.0}) {
    const auto cases = random_cases(1500, 6, 32, friction);
    for (const LawFound& f : apply_law<Smith, Isa, TypeParam>(cases)) {
      // There are no solutions beyond the top of the energy ellipsoid: p_z <= 2 |u0| / (min. eigenvalue of K), trace K
      // being 1.
      const double top = 2 * 3 * 32 * 32;
      const double reach = std::min(top, std::max(4 * f.normal(), 20.0));
      const NormalImpulses all = search_normal_impulses(f, reach);
      if (all.nearest < 1e-2) continue;
      ++solved;
      ASSERT_FALSE(all.crossings.empty());
      const double separation = 2 * reach * std::sqrt(all.crossings[0] / reach) / 200 + reach / 4e4;
      ASSERT_NEAR(f.normal(), all.crossings[0], separation);
      ASSERT_EQ(f.several, all.crossings.size() > 1);
      several += f.several;
    }
  }
  EXPECT_GT(solved, 2500);
  EXPECT_GT(several, 2);
}

}  // namespace
}  // namespace carom
