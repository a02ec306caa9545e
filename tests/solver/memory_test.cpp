// memory() of a solver equals the bytes that are allocated and not freed, after every kind of call.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../system/system_data.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/failing_allocations.hpp"
#include "support/running/schedulers.hpp"
#include "support/scenes/runs.hpp"

namespace carom {
namespace {

static_assert(noexcept(std::declval<const Solver&>().memory()));
static_assert(noexcept(std::declval<const SceneSolver&>().memory()));
static_assert(noexcept(std::declval<const SystemSolver&>().memory()));

template <class S>
struct Call {
  std::string name;
  std::function<void(S&)> make;
};
template <class S>
using Calls = std::vector<Call<S>>;

/// Makes the calls with one solver and compares its memory with the allocations.
template <class S>
void expect_all_counted(const Calls<S>& calls, const Execution& execution = {.threads = 1}) {
  const auto make_all = [&](S& solver) {
    for (const Call<S>& call : calls) call.make(solver);
  };
  {
    S first(execution);  // memory that the library keeps for the process
    make_all(first);
  }
  support::watch_blocks(true);
  {
    S solver(execution);
    const std::size_t at_first = solver.memory();
    EXPECT_EQ(at_first, support::watched_bytes());
    for (const Call<S>& call : calls) {
      call.make(solver);
      const std::size_t held = solver.memory(), allocated = support::watched_bytes();
      EXPECT_EQ(held, allocated) << call.name;
      EXPECT_GT(held, at_first) << call.name;
    }
    const std::size_t held = solver.memory();
    S moved = std::move(solver);
    EXPECT_EQ(moved.memory(), held);
    EXPECT_EQ(solver.memory(), 0u);
    S other(execution);
    EXPECT_EQ(other.memory(), at_first);
    other = std::move(moved);
    EXPECT_EQ(other.memory(), held);
    EXPECT_EQ(support::watched_bytes(), held);
    make_all(other);
    EXPECT_EQ(other.memory(), support::watched_bytes());
  }
  EXPECT_EQ(support::watched_bytes(), 0u);
  support::watch_blocks(false);
}

/// Makes the call with new solvers while each n-th allocation fails, and then with memory.
template <class S, class F>
void expect_counted_after_failures(const F& make, std::size_t stride) {
  const Execution execution{.threads = 1};
  std::size_t expected = 0;
  {
    S solver(execution);
    make(solver);
    expected = solver.memory();
  }
  std::size_t failures = 0;
  for (std::size_t n = 1;; n += stride) {
    support::watch_blocks(true);
    bool failed = false;
    {
      S solver(execution);
      failed = support::fails_without_allocation(n, [&] { make(solver); });
      ASSERT_EQ(solver.memory(), support::watched_bytes()) << n;
      make(solver);
      ASSERT_EQ(solver.memory(), support::watched_bytes()) << n;
      ASSERT_GE(2 * solver.memory(), expected) << n;
    }
    ASSERT_EQ(support::watched_bytes(), 0u) << n;
    support::watch_blocks(false);
    if (!failed) break;
    ++failures;
  }
  EXPECT_GT(failures, 2u);
}

template <class T>
class MemoryOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MemoryOf, Precisions);

constexpr std::size_t count = 3000;  // more than one range

/// Every form of contacts, and every kind of call.
template <class T>
struct ContactCalls {
  ContactCalls() : mixed(space.space_contacts()), incremental(space.space_contacts()) {
    for (std::size_t i = 0; i < count; ++i) laws[i] = i % 3 == 0 ? Law::incremental : static_cast<Law>(1 + i % 3);
    mixed.laws.law = laws;
    gradients.impulse_x.friction = numbers[0];
    margins.energy = numbers[1];
  }
  Calls<Solver> all() {
    return {{"inline", [this](Solver& s) { s.solve(contacts.inline_contacts(), results.results()); }},
            {"algebraic",
             [this](Solver& s) { s.solve(contacts.inline_contacts(), results.results(), {.law = Law::no_slip}); }},
            {"indexed", [this](Solver& s) { s.solve(indexed.indexed_contacts(), results.results()); }},
            {"blocked", [this](Solver& s) { s.solve(blocked, results.results()); }},
            {"planar", [this](Solver& s) { s.solve(select(planar.inline_contacts(), {}), planar_results.results()); }},
            {"margins", [this](Solver& s) { s.find_margins(incremental, incremental.separation_velocity, margins); }},
            {"gradients", [this](Solver& s) { s.differentiate(incremental, gradients); }},
            {"mixed laws", [this](Solver& s) { s.solve(mixed, space_results.results()); }}};
  }

  support::RandomContacts<T> contacts{count, 31};
  support::RandomIndexedContacts<T> indexed{count, 400, 32};
  support::RandomSpaceContacts<T> space{count, 33};
  BlockedContacts<T> blocked = support::blocked_of(contacts.inline_contacts());
  support::RandomPlanarBodies<T> planar{count, 34};
  support::ResultArrays<T> results{count}, space_results{count, false};
  support::PlanarResultArrays<T> planar_results{count};
  std::vector<Law> laws = std::vector<Law>(count);
  KContacts<T> mixed, incremental;
  std::vector<std::vector<T>> numbers = std::vector<std::vector<T>>(2, std::vector<T>(count));
  Gradients<T> gradients;
  RegionMargins<T> margins;
};

TYPED_TEST(MemoryOf, a_solver_is_what_its_calls_have_allocated) {
  ContactCalls<TypeParam> of;
  expect_all_counted<Solver>(of.all());
}

TYPED_TEST(MemoryOf, a_solver_counts_the_workspaces_of_all_threads) {
  ContactCalls<TypeParam> of;
  support::TestScheduler scheduler(3, support::in_order);
  expect_all_counted<Solver>(of.all(), scheduler.execution());
  Solver alone({.threads = 1}), several(scheduler.execution());
  for (Solver* solver : {&alone, &several}) of.all().front().make(*solver);
  EXPECT_GT(several.memory(), 2 * alone.memory());
}

TYPED_TEST(MemoryOf, a_solver_is_consistent_after_a_call_without_memory) {
  ContactCalls<TypeParam> of;
  for (const Call<Solver>& call : of.all())
    if (call.name != "margins" && call.name != "blocked" && call.name != "inline")
      expect_counted_after_failures<Solver>(call.make, 1);
}

/// Scenes with piles, joints and keys, under every method.
template <class T>
struct SceneCalls {
  SceneCalls() {
    scenes::append(scene, scenes::islands<T>(60, 1, 9, 1));
    scenes::append(scene, scenes::chain<T>(12));
    scenes::append(scene, scenes::stack<T>(4));
    for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
    for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1;
    arrays.emplace(scene);
    small_arrays.emplace(small);
  }
  void solve(SceneSolver& solver, scenes::Procedure method) {
    const SceneOptions options = scenes::usual(method).converted();
    solver.solve(select(scene.view(), options.method), arrays->view(), options);
  }
  Calls<SceneSolver> all() {
    const SceneOptions usual = scenes::usual(scenes::Procedure::substeps).converted();
    Calls<SceneSolver> calls;
    calls.push_back({"one manifold", [this, usual](SceneSolver& s) {
                       for (int k = 0; k < 3; ++k)
                         s.solve(select(small.view(), usual.method), small_arrays->view(), usual);
                     }});
    calls.push_back({"reserve", [usual](SceneSolver& s) { s.reserve<T>(300, 1000, 50, usual); }});
    for (const scenes::Procedure method : scenes::all_methods)
      for (int k = 0; k < 2; ++k)
        calls.push_back({std::string(to_string(method)), [this, method](SceneSolver& s) { solve(s, method); }});
    calls.push_back({"saved", [this](SceneSolver& s) {
                       solve(s, scenes::Procedure::substeps);
                       state.resize(std::size_t{1} << 22);
                       size = s.save(std::span<std::byte>(state));
                     }});
    calls.push_back({"forgotten", [](SceneSolver& s) { s.forget(); }});
    calls.push_back({"restored", [this](SceneSolver& s) {
                       s.restore(std::span<const std::byte>(state).first(size));
                       solve(s, scenes::Procedure::substeps);
                     }});
    return calls;
  }

  scenes::SceneData<T> scene = scenes::pyramid<T>(12), small = scenes::stack<T>(1);
  std::optional<scenes::SceneArrays<T>> arrays, small_arrays;
  std::vector<std::byte> state;
  std::size_t size = 0;
};

TYPED_TEST(MemoryOf, a_scene_solver_is_what_its_calls_have_allocated) {
  SceneCalls<TypeParam> of;
  expect_all_counted<SceneSolver>(of.all());
}

TYPED_TEST(MemoryOf, a_scene_solver_counts_the_memory_of_all_threads) {
  SceneCalls<TypeParam> of;
  support::TestScheduler scheduler(3, support::in_order);
  expect_all_counted<SceneSolver>(of.all(), scheduler.execution());
}

// The blocks of new threads would be watched, too.
TYPED_TEST(MemoryOf, a_scene_solver_counts_the_same_on_other_threads) {
  SceneCalls<TypeParam> of;
  support::TestScheduler here(3, support::in_order), elsewhere(3, support::on_new_threads_in_turn);
  SceneSolver expected(here.execution()), solver(elsewhere.execution());
  for (const Call<SceneSolver>& call : of.all()) {
    call.make(expected);
    call.make(solver);
    EXPECT_EQ(solver.memory(), expected.memory()) << call.name;
  }
}

TYPED_TEST(MemoryOf, a_scene_solver_is_consistent_after_a_call_without_memory) {
  SceneCalls<TypeParam> of;
  for (const scenes::Procedure method : {scenes::Procedure::pgs, scenes::Procedure::substeps, scenes::Procedure::ncp})
    expect_counted_after_failures<SceneSolver>([&](SceneSolver& solver) { of.solve(solver, method); },
                                               method == scenes::Procedure::pgs ? 7 : 211);
}

TYPED_TEST(MemoryOf, a_scene_solver_stays_while_the_same_call_is_repeated) {
  SceneCalls<TypeParam> of;
  for (const scenes::Procedure method : scenes::all_methods) {
    SceneSolver solver({.threads = 1});
    std::size_t held = 0;
    for (int k = 0; k < 6; ++k) {
      of.solve(solver, method);
      if (k > 2) {
        EXPECT_EQ(solver.memory(), held) << to_string(method) << ", call " << k;
      }
      held = solver.memory();
    }
  }
}

TYPED_TEST(MemoryOf, a_scene_solver_grows_with_what_is_reserved) {
  using T = TypeParam;
  const SceneOptions options = scenes::usual(scenes::Procedure::pgs).converted();
  SceneSolver solver({.threads = 1});
  std::size_t held = solver.memory();
  for (const std::size_t contacts : {100, 1000, 10000}) {
    solver.reserve<T>(contacts, contacts, 0, options);
    EXPECT_GT(solver.memory(), held + contacts * sizeof(T));
    held = solver.memory();
    solver.reserve<T>(contacts, contacts, 0, options);
    EXPECT_EQ(solver.memory(), held);
  }
}

/// Islands of several sizes, some of which need factorisations.
struct SystemCalls {
  SystemCalls() {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const bool has_moments = seed % 3 == 2;
      systems.push_back(test::random_system(seed, 1 + 7 * seed % 23, 1 + seed % 5, 0.6, has_moments ? 1 : 0));
      for (std::uint64_t k = 1; !has_moments && k < 5; ++k)
        append(systems.back(), test::random_system(10 * seed + k, 3 * k, 2, 0.6));
      solutions.emplace_back(systems.back().contacts(), systems.back().moment.size());
    }
  }
  Calls<SystemSolver> all() {
    Calls<SystemSolver> calls;
    for (std::size_t i = 0; i < systems.size(); ++i)
      for (const double tolerance : {1e-4, 1e-11})
        calls.push_back({"system " + std::to_string(i), [this, i, tolerance](SystemSolver& solver) {
                           solver.solve(systems[i].view(), solutions[i].view(), {.tolerance = tolerance});
                         }});
    return calls;
  }
  std::vector<test::SystemData<double>> systems;
  std::vector<test::SystemSolution<double>> solutions;
};

TEST(MemoryOfSystems, is_what_calls_have_allocated) {
  SystemCalls of;
  expect_all_counted<SystemSolver>(of.all());
}

TEST(MemoryOfSystems, counts_the_memory_of_all_threads) {
  SystemCalls of;
  support::TestScheduler here(3, support::in_order), elsewhere(3, support::on_new_threads_in_turn);
  expect_all_counted<SystemSolver>(of.all(), here.execution());
  SystemSolver expected(here.execution()), solver(elsewhere.execution());
  for (const Call<SystemSolver>& call : of.all()) {
    call.make(expected);
    call.make(solver);
    EXPECT_EQ(solver.memory(), expected.memory()) << call.name;
  }
}

TEST(MemoryOfSystems, is_consistent_after_a_call_without_memory) {
  SystemCalls of;
  expect_counted_after_failures<SystemSolver>(of.all()[7].make, 1);
}

}  // namespace
}  // namespace carom
