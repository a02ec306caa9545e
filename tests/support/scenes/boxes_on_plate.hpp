// A body with many contacts: boxes on one movable plate.
#pragma once

#include "support/scenes/generators.hpp"

namespace carom::scenes {

/// Boxes of 1 kg that fall at 1 m/s on one plate of this mass, in a square grid. With disorder the boxes are anywhere
/// on the plate, and their velocities deviate by this amount. All contacts, four per box, form one island.
template <class T>
SceneData<T> boxes_on_plate(std::size_t boxes, double mass, double disorder = 0) {
  support::Draw draw(7);
  SceneData<T> scene;
  std::size_t side = 1;
  while (side * side < boxes) ++side;
  const double edge = 1.25 * static_cast<double>(side);
  scene.add(box(mass, {edge, edge, 1}, {edge / 2, edge / 2, 0}));
  for (std::size_t i = 0; i < boxes; ++i) {
    const bool drawn = disorder > 0;
    const double x = drawn ? draw.uniform(0, edge) : 1.25 * static_cast<double>(i % side);
    const double y = drawn ? draw.uniform(0, edge) : 1.25 * static_cast<double>(i / side);
    Body cube = box(1, {1, 1, 1}, {x, y, 1}, {0, 0, -1});
    cube.velocity = cube.velocity + draw.bell3(disorder);
    cube.angular_velocity = draw.bell3(disorder);
    const std::int32_t a = scene.add(cube);
    add_manifold(scene, {.a = a, .b = 0, .friction = 0.4, .restitution = 0.3}, x - 0.5, x + 0.5, y - 0.5, y + 0.5, 0.5);
  }
  return scene;
}

}  // namespace carom::scenes
