// Planar laws and the permissible region: laws that stay in it, and laws whose end in it is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference_planar.hpp>
#include <cmath>

#include "support/planar/equations.hpp"

namespace carom::reference::planar {
namespace {

void expect_in_region(const Case& x, const Outcome& o, Law law, std::size_t i) {
  const Equations q(x.c, o);
  const Margins m = margins(x.c, o.p);
  ASSERT_GE(m.energy, -tolerance * q.energy_scale) << i << ' ' << to_string(law);
  ASSERT_GE(m.non_penetration, -tolerance * q.velocity_scale) << i << ' ' << to_string(law);
  ASSERT_GE(m.tension, -tolerance * q.impulse_scale) << i << ' ' << to_string(law);
  ASSERT_LE(q.beyond_cone(), tolerance * q.impulse_scale) << i << ' ' << to_string(law);
}

TEST(PlanarRegion, holds_the_laws_that_promise_it) {
  const auto cases = draw(count, 25);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Law law : {Law::incremental, Law::frictionless, Law::chatterjee_ruina, Law::smith, Law::anitescu_potra,
                          Law::pfeiffer_glocker, Law::brach, Law::projected, Law::polar})
      expect_in_region(cases[i], resolve(cases[i].c, law, cases[i].p), law, i);
    Case mixed = cases[i];
    mixed.p.weight.bilinear = 0;
    mixed.p.weight.frictionless += 0.1;
    expect_in_region(mixed, resolve(mixed.c, Law::composite, mixed.p), Law::composite, i);
    // For discs the bilinear law promises it as well.
    mixed.c.k_xy = 0;
    expect_in_region(mixed, resolve(mixed.c, Law::bilinear, mixed.p), Law::bilinear, i);
  }
}

// From 1.5 P_I, an impulse that is scaled back is on the boundary, and an impulse that is not scaled is the requested
// one.
TEST(PlanarRegion, lets_the_laws_inside_go_as_far_as_its_bounds) {
  const auto cases = draw(count, 26);
  std::size_t back = 0, whole = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Collision& c = cases[i].c;
    const Parameters& p = cases[i].p;
    const auto min_margin = [&](const Vector2& impulse) {
      const Equations q(c, impulse);
      const Margins m = margins(c, impulse);
      return std::min({m.energy / q.energy_scale, m.non_penetration / q.velocity_scale, m.tension / q.impulse_scale,
                       -q.beyond_cone() / q.impulse_scale});
    };
    // The directions of the energy's bound and of the way meet at angles that rounding is divided by.
    constexpr double near = 1e-7;
    const Outcome ratio = resolve(c, Law::brach, p);
    const double axis = c.u0[0] > 0 ? -1 : 1;
    const double asked = axis * p.impulse_ratio * ratio.p[1];
    const bool scaled = std::abs(ratio.p[0] - asked) > 1e-9 * std::abs(asked);
    if (scaled && c.restitution < 1) {
      EXPECT_NEAR(min_margin(ratio.p), 0, near) << i;
    }
    const Outcome point = resolve(c, Law::projected, p);
    if (distance(point.p, p.candidate) > 0) {
      EXPECT_NEAR(min_margin(point.p), 0, near) << i;
      // On the way from 1.5 P_I to the candidate.
      const double centre = 1.5 * -c.u0[1] / c.k_yy;
      const Vector2 way{p.candidate[0], p.candidate[1] - centre}, gone{point.p[0], point.p[1] - centre};
      EXPECT_NEAR(way[0] * gone[1] - way[1] * gone[0], 0, tolerance * std::hypot(way[0], way[1]) * (1 + centre)) << i;
      ++back;
    } else {
      EXPECT_GE(min_margin(point.p), -tolerance);
      ++whole;
    }
    Parameters edge = p;
    edge.fraction = 1;
    EXPECT_NEAR(min_margin(resolve(c, Law::polar, edge).p), 0, near) << i;
    edge.fraction = 0;
    const Outcome middle = resolve(c, Law::polar, edge);
    EXPECT_EQ(middle.p[0], 0);
    EXPECT_NEAR(middle.p[1] * c.k_yy, -1.5 * c.u0[1], -tolerance * c.u0[1]);
  }
  EXPECT_GT(back, 1000u);
  EXPECT_GT(whole, 100u);
}

// The fractions of one direction divide the way to the boundary, and direction 0 is the normal: 2 P_I at e's far end.
TEST(PlanarRegion, in_polar_parameters_follows_the_angle_from_the_normal) {
  const Collision c{2, 0, 1, {1, -1}, 0.5, 0.5};
  Parameters p;
  p.fraction = 1;
  // Straight up: p·u0 + ½ p·Kp = -p_n + ½ p_n² = 0 at p_n = 2. Straight down: u_n = 0 at p_n = 1.
  EXPECT_NEAR(resolve(c, Law::polar, p).p[1], 2, 1e-15);
  p.polar_angle = std::acos(-1.0);
  EXPECT_NEAR(resolve(c, Law::polar, p).p[1], 1, 1e-15);
  // Axis 1 opposes the slip: to the left. From (0, 1.5) to the cone p_t = -p_n / 2.
  p.polar_angle = std::acos(-1.0) / 2;
  EXPECT_NEAR(resolve(c, Law::polar, p).p[0], -0.75, 1e-15);
  p.fraction = 0.5;
  EXPECT_NEAR(resolve(c, Law::polar, p).p[0], -0.375, 1e-15);
  // To the right it is the energy that stops it: p_t - 1.5 + p_t² + 1.125 = 0.
  p.fraction = 1;
  p.polar_angle = -std::acos(-1.0) / 2;
  EXPECT_NEAR(resolve(c, Law::polar, p).p[0], (std::sqrt(2.5) - 1) / 2, 1e-15);
}

}  // namespace
}  // namespace carom::reference::planar
