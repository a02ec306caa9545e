// Physics engines that let one world rest, each with its own detection and its own solver.
#pragma once

#include <memory>
#include <string>

#include "rest_worlds.hpp"

namespace carom::bench {

/// [s]
struct StepTimes {
  double solver = 0;  ///< the part that finds impulses and velocities; the whole step if the engine has no such clock
  double step = 0;    ///< with detection
};

class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual StepTimes step() = 0;
  virtual support::Vector position(std::size_t body) = 0;
};

/// Engines with their default options on one thread, without sleeping. Bodies have no rotation at the start.
std::unique_ptr<Engine> make_carom(const MotionWorld& world);
std::unique_ptr<Engine> make_box3d(const MotionWorld& world);
std::unique_ptr<Engine> make_jolt(const MotionWorld& world);

/// A joint's point in the world at the start.
inline support::Vector point_of(const MotionWorld& world, const probe::MotionJoint& joint) {
  return joint.at_a + world.bodies[static_cast<std::size_t>(joint.a)].position;
}

}  // namespace carom::bench
