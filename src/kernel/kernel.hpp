// The pipeline of a collision, for any ISA and precision. The contacts of a range go through its stages a tile at a
// time:
//
//   1 load, 2 validate, 3 frame, 4 collision matrix     prepare.hpp (load, validate, frame, collision_matrix.hpp)
//   5 law: sliding                                      sliding.hpp (Euler) or series.hpp
//   6 impulse; sticking and the diverging ray           impulse.hpp (Euler) or rays.hpp; sticking.hpp
//   7 store                                             store.hpp
//
// Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "prefetch.hpp"
#include "prepare.hpp"
#include "rays.hpp"
#include "sliding.hpp"
#include "store.hpp"

namespace carom::kernel {
namespace {

/// [R]'s integration, a step of impulse at a time.
struct EulerLaw {
  template <class A, class T, class Source>
  using Slider = EulerSlider<A, T, Source>;
  template <class A, class T>
  static Progress<typename LaneTypes<A, T>::Batch> end_of_collision(Tile<T>& tile, std::size_t slot) {
    return end_of_euler<A>(tile, slot);
  }
};

/// Exact to rounding.
struct SeriesLaw {
  template <class A, class T, class Source>
  using Slider = SeriesSlider<Twice<A>, T, Source>;
  template <class A, class T>
  static Progress<typename LaneTypes<A, T>::Batch> end_of_collision(Tile<T>& tile, std::size_t slot) {
    return end_of_series<A>(tile, slot);
  }
};

/// What must move with a contact that leaves its tile before it has ended: all that later stages read.
template <class T>
constexpr typename Tile<T>::Lane Tile<T>::*carried[] = {&Tile<T>::m1,
                                                        &Tile<T>::m2,
                                                        &Tile<T>::k1,
                                                        &Tile<T>::k2,
                                                        &Tile<T>::q1,
                                                        &Tile<T>::q2,
                                                        &Tile<T>::schur,
                                                        &Tile<T>::u0x,
                                                        &Tile<T>::u0y,
                                                        &Tile<T>::u0z,
                                                        &Tile<T>::friction,
                                                        &Tile<T>::restitution,
                                                        &Tile<T>::friction_step,
                                                        &Tile<T>::restitution_law,
                                                        &Tile<T>::a1,
                                                        &Tile<T>::a2,
                                                        &Tile<T>::b1,
                                                        &Tile<T>::b2,
                                                        &Tile<T>::c1,
                                                        &Tile<T>::c2,
                                                        &Tile<T>::c3,
                                                        &Tile<T>::normal_step,
                                                        &Tile<T>::velocity_unit,
                                                        &Tile<T>::impulse_unit,
                                                        &Tile<T>::t1x,
                                                        &Tile<T>::t1y,
                                                        &Tile<T>::t1z,
                                                        &Tile<T>::t2x,
                                                        &Tile<T>::t2y,
                                                        &Tile<T>::t2z,
                                                        &Tile<T>::nx,
                                                        &Tile<T>::ny,
                                                        &Tile<T>::nz,
                                                        &Tile<T>::wx,
                                                        &Tile<T>::wy,
                                                        &Tile<T>::wz};

/// Two tiles take turns. When the contacts of one have all been taken into the lanes, the other is stored and filled
/// with the next ones; what is still on its way there moves to the strays, so that no lane waits for the slowest
/// contact.
template <class Law, class A, class T, template <class> class Contacts>
class Pipeline {
 public:
  Pipeline(const Job<T, Contacts>& job, std::size_t first, std::size_t count, SlidingTiles<T>& workspace, Tally& tally)
      : job_(job), position_(first), end_(first + count), workspace_(workspace), tally_(tally) {
    for (Tile<T>& tile : workspace.tiles) tile.count = tile.blocks = tile.next_block = tile.waiting = 0;
    prefetcher_.add(job.contacts, job.layout);
    prefetcher_.add(job.results);
    for (std::size_t i = 0; i < tile_size<T>; ++i) free_strays_[i] = static_cast<std::uint32_t>(i);
  }

  void solve() {
    slider_.solve();
    for (Tile<T>& tile : workspace_.tiles) store(tile);
    tally_.lane_steps += slider_.lane_steps();
    tally_.sliding_steps += slider_.sliding_steps();
  }

  [[gnu::always_inline]] bool next(Place<T>& place) {
    if (current().waiting == 0 && !advance()) [[unlikely]]
      return false;
    Tile<T>& tile = current();
    place = {&tile, tile.next_block * width + static_cast<std::size_t>(__builtin_ctz(tile.waiting))};
    tile.waiting &= tile.waiting - 1;
    return true;
  }

  [[gnu::always_inline]] void done(Place<T> place) {
    if (place.tile == &workspace_.strays) [[unlikely]]
      store_stray(place.slot);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Tile<T>& current() { return workspace_.tiles[turn_]; }

  /// To the next contacts that collide; false: there are none left.
  [[gnu::noinline]] bool advance() {
    for (;;) {
      Tile<T>& tile = current();
      while (tile.next_block + 1 < tile.blocks) {
        if (const std::size_t i = position_ + tile.next_block * width; i < end_) prefetcher_.fetch(i, width);
        tile.waiting = tile.colliding[++tile.next_block];
        if (tile.waiting != 0) return true;
      }
      if (position_ == end_) return false;
      turn_ = 1 - turn_;
      store(current());
      prepare(current());
      if (current().waiting != 0) return true;
    }
  }

  Block block_of(const Tile<T>& tile, std::size_t slot) const {
    Block block = block_at<width>(tile.first + slot, tile.first + tile.count, job_.layout);
    if (job_.contacts.law.data != nullptr || job_.selection != Selection::own)
      block.lanes = incremental_lanes(job_.contacts, job_.parameters.law, job_.selection, block);
    return block;
  }

  void prepare(Tile<T>& tile) {
    tile.first = position_;
    tile.count = end_ - position_ < tile_size<T> ? end_ - position_ : tile_size<T>;
    position_ += tile.count;
    Preparer<A, T> preparer{job_.parameters, tile};
    tile.blocks = 0;
    for (std::size_t slot = 0; slot < tile.count; slot += width) {
      // What has come early may have been displaced from the first-level cache again.
      if (const std::size_t i = tile.first + slot + 2 * width; i < end_) prefetcher_.fetch(i, width);
      unsigned& colliding = tile.colliding[tile.blocks++];
      const Block block = block_of(tile, slot);
      if (block.lanes == 0)
        colliding = 0;
      else if constexpr (requires { job_.contacts.separation_velocity; })
        colliding = preparer.prepare_space(job_.contacts, block, slot);
      else
        colliding = preparer.prepare_bodies(job_.contacts, block, slot);
    }
    tile.next_block = 0;
    tile.waiting = tile.colliding[0];
  }

  void store(Tile<T>& tile) {
    slider_.relocate(&tile, [&](Place<T> from) { return make_stray(from); });
    Storer<Law, A, T> storer{job_.parameters.scalar_sticking, tile, {job_.results, tally_}};
    for (std::size_t slot = 0; slot < tile.count; slot += width)
      if (const Block block = block_of(tile, slot); block.lanes != 0) storer.store_block(job_.contacts, block, slot);
    tile.count = tile.blocks = 0;
  }

  [[gnu::noinline]] void store_stray(std::size_t slot) {
    Storer<Law, A, T>{job_.parameters.scalar_sticking, workspace_.strays, {job_.results, tally_}}.store_block(
        job_.contacts, Block{workspace_.strays.origin[slot], 1, 1, job_.layout}, slot);
    free_strays_[--strays_] = static_cast<std::uint32_t>(slot);
  }

  Place<T> make_stray(Place<T> from) {
    Tile<T>& strays = workspace_.strays;
    const std::size_t slot = free_strays_[strays_++];
    for (const auto lane : carried<T>) (strays.*lane)[slot] = (from.tile->*lane)[from.slot];
    strays.status[slot] = T(0);
    strays.origin[slot] = from.tile->first + from.slot;
    from.tile->status[from.slot] = Tile<T>::moved;
    return {&strays, slot};
  }

  const Job<T, Contacts>& job_;
  std::size_t position_, end_;  // of the batch, from here on not yet prepared
  SlidingTiles<T>& workspace_;
  Tally& tally_;
  Prefetcher<T> prefetcher_;
  std::size_t turn_ = 0;
  std::size_t strays_ = 0;
  std::uint32_t free_strays_[tile_size<T>];  // from strays_ on
  typename Law::template Slider<A, T, Pipeline> slider_{*this, job_.parameters.step_budget};
};

template <class A, class T, template <class> class Contacts>
void solve_range(const Job<T, Contacts>& job, std::size_t first, std::size_t count, const Workspace<T>& workspace,
                 Tally& tally) {
  if (job.parameters.integrator == Integrator::series)
    Pipeline<SeriesLaw, A, T, Contacts>(job, first, count, *workspace.sliding, tally).solve();
  else
    Pipeline<EulerLaw, A, T, Contacts>(job, first, count, *workspace.sliding, tally).solve();
  leave_lanes<A>();
}

template <class A, class T>
constexpr KernelsFor<T> kernels_for() {
  return {&solve_range<A, T, InlineContacts>, &solve_range<A, T, IndexedContacts>, &solve_range<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
