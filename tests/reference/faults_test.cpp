// The reference reports contacts that it cannot resolve, and misuse of its interface.
#include <gtest/gtest.h>

#include <bit>
#include <carom/reference.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

const Options euler{.integrator = Integrator::euler};

using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t count = 3;
constexpr std::size_t bad = 1;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Three contacts of movable bodies, of which the middle one is spoilt.
struct AnyContacts {
  AnyContacts() : data(count, 51), step(count, 1e-3), law(count, RestitutionLaw::energetic) {
    for (auto* body : {&data.a, &data.b}) {
      body->inverse_mass.assign(count, 1);
      for (std::size_t j = 0; j < 6; ++j) body->inverse_inertia[j].assign(count, j == 0 || j == 3 || j == 5 ? 2 : 0);
    }
    for (std::size_t j = 0; j < 3; ++j) {
      data.r_a[j].assign(count, 0.25);
      data.r_b[j].assign(count, -0.25);
      data.normal[j].assign(count, j == 2 ? 1 : 0);
      data.a.velocity[j].assign(count, -1);
      data.b.velocity[j].assign(count, 1);
      data.a.angular_velocity[j].assign(count, 0.5);
      data.b.angular_velocity[j].assign(count, 0.5);
    }
    data.friction.assign(count, 0.5);
    data.restitution.assign(count, 0.5);
  }

  Contacts<double> columns() const {
    Contacts<double> c = data.inline_contacts();
    c.laws.step = step;
    c.laws.restitution_law = law;
    return c;
  }

  RandomContacts<double> data;
  std::vector<double> step;
  std::vector<RestitutionLaw> law;
};

Options with_small_budget() {
  Options options;
  options.integrator = Integrator::euler;
  options.step_budget = 20'000;
  return options;
}

using Spoil = std::function<void(AnyContacts&)>;

// In the order of Status.
const std::vector<std::pair<Status, Spoil>>& inline_faults() {
  static const std::vector<std::pair<Status, Spoil>> faults{
      {Status::not_a_number, [](AnyContacts& c) { c.data.r_a[0][bad] = nan; }},
      {Status::infinite, [](AnyContacts& c) { c.data.b.angular_velocity[1][bad] = -infinity; }},
      {Status::normal_not_unit, [](AnyContacts& c) { c.data.normal[2][bad] = 1 + 2e-5; }},
      {Status::negative_inverse_mass, [](AnyContacts& c) { c.data.a.inverse_mass[bad] = -1e-9; }},
      {Status::inverse_inertia_not_positive_semidefinite,
       [](AnyContacts& c) { c.data.b.inverse_inertia[1][bad] = 2 * (1 + 1e-4); }},
      {Status::both_immovable,
       [](AnyContacts& c) {
         for (auto* body : {&c.data.a, &c.data.b}) {
           body->inverse_mass[bad] = 0;
           for (auto& column : body->inverse_inertia) column[bad] = 0;
         }
       }},
      {Status::restitution_out_of_range, [](AnyContacts& c) { c.data.restitution[bad] = 1 + 1e-15; }},
      {Status::negative_friction, [](AnyContacts& c) { c.data.friction[bad] = -1e-300; }},
      {Status::step_not_positive, [](AnyContacts& c) { c.step[bad] = 0; }},
      {Status::restitution_law_unavailable, [](AnyContacts& c) { c.law[bad] = RestitutionLaw::kinetic; }},
      {Status::overflow, [](AnyContacts& c) { c.data.r_a[2][bad] = 1e200; }},
      {Status::collision_matrix_not_positive_definite,
       [](AnyContacts& c) {
         // A pivot: no compliance along r.
         c.data.a.inverse_mass[bad] = c.data.b.inverse_mass[bad] = 0;
         for (auto& column : c.data.b.inverse_inertia) column[bad] = 0;
       }},
      {Status::step_budget_reached, [](AnyContacts& c) { c.step[bad] = 1e-12; }},
  };
  return faults;
}

TEST(fault, every_one_is_named_and_touches_nothing) {
  const AnyContacts good;
  ResultArrays<double> expected(count);
  ASSERT_EQ(solve(good.columns(), expected.results(), with_small_budget()).count(Status::ok), count);
  for (const auto& [status, spoil] : inline_faults()) {
    AnyContacts c;
    spoil(c);
    ResultArrays<double> out(count);
    // Anything but zero would show in an impulse that is not written.
    for (auto& component : out.impulse) component.assign(count, 7);
    std::vector<double> margin(count);
    const Report report = solve(c.columns(), out.results(), with_small_budget(), margin);
    SCOPED_TRACE(std::string(to_string(status)));
    EXPECT_EQ(out.status[bad], status) << to_string(out.status[bad]);
    EXPECT_EQ(report.count(status), 1u);
    EXPECT_EQ(report.faults(), 1u);
    EXPECT_EQ(report.count(Path{}), 1u);
    EXPECT_EQ(out.path[bad], Path{});
    EXPECT_EQ(out.work_compression[bad], 0);
    EXPECT_EQ(out.work_decompression[bad], 0);
    EXPECT_EQ(out.steps[bad], status == Status::step_budget_reached ? 20'000 : 0);
    EXPECT_EQ(margin[bad], infinity);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(out.impulse[j][bad], 0);
      EXPECT_TRUE(same_bits(out.velocity_a[j][bad], c.data.a.velocity[j][bad]));
      EXPECT_TRUE(same_bits(out.angular_velocity_a[j][bad], c.data.a.angular_velocity[j][bad]));
      EXPECT_TRUE(same_bits(out.velocity_b[j][bad], c.data.b.velocity[j][bad]));
      EXPECT_TRUE(same_bits(out.angular_velocity_b[j][bad], c.data.b.angular_velocity[j][bad]));
      for (std::size_t i : {bad - 1, bad + 1}) {
        EXPECT_EQ(out.status[i], Status::ok);
        EXPECT_TRUE(same_bits(out.impulse[j][i], expected.impulse[j][i]));
        EXPECT_TRUE(same_bits(out.velocity_a[j][i], expected.velocity_a[j][i]));
      }
    }
  }
}

TEST(fault, the_first_of_several_counts) {
  const auto& faults = inline_faults();
  for (std::size_t first = 0; first < faults.size(); ++first)
    for (std::size_t second = first + 1; second < faults.size(); ++second) {
      AnyContacts c;
      faults[second].second(c);
      faults[first].second(c);
      ResultArrays<double> out(count);
      solve(c.columns(), out.results(), with_small_budget());
      EXPECT_EQ(out.status[bad], faults[first].first)
          << to_string(out.status[bad]) << " with " << to_string(faults[second].first);
    }
}

TEST(fault, comes_before_separating) {
  for (const auto& [status, spoil] : inline_faults()) {
    if (status == Status::step_budget_reached) continue;
    AnyContacts c;
    c.data.a.velocity[2][bad] = 5;
    spoil(c);
    ResultArrays<double> out(count);
    solve(c.columns(), out.results(), with_small_budget());
    EXPECT_EQ(out.status[bad], status);
  }
}

TEST(fault, every_number_is_examined) {
  std::vector<std::pair<std::string, std::function<double&(AnyContacts&)>>> numbers{
      {"friction", [](AnyContacts& c) -> double& { return c.data.friction[bad]; }},
      {"restitution", [](AnyContacts& c) -> double& { return c.data.restitution[bad]; }},
      {"step", [](AnyContacts& c) -> double& { return c.step[bad]; }},
      {"inverse_mass_a", [](AnyContacts& c) -> double& { return c.data.a.inverse_mass[bad]; }},
      {"inverse_mass_b", [](AnyContacts& c) -> double& { return c.data.b.inverse_mass[bad]; }}};
  for (std::size_t j = 0; j < 3; ++j) {
    numbers.emplace_back("normal", [j](AnyContacts& c) -> double& { return c.data.normal[j][bad]; });
    numbers.emplace_back("r_a", [j](AnyContacts& c) -> double& { return c.data.r_a[j][bad]; });
    numbers.emplace_back("r_b", [j](AnyContacts& c) -> double& { return c.data.r_b[j][bad]; });
    numbers.emplace_back("velocity_a", [j](AnyContacts& c) -> double& { return c.data.a.velocity[j][bad]; });
    numbers.emplace_back("velocity_b", [j](AnyContacts& c) -> double& { return c.data.b.velocity[j][bad]; });
    numbers.emplace_back("angular_a", [j](AnyContacts& c) -> double& { return c.data.a.angular_velocity[j][bad]; });
    numbers.emplace_back("angular_b", [j](AnyContacts& c) -> double& { return c.data.b.angular_velocity[j][bad]; });
  }
  for (std::size_t j = 0; j < 6; ++j) {
    numbers.emplace_back("inertia_a", [j](AnyContacts& c) -> double& { return c.data.a.inverse_inertia[j][bad]; });
    numbers.emplace_back("inertia_b", [j](AnyContacts& c) -> double& { return c.data.b.inverse_inertia[j][bad]; });
  }
  for (const auto& [name, number] : numbers)
    for (double value : {nan, infinity, -infinity}) {
      AnyContacts c;
      number(c) = value;
      ResultArrays<double> out(count);
      solve(c.columns(), out.results(), euler);
      const Status expected = std::isnan(value)    ? Status::not_a_number
                              : name != "friction" ? Status::infinite
                              : value == infinity  ? Status::ok
                                                   : Status::negative_friction;
      EXPECT_EQ(out.status[bad], expected) << name << " = " << value << ": " << to_string(out.status[bad]);
    }
}

TEST(fault, the_separation_velocity_stays_or_is_unknown) {
  AnyContacts c;
  c.data.friction[bad] = -1;
  c.data.a.velocity[0][bad + 1] = nan;
  ResultArrays<double> out(count);
  solve(c.columns(), out.results(), euler);
  // vA + wA x rA - vB - wB x rB: all lever arms and angular velocities lie along (1, 1, 1).
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(out.separation_velocity[j][bad], -2);
    EXPECT_TRUE(std::isnan(out.separation_velocity[j][bad + 1]));
  }
}

TEST(fault, tolerances_are_those_of_the_options) {
  AnyContacts c;
  c.data.normal[2][0] = 1 + 0.9e-5;
  c.data.normal[2][1] = 1 + 1.1e-5;
  // Eigenvalues 2 ± x, of a trace of 6: the smallest is 2 - x.
  c.data.a.inverse_inertia[1][2] = 2 + 0.9e-5 * 6;
  ResultArrays<double> out(count);
  solve(c.columns(), out.results(), euler);
  EXPECT_EQ(out.status[0], Status::ok);
  EXPECT_EQ(out.status[1], Status::normal_not_unit);
  EXPECT_EQ(out.status[2], Status::ok);
  Options strict;
  strict.integrator = Integrator::euler;
  strict.data.inertia_tolerance = 0.8e-5;
  strict.data.normal_tolerance = 0.8e-5;
  solve(c.columns(), out.results(), strict);
  EXPECT_EQ(out.status[0], Status::normal_not_unit);
  EXPECT_EQ(out.status[2], Status::inverse_inertia_not_positive_semidefinite);
}

TEST(fault, body_indices_are_checked_first) {
  const auto indexed = [](std::int32_t a, std::int32_t b) {
    RandomIndexedContacts<double> c(1, 4, 52);
    c.body_a[0] = a;
    c.body_b[0] = b;
    c.friction[0] = nan;
    ResultArrays<double> out(1);
    solve(c.indexed_contacts(), out.results(), euler);
    return out;
  };
  for (const auto& [a, b] :
       {std::pair{-2, 0}, {0, -2}, {4, 0}, {0, 4}, {9, 9}, {std::numeric_limits<int>::min(), -1}}) {
    const auto out = indexed(a, b);
    EXPECT_EQ(out.status[0], Status::body_index_out_of_range);
    EXPECT_TRUE(std::isnan(out.separation_velocity[0][0]));
  }
  EXPECT_EQ(indexed(2, 2).status[0], Status::same_body);
  EXPECT_EQ(indexed(2, 3).status[0], Status::not_a_number);
  const auto mixed = indexed(3, 4);
  EXPECT_EQ(mixed.velocity_a[0][0], RandomIndexedContacts<double>(1, 4, 52).bodies.velocity[0][3]);
}

TEST(fault, two_immovable_worlds_do_not_collide) {
  RandomIndexedContacts<double> c(1, 4, 53);
  c.body_a[0] = c.body_b[0] = -1;
  ResultArrays<double> out(1);
  solve(c.indexed_contacts(), out.results(), euler);
  EXPECT_EQ(out.status[0], Status::both_immovable);
}

TEST(fault, contact_space_has_them_too) {
  const auto status_of = [](const std::function<void(RandomSpaceContacts<double>&)>& spoil) {
    RandomSpaceContacts<double> c(1, 54);
    for (std::size_t j = 0; j < 6; ++j) c.k[j][0] = j == 0 || j == 3 || j == 5 ? 1 : 0;
    c.separation_velocity = {std::vector<double>{1}, {0}, {-1}};
    spoil(c);
    ResultArrays<double> out(1, false);
    solve(c.space_contacts(), out.results(), euler);
    return out.status[0];
  };
  EXPECT_EQ(status_of([](auto&) {}), Status::ok);
  EXPECT_EQ(status_of([](auto& c) { c.k[4][0] = nan; }), Status::not_a_number);
  EXPECT_EQ(status_of([](auto& c) { c.separation_velocity[1][0] = nan; }), Status::not_a_number);
  EXPECT_EQ(status_of([](auto& c) { c.k[2][0] = infinity; }), Status::infinite);
  EXPECT_EQ(status_of([](auto& c) { c.restitution[0] = -1e-9; }), Status::restitution_out_of_range);
  EXPECT_EQ(status_of([](auto& c) { c.friction[0] = -1; }), Status::negative_friction);
  EXPECT_EQ(status_of([](auto& c) { c.k[1][0] = 1; }), Status::collision_matrix_not_positive_definite);
  EXPECT_EQ(status_of([](auto& c) { c.k[5][0] = -1; }), Status::collision_matrix_not_positive_definite);
  EXPECT_EQ(status_of([](auto& c) { c.separation_velocity[2][0] = 0; }), Status::separating);
  EXPECT_EQ(status_of([](auto& c) { c.friction[0] = infinity; }), Status::ok);
  // u0 / K exceeds the range.
  EXPECT_EQ(status_of([](auto& c) {
              for (auto& column : c.k) column[0] *= 1e-290;
              c.separation_velocity[2][0] = -1e30;
            }),
            Status::overflow);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(misuse, is_an_error_that_names_the_column_or_the_option) {
  const AnyContacts c;
  ResultArrays<double> out(count);
  std::vector<double> margin(count);
  const auto expect_named = [](const std::string& name, const std::function<void()>& call) {
    EXPECT_NE(message_of(call).find(name), std::string::npos) << message_of(call);
  };
  auto missing = c.columns();
  missing.r_b.y = {};
  expect_named("r_b.y", [&] { solve(missing, out.results(), euler); });
  auto shorter = c.columns();
  shorter.restitution.count = 2;
  expect_named("restitution", [&] { solve(shorter, out.results(), euler); });
  auto results = out.results();
  results.status.count = 4;
  expect_named("results.status", [&] { solve(c.columns(), results, euler); });
  expect_named("boundary_distance", [&] { solve(c.columns(), out.results(), euler, {margin.data(), 2}); });
  expect_named("boundary_distance", [&] { solve(c.columns(), out.results(), euler, {margin.data(), count, 0}); });
  Options options;
  options.integrator = Integrator::euler;
  options.steps = 0;
  expect_named("steps", [&] { solve(c.columns(), out.results(), options); });
  const RandomSpaceContacts<double> space(count, 55);
  expect_named("bodies", [&] { solve(space.space_contacts(), out.results(), euler); });
}

TEST(misuse, an_empty_batch_is_none) {
  EXPECT_EQ(solve(Contacts<double>{}, {}).contacts, 0u);
  EXPECT_EQ(solve(KContacts<double>{}, {}).contacts, 0u);
}

TEST(separating, leaves_everything_as_it_is) {
  AnyContacts c;
  c.data.a.velocity[2][bad] = 5;
  ResultArrays<double> out(count);
  std::vector<double> margin(count);
  EXPECT_EQ(solve(c.columns(), out.results(), euler, margin).count(Status::separating), 1u);
  EXPECT_EQ(to_string(out.path[bad]), "separating");
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(out.impulse[j][bad], 0);
    EXPECT_TRUE(same_bits(out.velocity_a[j][bad], c.data.a.velocity[j][bad]));
    EXPECT_EQ(out.separation_velocity[j][bad], j == 2 ? 4 : -2);
  }
  // u_z / |u0|
  EXPECT_NEAR(margin[bad], 4 / std::hypot(2, 2, 4), 1e-15);
}

}  // namespace
}  // namespace carom::reference
