#include "schedule.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef CAROM_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace carom {
namespace {

// What happened before a release is seen after an acquire: oneTBB guarantees it, these tell the thread sanitizer.
#ifdef CAROM_THREAD_SANITIZER
void acquire(void* address) {
  __tsan_acquire(address);
}
void release(void* address) {
  __tsan_release(address);
}
#else
void acquire(void*) {}
void release(void*) {}
#endif

}  // namespace

struct Schedule::Arena {
  tbb::task_arena arena;
};

Schedule::Schedule(int threads) : threads_(threads > 0 ? threads : tbb::this_task_arena::max_concurrency()) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(Arena{tbb::task_arena(threads_)});
}

Schedule::~Schedule() = default;

void Schedule::run(std::size_t tasks, const std::function<void(std::size_t, std::size_t)>& task) {
  if (!arena_ || tasks <= 1) {
    for (std::size_t index = 0; index < tasks; ++index) task(index, 0);
    return;
  }
  release(this);
  arena_->arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, tasks, [&](std::size_t index) {
      acquire(this);
      task(index, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
      release(this);
    });
  });
  acquire(this);
}

}  // namespace carom
