// The laws that are defined by the permissible region, on the lanes of one ISA. Built once an ISA, with its flags;
// CAROM_TEST_ISA names the architecture.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "contact/kernels/laws/algebraic/brach.hpp"
#include "contact/kernels/laws/algebraic/polar.hpp"
#include "contact/kernels/laws/algebraic/projected.hpp"
#include "support/laws/law_lanes.hpp"

namespace carom {
namespace {

using kernel::Brach;
using kernel::PolarLaw;
using kernel::Projected;
using kernel::Scalar;
using support::apply_law;
using support::Draw;
using support::infinity;
using support::LawCase;
using support::LawFound;
using support::random_cases;
using Isa = CAROM_TEST_ISA;

constexpr double pi = std::numbers::pi;

template <class T>
class BoundedLaws : public testing::Test {
 public:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BoundedLaws, Precisions);

/// The margins of the permissible region, each relative to the size of its terms, and the smallest one.
struct Margins {
  double energy, non_penetration, tension, cone;
  double least() const { return std::min(std::min(energy, non_penetration), std::min(tension, cone)); }
};
Margins margins(const LawFound& f, const std::array<double, 3>& p) {
  const auto u = velocity_after(f, p);
  const double size = std::hypot(p[0], p[1], p[2]);
  double energy = 0;
  for (std::size_t j = 0; j < 3; ++j) energy -= 0.5 * p[j] * (u[j] + f.u0[j]);
  const double cone =
      f.friction > 1 ? p[2] - std::hypot(p[0], p[1]) / f.friction : f.friction * p[2] - std::hypot(p[0], p[1]);
  return {energy / ((1 + size) * (1 + size)), u[2] / (1 + size), p[2] / (1 + size), cone / (1 + size)};
}

std::array<double, 3> inner_point(const LawFound& f) {
  return {0, 0, -1.5 * f.u0[2] / f.k33};
}

/// Direction about P_0 as the interface defines it, computed with the C library.
std::array<double, 3> direction(const LawFound& f, double tilt, double azimuth) {
  const double slip = std::hypot(f.u0[0], f.u0[1]);
  const double x = slip > 0 ? -f.u0[0] / slip : 1, y = slip > 0 ? -f.u0[1] / slip : 0;
  return {std::sin(tilt) * (std::cos(azimuth) * x - std::sin(azimuth) * y),
          std::sin(tilt) * (std::cos(azimuth) * y + std::sin(azimuth) * x), std::cos(tilt)};
}

template <class T>
std::vector<LawCase> polar_cases(std::size_t count, std::uint64_t seed) {
  auto cases = random_cases(count, seed, 16, 2);
  Draw draw(seed + 100);
  for (LawCase& c : cases)
    c.parameters = {0,
                    0,
                    static_cast<double>(static_cast<T>(draw.uniform(0, 3.1415))),
                    static_cast<double>(static_cast<T>(draw.uniform(-20, 20))),
                    draw.uniform(),
                    0,
                    0,
                    0};
  for (std::size_t i = 0; i < count; i += 5) cases[i].friction = infinity;
  for (std::size_t i = 0; i < count; i += 7) cases[i].u0[0] = cases[i].u0[1] = 0;
  return cases;
}

// Eight rounding errors, relative to the terms, in p and in the terms of the margins.
constexpr double margin_roundings = 16;

TYPED_TEST(BoundedLaws, polar_reaches_the_boundary_in_the_direction_of_its_angles) {
  auto cases = polar_cases<TypeParam>(20000, 21);
  for (LawCase& c : cases) c.parameters[4] = 1;
  const auto found = apply_law<PolarLaw, Isa, TypeParam>(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LawFound& f = found[i];
    const double bound = margin_roundings * TestFixture::epsilon;
    ASSERT_NEAR(margins(f, f.p).least(), 0, bound);
    const auto d = direction(f, cases[i].parameters[2], cases[i].parameters[3]);
    const auto from = inner_point(f);
    const double way = std::hypot(f.p[0] - from[0], f.p[1] - from[1], f.p[2] - from[2]);
    for (std::size_t j = 0; j < 3; ++j) ASSERT_NEAR(f.p[j], from[j] + way * d[j], bound * support::size_of_terms(f));
    ASSERT_FALSE(f.none || f.several);
  }
}

TYPED_TEST(BoundedLaws, polar_fractions_divide_the_way) {
  auto cases = polar_cases<TypeParam>(5000, 22);
  const auto part = apply_law<PolarLaw, Isa, TypeParam>(cases);
  auto whole_cases = cases;
  for (LawCase& c : whole_cases) c.parameters[4] = 1;
  const auto whole = apply_law<PolarLaw, Isa, TypeParam>(whole_cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto from = inner_point(part[i]);
    const double bound = margin_roundings * TestFixture::epsilon * support::size_of_terms(whole[i]);
    for (std::size_t j = 0; j < 3; ++j)
      ASSERT_NEAR(part[i].p[j], from[j] + cases[i].parameters[4] * (whole[i].p[j] - from[j]), bound);
  }
}

TYPED_TEST(BoundedLaws, without_friction_only_the_normal_of_the_region_is_left) {
  auto cases = polar_cases<TypeParam>(1000, 23);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].friction = 0;
    cases[i].parameters[4] = 1;
    if (i % 2 == 0) cases[i].parameters[2] = 0;
  }
  const auto found = apply_law<PolarLaw, Isa, TypeParam>(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double factor = i % 2 == 0 ? 2 : 1.5;
    ASSERT_NEAR(found[i].p[2], -factor * found[i].u0[2] / found[i].k33, 4 * TestFixture::epsilon * found[i].p[2]);
    ASSERT_EQ(found[i].p[0], 0);
    ASSERT_EQ(found[i].p[1], 0);
  }
}

TYPED_TEST(BoundedLaws, projected_keeps_what_is_inside_and_draws_back_the_rest) {
  auto cases = random_cases(20000, 24, 16, 2);
  Draw draw(124);
  for (LawCase& c : cases) {
    const auto p = draw.bell3(draw.below(2) == 0 ? 0.3 : 5);
    // Numbers that float has, too.
    for (std::size_t j = 0; j < 3; ++j) c.parameters[5 + j] = std::round(1024 * p[j]) / 1024 + (j == 2 ? 1 : 0);
  }
  for (std::size_t i = 0; i < cases.size(); i += 5) cases[i].friction = infinity;
  const auto found = apply_law<Projected, Isa, TypeParam>(cases);
  int kept = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LawFound& f = found[i];
    const std::array<double, 3> candidate = {cases[i].parameters[5], cases[i].parameters[6], cases[i].parameters[7]};
    const auto from = inner_point(f);
    // P_0, the start of the distance, may be larger than the result.
    const double bound = margin_roundings * TestFixture::epsilon * (1 + from[2]),
                 inside = margins(f, candidate).least();
    if (inside > bound) {
      ASSERT_EQ(f.p, candidate);
      ++kept;
    } else if (inside < -bound) {
      // The way from P_0 is a fraction of the way to the candidate; its terms may be larger than its end.
      const double terms = 1 + std::hypot(candidate[0] - from[0], candidate[1] - from[1], candidate[2] - from[2]);
      ASSERT_NEAR(margins(f, f.p).least(), 0, bound);
      const double part = std::hypot(f.p[0] - from[0], f.p[1] - from[1], f.p[2] - from[2]) / (terms - 1);
      ASSERT_LE(part, 1 + bound);
      for (std::size_t j = 0; j < 3; ++j)
        ASSERT_NEAR(f.p[j], from[j] + part * (candidate[j] - from[j]), bound * support::size_of_terms(f));
    }
  }
  EXPECT_GT(kept, 1000);
  EXPECT_LT(kept, 15000);
}

TYPED_TEST(BoundedLaws, projected_survives_candidates_of_any_size) {
  auto cases = random_cases(1000, 25, 16, 2);
  for (std::size_t i = 0; i < cases.size(); ++i)
    cases[i].parameters = {0, 0, 0, 0, 0, i % 2 == 0 ? 1e30 : 0, i % 3 == 0 ? -1e35 : 1e-35, i % 4 == 0 ? 1e33 : 0};
  for (const LawFound& f : apply_law<Projected, Isa, TypeParam>(cases)) {
    ASSERT_TRUE(std::isfinite(f.p[0]) && std::isfinite(f.p[1]) && std::isfinite(f.p[2]));
    ASSERT_GE(margins(f, f.p).least(), -margin_roundings * TestFixture::epsilon);
  }
}

// p_t = s r p_z with the largest s in [0, 1] that keeps to the cone and gains no energy: at s < 1 one of them is
// reached.
TYPED_TEST(BoundedLaws, brach_scales_its_ratios_back_to_the_bounds_and_no_further) {
  auto cases = random_cases(50000, 26, 16, 1.2);
  Draw draw(126);
  for (LawCase& c : cases) {
    const double size = std::exp(draw.log_uniform(3));
    c.parameters[0] = static_cast<double>(static_cast<TypeParam>(size * draw.bell()));
    c.parameters[1] = static_cast<double>(static_cast<TypeParam>(size * draw.bell()));
  }
  for (std::size_t i = 0; i < cases.size(); i += 5) cases[i].friction = infinity;
  for (std::size_t i = 0; i < cases.size(); i += 7) cases[i].u0[0] = cases[i].u0[1] = 0;
  for (std::size_t i = 0; i < cases.size(); i += 11) cases[i].restitution = i % 2 == 0 ? 1 : 0;
  const auto found = apply_law<Brach, Isa, TypeParam>(cases);
  int whole = 0, by_energy = 0, by_cone = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LawFound& f = found[i];
    const double bound = margin_roundings * TestFixture::epsilon;
    ASSERT_FALSE(f.none || f.several);
    ASSERT_GT(f.p[2], 0);
    ASSERT_NEAR(velocity_after(f, f.p)[2], -f.restitution * f.u0[2], bound * support::size_of_terms(f));
    // The quadratic of the energy is divided by K_33 + k·r s = c / p_z, its terms are of the size of K_33.
    const double energy_bound = bound * std::max(1.0, f.k33 * f.p[2] / (-(1 + f.restitution) * f.u0[2]));
    const Margins left = margins(f, f.p);
    ASSERT_GE(left.energy, -energy_bound);
    ASSERT_GE(std::min(std::min(left.non_penetration, left.tension), left.cone), -bound);
    const double slip = std::hypot(f.u0[0], f.u0[1]);
    const double x = slip > 0 ? -f.u0[0] / slip : 1, y = slip > 0 ? -f.u0[1] / slip : 0;
    const double r1 = cases[i].parameters[0] * x - cases[i].parameters[1] * y;
    const double r2 = cases[i].parameters[0] * y + cases[i].parameters[1] * x, r = std::hypot(r1, r2);
    const double part = f.tangential() / (r * f.p[2]);
    ASSERT_LE(part, 1 + bound);
    for (std::size_t j = 0; j < 2; ++j)
      ASSERT_NEAR(f.p[j], part * (j == 0 ? r1 : r2) * f.p[2], bound * support::size_of_terms(f));
    if (part > 1 - bound) {
      ++whole;
    } else {
      by_energy += left.energy < energy_bound;
      by_cone += left.cone < bound;
      ASSERT_TRUE(left.energy <= energy_bound || left.cone <= bound);
    }
  }
  EXPECT_GT(whole, 1000);
  EXPECT_GT(by_energy, 5000);
  EXPECT_GT(by_cone, 5000);
}

TYPED_TEST(BoundedLaws, results_do_not_depend_on_lanes) {
  auto cases = polar_cases<TypeParam>(1001, 27);
  for (LawCase& c : cases) c.parameters[0] = c.parameters[5] = 0.7;
  cases[17].parameters[3] = 1e30;
  const auto same = [&]<class L>() {
    const auto lanes = apply_law<L, Isa, TypeParam>(cases), scalar = apply_law<L, Scalar, TypeParam>(cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_EQ(lanes[i].p, scalar[i].p);
      ASSERT_EQ(lanes[i].u, scalar[i].u);
    }
  };
  same.template operator()<PolarLaw>();
  same.template operator()<Projected>();
  same.template operator()<Brach>();
}

// Half an ulp of the series' sum and as much of each step to it; the C library is within an ulp itself.
TYPED_TEST(BoundedLaws, cosine_and_sine_of_any_angle) {
  using T = TypeParam;
  using B = typename kernel::LaneTypes<Isa, T>::Batch;
  constexpr std::size_t width = kernel::LaneTypes<Isa, T>::width;
  Draw draw(28);
  std::vector<T> angles = {0,
                           T(-0.0),
                           T(pi),
                           T(-pi),
                           T(pi / 2),
                           T(pi / 4),
                           T(4096),
                           T(-4097),
                           T(1048577),
                           T(1e22),
                           std::numeric_limits<T>::max(),
                           -std::numeric_limits<T>::max(),
                           T(6381956970095103.0)};
  const double largest = std::log2(static_cast<double>(std::numeric_limits<T>::max()));
  for (int i = 0; i < 20000; ++i) angles.push_back(static_cast<T>(draw.uniform(-10, 10)));
  for (int i = 0; i < 20000; ++i) angles.push_back(static_cast<T>(std::exp2(draw.uniform(-30, largest - 0.01))));
  while (angles.size() % width != 0) angles.push_back(0);
  for (std::size_t i = 0; i < angles.size(); i += width) {
    T cosines[width], sines[width];
    const auto rotation = kernel::rotation<Isa, T>(kernel::load_lanes<B>(&angles[i]));
    kernel::store_lanes(cosines, rotation.cosine);
    kernel::store_lanes(sines, rotation.sine);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const double angle = static_cast<double>(angles[i + lane]);
      ASSERT_NEAR(static_cast<double>(cosines[lane]), std::cos(angle), 1.5 * TestFixture::epsilon) << angle;
      ASSERT_NEAR(static_cast<double>(sines[lane]), std::sin(angle), 1.5 * TestFixture::epsilon) << angle;
    }
  }
}

}  // namespace
}  // namespace carom
