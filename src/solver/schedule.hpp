// Spreads tasks over the threads of the oneTBB arena that the calling thread is in. In a build without oneTBB
// no_schedule.cpp stands in for schedule.cpp, and the calling thread is alone.
#pragma once

#include <cstddef>
#include <functional>

namespace carom {

/// How many threads, the calling one included, can share a call that is made here: as many as its arena has room for,
/// but no more than `limit` unless that is 0.
std::size_t threads_here(int limit);

/// Calls task(index, slot) for every index below `tasks`, on at most `slots` threads, each of which has a slot below
/// `slots` to itself. On the calling thread alone if there is one task or one slot. Meanwhile the calling thread takes
/// no other task of its arena. What a task throws reaches the caller.
void run_tasks(std::size_t tasks, std::size_t slots,
               const std::function<void(std::size_t index, std::size_t slot)>& task);

}  // namespace carom
