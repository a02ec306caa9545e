// Schedulers of many kinds, good and bad, for Execution::scheduler.
#pragma once

#include <atomic>
#include <carom/solver.hpp>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace carom::support {

/// A scheduler made of a C++ function, and counts of its calls.
class TestScheduler {
 public:
  using Piece = void (*)(void* work, std::size_t piece);
  /// Calls run(piece) for the pieces.
  using Run = std::function<void(std::size_t pieces, const std::function<void(std::size_t)>& run)>;

  TestScheduler(int workers, Run run, bool runs_at_once = false)
      : run_(std::move(run)), workers_(workers), runs_at_once_(runs_at_once) {}

  Execution execution(int threads = 0) {
    return {.threads = threads,
            .scheduler = {
                .parallel_for = [](void* context, std::size_t pieces, Piece run,
                                   void* work) { static_cast<TestScheduler*>(context)->start(pieces, run, work); },
                .context = this,
                .workers = workers_,
                .runs_at_once = runs_at_once_}};
  }

  /// Number of calls of parallel_for, and the largest number of pieces.
  int calls() const { return calls_; }
  std::size_t max_pieces() const { return max_pieces_; }

 private:
  void start(std::size_t pieces, Piece run, void* work) {
    ++calls_;
    for (std::size_t most = max_pieces_; pieces > most && !max_pieces_.compare_exchange_weak(most, pieces);) {
    }
    run_(pieces, [=](std::size_t piece) { run(work, piece); });
  }

  Run run_;
  int workers_;
  bool runs_at_once_;
  std::atomic<int> calls_{0};
  std::atomic<std::size_t> max_pieces_{0};
};

using RunPiece = std::function<void(std::size_t)>;

/// The pieces one after the other, on the calling thread.
inline void in_order(std::size_t pieces, const RunPiece& run) {
  for (std::size_t i = 0; i < pieces; ++i) run(i);
}
inline void in_reversed_order(std::size_t pieces, const RunPiece& run) {
  for (std::size_t i = pieces; i-- > 0;) run(i);
}
/// Each piece on a separate thread.
inline void all_at_once(std::size_t pieces, const RunPiece& run) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < pieces; ++i) threads.emplace_back([&, i] { run(i); });
  for (std::thread& thread : threads) thread.join();
}
/// The same, and no piece begins before all threads are there.
inline void all_met(std::size_t pieces, const RunPiece& run) {
  std::atomic<std::size_t> there{0};
  all_at_once(pieces, [&](std::size_t i) {
    for (++there; there < pieces;) std::this_thread::yield();
    run(i);
  });
}
/// On two threads, neither of which is the calling one.
inline void on_two_threads(std::size_t pieces, const RunPiece& run) {
  std::atomic<std::size_t> next{0};
  all_at_once(2, [&](std::size_t) {
    for (std::size_t i; (i = next++) < pieces;) run(i);
  });
}
/// Each piece on a new thread that begins when the previous one has ended.
inline void on_new_threads_in_turn(std::size_t pieces, const RunPiece& run) {
  for (std::size_t i = 0; i < pieces; ++i) std::thread([&] { run(i); }).join();
}

}  // namespace carom::support
