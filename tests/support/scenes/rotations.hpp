// Rotation matrices.
#pragma once

#include <cmath>

#include "random/draw.hpp"

namespace carom::scenes {

/// Rotation by an angle about a unit axis.
inline support::Rows rotation(const support::Vector& axis, double angle) {
  const double s = std::sin(angle), c = std::cos(angle), d = 2 * std::sin(angle / 2) * std::sin(angle / 2);
  const auto [x, y, z] = axis;
  return {{{c + d * x * x, d * x * y - s * z, d * x * z + s * y},
           {d * x * y + s * z, c + d * y * y, d * y * z - s * x},
           {d * x * z - s * y, d * y * z + s * x, c + d * z * z}}};
}

}  // namespace carom::scenes
