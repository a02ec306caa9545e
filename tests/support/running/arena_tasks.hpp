// Tasks in the caller's arena. In a separate file, which is compiled without the thread sanitizer: it cannot see the
// synchronisation in oneTBB, and this file declares it.
#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <functional>

namespace carom::support {

/// Calls turn(i) for every i below `turns`, on the threads of the arena.
void run_loop(tbb::task_arena& arena, std::size_t turns, const std::function<void(std::size_t)>& turn);

/// Calls work() in a task of a group that is cancelled by then.
void run_in_cancelled_group(tbb::task_arena& arena, const std::function<void()>& work);

/// Leaves the task, which must last until it has run, to the arena and returns.
void hand_over(tbb::task_arena& arena, const std::function<void()>& task);

}  // namespace carom::support
