// The graph tells which contacts and rows of a scene hang together, and in which order sweeps visit them.
#pragma once

#include <cstddef>
#include <vector>

#include "scene_state.hpp"

namespace carom::reference {

/// A joint group (rows) or a manifold (contacts): good ones of one pair of bodies that follow one another among those
/// of the pair.
struct SceneBlock {
  bool is_group = false;
  std::vector<std::size_t> items;  ///< rows or contacts, ascending
  std::size_t a = 0, b = 0;        ///< places in SceneState::bodies
  int colour = 0;                  ///< Blocks of one colour share no movable body; overflow_constraints has none.

  static constexpr int colours = 64, overflow_constraints = colours;
};

struct SceneIsland {
  std::vector<std::size_t> bodies;      ///< the movable ones, ascending
  std::vector<std::size_t> contacts;    ///< the good ones, ascending
  std::vector<std::size_t> rows;        ///< the good ones, ascending
  std::vector<SceneBlock> blocks;       ///< groups, then manifolds
  std::vector<SceneBlock> sweep_order;  ///< the same by colour

  std::size_t colours() const;
  std::size_t overflow_constraints() const;
};

/// The islands in the order of their first bodies. What has a fault is not in any.
std::vector<SceneIsland> islands_of(const SceneState& state);

/// How many contacts lie between each body and the next immovable one, 0 of those themselves; -1 where no chain of good
/// contacts leads to one.
std::vector<int> levels_of(const SceneState& state);

}  // namespace carom::reference
