#include "schedule.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "happens_before.hpp"

namespace carom {

std::size_t threads_here(int limit) {
  if (limit == 1) return 1;
  const int room = tbb::this_task_arena::max_concurrency();
  return static_cast<std::size_t>(limit == 0 ? room : std::min(limit, room));
}

void run_tasks(std::size_t tasks, std::size_t slots, const std::function<void(std::size_t, std::size_t)>& task) {
  if (slots <= 1 || tasks <= 1) {
    for (std::size_t index = 0; index < tasks; ++index) task(index, 0);
    return;
  }
  // A slot is left only when no task is, so that a thread that takes a second one finds nothing to do there.
  std::atomic<std::size_t> next{0};
  const auto fill_slot = [&](std::size_t slot) {
    acquire(&next);
    for (std::size_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) task(index, slot);
    release(&next);
  };
  release(&next);
  // The batch is solved even if the task group that the caller belongs to is cancelled.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  // One of the caller's other tasks might call the same solver.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, slots, fill_slot, tbb::simple_partitioner(), context); });
  acquire(&next);
}

}  // namespace carom
