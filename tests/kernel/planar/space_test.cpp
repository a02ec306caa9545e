// Planar laws equal the laws in 3D restricted to the plane. The two references share only docs/.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/planar/equations.hpp"

namespace carom::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// K with no coupling out of the plane, where it is as large as in it.
Collision in_space(const planar::Collision& c) {
  return {{{{c.k_xx, 0, c.k_xy}, {0, 0.7 * c.k_xx, 0}, {c.k_xy, 0, c.k_yy}}},
          {c.u0[0], 0, c.u0[1]},
          c.friction,
          c.restitution,
          0};
}

LawParameters in_space(const planar::Parameters& p) {
  LawParameters s;
  s.tangential_restitution = p.tangential_restitution;
  s.impulse_ratio_1 = p.impulse_ratio;
  s.polar_angle = std::abs(p.polar_angle);
  s.azimuth = p.polar_angle < 0 ? std::numbers::pi : 0;
  s.fraction = p.fraction;
  s.candidate = {p.candidate[0], 0, p.candidate[1]};
  s.weight = p.weight;
  return s;
}

double condition(const planar::Collision& c) {
  const double mean = 0.5 * (c.k_xx + c.k_yy), radius = std::hypot(0.5 * (c.k_xx - c.k_yy), c.k_xy);
  return (mean + radius) * (mean + radius) / (c.k_xx * c.k_yy - c.k_xy * c.k_xy);
}

TEST(PlaneInSpace, has_the_impulses_of_every_planar_law) {
  constexpr std::size_t n = 20'000;
  const auto cases = planar::draw(n, 51);
  std::size_t ambiguous = 0, compared = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const planar::Collision& c = cases[i].c;
    planar::Parameters p = cases[i].p;
    p.weight.pfeiffer_glocker = 0;
    p.weight.frictionless += 0.1;
    for (std::size_t j = 0; j < law_count; ++j) {
      const Law law = static_cast<Law>(j);
      if (law == Law::pfeiffer_glocker) continue;
      // In space there may be further solutions, with friction out of the plane.
      const LawOutcome solid = apply(law, in_space(c), in_space(p));
      if (solid.status == Status::several_solutions) {
        ++ambiguous;
        continue;
      }
      ++compared;
      ASSERT_EQ(solid.status, Status::ok) << i << ' ' << to_string(law);
      const planar::Outcome flat = planar::resolve(c, law, p);
      // Some ten roundings in each, enlarged by K⁻¹; roots of quadratics that can be double by more, see planar_test.
      const double roundings = law == Law::brach || law == Law::composite ? 256 : 64;
      const double size = std::hypot(flat.p[0], flat.p[1]) + std::hypot(c.u0[0], c.u0[1]) / c.k_yy;
      const double bound = roundings * epsilon * condition(c) * size;
      ASSERT_NEAR(solid.p[0], flat.p[0], bound) << i << ' ' << to_string(law);
      ASSERT_NEAR(solid.p[1], 0, bound) << i << ' ' << to_string(law);
      ASSERT_NEAR(solid.p[2], flat.p[1], bound) << i << ' ' << to_string(law);
    }
  }
  EXPECT_LT(ambiguous, compared / 1000);
}

}  // namespace
}  // namespace carom::reference
