// With any mixture of laws and in every form, a solver does not allocate after the first call of a size.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <string>

#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/counted_allocations.hpp"

namespace carom {
namespace {

using support::allocations_during;

constexpr std::size_t count = 6000;

/// In the second call of a solver, with other contacts than in the first.
template <class T, class AnyContacts>
support::Allocations allocations_of_second_solve(AnyContacts& first, AnyContacts& second, bool bodies, Isa isa,
                                                 int threads) {
  const support::RandomLaws<T> laws(count, 3);
  for (AnyContacts* contacts : {&first, &second}) {
    laws.give(contacts->laws);
    contacts->laws.law = laws.law;
  }
  support::ResultArrays<T> arrays(count, bodies);
  const Results<T> results = arrays.results();
  SolverSetup options;
  options.execution.isa = isa;
  options.execution.threads = threads;
  ConfiguredSolver solver(options);
  solver.solve(first, results);
  Report report;
  const support::Allocations made = allocations_during([&] { report = solver.solve(second, results); });
  EXPECT_GT(report.count(Status::ok), count / 2);
  return made;
}

template <class T>
class LaterCallOfLaws : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaterCallOfLaws, Precisions);

template <class T, class AnyContacts>
void expect_none(AnyContacts first, AnyContacts second, bool bodies, const char* form) {
  for (const Isa isa : available_isas()) {
    const support::Allocations alone = allocations_of_second_solve<T>(first, second, bodies, isa, 1);
    EXPECT_EQ(alone.by_new, 0u) << form << ", " << to_string(isa);
    EXPECT_EQ(alone.by_malloc, 0u) << form << ", " << to_string(isa);
    EXPECT_EQ(allocations_of_second_solve<T>(first, second, bodies, isa, 2).by_new, 0u) << form;
  }
}

TYPED_TEST(LaterCallOfLaws, allocates_nothing_in_any_form) {
  using T = TypeParam;
  const support::RandomContacts<T> a(count, 1), b(count, 2);
  expect_none<T>(a.inline_contacts(), b.inline_contacts(), true, "inline");
  const support::RandomIndexedContacts<T> indexed_a(count, 500, 1), indexed_b(count, 500, 2);
  expect_none<T>(indexed_a.indexed_contacts(), indexed_b.indexed_contacts(), true, "indexed");
  const support::RandomSpaceContacts<T> space_a(count, 1), space_b(count, 2);
  expect_none<T>(space_a.space_contacts(), space_b.space_contacts(), false, "contact space");
  BlockedContacts<T> blocked_a = support::blocked_of(a.inline_contacts());
  BlockedContacts<T> blocked_b = support::blocked_of(b.inline_contacts());
  for (const Isa isa : available_isas())
    EXPECT_EQ(allocations_of_second_solve<T>(blocked_a, blocked_b, true, isa, 1).by_malloc, 0u) << to_string(isa);
}

}  // namespace
}  // namespace carom
