// In a build without oneTBB: the calling thread does everything, unless it has a scheduler.
#include "schedule.hpp"

namespace carom {

std::size_t arena_room() {
  return 1;
}

void run_in_arena(std::size_t pieces, CallThreads::Run run, void* work) {
  for (std::size_t piece = 0; piece < pieces; ++piece) run(work, piece);
}

}  // namespace carom
