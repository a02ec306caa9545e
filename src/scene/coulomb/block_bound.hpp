// The blocks of W that the islands of a scene may need, from its graph and the bounds of its rows alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/graph.hpp"

namespace carom {
struct SceneOptions;
}

namespace carom::scene::coulomb {

/// Refuses scenes that SceneMethod::coulomb has no room for, before any work on them.
class BlockBound {
 public:
  /// Throws Error if an island that CoulombOptions do not leave to sweeps may need more than SceneLimits::most_blocks.
  template <class T>
  void check(const SceneOptions& options, const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts);

 private:
  struct Island {
    double blocks = 0;
    std::size_t points = 0;         // contacts and rows
    std::uint32_t constraints = 0;  // of the body that has most
    std::int32_t body = -1;         // this body
  };

  std::vector<std::int32_t> parent_;        // of bodies: a tree holds what rows without bounds connect
  std::vector<std::uint32_t> constraints_;  // of each root
  std::vector<Island> islands_;
};

}  // namespace carom::scene::coulomb
