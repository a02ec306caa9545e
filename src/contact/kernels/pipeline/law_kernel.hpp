// The pipeline of the algebraic laws, for any ISA and precision. The contacts of a range go through its stages a tile
// at a time:
//
//   load                               law_call.hpp; stages/staged_columns.hpp
//   frame, collision matrix, validate  law_stages.hpp; validate_law.hpp, law_parameters.hpp
//   law                                apply.hpp; the laws themselves in laws/algebraic/
//   impulse, store                     store_law.hpp
//
// Most contacts of the simplest laws skip the stages: direct.hpp.
#pragma once

#include "apply.hpp"
#include "law_groups.hpp"
#include "store_law.hpp"
#include "tile_results.hpp"
#include "validate_law.hpp"

namespace carom::kernel {
namespace {

/// The stages after load, for the contacts of a tile. `Form`: the pointers by which they read contacts, for indexed
/// contacts too.
template <class A, class T, class Form>
class TileStages {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  static constexpr bool has_bodies = !requires(const Form& c) { c.separation_velocity; };

  /// `columns`: inputs that only some laws read.
  TileStages(const Form& contacts, const LawColumns<T>& columns, const Parameters<T>& parameters,
             const Components<T>& given, LawTile<T>& tile, const ResultPointers<T, 3>& results, Tally& tally,
             bool indexed)
      : contacts_(contacts),
        columns_(columns),
        tile_(tile),
        stages_{tile},
        validation_{tile, parameters},
        applier_(tile, given, has_bodies),
        finish_{tile, results, tally},
        direct_{parameters},
        indexed_(indexed),
        validates_restitution_law_(columns.restitution_law.data != nullptr) {}

  /// The laws of the contacts [first, first + count) of the batch, bits of Law.
  unsigned find_laws(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    finish_.in_batch = {first};
    unsigned present = 0;
    for (std::size_t slot = 0; slot < count; slot += width) {
      if (columns_.law.data != nullptr) validation_.find_laws(columns_, block_of(slot), slot);
      present |= tile_.laws[slot / width];
    }
    return present;
  }
  /// Does so once for all tiles of a batch whose contacts have one law, of up to `count` contacts each.
  void set_law(std::size_t count) {
    for (std::size_t slot = 0; slot < count; slot += width) validation_.find_laws(columns_, {}, slot);
  }

  /// The contacts of the tile in the batch, if they are not consecutive.
  void set_order(const TileContacts& in_batch) { finish_.in_batch = in_batch; }

  /// Sets the bytes of a block as in Layout if columns are read from the caller's blocks; else 0.
  void set_block_bytes(std::size_t bytes) { block_bytes_ = bytes; }

  /// Applies their laws to all contacts except direct_laws, which finish() handles.
  void apply_laws() {
    pass_stages(0, count_);
    applier_.apply(first_, count_);
  }

  /// Finishes a vector of contacts. Stores all of them, or without `all` the contacts of other laws than the
  /// incremental one. `staged`: the vector has been through the stages.
  [[gnu::noinline]] void finish(std::size_t slot, bool all, bool staged) {
    const WholeBlock block = whole_block(slot);
    const Block lanes = block_of(slot);
    const unsigned own = all ? lanes.lanes : own_lanes(lanes, slot);
    if ((tile_.laws[slot / width] & direct_laws) != 0) return finish_direct(block, slot, own, staged);
    finish_.template finish<has_bodies>(slot, own);
    if constexpr (has_bodies) finish_.move_bodies(contacts_, block, slot);
  }

 private:
  /// A vector with contacts of direct_laws.
  [[gnu::flatten]] void finish_direct(WholeBlock block, std::size_t slot, unsigned own, bool staged) {
    const unsigned known = validates_restitution_law_ ? own & lane_bits(has_restitution_law(slot)) : own;
    const B law = load_lanes<B>(tile_.law + slot);
    auto solved = direct_.solve(contacts_, block, law, load_tangential_restitution(slot));
    if (has_bodies && indexed_) solved.plain = solved.plain && load_lanes<B>(tile_.index_fault + slot) == B(0);
    if (staged) solved.plain = solved.plain && has_direct_law(law);
    const unsigned lanes = lane_bits(solved.plain) & known;
    if (lanes != own) [[unlikely]] {
      if (known != own) solved.plain = solved.plain && has_restitution_law(slot);
      if (!staged) pass_stages(slot, slot + width);
      applier_.apply_direct(slot);
      finish_.template finish<has_bodies>(slot, own & ~lanes);
    }
    const Vector3<B> p = finish_.finish(solved, slot, lanes, lanes == own);
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
    return Validator<A, T>::laws(columns_, block_of(slot), last) <= B(static_cast<T>(last));
  }

  B load_tangential_restitution(std::size_t slot) const {
    const auto& column = columns_.tangential_restitution;
    if ((tile_.laws[slot / width] & (bit_of(Law::chatterjee_ruina) | bit_of(Law::bilinear))) == 0) return B(0);
    if (column.data == nullptr) return B(static_cast<T>(__builtin_nan("")));
    return Loader<A, T>::load(column, block_of(slot));
  }

  /// The stages before the law, of the vectors from slot `begin` on. A stage passes over all of them before the next
  /// one begins, see law_stages.hpp.
  [[gnu::noinline]] void pass_stages(std::size_t begin, std::size_t end) {
    const auto for_each_block = [&](auto&& f) __attribute__((always_inline)) {
      for (std::size_t slot = begin; slot < end; slot += width) f(whole_block(slot), slot);
    };
    if constexpr (has_bodies) {
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.frame(contacts_, block, slot); });
      for_each_block([&](WholeBlock block, std::size_t slot) { stages_.inertia(contacts_, block, slot); });
    }
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.matrix(contacts_, block, slot); });
    for_each_block([&](WholeBlock block, std::size_t slot) { stages_.approach(contacts_, block, slot); });
    for_each_block([&](WholeBlock block, std::size_t slot) {
      validation_.validate(contacts_, columns_, block_of(slot), block, slot, indexed_);
    });
  }

  WholeBlock whole_block(std::size_t slot) const { return {offset_of<T>(slot, block_bytes_)}; }
  Block block_of(std::size_t slot) const { return block_at<width>(first_ + slot, first_ + count_); }

  /// Returns the lanes of a block without contacts of the incremental law, which another kernel solves.
  unsigned own_lanes(const Block& block, std::size_t slot) const {
    unsigned lanes = block.lanes;
    for_each_bit(block.lanes, [&](std::size_t lane) {
      if (tile_.law[slot + lane] == T(Law::incremental)) lanes &= ~(1u << lane);
    });
    return lanes;
  }

  const Form& contacts_;
  const LawColumns<T>& columns_;
  LawTile<T>& tile_;
  std::size_t first_ = 0, count_ = 0;  // of the tile, in the batch
  std::size_t block_bytes_ = 0;
  LawStages<A, T> stages_;
  LawValidation<A, T> validation_;
  LawApplier<A, T> applier_;
  LawFinish<A, T> finish_;
  DirectLaws<A, T> direct_;
  const bool indexed_;
  const bool validates_restitution_law_;  // of contacts of direct_laws
};

template <class A, class T, class Form>
class AlgebraicPipeline {
  using B = typename LaneTypes<A, T>::Batch;
  using Stages = TileStages<A, T, Form>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  AlgebraicPipeline(const LawCall<T, 3>& call, const Workspace<T>& workspace, Tally& tally)
      : call_(call),
        tile_(*workspace.law),
        grouped_(call.columns.law.data != nullptr && comes_in_groups(call.laws)),
        fetches_(call.layout.prefetch && (call.source.indexed || call.source.count > few_columns)),
        copies_(fetches_ && call.source.count > few_columns),
        groups_(grouped_ ? workspace.group : nullptr, call),
        columns_(call.source, tile_),
        results_(call.results, tile_),
        stages_(from_, groups_.own(), groups_.parameters, groups_.components, tile_, results_.to, tally,
                call.source.indexed) {}

  void solve(std::size_t first, std::size_t end) {
    columns_.begin_range(end - first);
    copies_ = copies_ || (end - first > 4 * small_tile && call_.source.collides());
    if (grouped_) return solve_groups(first, end);
    const std::size_t at_once = end - first <= small_tile ? small_tile : this->at_once();
    if (call_.columns.law.data == nullptr) stages_.set_law(end - first < at_once ? end - first : at_once);
    results_.begin_range(first, end - first, call_.layout.stream);
    const std::size_t aligned = first + before_line(first, end - first);
    const auto solve_tiles = [&](std::size_t begin, std::size_t until) {
      for_each_tile<width>(begin, until, at_once, [&](std::size_t i, std::size_t count) { solve_tile(i, count); });
    };
    solve_tiles(first, aligned);
    solve_tiles(aligned, end);
    results_.end_range(end);
  }

 private:
  // Fits into the first-level cache.
  static constexpr std::size_t small_tile = 256 / sizeof(T);
  // The processor prefetches this many columns by itself. Although their lines start at the same offset in a page, they
  // stay in the first-level cache until all of their contacts have been read.
  static constexpr std::size_t few_columns = 16;

  /// Slow contacts of an iterative law are collected from many; columns that are used in place need no tile.
  std::size_t at_once() const {
    const bool iterates = (call_.laws & iterative_laws) != 0;
    const bool in_place =
        (call_.laws & ~direct_laws) == 0 && !fetches_ && !copies_ && call_.source.is_in_place() && results_.is_dense();
    return iterates || in_place ? LawTile<T>::size : fetches_ ? 2 * small_tile : small_tile;
  }

  /// Number of contacts from `first` on before the next cache line of the first column starts. The columns of most
  /// callers start at the same offset in a line, so vectors of the contacts behind it do not need two lines.
  std::size_t before_line(std::size_t first, std::size_t count) const {
    const Strided<T>& column = call_.source.columns[0];
    if (width == 1 || count < 2048 || call_.layout.block_bytes != 0 || !is_contiguous(column)) return 0;
    return (64 - reinterpret_cast<std::size_t>(&element(column, first)) % 64) % 64 / sizeof(T);
  }

  /// Returns whether grouping is faster than several laws in the lanes of a vector: contacts between bodies have so
  /// many columns that grouping them only pays for the direct laws, which skip the stages.
  static bool comes_in_groups(unsigned laws) {
    const bool direct = (laws & direct_laws) != 0, others = (laws & ~direct_laws & ~bit_of(Law::incremental)) != 0;
    const bool iterative = (laws & iterative_laws) != 0;
    return others && (Stages::has_bodies ? direct : iterative && (laws & (laws - 1)) != 0);
  }

  [[gnu::noinline]] void solve_tile(std::size_t first, std::size_t count) {
    const bool whole = count % width == 0;
    const unsigned present = stages_.find_laws(first, count);
    if (present == bit_of(Law::incremental)) return;
    const bool all = (present & bit_of(Law::incremental)) == 0;
    const bool staged = (present & ~direct_laws) != 0, fetches = fetches_ && whole;
    load(first, count, staged || copies_);
    results_.begin_tile(first, whole && all);
    apply_and_finish(first, count, all, staged, fetches);
    if (!all)
      for (std::size_t i = 0; i < count; ++i)
        tile_.own[i] = tile_.law[i] == T(Law::incremental) ? skipped : static_cast<std::uint32_t>(i);
    results_.end_tile({first, count, all ? nullptr : tile_.own, 0});
  }

  [[gnu::noinline]] void apply_and_finish(std::size_t first, std::size_t count, bool all, bool staged, bool fetches) {
    stages_.set_block_bytes(columns_.block_bytes());
    if (staged) stages_.apply_laws();
    for (std::size_t slot = 0; slot < count; slot += width) {
      if (fetches) columns_.fetch(first, count, slot / width, count / width);
      if (fetches && call_.source.packed != nullptr) columns_.fetch_bodies(first, count, slot / width, count / width);
      stages_.finish(slot, all, staged);
    }
  }

  [[gnu::noinline]] void load(std::size_t first, std::size_t count, bool copied) {
    columns_.load(first, count, copied);
    columns_.point(from_);
  }

  /// Solves a batch with a law for every contact, one law after the other. All direct_laws form one group.
  void solve_groups(std::size_t first, std::size_t end) {
    results_.begin_range(first, end - first, false);
    for (std::size_t i = first; i < end; i += GroupTile<T>::size) {
      groups_.sort(i, end - i < GroupTile<T>::size ? end - i : GroupTile<T>::size);
      columns_.set_order(i, groups_.order());
      for (std::size_t group = 0; group < groups_.count; ++group) {
        if (!groups_.begin(group)) continue;
        if (groups_.own().law.data == nullptr) stages_.set_law(small_tile);
        for_each_tile<width>(groups_.first(group), groups_.end(group), small_tile,
                             [&](std::size_t k, std::size_t count) { solve_grouped(k, count); });
      }
    }
  }

  [[gnu::noinline]] void solve_grouped(std::size_t k, std::size_t count) {
    load(k, count, true);
    groups_.gather(columns_.picked());
    const bool staged = (stages_.find_laws(0, count) & ~direct_laws) != 0;
    results_.begin_tile(0, false);
    const Picked picked = {columns_.picked().first, count, groups_.order() + k, 0};
    stages_.set_order({picked.first, picked.list});
    apply_and_finish(0, count, true, staged, false);
    results_.end_tile(picked);
  }

  const LawCall<T, 3>& call_;
  LawTile<T>& tile_;
  const bool grouped_;  // contacts of a law are solved together
  // fetches_: columns are larger than the caches and are prefetched. copies_: columns are read from a copy, because
  // they are prefetched and many, or because they evict each other.
  const bool fetches_;
  bool copies_;
  Groups<T> groups_;
  StagedColumns<A, T> columns_;
  TileResults<A, T, 3> results_;
  Form from_;
  Stages stages_;
};

template <class A, class T, class Form>
[[gnu::noinline]] void solve_call(const LawCall<T, 3>& call, std::size_t first, std::size_t end,
                                  const Workspace<T>& workspace, Tally& tally) {
  AlgebraicPipeline<A, T, Form>(call, workspace, tally).solve(first, end);
}

template <class A, class T, template <class> class AnyContacts>
void solve_algebraic(const Job<T, AnyContacts>& job, std::size_t first, std::size_t count,
                     const Workspace<T>& workspace, Tally& tally) {
  LawCall<T, 3> call(job);
  if (job.layout.prefetch) call.fetch_beside(job);
  // Lists of the columns would take longer to make than such contacts to come.
  if (count < LaneTypes<A, T>::width && job.contacts.laws.law.data == nullptr && job.layout.block_bytes == 0)
    bring_few<A>(job.contacts, first, count, call.source, *workspace.law);
  else
    for_each_column(job.contacts, [&](const Column<const T>& column) { call.source.add(column); });
  solve_call<A, T, typename PointersOf<T, AnyContacts<T>>::Type>(call, first, first + count, workspace, tally);
  leave_lanes<A>();
}

template <class A>
inline constexpr Kernels algebraic_kernels = Kernels::of([]<class T, template <class> class AnyContacts>() {
  return &solve_algebraic<A, T, AnyContacts>;
});

}  // namespace
}  // namespace carom::kernel
