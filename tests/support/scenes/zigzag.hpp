// Chains of ball joints in all directions, and joints whose first three rows are not solved at once.
#pragma once

#include "support/scenes/generators.hpp"

namespace carom::scenes {

/// Rods of 1 kg and 0.5 m that hang from the world, each in a random direction.
template <class T>
SceneData<T> zigzag(int links, std::uint64_t seed) {
  support::Draw draw(seed);
  SceneData<T> scene;
  Vector before{};  // from the middle of the rod before to its end
  for (std::int32_t i = 0; i < links; ++i) {
    const Vector axis = draw.direction();
    // A rod of 0.1 m across: 1/J of it crosswise and lengthwise.
    const double crosswise = 12 / (0.25 + 0.01), lengthwise = 12 / 0.02;
    const auto j = [&](std::size_t r, std::size_t c) {
      return (r == c ? crosswise : 0) + (lengthwise - crosswise) * axis[r] * axis[c];
    };
    scene.add({1, {j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)}, draw.bell3(1), draw.bell3(1)});
    JointBodies<T> pair{i, i - 1, {}, {}};
    for (std::size_t c = 0; c < 3; ++c) {
      pair.r_a[c] = static_cast<T>(-0.25 * axis[c]);
      pair.r_b[c] = static_cast<T>(before[c]);
    }
    add_ball_joint(scene.joints, pair);
    before = 0.25 * axis;
  }
  return scene;
}

/// Same, but at random, three rows of a joint are free, have a bound or compliance, or two of them are equal.
template <class T>
SceneData<T> odd_zigzag(int links, std::uint64_t seed) {
  SceneData<T> scene = zigzag<T>(links, seed);
  support::Draw draw(seed + 1);
  for (std::size_t i = 0; i + 3 <= scene.row_count(); i += 3) {
    auto& row = scene.joints.rows[i + draw.below(3)];
    switch (draw.below(4)) {
      case 0:
        row.max_impulse = T(0.1);
        break;
      case 1:
        row.compliance = T(0.5);
        break;
      case 2:
        scene.joints.rows[i + 1] = scene.joints.rows[i];
        break;
      default:
        break;
    }
  }
  return scene;
}

}  // namespace carom::scenes
