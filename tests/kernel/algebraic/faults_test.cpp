// Faults of contacts under the algebraic laws: equal to the reference's. Columns that a law does not read cause no
// faults, and contacts with faults do not change bodies.
#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomContacts;
using support::RandomLaws;
using support::ResultArrays;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST(LawFaults, are_those_of_the_reference_whatever_field_is_broken) {
  constexpr std::size_t n = 20000;
  RandomContacts<double> bodies(n, 61);
  RandomLaws<double> laws(n, 62);
  std::vector<std::vector<double>*> fields = {
      &bodies.friction,      &bodies.restitution,   &laws.tangential_restitution,
      &laws.impulse_ratio_1, &laws.impulse_ratio_2, &laws.polar_angle,
      &laws.azimuth,         &laws.fraction};
  for (auto* vectors :
       {&bodies.normal, &bodies.r_a, &bodies.r_b, &laws.candidate, &bodies.a.velocity, &bodies.b.angular_velocity})
    for (auto& c : *vectors) fields.push_back(&c);
  for (auto& w : laws.weights) fields.push_back(&w);
  for (auto* body : {&bodies.a, &bodies.b}) {
    fields.push_back(&body->inverse_mass);
    for (auto& c : body->inverse_inertia) fields.push_back(&c);
  }
  support::Draw draw(63);
  constexpr std::array values{nan, infinity, -infinity, -3.0, 0.0, 5.0};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t broken = draw.below(3); broken > 0; --broken)
      (*fields[draw.below(fields.size())])[i] = values[draw.below(values.size())];
  for (std::size_t i = 0; i < n; i += 40) laws.law[i] = i % 80 == 0 ? Law::pfeiffer_glocker : static_cast<Law>(77);
  std::vector<RestitutionLaw> restitution_laws(n);
  for (RestitutionLaw& law : restitution_laws)
    law = static_cast<RestitutionLaw>(draw.below(20) == 0 ? 3 + draw.below(253) : draw.below(3));

  Contacts<double> contacts = bodies.inline_contacts();
  laws.give(contacts.laws);
  contacts.laws.law = laws.law;
  contacts.laws.restitution_law = restitution_laws;
  ResultArrays<double> expected(n);
  const Report report = solve_by_reference(contacts, expected.results(), law_options(Law::incremental));
  EXPECT_GT(report.faults(), n / 4);
  for (const Isa isa : available_isas()) {
    ResultArrays<double> found(n);
    ConfiguredSolver(law_options(Law::incremental, isa)).solve(contacts, found.results());
    for (std::size_t i = 0; i < n; ++i) {
      // Ties of the laws themselves belong to their own tests.
      if (!is_fault(found.status[i]) && !is_fault(expected.status[i])) continue;
      ASSERT_EQ(found.status[i], expected.status[i])
          << to_string(found.status[i]) << " for " << to_string(expected.status[i]) << " of contact " << i << ", law "
          << static_cast<int>(laws.law[i]) << ", " << to_string(isa);
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(found.impulse[c][i], 0) << i;
        if (bodies.a.velocity[c][i] == bodies.a.velocity[c][i]) {
          ASSERT_EQ(found.velocity_a[c][i], bodies.a.velocity[c][i]) << i;
        }
      }
    }
  }
}

template <class T>
class LawParameter : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LawParameter, Precisions);

/// The statuses of 40 contacts of one law, after `change` of the parameters.
template <class T, class Change>
std::vector<Status> statuses(Law law, Isa isa, Change&& change) {
  constexpr std::size_t n = 40;
  const RandomContacts<T> bodies(n, 71);
  const RandomLaws<T> laws(n, 72);
  Contacts<T> contacts = bodies.inline_contacts();
  laws.give(contacts.laws);
  change(contacts.laws);
  ResultArrays<T> results(n);
  ConfiguredSolver(law_options(law, isa)).solve(contacts, results.results());
  return results.status;
}

template <class T, class Change>
void expect_all(Status expected, Law law, Change&& change, const char* what) {
  for (const Isa isa : available_isas())
    for (const Status status : statuses<T>(law, isa, change))
      ASSERT_EQ(status, expected) << to_string(status) << ": " << what << " of " << to_string(law);
}

TYPED_TEST(LawParameter, that_the_law_reads_must_be_there) {
  using T = TypeParam;
  const auto expect_needed = [](Law law, Column<const T> LawColumns<T>::*column, const char* name) {
    expect_all<T>(
        Status::law_parameter_missing, law, [&](LawColumns<T>& c) { c.*column = {}; }, name);
  };
  for (const Law law : {Law::chatterjee_ruina, Law::bilinear})
    expect_needed(law, &LawColumns<T>::tangential_restitution, "tangential_restitution");
  expect_needed(Law::brach, &LawColumns<T>::impulse_ratio_1, "impulse_ratio_1");
  expect_needed(Law::brach, &LawColumns<T>::impulse_ratio_2, "impulse_ratio_2");
  expect_needed(Law::polar, &LawColumns<T>::polar_angle, "polar_angle");
  expect_needed(Law::polar, &LawColumns<T>::azimuth, "azimuth");
  expect_needed(Law::polar, &LawColumns<T>::fraction, "fraction");
  expect_all<T>(
      Status::law_parameter_missing, Law::projected, [](LawColumns<T>& c) { c.candidate.x = {}; }, "candidate.x");
  expect_all<T>(
      Status::law_parameter_missing, Law::projected, [](LawColumns<T>& c) { c.candidate.z = {}; }, "candidate.z");
}

TYPED_TEST(LawParameter, must_be_in_its_range) {
  using T = TypeParam;
  static constexpr T beyond = T(1.01), below = T(-1.01), angle = T(3.2), less = T(-0.01);
  const auto expect_rejected = [](Law law, Column<const T> LawColumns<T>::*column, const T& value, const char* name) {
    expect_all<T>(
        Status::law_parameter_out_of_range, law, [&](LawColumns<T>& c) { c.*column = value; }, name);
  };
  expect_rejected(Law::chatterjee_ruina, &LawColumns<T>::tangential_restitution, beyond, "e_t");
  expect_rejected(Law::bilinear, &LawColumns<T>::tangential_restitution, below, "e_t");
  expect_rejected(Law::polar, &LawColumns<T>::polar_angle, angle, "polar_angle");
  expect_rejected(Law::polar, &LawColumns<T>::polar_angle, less, "polar_angle");
  expect_rejected(Law::polar, &LawColumns<T>::fraction, beyond, "fraction");
  expect_all<T>(
      Status::law_parameter_out_of_range, Law::composite, [](LawColumns<T>& c) { c.weight = {}; }, "no weight");
  expect_all<T>(
      Status::law_parameter_out_of_range, Law::composite, [](LawColumns<T>& c) { c.weight.smith = less; },
      "a negative weight");
}

TYPED_TEST(LawParameter, that_the_law_does_not_read_does_not_count) {
  using T = TypeParam;
  static constexpr T bad = std::numeric_limits<T>::quiet_NaN();
  const auto spoil = [](LawColumns<T>& c) {
    const auto column = bad;
    c.tangential_restitution = c.impulse_ratio_1 = c.impulse_ratio_2 = c.polar_angle = column;
    c.azimuth = c.fraction = c.candidate.x = c.candidate.y = c.candidate.z = c.step = column;
    c.weight.smith = c.weight.polar = column;
  };
  for (const Law law : {Law::frictionless, Law::no_slip, Law::anitescu_potra, Law::smith})
    expect_all<T>(Status::ok, law, spoil, "what is not read");
}

TYPED_TEST(LawParameter, of_members_without_weight_does_not_count) {
  using T = TypeParam;
  static constexpr T one = 1, zero = 0;
  const auto only = [](LawColumns<T>& c, const T& weight_of_brach) {
    c = {};
    c.weight.frictionless = one;
    c.weight.brach = weight_of_brach;
  };
  expect_all<T>(
      Status::ok, Law::composite, [&](LawColumns<T>& c) { only(c, zero); }, "ratios");
  expect_all<T>(
      Status::law_parameter_missing, Law::composite, [&](LawColumns<T>& c) { only(c, one); }, "ratios");
  expect_all<T>(
      Status::law_unavailable, Law::composite,
      [&](LawColumns<T>& c) {
        c = {};
        c.weight.pfeiffer_glocker = one;
      },
      "a planar member");
}

/// Every 5th contact names a restitution law that there is not: it is at fault, and no other contact notices.
template <class T, class AnyContacts>
void expect_restitution_law_checked(const AnyContacts& contacts, std::size_t n, bool bodies, SolverSetup options) {
  std::vector<RestitutionLaw> known(n), given(n);
  for (std::size_t i = 0; i < n; ++i) {
    known[i] = static_cast<RestitutionLaw>(i % restitution_law_count);
    given[i] = i % 5 == 0 ? static_cast<RestitutionLaw>(restitution_law_count + i) : known[i];
  }
  const auto solve = [&](const std::vector<RestitutionLaw>& laws) {
    ResultArrays<T> results(n, bodies);
    auto with = contacts;
    with.laws.restitution_law = laws;
    ConfiguredSolver(options).solve(with, results.results());
    return results;
  };
  const auto expected = solve(known), found = solve(given);
  const std::string what = std::string(to_string(options.law)) + " on " +
                           std::string(to_string(options.execution.isa)) + (contacts.laws.law ? ", own laws" : "");
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_FALSE(is_fault(expected.status[i])) << what;
    if (i % 5 == 0) {
      ASSERT_EQ(found.status[i], Status::restitution_law_unavailable) << what << ", contact " << i;
      ASSERT_EQ(found.impulse[2][i], T(0)) << what;
      continue;
    }
    ASSERT_EQ(found.status[i], expected.status[i]) << what << ", contact " << i;
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(found.impulse[c][i], expected.impulse[c][i]) << what;
  }
}

template <class T>
class RestitutionLawColumn : public testing::Test {};
TYPED_TEST_SUITE(RestitutionLawColumn, Precisions);

TYPED_TEST(RestitutionLawColumn, is_checked_under_every_law_in_every_form) {
  using T = TypeParam;
  constexpr std::size_t n = 203;  // with a rest beyond whole vectors
  const RandomContacts<T> drawn(n, 73);
  const support::RandomIndexedContacts<T> drawn_indexed(n, 40, 74);
  const support::RandomSpaceContacts<T> drawn_space(n, 75);
  const RandomLaws<T> laws(n, 76);
  Contacts<T> bodies = drawn.inline_contacts();
  IndexedContacts<T> indexed = drawn_indexed.indexed_contacts();
  KContacts<T> space = drawn_space.space_contacts();
  for (LawColumns<T>* columns : {&bodies.laws, &indexed.laws, &space.laws}) laws.give(*columns);
  const auto expect_checked = [&](const SolverSetup& options) {
    expect_restitution_law_checked<T>(bodies, n, true, options);
    expect_restitution_law_checked<T>(indexed, n, true, options);
    expect_restitution_law_checked<T>(space, n, false, options);
  };
  for (const Isa isa : available_isas()) {
    expect_checked(law_options(Law::incremental, isa));
    for (const Law law : support::laws_of_bodies) {
      const std::vector<Law> same(n, law);
      bodies.laws.law = indexed.laws.law = space.laws.law = same;
      expect_checked(law_options(law, isa));
    }
    bodies.laws.law = indexed.laws.law = space.laws.law = laws.law;
    expect_checked(law_options(Law::incremental, isa));
    bodies.laws.law = indexed.laws.law = space.laws.law = {};
  }
}

TEST(RestitutionLaws, of_contacts_in_blocks_are_checked_too) {
  constexpr std::size_t n = 203;
  const RandomContacts<float> drawn(n, 73);
  const std::vector<RestitutionLaw> given(n, static_cast<RestitutionLaw>(restitution_law_count));
  BlockedContacts<float> contacts = support::blocked_of(drawn.inline_contacts());
  contacts.laws.restitution_law = given;
  for (const Isa isa : available_isas())
    for (const Law law : {Law::incremental, Law::frictionless, Law::no_slip, Law::whittaker}) {
      const std::vector<Law> same(n, law);
      contacts.laws.law = same;
      ResultArrays<float> results(n);
      EXPECT_EQ(ConfiguredSolver(law_options(law, isa))
                    .solve(contacts, results.results())
                    .count(Status::restitution_law_unavailable),
                n)
          << to_string(law);
    }
}

// Under Euler's method kinetic and kinematic restitution are missing, but only where Euler's method is used.
TEST(RestitutionLaws, are_held_to_what_euler_offers_where_euler_integrates) {
  constexpr std::size_t n = 60;
  const RandomContacts<double> drawn(n, 77);
  const RandomLaws<double> laws(n, 78);
  Contacts<double> contacts = drawn.inline_contacts();
  laws.give(contacts.laws);
  contacts.laws.law = laws.law;
  const std::vector<RestitutionLaw> kinetic(n, RestitutionLaw::kinetic);
  contacts.laws.restitution_law = kinetic;
  SolverSetup options = law_options(Law::incremental);
  options.integrator = Integrator::euler;
  ResultArrays<double> found(n), expected(n);
  ConfiguredSolver(options).solve(contacts, found.results());
  solve_by_reference(contacts, expected.results(), options);
  for (std::size_t i = 0; i < n; ++i) {
    const Status status = laws.law[i] == Law::incremental ? Status::restitution_law_unavailable : Status::ok;
    EXPECT_EQ(found.status[i], status) << to_string(laws.law[i]);
    EXPECT_EQ(expected.status[i], status) << to_string(laws.law[i]);
  }
}

TEST(LawColumn, of_another_length_is_an_error) {
  const RandomContacts<float> bodies(10, 1);
  const std::vector<float> nine(9);
  const std::vector<Law> laws(9);
  support::ResultArrays<float> results(10);
  Solver solver;
  Contacts<float> contacts = bodies.inline_contacts();
  contacts.laws.tangential_restitution = nine;
  EXPECT_THROW(solver.solve(contacts, results.results()), Error);
  contacts = bodies.inline_contacts();
  contacts.laws.law = laws;
  EXPECT_THROW(solver.solve(contacts, results.results()), Error);
  contacts = bodies.inline_contacts();
  contacts.laws.weight.polar = nine;
  EXPECT_THROW(solver.solve(contacts, results.results()), Error);
}

}  // namespace
}  // namespace carom
