#include "scene_graph.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/support/forest.hpp"
#include "core/support/hash.hpp"

namespace carom::reference {
namespace {

bool belong_together(const SceneContact& x, const SceneContact& y) {
  return x.a == y.a && x.b == y.b && x.data.normal == y.data.normal && x.friction == y.friction &&
         x.static_friction == y.static_friction && x.surface_velocity == y.surface_velocity &&
         x.has_ellipse == y.has_ellipse &&
         (!x.has_ellipse || (x.friction_2 == y.friction_2 && x.friction_direction == y.friction_direction));
}

bool belong_together(const SceneRow& x, const SceneRow& y) {
  return x.a == y.a && x.b == y.b;
}

// Groups sound items that belong together and are consecutive among the items of their pair, up to `most` each.
template <class Item>
std::vector<SceneBlock> runs(const std::vector<Item>& items, std::size_t most, bool are_groups) {
  std::vector<SceneBlock> blocks;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> latest;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (item.status != Status::ok) continue;
    const auto [found, is_first] = latest.try_emplace({item.a, item.b}, blocks.size());
    if (!is_first) {
      SceneBlock& last = blocks[found->second];
      if (last.items.size() < most && belong_together(items[last.items.back()], item)) {
        last.items.push_back(i);
        continue;
      }
      found->second = blocks.size();
    }
    blocks.push_back({are_groups, {i}, item.a, item.b});
  }
  return blocks;
}

// A number for the pair of a block's bodies.
std::uint32_t hash_of(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(scene::spread(std::max(a, b) << 32 | std::min(a, b)));
}

// Movable bodies that blocks join to a tree: one pair fewer than bodies, for an island has no loose ones.
bool is_tree(const SceneState& state, const SceneIsland& island) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const SceneBlock& block : island.blocks)
    if (state.is_movable(block.a) && state.is_movable(block.b)) pairs.insert(std::minmax(block.a, block.b));
  return pairs.size() + 1 == island.bodies.size();
}

// Colours of an island in the order of its blocks. Each takes a colour that neither of its movable bodies has. In a
// tree this is the smallest one, for manifolds the smallest that no group has, if there is one. Otherwise it is drawn
// by a hash from one more colours than the body with more blocks has blocks, or it is the smallest one. docs/scenes.md,
// Order
void colour(const SceneState& state, SceneIsland& island) {
  using Colours = std::bitset<SceneBlock::colours>;
  struct Used {
    std::uint64_t number = 0;  // within the island, from 1 on; 0: does not move
    std::size_t blocks = 0;
    Colours colours;
  };
  std::map<std::size_t, Used> bodies;
  for (std::size_t i = 0; i < island.bodies.size(); ++i) bodies[island.bodies[i]].number = i + 1;
  const auto each_movable = [&](const SceneBlock& block, const auto& f) {
    for (std::size_t body : {block.a, block.b})
      if (state.is_movable(body)) f(bodies[body]);
  };
  for (const SceneBlock& block : island.blocks) each_movable(block, [](Used& body) { ++body.blocks; });
  const auto free_of = [](const Colours& taken) {
    std::vector<int> free;
    for (int c = 0; c < SceneBlock::colours; ++c)
      if (!taken[static_cast<std::size_t>(c)]) free.push_back(c);
    return free;
  };
  const auto least = [](const std::vector<int>& free) {
    return free.empty() ? SceneBlock::overflow_constraints : free[0];
  };
  const bool has_cycle = !is_tree(state, island);
  Colours of_groups;
  for (SceneBlock& block : island.blocks) {
    Colours taken;
    std::size_t most = 0;
    each_movable(block, [&](const Used& body) {
      taken |= body.colours;
      most = std::max(most, body.blocks);
    });
    const std::vector<int> free = free_of(taken);
    if (has_cycle) {
      const auto in_reach =
          static_cast<std::size_t>(std::ranges::count_if(free, [&](int c) { return c <= static_cast<int>(most); }));
      const auto number = [&](std::size_t body) { return state.is_movable(body) ? bodies[body].number : 0; };
      block.colour = in_reach == 0 ? least(free) : free[hash_of(number(block.a), number(block.b)) % in_reach];
    } else {
      const std::vector<int> apart = block.is_group ? free : free_of(taken | of_groups);
      block.colour = least(apart.empty() ? free : apart);
    }
    if (block.colour == SceneBlock::overflow_constraints) continue;
    if (block.is_group) of_groups.set(static_cast<std::size_t>(block.colour));
    each_movable(block, [&](Used& body) { body.colours.set(static_cast<std::size_t>(block.colour)); });
  }
}

}  // namespace

std::size_t SceneIsland::colours() const {
  std::bitset<SceneBlock::colours> used;
  for (const SceneBlock& block : blocks)
    if (block.colour != SceneBlock::overflow_constraints) used.set(static_cast<std::size_t>(block.colour));
  return used.count();
}

std::size_t SceneIsland::overflow_constraints() const {
  return static_cast<std::size_t>(std::ranges::count(blocks, SceneBlock::overflow_constraints, &SceneBlock::colour));
}

std::vector<SceneIsland> islands_of(const SceneState& state) {
  std::vector<SceneBlock> blocks = runs(state.rows, 6, true);
  const std::vector<SceneBlock> manifolds = runs(state.contacts, 4, false);
  blocks.insert(blocks.end(), manifolds.begin(), manifolds.end());

  std::vector<std::size_t> parents(state.bodies.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (const SceneBlock& block : blocks)
    if (state.is_movable(block.a) && state.is_movable(block.b))
      parents[root_of(parents, block.a)] = root_of(parents, block.b);
  const auto set_of = [&](const SceneBlock& block) {
    return root_of(parents, state.is_movable(block.a) ? block.a : block.b);
  };

  // A body without contacts and rows is not an island.
  std::vector<bool> is_touched(state.bodies.size(), false);
  for (const SceneBlock& block : blocks) is_touched[set_of(block)] = true;

  std::vector<SceneIsland> islands;
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> island_of(state.bodies.size(), none);
  for (std::size_t body = 0; body < state.bodies.size(); ++body) {
    const std::size_t set = root_of(parents, body);
    if (!state.is_movable(body) || !is_touched[set]) continue;
    std::size_t& island = island_of[set];
    if (island == none) {
      island = islands.size();
      islands.emplace_back();
    }
    islands[island].bodies.push_back(body);
  }
  for (const SceneBlock& block : blocks) {
    SceneIsland& island = islands[island_of[set_of(block)]];
    island.blocks.push_back(block);
    std::vector<std::size_t>& of_island = block.is_group ? island.rows : island.contacts;
    of_island.insert(of_island.end(), block.items.begin(), block.items.end());
  }
  for (SceneIsland& island : islands) {
    std::ranges::sort(island.rows);
    std::ranges::sort(island.contacts);
    colour(state, island);
    island.sweep_order = island.blocks;
    std::ranges::stable_sort(island.sweep_order, {}, &SceneBlock::colour);
  }
  return islands;
}

std::vector<int> levels_of(const SceneState& state) {
  std::vector<std::vector<std::size_t>> neighbours(state.bodies.size());
  for (const SceneContact& c : state.contacts) {
    if (c.status != Status::ok) continue;
    neighbours[c.a].push_back(c.b);
    neighbours[c.b].push_back(c.a);
  }
  std::vector<int> levels(state.bodies.size(), -1);
  std::vector<std::size_t> reached;
  for (std::size_t body = 0; body < state.bodies.size(); ++body)
    if (!state.is_movable(body)) {
      levels[body] = 0;
      reached.push_back(body);
    }
  // `reached` grows while it is gone through: breadth first.
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (std::size_t next : neighbours[reached[i]])
      if (levels[next] < 0) {
        levels[next] = levels[reached[i]] + 1;
        reached.push_back(next);
      }
  return levels;
}

}  // namespace carom::reference
