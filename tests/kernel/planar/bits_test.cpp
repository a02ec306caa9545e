// The bits of a planar contact depend only on the contact, on every ISA with fused multiply-add.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstring>
#include <limits>
#include <vector>

#include "support/planar/random_contacts.hpp"
#include "support/planar/same_bits.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::add_limits;
using support::PlanarResultArrays;
using support::RandomPlanarBodies;
using support::RandomPlanarSpace;
using support::same;
using support::with;

template <class T>
class PlanarBits : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlanarBits, Precisions);

TYPED_TEST(PlanarBits, are_the_same_on_every_isa_with_fma) {
  using T = TypeParam;
  constexpr std::size_t n = 5003;
  RandomPlanarSpace<T> drawn(n, 45);
  add_limits(drawn.laws, &drawn.u0_x);
  const RandomPlanarBodies<T> bodies(n, 46);
  const std::vector<Isa> isas = support::isas_with_fma();
  for (std::size_t l = 0; l < law_count; ++l) {
    PlanarResultArrays<T> first(n, false), first_bodies(n);
    for (const Isa isa : isas) {
      PlanarResultArrays<T> space(n, false), inlined(n);
      ConfiguredSolver solver(with(isa, static_cast<Law>(l)));
      solver.solve(drawn.view(), space.results());
      solver.solve(bodies.inline_contacts(), inlined.results());
      if (isa == isas.front()) {
        first = space;
        first_bodies = inlined;
      }
      EXPECT_TRUE(same(first, space)) << to_string(isa) << ' ' << to_string(static_cast<Law>(l));
      EXPECT_TRUE(same(first_bodies, inlined)) << to_string(isa) << ' ' << to_string(static_cast<Law>(l));
    }
  }
}

// Axis-aligned contacts with zeros of both signs: sums that are exactly zero have a sign, which depends on the
// operations.
TYPED_TEST(PlanarBits, of_zeros_have_the_same_sign_on_every_isa_with_fma) {
  using T = TypeParam;
  constexpr std::size_t n = 5003;
  RandomPlanarBodies<T> bodies(n, 48);
  support::Draw draw(49);
  const auto zero = [&] { return draw.below(2) == 0 ? T(0) : -T(0); };
  const auto some_zeros = [&](std::vector<T>& column) {
    for (T& x : column)
      if (draw.below(2) == 0) x = zero();
  };
  for (std::vector<T>* lever : {&bodies.r_a_x, &bodies.r_a_y, &bodies.r_b_x, &bodies.r_b_y}) some_zeros(*lever);
  for (support::PlanarBodyArrays<T>* body : {&bodies.a, &bodies.b})
    for (std::vector<T>* column :
         {&body->inverse_inertia, &body->velocity_x, &body->velocity_y, &body->angular_velocity})
      some_zeros(*column);
  some_zeros(bodies.laws.restitution);
  some_zeros(bodies.laws.friction);
  for (std::size_t i = 0; i < n; ++i) {
    const bool along_x = draw.below(2) == 0;
    bodies.normal_x[i] = along_x ? T(1) : zero();
    bodies.normal_y[i] = along_x ? zero() : T(1);
  }
  const std::vector<Isa> isas = support::isas_with_fma();
  for (std::size_t l = 0; l < law_count; ++l) {
    PlanarResultArrays<T> first(n);
    ConfiguredSolver(with(isas.front(), static_cast<Law>(l))).solve(bodies.inline_contacts(), first.results());
    for (const Isa isa : isas) {
      PlanarResultArrays<T> results(n);
      ConfiguredSolver(with(isa, static_cast<Law>(l))).solve(bodies.inline_contacts(), results.results());
      EXPECT_TRUE(same(first, results)) << to_string(isa) << ' ' << to_string(static_cast<Law>(l));
    }
  }
}

// Every contact in a batch of one, in a batch of mixed laws, with faulty neighbours, and with threads.
TYPED_TEST(PlanarBits, depend_on_the_contact_alone) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  constexpr std::size_t n = 4500;
  RandomPlanarSpace<T> drawn(n, 47);
  add_limits(drawn.laws, &drawn.u0_x);
  planar::KContacts<T> mixed = drawn.view();
  mixed.laws.law = drawn.laws.law;
  mixed.laws.restitution_law = drawn.laws.restitution_law;
  for (const Isa isa : available_isas()) {
    R whole(n, false), threaded(n, false);
    const Report report = ConfiguredSolver(with(isa)).solve(mixed, whole.results());
    EXPECT_EQ(report.count(Status::ok), n);
    SolverSetup two = with(isa);
    two.execution.threads = 2;
    const Report of_two = ConfiguredSolver(two).solve(mixed, threaded.results());
    EXPECT_TRUE(same(whole, threaded)) << to_string(isa);
    EXPECT_EQ(report.by_path, of_two.by_path);
    EXPECT_EQ(report.max_energy_gain, of_two.max_energy_gain);
    EXPECT_EQ(report.max_energy_gain_contact, of_two.max_energy_gain_contact);

    ConfiguredSolver solver(with(isa));
    RandomPlanarSpace<T> spoilt = drawn;
    for (std::size_t i = 0; i < n; i += 2) {
      const T bad[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), 0, -1, T(1e30)};
      spoilt.k_xx[i] = bad[i / 2 % 5];
      spoilt.u0_x[i] = bad[(i / 2 + 1) % 5];
    }
    planar::KContacts<T> view = spoilt.view();
    view.laws.law = drawn.laws.law;
    view.laws.restitution_law = drawn.laws.restitution_law;
    R next_to_bad(n, false);
    solver.solve(view, next_to_bad.results());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < R::columns; ++j) {
        if (i % 2 == 1) {
          ASSERT_EQ(std::memcmp(&next_to_bad.numbers[j][i], &whole.numbers[j][i], sizeof(T)), 0) << i << ' ' << j;
        }
      }
    }
    // Each in a batch of one law.
    for (std::size_t i = 0; i < 600; ++i) {
      RandomPlanarSpace<T> one;
      one.k_xx = {drawn.k_xx[i]};
      one.k_xy = {drawn.k_xy[i]};
      one.k_yy = {drawn.k_yy[i]};
      one.u0_x = {drawn.u0_x[i]};
      one.u0_y = {drawn.u0_y[i]};
      const auto& laws = drawn.laws;
      auto& l = one.laws;
      l.friction = {laws.friction[i]};
      l.restitution = {laws.restitution[i]};
      l.tangential_restitution = {laws.tangential_restitution[i]};
      l.impulse_ratio = {laws.impulse_ratio[i]};
      l.polar_angle = {laws.polar_angle[i]};
      l.fraction = {laws.fraction[i]};
      l.candidate_x = {laws.candidate_x[i]};
      l.candidate_y = {laws.candidate_y[i]};
      for (std::size_t j = 0; j < 10; ++j) l.weights[j] = {laws.weights[j][i]};
      R alone(1, false);
      ConfiguredSolver(with(isa, laws.law[i], laws.restitution_law[i])).solve(one.view(), alone.results());
      for (std::size_t j = 0; j < R::columns; ++j)
        ASSERT_EQ(std::memcmp(&alone.numbers[j][0], &whole.numbers[j][i], sizeof(T)), 0)
            << i << ' ' << j << ' ' << to_string(laws.law[i]) << ' ' << to_string(isa);
      ASSERT_EQ(alone.path[0], whole.path[i]);
    }
  }
}

}  // namespace
}  // namespace carom
