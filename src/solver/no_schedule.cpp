// In a build without oneTBB: the calling thread does everything.
#include "schedule.hpp"

namespace carom {

std::size_t threads_here(int) {
  return 1;
}

void run_tasks(std::size_t tasks, std::size_t, const std::function<void(std::size_t, std::size_t)>& task) {
  for (std::size_t index = 0; index < tasks; ++index) task(index, 0);
}

}  // namespace carom
