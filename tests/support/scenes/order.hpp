// The contacts and rows of a scene in another order.
#pragma once

#include <utility>
#include <vector>

#include "support/scenes/scene_of_columns.hpp"

namespace carom::scenes {

/// Calls f on every column of contacts that there is.
template <class T, class F>
void each_contact_column(SceneData<T>& scene, const F& f) {
  const auto optional = [&](auto& column) {
    if (!column.empty()) f(column);
  };
  const auto vector = [&](auto& columns) {
    for (auto& column : columns) optional(column);
  };
  f(scene.body_a), f(scene.body_b), f(scene.friction), f(scene.restitution), f(scene.tangential_restitution);
  vector(scene.normal), vector(scene.r_a), vector(scene.r_b);
  optional(scene.static_friction), optional(scene.separation), optional(scene.frequency), optional(scene.damping_ratio);
  optional(scene.slop), optional(scene.target_velocity);
  vector(scene.surface_velocity), vector(scene.warm_impulse);
  optional(scene.friction_2), optional(scene.rolling_friction), optional(scene.spinning_friction);
  optional(scene.normal_compliance), optional(scene.tangential_compliance);
  optional(scene.stiffness), optional(scene.damping);
  vector(scene.friction_direction), vector(scene.warm_angular_impulse);
  optional(scene.key), optional(scene.law);
}

/// The contacts and rows with these numbers, in their order.
template <class T>
SceneData<T> reordered(const SceneData<T>& scene, const std::vector<std::size_t>& contacts,
                       const std::vector<std::size_t>& rows) {
  SceneData<T> to = scene;
  each_contact_column(to, [&](auto& column) {
    const auto from = column;
    column.clear();
    for (const std::size_t i : contacts) column.push_back(from[i]);
  });
  to.joints.rows.clear();
  for (const std::size_t i : rows) to.joints.rows.push_back(scene.joints.rows[i]);
  return to;
}

template <class Item>
void shuffle(support::Draw& draw, std::vector<Item>& items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[draw.below(i)]);
}

/// The numbers of [0, n) and of [n, n + m), which keep their order among themselves, mixed by chance.
inline std::vector<std::size_t> mixed(support::Draw& draw, std::size_t n, std::size_t m) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0, j = n; i < n || j < n + m;)
    order.push_back(j == n + m || (i < n && draw.below(2) == 0) ? i++ : j++);
  return order;
}

}  // namespace carom::scenes
