// Execution::scheduler: every call of every solver has the bits of one thread under any scheduler that keeps the
// contract, and complete results under one that does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <carom/carom.hpp>
#include <cfenv>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "../system/system_data.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/schedulers.hpp"
#include "support/scenes/runs.hpp"

namespace carom {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::TestScheduler;
using RunAll = TestScheduler::Run;

/// The bits of the results of a call, and its report.
struct Outcome {
  std::vector<unsigned char> bits;
  int threads = 1;

  template <class V>
  void add(const std::vector<V>& values) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(values.data());
    bits.insert(bits.end(), bytes, bytes + values.size() * sizeof(V));
  }
  template <class V, std::size_t n>
  void add(const std::array<std::vector<V>, n>& columns) {
    for (const auto& column : columns) add(column);
  }
};

constexpr std::size_t contacts = 5000;  // several ranges of Solver

/// A solver and the arguments of its calls.
class Case {
 public:
  virtual ~Case() = default;
  virtual int call() = 0;  ///< returns the threads of the report
  virtual Outcome outcome() const = 0;
};

class OfContacts : public Case {
 public:
  explicit OfContacts(const Execution& execution) : solver_(execution) {}
  int call() override { return solver_.solve(contacts_.inline_contacts(), results_.results()).threads; }
  Outcome outcome() const override {
    Outcome made;
    for (const auto* columns : {&results_.impulse, &results_.velocity_a, &results_.angular_velocity_b})
      made.add(*columns);
    made.add(results_.status);
    return made;
  }

 private:
  Solver solver_;
  const support::RandomContacts<float> contacts_{contacts, 5};
  support::ResultArrays<float> results_{contacts};
};

/// The columns of bodies are packed first, in a separate loop.
class OfIndexedContacts : public Case {
 public:
  explicit OfIndexedContacts(const Execution& execution) : solver_(execution) {}
  int call() override { return solver_.solve(contacts_.indexed_contacts(), results_.results()).threads; }
  Outcome outcome() const override {
    Outcome made;
    made.add(results_.impulse);
    return made;
  }

 private:
  Solver solver_;
  const support::RandomIndexedContacts<float> contacts_{contacts, 3000, 6};
  support::ResultArrays<float> results_{contacts};
};

class OfPlanarContacts : public Case {
 public:
  explicit OfPlanarContacts(const Execution& execution) : solver_(execution) {}
  int call() override { return solver_.solve(select(contacts_.inline_contacts(), {}), results_.results()).threads; }
  Outcome outcome() const override {
    Outcome made;
    made.add(results_.numbers);
    return made;
  }

 private:
  Solver solver_;
  const support::RandomPlanarBodies<double> contacts_{contacts, 7};
  support::PlanarResultArrays<double> results_{contacts};
};

class OfMargins : public Case {
 public:
  explicit OfMargins(const Execution& execution) : solver_(execution) {}
  int call() override {
    const RegionMargins<double> margins{margins_[0], margins_[1], margins_[2], margins_[3], {}};
    const Column<const double> one{&one_, contacts, 0};
    solver_.find_margins(contacts_.space_contacts(), {one, one, one}, margins);
    return 1;
  }
  Outcome outcome() const override {
    Outcome made;
    made.add(margins_);
    return made;
  }

 private:
  Solver solver_;
  double one_ = 1;
  const support::RandomSpaceContacts<double> contacts_{contacts, 8};
  std::array<std::vector<double>, 4> margins_ = {std::vector<double>(contacts), std::vector<double>(contacts),
                                                 std::vector<double>(contacts), std::vector<double>(contacts)};
};

class OfGradients : public Case {
 public:
  explicit OfGradients(const Execution& execution) : solver_(execution) {}
  int call() override {
    Gradients<double> gradients;
    gradients.impulse_z.restitution = by_restitution_;
    gradients.impulse_x.friction = by_friction_;
    solver_.differentiate(contacts_.space_contacts(), gradients);
    return 1;
  }
  Outcome outcome() const override {
    Outcome made;
    made.add(by_restitution_);
    made.add(by_friction_);
    return made;
  }

 private:
  Solver solver_;
  const support::RandomSpaceContacts<double> contacts_{contacts, 9};
  std::vector<double> by_restitution_ = std::vector<double>(contacts), by_friction_ = std::vector<double>(contacts);
};

/// A large island and small ones. Impacts one after the other take longer.
template <class T>
class OfScene : public Case {
 public:
  OfScene(const Execution& execution, Procedure method) : solver_(execution), options_(scenes::usual(method)) {
    scene_ = scenes::pyramid<T>(support::fast_build && method != Procedure::sequential_impacts ? 33 : 16);
    scenes::append(scene_, scenes::islands<T>(200, 1, 12, 3));
    for (std::size_t i = 0; i < scene_.contact_count(); ++i) scene_.key.push_back(i + 1);
    arrays_.emplace(scene_);
  }
  int call() override {
    return solver_.solve(select(scene_.view(), options_.converted().method), arrays_->view(), options_).threads;
  }
  Outcome outcome() const override {
    Outcome made;
    for (const auto* columns : {&arrays_->velocity, &arrays_->angular_velocity, &arrays_->displacement,
                                &arrays_->impulse, &arrays_->separation_velocity})
      made.add(*columns);
    made.add(arrays_->status);
    made.add(arrays_->island_residual);
    return made;
  }

 private:
  SceneSolver solver_;
  scenes::SceneData<T> scene_;
  std::optional<scenes::SceneArrays<T>> arrays_;
  MethodOptions options_;
};

class OfSystem : public Case {
 public:
  explicit OfSystem(const Execution& execution) : solver_(execution) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
      append(system_, test::random_system(seed, 1 + seed % 13, 1 + seed % 5, 0.6));
    solution_.emplace(system_.contacts());
  }
  int call() override { return solver_.solve(system_.view(), solution_->view()).threads; }
  Outcome outcome() const override {
    Outcome made;
    made.add(solution_->r);
    made.add(solution_->u);
    return made;
  }

 private:
  SystemSolver solver_;
  test::SystemData<double> system_;
  std::optional<test::SystemSolution<double>> solution_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Case>(const Execution&)> make;
};

template <class C>
std::unique_ptr<Case> made(const Execution& execution) {
  return std::make_unique<C>(execution);
}

std::vector<Kind> scene_kinds() {
  std::vector<Kind> kinds;
  for (const Procedure method : scenes::all_methods) {
    std::string name = "scene_" + std::string(to_string(method));
    std::replace(name.begin(), name.end(), '-', '_');
    kinds.push_back(
        {name, [=](const Execution& execution) { return std::make_unique<OfScene<float>>(execution, method); }});
  }
  return kinds;
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds = {{"contacts", made<OfContacts>},     {"indexed", made<OfIndexedContacts>},
                             {"planar", made<OfPlanarContacts>}, {"margins", made<OfMargins>},
                             {"gradients", made<OfGradients>},   {"system", made<OfSystem>}};
  for (Kind& kind : scene_kinds()) kinds.push_back(std::move(kind));
  return kinds;
}

class SchedulerOf : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Case> make(const Execution& execution) const { return GetParam().make(execution); }

  /// Outcomes of two calls of one solver on one thread.
  std::vector<Outcome> expected() const {
    const auto alone = make({.threads = 1});
    std::vector<Outcome> outcomes;
    for (int i = 0; i < 2; ++i) {
      alone->call();
      outcomes.push_back(alone->outcome());
    }
    return outcomes;
  }
};
INSTANTIATE_TEST_SUITE_P(Call, SchedulerOf, testing::ValuesIn(all_kinds()),
                         [](const auto& of) { return of.param.name; });

const std::vector<std::pair<std::string, RunAll>>& good_runs() {
  static const std::vector<std::pair<std::string, RunAll>> runs = {{"in order", support::in_order},
                                                                   {"in reversed order", support::in_reversed_order},
                                                                   {"all at once", support::all_at_once},
                                                                   {"on two threads", support::on_two_threads},
                                                                   {"on new threads", support::on_new_threads_in_turn}};
  return runs;
}

// The pieces of a promise that is not kept come one by one, or two at a time.
TEST_P(SchedulerOf, any_kind_gives_the_bits_of_one_thread) {
  const std::vector<Outcome> one = expected();
  for (const auto& [name, run] : good_runs())
    for (const int workers : {2, 7})
      for (const bool promises : {false, true}) {
        const std::string what = name + ", workers " + std::to_string(workers) + (promises ? ", at once" : "");
        TestScheduler scheduler(workers, run, promises);
        const auto several = make(scheduler.execution());
        for (const Outcome& of_call : one) {
          const int threads = several->call();
          EXPECT_EQ(several->outcome().bits, of_call.bits) << what;
          EXPECT_GE(threads, 1) << what;
          EXPECT_LE(threads, workers) << what;
        }
        EXPECT_GT(scheduler.calls(), 0) << what;
        EXPECT_GE(scheduler.max_pieces(), 2u) << what;
        EXPECT_LE(scheduler.max_pieces(), static_cast<std::size_t>(workers)) << what;
      }
}

TEST_P(SchedulerOf, one_thread_is_reported_as_one) {
  for (const RunAll& run : {RunAll(support::in_order), RunAll(support::in_reversed_order)})
    for (const bool promises : {false, true}) {
      TestScheduler scheduler(4, run, promises);
      EXPECT_EQ(make(scheduler.execution())->call(), 1);
    }
}

TEST_P(SchedulerOf, a_limit_of_threads_bounds_the_pieces) {
  TestScheduler scheduler(7, support::in_order);
  make(scheduler.execution(3))->call();
  EXPECT_LE(scheduler.max_pieces(), 3u);
  EXPECT_GT(scheduler.calls(), 0);
  TestScheduler unused(7, support::in_order);
  make(unused.execution(1))->call();
  EXPECT_EQ(unused.calls(), 0);
}

/// A breach of the contract, in one loop. `throws`: an EngineError.
struct Failure {
  std::string name;
  RunAll run;
  bool throws = false;
};

struct EngineError : std::runtime_error {
  EngineError() : std::runtime_error("the engine is out of jobs") {}
};

std::vector<Failure> failures() {
  const auto but_first = [](std::size_t pieces, const support::RunPiece& run) {
    for (std::size_t i = 1; i < pieces; ++i) run(i);
  };
  const auto but_last = [](std::size_t pieces, const support::RunPiece& run) {
    for (std::size_t i = 0; i + 1 < pieces; ++i) run(i);
  };
  return {{"throws at once", [](std::size_t, const support::RunPiece&) { throw EngineError(); }, true},
          {"throws after a piece",
           [](std::size_t, const support::RunPiece& run) {
             run(1);
             throw EngineError();
           },
           true},
          {"throws after all pieces",
           [](std::size_t pieces, const support::RunPiece& run) {
             support::in_order(pieces, run);
             throw EngineError();
           },
           true},
          {"leaves out the first piece", but_first},
          {"leaves out the last piece", but_last},
          {"leaves out all pieces", [](std::size_t, const support::RunPiece&) {}},
          {"leaves out a piece at once",
           [](std::size_t pieces, const support::RunPiece& run) { support::all_at_once(pieces - 1, run); }},
          {"runs a piece that is not there",
           [](std::size_t pieces, const support::RunPiece& run) { support::in_order(pieces + 1, run); }}};
}

// In the first loop of a call, in the second one, or in a later one.
TEST_P(SchedulerOf, a_failure_leaves_complete_results_and_a_solver_that_works) {
  const std::vector<Outcome> one = expected();
  for (const Failure& failure : failures())
    for (const bool promises : {false, true})
      for (const int at : {1, 2, 7}) {
        const std::string what = failure.name + (promises ? ", at once" : "") + ", " + std::to_string(at);
        int loops = 0;
        bool failed = false;
        TestScheduler scheduler(
            4,
            [&](std::size_t pieces, const support::RunPiece& run) {
              const bool fails = ++loops == at;
              failed = failed || fails;
              fails ? failure.run(pieces, run) : support::in_order(pieces, run);
            },
            promises);
        const auto several = make(scheduler.execution());
        for (const Outcome& of_call : one) {
          failed = false;
          bool thrown = false;
          try {
            several->call();
          } catch (const EngineError&) {
            EXPECT_TRUE(failure.throws) << what;
            thrown = true;
          } catch (const Error& error) {
            EXPECT_FALSE(failure.throws) << what;
            EXPECT_EQ(error.kind(), ErrorKind::scheduler) << what;
            EXPECT_NE(std::string(error.what()).find("scheduler"), std::string::npos) << what;
            thrown = true;
          }
          EXPECT_EQ(thrown, failed) << what;
          EXPECT_EQ(several->outcome().bits, of_call.bits) << what;
        }
      }
}

// The exception comes while a piece runs on another thread.
TEST_P(SchedulerOf, an_exception_waits_for_the_pieces_that_have_begun) {
  const std::vector<Outcome> one = expected();
  for (const bool promises : {false, true}) {
    std::thread other;
    bool first = true;
    TestScheduler scheduler(
        2,
        [&](std::size_t pieces, const support::RunPiece& run) {
          if (!first) return support::in_order(pieces, run);
          first = false;
          std::atomic<bool> begins{false};
          other = std::thread([&begins, run] {
            begins = true;
            run(1);
          });
          while (!begins) std::this_thread::yield();
          // On most machines the piece runs now.
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          throw EngineError();
        },
        promises);
    const auto several = make(scheduler.execution());
    EXPECT_THROW(several->call(), EngineError);
    other.join();
    EXPECT_EQ(several->outcome().bits, one[0].bits);
    several->call();
    EXPECT_EQ(several->outcome().bits, one[1].bits);
  }
}

TEST_P(SchedulerOf, a_piece_that_is_run_again_does_nothing) {
  const std::vector<Outcome> one = expected();
  const std::vector<RunAll> repeating = {[](std::size_t pieces, const support::RunPiece& run) {
                                           for (int i = 0; i < 2; ++i) support::in_order(pieces, run);
                                         },
                                         [](std::size_t pieces, const support::RunPiece& run) {
                                           support::all_at_once(2 * pieces, [&](std::size_t i) { run(i % pieces); });
                                         }};
  for (const RunAll& run : repeating)
    for (const bool promises : {false, true}) {
      TestScheduler scheduler(3, run, promises);
      const auto several = make(scheduler.execution());
      for (const Outcome& of_call : one) {
        several->call();
        EXPECT_EQ(several->outcome().bits, of_call.bits);
      }
    }
}

/// Rounds upwards, and flushes small numbers where the CPU can.
void set_odd_environment() {
  std::fesetround(FE_UPWARD);
#ifdef __x86_64__
  _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}

/// carom does not change the modes of the x87 unit.
bool rounds_upwards() {
#ifdef __x86_64__
  return (_mm_getcsr() & 0x6000u) == 0x4000u;
#else
  return std::fegetround() == FE_UPWARD;
#endif
}

TEST_P(SchedulerOf, an_environment_of_its_own_changes_no_bit) {
  const std::vector<Outcome> one = expected();
  for (const bool promises : {false, true}) {
    TestScheduler on_threads(
        3,
        [](std::size_t pieces, const support::RunPiece& run) {
          support::all_at_once(pieces, [&](std::size_t i) {
            set_odd_environment();
            run(i);
            EXPECT_TRUE(rounds_upwards());  // again
          });
        },
        promises);
    TestScheduler leaves_one_behind(
        3,
        [](std::size_t pieces, const support::RunPiece& run) {
          support::in_order(pieces, run);
          set_odd_environment();
        },
        promises);
    for (TestScheduler* scheduler : {&on_threads, &leaves_one_behind}) {
      const auto several = make(scheduler->execution());
      for (const Outcome& of_call : one) {
        several->call();
        EXPECT_FALSE(rounds_upwards());
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(several->outcome().bits, of_call.bits);
      }
    }
  }
}

/// Threads that take pieces of the loop that began last. A thread that waits for its loop does so, too.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::size_t pieces, const support::RunPiece& piece) {
    Loop loop{pieces, piece};
    std::unique_lock lock(mutex_);
    loops_.push_back(&loop);
    changed_.notify_all();
    while (loop.done < pieces)
      if (!run_one(lock)) changed_.wait(lock);
  }

 private:
  struct Loop {
    std::size_t pieces;
    const support::RunPiece& piece;
    std::size_t next = 0, done = 0;
  };
  bool run_one(std::unique_lock<std::mutex>& lock) {
    if (loops_.empty()) return false;
    Loop& loop = *loops_.back();
    const std::size_t piece = loop.next++;
    if (loop.next == loop.pieces) loops_.pop_back();
    lock.unlock();
    loop.piece(piece);
    lock.lock();
    if (++loop.done == loop.pieces) changed_.notify_all();
    return true;
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!over_)
      if (!run_one(lock)) changed_.wait(lock);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Loop*> loops_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

TEST_P(SchedulerOf, calls_within_jobs_of_the_same_job_system_end) {
  const std::vector<Outcome> one = expected();
  Pool pool(2);
  TestScheduler scheduler(3, [&](std::size_t pieces, const support::RunPiece& run) { pool.run(pieces, run); });
  std::vector<std::unique_ptr<Case>> cases;
  for (int i = 0; i < 6; ++i) cases.push_back(make(scheduler.execution()));
  pool.run(cases.size(), [&](std::size_t i) { cases[i]->call(); });
  for (const auto& of : cases) EXPECT_EQ(of->outcome().bits, one[0].bits);
}

TEST_P(SchedulerOf, a_call_of_the_same_solver_within_a_loop_is_refused) {
  const std::vector<Outcome> one = expected();
  std::unique_ptr<Case> several;
  int refused = 0;
  TestScheduler scheduler(2, [&](std::size_t pieces, const support::RunPiece& run) {
    try {
      several->call();
    } catch (const Error& error) {
      refused += error.kind() == ErrorKind::busy ? 1 : 0;
    }
    support::in_order(pieces, run);
  });
  several = make(scheduler.execution());
  several->call();
  EXPECT_EQ(refused, scheduler.calls());
  EXPECT_EQ(several->outcome().bits, one[0].bits);
}

class PromisingSchedulerOf : public SchedulerOf {};
INSTANTIATE_TEST_SUITE_P(Call, PromisingSchedulerOf, testing::ValuesIn(scene_kinds()),
                         [](const auto& of) { return of.param.name; });

TEST_P(PromisingSchedulerOf, a_kept_promise_makes_a_scene_one_loop) {
  const std::vector<Outcome> one = expected();
  for (const int workers : {2, 5}) {
    TestScheduler scheduler(workers, support::all_met, true);
    const auto several = make(scheduler.execution());
    for (const Outcome& of_call : one) {
      several->call();
      EXPECT_EQ(several->outcome().bits, of_call.bits);
    }
    EXPECT_EQ(scheduler.calls(), 2);
  }
}

TEST(SchedulerOptions, that_would_be_ignored_are_errors) {
  const auto message = [](const Scheduler& scheduler) -> std::string {
    std::string found;
    for (const auto& make : {std::function<void(const Execution&)>([](const Execution& e) { Solver{e}; }),
                             std::function<void(const Execution&)>([](const Execution& e) { SceneSolver{e}; }),
                             std::function<void(const Execution&)>([](const Execution& e) { SystemSolver{e}; })}) {
      try {
        make({.scheduler = scheduler});
        return "";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::argument);
        found = error.what();
      }
    }
    return found;
  };
  int context = 0;
  constexpr auto run = [](void*, std::size_t, void (*)(void*, std::size_t), void*) {};
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.parallel_for = run, .workers = 1}), "");
  EXPECT_EQ(message({.context = &context}),
            "carom: the option scheduler.context is set without scheduler.parallel_for");
  EXPECT_EQ(message({.workers = 2}), "carom: the option scheduler.workers is set without scheduler.parallel_for");
  EXPECT_EQ(message({.runs_at_once = true}),
            "carom: the option scheduler.runs_at_once is set without scheduler.parallel_for");
  EXPECT_EQ(message({.parallel_for = run}), "carom: the option scheduler.workers is 0, not in [1, 1024]");
  EXPECT_EQ(message({.parallel_for = run, .workers = 1025}),
            "carom: the option scheduler.workers is 1025, not in [1, 1024]");
}

}  // namespace
}  // namespace carom
