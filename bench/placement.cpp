#include "placement.hpp"

#include <pthread.h>
#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace carom::bench {
namespace {

std::string siblings_of(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  std::string siblings;
  if (!std::getline(file, siblings)) siblings = std::to_string(cpu);
  return siblings;
}

std::vector<int> first(std::vector<int> cpus, int most) {
  cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(most)));
  return cpus;
}

}  // namespace

std::vector<int> cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {};
  std::vector<int> found;
  std::vector<std::string> seen;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    const std::string siblings = siblings_of(cpu);
    if (std::find(seen.begin(), seen.end(), siblings) != seen.end()) continue;
    seen.push_back(siblings);
    found.push_back(cpu);
  }
  return found;
}

void PinnedThreads::Pinner::on_scheduler_entry(bool) {
  const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  if (slot >= cpus_.size()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus_[slot], &one);
  pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

PinnedThreads::PinnedThreads(int most)
    : cpus_(first(cores(), most)),
      workers_(tbb::global_control::max_allowed_parallelism, std::max<std::size_t>(cpus_.size(), 1)),
      arena_(std::max(count(), 1)),
      pinner_(arena_, cpus_) {
  // Each thread waits for the others, so that each takes one of the tasks.
  std::atomic<int> arrived{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  arena_.execute([&] {
    tbb::parallel_for(
        0, count(), 1,
        [&](int) {
          ++arrived;
          while (arrived < count() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
  if (std::chrono::steady_clock::now() >= deadline) throw std::runtime_error("oneTBB offers no worker to pin");
}

std::string PinnedThreads::description() const {
  std::string text;
  for (const int cpu : cpus_) text += (text.empty() ? "caller on CPU " : ", worker on CPU ") + std::to_string(cpu);
  return text.empty() ? "not pinned" : text;
}

}  // namespace carom::bench
