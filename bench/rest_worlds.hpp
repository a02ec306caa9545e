// Worlds that come to rest: boxes on the ground and on each other, and chains; and their steps under carom.
#pragma once

#include <carom/scene.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "probe/motion_world.hpp"

namespace carom::bench {

using probe::JointType;
using probe::MotionBody;
using probe::MotionWorld;

inline constexpr double time_step = 1.0 / 60;

inline MotionWorld on_ground() {
  MotionWorld made;
  made.gravity = {0, 0, -9.81};
  made.planes.push_back({});
  return made;
}

inline void add_box(MotionWorld& world, const support::Vector& position, double mass = 1,
                    const support::Vector& half = {0.5, 0.5, 0.5}) {
  MotionBody made;
  made.mass = mass;
  made.half = half;
  made.position = position;
  world.bodies.push_back(made);
}

inline MotionWorld tower(int boxes, double top = 1) {
  MotionWorld made = on_ground();
  for (int i = 0; i < boxes; ++i) add_box(made, {0, 0, i + 0.5}, i + 1 == boxes ? top : 1);
  return made;
}

inline MotionWorld pyramid(int base) {
  MotionWorld made = on_ground();
  for (int row = 0; row < base; ++row)
    for (int i = 0; i < base - row; ++i) add_box(made, {1.04 * (i + 0.5 * row), 0, row + 0.5});
  return made;
}

/// A running bond, with half boxes at the ends of every other row.
inline MotionWorld wall(int side) {
  MotionWorld made = on_ground();
  for (int row = 0; row < side; ++row)
    for (int i = 0; i < side; ++i) {
      const bool is_shifted = row % 2 == 1, is_last = is_shifted && i + 1 == side;
      add_box(made, {1.02 * (i + (is_shifted && !is_last ? 0.5 : 0)), 0, row + 0.5});
      if (!is_last) continue;
      made.bodies.back().half[0] = 0.25;
      made.bodies.back().position[0] = 1.02 * (side - 1) + 0.25;
      add_box(made, {-0.25, 0, row + 0.5}, 1, {0.25, 0.5, 0.5});
    }
  return made;
}

inline MotionWorld boxes_apart(int boxes) {
  MotionWorld made = on_ground();
  for (int i = 0; i < boxes; ++i) add_box(made, {3.0 * (i % 40), 3.0 * (i / 40), 0.5});
  return made;
}

inline void join(MotionWorld& world, std::int32_t a, std::int32_t b, const support::Vector& at_a,
                 const support::Vector& at_b) {
  probe::MotionJoint joint{a, b, JointType::ball};
  joint.at_a = at_a;
  joint.at_b = at_b;
  world.joints.push_back(joint);
}

/// Twelve bodies in a row on the ground.
inline MotionWorld ragdoll() {
  MotionWorld made = on_ground();
  for (std::int32_t i = 0; i < 12; ++i) {
    add_box(made, {0.5 * i, 0, 0.1}, 1, {0.22, 0.1, 0.1});
    if (i > 0) join(made, i, i - 1, {-0.25, 0, 0}, {0.25, 0, 0});
  }
  return made;
}

/// 20 links of 1 kg, with 100 kg hanging on the last one.
inline MotionWorld chain() {
  MotionWorld made;
  made.gravity = {0, 0, -9.81};
  for (std::int32_t i = 0; i < 20; ++i) {
    add_box(made, {0, 0, -0.5 - i}, i == 19 ? 100 : 1, {0.1, 0.1, 0.5});
    i == 0 ? join(made, 0, scenes::world, {0, 0, 0.5}, {0, 0, 0}) : join(made, i, i - 1, {0, 0, 0.5}, {0, 0, -0.5});
  }
  return made;
}

/// Layers of 5 × 5, 4 × 4, … boxes, each box on four others.
inline MotionWorld heap() {
  MotionWorld made = on_ground();
  for (int layer = 0; layer < 5; ++layer)
    for (int x = 0; x < 5 - layer; ++x)
      for (int y = 0; y < 5 - layer; ++y)
        add_box(made, {1.04 * (x + 0.5 * layer), 1.04 * (y + 0.5 * layer), layer + 0.5});
  return made;
}

/// A world on one thread, under the default method.
template <class T>
class SteppedWorld {
 public:
  explicit SteppedWorld(MotionWorld world, Isa isa = Isa::automatic)
      : world_(std::move(world)), solver_({.isa = isa, .threads = 1}) {}

  /// Returns the time of the call [s].
  double step() {
    using Clock = std::chrono::steady_clock;
    // Copied, so that columns stay where they are.
    const scenes::SceneData<T> now = world_.template scene<T>(time_step, touches_);
    scene_ = now;
    if (!arrays_ || points_ != scene_.contact_count() + scene_.row_count()) arrays_.emplace(scene_);
    points_ = scene_.contact_count() + scene_.row_count();
    const Scene<T> view = select(scene_.view(), options_.method);
    SceneResults<T> results = arrays_->view();
    results.path = {};
    results.separation_velocity = {};
    const auto begin = Clock::now();
    report_ = solver_.solve(view, results, options_);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    world_.take(*arrays_, time_step, true);
    return seconds;
  }

  const SceneReport& report() const { return report_; }
  const std::vector<MotionBody>& bodies() const { return world_.bodies; }
  std::size_t points() const { return points_; }

 private:
  MotionWorld world_;
  SceneSolver solver_;
  SceneOptions options_{.time_step = time_step};
  SceneReport report_;
  scenes::SceneData<T> scene_;
  std::optional<scenes::SceneArrays<T>> arrays_;
  std::vector<probe::MotionTouch> touches_;
  std::size_t points_ = 0;
};

}  // namespace carom::bench
