// Cycles of a graph: islands in which contacts and joints lead round movable bodies and back.
#include "graph.hpp"

namespace carom::scene {

// Each union of two sets is an edge of a spanning forest. An edge within a set closes a cycle, unless the forest has an
// edge between the same bodies. It has one if either body is the other's parent once leaves are cut off one by one.
void Graph::find_cycles(const Parts& of) {
  has_cycle_.assign(islands, 0);
  has_cycles_ = false;
  if (within_sets_.empty()) return;
  for (std::size_t i = 0; i < of.bodies; ++i)
    for (std::uint32_t leaf = static_cast<std::uint32_t>(i) + 1; tree_degree_[leaf - 1] == 1;) {
      const std::uint32_t parent = tree_neighbours_[leaf - 1];  // the only one left
      tree_degree_[leaf - 1] = 0;
      --tree_degree_[parent - 1];
      tree_neighbours_[parent - 1] ^= leaf;
      leaf = parent;
    }
  const auto is_parent = [&](std::int32_t parent, std::int32_t body) {
    return tree_neighbours_[static_cast<std::size_t>(body)] == static_cast<std::uint32_t>(parent) + 1;
  };
  for (const BodyPair& pair : within_sets_) {
    if (is_parent(pair.a, pair.b) || is_parent(pair.b, pair.a)) continue;
    has_cycle_[island_of(of, static_cast<std::size_t>(pair.a))] = 1;
    has_cycles_ = true;
  }
}

}  // namespace carom::scene
