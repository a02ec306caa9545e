// The pipeline of the laws without a course, for any ISA and precision. The contacts of a range go through its stages a
// tile at a time:
//
//   1 load                                   staging.hpp
//   3 frame, 4 collision matrix, 2 validate  stages.hpp; judge.hpp, parameters.hpp
//   5 law                                    apply.hpp, the laws themselves in headers of their own
//   6 impulse, 7 store                       finish.hpp
#pragma once

#include "apply.hpp"
#include "finish.hpp"
#include "judge.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts>
class AlgebraicPipeline {
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool has_bodies = !requires(const Contacts<T>& c) { c.separation_velocity; };
  static constexpr bool indexed = requires(const Contacts<T>& c) { c.body_a; };

 public:
  AlgebraicPipeline(const Job<T, Contacts>& job, LawTile<T>& tile, Tally& tally)
      : job_(job),
        tile_(tile),
        contacts_(job.contacts, job.layout, tile),
        results_(job.results, tile),
        stages_{tile},
        judge_{tile, job.parameters},
        applier_(tile, job.members, has_bodies),
        finish_{tile, results_.results(), tally} {}

  void solve(std::size_t first, std::size_t end) {
    results_.begin_range(first, job_.layout.stream);
    const std::size_t whole = first + (end - first) / width * width;
    for (std::size_t i = first; i < whole; i += at_once) {
      const std::size_t next = whole - i < at_once ? whole : i + at_once;
      if (job_.layout.prefetch) contacts_.expect(next, whole - next < at_once ? whole - next : at_once);
      solve_tile(i, next - i);
    }
    if (whole < end) solve_tile(whole, end - whole);
    results_.end_range(end);
  }

 private:
  // Few enough for the first-level cache.
  static constexpr std::size_t small_tile = 256 / sizeof(T);
  static constexpr std::size_t stages = has_bodies ? 8 : 5;

  void solve_tile(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    const bool whole = count % width == 0;
    unsigned present = 0;
    for (std::size_t slot = 0; slot < count; slot += width) {
      judge_.find_laws(job_.contacts, block_of(slot), slot);
      present |= tile_.laws[slot / width];
    }
    if (present == bit_of(Law::incremental)) return;
    const bool all = (present & bit_of(Law::incremental)) == 0;
    contacts_.fill(first, count);
    results_.begin_tile(first, whole && all);
    const auto& contacts = contacts_.contacts();
    if constexpr (has_bodies) {
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.frame(contacts, block, slot); });
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.inertia(contacts, block, slot); });
    }
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.matrix(contacts, block, slot); });
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.approach(contacts, block, slot); });
    for_each_block(
        [&](WholeBlock block, std::size_t slot) { judge_.judge(contacts, block_of(slot), block, slot, indexed); });
    applier_.apply(first, count);
    for_each_block([&](WholeBlock, std::size_t slot) {
      const Block block = block_of(slot);
      finish_.template finish<has_bodies>(slot, block.first, all ? block.lanes : own_lanes(block, slot));
    });
    if constexpr (has_bodies)
      for_each_block([&](WholeBlock block, std::size_t slot) { finish_.move_bodies(contacts, block, slot); });
    results_.end_tile(first, count, all, [&](std::size_t i) { return tile_.law[i] != T(Law::incremental); });
  }

  Block block_of(std::size_t slot) const { return block_at<width>(first_ + slot, first_ + count_, {}); }

  /// Those without the contacts of the incremental law, which another kernel solves.
  unsigned own_lanes(const Block& block, std::size_t slot) const {
    unsigned lanes = block.lanes;
    for_each_bit(block.lanes, [&](std::size_t lane) {
      if (tile_.law[slot + lane] == T(Law::incremental)) lanes &= ~(1u << lane);
    });
    return lanes;
  }

  template <class F>
  [[gnu::always_inline]] void for_each_block(F&& f) {
    for (std::size_t slot = 0; slot < count_; slot += width) {
      if (job_.layout.prefetch) contacts_.fetch(stages * at_once / width);
      f(contacts_.block(slot), slot);
    }
  }

  const Job<T, Contacts>& job_;
  LawTile<T>& tile_;
  std::size_t first_ = 0, count_ = 0;  // of the tile, in the batch
  StagedContacts<A, T, Contacts> contacts_;
  StagedResults<T> results_;
  LawStages<A, T> stages_;
  LawJudge<A, T> judge_;
  LawApplier<A, T> applier_;
  LawFinish<A, T> finish_;
  // Iterative laws among others want many contacts to choose from.
  const std::size_t at_once =
      (job_.laws & iterative_laws) != 0 && (job_.laws & (job_.laws - 1)) != 0 ? LawTile<T>::size : small_tile;
};

template <class A, class T, template <class> class Contacts>
void solve_algebraic(const Job<T, Contacts>& job, std::size_t first, std::size_t count, Workspace<T>& workspace,
                     Tally& tally) {
  AlgebraicPipeline<A, T, Contacts>(job, workspace.law, tally).solve(first, first + count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr KernelsFor<T> algebraic_kernels_for() {
  return {&solve_algebraic<A, T, InlineContacts>, &solve_algebraic<A, T, IndexedContacts>,
          &solve_algebraic<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
