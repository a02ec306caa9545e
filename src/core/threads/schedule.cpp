#include "schedule.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "happens_before.hpp"

namespace carom {

std::size_t arena_room() {
  return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

void run_in_arena(std::size_t pieces, CallThreads::Run run, void* work) {
  const auto run_piece = [&](std::size_t piece) {
    acquire(work);
    run(work, piece);
    release(work);
  };
  release(work);
  // All pieces run even if the task group that the caller belongs to is cancelled.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  // One of the caller's other tasks might call the same solver.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, pieces, run_piece, tbb::simple_partitioner(), context); });
  acquire(work);
}

}  // namespace carom
