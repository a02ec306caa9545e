// A call takes the threads of the oneTBB arena that it is made in, and no others.
#include <gtest/gtest.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <carom/carom.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/running/arena_tasks.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::few_steps;
using support::RandomContacts;
using support::ResultArrays;

constexpr std::size_t count = 30011;  // contacts, in enough ranges for seven threads

/// oneTBB has workers for an arena of seven, however few cores the machine has.
class Arena : public testing::Test {
 protected:
  Report solve_in(tbb::task_arena& arena, ConfiguredSolver& solver, ResultArrays<float>& arrays) const {
    Report report;
    arena.execute([&] { report = solver.solve(contacts_.inline_contacts(), arrays.results()); });
    return report;
  }
  ResultArrays<float> on_one_thread() const {
    return support::solve<float>(contacts_.inline_contacts(), count, few_steps(Isa::automatic, 1));
  }

  const tbb::global_control seven_{tbb::global_control::max_allowed_parallelism, 7};
  const RandomContacts<float> contacts_{count, 31};
};

class Workers : public tbb::task_scheduler_observer {
 public:
  explicit Workers(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Workers() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override { entered_ += is_worker ? 1 : 0; }
  int entered() const { return entered_; }

 private:
  std::atomic<int> entered_{0};
};

TEST_F(Arena, of_one_thread_keeps_a_call_to_it_whatever_the_limit) {
  const auto expected = on_one_thread();
  tbb::task_arena arena(1);
  for (const int threads : {0, 1, 7, 1024}) {
    ConfiguredSolver solver(few_steps(Isa::automatic, threads));
    for (int call = 0; call < 10; ++call) {
      ResultArrays<float> arrays(count);
      EXPECT_EQ(solve_in(arena, solver, arrays).threads, 1);
      expect_same_bits(arrays, expected, std::to_string(threads));
    }
  }
}

// The worker may come late to a call, and not at all to a short one; on a busy machine it can stay away for seconds.
TEST_F(Arena, is_where_the_workers_that_take_part_come_from) {
  const auto expected = on_one_thread();
  tbb::task_arena arena(2);
  Workers workers(arena);
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  int most = 0;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (most < 2 && std::chrono::steady_clock::now() < patience) {
    ResultArrays<float> arrays(count);
    const Report report = solve_in(arena, solver, arrays);
    if (report.threads > 1) {
      EXPECT_GT(workers.entered(), 0);
    }
    EXPECT_LE(report.threads, 2);
    most = std::max(most, report.threads);
    expect_same_bits(arrays, expected, "arena of two");
  }
  EXPECT_EQ(most, 2);
}

TEST_F(Arena, that_takes_no_worker_leaves_a_call_to_the_calling_thread) {
  const auto expected = on_one_thread();
  tbb::task_arena arena(2, 2);  // both slots are for threads of the application
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  for (int call = 0; call < 10; ++call) {
    ResultArrays<float> arrays(count);
    EXPECT_EQ(solve_in(arena, solver, arrays).threads, 1);
    expect_same_bits(arrays, expected, "no worker");
  }
}

TEST_F(Arena, of_seven_threads_gives_a_call_no_more_than_its_limit) {
  const auto expected = on_one_thread();
  tbb::task_arena arena(7);
  for (const int threads : {2, 3}) {
    ConfiguredSolver solver(few_steps(Isa::automatic, threads));
    for (int call = 0; call < 10; ++call) {
      ResultArrays<float> arrays(count);
      EXPECT_LE(solve_in(arena, solver, arrays).threads, threads);
      expect_same_bits(arrays, expected, std::to_string(threads));
    }
  }
}

TEST_F(Arena, may_differ_from_call_to_call_of_a_solver) {
  const auto expected = on_one_thread();
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  for (const int room : {2, 7, 1, 3}) {
    tbb::task_arena arena(room);
    ResultArrays<float> arrays(count);
    const Report report = solve_in(arena, solver, arrays);
    EXPECT_LE(report.threads, room);
    EXPECT_EQ(report.contacts, count);
    expect_same_bits(arrays, expected, std::to_string(room));
  }
  ResultArrays<float> arrays(count);
  solver.solve(contacts_.inline_contacts(), arrays.results());
  expect_same_bits(arrays, expected, "outside of any arena");
}

TEST_F(Arena, may_be_busy_with_the_loop_that_makes_the_calls) {
  const auto expected = on_one_thread();
  std::vector<ResultArrays<float>> arrays(32, ResultArrays<float>(count));
  tbb::enumerable_thread_specific<ConfiguredSolver> solvers(
      [] { return ConfiguredSolver(few_steps(Isa::automatic, 0)); });
  tbb::task_arena arena(4);
  support::run_loop(arena, arrays.size(), [&](std::size_t turn) {
    solvers.local().solve(contacts_.inline_contacts(), arrays[turn].results());
  });
  for (const auto& of_turn : arrays) expect_same_bits(of_turn, expected, "a turn of the loop");
}

thread_local bool in_call = false;

// Another thread submits tasks to the arena one after the other. Tasks that arrive while the calling thread waits for
// the worker would run on it, within the call.
TEST_F(Arena, gives_the_calling_thread_no_other_task_within_a_call) {
  tbb::task_arena arena(2);
  std::atomic<bool> finished{false}, handed{false};
  std::atomic<int> run_in_call{0};
  const std::function<void()> task = [&] {
    run_in_call += in_call ? 1 : 0;
    handed = false;
  };
  std::thread other([&] {
    while (!finished) {
      handed = true;
      support::hand_over(arena, task);
      while (handed) std::this_thread::yield();
    }
  });
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  int shared = 0;
  for (int call = 0; call < 1000 && shared < 50; ++call) {
    ResultArrays<float> arrays(count);
    in_call = true;
    shared += solve_in(arena, solver, arrays).threads - 1;
    in_call = false;
  }
  finished = true;
  other.join();
  EXPECT_EQ(shared, 50) << "calls that the worker took part in";
  EXPECT_EQ(run_in_call, 0);
}

TEST_F(Arena, solves_the_whole_batch_in_a_task_group_that_is_cancelled) {
  const auto expected = on_one_thread();
  ConfiguredSolver solver(few_steps(Isa::automatic, 0));
  ResultArrays<float> arrays(count);
  tbb::task_arena arena(2);
  support::run_in_cancelled_group(arena, [&] { solver.solve(contacts_.inline_contacts(), arrays.results()); });
  expect_same_bits(arrays, expected, "cancelled");
}

}  // namespace
}  // namespace carom
