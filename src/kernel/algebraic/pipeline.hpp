// The pipeline of the laws without a course, for any ISA and precision. The contacts of a range go through its stages a
// tile at a time:
//
//   1 load                                   staging.hpp
//   3 frame, 4 collision matrix, 2 validate  stages.hpp; judge.hpp, parameters.hpp
//   5 law                                    apply.hpp, the laws themselves in headers of their own
//   6 impulse, 7 store                       finish.hpp
//
// Most contacts of the simplest laws need none of that: direct.hpp.
#pragma once

#include "apply.hpp"
#include "finish.hpp"
#include "judge.hpp"

namespace carom::kernel {
namespace {

/// The stages after the first, over the contacts of a tile: whole vectors with bodies of their own, or with none. The
/// same for inline and for indexed contacts, which load makes alike.
template <class A, class T, class Form>
class TileStages {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool has_bodies = !requires(const Form& c) { c.separation_velocity; };

 public:
  TileStages(const Form& contacts, const Parameters<T>& parameters, const Members<T>& given, LawTile<T>& tile,
             const Results<T>& results, Tally& tally, bool indexed)
      : contacts_(contacts),
        tile_(tile),
        stages_{tile},
        judge_{tile, parameters},
        applier_(tile, given, has_bodies),
        finish_{tile, results, tally},
        direct_{parameters},
        indexed_(indexed),
        judges_restitution_law_(contacts.restitution_law.data != nullptr && parameters.validate) {}

  /// The laws of the contacts [first, first + count) of the batch, bits of Law.
  unsigned find_laws(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    unsigned present = 0;
    for (std::size_t slot = 0; slot < count; slot += width) {
      if (contacts_.law.data != nullptr) judge_.find_laws(contacts_, block_of(slot), slot);
      present |= tile_.laws[slot / width];
    }
    return present;
  }
  /// Does so once for all tiles of a batch whose contacts have one law.
  void set_law() {
    for (std::size_t slot = 0; slot < LawTile<T>::size; slot += width) judge_.find_laws(contacts_, {}, slot);
  }

  /// To all contacts but those of direct_laws, which finish applies.
  [[gnu::noinline]] void apply_laws(std::size_t block_bytes) {
    const auto for_each_block = [&](auto&& f) {
      for (std::size_t slot = 0; slot < count_; slot += width) f(WholeBlock{offset_of<T>(slot, block_bytes)}, slot);
    };
    if constexpr (has_bodies) {
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.frame(contacts_, block, slot); });
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.inertia(contacts_, block, slot); });
    }
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.matrix(contacts_, block, slot); });
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.approach(contacts_, block, slot); });
    for_each_block(
        [&](WholeBlock block, std::size_t slot) { judge_.judge(contacts_, block_of(slot), block, slot, indexed_); });
    applier_.apply(first_, count_);
  }

  /// A vector of contacts, of which `all` or those of other laws than the incremental one are stored. `staged`: it has
  /// been through the stages.
  [[gnu::noinline]] void finish(WholeBlock block, std::size_t slot, bool all, bool staged) {
    const Block lanes = block_of(slot);
    const unsigned own = all ? lanes.lanes : own_lanes(lanes, slot);
    if ((tile_.laws[slot / width] & direct_laws) != 0) return finish_direct(block, slot, own, staged);
    finish_.template finish<has_bodies>(slot, lanes.first, own);
    if constexpr (has_bodies) finish_.move_bodies(contacts_, block, slot);
  }

 private:
  /// A vector with contacts of direct_laws.
  [[gnu::flatten]] void finish_direct(WholeBlock block, std::size_t slot, unsigned own, bool staged) {
    const unsigned known = judges_restitution_law_ ? own & lane_bits(has_restitution_law(slot)) : own;
    const B law = load_lanes<B>(tile_.law + slot);
    auto solved = direct_.solve(contacts_, block, law, load_tangential_restitution(slot));
    if (has_bodies && indexed_) solved.plain = solved.plain && load_lanes<B>(tile_.index_fault + slot) == B(0);
    if (staged) solved.plain = solved.plain && has_direct_law(law);
    const unsigned lanes = lane_bits(solved.plain) & known;
    if (lanes != own) [[unlikely]] {
      if (known != own) solved.plain = solved.plain && has_restitution_law(slot);
      if (!staged) pass_stages(block, slot);
      applier_.apply_direct(slot);
      finish_.template finish<has_bodies>(slot, first_ + slot, own & ~lanes);
    }
    const Vector3<B> p = finish_.finish(solved, slot, first_ + slot, lanes, lanes == own);
    if constexpr (has_bodies) {
      if (lane_bits(solved.plain) == (1u << width) - 1) [[likely]]
        finish_.move_bodies(contacts_, block, slot, p, solved);
      else
        finish_.move_bodies(contacts_, block, slot, p, solved.plain);
    }
  }

  static Mask has_direct_law(B law) {
    const auto is = [&](Law one) { return law == B(static_cast<T>(one)); };
    return is(Law::frictionless) || is(Law::no_slip) || is(Law::chatterjee_ruina) || is(Law::bilinear);
  }

  [[gnu::noinline]] Mask has_restitution_law(std::size_t slot) const {
    constexpr auto last = RestitutionLaw::kinematic;
    return Validator<A, T>::laws(contacts_, block_of(slot), last) <= B(static_cast<T>(last));
  }

  B load_tangential_restitution(std::size_t slot) const {
    const auto& column = contacts_.tangential_restitution;
    if ((tile_.laws[slot / width] & (bit_of(Law::chatterjee_ruina) | bit_of(Law::bilinear))) == 0) return B(0);
    if (column.data == nullptr) return B(static_cast<T>(__builtin_nan("")));
    return Loader<A, T>::load_optional(column, block_of(slot));
  }

  [[gnu::noinline]] void pass_stages(WholeBlock block, std::size_t slot) {
    if constexpr (has_bodies) {
      stages_.frame(contacts_, block, slot);
      stages_.inertia(contacts_, block, slot);
    }
    stages_.matrix(contacts_, block, slot);
    stages_.approach(contacts_, block, slot);
    judge_.judge(contacts_, block_of(slot), block, slot, indexed_);
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

  const Form& contacts_;
  LawTile<T>& tile_;
  std::size_t first_ = 0, count_ = 0;  // of the tile, in the batch
  LawStages<A, T> stages_;
  LawJudge<A, T> judge_;
  LawApplier<A, T> applier_;
  LawFinish<A, T> finish_;
  DirectLaws<A, T> direct_;
  const bool indexed_;
  const bool judges_restitution_law_;  // of contacts of direct_laws
};

template <class A, class T, template <class> class Contacts>
class AlgebraicPipeline {
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool indexed = requires(const Contacts<T>& c) { c.body_a; };

 public:
  AlgebraicPipeline(const Job<T, Contacts>& job, LawTile<T>& tile, Tally& tally)
      : job_(job),
        tile_(tile),
        contacts_(job.contacts, job.layout, tile),
        results_(job.results, tile),
        stages_(contacts_.contacts(), job.parameters, job.members, tile, results_.results(), tally, indexed) {
    if (job.contacts.law.data == nullptr) stages_.set_law();
  }

  void solve(std::size_t first, std::size_t end) {
    results_.begin_range(first, job_.layout.stream);
    const std::size_t whole = first + (end - first) / width * width;
    for (std::size_t i = first; i < whole; i += at_once) {
      const std::size_t next = whole - i < at_once ? whole : i + at_once;
      solve_tile(i, next - i);
    }
    if (whole < end) solve_tile(whole, end - whole);
    results_.end_range(end);
  }

 private:
  // Few enough for the first-level cache.
  static constexpr std::size_t small_tile = 256 / sizeof(T);

  void solve_tile(std::size_t first, std::size_t count) {
    const bool whole = count % width == 0;
    const unsigned present = stages_.find_laws(first, count);
    if (present == bit_of(Law::incremental)) return;
    const bool all = (present & bit_of(Law::incremental)) == 0;
    const bool staged = (present & ~direct_laws) != 0;
    contacts_.fill(first, count, staged || job_.layout.prefetch);
    results_.begin_tile(first, whole && all);
    if (staged) stages_.apply_laws(contacts_.block_bytes());
    for (std::size_t slot = 0; slot < count; slot += width) {
      if (job_.layout.prefetch && whole) contacts_.fetch(first, count, slot / width, count / width);
      stages_.finish(contacts_.block(slot), slot, all, staged);
    }
    results_.end_tile(first, count, all, [&](std::size_t i) { return tile_.law[i] != T(Law::incremental); });
  }

  const Job<T, Contacts>& job_;
  LawTile<T>& tile_;
  StagedContacts<A, T, Contacts> contacts_;
  StagedResults<T> results_;
  TileStages<A, T, typename StageForm<T, Contacts>::Type> stages_;
  // Iterative laws among others want many contacts to choose from; and what is used where it stands needs no tile.
  const std::size_t at_once = ((job_.laws & iterative_laws) != 0 && (job_.laws & (job_.laws - 1)) != 0) ||
                                      ((job_.laws & ~direct_laws) == 0 && !job_.layout.prefetch && !indexed)
                                  ? LawTile<T>::size
                                  : small_tile;
};

}  // namespace
}  // namespace carom::kernel
