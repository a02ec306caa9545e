// SceneBodies::velocity_change: the share of forces in the velocities of bodies.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernel/scene/scene_job.hpp"

namespace carom::scene {

/// Rows of bodies [first, end). A body with a number that is not finite is at fault, and does not move.
template <class T>
void take_changes(const Scene<T>& scene, kernel::VelocityRow<T>* rows, std::size_t first, std::size_t end,
                  std::uint8_t* fault, std::uint8_t* movable, T* energy) {
  const Vector3Columns<const T>&v = scene.bodies.velocity_change, &w = scene.bodies.angular_velocity_change;
  const Column<const T>* const columns[6] = {&v.x, &v.y, &v.z, &w.x, &w.y, &w.z};
  for (std::size_t i = first; i < end; ++i) {
    T* const row = rows[i].numbers;
    bool finite = true;
    for (std::size_t c = 0; c < 6; ++c) {
      row[c] = (*columns[c])[i];
      finite = finite && std::isfinite(row[c]);
    }
    row[6] = row[7] = 0;
    if (finite) continue;
    const bool nan = std::any_of(row, row + 6, [](T x) { return std::isnan(x); });
    if (fault[i] == static_cast<std::uint8_t>(Status::ok) || nan)
      fault[i] = static_cast<std::uint8_t>(nan ? Status::not_a_number : Status::infinite);
    movable[i] = 0;
    energy[i] = 0;
    std::fill_n(row, 6, T(0));
  }
}

}  // namespace carom::scene
