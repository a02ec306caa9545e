// Coincidences of laws, and limits of their ranges: no friction and unbounded friction, no slip, several solutions, an
// ill-conditioned K, other units.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "reference/contact/laws_parts.hpp"
#include "support/laws/law_samples.hpp"

namespace carom::reference {
namespace {

// As in laws_test.cpp.
constexpr double tolerance = 1e-12;

TEST(agreement, where_the_normal_is_uncoupled_and_the_slip_along_an_axis) {
  // k = 0 and M u0_t = m u0_t: bilinear is Chatterjee-Ruina, and Whittaker is Routh (Poisson's restitution).
  support::Draw draw(21);
  for (int i = 0; i < 20'000; ++i) {
    const double c = draw.bell(), s = draw.bell(), r = std::hypot(c, s);
    const double x = c / r, y = s / r, m = draw.log_uniform(3), other = draw.log_uniform(3);
    Collision collision;
    collision.k =
        symmetric(m * x * x + other * y * y, (m - other) * x * y, 0, m * y * y + other * x * x, 0, draw.log_uniform(3));
    const double speed = draw.log_uniform(3);
    collision.u0 = {speed * x, speed * y, -draw.log_uniform(3)};
    collision.friction = draw.uniform(0, 1.5);
    collision.restitution = draw.uniform();
    const LawParameters parameters = random_parameters(draw, collision);
    const Vector3 bilinear = apply(Law::bilinear, collision, parameters).p;
    EXPECT_LE(distance(bilinear, apply(Law::chatterjee_ruina, collision, parameters).p), tolerance * length(bilinear));
    // The integrated velocity is exact to rounding of the first one.
    const Vector3 routh = apply(Law::incremental, collision, {}, RestitutionLaw::kinetic).u;
    EXPECT_LE(distance(apply(Law::whittaker, collision).u, routh), tolerance * length(collision.u0));
  }
}

TEST(agreement, of_all_laws_without_friction) {
  // Except no_slip and polar, which ignore friction, and composites with them. The candidate of projected is the
  // impulse of the other laws, which it must not change.
  for (auto [c, parameters] : law_samples(2000, 22)) {
    c.friction = 0;
    const Vector3 expected{0, 0, -(1 + c.restitution) * c.u0[2] / c.k[2][2]};
    parameters.candidate = expected;
    parameters.weight.bilinear = 1;
    parameters.weight.polar = 0;
    for (Law law : laws_of_bodies) {
      if (law == Law::no_slip || law == Law::polar) continue;
      const LawOutcome o = apply(law, c, parameters);
      EXPECT_EQ(o.status, Status::ok);
      EXPECT_LE(distance(o.p, expected), tolerance * length(expected)) << to_string(law);
      if (law != Law::incremental) {
        EXPECT_EQ(o.path.sliding_end, SlidingEnd::slip);
      }
    }
    for (Law law : {Law::projected, Law::polar}) {
      parameters.candidate = {1, 2, 3};
      const Vector3 p = apply(law, c, parameters).p;
      EXPECT_LE(distance(p, {0, 0, -1.5 * c.u0[2] / c.k[2][2]}), tolerance * length(p)) << to_string(law);
    }
  }
}

TEST(unbounded_friction, is_the_limit_of_large_friction) {
  // At μ = 1e12 the cone is 1e-12 rad away from the plane p_n = 0. An impulse on it moves by that times the condition
  // of K, 1e3, and the condition of the law, which is infinite at its turning points and exceeds 1e2 only near them.
  for (auto [c, parameters] : law_samples(2000, 23))
    for (Law law : laws_of_bodies) {
      c.friction = 1e12;
      const LawOutcome large = apply(law, c, parameters);
      c.friction = infinity;
      const LawOutcome unbounded = apply(law, c, parameters);
      ASSERT_FALSE(is_fault(unbounded.status)) << to_string(law);
      EXPECT_EQ(unbounded.status, large.status) << to_string(law);
      if (law != Law::no_slip) {
        EXPECT_GE(unbounded.p[2], -tolerance * length(unbounded.p)) << to_string(law);
      }
      EXPECT_LE(distance(large.p, unbounded.p), 1e-12 * 1e3 * 1e2 * length(unbounded.p)) << to_string(law);
    }
}

TEST(unbounded_friction, of_chatterjee_and_ruina_holds_what_would_pull) {
  // K = (2 0 1; 0 1 0; 1 0 1), K⁻¹ = (1 0 -1; 0 1 0; -1 0 2), u0 = (-4, 0, -1): P_I = (0, 0, 1) and P_II = (3, 0, -2).
  // With e = e_t = 0 the candidate P_II pulls; κ = 1 / (1 + 2) puts P_I + κ (P_II - P_I) = (1, 0, 0) on p_n = 0.
  Collision c;
  c.k = symmetric(2, 0, 1, 1, 0, 1);
  c.u0 = {-4, 0, -1};
  c.friction = infinity;
  const LawOutcome o = apply(Law::chatterjee_ruina, c);
  EXPECT_LE(distance(o.p, {1, 0, 0}), 8 * epsilon);
  EXPECT_EQ(o.path.sliding_end, SlidingEnd::slip);
}

TEST(unbounded_friction, of_smith_reverses_the_slip_unless_that_pulls) {
  std::size_t reversed = 0, held = 0;
  for (auto [c, parameters] : law_samples(2000, 24)) {
    c.friction = infinity;
    const LawOutcome o = apply(Law::smith, c);
    const Vector3 expected{-c.u0[0], -c.u0[1], -c.restitution * c.u0[2]};
    const double speed = speeds(c, o.p);
    if (distance(o.u, expected) <= tolerance * speed) {
      ++reversed;
      EXPECT_GE(o.p[2], 0);
    } else {
      ++held;
      EXPECT_LE(std::abs(o.p[2]), tolerance * length(o.p));
    }
  }
  EXPECT_GT(reversed, 100u);
  EXPECT_GT(held, 100u);
}

TEST(no_slip_at_first, sticks_or_leaves_along_the_diverging_ray) {
  std::size_t sticking = 0, diverging = 0;
  for (auto [c, parameters] : law_samples(5000, 25)) {
    c.u0[0] = c.u0[1] = 0;
    const auto q = q_of(c.k);
    const bool holds = std::hypot(q[0], q[1]) <= c.friction;
    for (Law law : {Law::whittaker, Law::smith}) {
      const LawOutcome o = apply(law, c);
      EXPECT_EQ(o.status, Status::ok);
      const double speed = speeds(c, o.p);
      EXPECT_LE(std::abs(o.u[2] + c.restitution * c.u0[2]), tolerance * speed);
      if (holds) {
        ++sticking;
        EXPECT_LE(slip(o.u), tolerance * speed);
      } else {
        ++diverging;
        const double ray = diverging_ray(c.k, c.friction);
        EXPECT_LE(std::abs(o.u[0] * std::sin(ray) - o.u[1] * std::cos(ray)), tolerance * speed);
        EXPECT_GE(o.u[0] * std::cos(ray) + o.u[1] * std::sin(ray), 0);
        EXPECT_LE(std::abs(slip(o.p) - c.friction * o.p[2]), tolerance * length(o.p));
      }
    }
    EXPECT_EQ(slip(apply(Law::bilinear, c, parameters).p), 0);
  }
  EXPECT_GT(sticking, 500u);
  EXPECT_GT(diverging, 500u);
}

TEST(no_slip_at_first, is_the_limit_of_a_small_slip) {
  // A slip of 1e-9 of the approach changes the impulse by 1e-9 times the condition of K and the law's condition, 1e2.
  std::size_t apart = 0;
  for (auto [c, parameters] : law_samples(2000, 26)) {
    c.u0[0] *= 1e-9 * std::abs(c.u0[2]), c.u0[1] *= 1e-9 * std::abs(c.u0[2]);
    const Vector3 small = apply(Law::smith, c).p;
    c.u0[0] = c.u0[1] = 0;
    apart += distance(small, apply(Law::smith, c).p) <= 1e-9 * 1e3 * 1e2 * length(small) ? 0 : 1;
  }
  EXPECT_LE(apart, 2u);
}

// M = 8, k = 5 (1, -1), u0_t across it: S has the eigenvalues 8 - 50/7 along k and 8 across, c = 1, and
// ũ = u0_t + k / 7. So v = (5/7 / (λ + 6/7), 7 / (λ + 8)) √2 along and across, and
//
//   1.3 (1 + 50 / (7 λ + 6)) = 7 √2 |(5 / (7 λ + 6), 7 / (λ + 8))|
//
// with > at λ = 0 (12.13 and 11.96), < at 1 (6.30 and 8.57) and > at 100 (1.39 and 0.65): a stick and two slips.
Collision three_ways() {
  Collision c;
  c.k = symmetric(8, 0, 5, 8, -5, 7);
  c.u0 = {7, 7, -1};
  c.friction = 1.3;
  return c;
}

TEST(several_solutions, of_whittaker_leave_it_to_stick) {
  // K⁻¹ (u - u0) = K⁻¹ (-7, -7, 1) = (-41, -1, 32) / 24.
  for (Law law : {Law::whittaker, Law::anitescu_potra}) {
    const LawOutcome o = apply(law, three_ways());
    EXPECT_EQ(o.status, Status::several_solutions);
    EXPECT_LE(distance(o.p, {-41. / 24, -1. / 24, 32. / 24}), 1e3 * epsilon);
    EXPECT_EQ(o.path.sliding_end, SlidingEnd::stick);
  }
}

TEST(several_solutions, of_smith_leave_it_the_smallest_normal_impulse) {
  Collision c;
  c.k = symmetric(8, 6, -2, 8, -6, 7);
  c.u0 = {8, 1, -1};
  c.friction = 6;
  c.restitution = 1;
  // All three solve the law to the digits given here.
  const std::vector<Vector3> solutions{{-6.21469792086, 7.77609222892, 5.17530821883},
                                       {-1.88411133397, 1.03490602723, 0.63445907078},
                                       {-0.745221980069, 0.0784483412117, 0.140035155305}};
  for (const Vector3& p : solutions) {
    const Vector3 u = c.u0 + c.k * p;
    const double a = slip(c.u0), b = slip(u);
    EXPECT_NEAR(u[2], 1, 1e-10);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(p[j], -c.friction * p[2] * (a * c.u0[j] + b * u[j]) / (a * a + b * b), 1e-9);
  }
  const LawOutcome o = apply(Law::smith, c);
  EXPECT_EQ(o.status, Status::several_solutions);
  EXPECT_LE(distance(o.p, solutions[2]), 1e-10);
}

TEST(several_solutions, are_odd_in_number) {
  // Each is a zero of a field on the plane of u_t that points inwards far out, and they count +1 or -1 to a sum of 1.
  std::size_t several = 0;
  support::Draw draw(27);
  for (Collision c : random_collisions(5000, 27, 1)) {
    c.friction = draw.log_uniform(5);
    for (const Solutions& s : {whittaker(c), smith(c)}) {
      EXPECT_EQ(s.count % 2, 1);
      several += s.count > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(several, 5u);
}

TEST(anitescu_potra, expands_further_where_the_normal_impulse_alone_would_penetrate) {
  // While it slides along y, u_z' = K33 - μ k_y = 1 - 0.6 * 25/12 = -0.25 < 0: so where a compression left this slip at
  // u_z = 0, no expansion that goes on sliding separates, and p_z has to grow until the contact sticks or turns. It can
  // turn no further than S turns y, and there it sticks: u = 0.
  Collision c;
  c.k = symmetric(8, 0, -0.7, 1, 0.6, 1);
  c.friction = 25. / 12;
  const Vector3 u1{0, 10, 0};
  const Solutions more = friction_against_last_slip(c.k, Cone(c.friction), u1, 0);
  ASSERT_EQ(more.count, 1);
  EXPECT_GT(more.p[2], 0);
  EXPECT_LE(slip(more.p), c.friction * more.p[2]);
  EXPECT_LE(length(u1 + c.k * more.p), tolerance * speeds(c, more.p));
}

TEST(units, a_power_of_two_changes_no_bit) {
  for (const auto& [c, parameters] : law_samples(200, 28))
    for (Law law : laws_of_bodies) {
      const LawOutcome o = apply(law, c, parameters);
      for (int n : {-400, 400}) {
        Collision other = c;
        for (Vector3& row : other.k)
          for (double& x : row) x = std::ldexp(x, n);
        for (double& x : other.u0) x = std::ldexp(x, -n / 2);
        LawParameters others = parameters;
        for (double& x : others.candidate) x = std::ldexp(x, -n / 2 - n);
        const LawOutcome scaled = apply(law, other, others);
        EXPECT_EQ(scaled.status, o.status);
        for (std::size_t j = 0; j < 3; ++j) {
          EXPECT_EQ(std::ldexp(scaled.p[j], n / 2 + n), o.p[j]) << to_string(law);
          EXPECT_EQ(std::ldexp(scaled.u[j], n / 2), o.u[j]) << to_string(law);
        }
      }
    }
}

// Eigenvalues 1, 1e-4 and 1e-8 in random directions: thin bodies, and large ratios of mass.
std::vector<LawSample> ill_conditioned_samples(std::size_t count) {
  support::Draw draw(29);
  std::vector<LawSample> samples = law_samples(count, 29);
  for (auto& [c, parameters] : samples) {
    const support::Rows rotation = draw.rotation();
    const double eigenvalues[] = {1, 1e-4, 1e-8};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        c.k[i][j] = 0;
        for (std::size_t m = 0; m < 3; ++m) c.k[i][j] += eigenvalues[m] * rotation[i][m] * rotation[j][m];
      }
    c.k[1][0] = c.k[0][1], c.k[2][0] = c.k[0][2], c.k[2][1] = c.k[1][2];
    c.friction = draw.log_uniform(3);
  }
  return samples;
}

TEST(ill_conditioned, laws_meet_their_restitution_and_their_cone) {
  // Relative to |u0| + trace K |p|, of whose parts u is the sum: that K is nearly singular makes p large, not u wrong.
  for (const auto& [c, parameters] : ill_conditioned_samples(5000))
    for (Law law : {Law::frictionless, Law::chatterjee_ruina, Law::whittaker, Law::smith, Law::brach}) {
      const LawOutcome o = apply(law, c, parameters);
      ASSERT_FALSE(is_fault(o.status)) << to_string(law);
      EXPECT_LE(std::abs(o.u[2] + c.restitution * c.u0[2]), tolerance * speeds(c, o.p)) << to_string(law);
      EXPECT_LE(slip(o.p), c.friction * o.p[2] * (1 + tolerance)) << to_string(law);
    }
}

TEST(ill_conditioned, whittaker_sticks_or_slides_against_the_last_slip) {
  for (const auto& [c, parameters] : ill_conditioned_samples(5000)) {
    const LawOutcome o = apply(Law::whittaker, c);
    const double speed = speeds(c, o.p);
    if (o.path.sliding_end == SlidingEnd::stick) {
      EXPECT_LE(slip(o.u), tolerance * speed);
    } else {
      const double r = slip(o.p);
      EXPECT_LE(std::hypot(o.u[0] + o.p[0] * slip(o.u) / r, o.u[1] + o.p[1] * slip(o.u) / r), tolerance * speed);
    }
  }
}

}  // namespace
}  // namespace carom::reference
