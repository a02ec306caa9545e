// A chain with a heavy weight, moved step by step.
#pragma once

#include <algorithm>
#include <carom/joints.hpp>
#include <cmath>
#include <vector>

#include "support/scenes/substeps.hpp"

namespace carom::scenes {

/// Rods of 1 kg and 0.5 m that ball joints hold, the first at the origin, and a cube of 100 kg at the end.
struct RodChain {
  static constexpr int rods = 20;
  static constexpr double reach = 0.25;  ///< [m] half of a rod, and of the cube
  std::vector<MovingBox> bodies;

  /// It hangs straight down, and gravity pulls at an angle to it.
  explicit RodChain(double angle) : gravity_{g * std::sin(angle), 0, -g * std::cos(angle)} {
    for (int i = 0; i < rods; ++i) bodies.push_back({1, {0.1, 0.1, 0.5}, {0, 0, -(2 * i + 1) * reach}});
    bodies.push_back({100, {0.5, 0.5, 0.5}, {0, 0, -(2 * rods + 1) * reach}});
  }

  Vector arm(std::size_t body, double side) const { return bodies[body].orientation * Vector{0, 0, side * reach}; }
  /// Distance of the previous body's point from the body's point: joint i holds body i.
  Vector error(std::size_t i) const {
    const Vector before = i == 0 ? Vector{} : bodies[i - 1].position + arm(i - 1, -1);
    return bodies[i].position + arm(i, 1) - before;
  }

  /// Substeps by default; by sweeps rows take a share of their errors away by their targets.
  MethodOptions options = in_substeps();
  double share = 0.2;
  bool is_free = false;  ///< no joint holds the first body, and no gravity acts

  template <class T>
  void step(SceneSolver& solver) {
    BoxWorld world_of_boxes;
    world_of_boxes.boxes = bodies;
    SceneData<T> now = world_of_boxes.scene<T>();
    now.velocity_change = now.angular_velocity_change = vectors<T>(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Vector forces = is_free ? Vector{} : h * gravity_;
      put(now.velocity_change, i, forces);
      if (is_free && i == 0) continue;
      JointBodies<T> pair{static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) - 1, vector_of<T>(arm(i, 1)), {}};
      if (i > 0) pair.r_b = vector_of<T>(arm(i - 1, -1));
      const std::size_t first = add_ball_joint(now.joints, pair);
      for (std::size_t c = 0; c < 3; ++c) {
        const T lacks = vector_of<T>(error(i))[c];
        if (moves())
          now.joints.rows[first + c].position_error = lacks;
        else
          now.joints.rows[first + c].target_velocity = static_cast<T>(-share / h) * lacks;
        now.joints.rows[first + c].key = 3 * i + c + 1;
      }
    }
    SceneArrays<T> arrays(now);
    solver.solve(now.view(options), arrays.view(), options);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      MovingBox& moving = bodies[i];
      moving.velocity = at(arrays.velocity, i);
      moving.angular_velocity = at(arrays.angular_velocity, i);
      if (moves())
        moving.move(at(arrays.displacement, i), at(arrays.rotation, i));
      else
        moving.move(h * moving.velocity, h * moving.angular_velocity);
    }
  }

  struct Errors {
    double mean = 0, peak = 0;  ///< [m], the mean over the second half
  };
  template <class T>
  Errors run(int steps) {
    SceneSolver solver({.threads = 1});
    Errors errors;
    int counted = 0;
    for (int k = 0; k < steps; ++k) {
      step<T>(solver);
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double size = length(error(i));
        errors.peak = std::max(errors.peak, size);
        if (k < steps / 2) continue;
        errors.mean += size;
        ++counted;
      }
    }
    errors.mean /= counted;
    return errors;
  }

 private:
  bool moves() const { return options.moves(); }

  Vector gravity_;
};

}  // namespace carom::scenes
