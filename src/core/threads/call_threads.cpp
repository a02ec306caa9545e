#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include "core/columns/text.hpp"
#include "core/support/held_memory.hpp"
#include "floating_point.hpp"
#include "patience.hpp"
#include "schedule.hpp"

namespace carom {
namespace {

/// One loop of a scheduler.
class Pieces {
 public:
  Pieces(std::size_t count, CallThreads::Run run, void* work) : count_(count), run_(run), work_(work) {
    for (std::size_t i = 0; i < count; ++i) states_[i].store(waiting, std::memory_order_relaxed);
  }

  static void enter(void* pieces, std::size_t piece) {
    auto& of = *static_cast<Pieces*>(pieces);
    if (piece < of.count_)
      of.take(piece);
    else
      of.has_unknown_.store(true, std::memory_order_relaxed);
  }

  /// Runs the waiting pieces, then waits for all pieces. Returns the number of waiting pieces.
  std::size_t finish() {
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < count_; ++i) left_out += take(i) ? 1 : 0;
    for (std::size_t i = 0; i < count_; ++i)
      for (Patience patience; states_[i].load(std::memory_order_acquire) != done;) patience.wait();
    return left_out;
  }

  bool has_unknown() const { return has_unknown_.load(std::memory_order_relaxed); }

 private:
  enum State : std::uint8_t { waiting, begun, done };

  bool take(std::size_t piece) {
    std::uint8_t expected = waiting;
    if (!states_[piece].compare_exchange_strong(expected, begun, std::memory_order_acquire)) return false;
    {
      const DefaultFloatingPoint environment;
      const HeldMemory::Scope scope(held_);
      run_(work_, piece);
    }
    states_[piece].store(done, std::memory_order_release);
    return true;
  }

  std::size_t count_;
  CallThreads::Run run_;
  void* work_;
  HeldMemory* held_ = HeldMemory::current();
  std::atomic<bool> has_unknown_{false};
  std::array<std::atomic<std::uint8_t>, Execution::max_threads> states_;
};

}  // namespace

std::size_t CallThreads::count() const {
  const auto limit = static_cast<std::size_t>(execution_->threads);
  if (limit == 1) return 1;
  const std::size_t room = execution_->scheduler.parallel_for != nullptr
                               ? static_cast<std::size_t>(execution_->scheduler.workers)
                               : std::min(arena_room(), std::size_t{Execution::max_threads});
  return limit == 0 ? room : std::min(limit, room);
}

bool CallThreads::run_at_once() const {
  return execution_->scheduler.parallel_for == nullptr || execution_->scheduler.runs_at_once;
}

void CallThreads::run_pieces(std::size_t pieces, Run run, void* work) {
  if (pieces <= 1 || failure_) {
    for (std::size_t piece = 0; piece < pieces; ++piece) run(work, piece);
    return;
  }
  Pieces of(pieces, run, work);
  // Other work of the caller may run on this thread.
  const HeldMemory::Scope none(nullptr);
  if (execution_->scheduler.parallel_for == nullptr) return run_in_arena(pieces, Pieces::enter, &of);
  {
    // The scheduler may change the floating-point environment.
    const DefaultFloatingPoint environment;
    try {
      execution_->scheduler.parallel_for(execution_->scheduler.context, pieces, Pieces::enter, &of);
    } catch (const std::bad_alloc&) {
      failure_ =
          std::make_exception_ptr(Error("carom: the scheduler is out of memory", {.kind = ErrorKind::scheduler}));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  const std::size_t left_out = of.finish();
  if (failure_ || (left_out == 0 && !of.has_unknown())) return;
  failure_ = std::make_exception_ptr(
      Error(left_out > 0 ? Text("carom: the scheduler has left out ", left_out, " of ", pieces, " pieces")
                         : Text("carom: the scheduler has run a piece that is not below ", pieces),
            {.kind = ErrorKind::scheduler}));
}

void CallThreads::run_tasks(std::size_t tasks, std::size_t slots,
                            const std::function<void(std::size_t, std::size_t)>& task) {
  if (slots <= 1 || tasks <= 1) {
    for (std::size_t index = 0; index < tasks; ++index) task(index, 0);
    return;
  }
  struct Work {
    std::size_t tasks;
    const std::function<void(std::size_t, std::size_t)>& task;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> has_thrown{false};
    std::exception_ptr thrown = {};
  } work{tasks, task};
  run_pieces(
      slots,
      [](void* of, std::size_t slot) {
        Work& in = *static_cast<Work*>(of);
        try {
          for (std::size_t index; (index = in.next.fetch_add(1, std::memory_order_relaxed)) < in.tasks;)
            in.task(index, slot);
        } catch (...) {
          in.next.store(in.tasks, std::memory_order_relaxed);
          if (!in.has_thrown.exchange(true)) in.thrown = std::current_exception();
        }
      },
      &work);
  if (work.thrown) std::rethrow_exception(work.thrown);
}

const void* number_of_this_thread() {
  thread_local char here;
  return &here;
}

}  // namespace carom
