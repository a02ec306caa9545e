// The pipeline of a collision, for any ISA and precision. A tile of contacts goes through its stages one after the
// other:
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

template <class A, class T, template <class> class Contacts>
void solve_tile(const Job<T, Contacts>& job, std::size_t first, std::size_t count, Tile<T>& tile, Tally& tally) {
  constexpr std::size_t width = LaneTypes<A, T>::width;
  const auto for_each_block = [&](auto&& stage) {
    for (std::size_t slot = 0; slot < count; slot += width)
      stage(Block{first + slot, count - slot < width ? count - slot : width}, slot);
  };

  tile.colliding_count = 0;
  Preparer<A, T> prepare{job.parameters, tile};
  for_each_block([&](Block block, std::size_t slot) {
    if constexpr (requires { job.contacts.separation_velocity; })
      prepare.prepare_space(job.contacts, block, slot);
    else
      prepare.prepare_bodies(job.contacts, block, slot);
  });

  EulerSlider<A, T>(tile, job.parameters.step_budget).solve();

  Storer<A, T> storer{job.results, tile, tally};
  for_each_block([&](Block block, std::size_t slot) { storer.store_block(job.contacts, block, slot); });
}

template <class A, class T>
constexpr KernelsFor<T> kernels_for() {
  return {&solve_tile<A, T, InlineContacts>, &solve_tile<A, T, IndexedContacts>, &solve_tile<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
