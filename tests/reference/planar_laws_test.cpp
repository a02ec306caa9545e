// Every planar law against its defining equations, computed here only from the impulse.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/planar/equations.hpp"

namespace carom::reference::planar {
namespace {

TEST(PlanarLaws, of_one_line_are_what_they_say) {
  const auto cases = draw(count, 21);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [c, p] = cases[i];
    const Equations frictionless(c, resolve(c, Law::frictionless, p)), stop(c, resolve(c, Law::no_slip, p));
    ASSERT_EQ(frictionless.p[0], 0);
    ASSERT_NEAR(frictionless.u[1], -c.restitution * c.u0[1], tolerance * frictionless.velocity_scale) << i;
    for (std::size_t j = 0; j < 2; ++j)
      ASSERT_NEAR(stop.u[j], -c.restitution * c.u0[j], tolerance * stop.velocity_scale) << i;

    // p = (1 + e) P_I + κ (P_II - P_I), that is u = κ-weighted: u_n = -e u0_n, and along P_II - P_I all of κ.
    const Outcome o = resolve(c, Law::chatterjee_ruina, p);
    const Equations cr(c, o);
    const double p_ii = resolve({c.k_xx, c.k_xy, c.k_yy, c.u0, c.friction, 0}, Law::no_slip).p[0];
    ASSERT_NEAR(cr.u[1], -c.restitution * c.u0[1], tolerance * cr.velocity_scale) << i;
    const double wanted = (1 + p.tangential_restitution) * p_ii;
    if (o.path.sliding_end == SlidingEnd::stick) {
      ASSERT_NEAR(o.p[0], wanted, tolerance * (cr.impulse_scale + std::abs(wanted))) << i;
    } else {
      ASSERT_LE(o.p[0] / p_ii, (1 + p.tangential_restitution) * (1 + tolerance)) << i;
      ASSERT_LE(std::abs(cr.beyond_cone()), tolerance * cr.impulse_scale) << i;
    }

    const Outcome b = resolve(c, Law::bilinear, p);
    ASSERT_NEAR(b.p[1], (1 + c.restitution) * frictionless.frictionless, tolerance * b.p[1]) << i;
    const double bound = std::min((1 + p.tangential_restitution) * std::abs(p_ii),
                                  c.friction < infinity ? c.friction * b.p[1] : infinity);
    ASSERT_NEAR(b.p[0], c.u0[0] == 0 ? 0 : c.u0[0] > 0 ? -bound : bound, tolerance * (bound + b.p[1])) << i;
  }
}

TEST(PlanarLaws, with_friction_against_the_last_slip_obey_it) {
  const auto cases = draw(count, 22);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [c, p] = cases[i];
    const Outcome o = resolve(c, Law::whittaker, p);
    const Equations q(c, o);
    ASSERT_NEAR(q.u[1], -c.restitution * c.u0[1], tolerance * q.velocity_scale) << i;
    ASSERT_LE(q.friction_against(q.u[0], tolerance * q.velocity_scale), tolerance * q.impulse_scale) << i;

    // Two phases: compression is Whittaker's at e = 0; expansion has e p_n and its friction against the last slip.
    const Outcome first = resolve({c.k_xx, c.k_xy, c.k_yy, c.u0, c.friction, 0}, Law::whittaker);
    const Outcome both = resolve(c, Law::anitescu_potra, p);
    const Equations all(c, both);
    const Vector2 second{both.p[0] - first.p[0], both.p[1] - first.p[1]};
    ASSERT_NEAR(second[1], c.restitution * first.p[1], tolerance * all.impulse_scale) << i;
    ASSERT_GE(all.u[1], -tolerance * all.velocity_scale) << i;
    if (std::isfinite(c.friction)) {
      Equations expansion(c, second);
      expansion.impulse_scale = all.impulse_scale;
      ASSERT_LE(expansion.friction_against(all.u[0], tolerance * all.velocity_scale),
                2 * tolerance * all.impulse_scale * std::max(1.0, c.friction))
          << i;
    }

    // The tangential impulse of expansion is e_t e times the impulse of compression, plus (1 - e_t) times the impulse
    // of friction.
    const double back = std::max(p.tangential_restitution, 0.0);
    const Outcome elastic = resolve(c, Law::pfeiffer_glocker, p);
    ASSERT_NEAR(elastic.p[0] - first.p[0], back * c.restitution * first.p[0] + (1 - back) * second[0],
                tolerance * all.impulse_scale)
        << i;
    ASSERT_NEAR(elastic.p[1], both.p[1], tolerance * all.impulse_scale) << i;
  }
}

TEST(PlanarLaws, of_smith_obeys_its_equation) {
  const auto cases = draw(count, 23);
  for (std::size_t i = 0; i < count; ++i) {
    const Collision& c = cases[i].c;
    const Outcome o = resolve(c, Law::smith);
    const Equations q(c, o);
    ASSERT_NEAR(q.u[1], -c.restitution * c.u0[1], tolerance * q.velocity_scale) << i;
    const double x = c.u0[0], w = q.u[0];
    if (x == 0) {
      ASSERT_LE(q.friction_against(w, tolerance * q.velocity_scale), tolerance * q.impulse_scale) << i;
      continue;
    }
    const double mean = (x * std::abs(x) + w * std::abs(w)) / (x * x + w * w);
    // The mean turns by 2 |w|/x² per rounding of w.
    const double blur = 4 * q.velocity_scale * 1e-15 / std::hypot(x, w);
    const double left = c.friction > 1 ? o.p[0] / c.friction + o.p[1] * mean : o.p[0] + c.friction * o.p[1] * mean;
    ASSERT_NEAR(left, 0, (tolerance + blur) * q.impulse_scale) << i;
    ASSERT_GE(o.p[1], -tolerance * q.impulse_scale) << i;
  }
}

// In 2D a friction condition on the last slip has one solution, and so has Smith's law: counted over all tangential
// impulses for the given u_n, as sign changes of the law's residual.
TEST(PlanarLaws, with_a_friction_condition_have_one_solution) {
  const auto cases = draw(3000, 24);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Collision& c = cases[i].c;
    if (c.friction == 0 || c.friction > 10 || c.u0[0] == 0) continue;
    const double rise = -(1 + c.restitution) * c.u0[1];
    const double size = 4 * (std::abs(resolve(c, Law::whittaker).p[0]) + std::abs(resolve(c, Law::smith).p[0]) +
                             rise / c.k_yy * c.friction);
    int whittaker = 0, smith = 0;
    double last_whittaker = 0, last_smith = 0;
    constexpr int samples = 4001;
    for (int j = 0; j < samples; ++j) {
      const double p_t = size * (2.0 * j / (samples - 1) - 1);
      const double p_n = (rise - c.k_xy * p_t) / c.k_yy;
      if (p_n <= 0) {
        last_whittaker = last_smith = 0;
        continue;
      }
      const double x = c.u0[0], w = x + c.k_xx * p_t + c.k_xy * p_n;
      const double lacks = p_t + (w > 0 ? 1 : -1) * c.friction * p_n;
      const double lacks_smith = p_t + c.friction * p_n * (x * std::abs(x) + w * std::abs(w)) / (x * x + w * w);
      whittaker += last_whittaker * lacks < 0 ? 1 : 0;
      smith += last_smith * lacks_smith < 0 ? 1 : 0;
      last_whittaker = lacks;
      last_smith = lacks_smith;
    }
    EXPECT_EQ(whittaker, 1) << i;
    EXPECT_EQ(smith, 1) << i;
  }
}

TEST(PlanarLaws, agree_without_friction) {
  const auto cases = draw(20000, 27);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Collision c = cases[i].c;
    c.friction = 0;
    Parameters p = cases[i].p;
    const double p_n = -(1 + c.restitution) * c.u0[1] / c.k_yy;
    // The candidate is set to the result of the other laws.
    p.candidate = {0, p_n};
    p.weight.polar = 0;
    p.weight.frictionless += 0.1;
    for (std::size_t j = 0; j < law_count; ++j) {
      const Law law = static_cast<Law>(j);
      if (law == Law::no_slip || law == Law::polar) continue;
      for (const RestitutionLaw restitution : {RestitutionLaw::energetic, RestitutionLaw::kinetic}) {
        const Outcome o = resolve(c, law, p, restitution);
        ASSERT_EQ(o.p[0], 0) << i << ' ' << to_string(law);
        ASSERT_NEAR(o.p[1], p_n, tolerance * p_n) << i << ' ' << to_string(law);
      }
    }
  }
}

// Discs: K is diagonal. Then the bilinear law equals Chatterjee and Ruina's, and Whittaker's law equals Routh's under
// every restitution hypothesis; without tangential restitution the two-phase laws are equal too.
TEST(PlanarLaws, coincide_for_discs_as_their_sources_say) {
  const auto cases = draw(20000, 28);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Collision c = cases[i].c;
    c.k_xy = 0;
    const Parameters& p = cases[i].p;
    const Outcome bilinear = resolve(c, Law::bilinear, p), cr = resolve(c, Law::chatterjee_ruina, p);
    const Outcome whittaker = resolve(c, Law::whittaker),
                  routh = resolve(c, Law::incremental, {}, RestitutionLaw::kinetic);
    const Outcome phases = resolve(c, Law::anitescu_potra);
    const double size = std::hypot(whittaker.p[0], whittaker.p[1]) + std::hypot(cr.p[0], cr.p[1]);
    for (std::size_t j = 0; j < 2; ++j) {
      ASSERT_NEAR(bilinear.p[j], cr.p[j], tolerance * size) << i;
      // Routh's slide stops with p_n = 0 under unbounded friction, as Whittaker's.
      ASSERT_NEAR(whittaker.p[j], routh.p[j], tolerance * size) << i;
      ASSERT_NEAR(whittaker.p[j], phases.p[j], tolerance * size) << i;
    }
  }
}

// A rod that sticks, with restitution e = 1: K = (1 .9; .9 1), u0 = (.9, -1). Sticking with u_n = 1 takes p = K⁻¹ (-.9,
// 2) = (-2.7, 2.81)/.19; |p_t| / p_n = 0.961. The energy gained, ½ p·(u0 + u) = ½ p_t .9, must be below zero there, so
// choose the other slip: u0 = (-.9, -1): p = K⁻¹ (.9, 2) = (-.9, 1.19)/.19, ratio 0.756, and ½ p·(u0 + u) = ½
// (-.9/.19)(-.9) = 2.1316 J, more than the ½ u0·K⁻¹u0 = ½ (.81 - 1.62 + 1)/.19 = 0.5 J there was.
TEST(PlanarLaws, of_whittaker_gains_energy_where_its_source_says) {
  const Collision c{1, .9, 1, {-.9, -1}, 0.8, 1};
  const Outcome o = resolve(c, Law::whittaker);
  EXPECT_NEAR(o.p[0], -.9 / .19, 1e-13);
  EXPECT_NEAR(o.p[1], 1.19 / .19, 1e-13);
  EXPECT_NEAR(margins(c, o.p).energy, -0.5 * .81 / .19, 1e-13);
  for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::anitescu_potra})
    EXPECT_GE(margins(c, resolve(c, law).p).energy, -1e-14) << to_string(law);
}

// A rubber ball: it sticks during compression, and returns the impulse of compression in both directions.
TEST(PlanarLaws, of_pfeiffer_and_glocker_returns_the_tangential_impulse) {
  const Collision ball{3.5, 0, 1, {1, -2}, 2, 0.8};
  Parameters p;
  p.tangential_restitution = 1;
  Outcome o = resolve(ball, Law::pfeiffer_glocker, p);
  EXPECT_NEAR(o.u[0], -0.8 * 1, 1e-15);
  EXPECT_NEAR(o.u[1], 0.8 * 2, 1e-15);
  p.tangential_restitution = 0.25;
  o = resolve(ball, Law::pfeiffer_glocker, p);
  EXPECT_NEAR(o.u[0], -0.25 * 0.8, 1e-15);
  p.tangential_restitution = -1;
  o = resolve(ball, Law::pfeiffer_glocker, p);
  EXPECT_NEAR(o.u[0], 0, 1e-15);
  EXPECT_NEAR(o.u[1], 1.6, 1e-15);
}

TEST(PlanarLaws, mean_is_weighted_relative_to_the_sum_of_its_weights) {
  const Collision c{2, 0.3, 1, {1, -1}, 0.4, 0.5};
  Parameters p;
  p.weight.frictionless = 3e300;
  p.weight.incremental = 1e300;
  const Outcome smooth = resolve(c, Law::frictionless), rough = resolve(c, Law::incremental);
  const Outcome mean = resolve(c, Law::composite, p);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(mean.p[i], 0.75 * smooth.p[i] + 0.25 * rough.p[i], 1e-15);
}

// A law is homogeneous of degree one in u0, and p scales with 1 / K: also far from 1.
TEST(PlanarLaws, scale_with_their_units) {
  const auto cases = draw(500, 29);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [c, p] = cases[i];
    for (const double k : {0x1p-700, 0x1p700}) {
      for (const double v : {0x1p-200, 0x1p200}) {
        const Collision scaled{c.k_xx * k, c.k_xy * k,   c.k_yy * k, {c.u0[0] * v, c.u0[1] * v},
                               c.friction, c.restitution};
        Parameters parameters = p;
        for (double& x : parameters.candidate) x *= v / k;
        for (std::size_t j = 0; j < law_count; ++j) {
          const Law law = static_cast<Law>(j);
          const Outcome one = resolve(c, law, p), other = resolve(scaled, law, parameters);
          EXPECT_EQ(other.p[0], one.p[0] * (v / k)) << i << ' ' << to_string(law);
          EXPECT_EQ(other.u[1], one.u[1] * v) << i << ' ' << to_string(law);
        }
      }
    }
  }
}

}  // namespace
}  // namespace carom::reference::planar
