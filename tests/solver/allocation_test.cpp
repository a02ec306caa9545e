// After the first call of a size, a solver does not allocate. The test counts the calls of operator new, which carom
// uses, and of malloc and related functions, which oneTBB uses for its tasks, in all threads of the process.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>

#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/counted_allocations.hpp"

namespace carom {
namespace {

using support::allocations_during;

/// Two batches of one size: every course of a collision occurs, and a fault.
constexpr std::size_t count = 20000;

template <class AnyContacts>
void add_fault(AnyContacts& contacts) {
  using T = typename decltype(contacts.friction)::value_type;
  contacts.friction[count / 2] = -1;
  contacts.restitution[count / 3] = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
struct Inline {
  using Random = support::RandomContacts<T>;
  static constexpr bool bodies = true;
  static Random draw(std::uint64_t seed) { return Random(count, seed); }
  static auto view(const Random& contacts) { return contacts.inline_contacts(); }
};
template <class T>
struct Indexed {
  using Random = support::RandomIndexedContacts<T>;
  static constexpr bool bodies = true;
  static Random draw(std::uint64_t seed) { return Random(count, 500, seed); }
  static auto view(const Random& contacts) { return contacts.indexed_contacts(); }
};
template <class T>
struct Space {
  using Random = support::RandomSpaceContacts<T>;
  static constexpr bool bodies = false;
  static Random draw(std::uint64_t seed) { return Random(count, seed); }
  static auto view(const Random& contacts) { return contacts.space_contacts(); }
};

/// In the second call of a solver, with other contacts than in the first.
template <class Form, class T>
support::Allocations allocations_of_second_solve(Isa isa, int threads) {
  auto first = Form::draw(1), second = Form::draw(2);
  add_fault(first);
  add_fault(second);
  support::ResultArrays<T> arrays(count, Form::bodies);
  const auto first_view = Form::view(first), second_view = Form::view(second);
  const Results<T> results = arrays.results();
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.execution.isa = isa;
  options.execution.threads = threads;
  options.steps = 10;
  ConfiguredSolver solver(options);
  solver.solve(first_view, results);
  Report report;
  const support::Allocations made = allocations_during([&] { report = solver.solve(second_view, results); });
  EXPECT_EQ(report.contacts, count);
  EXPECT_EQ(report.faults(), 2u);
  return made;
}

template <class T>
class LaterCall : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaterCall, Precisions);

template <class Form, class T>
void expect_none(const std::string& form) {
  for (const Isa isa : available_isas()) {
    const support::Allocations made = allocations_of_second_solve<Form, T>(isa, 1);
    EXPECT_EQ(made.by_new, 0u) << form << ", " << to_string(isa);
    EXPECT_EQ(made.by_malloc, 0u) << form << ", " << to_string(isa);
  }
}

TYPED_TEST(LaterCall, on_one_thread_allocates_nothing_of_any_kind) {
  expect_none<Inline<TypeParam>, TypeParam>("inline");
  expect_none<Indexed<TypeParam>, TypeParam>("indexed");
  expect_none<Space<TypeParam>, TypeParam>("contact space");
}

TYPED_TEST(LaterCall, with_constants_allocates_nothing) {
  using T = TypeParam;
  const auto drawn = Inline<T>::draw(1);
  support::ResultArrays<T> arrays(count);
  const auto results = arrays.results();
  Contacts<T> view = drawn.inline_contacts();
  view.friction = 0.4;
  view.b = {};
  view.r_b = {};
  Solver solver({.threads = 1});
  solver.solve(view, results);
  view.friction = 0.5;
  const support::Allocations made = allocations_during([&] { solver.solve(view, results); });
  EXPECT_EQ(made.by_new, 0u);
  EXPECT_EQ(made.by_malloc, 0u);
}

// oneTBB takes memory for its tasks, from its own allocator or from malloc, and never through operator new.
TYPED_TEST(LaterCall, on_two_threads_allocates_nothing_of_ours) {
  for (const Isa isa : available_isas()) {
    EXPECT_EQ((allocations_of_second_solve<Inline<TypeParam>, TypeParam>(isa, 2).by_new), 0u) << to_string(isa);
    EXPECT_EQ((allocations_of_second_solve<Indexed<TypeParam>, TypeParam>(isa, 2).by_new), 0u) << to_string(isa);
    EXPECT_EQ((allocations_of_second_solve<Space<TypeParam>, TypeParam>(isa, 2).by_new), 0u) << to_string(isa);
  }
}

TYPED_TEST(LaterCall, in_an_arena_of_the_hosts_allocates_nothing_of_ours) {
  using T = TypeParam;
  const auto contacts = Inline<T>::draw(1);
  support::ResultArrays<T> arrays(count);
  Solver solver;
  const Options options{.integrator = Integrator::euler, .steps = 10};
  const auto solve_in = [&, view = contacts.inline_contacts(), results = arrays.results()](tbb::task_arena& arena) {
    return allocations_during([&] { arena.execute([&] { solver.solve(view, results, options); }); });
  };
  tbb::task_arena small(2), large(5);
  solve_in(small);
  EXPECT_GT(solve_in(large).by_new, 0u) << "workspaces for more threads";
  EXPECT_EQ(solve_in(large).by_new, 0u);
  EXPECT_EQ(solve_in(small).by_new, 0u);
}

// Not in a pair of new and delete, which a compiler may leave out.
void* volatile kept;

TEST(CountedAllocations, see_every_way_to_allocate_on_every_thread) {
  const auto expect_counted = [](const char* what, std::size_t by_new, auto&& allocate) {
    const support::Allocations made = allocations_during([&] { kept = allocate(); });
    EXPECT_EQ(made.by_new, by_new) << what;
    EXPECT_EQ(made.by_malloc, 1u) << what;
  };
  const auto expect_counted_and_free = [&](const char* what, auto&& allocate) {
    expect_counted(what, 0, allocate);
    std::free(kept);
  };
  expect_counted("new", 1, [] { return ::operator new(8); });
  ::operator delete(kept);
  expect_counted("new[]", 1, [] { return ::operator new[](8); });
  ::operator delete[](kept);
  expect_counted("new, nothrow", 1, [] { return ::operator new(8, std::nothrow); });
  ::operator delete(kept);
  expect_counted("new, aligned", 1, [] { return ::operator new(8, std::align_val_t(64)); });
  ::operator delete(kept, std::align_val_t(64));
  expect_counted_and_free("malloc", [] { return std::malloc(8); });
  expect_counted_and_free("calloc", [] { return std::calloc(2, 8); });
  expect_counted_and_free("realloc", [] { return std::realloc(nullptr, 8); });
  expect_counted_and_free("aligned_alloc", [] { return std::aligned_alloc(64, 64); });
  expect_counted_and_free("posix_memalign", [] {
    void* memory = nullptr;
    EXPECT_EQ(posix_memalign(&memory, 64, 64), 0);
    return memory;
  });

  const support::Allocations made = allocations_during([] { std::thread([] { kept = ::operator new(8); }).join(); });
  ::operator delete(kept);
  EXPECT_GE(made.by_new, 2u) << "the thread's own state and what it allocates";
}

// Linux ends a process in strict mode at its first system call other than read, write and exit of a thread.
template <class F>
bool makes_no_system_call(F&& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(2);
    work();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The sanitizers make system calls themselves.
#ifndef CAROM_TEST_SANITIZED
TYPED_TEST(LaterCall, on_one_thread_makes_no_system_call) {
  using T = TypeParam;
  ASSERT_TRUE(makes_no_system_call([] {})) << "this test needs a kernel that offers seccomp's strict mode";
  EXPECT_FALSE(makes_no_system_call([] { getppid(); }));

  const auto contacts = Inline<T>::draw(1);
  const auto view = contacts.inline_contacts();
  support::ResultArrays<T> arrays(count);
  const Results<T> results = arrays.results();
  for (const Isa isa : available_isas()) {
    SolverSetup options;
    options.integrator = Integrator::euler;
    options.execution.isa = isa;
    options.execution.threads = 1;
    options.steps = 10;
    ConfiguredSolver solver(options);
    solver.solve(view, results);
    EXPECT_TRUE(makes_no_system_call([&] { solver.solve(view, results); })) << to_string(isa);
  }
}
#endif

}  // namespace
}  // namespace carom
