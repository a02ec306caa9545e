// End of a collision by Euler's method: the sums of the sliding phase become impulse and work, and what has stuck goes
// on to its end.
#pragma once

#include "sticking.hpp"

namespace carom::kernel {
namespace {

/// The end of every collision of a block that the law has been through; elsewhere the numbers mean nothing. Writes to
/// the tile how contacts stuck.
template <class A, class T>
[[gnu::noinline]] inline Progress<typename LaneTypes<A, T>::Batch> end_of_euler(Tile<T>& tile, std::size_t slot) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const auto load = [&](const T* lane) { return load_lanes<B>(lane + slot); };
  Progress<B> c = progress_of<B>(tile, slot);
  const Mask stuck = load(tile.departure) == number<T, B>(Departure::settled);
  if (const unsigned bits = lane_bits(stuck); bits != 0) {
    const unsigned diverge = lane_bits(finish_sticking<A>(tile, slot, stuck, c));
    for_each_bit(bits, [&](std::size_t lane) {
      tile.path[slot + lane].sticking = (diverge >> lane & 1u) != 0 ? Sticking::diverge : Sticking::stable;
    });
  }
  return c;
}

}  // namespace
}  // namespace carom::kernel
