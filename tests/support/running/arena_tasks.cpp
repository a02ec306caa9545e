#include "support/running/arena_tasks.hpp"

#include <tbb/parallel_for.h>

#include "core/threads/happens_before.hpp"

namespace carom::support {

void run_loop(tbb::task_arena& arena, std::size_t turns, const std::function<void(std::size_t)>& turn) {
  release(&arena);
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, turns, [&](std::size_t index) {
      acquire(&arena);
      turn(index);
      release(&arena);
    });
  });
  acquire(&arena);
}

void run_in_cancelled_group(tbb::task_arena& arena, const std::function<void()>& work) {
  arena.execute([&] {
    tbb::task_group_context group;
    const auto cancel_and_work = [&](int) {
      group.cancel_group_execution();
      work();
    };
    tbb::parallel_for(0, 1, cancel_and_work, tbb::simple_partitioner(), group);
  });
}

void hand_over(tbb::task_arena& arena, const std::function<void()>& task) {
  release(&arena);
  arena.enqueue([&arena, &task] {
    acquire(&arena);
    task();
  });
}

}  // namespace carom::support
