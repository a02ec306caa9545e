// Boxes on a plane or on each other, moved step by step: contacts come from the positions of a few points of the upper
// box over the face below, without an engine. Faces are large: a point stays above the face it began on.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/scenes/rotations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {

using support::Rows;

struct MovingBox {
  double mass = 1;
  Vector edges = {1, 1, 1};
  Vector position{};
  Rows orientation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector velocity{}, angular_velocity{};

  Vector up() const { return {orientation[0][2], orientation[1][2], orientation[2][2]}; }
  /// [kg m²] in the world frame
  Rows inertia() const {
    Rows made{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = edges[(k + 1) % 3], b = edges[(k + 2) % 3], principal = mass * (a * a + b * b) / 12;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) made[i][j] += orientation[i][k] * principal * orientation[j][k];
    }
    return made;
  }
  double kinetic_energy() const {
    return (mass * dot(velocity, velocity) + dot(angular_velocity, inertia() * angular_velocity)) / 2;
  }
  void move(const Vector& by, const Vector& turn) {
    position = position + by;
    if (const double angle = length(turn); angle > 0) orientation = rotation((1 / angle) * turn, angle) * orientation;
  }
};

struct BoxWorld {
  /// The points are in the frame of the upper box, on its lower face; the lower one is a box or the world.
  struct Support {
    std::int32_t upper, lower;
    std::array<Vector, 4> points;
  };

  std::vector<MovingBox> boxes;
  std::vector<Support> supports;
  Vector plane = {0, 0, 1};  ///< the normal of the world's plane, which goes through the origin
  Vector gravity = {0, 0, -9.81};
  double friction = 0.5, static_friction = 0.5, restitution = 0;
  std::vector<std::int32_t> substeps;  ///< of the islands of the supports in the last step_in_substeps

  /// Puts a box on `lower`, with contacts at the corners from (x0, y0) to (x1, y1) of its lower face.
  void rest(std::int32_t upper, std::int32_t lower, double x0, double x1, double y0, double y1) {
    const double z = -boxes[static_cast<std::size_t>(upper)].edges[2] / 2;
    supports.push_back({upper, lower, {{{x0, y0, z}, {x1, y0, z}, {x0, y1, z}, {x1, y1, z}}}});
  }

  template <class T>
  SceneData<T> scene() const {
    SceneData<T> made;
    for (const MovingBox& moving : boxes) {
      Body body = box(moving.mass, moving.edges, moving.position, moving.velocity);
      body.angular_velocity = moving.angular_velocity;
      const std::array<double, 6>& d = body.inverse_inertia;
      body.inverse_inertia = support::turned_diagonal(moving.orientation, {d[0], d[3], d[5]});
      made.add(body);
    }
    std::uint64_t key = 0;
    for (const Support& support : supports) {
      const MovingBox& upper = boxes[static_cast<std::size_t>(support.upper)];
      const MovingBox* lower = support.lower < 0 ? nullptr : &boxes[static_cast<std::size_t>(support.lower)];
      const Vector normal = lower == nullptr ? plane : lower->up();
      const Vector face = lower == nullptr ? Vector{} : lower->position + lower->edges[2] / 2 * normal;
      for (const Vector& point : support.points) {
        const Vector arm = upper.orientation * point;
        const double separation = dot(upper.position + arm - face, normal);
        const std::size_t c = made.add(Contact{support.upper, support.lower, normal, {}, friction, restitution});
        put(made.r_a, c, arm);
        if (lower != nullptr) put(made.r_b, c, upper.position + arm - separation * normal - lower->position);
        made.separation.push_back(static_cast<T>(separation));
        if (static_friction != friction) made.static_friction.push_back(static_cast<T>(static_friction));
        made.key.push_back(++key);
      }
    }
    return made;
  }

  template <class T>
  void take(const SceneArrays<T>& arrays) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].velocity = at(arrays.velocity, i);
      boxes[i].angular_velocity = at(arrays.angular_velocity, i);
    }
  }

  /// Positions after `h`, of bodies that are accelerated by `acceleration` meanwhile.
  void move(double h, const Vector& acceleration) {
    for (MovingBox& moving : boxes) {
      moving.position = moving.position + h * moving.velocity + h * h / 2 * acceleration;
      moving.velocity = moving.velocity + h * acceleration;
      const double speed = length(moving.angular_velocity);
      if (speed > 0)
        moving.orientation = rotation((1 / speed) * moving.angular_velocity, h * speed) * moving.orientation;
    }
  }

  /// A step of Procedure::both_phases: collisions, contacts at rest, then the bodies' own motion under gravity.
  template <class T>
  SceneReport step(SceneSolver& solver, MethodOptions options, double h) {
    options.method = Procedure::both_phases;
    options.time_step = h;
    options.gravity = gravity;
    const SceneData<T> now = scene<T>();
    SceneArrays<T> arrays(now);
    const SceneReport report = solver.solve(now.view(options), arrays.view(), options);
    take(arrays);
    move(h, {});
    return report;
  }

  /// A step as in engines: gravity goes into the velocities, targets let contacts close their gap or lose a fifth of
  /// their overlap, and the bodies move with the new velocities.
  template <class T>
  SceneReport step_with_targets(SceneSolver& solver, const MethodOptions& options, double h) {
    for (MovingBox& moving : boxes) moving.velocity = moving.velocity + h * gravity;
    SceneData<T> now = scene<T>();
    for (const T separation : now.separation)
      now.target_velocity.push_back(static_cast<T>(-static_cast<double>(separation) / h * (separation > 0 ? 1 : 0.2)));
    SceneArrays<T> arrays(now);
    const SceneReport report = solver.solve(now.view(options), arrays.view(), options);
    take(arrays);
    move(h, {});
    return report;
  }

  /// The scene of a step in substeps, with gravity over `h` for boxes with a finite mass.
  template <class T>
  SceneData<T> scene_with_forces(double h) const {
    SceneData<T> now = scene<T>();
    now.velocity_change = now.angular_velocity_change = vectors<T>(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Vector forces = std::isinf(boxes[i].mass) ? Vector{} : h * gravity;
      put(now.velocity_change, i, forces);
    }
    return now;
  }

  /// Takes the velocities and the motion of a step in substeps. Contacts with a fault, and contacts that a test has
  /// left out, have no island and no substeps.
  template <class T>
  void take_motion(const SceneArrays<T>& arrays) {
    take(arrays);
    substeps.clear();
    for (std::size_t s = 0; s < supports.size(); ++s) {
      const std::int32_t island = 4 * s < arrays.island.size() ? arrays.island[4 * s] : -1;
      substeps.push_back(island < 0 ? 0 : arrays.island_substeps[static_cast<std::size_t>(island)]);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i].move(at(arrays.displacement, i), at(arrays.rotation, i));
  }

  /// A step in substeps, or in one piece if the options say so: gravity goes into the velocities of boxes with a finite
  /// mass, the scene has the gaps of the contacts, and the bodies take the motion of the results.
  template <class T>
  SceneReport step_in_substeps(SceneSolver& solver, MethodOptions options, double h) {
    if (!(options.pgs.position_correction)) options.method = Procedure::substeps;
    options.time_step = h;
    const SceneData<T> now = scene_with_forces<T>(h);
    SceneArrays<T> arrays(now);
    const SceneReport report = solver.solve(now.view(options), arrays.view(), options);
    take_motion(arrays);
    return report;
  }

  double kinetic_energy() const {
    double energy = 0;
    for (const MovingBox& moving : boxes) {
      energy += moving.mass * dot(moving.velocity, moving.velocity) / 2;
      // The largest moment of inertia bounds the rest.
      const double edges = dot(moving.edges, moving.edges);
      energy += moving.mass * edges / 12 * dot(moving.angular_velocity, moving.angular_velocity) / 2;
    }
    return energy;
  }
};

/// Unit cubes on top of each other, the lowest on the world.
inline BoxWorld box_stack(int boxes, double ratio = 1) {
  BoxWorld made;
  double mass = 1;
  for (int i = 0; i < boxes; ++i, mass *= ratio) {
    made.boxes.push_back({mass, {1, 1, 1}, {0, 0, i + 0.5}});
    made.rest(i, i - 1, -0.5, 0.5, -0.5, 0.5);
  }
  return made;
}

/// A pyramid of unit cubes, each half on two others.
inline BoxWorld box_pyramid(int base) {
  BoxWorld made;
  std::int32_t below = 0, next = 0;
  for (int row = 0; row < base; ++row) {
    const std::int32_t first = next;
    for (int i = 0; i < base - row; ++i, ++next) {
      made.boxes.push_back({1, {1, 1, 1}, {i + 0.5 * row, 0, row + 0.5}});
      if (row == 0) {
        made.rest(next, world, -0.5, 0.5, -0.5, 0.5);
      } else {
        made.rest(next, below + i, -0.5, 0, -0.5, 0.5);
        made.rest(next, below + i + 1, 0, 0.5, -0.5, 0.5);
      }
    }
    below = first;
  }
  return made;
}

/// A flat block on a plane that falls by `angle` along x, moving down at `speed`.
inline BoxWorld block_on_incline(double angle, double friction, double speed) {
  BoxWorld made;
  made.friction = made.static_friction = friction;
  const Rows tilted = rotation({0, 1, 0}, angle);
  made.plane = tilted * Vector{0, 0, 1};
  const Vector edges = {1, 0.8, 0.2}, down = tilted * Vector{1, 0, 0};
  made.boxes.push_back({2, edges, 0.1 * made.plane, tilted, speed * down});
  made.rest(0, world, -0.5, 0.5, -0.4, 0.4);
  return made;
}

}  // namespace carom::scenes
