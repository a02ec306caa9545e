#include "thread_team.hpp"

#include <algorithm>
#include <exception>

#include "patience.hpp"

namespace carom::scene {

void ThreadTeam::Memory::reserve(std::size_t slots) {
  if (slots > slots_.size() && slots > 1) slots_ = Array<Slot>(slots);
}

ThreadTeam::ThreadTeam(CallThreads& threads, std::size_t slots, Memory& memory)
    : slots_(slots), threads_(&threads), memory_(memory.slots_.data()), has_helpers_(threads.run_at_once()) {
  for (std::size_t s = 0; s < slots; ++s) {
    Slot& slot = memory_[s];
    slot.taken.store(0, std::memory_order_relaxed);
    slot.done.store(0, std::memory_order_relaxed);
    slot.thread.store(nullptr, std::memory_order_relaxed);
    slot.is_there.store(false, std::memory_order_relaxed);
    slot.has_worked.store(false, std::memory_order_relaxed);
  }
}

void ThreadTeam::gather(CallThreads& threads, std::size_t slots, Memory& memory,
                        const std::function<void(ThreadTeam&)>& work) {
  if (slots <= 1) {
    ThreadTeam alone;
    work(alone);
    return;
  }
  ThreadTeam team(threads, slots, memory);
  if (!team.has_helpers_) {
    team.note_thread();
    work(team);
    return;
  }
  struct Work {
    ThreadTeam& team;
    const std::function<void(ThreadTeam&)>& work;
    Memory& memory;
    const void* caller = number_of_this_thread();
    std::exception_ptr thrown = {};
  } all{team, work, memory};
  threads.run_pieces(
      slots,
      [](void* of, std::size_t) {
        Work& in = *static_cast<Work*>(of);
        const std::size_t slot = in.team.slot_of(number_of_this_thread() == in.caller, in.memory);
        if (slot > 0) return in.team.help(slot);
        in.team.memory_[0].has_worked.store(true, std::memory_order_relaxed);
        try {
          in.work(in.team);
        } catch (...) {
          in.thrown = std::current_exception();
        }
        in.team.over_.store(true, std::memory_order_release);
      },
      &all);
  if (all.thrown) std::rethrow_exception(all.thrown);
}

std::size_t ThreadTeam::slot_of(bool is_caller, Memory& memory) {
  // The calling thread has the data of the last call in its cache and should own the team. Other threads wait for it,
  // for some microseconds, unless it has not come in the last call.
  if (is_caller)
    memory.caller_comes_.store(true, std::memory_order_relaxed);
  else
    for (Patience patience; memory.caller_comes_.load(std::memory_order_relaxed) && !has_owner_.load();) {
      patience.wait();
      if (patience.is_long()) memory.caller_comes_.store(false, std::memory_order_relaxed);
    }
  // Nobody waits for a thread that does not come: without an owner any thread is the owner.
  return has_owner_.exchange(true) ? helpers_.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
}

int ThreadTeam::worked() const {
  int count = 0;
  for (std::size_t s = 0; s < slots_ && slots_ > 1; ++s)
    count += memory_[s].has_worked.load(std::memory_order_relaxed) ? 1 : 0;
  return std::max(1, count);
}

void ThreadTeam::note_thread() {
  const void* const here = number_of_this_thread();
  for (std::size_t s = 0; s < slots_; ++s) {
    const void* known = nullptr;
    if (memory_[s].thread.compare_exchange_strong(known, here, std::memory_order_relaxed)) {
      memory_[s].has_worked.store(true, std::memory_order_relaxed);
      return;
    }
    if (known == here) return;
  }
}

bool ThreadTeam::are_there(std::size_t slots) const {
  if (!has_helpers_) return false;
  for (std::size_t s = 1; s < slots; ++s)
    if (!memory_[s].is_there.load(std::memory_order_relaxed)) return false;
  return true;
}

void ThreadTeam::publish(const Loop& loop, std::uint64_t number) {
  Published& to = published_[number & 1u];
  to.count.store(loop.count, std::memory_order_release);
  to.grain.store(loop.grain, std::memory_order_release);
  to.slots.store(loop.slots, std::memory_order_release);
  to.kind.store(loop.kind, std::memory_order_release);
  to.task.store(loop.task, std::memory_order_release);
  to.context.store(loop.context, std::memory_order_release);
  number_.store(number, std::memory_order_release);
}

bool ThreadTeam::read(std::uint64_t number, Loop& loop) const {
  const Published& from = published_[number & 1u];
  loop.count = from.count.load(std::memory_order_acquire);
  loop.grain = from.grain.load(std::memory_order_acquire);
  loop.slots = from.slots.load(std::memory_order_acquire);
  loop.kind = from.kind.load(std::memory_order_acquire);
  loop.task = from.task.load(std::memory_order_acquire);
  loop.context = from.context.load(std::memory_order_acquire);
  // The loop after the next one is written only after the next one has got its number.
  return number_.load(std::memory_order_relaxed) == number;
}

void ThreadTeam::run(Loop loop) {
  loop.grain = std::max(loop.grain, (loop.count >> (range_bits - 1)) + 1);
  const std::uint64_t number = number_.load(std::memory_order_relaxed) + 1;
  if (!has_helpers_) return run_by_scheduler(loop, number);
  publish(loop, number);
  std::size_t own = work_on(loop, number, 0);
  for (Patience patience;; patience.wait()) {
    std::size_t done = own;
    for (std::size_t s = 1; s < loop.slots; ++s)
      if (memory_[s].done.load(std::memory_order_acquire) == number)
        done += memory_[s].items.load(std::memory_order_relaxed);
    if (done == loop.count) return;
    if (loop.kind == Kind::together) continue;
    for (std::size_t s = 1; s < loop.slots; ++s)
      if (patience.is_long() || !memory_[s].is_there.load(std::memory_order_relaxed))
        while (take(loop, number, s, 0, own)) {
        }
  }
}

void ThreadTeam::run_by_scheduler(const Loop& loop, std::uint64_t number) {
  number_.store(number, std::memory_order_relaxed);
  struct Work {
    ThreadTeam& team;
    const Loop& loop;
    std::uint64_t number;
  } all{*this, loop, number};
  threads_->run_pieces(
      loop.slots,
      [](void* of, std::size_t slot) {
        const Work& in = *static_cast<const Work*>(of);
        if (in.team.work_on(in.loop, in.number, slot, true) > 0) in.team.note_thread();
      },
      &all);
}

std::size_t ThreadTeam::work_on(const Loop& loop, std::uint64_t number, std::size_t slot, bool all) {
  std::size_t items = 0;
  while (take(loop, number, slot, slot, items)) {
  }
  if (all || loop.kind == Kind::balanced)
    for (std::size_t s = 1; s < loop.slots; ++s)
      while (take(loop, number, (slot + s) % loop.slots, slot, items)) {
      }
  return items;
}

bool ThreadTeam::take(const Loop& loop, std::uint64_t number, std::size_t of, std::size_t slot, std::size_t& items) {
  const std::size_t begin = loop.count * of / loop.slots, end = loop.count * (of + 1) / loop.slots;
  constexpr std::uint64_t ranges = (std::uint64_t{1} << range_bits) - 1;
  std::atomic<std::uint64_t>& taken = memory_[of].taken;
  std::uint64_t now = taken.load(std::memory_order_relaxed);
  std::size_t first = 0;
  do {
    // A thread that is late finds all ranges of its loop taken.
    if (now >> range_bits > number) return false;
    first = begin + (now >> range_bits == number ? now & ranges : 0) * loop.grain;
    if (first >= end) return false;
  } while (!taken.compare_exchange_weak(now, number << range_bits | ((first - begin) / loop.grain + 1),
                                        std::memory_order_relaxed));
  // The loop does not end until this range is done.
  const std::size_t last = std::min(first + loop.grain, end);
  loop.task(loop.context, first, last, slot);
  items += last - first;
  return true;
}

void ThreadTeam::await(std::size_t slot, std::uint32_t step) const {
  for (Patience patience; memory_[slot].reached.load(std::memory_order_acquire) < step;) patience.wait();
}

void ThreadTeam::help(std::size_t slot) {
  Slot& own = memory_[slot];
  own.is_there.store(true, std::memory_order_relaxed);
  std::uint64_t last = 0;
  for (Patience patience; !over_.load(std::memory_order_acquire);) {
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    Loop loop;
    if (number == last || !read(number, loop)) {
      patience.wait();
      continue;
    }
    last = number;
    patience = {};
    if (slot >= loop.slots) continue;
    const std::size_t items = work_on(loop, number, slot);
    if (items == 0) continue;
    own.has_worked.store(true, std::memory_order_relaxed);
    own.items.store(items, std::memory_order_relaxed);
    own.done.store(number, std::memory_order_release);
  }
}

}  // namespace carom::scene
