// The permissible region: its margins and landmarks, who stays in it, and who gains energy.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <vector>

#include "support/laws/law_samples.hpp"

namespace carom::reference {
namespace {

// As in laws_test.cpp.
constexpr double tolerance = 1e-12;

Collision collision(const Matrix3& k, const Vector3& u0, double friction, double restitution) {
  Collision c;
  c.k = k;
  c.u0 = u0;
  c.friction = friction;
  c.restitution = restitution;
  return c;
}

void expect_in_region(const Collision& c, const Vector3& p, const std::string& name) {
  const Margins m = region_margins(c, p);
  const double speed = speeds(c, p);
  EXPECT_GE(m.energy, -tolerance * speed * length(p)) << name;
  EXPECT_GE(m.non_penetration, -tolerance * speed) << name;
  EXPECT_GE(m.tension, -tolerance * length(p)) << name;
  EXPECT_GE(m.cone, -tolerance * length(p)) << name;
}

TEST(margins, are_what_they_are_by_hand) {
  // K p = (2 + 3, -4, 1 + 6) for p = (1, -4, 3): u = (-1, 1, 5), p·u0 = -6 - 20 - 6 and p·K p = 5 + 16 + 21.
  const Collision c = collision(symmetric(2, 0, 1, 1, 0, 2), {-6, 5, -2}, 2, 0.5);
  const Margins m = region_margins(c, {1, -4, 3});
  EXPECT_EQ(m.energy, 32 - 21);
  EXPECT_EQ(m.non_penetration, 5);
  EXPECT_EQ(m.tension, 3);
  EXPECT_DOUBLE_EQ(m.cone, 6 - std::sqrt(17.));
  EXPECT_EQ(region_margins(collision(c.k, c.u0, infinity, 0), {1, -4, 3}).cone, infinity);
}

TEST(impulse_space, stops_the_approach_and_all_of_u) {
  for (const auto& [c, parameters] : law_samples(2000, 41)) {
    const ImpulseSpace space = impulse_space(c);
    const Vector3 first = c.u0 + c.k * space.plastic_frictionless;
    EXPECT_EQ(slip(space.plastic_frictionless), 0);
    EXPECT_LE(std::abs(first[2]), 4 * epsilon * std::abs(c.u0[2]));
    const Vector3 second = c.u0 + c.k * space.plastic_sticking;
    EXPECT_LE(length(second), tolerance * speeds(c, space.plastic_sticking));
    // P_II dissipates all of the contact energy.
    EXPECT_NEAR(region_margins(c, space.plastic_sticking).energy, space.contact_energy,
                tolerance * speeds(c, space.plastic_sticking) * length(space.plastic_sticking));
  }
}

TEST(impulse_space, has_one_and_a_half_p1_inside_of_the_region) {
  // It loses (1.5 - 1.125) u0_z² / K33 and separates with half the approach.
  for (const auto& [c, parameters] : law_samples(2000, 42)) {
    const double p = -1.5 * c.u0[2] / c.k[2][2];
    const Margins m = region_margins(c, {0, 0, p});
    EXPECT_NEAR(m.energy, 0.375 * c.u0[2] * c.u0[2] / c.k[2][2], 8 * epsilon * p * std::abs(c.u0[2]));
    EXPECT_NEAR(m.non_penetration, -0.5 * c.u0[2], 8 * epsilon * std::abs(c.u0[2]));
    EXPECT_GT(m.tension, 0);
    EXPECT_GE(m.cone, 0);
  }
}

TEST(chatterjee_ruina, candidate_never_gains_energy_nor_penetrates) {
  // [CR] 5.1: its impulses are a parallelogram with corners in the half ellipsoid. With unbounded friction the law
  // takes the candidate unless it pulls.
  std::size_t candidates = 0;
  for (auto [c, parameters] : law_samples(100'000, 43)) {
    c.friction = infinity;
    const ImpulseSpace space = impulse_space(c);
    const Vector3 way = space.plastic_sticking - space.plastic_frictionless;
    const Vector3 candidate =
        (1 + c.restitution) * space.plastic_frictionless + (1 + parameters.tangential_restitution) * way;
    const Margins m = region_margins(c, candidate);
    // The summands can be larger than their sum.
    const double size = length(candidate) + length(way), speed = length(c.u0) + trace(c.k) * size;
    EXPECT_GE(m.energy, -tolerance * speed * size);
    EXPECT_GE(m.non_penetration, -tolerance * speed);
    if (candidate[2] < 0) continue;
    ++candidates;
    EXPECT_LE(distance(apply(Law::chatterjee_ruina, c, parameters).p, candidate), tolerance * size);
  }
  EXPECT_GT(candidates, 50'000u);
}

std::vector<Law> laws_that_promise() {
  return {Law::incremental, Law::frictionless, Law::chatterjee_ruina, Law::smith, Law::anitescu_potra, Law::brach,
          Law::projected,   Law::polar,        Law::composite};
}

TEST(region, holds_the_laws_that_promise_it) {
  for (RestitutionLaw restitution : {RestitutionLaw::energetic, RestitutionLaw::kinetic})
    for (const auto& [c, parameters] : law_samples(3000, 44))
      for (Law law : laws_that_promise())
        expect_in_region(c, apply(law, c, parameters, restitution).p, std::string(to_string(law)));
}

TEST(region, holds_them_at_the_ends_of_friction_and_restitution) {
  for (double friction : {0., 1e-9, 30., 1e9, infinity})
    for (double restitution : {0., 1.})
      for (auto [c, parameters] : law_samples(300, 45)) {
        c.friction = friction;
        c.restitution = restitution;
        for (Law law : laws_that_promise()) {
          const Vector3 p = apply(law, c, parameters).p;
          Collision bounded = c;
          // The cone of a large friction, in numbers of the size of p.
          if (friction > 1) bounded.friction = infinity;
          expect_in_region(bounded, p, std::string(to_string(law)));
          if (friction > 1) {
            EXPECT_LE(slip(p) / friction, p[2] + tolerance * length(p)) << to_string(law);
          }
        }
      }
}

TEST(region, is_left_by_whittaker_which_gains_energy) {
  // In the plane K⁻¹ = (1 -a; -a 1) / (1 - a²) with a = 0.6. Elastic sticking takes u0 = (-a, -1) to u = (0, 1), so the
  // contact energy ½ u·K⁻¹u from ½ (a² - 2 a² + 1) / (1 - a²) = 0.5 to ½ / (1 - a²) = 0.78125. It needs
  // p = K⁻¹ (a, 2) = (-0.6, 1.64) / 0.64, that is μ >= 0.6 / 1.64.
  const Collision c = collision(symmetric(1, 0, 0.6, 1, 0, 1), {-0.6, 0, -1}, 0.5, 1);
  const LawOutcome o = apply(Law::whittaker, c);
  EXPECT_EQ(o.status, Status::ok);
  EXPECT_LE(distance(o.p, {-0.9375, 0, 2.5625}), 16 * epsilon);
  EXPECT_NEAR(impulse_space(c).contact_energy, 0.5, 4 * epsilon);
  EXPECT_NEAR(region_margins(c, o.p).energy, -0.28125, 32 * epsilon);
  for (Law law : laws_that_promise()) {
    LawParameters parameters;
    parameters.candidate = o.p;
    parameters.weight.smith = 1;
    expect_in_region(c, apply(law, c, parameters).p, std::string(to_string(law)));
  }
}

TEST(region, is_left_by_the_bilinear_law_where_the_normal_is_coupled) {
  // K = (1 0 -.9; 0 1 0; -.9 0 1), u0 = (1, 0, -1), e = 1: p_z = 2 and u_x before friction is 1 - 1.8 = -0.8, but the
  // friction opposes the first slip. With μ = 0.1, p = (-0.2, 0, 2): u = (-1, 0, 1.18), p·(u0 + u) / 2 = 0.18.
  const Collision c = collision(symmetric(1, 0, -0.9, 1, 0, 1), {1, 0, -1}, 0.1, 1);
  const LawOutcome o = apply(Law::bilinear, c);
  EXPECT_LE(distance(o.p, {-0.2, 0, 2}), 8 * epsilon);
  EXPECT_NEAR(region_margins(c, o.p).energy, -0.18, 32 * epsilon);
}

TEST(brach, is_scaled_back_to_the_cone) {
  // K = 1: axis 1 is -x, u0 = (2, 0, -1), e = 0: p_z = 1 for all ratios, and s = μ / |r|. Without the bound p would
  // stop the slip of 2 without a gain of energy.
  const Collision c = collision(symmetric(1, 0, 0, 1, 0, 1), {2, 0, -1}, 0.5, 0);
  LawParameters parameters;
  parameters.impulse_ratio_1 = 1.5;
  parameters.impulse_ratio_2 = 2;
  EXPECT_LE(distance(apply(Law::brach, c, parameters).p, {-0.3, -0.4, 1}), 8 * epsilon);
}

TEST(brach, is_scaled_back_to_the_energy) {
  // K = 1, u0 = (1, 0, -1), e = 0: (-σ, 0, 1) loses ½ + σ - ½ σ² and (σ, 0, 1) loses ½ - σ - ½ σ², which is 0 at
  // σ = √2 - 1.
  const Collision c = collision(symmetric(1, 0, 0, 1, 0, 1), {1, 0, -1}, 5, 0);
  LawParameters parameters;
  parameters.impulse_ratio_1 = -2;
  EXPECT_LE(distance(apply(Law::brach, c, parameters).p, {std::sqrt(2.) - 1, 0, 1}), 8 * epsilon);
  parameters.impulse_ratio_1 = 2;
  EXPECT_LE(distance(apply(Law::brach, c, parameters).p, {-2, 0, 1}), 8 * epsilon);
}

TEST(brach, is_scaled_back_where_the_normal_impulse_would_be_negative) {
  // K33 + k·r = 1 - 0.6 * 2 < 0 for p_t along -x.
  const Collision c = collision(symmetric(1, 0, 0.6, 1, 0, 1), {1, 0, -1}, 5, 0.5);
  LawParameters parameters;
  parameters.impulse_ratio_1 = 2;
  const LawOutcome o = apply(Law::brach, c, parameters);
  EXPECT_GT(o.p[2], 0);
  EXPECT_NEAR(o.u[2], 0.5, 16 * epsilon * speeds(c, o.p));
  EXPECT_NEAR(region_margins(c, o.p).energy, 0, 16 * epsilon * speeds(c, o.p) * length(o.p));
}

}  // namespace
}  // namespace carom::reference
