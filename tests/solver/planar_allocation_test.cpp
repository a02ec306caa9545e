// As allocation_test, for planar contacts: no allocation after the first call of a size.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <limits>

#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/counted_allocations.hpp"

namespace carom {
namespace {

template <class T>
void expect_no_allocations(int threads) {
  constexpr std::size_t count = 20000;
  support::RandomPlanarBodies<T> drawn(count, 61, 500);
  drawn.laws.friction[count / 2] = -1;
  drawn.laws.restitution[count / 3] = std::numeric_limits<T>::quiet_NaN();
  support::PlanarResultArrays<T> out(count);
  planar::Contacts<T> inlined = drawn.inline_contacts();
  planar::IndexedContacts<T> indexed = drawn.indexed_contacts();
  inlined.laws.law = indexed.laws.law = drawn.laws.law;
  for (const Isa isa : available_isas()) {
    SolverSetup options;
    options.execution.isa = isa;
    options.execution.threads = threads;
    ConfiguredSolver solver(options);
    const auto call = [&] {
      const Report report = solver.solve(inlined, out.results());
      ASSERT_EQ(report.faults(), 2u);
      ASSERT_EQ(solver.solve(indexed, out.results()).faults(), 2u);
    };
    call();
    const support::Allocations later = support::allocations_during(call);
    EXPECT_EQ(later.by_new, 0u) << to_string(isa);
    if (threads == 1) {
      EXPECT_EQ(later.by_malloc, 0u) << to_string(isa);
    }
  }
}

TEST(PlanarAllocation, is_over_after_the_first_call) {
  expect_no_allocations<float>(1);
  expect_no_allocations<double>(1);
  tbb::task_arena arena(2);
  arena.execute([] {
    expect_no_allocations<float>(2);
    expect_no_allocations<double>(2);
  });
}

}  // namespace
}  // namespace carom
