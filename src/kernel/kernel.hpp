// The pipeline of a collision, for any ISA and precision. The contacts of a range go through its stages a tile at a
// time:
//
//   1 load, 2 validate, 3 frame, 4 collision matrix     prepare.hpp (load, validate, frame, collision_matrix.hpp)
//   5 law: sliding; sticking and the diverging ray      sliding.hpp, sticking.hpp
//   6 impulse, 7 store                                  store.hpp
//
// Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "prepare.hpp"
#include "sliding.hpp"
#include "store.hpp"

namespace carom::kernel {
namespace {

/// What must move with a contact that leaves its tile before it has ended: all that later stages read.
template <class T>
constexpr typename Tile<T>::Lane Tile<T>::*carried[] = {&Tile<T>::kxx,
                                                        &Tile<T>::kxy,
                                                        &Tile<T>::kyy,
                                                        &Tile<T>::kxz,
                                                        &Tile<T>::kyz,
                                                        &Tile<T>::qx,
                                                        &Tile<T>::qy,
                                                        &Tile<T>::schur,
                                                        &Tile<T>::det_m,
                                                        &Tile<T>::u0x,
                                                        &Tile<T>::u0y,
                                                        &Tile<T>::u0z,
                                                        &Tile<T>::friction,
                                                        &Tile<T>::restitution,
                                                        &Tile<T>::friction_rate,
                                                        &Tile<T>::normal_rate,
                                                        &Tile<T>::step,
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
template <class A, class T, template <class> class Contacts>
class Pipeline {
 public:
  Pipeline(const Job<T, Contacts>& job, std::size_t first, std::size_t count, Workspace<T>& workspace, Tally& tally)
      : job_(job), position_(first), end_(first + count), workspace_(workspace), tally_(tally) {
    for (Tile<T>& tile : workspace.tiles) tile.count = tile.colliding_count = tile.next_colliding = 0;
    for (std::size_t i = 0; i < tile_size; ++i) free_strays_[i] = static_cast<std::uint32_t>(i);
  }

  void solve() {
    slider_.solve();
    for (Tile<T>& tile : workspace_.tiles) store(tile);
    tally_.lane_steps += slider_.lane_steps();
  }

  bool next(Place<T>& place) {
    while (current().next_colliding == current().colliding_count) {
      if (position_ == end_) return false;
      turn_ = 1 - turn_;
      store(current());
      prepare(current());
    }
    place = {&current(), current().colliding[current().next_colliding++]};
    return true;
  }

  void done(Place<T> place) {
    if (place.tile != &workspace_.strays) return;
    Storer<A, T>{job_.results, workspace_.strays, tally_}.store_block(
        job_.contacts, Block{workspace_.strays.origin[place.slot], 1}, place.slot);
    free_strays_[--strays_] = static_cast<std::uint32_t>(place.slot);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Tile<T>& current() { return workspace_.tiles[turn_]; }

  template <class Stage>
  static void for_each_block(const Tile<T>& tile, Stage&& stage) {
    for (std::size_t slot = 0; slot < tile.count; slot += width)
      stage(Block{tile.first + slot, tile.count - slot < width ? tile.count - slot : width}, slot);
  }

  void prepare(Tile<T>& tile) {
    tile.first = position_;
    tile.count = end_ - position_ < tile_size ? end_ - position_ : tile_size;
    tile.colliding_count = tile.next_colliding = 0;
    position_ += tile.count;
    Preparer<A, T> preparer{job_.parameters, tile};
    for_each_block(tile, [&](Block block, std::size_t slot) {
      if constexpr (requires { job_.contacts.separation_velocity; })
        preparer.prepare_space(job_.contacts, block, slot);
      else
        preparer.prepare_bodies(job_.contacts, block, slot);
    });
  }

  void store(Tile<T>& tile) {
    slider_.relocate(&tile, [&](Place<T> from) { return make_stray(from); });
    Storer<A, T> storer{job_.results, tile, tally_};
    for_each_block(tile, [&](Block block, std::size_t slot) { storer.store_block(job_.contacts, block, slot); });
    tile.count = 0;
  }

  Place<T> make_stray(Place<T> from) {
    Tile<T>& strays = workspace_.strays;
    const std::size_t slot = free_strays_[strays_++];
    for (const auto lane : carried<T>) (strays.*lane)[slot] = (from.tile->*lane)[from.slot];
    strays.status[slot] = Status::ok;
    strays.path[slot] = Path{Course::none, Sticking::none, 0, 0};
    strays.moved[slot] = false;
    strays.origin[slot] = from.tile->first + from.slot;
    from.tile->moved[from.slot] = true;
    return {&strays, slot};
  }

  const Job<T, Contacts>& job_;
  std::size_t position_, end_;  // of the batch, from here on not yet prepared
  Workspace<T>& workspace_;
  Tally& tally_;
  std::size_t turn_ = 0;
  std::size_t strays_ = 0;
  std::uint32_t free_strays_[tile_size];  // from strays_ on
  EulerSlider<A, T, Pipeline> slider_{*this, job_.parameters.step_budget};
};

template <class A, class T, template <class> class Contacts>
void solve_range(const Job<T, Contacts>& job, std::size_t first, std::size_t count, Workspace<T>& workspace,
                 Tally& tally) {
  Pipeline<A, T, Contacts>(job, first, count, workspace, tally).solve();
}

template <class A, class T>
constexpr KernelsFor<T> kernels_for() {
  return {&solve_range<A, T, InlineContacts>, &solve_range<A, T, IndexedContacts>, &solve_range<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
