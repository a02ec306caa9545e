// A tile of contacts as whole vectors, for laws that run the stages on a tile at a time: columns are read and written
// in place if they are contiguous, otherwise through the tile. So the stages after load do not depend on strides,
// indices, the order of contacts or the end of a batch.
#pragma once

#include "staged_columns.hpp"
#include "staged_results.hpp"

namespace carom::kernel {
namespace {

/// Calls f(first, count) for the tiles of [first, end): of whole vectors, and at last fewer contacts than one has.
template <std::size_t width, class F>
[[gnu::always_inline]] inline void for_each_tile(std::size_t first, std::size_t end, std::size_t at_once, F&& f) {
  while (first < end) {
    const std::size_t left = end - first, whole = left / width * width;
    const std::size_t count = left < width ? left : whole < at_once ? whole : at_once;
    f(first, count);
    first += count;
  }
}

}  // namespace
}  // namespace carom::kernel
