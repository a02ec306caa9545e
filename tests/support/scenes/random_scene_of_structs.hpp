// Random scenes: boxes that touch near the middle between them, so that their angular momentum is kept as well.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/draw.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::support {

struct RandomScene {
  SceneData<double> data;
  std::vector<Vector> position;  ///< [m] of the centres of mass
};

/// Parameters of a random scene.
struct SceneKind {
  std::size_t bodies = 8, manifolds = 10;
  double restitution_limit = 1, max_friction = 1;
  double spread = 0.7;    ///< [m] of the centres of mass; boxes have sides of about 1 m
  bool immovable = true;  ///< one body in six is immovable, except the first one, and one in three of these moves
};

/// Manifolds of one to four points between random pairs. The same seed gives the same scene on every platform.
inline RandomScene random_scene(std::uint64_t seed, const SceneKind& kind = {}) {
  Draw draw(seed);
  RandomScene scene;
  for (std::size_t i = 0; i < kind.bodies; ++i) {
    SceneBody<double> body;
    const double mass = draw.log_uniform(1.5);
    const Vector side{draw.uniform(0.5, 1.5), draw.uniform(0.5, 1.5), draw.uniform(0.5, 1.5)};
    const Rows r = draw.rotation();
    body.velocity = draw.bell3(1);
    body.angular_velocity = draw.bell3(1);
    scene.position.push_back(draw.bell3(kind.spread));
    const bool is_immovable = draw.below(6) == 0 && kind.immovable && i > 0, moves = draw.below(3) == 0;
    if (is_immovable) {
      body.inverse_mass = 0;
      body.inverse_inertia = {};
      if (!moves) body.velocity = body.angular_velocity = {};
    } else {
      Vector inverse;
      for (std::size_t j = 0; j < 3; ++j) {
        const double x = side[(j + 1) % 3], y = side[(j + 2) % 3];
        inverse[j] = 12 / (mass * (x * x + y * y));
      }
      body.inverse_mass = 1 / mass;
      body.inverse_inertia = turned_diagonal(r, inverse);
    }
    scene.data.add_body(body);
  }
  const auto is_movable = [&](std::size_t i) { return scene.data.bodies[i].inverse_mass > 0; };
  for (std::size_t made = 0; made < kind.manifolds;) {
    const std::size_t a = draw.below(kind.bodies), b = draw.below(kind.bodies), points = 1 + draw.below(4);
    if (a == b || (!is_movable(a) && !is_movable(b))) continue;
    ++made;
    SceneContact<double> contact;
    contact.body_a = static_cast<std::int32_t>(a);
    contact.body_b = static_cast<std::int32_t>(b);
    contact.friction = draw.uniform(0, kind.max_friction);
    contact.restitution = draw.uniform(0, kind.restitution_limit);
    const Vector &xa = scene.position[a], &xb = scene.position[b];
    const double distance = length(xa - xb);
    const Vector aside = draw.direction();
    Vector n;
    for (std::size_t j = 0; j < 3; ++j) n[j] = (xa[j] - xb[j]) / distance + 0.3 * aside[j];
    const double size = length(n);
    for (std::size_t j = 0; j < 3; ++j) contact.normal[j] = n[j] / size;
    for (std::size_t i = 0; i < points; ++i) {
      const Vector off = draw.bell3(0.3);
      for (std::size_t j = 0; j < 3; ++j) {
        const double point = 0.5 * (xa[j] + xb[j]) + off[j];
        contact.r_a[j] = point - xa[j];
        contact.r_b[j] = point - xb[j];
      }
      scene.data.add_contact(contact);
    }
  }
  return scene;
}

}  // namespace carom::support
