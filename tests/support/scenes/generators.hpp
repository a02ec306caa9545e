// Scenes that tests and benchmarks solve. Random ones have the same bits on every platform.
#pragma once

#include "support/scenes/scene_of_columns.hpp"

namespace carom::scenes {

/// Four corners of a rectangle in a horizontal plane, from corner (x0, y0) to corner (x1, y1): one manifold.
template <class T>
void add_manifold(SceneData<T>& scene, const Contact& contact, double x0, double x1, double y0, double y1, double z) {
  for (const double y : {y0, y1}) {
    for (const double x : {x0, x1}) {
      Contact point = contact;
      point.point = {x, y, z};
      scene.add(point);
    }
  }
}

/// A pyramid of unit cubes of 1 kg, `base` of them in the lowest row, each on two others, after `dt` [s] of free fall.
/// A base of 86 makes 29,584 points in 7396 manifolds of four.
template <class T>
SceneData<T> pyramid(int base, double friction = 0.5, double dt = 0.01) {
  SceneData<T> scene;
  std::vector<std::int32_t> row_below;
  for (int row = 0; row < base; ++row) {
    std::vector<std::int32_t> this_row;
    for (int i = 0; i < base - row; ++i) {
      const double x = i + 0.5 * row, z = row - 0.5;
      const std::int32_t a = scene.add(box(1, {1, 1, 1}, {x, 0, static_cast<double>(row)}, {0, 0, -9.81 * dt}));
      const auto on = [&](std::int32_t b, double x0, double x1) {
        add_manifold(scene, {.a = a, .b = b, .friction = friction}, x0, x1, -0.5, 0.5, z);
      };
      const auto at = static_cast<std::size_t>(i);
      if (row == 0) {
        on(world, x - 0.5, x + 0.5);
      } else {
        on(row_below[at], x - 0.5, x);
        on(row_below[at + 1], x, x + 0.5);
      }
      this_row.push_back(a);
    }
    row_below = this_row;
  }
  return scene;
}

/// Unit cubes on top of each other; a box has `ratio` times the mass of the box below it.
template <class T>
SceneData<T> stack(int boxes, double ratio = 1, double friction = 0.5, double dt = 0.01) {
  SceneData<T> scene;
  double mass = 1;
  for (int i = 0; i < boxes; ++i, mass *= ratio) {
    const std::int32_t a = scene.add(box(mass, {1, 1, 1}, {0, 0, static_cast<double>(i)}, {0, 0, -9.81 * dt}));
    add_manifold(scene, {.a = a, .b = a - 1, .friction = friction}, -0.5, 0.5, -0.5, 0.5, i - 0.5);
  }
  return scene;
}

/// A cube of 1 kg with one of 1000 kg on top of it.
template <class T>
SceneData<T> sandwich(double dt = 0.01) {
  return stack<T>(2, 1000, 0.5, dt);
}

/// Equal spheres of 1 kg in a row along x that touch each other, with these velocities along x; the normal of contact i
/// points from sphere i + 1 to sphere i.
template <class T>
SceneData<T> row_of_balls(const std::vector<double>& speeds, double restitution = 1) {
  SceneData<T> scene;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    Body ball;  // of radius 1/2: I = 2/5 m r² = 1/10
    ball.inverse_inertia = {10, 0, 0, 10, 0, 10};
    ball.velocity = {speeds[i], 0, 0};
    ball.position = {static_cast<double>(i), 0, 0};
    const std::int32_t b = scene.add(ball);
    if (i > 0) scene.add(Contact{b - 1, b, {-1, 0, 0}, {static_cast<double>(i) - 0.5, 0, 0}, 0, restitution});
  }
  return scene;
}

/// The first `moving` of `balls` come in at 1 m/s.
template <class T>
SceneData<T> newtons_cradle(std::size_t balls, std::size_t moving) {
  std::vector<double> speeds(balls, 0.0);
  std::fill_n(speeds.begin(), moving, 1.0);
  return row_of_balls<T>(speeds);
}

/// A unit cube of 1 kg that comes at a wall along x with both corners of one side; all of it happens in the plane of x
/// and y. Contact 0 is at +1/2, contact 1 at -1/2.
template <class T>
SceneData<T> cube_against_wall(double speed = 3, double restitution = 1) {
  SceneData<T> scene;
  const std::int32_t cube = scene.add(box(1, {1, 1, 1}, {0, 0, 0}, {0, -speed, 0}));
  scene.add(Contact{cube, world, {0, 1, 0}, {0.5, -0.5, 0}, 0, restitution});
  scene.add(Contact{cube, world, {0, 1, 0}, {-0.5, -0.5, 0}, 0, restitution});
  return scene;
}

/// A thin rod of 1 kg and length 2 along x that falls at 1 m/s onto a table: contact 0 at x = 1, contact 1 at x = -1.
template <class T>
SceneData<T> falling_rod(double restitution) {
  SceneData<T> scene;
  Body rod;  // m (2l)² / 12 = 1/3 about y and z, and almost 0 about x
  rod.inverse_inertia = {3e3, 0, 0, 3, 0, 3};
  rod.velocity = {0, 0, -1};
  const std::int32_t a = scene.add(rod);
  scene.add(Contact{a, world, {0, 0, 1}, {1, 0, 0}, 0, restitution});
  scene.add(Contact{a, world, {0, 0, 1}, {-1, 0, 0}, 0, restitution});
  return scene;
}

struct RandomSceneOptions {
  std::size_t min_bodies = 2, max_bodies = 5, max_contacts = 10;
  double friction_limit = 1, max_restitution = 1;
  bool with_world = true;  ///< a quarter of the contacts are with the world
  bool with_joints = false;
};

/// A box of random size, mass and orientation, somewhere in a cube of 4 m.
inline Body random_box(support::Draw& draw) {
  const Vector edges = {draw.uniform(0.5, 1.5), draw.uniform(0.5, 1.5), draw.uniform(0.5, 1.5)};
  // Arguments of a call would be drawn in an order of the compiler's.
  const Vector position = {draw.uniform(-2, 2), draw.uniform(-2, 2), draw.uniform(-2, 2)};
  const double mass = draw.log_uniform(1);
  Body body = box(mass, edges, position);
  const std::array<double, 6>& d = body.inverse_inertia;
  body.inverse_inertia = support::turned_diagonal(draw.rotation(), {d[0], d[3], d[5]});
  body.velocity = draw.bell3(1);
  body.angular_velocity = draw.bell3(1);
  return body;
}

/// A few boxes with contacts between random pairs, one to four of them side by side.
template <class T>
SceneData<T> random_scene(std::uint64_t seed, const RandomSceneOptions& options = {}) {
  support::Draw draw(seed);
  SceneData<T> scene;
  const std::size_t bodies = options.min_bodies + draw.below(options.max_bodies - options.min_bodies + 1);
  for (std::size_t i = 0; i < bodies; ++i) scene.add(random_box(draw));
  const auto other_than = [&](std::size_t a) { return (a + 1 + draw.below(bodies - 1)) % bodies; };

  const std::size_t wanted = 1 + draw.below(options.max_contacts);
  while (scene.contact_count() < wanted) {
    const std::size_t a = draw.below(bodies);
    const bool grounded = bodies == 1 || (options.with_world && draw.below(4) == 0);
    const std::size_t b = grounded ? 0 : other_than(a);
    const Vector from = grounded ? scene.position[a] + draw.direction() : scene.position[b];
    const Vector between = scene.position[a] - from, middle = 0.5 * (scene.position[a] + from);
    const Vector tilted = (1 / length(between)) * between + 0.5 * draw.direction();
    Contact contact{static_cast<std::int32_t>(a), grounded ? world : static_cast<std::int32_t>(b),
                    (1 / length(tilted)) * tilted};
    contact.friction = draw.uniform(0, options.friction_limit);
    contact.restitution = draw.uniform(0, options.max_restitution);
    for (std::size_t points = 1 + draw.below(4); points > 0 && scene.contact_count() < wanted; --points) {
      contact.point = middle + 0.4 * draw.direction();
      scene.add(contact);
    }
  }
  if (options.with_joints) {
    for (std::size_t joints = 1 + draw.below(2); joints > 0; --joints) {
      const std::size_t a = draw.below(bodies);
      const bool grounded = bodies == 1 || (options.with_world && draw.below(4) == 0);
      const std::size_t b = grounded ? 0 : other_than(a);
      const Vector offset = 0.5 * draw.direction();
      const Vector point =
          grounded ? scene.position[a] + offset : 0.5 * (scene.position[a] + scene.position[b]) + offset;
      JointBodies<T> pair;
      pair.a = static_cast<std::int32_t>(a);
      pair.b = grounded ? world : static_cast<std::int32_t>(b);
      for (std::size_t c = 0; c < 3; ++c) {
        pair.r_a[c] = static_cast<T>(point[c] - scene.position[a][c]);
        pair.r_b[c] = grounded ? T(0) : static_cast<T>(point[c] - scene.position[b][c]);
      }
      const auto axis = vector_of<T>(draw.direction());
      switch (draw.below(4)) {
        case 0:
          add_ball_joint(scene.joints, pair);
          break;
        case 1:
          add_hinge(scene.joints, pair, axis);
          break;
        case 2:
          add_motor(scene.joints, pair, axis, T(1), T(0.5));
          break;
        default:
          add_distance_joint(scene.joints, pair, axis);
          break;
      }
    }
  }
  return scene;
}

/// Independent stacks of cubes on the world, one an island, each of `least` to `most` contacts: four to a manifold, the
/// uppermost one may have fewer. Everything falls, with some disorder.
template <class T>
SceneData<T> islands(std::size_t count, std::size_t least, std::size_t most, std::uint64_t seed, double friction = 0.4,
                     double restitution = 0.5) {
  support::Draw draw(seed);
  SceneData<T> scene;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t left = least + draw.below(most - least + 1);
    const double x = 3 * static_cast<double>(i);
    std::int32_t below = world;
    for (double z = 0; left > 0; z += 1) {
      Body cube = box(draw.log_uniform(0.5), {1, 1, 1}, {x, 0, z}, {0, 0, -1});
      cube.velocity = cube.velocity + draw.bell3(0.2);
      cube.angular_velocity = draw.bell3(0.2);
      const std::int32_t a = scene.add(cube);
      Contact contact{a, below, {0, 0, 1}, {}, friction, restitution};
      const Vector corners[] = {
          {x - 0.5, -0.5, z - 0.5}, {x + 0.5, -0.5, z - 0.5}, {x - 0.5, 0.5, z - 0.5}, {x + 0.5, 0.5, z - 0.5}};
      for (std::size_t c = 0; c < 4 && left > 0; ++c, --left) {
        contact.point = corners[c];
        scene.add(contact);
      }
      below = a;
    }
  }
  return scene;
}

/// Cubes of 1 kg piled up in a bin of five immovable bodies: one island of `contacts` points, some 2.5 for a pair of
/// bodies, whose normals are not all equal. Has the statistics of captured piles.
template <class T>
SceneData<T> pile(std::size_t contacts, std::uint64_t seed = 1) {
  support::Draw draw(seed);
  SceneData<T> scene;
  // Pairs come in the order of the bodies, as from a broad phase, and grow with the number of layers.
  constexpr std::size_t side = 10;
  const double dt = 0.005;
  for (int wall = 0; wall < 5; ++wall) {
    Body body;
    body.inverse_mass = 0;
    body.inverse_inertia = {};
    scene.add(body);
  }
  const auto touch = [&](std::int32_t a, std::int32_t b, const Vector& direction, const Vector& middle) {
    const Vector tilted = direction + 0.4 * draw.direction();
    Vector normal = (1 / length(tilted)) * tilted;
    for (std::size_t points = 1 + draw.below(4); points > 0 && scene.contact_count() < contacts; --points) {
      // Edges on faces have points with other normals.
      if (draw.below(4) == 0) {
        const Vector turned = normal + 0.1 * draw.direction();
        normal = (1 / length(turned)) * turned;
      }
      scene.add(Contact{a, b, normal, middle + 0.3 * draw.direction(), 0.1, 0.48});
    }
  };
  for (std::size_t i = 0; scene.contact_count() < contacts; ++i) {
    const std::size_t x = i % side, y = i / side % side, z = i / (side * side);
    const auto number = [](std::size_t k) { return static_cast<double>(k); };
    Body cube = box(1, {1, 1, 1}, {number(x), number(y), number(z)}, {0, 0, -9.81 * dt});
    cube.velocity = cube.velocity + draw.bell3(0.05);
    cube.angular_velocity = draw.bell3(0.1);
    const std::int32_t a = scene.add(cube);
    const Vector& at_cube = cube.position;
    const auto neighbour = [&](std::size_t back, const Vector& direction) {
      const auto b = a - static_cast<std::int32_t>(back);
      touch(a, b, direction, at_cube - 0.5 * direction);
    };
    const auto wall = [&](std::int32_t b, const Vector& direction) {
      touch(a, b, direction, at_cube - 0.5 * direction);
    };
    if (x > 0) neighbour(1, {1, 0, 0});
    if (y > 0) neighbour(side, {0, 1, 0});
    if (z > 0) neighbour(side * side, {0, 0, 1});
    if (z > 0 && x > 0 && draw.below(2) == 0) neighbour(side * side + 1, {0.7, 0, 0.7});
    if (z > 0 && y > 0 && draw.below(2) == 0) neighbour(side * side + side, {0, 0.7, 0.7});
    if (z == 0) wall(0, {0, 0, 1});
    if (x == 0) wall(1, {1, 0, 0});
    if (x == side - 1) wall(2, {-1, 0, 0});
    if (y == 0) wall(3, {0, 1, 0});
    if (y == side - 1) wall(4, {0, -1, 0});
  }
  return scene;
}

/// A chain of rods that hangs from the world along x, link to link by ball joints, after `dt` of free fall.
template <class T>
SceneData<T> chain(int links, double dt = 0.01) {
  SceneData<T> scene;
  for (int i = 0; i < links; ++i) {
    const std::int32_t a = scene.add(box(1, {1, 0.2, 0.2}, {i + 0.5, 0, 0}, {0, 0, -9.81 * dt}));
    add_ball_joint(scene.joints, JointBodies<T>{a, a - 1, {T(-0.5), 0, 0}, {i == 0 ? T(0) : T(0.5), 0, 0}});
  }
  return scene;
}

}  // namespace carom::scenes
