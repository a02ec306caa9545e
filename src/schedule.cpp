#include "schedule.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace carom {

struct Schedule::Arena {
  tbb::task_arena arena;
};

Schedule::Schedule(int threads) : threads_(threads > 0 ? threads : tbb::this_task_arena::max_concurrency()) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(Arena{tbb::task_arena(threads_)});
}

Schedule::~Schedule() = default;

void Schedule::run(std::size_t tiles, const std::function<void(std::size_t, std::size_t)>& task) {
  if (!arena_ || tiles <= 1) {
    for (std::size_t tile = 0; tile < tiles; ++tile) task(tile, 0);
    return;
  }
  arena_->arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t tile) {
      task(tile, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    });
  });
}

}  // namespace carom
