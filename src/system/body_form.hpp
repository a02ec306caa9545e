// W of an island by its bodies, where there are bodies: W = H M⁻¹ Hᵀ + E. Factorisations have less fill there, since
// contacts are mostly several between two bodies.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "island_system.hpp"

namespace carom::systems {

struct BodyForm {
  std::size_t bodies = 0;                         ///< 0: there is no such form
  std::vector<std::array<std::int32_t, 2>> body;  ///< that each contact moves; -1: none
  Numbers direction;  ///< 36 a contact: of both bodies the three rows of H, of six numbers each
  Numbers response;   ///< likewise: M⁻¹ Hᵀ
  Numbers extra;      ///< three a contact: E, which is diagonal

  void clear();
};

}  // namespace carom::systems
