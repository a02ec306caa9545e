// Tasks in an arena of the host's. In a file of their own, which the thread sanitizer does not look into, for it can't
// know what oneTBB orders; the file tells it.
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
