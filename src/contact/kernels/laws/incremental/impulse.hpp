// End of a collision by Euler's method: computes impulse and work from the sums of the sliding phase, and continues
// sticking contacts to their end.
#pragma once

#include "sticking.hpp"

namespace carom::kernel {
namespace {

/// Computes the end of all collisions in a block that the law has handled. Other lanes are undefined.
template <class A, class T>
[[gnu::noinline]] inline Ending<typename LaneTypes<A, T>::Batch> end_of_euler(const Tile<T>& tile, std::size_t slot) {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  const auto load = [&](const T* lane) { return load_lanes<B>(lane + slot); };
  const B friction_step = load(tile.friction_step);
  // With infinite friction the sliding phase passes without normal impulse, and so without work.
  const B normal_step = load(tile.normal_step);
  const Slide<B> slide = load_each<B>(tile.slide, slot);
  Ending<B> end = {
      {slide.ux, slide.uy, slide.uz, negated(friction_step * slide.sum_x), negated(friction_step * slide.sum_y),
       normal_step * load(tile.length), normal_step * slide.compression, normal_step * slide.decompression},
      load(tile.path)};
  const Mask stuck = load(tile.sticks) > B(0);
  if (lane_bits(stuck) == 0) return end;
  Sticker<B> k;
  each([&](const T* lane, B& to) { to = load(lane); }, tile, k);
  const Mask diverges = finish_sticking<A, T>(k, load(tile.restitution), stuck, end.progress);
  end.path = end.path + choose(stuck && diverges, B(T(diverges_by)), B(0));
  return end;
}

}  // namespace
}  // namespace carom::kernel
