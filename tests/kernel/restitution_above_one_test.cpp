// Restitution above 1, which Tolerances::max_restitution allows. [CR] A. Chatterjee, A. Ruina, A New Algebraic Rigid
// Body Collision Law Based on Impulse Space Considerations, 1998, section 3.5.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomLaws;
using support::RandomPlanarSpace;
using support::RandomSpaceContacts;
using support::ResultArrays;

template <class T>
class RestitutionAboveOne : public testing::Test {
 protected:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(RestitutionAboveOne, Precisions);

SolverSetup up_to(double largest, Law law = Law::incremental, Isa isa = Isa::automatic) {
  SolverSetup options;
  options.data.max_restitution = largest;
  options.law = law;
  options.execution.isa = isa;
  options.execution.threads = 1;
  return options;
}

/// e in [1, 4] for all.
template <class T>
void raise(std::vector<T>& restitution) {
  for (T& e : restitution) e = 1 + 3 * e;
}

TYPED_TEST(RestitutionAboveOne, is_a_fault_beyond_what_the_option_allows_and_nowhere_else) {
  using T = TypeParam;
  support::RandomContacts<T> bodies(3, 71);
  RandomSpaceContacts<T> space(3, 72);
  RandomPlanarSpace<T> planar(3, 73);
  for (auto* e : {&bodies.restitution, &space.restitution, &planar.laws.restitution}) *e = {1, T(1.5), T(2.5)};
  const RandomLaws<T> parameters(3, 74);
  auto of_bodies = bodies.inline_contacts();
  auto in_space = space.space_contacts();
  parameters.give(of_bodies.laws);
  parameters.give(in_space.laws);
  for (const auto& [largest, faults] : {std::pair{1.0, 2u}, std::pair{1.5, 1u}, std::pair{2.5, 0u}})
    for (const Isa isa : available_isas())
      for (const Law law : support::laws_of_bodies) {
        ConfiguredSolver solver(up_to(largest, law, isa));
        for (const Report& report : {solver.solve(of_bodies, Results<T>{}), solver.solve(in_space, Results<T>{}),
                                     solver.solve(planar.view(), planar::Results<T>{})})
          EXPECT_EQ(report.count(Status::restitution_out_of_range), faults) << to_string(law) << ' ' << to_string(isa);
        ResultArrays<T> impulses(3);
        EXPECT_EQ(solver.find_margins(of_bodies, impulses.results().impulse, RegionMargins<T>{}).faults(), faults);
      }
}

TYPED_TEST(RestitutionAboveOne, is_a_fault_of_the_reference_as_well) {
  RandomSpaceContacts<double> space(2, 75);
  RandomPlanarSpace<double> planar(2, 76);
  for (auto* e : {&space.restitution, &planar.laws.restitution}) *e = {1.5, 2.5};
  for (const auto& [largest, faults] : {std::pair{1.0, 2u}, std::pair{1.5, 1u}, std::pair{2.5, 0u}}) {
    const Options options = up_to(largest);
    EXPECT_EQ(solve_by_reference(space.space_contacts(), Results<double>{}, options).faults(), faults);
    EXPECT_EQ(solve_by_reference(planar.view(), planar::Results<double>{}, options).faults(), faults);
  }
}

TEST(LargestRestitution, below_1_or_above_100_is_misuse) {
  for (const double wrong : {0.99, 100.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(ConfiguredSolver(up_to(wrong)).solve(KContacts<float>{}, Results<float>{}), Error);
}

// [CR] figure 9: K = 1 and u0 = (1, -y) nearly grazing. Friction slides to the end, p = (-μ, 1) p_n with p_n = (1 + e)
// y, and gains p·u0 + ½ p² = -(μ + y) p_n + ½ (1 + μ²) p_n²: no energy until p_n = 2 (μ + y) / (1 + μ²). For μ = .5 and
// y = .05 that is .88, or e = 16.6, far beyond frictionless bodies, and with u_t = 1 - .44 still in the same direction.
TYPED_TEST(RestitutionAboveOne, need_not_gain_energy_where_there_is_friction) {
  using T = TypeParam;
  const T one = 1, zero = 0, approach = T(-0.05), friction = T(0.5);
  const auto all = [](const T& x) { return Column<const T>(&x, 1); };
  KContacts<T> c;
  c.k = {all(one), all(zero), all(zero), all(one), all(zero), all(one)};
  c.separation_velocity = {all(one), all(zero), all(approach)};
  c.friction = all(friction);
  c.laws.tangential_restitution = all(zero);
  for (const Isa isa : available_isas())
    for (const Law law :
         {Law::incremental, Law::chatterjee_ruina, Law::bilinear, Law::whittaker, Law::smith, Law::anitescu_potra})
      for (const double e : {1.5, 10.0, 16.5, 16.7}) {
        const T restitution = static_cast<T>(e);
        c.restitution = all(restitution);
        ResultArrays<T> found(1, false);
        const Report report = ConfiguredSolver(up_to(20, law, isa)).solve(c, found.results());
        ASSERT_EQ(report.count(Status::ok), 1u);
        const double p = (1 + e) * 0.05, gain = 0.625 * p * p - 0.55 * p;
        // Ten roundings of terms below 1, of e up to 16 among them.
        const double bound = 160 * TestFixture::epsilon;
        const auto impulse = [&](std::size_t i) { return static_cast<double>(found.impulse[i][0]); };
        EXPECT_NEAR(impulse(0), -0.5 * p, bound) << to_string(law) << ' ' << e;
        EXPECT_NEAR(impulse(2), p, bound) << to_string(law) << ' ' << e;
        EXPECT_NEAR(report.max_energy_gain, std::max(gain, 0.0), bound) << to_string(law) << ' ' << e;
        EXPECT_EQ(report.max_energy_gain > 0, e > 16.6) << to_string(law) << ' ' << e;
      }
}

// Other properties of the laws hold too: u - u0 = K p, u_z = -e u0_z where the law states it, the friction cone, and
// under the incremental law, the normal force returns e² of the work of compression.
TYPED_TEST(RestitutionAboveOne, leaves_all_other_promises_as_they_are) {
  using T = TypeParam;
  constexpr std::size_t n = 5000;
  RandomSpaceContacts<T> drawn(n, 77);
  raise(drawn.restitution);
  RandomLaws<T> parameters(n, 78);
  parameters.weights[1].assign(n, T(0.5));  // a composite needs a component
  KContacts<T> c = drawn.space_contacts();
  parameters.give(c.laws);
  const auto wide = [](T x) { return static_cast<double>(x); };
  for (const Isa isa : available_isas())
    for (const Law law : support::laws_of_bodies) {
      ResultArrays<T> found(n, false);
      const Report report = ConfiguredSolver(up_to(4, law, isa)).solve(c, found.results());
      ASSERT_EQ(report.faults(), 0u) << to_string(law);
      for (std::size_t i = 0; i < n; ++i) {
        const auto k = [&](std::size_t j) { return wide(drawn.k[j][i]); };
        const double p[3] = {wide(found.impulse[0][i]), wide(found.impulse[1][i]), wide(found.impulse[2][i])};
        const double u0[3] = {wide(drawn.separation_velocity[0][i]), wide(drawn.separation_velocity[1][i]),
                              wide(drawn.separation_velocity[2][i])};
        const double size = std::hypot(p[0], p[1], p[2]), e = wide(drawn.restitution[i]);
        const double speed = std::hypot(u0[0], u0[1], u0[2]) + (k(0) + k(3) + k(5)) * size;
        // As for e below 1: a few dozen roundings, of slides integrated in some ten steps a thousand.
        const double bound = (law == Law::incremental || law == Law::composite ? 1000 : 64) * TestFixture::epsilon;
        const double rise[3] = {k(0) * p[0] + k(1) * p[1] + k(2) * p[2], k(1) * p[0] + k(3) * p[1] + k(4) * p[2],
                                k(2) * p[0] + k(4) * p[1] + k(5) * p[2]};
        for (std::size_t j = 0; j < 3; ++j)
          ASSERT_NEAR(wide(found.separation_velocity[j][i]) - u0[j], rise[j], bound * speed)
              << to_string(law) << ' ' << i << ' ' << to_string(isa);
        if (law != Law::no_slip) {
          ASSERT_LE(std::hypot(p[0], p[1]), wide(drawn.friction[i]) * p[2] + bound * size)
              << to_string(law) << ' ' << i;
        }
        if (law == Law::frictionless || law == Law::no_slip || law == Law::chatterjee_ruina || law == Law::whittaker ||
            law == Law::smith || law == Law::brach) {
          ASSERT_NEAR(wide(found.separation_velocity[2][i]), -e * u0[2], bound * speed) << to_string(law) << ' ' << i;
        }
        if (law == Law::incremental) {
          const double compression = wide(found.work_compression[i]);
          ASSERT_NEAR(wide(found.work_decompression[i]), -e * e * compression, -bound * e * e * compression) << i;
        }
      }
    }
}

// (1 + e) P_I gains (e² - 1) / 2 u0_z² / K_33 then, and the ratios may keep that but not add to it: as large a share of
// them as that allows.
TYPED_TEST(RestitutionAboveOne, of_brach_gains_no_more_than_without_friction) {
  using T = TypeParam;
  constexpr std::size_t n = 20'000;
  RandomSpaceContacts<T> drawn(n, 79);
  raise(drawn.restitution);
  const RandomLaws<T> parameters(n, 80);
  KContacts<T> c = drawn.space_contacts();
  parameters.give(c.laws);
  const auto wide = [](T x) { return static_cast<double>(x); };
  for (const Isa isa : available_isas()) {
    ResultArrays<T> found(n, false);
    ConfiguredSolver(up_to(4, Law::brach, isa)).solve(c, found.results());
    std::size_t whole = 0, none = 0, bounded = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto p = [&](std::size_t j) { return wide(found.impulse[j][i]); };
      double gain = 0;
      for (std::size_t j = 0; j < 3; ++j)
        gain += 0.5 * p(j) * (wide(drawn.separation_velocity[j][i]) + wide(found.separation_velocity[j][i]));
      const double e = wide(drawn.restitution[i]), approach = wide(drawn.separation_velocity[2][i]);
      const double allowed = 0.5 * (e * e - 1) * approach * approach / wide(drawn.k[5][i]);
      const double size = std::hypot(p(0), p(1), p(2)), trace = wide(drawn.k[0][i] + drawn.k[3][i] + drawn.k[5][i]);
      // A few dozen roundings of the terms of the sum.
      const double bound = 64 * TestFixture::epsilon * size * (trace * size - approach);
      ASSERT_LE(gain, allowed + bound) << i << ' ' << to_string(isa);
      const double wanted = std::hypot(wide(parameters.impulse_ratio_1[i]), wide(parameters.impulse_ratio_2[i]));
      const double share = std::hypot(p(0), p(1)) / p(2) / wanted;
      if (share > 0.999) {
        ++whole;
      } else if (share < 1e-6) {
        ++none;
      } else if (share * wanted < 0.999 * wide(drawn.friction[i])) {
        // Less than requested, more than zero, and not limited by friction: so energy is the bound.
        ++bounded;
        ASSERT_GE(gain, allowed - 4 * bound) << i << ' ' << to_string(isa);
      }
    }
    EXPECT_GT(whole, n / 20);
    EXPECT_GT(none, n / 20);
    EXPECT_GT(bounded, n / 20);
  }
}

TYPED_TEST(RestitutionAboveOne, on_planar_lanes_is_that_of_the_reference) {
  using T = TypeParam;
  constexpr std::size_t n = 20'000;
  RandomPlanarSpace<T> drawn(n, 81);
  raise(drawn.laws.restitution);
  const auto wide = drawn.widened();
  for (std::size_t l = 0; l < law_count; ++l) {
    const Law law = static_cast<Law>(l);
    support::PlanarResultArrays<double> expected(n, false);
    solve_by_reference(wide.view(), expected.results(), up_to(4, law));
    for (const Isa isa : available_isas()) {
      support::PlanarResultArrays<T> found(n, false);
      ConfiguredSolver(up_to(4, law, isa)).solve(drawn.view(), found.results());
      using R = support::PlanarResultArrays<T>;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(found.status[i], expected.status[i]) << to_string(law) << ' ' << i;
        const double xx = wide.k_xx[i], xy = wide.k_xy[i], yy = wide.k_yy[i];
        const double mean = 0.5 * (xx + yy), radius = std::hypot(0.5 * (xx - yy), xy);
        const double condition = (mean + radius) * (mean + radius) / (xx * yy - xy * xy);
        const double size = std::hypot(expected.numbers[R::p_x][i], expected.numbers[R::p_y][i]) +
                            std::hypot(wide.u0_x[i], wide.u0_y[i]) / yy;
        // As in planar_test.cpp, with u up to four times as large.
        const double bound = 4 * 64 * TestFixture::epsilon * condition * size;
        for (const auto j : {R::p_x, R::p_y})
          ASSERT_NEAR(static_cast<double>(found.numbers[j][i]), expected.numbers[j][i], bound)
              << to_string(law) << ' ' << i << ' ' << to_string(isa);
      }
    }
  }
}

}  // namespace
}  // namespace carom
