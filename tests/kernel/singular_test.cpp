// Contacts of bodies that can only turn. K is singular if impulses along some direction move no body: for one body, for
// two with parallel lever arms, and for two that turn about one axis each. This is a fault however K is rounded.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::BodyArrays;
using support::Draw;
using support::RandomContacts;
using support::RandomPlanarBodies;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::Vector;

constexpr std::size_t drawn = 2000;
constexpr Status singular = Status::collision_matrix_not_positive_definite;

template <class T>
class Singular : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Singular, Precisions);

/// Laws without parameters.
constexpr Law laws[] = {Law::incremental, Law::frictionless, Law::no_slip,
                        Law::whittaker,   Law::smith,        Law::anitescu_potra};

template <class T>
RandomContacts<T> without_mass(std::uint64_t seed) {
  RandomContacts<T> contacts(drawn, seed);
  for (BodyArrays<T>* body : {&contacts.a, &contacts.b}) body->inverse_mass.assign(drawn, T(0));
  return contacts;
}

/// J = size d dᵀ + rest.
template <class T>
void set_inertia(BodyArrays<T>& body, std::size_t i, const Vector& d, double size, double rest) {
  for (std::size_t row = 0, c = 0; row < 3; ++row)
    for (std::size_t column = row; column < 3; ++column, ++c)
      body.inverse_inertia[c][i] = static_cast<T>(size * d[row] * d[column] + (row == column ? rest : 0));
}

/// Rotors with arms along the normal, like balls on fixed centres.
template <class T>
RandomContacts<T> balls(std::uint64_t seed) {
  RandomContacts<T> contacts = without_mass<T>(seed);
  Draw draw(seed);
  for (std::size_t i = 0; i < drawn; ++i) {
    const bool has_arms = draw.below(16) > 0;
    const double along_a = has_arms ? draw.uniform(-1, 1) : 0, along_b = has_arms ? draw.uniform(-1, 1) : 0;
    for (std::size_t c = 0; c < 3; ++c) {
      contacts.r_a[c][i] = static_cast<T>(along_a) * contacts.normal[c][i];
      contacts.r_b[c][i] = static_cast<T>(along_b) * contacts.normal[c][i];
    }
    set_inertia(contacts.a, i, draw.direction(), draw.log_uniform(3), draw.log_uniform(3));
    set_inertia(contacts.b, i, draw.direction(), draw.log_uniform(3), draw.log_uniform(3));
  }
  return contacts;
}

/// One rotor with an arbitrary arm, and a body that does not move.
template <class T>
RandomContacts<T> one_rotor(std::uint64_t seed) {
  RandomContacts<T> contacts = without_mass<T>(seed);
  Draw draw(seed);
  for (std::size_t i = 0; i < drawn; ++i) {
    const bool is_a = draw.below(2) == 0;
    set_inertia(is_a ? contacts.a : contacts.b, i, draw.direction(), draw.log_uniform(3), draw.log_uniform(3));
    set_inertia(is_a ? contacts.b : contacts.a, i, {}, 0, 0);
  }
  return contacts;
}

/// Two wheels, each on its own axis.
template <class T>
RandomContacts<T> wheels(std::uint64_t seed) {
  RandomContacts<T> contacts = without_mass<T>(seed);
  Draw draw(seed);
  for (std::size_t i = 0; i < drawn; ++i) {
    set_inertia(contacts.a, i, draw.direction(), draw.log_uniform(3), 0);
    set_inertia(contacts.b, i, draw.direction(), draw.log_uniform(3), 0);
  }
  return contacts;
}

template <class T>
void expect_faults(const RandomContacts<T>& contacts, const std::string& what) {
  for (const Isa isa : available_isas())
    for (const Law law : laws) {
      const std::string name = what + ", " + std::string(to_string(law)) + " on " + std::string(to_string(isa));
      ResultArrays<T> results(drawn);
      const Report report =
          ConfiguredSolver(law_options(law, isa)).solve(contacts.inline_contacts(), results.results());
      EXPECT_EQ(report.count(singular), drawn) << name;
      EXPECT_EQ(report.max_energy_gain, 0) << name;
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(results.impulse[c], std::vector<T>(drawn)) << name;
        EXPECT_EQ(results.angular_velocity_a[c], contacts.a.angular_velocity[c]) << name;
        EXPECT_EQ(results.angular_velocity_b[c], contacts.b.angular_velocity[c]) << name;
      }
    }
  if constexpr (std::is_same_v<T, double>) {
    ResultArrays<double> results(drawn);
    EXPECT_EQ(
        solve_by_reference(contacts.inline_contacts(), results.results(), law_options(Law::no_slip)).count(singular),
        drawn)
        << what;
  }
}

TYPED_TEST(Singular, matrices_of_bodies_that_only_turn_are_faults) {
  using T = TypeParam;
  expect_faults(balls<T>(1), "balls");
  expect_faults(one_rotor<T>(2), "one rotor");
  expect_faults(wheels<T>(3), "wheels");
}

/// Rotors with J = 6 and arms of length 1/2 at this angle [rad].
template <class T>
RandomContacts<T> rotors_at(double angle, std::uint64_t seed) {
  RandomContacts<T> contacts = without_mass<T>(seed);
  Draw draw(seed);
  for (std::size_t i = 0; i < drawn; ++i) {
    const support::Rows axes = draw.rotation();
    for (std::size_t c = 0; c < 3; ++c) {
      contacts.r_a[c][i] = static_cast<T>(axes[0][c] / 2);
      contacts.r_b[c][i] = static_cast<T>((std::cos(angle) * axes[0][c] + std::sin(angle) * axes[1][c]) / 2);
    }
    set_inertia(contacts.a, i, axes[0], 0, 6);
    set_inertia(contacts.b, i, axes[0], 0, 6);
    contacts.restitution[i] = 0;
  }
  return contacts;
}

// K = J r² (2 - a aᵀ - b bᵀ) has the smallest eigenvalue J r² (1 - cos φ), and Σ tr J r² = 6 J r². Above 64 ε of this
// sum K is certainly definite; below 8 ε the rounding of the sum is as large as the eigenvalue.
TYPED_TEST(Singular, two_rotors_whose_arms_are_not_parallel_stop) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const auto& [margin, expected] : {std::pair{64.0, true}, {1e4, true}, {1e6, true}, {8.0, false}}) {
    const double angle = std::acos(1 - 6 * margin * epsilon);
    const RandomContacts<T> contacts = rotors_at<T>(angle, 4);
    for (const Isa isa : available_isas())
      for (const Law law : {Law::no_slip, Law::incremental}) {
        const std::string name =
            std::to_string(margin) + ", " + std::string(to_string(law)) + " on " + std::string(to_string(isa));
        ResultArrays<T> results(drawn);
        const Report report =
            ConfiguredSolver(law_options(law, isa)).solve(contacts.inline_contacts(), results.results());
        EXPECT_EQ(report.count(singular), expected ? 0 : drawn) << name;
        if (!expected || law != Law::no_slip) continue;
        EXPECT_EQ(report.count(Status::ok) + report.count(Status::separating), drawn) << name;
        for (std::size_t i = 0; i < drawn; ++i) {
          if (results.status[i] != Status::ok) continue;
          double u2 = 0;
          for (std::size_t c = 0; c < 3; ++c) u2 += std::pow(static_cast<double>(results.separation_velocity[c][i]), 2);
          // With e = 0 it stops, up to the rounding of K times the impulse, which the margin bounds.
          ASSERT_LT(std::sqrt(u2), 8 / margin) << name << ' ' << i;
        }
      }
  }
}

TYPED_TEST(Singular, the_least_mass_makes_a_matrix_definite) {
  using T = TypeParam;
  RandomContacts<T> contacts = balls<T>(5);
  contacts.a.inverse_mass.assign(drawn, T(1e-12));
  for (const Isa isa : available_isas())
    for (const Law law : laws) {
      ResultArrays<T> results(drawn);
      const Report report =
          ConfiguredSolver(law_options(law, isa)).solve(contacts.inline_contacts(), results.results());
      EXPECT_EQ(report.count(singular), 0u) << to_string(law) << " on " << to_string(isa);
    }
}

// K = A + λ 1 with A of rank 2 in contact space, rounded: its min. eigenvalue is of the size of the rounding error.
// With S' for S = 1 / (K⁻¹)_33, the impulse along the eigenvector of the min. eigenvalue is f = S / S' times the exact
// one, and its energy is f (f - 2) times the energy that stopping the contact dissipates. An answer has S' above 8 ε d,
// with an error of 6 ε d at most, so f <= 7/4.
TYPED_TEST(Singular, matrices_of_the_caller_are_faults_or_have_an_answer_that_gains_nothing) {
  using T = TypeParam;
  constexpr long double epsilon = std::numeric_limits<T>::epsilon();
  RandomSpaceContacts<T> contacts(drawn, 9);
  Draw draw(9);
  for (std::size_t i = 0; i < drawn; ++i) {
    const Vector d = draw.direction(), e = draw.direction();
    const double second = draw.log_uniform(8), least = draw.uniform(-2, 30) * static_cast<double>(epsilon);
    for (std::size_t row = 0, c = 0; row < 3; ++row)
      for (std::size_t column = row; column < 3; ++column, ++c)
        contacts.k[c][i] =
            static_cast<T>(d[row] * d[column] + second * e[row] * e[column] + (row == column ? least : 0));
    contacts.restitution[i] = 0;
  }
  constexpr std::size_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (const Isa isa : available_isas()) {
    ResultArrays<T> results(drawn, false);
    ConfiguredSolver(law_options(Law::no_slip, isa)).solve(contacts.space_contacts(), results.results());
    std::size_t answers = 0;
    for (std::size_t i = 0; i < drawn; ++i) {
      if (results.status[i] != Status::ok) continue;
      ++answers;
      long double gain = 0, p2 = 0, u2 = 0;
      for (std::size_t row = 0; row < 3; ++row) {
        const auto p = static_cast<long double>(results.impulse[row][i]);
        const auto u = static_cast<long double>(contacts.separation_velocity[row][i]);
        p2 += p * p;
        u2 += u * u;
        gain += p * u;
        for (std::size_t column = 0; column < 3; ++column)
          gain += p * static_cast<long double>(contacts.k[at[row][column]][i]) *
                  static_cast<long double>(results.impulse[column][i]) / 2;
      }
      EXPECT_LE(gain, 64 * epsilon * std::sqrt(p2 * u2)) << to_string(isa) << ", contact " << i;
    }
    EXPECT_GT(answers, drawn / 10) << to_string(isa);
  }
}

/// Planar rotors with parallel arms, half of them along the normal.
template <class T>
RandomPlanarBodies<T> planar_rotors(std::uint64_t seed) {
  RandomPlanarBodies<T> contacts(drawn, seed);
  Draw draw(seed);
  for (std::size_t i = 0; i < drawn; ++i) {
    contacts.a.inverse_mass[i] = contacts.b.inverse_mass[i] = 0;
    contacts.a.inverse_inertia[i] = static_cast<T>(draw.log_uniform(3));
    contacts.b.inverse_inertia[i] = static_cast<T>(draw.log_uniform(3));
    Vector direction = draw.direction();
    if (i % 2 == 0)
      direction = {static_cast<double>(contacts.normal_x[i]), static_cast<double>(contacts.normal_y[i]), 0};
    const double along_a = draw.uniform(-1, 1), along_b = draw.uniform(-1, 1);
    contacts.r_a_x[i] = static_cast<T>(along_a * direction[0]);
    contacts.r_a_y[i] = static_cast<T>(along_a * direction[1]);
    contacts.r_b_x[i] = static_cast<T>(along_b * direction[0]);
    contacts.r_b_y[i] = static_cast<T>(along_b * direction[1]);
  }
  return contacts;
}

TYPED_TEST(Singular, matrices_in_the_plane_are_faults) {
  using T = TypeParam;
  RandomPlanarBodies<T> one = planar_rotors<T>(6);
  one.b.inverse_inertia.assign(drawn, T(0));
  for (const RandomPlanarBodies<T>& contacts : {planar_rotors<T>(7), one}) {
    for (const Isa isa : available_isas())
      for (const Law law : {Law::incremental, Law::frictionless, Law::no_slip, Law::whittaker})
        EXPECT_EQ(ConfiguredSolver(law_options(law, isa))
                      .solve(contacts.inline_contacts(), planar::Results<T>{})
                      .count(singular),
                  drawn)
            << to_string(law) << " on " << to_string(isa);
    if constexpr (std::is_same_v<T, double>) {
      EXPECT_EQ(reference::planar::solve(select(contacts.inline_contacts(), {}), {}, {}).count(singular), drawn);
    }
  }
}

// Perpendicular arms of length 1/2: K = J / 4.
TYPED_TEST(Singular, planar_rotors_whose_arms_are_not_parallel_stop) {
  using T = TypeParam;
  RandomPlanarBodies<T> contacts = planar_rotors<T>(8);
  for (std::size_t i = 0; i < drawn; ++i) {
    contacts.a.inverse_inertia[i] = contacts.b.inverse_inertia[i] = 6;
    contacts.r_b_x[i] = -contacts.r_a_y[i];
    contacts.r_b_y[i] = contacts.r_a_x[i];
  }
  for (const Isa isa : available_isas())
    EXPECT_EQ(ConfiguredSolver(law_options(Law::no_slip, isa))
                  .solve(contacts.inline_contacts(), planar::Results<T>{})
                  .count(singular),
              0u);
}

// Whittaker's impulse between two slender bodies whose K has a condition of 2400: friction that nearly lifts the
// contact leaves a hundredth of K_33 for u_z; computed only from the slip ratio, u_z had an error of a hundred
// roundings of K p.
TEST(SlenderBodies, reach_the_normal_velocity_under_whittaker) {
  RandomContacts<float> c(1, 1);
  const auto set = [](auto& columns, const auto&... numbers) {
    std::size_t i = 0;
    ((columns[i++][0] = static_cast<float>(numbers)), ...);
  };
  c.friction[0] = 1.2365636f;
  c.restitution[0] = 0.75851315f;
  set(c.normal, -0.9503124, -0.0774619, 0.3015063);
  set(c.r_a, -0.73168665, 0.27219954, -0.94096375);
  set(c.r_b, -0.75919306, -0.8311856, -0.15732557);
  c.a.inverse_mass[0] = 1;
  c.b.inverse_mass[0] = 0.6657435f;
  set(c.a.inverse_inertia, 118283.336, -107192.35, 16695.918, 97150.82, -15171.639, 2774.0051);
  set(c.b.inverse_inertia, 9314.7, -2331.0269, 568.7647, 586.3191, -144.26575, 40.97556);
  set(c.a.velocity, 3.1734831, 0.13445605, 2.3140237);
  set(c.b.velocity, 0, -0.92038983, 1.1428956);
  set(c.a.angular_velocity, -1.3098476, 0.8684569, 0.7664938);
  set(c.b.angular_velocity, -0.39661998, 0.009567297, 0.877522);

  const auto at = [](const auto& columns) {
    return Vector{static_cast<double>(columns[0][0]), static_cast<double>(columns[1][0]),
                  static_cast<double>(columns[2][0])};
  };
  const Vector n = at(c.normal);
  for (const Isa isa : available_isas()) {
    ResultArrays<float> made(1);
    Solver({.isa = isa, .threads = 1}).solve(c.inline_contacts(), made.results(), law_options(Law::whittaker));
    const Vector p = at(made.impulse);
    double before = 0, after = 0, terms = 0, trace = 0;
    for (const double sign : {1.0, -1.0}) {
      const BodyArrays<float>& body = sign > 0 ? c.a : c.b;
      const Vector arm = at(sign > 0 ? c.r_a : c.r_b), v = at(body.velocity), w = at(body.angular_velocity);
      const Vector torque = cross(arm, p);
      const auto j = [&](std::size_t k) { return static_cast<double>(body.inverse_inertia[k][0]); };
      const auto times_inertia = [&](const Vector& x) {
        return Vector{j(0) * x[0] + j(1) * x[1] + j(2) * x[2], j(1) * x[0] + j(3) * x[1] + j(4) * x[2],
                      j(2) * x[0] + j(4) * x[1] + j(5) * x[2]};
      };
      const Vector turn = times_inertia(torque);
      const double m = static_cast<double>(body.inverse_mass[0]);
      const double begun = sign * (dot(n, v) + dot(n, cross(w, arm)));
      before += begun;
      after += begun + m * dot(n, p) + dot(n, cross(turn, arm));
      terms += length(v) + length(w) * length(arm);
      trace += 3 * m + (j(0) + j(3) + j(5)) * dot(arm, arm) - dot(arm, times_inertia(arm));
    }
    // 64 of the units of docs/accuracy.md.
    const double unit = static_cast<double>(std::numeric_limits<float>::epsilon()) * (terms + trace * length(p));
    EXPECT_NEAR(after, -static_cast<double>(c.restitution[0]) * before, 64 * unit) << to_string(isa);
  }
}

}  // namespace
}  // namespace carom
