// Misuse of the interface is an Error before any work: options out of range, missing columns, a solver that is in use
// by another call or moved from. Numbers that are not enumerators are reported as unknown.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/contacts/blocked_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/arena_tasks.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::few_steps;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::solve;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The message of the error that `call` throws; empty if it throws none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The kind of the error that `call` throws; a kind that there is not if it throws none.
template <class Call>
ErrorKind kind_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return static_cast<ErrorKind>(255);
}

TEST(Names, of_numbers_that_an_enumeration_does_not_have_are_unknown) {
  const auto expect_unknown = [](auto none, std::size_t count) {
    using Enum = decltype(none);
    EXPECT_NE(to_string(static_cast<Enum>(count - 1)), "unknown");
    for (std::size_t number = count; number < 256; ++number)
      EXPECT_EQ(to_string(static_cast<Enum>(number)), "unknown") << number;
  };
  std::set<std::string_view> names;
  for (std::size_t number = 0; number < 256; ++number) {
    const auto status = static_cast<Status>(number);
    const auto all = all_statuses();
    const bool is_known = std::find(all.begin(), all.end(), status) != all.end();
    EXPECT_EQ(to_string(status) == "unknown", !is_known) << number;
    if (is_known) {
      EXPECT_LT(number, status_room);
      EXPECT_TRUE(names.insert(to_string(status)).second) << number;
    }
  }
  expect_unknown(Isa{}, isa_count);
  expect_unknown(Law{}, law_count);
  expect_unknown(RestitutionLaw{}, restitution_law_count);
  expect_unknown(Integrator{}, integrator_count);
  expect_unknown(GradientStatus{}, gradient_status_count);
  expect_unknown(SceneMethod{}, scene_method_count);
  expect_unknown(ContactFilter{}, contact_filter_count);
  expect_unknown(BenderSchmittPhase{}, bender_schmitt_phase_count);
  expect_unknown(ErrorScale{}, error_scale_count);
  expect_unknown(ContactState{}, contact_state_count);

  EXPECT_EQ(to_string(Path{SlidingEnd::slide_end, Sticking::none, 3, 3}), "slide_end+c3d3");
  for (const Path path :
       {Path{static_cast<SlidingEnd>(8), Sticking::none, 1, 0},
        Path{SlidingEnd::stick_in_c, static_cast<Sticking>(3), 1, 0}, Path{SlidingEnd::slide_end, Sticking::none, 4, 0},
        Path{SlidingEnd::slide_end, Sticking::none, 0, 255}})
    EXPECT_EQ(to_string(path), "unknown");
  EXPECT_EQ(to_string(Path::from_index(Path::kinds)), "unknown");

  Report report;
  for (const Status status : all_statuses()) report.by_status.add(status, 0);
  for (std::size_t i = 0; i < Path::kinds; ++i) report.by_path.add(Path::from_index(i));
  EXPECT_EQ(report.count(static_cast<Status>(status_room)), 0u);
  EXPECT_EQ(report.count(Path{static_cast<SlidingEnd>(255), static_cast<Sticking>(255), 255, 255}), 0u);
}

/// The error message for these options; empty without an error.
std::string refusal(const Options& options) {
  const RandomSpaceContacts<double> contacts(1, 1);
  ResultArrays<double> results(1, false);
  const std::string text = error_of([&] { Solver().solve(contacts.space_contacts(), results.results(), options); });
  EXPECT_EQ(error_of([&] { reference::solve(contacts.space_contacts(), results.results(), options); }), text);
  EXPECT_EQ(
      error_of([&] { reference::planar::solve(planar::KContacts<double>{}, planar::Results<double>{}, options); }),
      text);
  return text;
}

std::string refusal(const Execution& execution) {
  return error_of([&] { Solver{execution}; });
}

TEST(OptionsOutOfRange, are_an_error_of_solver_and_references_before_any_work) {
  EXPECT_EQ(refusal(Options{}), "");
  EXPECT_EQ(refusal(Execution{.isa = static_cast<Isa>(6)}),
            "carom: the option isa is number 6, of which there are 6 from 0 on");
  EXPECT_EQ(refusal(Options{.law = static_cast<Law>(13)}),
            "carom: the option law is number 13, of which there are 13 from 0 on");
  EXPECT_EQ(refusal(Options{.integrator = static_cast<Integrator>(2)}),
            "carom: the option integrator is number 2, of which there are 2 from 0 on");
  EXPECT_EQ(refusal(Options{.restitution_law = static_cast<RestitutionLaw>(255)}),
            "carom: the option restitution_law is number 255, of which there are 3 from 0 on");
  EXPECT_EQ(refusal(Execution{.threads = 100000}), "carom: the option threads is 100000, not in [0, 1024]");
  EXPECT_EQ(refusal(Execution{.threads = -1}), "carom: the option threads is -1, not in [0, 1024]");
  EXPECT_EQ(refusal(Options{.steps = 0}), "carom: the option steps is 0, not in [1, 1073741824]");
  EXPECT_EQ(refusal(Options{.data = {.max_restitution = nan}}),
            "carom: the option max_restitution is nan, not in [1, 100]");
  EXPECT_EQ(refusal(Options{.data = {.normal_tolerance = 0.11}}),
            "carom: the option normal_tolerance is 0.11, not in [0, 0.1]");
  EXPECT_EQ(refusal(Options{.data = {.inertia_tolerance = -1e-9}}),
            "carom: the option inertia_tolerance is -1e-09, not in [0, 0.1]");
}

template <class T>
class Forgotten : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Forgotten, Precisions);

TYPED_TEST(Forgotten, bodies_are_a_missing_column) {
  using T = TypeParam;
  constexpr std::size_t count = 20;
  RandomIndexedContacts<T> indexed(count, 5, 62);
  ResultArrays<T> arrays(count);
  const std::string missing = "carom: the column bodies.inverse_mass is missing";
  IndexedContacts<T> contacts = indexed.indexed_contacts();
  contacts.bodies = {};
  Solver solver;
  EXPECT_EQ(error_of([&] { solver.solve(contacts, arrays.results()); }), missing);
  EXPECT_EQ(
      error_of([&] {
        solver.find_margins(contacts, {arrays.impulse[0], arrays.impulse[1], arrays.impulse[2]}, RegionMargins<T>{});
      }),
      missing);
  contacts = indexed.indexed_contacts();
  contacts.bodies.angular_velocity.y = {};
  EXPECT_EQ(error_of([&] { solver.solve(contacts, arrays.results()); }),
            "carom: the column bodies.angular_velocity.y is missing");

  planar::IndexedContacts<T> in_plane;
  in_plane.friction = indexed.friction;
  in_plane.restitution = indexed.restitution;
  in_plane.normal = in_plane.r_a = in_plane.r_b = {indexed.friction, indexed.friction};
  in_plane.body_a = indexed.body_a;
  in_plane.body_b = indexed.body_b;
  const planar::Results<T> planar_results;
  EXPECT_EQ(error_of([&] { solver.solve(in_plane, planar_results); }), missing);
  if constexpr (std::is_same_v<T, double>) {
    contacts.bodies = {};
    EXPECT_EQ(error_of([&] { reference::solve(contacts, arrays.results()); }), missing);
    EXPECT_EQ(error_of([&] { reference::planar::solve(in_plane, planar_results); }), missing);
  }

  // Without bodies, all contacts are with the world, and body columns have no elements.
  const std::vector<T> none;
  const Column<const T> c = none;
  contacts.bodies = {c, {c, c, c, c, c, c}, {c, c, c}, {c, c, c}};
  EXPECT_EQ(error_of([&] { solver.solve(contacts, arrays.results()); }), "");
  EXPECT_EQ(solver.solve(IndexedContacts<T>{}, Results<T>{}).contacts, 0u);
}

template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::busy);
    return true;
  }
}

/// Holds the solver in a call of another thread until the end of a scope.
class OneCallAfterTheOther {
 public:
  explicit OneCallAfterTheOther(ConfiguredSolver& solver) {
    other_ = std::thread([this, &solver] {
      constexpr std::size_t n = support::fast_build ? 20000 : 2000;
      const RandomSpaceContacts<double> contacts(n, 41);
      ResultArrays<double> results(n, false);
      // The test's thread may be the one that holds the solver, and on one core it must be scheduled.
      while (!ended_) {
        refused_ += is_refused([&] { solver.solve(contacts.space_contacts(), results.results()); }) ? 1 : 0;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  }
  ~OneCallAfterTheOther() {
    ended_ = true;
    other_.join();
  }

 private:
  std::atomic<bool> ended_{false};
  std::atomic<int> refused_{0};
  std::thread other_;
};

/// Calls until one is refused, and one is not.
template <class Call>
void expect_refused_and_served(const char* what, Call&& call) {
  bool refused = false, served = false;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!(refused && served) && std::chrono::steady_clock::now() < patience)
    (is_refused(call) ? refused : served) = true;
  EXPECT_TRUE(refused) << what;
  EXPECT_TRUE(served) << what;
}

TEST(OneCallAtATime, is_what_a_solver_serves_whichever_member_is_called) {
  ConfiguredSolver solver(few_steps());
  const RandomSpaceContacts<float> space(300, 42);
  const RandomContacts<double> bodies(300, 43);
  const RandomIndexedContacts<float> indexed(300, 20, 44);
  const BlockedContacts<float> blocked = support::blocked_of(RandomContacts<float>(300, 45).inline_contacts());
  const support::RandomPlanarBodies<double> planar(300, 46);
  ResultArrays<float> results(300), of_space(300, false);
  ResultArrays<double> in_double(300);
  support::PlanarResultArrays<double> planar_results(300);
  const OneCallAfterTheOther others(solver);
  const auto expected = solve<float>(indexed.indexed_contacts(), 300, few_steps());
  expect_refused_and_served("indexed", [&] { solver.solve(indexed.indexed_contacts(), results.results()); });
  expect_same_bits(results, expected, "a call between others that were refused");
  expect_refused_and_served("inline", [&] { solver.solve(bodies.inline_contacts(), in_double.results()); });
  expect_refused_and_served("blocked", [&] { solver.solve(blocked, results.results()); });
  expect_refused_and_served("space", [&] { solver.solve(space.space_contacts(), of_space.results()); });
  expect_refused_and_served("planar", [&] { solver.solve(planar.inline_contacts(), planar_results.results()); });
  expect_refused_and_served("check", [&] {
    solver.find_margins(space.space_contacts(), {of_space.impulse[0], of_space.impulse[1], of_space.impulse[2]},
                        RegionMargins<float>{});
  });
}

TEST(OneCallAtATime, leaves_the_call_that_came_first_as_it_is) {
  constexpr std::size_t count = 5000;
  const RandomContacts<float> contacts(count, 47);
  const auto expected = solve<float>(contacts.inline_contacts(), count, few_steps());
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  std::vector<ResultArrays<float>> results(64, ResultArrays<float>(count));
  std::vector<char> served(results.size());
  tbb::task_arena arena(2);
  support::run_loop(arena, results.size(), [&](std::size_t i) {
    served[i] = is_refused([&] { solver.solve(contacts.inline_contacts(), results[i].results()); }) ? 0 : 1;
  });
  EXPECT_GT(std::count(served.begin(), served.end(), 1), 0);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (served[i] != 0) expect_same_bits(results[i], expected, "call " + std::to_string(i));
}

TEST(OneCallAtATime, ends_with_the_call_also_if_that_throws) {
  const RandomSpaceContacts<double> contacts(10, 48);
  ResultArrays<double> results(10, false);
  KContacts<double> misused = contacts.space_contacts();
  misused.friction = {};
  Solver solver;
  EXPECT_EQ(kind_of([&] { solver.solve(misused, results.results()); }), ErrorKind::argument);
  EXPECT_EQ(solver.solve(contacts.space_contacts(), results.results()).contacts, 10u);
  EXPECT_THROW(solver.find_margins(misused, {results.impulse[0], results.impulse[1], results.impulse[2]},
                                   RegionMargins<double>{}),
               Error);
  EXPECT_EQ(solver.solve(contacts.space_contacts(), results.results()).contacts, 10u);
}

TEST(Execution, that_there_is_not_is_no_misuse_of_an_argument) {
  for (std::size_t i = 0; i < isa_count; ++i) {
    const auto isa = static_cast<Isa>(i);
    const std::vector<Isa> available = available_isas();
    if (isa == Isa::automatic || std::find(available.begin(), available.end(), isa) != available.end()) continue;
    EXPECT_EQ(kind_of([&] { Solver{Execution{.isa = isa}}; }), ErrorKind::not_available) << to_string(isa);
  }
}

TEST(MovedSolver, is_an_error_to_call_until_it_is_assigned_to) {
  const RandomSpaceContacts<double> contacts(10, 49);
  ResultArrays<double> results(10, false);
  Solver first, second(std::move(first));
  EXPECT_EQ(second.solve(contacts.space_contacts(), results.results()).contacts, 10u);
  EXPECT_THROW(first.solve(contacts.space_contacts(), results.results()), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(kind_of([&] { first.execution(); }), ErrorKind::moved_from);
  EXPECT_THROW(first.isa(), Error);
  first = std::move(second);
  EXPECT_EQ(first.solve(contacts.space_contacts(), results.results()).contacts, 10u);
}

}  // namespace
}  // namespace carom
