// The exact reference on columns: its laws, its faults and the options that count.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/laws/collisions.hpp"
#include "support/running/same_bits.hpp"

namespace carom::reference {
namespace {

using support::RandomContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

constexpr RestitutionLaw laws[] = {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic};

Options series() {
  Options options;
  options.integrator = Integrator::series;
  return options;
}

template <class View>
ResultArrays<double> solved(const View& view, const Options& options, Report* report = nullptr) {
  ResultArrays<double> arrays(view.friction.count, !std::is_same_v<View, KContacts<double>>);
  const Report made = solve(view, arrays.results(), options);
  if (report != nullptr) *report = made;
  return arrays;
}

// The i-th contact in contact space.
Collision collision(const RandomSpaceContacts<double>& c, std::size_t i) {
  return {symmetric(c.k[0][i], c.k[1][i], c.k[2][i], c.k[3][i], c.k[4][i], c.k[5][i]),
          {c.separation_velocity[0][i], c.separation_velocity[1][i], c.separation_velocity[2][i]},
          c.friction[i],
          c.restitution[i]};
}

TEST(Series, solves_every_row_by_its_own_law) {
  const RandomSpaceContacts<double> contacts(300, 51);
  std::vector<RestitutionLaw> law(300);
  for (std::size_t i = 0; i < law.size(); ++i) law[i] = laws[i % 3];
  auto view = contacts.space_contacts();
  view.laws.restitution_law = law;
  const auto results = solved(view, series());
  for (std::size_t i = 0; i < law.size(); ++i) {
    EXPECT_EQ(results.status[i], Status::ok);
    const Outcome o = resolve_exact(collision(contacts, i), law[i], 1 << 30);
    EXPECT_EQ(results.path[i], o.path);
    EXPECT_EQ(results.steps[i], o.steps);
    EXPECT_EQ(results.work_compression[i], o.work_compression);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(results.separation_velocity[j][i], o.u[j]);
      EXPECT_EQ(results.impulse[j][i], o.p[j]);
    }
  }
}

TEST(Series, solves_rows_without_a_law_by_that_of_the_options) {
  const RandomSpaceContacts<double> contacts(50, 52);
  for (RestitutionLaw law : laws) {
    Options options = series();
    options.restitution_law = law;
    auto view = contacts.space_contacts();
    const auto by_option = solved(view, options);
    view.laws.restitution_law = law;
    support::expect_same_bits(by_option, solved(view, series()), std::string(to_string(law)));
  }
}

TEST(Series, has_no_step_to_choose) {
  const RandomSpaceContacts<double> contacts(50, 53);
  auto view = contacts.space_contacts();
  Options options = series();
  options.steps = 1;
  EXPECT_THROW(solved(view, options), Error);
  const double large = 1e6;
  view.laws.step = large;
  EXPECT_THROW(solved(view, series()), Error);
}

TEST(Series, reports_the_steps_and_the_energy_that_newtons_law_gains) {
  const RandomSpaceContacts<double> contacts(2000, 54);
  Report report;
  const auto results = solved(contacts.space_contacts(), series(), &report);
  std::uint64_t steps = 0;
  for (const std::int32_t n : results.steps) steps += static_cast<std::uint64_t>(n);
  EXPECT_EQ(report.sliding_steps, steps);
  EXPECT_EQ(report.count(Status::ok), 2000u);

  Options options = series();
  options.restitution_law = RestitutionLaw::kinematic;
  Report newton;
  solved(contacts.space_contacts(), options, &newton);
  EXPECT_GT(newton.max_energy_gain, 0);
  EXPECT_GT(newton.max_energy_gain, 1e6 * report.max_energy_gain);
}

TEST(Series, contacts_that_exhaust_the_budget_are_left_alone) {
  const RandomSpaceContacts<double> contacts(100, 55);
  const auto free = solved(contacts.space_contacts(), series());
  Options options = series();
  options.step_budget = 8;
  const auto cut = solved(contacts.space_contacts(), options);
  std::size_t stopped = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(cut.status[i], free.steps[i] <= 8 ? Status::ok : Status::step_budget_reached);
    if (cut.status[i] == Status::ok) continue;
    ++stopped;
    EXPECT_EQ(cut.impulse[2][i], 0);
    EXPECT_EQ(cut.separation_velocity[2][i], contacts.separation_velocity[2][i]);
  }
  EXPECT_GT(stopped, 10u);
  EXPECT_LT(stopped, 90u);
}

TEST(Series, an_impulse_beyond_the_range_is_an_overflow) {
  const double one = 1, zero = 0, tiny = 1e-200, fast = -1e200, half = 0.5;
  const auto column = [](const double& x) { return Column<const double>(&x, 1); };
  KContacts<double> contact;
  contact.friction = contact.restitution = column(half);
  contact.k = {column(tiny), column(zero), column(zero), column(tiny), column(zero), column(tiny)};
  contact.separation_velocity = {column(zero), column(zero), column(fast)};
  EXPECT_EQ(solved(contact, series()).status[0], Status::overflow);
  contact.k = {column(one), column(zero), column(zero), column(one), column(zero), column(one)};
  EXPECT_EQ(solved(contact, series()).status[0], Status::ok);
}

// A body of 1e6 times the mass, as often as A as B; one box in five is slender, half of the others immovable.
TEST(Series, resolves_slender_bodies_and_extreme_mass_ratios_without_gaining_energy) {
  RandomContacts<double> contacts(20000, 56);
  for (std::size_t i = 0; i < 20000; ++i) {
    auto& heavy = i % 2 == 0 ? contacts.a : contacts.b;
    heavy.inverse_mass[i] *= 1e-6;
    for (auto& entry : heavy.inverse_inertia) entry[i] *= 1e-6;
  }
  Report report;
  const auto results = solved(contacts.inline_contacts(), series(), &report);
  EXPECT_EQ(report.count(Status::ok), 20000u);
  // The law does not gain energy (see the invariants in exact_test.cpp); only p·(u0 + u) is rounded.
  for (std::size_t i = 0; i < 20000; ++i) {
    const double work = -results.work_compression[i];
    EXPECT_LE(results.work_decompression[i],
              contacts.restitution[i] * contacts.restitution[i] * work * (1 + 16 * 0x1p-52 * (results.steps[i] + 8)));
  }
}

TEST(Euler, offers_the_energetic_law_only) {
  const RandomSpaceContacts<double> contacts(3, 57);
  auto view = contacts.space_contacts();
  view.laws.restitution_law = laws;
  const auto results = solved(view, Options{.integrator = Integrator::euler});
  EXPECT_EQ(results.status[0], Status::ok);
  EXPECT_EQ(results.status[1], Status::restitution_law_unavailable);
  EXPECT_EQ(results.status[2], Status::restitution_law_unavailable);
  Options options;
  options.integrator = Integrator::euler;
  options.restitution_law = RestitutionLaw::kinetic;
  EXPECT_THROW(solved(view, options), Error);
}

TEST(Integrator, names_go_there_and_back) {
  for (Integrator integrator : {Integrator::euler, Integrator::series})
    EXPECT_EQ(integrator_from_string(to_string(integrator)), integrator);
  EXPECT_THROW(integrator_from_string("Series"), Error);
}

}  // namespace
}  // namespace carom::reference
