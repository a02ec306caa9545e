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

#include "support/contacts/random_contacts.hpp"
#include "support/draw.hpp"
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

/// Laws without columns of their own.
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
      contacts.lever_a[c][i] = static_cast<T>(along_a) * contacts.normal[c][i];
      contacts.lever_b[c][i] = static_cast<T>(along_b) * contacts.normal[c][i];
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
      EXPECT_EQ(report.largest_energy_gain, 0) << name;
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(results.impulse[c], std::vector<T>(drawn)) << name;
        EXPECT_EQ(results.angular_velocity_a[c], contacts.a.angular_velocity[c]) << name;
        EXPECT_EQ(results.angular_velocity_b[c], contacts.b.angular_velocity[c]) << name;
      }
    }
  if constexpr (std::is_same_v<T, double>) {
    ResultArrays<double> results(drawn);
    EXPECT_EQ(
        reference::solve(contacts.inline_contacts(), results.results(), law_options(Law::no_slip)).count(singular),
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
      contacts.lever_a[c][i] = static_cast<T>(axes[0][c] / 2);
      contacts.lever_b[c][i] = static_cast<T>((std::cos(angle) * axes[0][c] + std::sin(angle) * axes[1][c]) / 2);
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

// K = A + λ 1 with A of rank 2 in contact space, rounded: its least eigenvalue is of the size of the rounding. With S'
// for S = 1 / (K⁻¹)_33 the impulse along the least eigenvector is f = S / S' times the exact one, and its energy is f
// (f - 2) times what stopping the contact takes away. An answer has S' above 8 ε d, wrong by 6 ε d at most, so that f
// <= 7/4.
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
    contacts.lever_a_x[i] = static_cast<T>(along_a * direction[0]);
    contacts.lever_a_y[i] = static_cast<T>(along_a * direction[1]);
    contacts.lever_b_x[i] = static_cast<T>(along_b * direction[0]);
    contacts.lever_b_y[i] = static_cast<T>(along_b * direction[1]);
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
      EXPECT_EQ(reference::planar::solve(contacts.inline_contacts(), {}, {}).count(singular), drawn);
    }
  }
}

// Perpendicular arms of length 1/2: K = J / 4.
TYPED_TEST(Singular, planar_rotors_whose_arms_are_not_parallel_stop) {
  using T = TypeParam;
  RandomPlanarBodies<T> contacts = planar_rotors<T>(8);
  for (std::size_t i = 0; i < drawn; ++i) {
    contacts.a.inverse_inertia[i] = contacts.b.inverse_inertia[i] = 6;
    contacts.lever_b_x[i] = -contacts.lever_a_y[i];
    contacts.lever_b_y[i] = contacts.lever_a_x[i];
  }
  for (const Isa isa : available_isas())
    EXPECT_EQ(ConfiguredSolver(law_options(Law::no_slip, isa))
                  .solve(contacts.inline_contacts(), planar::Results<T>{})
                  .count(singular),
              0u);
}

}  // namespace
}  // namespace carom
