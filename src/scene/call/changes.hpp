// The forces of a step: SceneBodies::velocity_change and gravity.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"

namespace carom::scene {

/// Sets the velocity changes by forces of bodies [first, end), and adds them to the velocities of the records.
template <class T>
void take_changes(const Scene<T>& scene, const CallOptions& options, kernel::SceneJob<T>& job, std::size_t first,
                  std::size_t end) {
  const Vector3Columns<const T>&v = scene.bodies.velocity_change, &w = scene.bodies.angular_velocity_change;
  const Column<const T>* const columns[6] = {&v.x, &v.y, &v.z, &w.x, &w.y, &w.z};
  const T by_gravity[3] = {static_cast<T>(options.time_step * options.gravity[0]),
                           static_cast<T>(options.time_step * options.gravity[1]),
                           static_cast<T>(options.time_step * options.gravity[2])};
  for (std::size_t i = first; i < end; ++i) {
    T* const row = job.changes[i].numbers;
    T* const velocity = kernel::record_of(job.body_rows, static_cast<std::ptrdiff_t>(i)) + kernel::BodyRecord::velocity;
    const bool falls = scene.bodies.inverse_mass[i] > T(0);
    for (std::size_t c = 0; c < 6; ++c) {
      row[c] = v.x ? (*columns[c])[i] : T(0);
      if (falls && c < 3) row[c] += by_gravity[c];
      velocity[c] += row[c];
    }
    row[6] = row[7] = 0;
  }
}

/// Forces do not act on a body at fault.
template <class T>
void drop_changes_of_faults(const Scene<T>& scene, kernel::SceneJob<T>& job, std::size_t first, std::size_t end,
                            const std::uint8_t* fault) {
  const Vector3Columns<const T>&v = scene.bodies.velocity, &w = scene.bodies.angular_velocity;
  const Column<const T>* const columns[6] = {&v.x, &v.y, &v.z, &w.x, &w.y, &w.z};
  for (std::size_t i = first; i < end; ++i) {
    if (fault[i] == static_cast<std::uint8_t>(Status::ok)) continue;
    std::fill_n(job.changes[i].numbers, 6, T(0));
    T* const velocity = kernel::record_of(job.body_rows, static_cast<std::ptrdiff_t>(i)) + kernel::BodyRecord::velocity;
    for (std::size_t c = 0; c < 6; ++c) velocity[c] = job.velocities[i].numbers[c] = (*columns[c])[i];
  }
}

}  // namespace carom::scene
