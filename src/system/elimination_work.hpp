// The work of factorisations in the space of bodies, from what touches what alone: before there are any numbers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "minimum_degree.hpp"

namespace carom::systems {

class EliminationWork {
 public:
  /// Products of blocks and vectors that a factorisation is worth. `pairs` of bodies that contacts connect, each once
  /// and in order.
  double count(std::size_t bodies, const std::vector<std::array<std::int32_t, 2>>& pairs);

 private:
  IslandSystem pattern_;
  MinimumDegree minimum_degree_;
  Elimination elimination_;
};

}  // namespace carom::systems
