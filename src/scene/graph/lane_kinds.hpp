// Kinds of manifolds and groups in the lane batches of a colour, in this order: groups by decreasing length, manifolds
// by decreasing length, manifolds with models.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/support/array.hpp"
#include "graph.hpp"

namespace carom::scene::kinds {

inline constexpr std::uint32_t rows = kernel::rows_of_group, points = kernel::points_of_manifold;
inline constexpr std::uint32_t without_models = rows + points, most = rows + 4 * points;

inline std::uint32_t kind_of(bool is_joint, std::uint32_t count, std::uint32_t models) {
  return is_joint ? rows - count : rows + (models + 1) * points - count;
}
inline bool is_joint(std::uint32_t kind) {
  return kind < rows;
}
inline std::uint8_t models_of(std::uint32_t kind) {
  return static_cast<std::uint8_t>(is_joint(kind) ? 0 : (kind - rows) / points);
}
inline std::uint8_t count_of(std::uint32_t kind) {
  return static_cast<std::uint8_t>(is_joint(kind) ? rows - kind : points - (kind - rows) % points);
}
inline bool may_stand_together(std::uint32_t kind, std::uint32_t other) {
  return is_joint(kind) == is_joint(other) && models_of(kind) == models_of(other);
}

/// Appends the lane batches of `n` items of one colour, from `first` of the order on.
template <class Key>
void append_lane_batches(Array<LaneBatch>& lane_batches, std::uint32_t first, std::uint32_t n, std::size_t width,
                         const Key& kind_at) {
  for (std::uint32_t i = 0; i < n;) {
    const std::uint32_t kind = kind_at(first + i);
    std::uint32_t lanes = 1;
    std::uint8_t longest = count_of(kind);
    for (; lanes < width && i + lanes < n && may_stand_together(kind_at(first + i + lanes), kind); ++lanes)
      longest = std::max(longest, count_of(kind_at(first + i + lanes)));
    lane_batches.push_back({first + i, static_cast<std::uint8_t>(lanes), longest, is_joint(kind), models_of(kind)});
    i += lanes;
  }
}
/// The same, and their colour set.
template <class Key>
void append_colour_set(Array<LaneBatch>& lane_batches, Array<ColourSet>& colour_sets, std::uint32_t first,
                       std::uint32_t n, std::size_t width, const Key& kind_at) {
  const auto begin = static_cast<std::uint32_t>(lane_batches.size());
  append_lane_batches(lane_batches, first, n, width, kind_at);
  const auto end = static_cast<std::uint32_t>(lane_batches.size());
  if (end > begin) colour_sets.push_back({begin, end});
}

}  // namespace carom::scene::kinds
