// Colours of a graph: sets of manifolds and groups of rows that can be solved at once, and their order.
#include <algorithm>
#include <bit>

#include "core/support/array.hpp"
#include "core/support/hash.hpp"
#include "graph.hpp"

namespace carom::scene {
namespace {

/// Hash of two bodies, independent of their order.
std::uint32_t hash_of(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(spread(std::uint64_t{std::max(a, b)} << 32 | std::min(a, b)));
}

/// Returns the smallest colour that is not in `used`, or max_colours if all are used.
std::uint32_t min_colour(std::uint64_t used) {
  return static_cast<std::uint32_t>(std::countr_one(used));
}

/// Returns the smallest colour that neither the bodies nor a group of the island uses, or else the smallest one that
/// the bodies do not use. A lane batch holds either groups or manifolds, so a colour with both needs an additional
/// batch.
std::uint32_t min_colour(std::uint64_t used, std::uint64_t by_groups) {
  const std::uint32_t apart = min_colour(used | by_groups);
  return apart < Graph::max_colours ? apart : min_colour(used);
}

/// Draws a colour that is not in `used` by a hash of the bodies' numbers. Draws from the first `degree` + 1 colours,
/// `degree` being the larger number of manifolds and groups of the two bodies; if all of these are used, takes the
/// smallest free colour. In islands with a cycle of bodies, smallest colours alone would follow the numbering of
/// bodies: the order of visits may then wind round cycles, and full warm starting amplifies the impulses.
/// docs/scenes.md, Order
std::uint32_t drawn_colour(std::uint64_t used, std::uint32_t degree, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t drawn_from = std::min(degree + 1, Graph::max_colours);
  std::uint64_t free = ~used & (~std::uint64_t{0} >> (Graph::max_colours - drawn_from));
  if (free == 0) return min_colour(used);
  for (auto skip = hash_of(a, b) % static_cast<std::uint32_t>(std::popcount(free)); skip > 0; --skip) free &= free - 1;
  return static_cast<std::uint32_t>(std::countr_zero(free));
}

}  // namespace

void Graph::number_bodies(const Parts& of) {
  rank_.resize(of.bodies);
  degree_.assign(of.bodies, 0);
  next_.assign(islands, 0);
  for (std::size_t i = 0; i < of.bodies; ++i) {
    const std::uint32_t island = island_of(of, i);
    rank_[i] = island == no_island ? 0 : ++next_[island];
  }
  const auto count = [&](const Array<Constraint>& from) {
    for (const Constraint& m : from)
      for (const std::int32_t body : {m.body_a, m.body_b})
        if (moves(of, body)) ++degree_[static_cast<std::size_t>(body)];
  };
  count(groups);
  count(manifolds);
}

void Graph::colour(const Parts& of) {
  find_cycles(of);
  if (has_cycles_) number_bodies(of);
  used_.assign(of.bodies, 0);
  used_by_island_.assign(islands, 0);
  used_by_groups_.assign(islands, 0);
  colours = overflow_constraints = 0;
  const auto give = [&](const Array<Constraint>& from, const Array<std::uint32_t>& island_of_item,
                        Array<std::uint8_t>& to) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Constraint& m = from[i];
      const std::uint32_t island = island_of_item[i];
      std::uint64_t used = 0;
      std::uint32_t degree = 0, rank[2] = {0, 0};
      const auto look = [&](std::int32_t body, std::uint32_t& number) {
        if (!moves(of, body)) return;
        const auto at = static_cast<std::size_t>(body);
        used |= used_[at];
        if (has_cycle_[island] == 0) return;
        degree = std::max(degree, degree_[at]);
        number = rank_[at];
      };
      look(m.body_a, rank[0]);
      look(m.body_b, rank[1]);
      const std::uint32_t colour = has_cycle_[island] != 0 ? drawn_colour(used, degree, rank[0], rank[1])
                                                           : min_colour(used, used_by_groups_[island]);
      to[i] = static_cast<std::uint8_t>(colour);
      if (colour == max_colours) {
        ++overflow_constraints;
        continue;
      }
      used_by_island_[island] |= std::uint64_t{1} << colour;
      for (const std::int32_t body : {m.body_a, m.body_b})
        if (moves(of, body)) used_[static_cast<std::size_t>(body)] |= std::uint64_t{1} << colour;
    }
  };
  give(groups, island_of_group, colour_of_group_);
  used_by_groups_ = used_by_island_;
  give(manifolds, island_of_manifold, colour_of_manifold_);
  for (const std::uint64_t used : used_by_island_)
    colours = std::max(colours, static_cast<std::size_t>(std::popcount(used)));
}

}  // namespace carom::scene
