// The graph of a scene: islands of connected contacts and rows, and the order of iterations over them.
#pragma once

#include <cstddef>
#include <vector>

#include "scene_state.hpp"

namespace carom::reference {

/// A joint group (rows) or a manifold (contacts): items without a fault of one pair of bodies. Items of
/// other pairs may lie between them.
struct SceneBlock {
  bool is_group = false;
  std::vector<std::size_t> items;  ///< rows or contacts, ascending
  std::size_t a = 0, b = 0;        ///< places in SceneState::bodies
  int colour = 0;  ///< Blocks of one colour share no movable body. Blocks without a colour: overflow_constraints.

  static constexpr int colours = 64, overflow_constraints = colours;
};

struct SceneIsland {
  std::vector<std::size_t> bodies;      ///< movable bodies, ascending
  std::vector<std::size_t> contacts;    ///< contacts without a fault, ascending
  std::vector<std::size_t> rows;        ///< rows without a fault, ascending
  std::vector<SceneBlock> blocks;       ///< groups, then manifolds
  std::vector<SceneBlock> sweep_order;  ///< the blocks, sorted by colour

  std::size_t colours() const;
  std::size_t overflow_constraints() const;
};

/// Returns the islands in the order of their first bodies. Contacts and rows with a fault belong to no island.
std::vector<SceneIsland> islands_of(const SceneState& state);

/// Returns the level of each body: the number of contacts on the shortest path to an immovable body. Immovable bodies
/// have level 0; bodies without such a path have -1.
std::vector<int> levels_of(const SceneState& state);

}  // namespace carom::reference
