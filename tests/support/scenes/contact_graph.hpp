// The graph of a scene's contacts, without faults and joints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/graph/graph.hpp"
#include "support/scenes/scene_of_columns.hpp"

namespace carom::scenes {

struct ContactGraph {
  scene::Graph graph;
  std::vector<std::uint8_t> movable;  ///< bodies

  /// `part_points`, `slots`: see Graph::build.
  template <class T>
  ContactGraph(const SceneData<T>& of, std::size_t part_points, std::size_t slots = 1) {
    for (const T inverse : of.bodies.inverse_mass) movable.push_back(inverse > T(0) ? 1 : 0);
    const std::vector<std::uint8_t> fault(of.contact_count(), 0);
    scene::Parts parts;
    parts.bodies = of.body_count();
    parts.contacts = of.contact_count();
    parts.movable = movable.data();
    parts.body_a = of.body_a.data();
    parts.body_b = of.body_b.data();
    parts.fault = fault.data();
    graph.connect(parts);
    graph.build(parts, 8, part_points, {}, false, slots);
  }
};

}  // namespace carom::scenes
