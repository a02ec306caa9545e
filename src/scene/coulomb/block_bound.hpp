// Upper bound of the number of blocks of W for the islands of a scene, from its graph and the limits of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/graph.hpp"

namespace carom {
struct SceneOptions;
}

namespace carom::scene::coulomb {

/// Rejects scenes that are too large for SceneMethod::coulomb, before any work on them.
class BlockBound {
 public:
  /// Throws Error if an island may need more than SceneLimits::most_blocks. Islands that CoulombOptions leave to sweeps
  /// do not count.
  template <class T>
  void check(const SceneOptions& options, const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts);

 private:
  struct Island {
    double blocks = 0;
    std::size_t points = 0;         // contacts and rows
    std::uint32_t constraints = 0;  // of the body with the max number
    std::int32_t body = -1;         // this body
  };

  std::vector<std::int32_t> parent_;        // of bodies: rows without limits join bodies in a tree
  std::vector<std::uint32_t> constraints_;  // of each root
  std::vector<Island> islands_;
};

}  // namespace carom::scene::coulomb
