#include "parallel.hpp"

#ifdef CAROM_BULLET_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#endif

namespace carom::bullet {

#ifdef CAROM_BULLET_TBB

void Parallel::run(std::size_t count, std::size_t grain, Task task, const void* context) const {
  const int room = tbb::this_task_arena::max_concurrency();
  const int threads = threads_ == 0 ? room : std::min(threads_, room);
  if (threads == 1) return task(context, 0, count);
  std::atomic<std::size_t> next{0};
  const auto take_part = [&](int) {
    for (std::size_t first; (first = next.fetch_add(grain, std::memory_order_relaxed)) < count;)
      task(context, first, std::min(first + grain, count));
  };
  // A step ends even if the task group that the caller belongs to is cancelled, and meanwhile its thread takes none of
  // the caller's other tasks, which might step the same world. All threads round as the caller's does.
  using Group = tbb::task_group_context;
  Group group(Group::isolated, Group::default_traits | Group::fp_settings);
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, threads, take_part, tbb::simple_partitioner(), group); });
}

#else

void Parallel::run(std::size_t count, std::size_t, Task task, const void* context) const {
  task(context, 0, count);
}

#endif

}  // namespace carom::bullet
