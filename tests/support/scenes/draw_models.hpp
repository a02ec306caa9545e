// Columns of contact models for scenes: neutral ones, and random ones.
#pragma once

#include <limits>

#include "support/scenes/scene_of_columns.hpp"

namespace carom::scenes {

/// Adds all columns of models with neutral values, so that contacts behave as without models.
template <class T>
void add_neutral_models(SceneData<T>& scene, bool with_springs = false) {
  const std::size_t n = scene.contact_count();
  scene.friction_2 = scene.friction;
  scene.friction_direction = vectors<T>(n);
  scene.rolling_friction.assign(n, 0);
  scene.spinning_friction.assign(n, 0);
  scene.normal_compliance.assign(n, 0);
  scene.tangential_compliance.assign(n, 0);
  if (!with_springs) return;
  scene.stiffness.assign(n, std::numeric_limits<T>::infinity());
  scene.damping.assign(n, 0);
}

/// Random models: contacts of a manifold share their ellipse and have different lengths and compliances.
template <class T>
void draw_models(SceneData<T>& scene, std::uint64_t seed, bool with_springs = false) {
  support::Draw draw(seed + 77);
  add_neutral_models(scene, with_springs);
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    const bool follows = i > 0 && scene.body_a[i] == scene.body_a[i - 1] && scene.body_b[i] == scene.body_b[i - 1] &&
                         scene.normal[0][i] == scene.normal[0][i - 1] && scene.friction[i] == scene.friction[i - 1];
    if (follows) {
      scene.friction_2[i] = scene.friction_2[i - 1];
      put(scene.friction_direction, i, at(scene.friction_direction, i - 1));
    } else {
      if (draw.below(3) > 0) scene.friction_2[i] = scene.friction[i] * static_cast<T>(draw.log_uniform(2));
      if (draw.below(10) == 0) scene.friction_2[i] = 0;
      const Vector direction = draw.direction();
      put(scene.friction_direction, i, draw.uniform(0.1, 5) * direction);
    }
    if (draw.below(2) == 0) scene.rolling_friction[i] = static_cast<T>(draw.uniform(0, 0.2));
    if (draw.below(2) == 0) scene.spinning_friction[i] = static_cast<T>(draw.uniform(0, 0.2));
    if (draw.below(4) == 0) scene.normal_compliance[i] = static_cast<T>(draw.uniform(0, 1));
    if (draw.below(4) == 0) scene.tangential_compliance[i] = static_cast<T>(draw.uniform(0, 1));
    if (with_springs && draw.below(3) == 0) {
      scene.stiffness[i] = static_cast<T>(1000 * draw.log_uniform(2));
      scene.damping[i] = static_cast<T>(draw.below(2) == 0 ? 0 : draw.uniform(0, 50));
    }
  }
}

}  // namespace carom::scenes
