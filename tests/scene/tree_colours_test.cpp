// Colours of islands: the smallest free ones if the movable bodies form a tree, drawn ones if there is a cycle.
// docs/scenes.md, Order
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "random/draw.hpp"
#include "scene/graph/graph.hpp"

namespace carom::scenes {
namespace {

/// Pairs of bodies; -1 is the world.
using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// A graph of groups and manifolds of one row or contact each.
class Coloured {
 public:
  Coloured(std::size_t bodies, const Pairs& groups, const Pairs& manifolds, const std::set<std::int32_t>& held = {}) {
    std::vector<std::uint8_t> movable(bodies, 1);
    for (const std::int32_t body : held) movable[static_cast<std::size_t>(body)] = 0;
    const std::vector<std::uint8_t> fault(groups.size() + manifolds.size(), 0), apart(manifolds.size(), 0);
    std::vector<std::int32_t> of[4];
    for (const auto& [a, b] : groups) of[0].push_back(a), of[1].push_back(b);
    for (const auto& [a, b] : manifolds) of[2].push_back(a), of[3].push_back(b);
    scene::Parts parts;
    parts.bodies = bodies;
    parts.movable = movable.data();
    parts.rows = groups.size();
    parts.row_body_a = of[0].data();
    parts.row_body_b = of[1].data();
    parts.contacts = manifolds.size();
    parts.body_a = of[2].data();
    parts.body_b = of[3].data();
    parts.fault = parts.row_fault = fault.data();
    parts.links = {apart.data(), [](const void*, std::size_t, std::size_t) { return false; }, nullptr};
    graph_.connect(parts);
    graph_.build(parts, 16, 1 << 20, {}, false);
    group_.resize(groups.size());
    manifold_.resize(manifolds.size());
    for (std::size_t c = 0; c < graph_.colour_sets.size(); ++c)
      for (std::uint32_t v = graph_.colour_sets[c].first; v < graph_.colour_sets[c].end; ++v)
        for (std::uint32_t lane = 0; lane < graph_.lane_batches[v].lanes; ++lane) {
          const std::uint32_t i = graph_.order[graph_.lane_batches[v].first + lane];
          (graph_.lane_batches[v].is_joint ? group_ : manifold_)[i] = c;
        }
  }

  const scene::Graph& graph() const { return graph_; }
  /// Position of a manifold or a group in the order of all colours in use.
  std::size_t turn(std::size_t manifold) const { return manifold_[manifold]; }
  std::size_t turn_of_group(std::size_t group) const { return group_[group]; }

 private:
  scene::Graph graph_;
  std::vector<std::size_t> group_, manifold_;
};

Pairs row_of(std::int32_t bodies, std::int32_t first = 0) {
  Pairs pairs;
  for (std::int32_t i = 1; i < bodies; ++i) pairs.emplace_back(first + i - 1, first + i);
  return pairs;
}
Pairs ring_of(std::int32_t bodies, std::int32_t first = 0) {
  Pairs pairs = row_of(bodies, first);
  pairs.emplace_back(first + bodies - 1, first);
  return pairs;
}
Pairs joined(Pairs x, const Pairs& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

/// The smallest free colours in the order of the pairs.
std::vector<std::size_t> min_colours(std::size_t bodies, const Pairs& pairs) {
  std::vector<std::set<std::size_t>> used(bodies);
  std::vector<std::size_t> colours;
  for (const auto& [a, b] : pairs) {
    std::size_t colour = 0;
    const auto is_used = [&](std::int32_t body) {
      return body >= 0 && used[static_cast<std::size_t>(body)].contains(colour);
    };
    while (is_used(a) || is_used(b)) ++colour;
    for (const std::int32_t body : {a, b})
      if (body >= 0) used[static_cast<std::size_t>(body)].insert(colour);
    colours.push_back(colour);
  }
  return colours;
}
void expect_min_colours(std::size_t bodies, const Pairs& pairs, const char* what) {
  const Coloured found(bodies, {}, pairs);
  const std::vector<std::size_t> expected = min_colours(bodies, pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(found.turn(i), expected[i]) << what << ", manifold " << i;
}

TEST(TreeColours, of_a_stack_are_two) {
  Pairs stack = {{0, -1}};
  const Coloured found(10, {}, joined(stack, row_of(10)));
  EXPECT_EQ(found.graph().colours, 2u);
  EXPECT_EQ(found.graph().lane_batches.size(), 2u);
}

TEST(TreeColours, of_a_tree_that_grows_from_its_root_are_as_many_as_its_busiest_body_has_manifolds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    support::Draw draw(seed);
    constexpr std::int32_t bodies = 60;
    std::vector<std::size_t> degree(bodies, 0);
    Pairs pairs;
    for (std::int32_t i = 1; i < bodies; ++i) {
      const auto parent = static_cast<std::int32_t>(draw.below(static_cast<std::size_t>(i)));
      pairs.emplace_back(parent, i);
      ++degree[static_cast<std::size_t>(parent)];
      ++degree[static_cast<std::size_t>(i)];
    }
    // All of a body's children in a row.
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    EXPECT_EQ(Coloured(bodies, {}, pairs).graph().colours, *std::max_element(degree.begin(), degree.end())) << seed;
  }
}

TEST(TreeColours, are_the_least_ones_in_any_order_and_where_pairs_come_again) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    support::Draw draw(seed);
    constexpr std::int32_t bodies = 20;
    Pairs pairs;
    for (std::int32_t i = 1; i < bodies; ++i) {
      const auto other = static_cast<std::int32_t>(draw.below(static_cast<std::size_t>(i)));
      pairs.push_back(draw.below(2) == 0 ? std::pair(i, other) : std::pair(other, i));
      if (draw.below(3) == 0) pairs.emplace_back(i, other);  // the same two once more, or the other way round
      if (draw.below(3) == 0) pairs.emplace_back(i, -1);
    }
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[draw.below(i)]);
    expect_min_colours(bodies, pairs, "a tree");
  }
}

TEST(TreeColours, take_what_does_not_move_for_no_body) {
  // Body 0 closes the ring, and does not move.
  const Pairs ring = ring_of(20);
  EXPECT_EQ(Coloured(20, {}, ring).graph().colours, 3u);
  EXPECT_EQ(Coloured(20, {}, ring, {0}).graph().colours, 2u);
}

// Smallest free colours would alternate between two, so that each manifold comes later or earlier than both of its
// neighbours. The draw is from three colours, of which the previous manifold has one: of the twelve sequences of three
// manifolds, two have the middle one between the others. The fraction is then 1/6, with a deviation of √(5 / 36n).
TEST(TreeColours, are_drawn_in_an_island_with_a_cycle) {
  constexpr std::int32_t bodies = 240;
  const Pairs ring = ring_of(bodies);
  const Coloured found(bodies, {}, ring);
  EXPECT_EQ(found.graph().colours, 3u);
  int between = 0;
  const std::size_t n = ring.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = found.turn((i + n - 1) % n), here = found.turn(i), after = found.turn((i + 1) % n);
    between += (before < here) == (here < after) ? 1 : 0;
  }
  EXPECT_NEAR(between, bodies / 6.0, 3 * std::sqrt(bodies * 5 / 36.0));
  // A joint closes a cycle as a contact does.
  EXPECT_EQ(Coloured(20, {{19, 0}}, row_of(20)).graph().colours, 3u);
}

TEST(TreeColours, do_not_depend_on_other_islands) {
  const Pairs row = row_of(10);
  const Coloured alone(10, {}, row);
  for (const bool ring_first : {false, true}) {
    const Pairs ring = ring_of(20, 10);
    const Coloured ring_alone(30, {}, ring), both(30, {}, ring_first ? joined(ring, row) : joined(row, ring));
    const std::size_t row_at = ring_first ? ring.size() : 0, ring_at = ring_first ? 0 : row.size();
    ASSERT_EQ(both.graph().islands, 2u);
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(both.turn(row_at + i), alone.turn(i));
    for (std::size_t i = 0; i < ring.size(); ++i) EXPECT_EQ(both.turn(ring_at + i), ring_alone.turn(i));
  }
}

// A chain that lies on the ground: two colours of joints and one of manifolds, none of which has both.
TEST(TreeColours, of_groups_are_apart_from_those_of_manifolds) {
  Pairs ground;
  for (std::int32_t i = 0; i < 12; ++i) ground.emplace_back(i, -1);
  const Coloured found(12, row_of(12), ground);
  EXPECT_EQ(found.graph().colours, 3u);
  EXPECT_EQ(found.graph().lane_batches.size(), 3u);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(found.turn_of_group(i), i % 2);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(found.turn(i), 2u);
}

TEST(TreeColours, are_those_of_groups_for_manifolds_where_no_others_are_left) {
  // Body 0 has 40 joints and body 1 as many manifolds.
  Pairs groups, manifolds = {{0, 1}};
  for (std::int32_t i = 0; i < 40; ++i) {
    groups.emplace_back(0, 2 + i);
    manifolds.emplace_back(1, 42 + i);
  }
  const Coloured found(82, groups, manifolds);
  EXPECT_EQ(found.graph().colours, 64u);
  EXPECT_EQ(found.graph().overflow_constraints, 0u);
}

}  // namespace
}  // namespace carom::scenes
