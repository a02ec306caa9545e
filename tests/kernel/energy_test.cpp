// A collision with the energetic law gains no energy, on any path. The bound for every contact is its own rounding
// error, on every ISA; support/contacts/encounter.hpp derives it.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <limits>
#include <type_traits>

#include "support/contacts/encounter.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::Encounter;
using support::RandomContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

template <class T>
class Energy : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Energy, Precisions);

constexpr std::size_t count = support::fast_build ? 100'000 : 5'000;

SolverSetup options(Isa isa) {
  SolverSetup o;
  o.execution.isa = isa;
  o.execution.threads = 1;
  return o;
}

TYPED_TEST(Energy, is_not_gained_in_contact_space) {
  using T = TypeParam;
  RandomSpaceContacts<T> contacts(count, 71);
  support::leave_some_without_losses(contacts);
  for (const Isa isa : available_isas()) {
    ResultArrays<T> results(count, false);
    const Report report = ConfiguredSolver(options(isa)).solve(contacts.space_contacts(), results.results());
    ASSERT_EQ(report.count(Status::ok), count);
    for (std::size_t i = 0; i < count; ++i) {
      const Encounter e = encounter(contacts, i);
      ASSERT_LE(energy_gain(e, results, i), rounding_of_energy(e, results, i)) << to_string(isa) << ' ' << i;
    }
  }
}

TYPED_TEST(Energy, is_not_gained_between_bodies) {
  using T = TypeParam;
  RandomContacts<T> contacts(count, 72);
  support::leave_some_without_losses(contacts);
  for (const Isa isa : available_isas()) {
    ResultArrays<T> results(count);
    const Report report = ConfiguredSolver(options(isa)).solve(contacts.inline_contacts(), results.results());
    ASSERT_EQ(report.count(Status::ok), count);
    for (std::size_t i = 0; i < count; ++i) {
      const Encounter e = encounter(contacts, i);
      ASSERT_LE(energy_gain(e, results, i), rounding_of_energy(e, results, i)) << to_string(isa) << ' ' << i;
    }
  }
}

// With any e and μ, the law dissipates more than rounding adds, also relative to the energy that an impulse can
// dissipate.
TYPED_TEST(Energy, is_not_gained_in_random_collisions_by_more_than_the_mark) {
  using T = TypeParam;
  constexpr double mark = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  const RandomContacts<T> contacts(count, 74);
  ResultArrays<T> results(count);
  ConfiguredSolver(options(Isa::automatic)).solve(contacts.inline_contacts(), results.results());
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_LE(relative_energy_gain(encounter(contacts, i), results, i), mark) << i;
}

// Or the tests above would pass of impulses that are too small.
TYPED_TEST(Energy, comes_back_where_the_law_takes_none) {
  using T = TypeParam;
  RandomContacts<T> contacts(count, 73);
  support::leave_some_without_losses(contacts);
  ResultArrays<T> results(count);
  ConfiguredSolver(options(Isa::automatic)).solve(contacts.inline_contacts(), results.results());
  std::size_t lossless = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (contacts.friction[i] > std::numeric_limits<T>::epsilon() || contacts.restitution[i] < T(1)) continue;
    ++lossless;
    const Encounter e = encounter(contacts, i);
    ASSERT_GE(energy_gain(e, results, i), -rounding_of_energy(e, results, i)) << i;
  }
  EXPECT_EQ(lossless, (count + 11) / 12);
}

}  // namespace
}  // namespace carom
