// Bullet's rigid bodies as columns.
#pragma once

#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "columns.hpp"

namespace carom::bullet {

/// A step knows this of a body.
struct BodyState {
  btVector3 velocity, spin;                ///< [m/s], [rad/s] now
  btVector3 velocity_change, spin_change;  ///< by the step's forces
  btVector3 velocity_before, spin_before;  ///< without them
  btVector3 displacement, rotation;        ///< [m], [rad] places for results of methods that move bodies
  btVector3 start;                         ///< [m] from here to where Bullet begins to move a body that it sweeps
  btVector3 origin;                        ///< [m] the centre of mass
  btScalar inverse_mass;
  std::array<btScalar, 6> inverse_inertia;
};

/// The movable and kinematic bodies of one step. All others are the immovable world. A step takes all bodies, and reads
/// the state of each once, at any time before it is solved.
class Bodies {
 public:
  static constexpr std::int32_t world = -1;

  void clear();
  /// Returns the index of a body, and adds the body if it is new. `world` for immovable bodies.
  std::int32_t take(btCollisionObject& object) {
    // The number that Bullet keeps in a body may stem from another step.
    const int known = object.getCompanionId();
    const bool is_known = known >= 0 && static_cast<std::size_t>(known) < size() &&
                          taken_[static_cast<std::size_t>(known)].body == &object;
    return is_known ? known : take_new(object);
  }
  std::size_t size() const { return taken_.size(); }
  btRigidBody& body(std::size_t i) const { return *taken_[i].body; }
  bool moves(std::int32_t i) const { return i >= 0 && taken_[static_cast<std::size_t>(i)].moves; }

  /// True if one of the objects is a link of a multibody, which has no velocity of its own.
  bool has_links() const { return has_links_; }

  /// Makes room for the states of all bodies. Returns the number of bodies that were read before.
  std::size_t reserve() {
    state_.resize(size());
    return std::exchange(read_, size());
  }
  /// Reads the bodies [first, end), and adds this fraction of the velocity change by forces.
  void read(std::size_t first, std::size_t end, const btContactSolverInfo& info, btScalar forces);
  /// Reads the bodies that have not been read yet.
  void read_new(const btContactSolverInfo& info, btScalar forces) {
    const std::size_t first = reserve();
    read(first, size(), info, forces);
  }
  /// [m] Centre of mass of body i, whose object this is. Also for the world, and for bodies that have not been read.
  const btVector3& origin(std::int32_t i, const btCollisionObject& object) const {
    return i >= 0 && static_cast<std::size_t>(i) < read_ ? state_[static_cast<std::size_t>(i)].origin
                                                         : object.getWorldTransform().getOrigin();
  }
  BodyState& operator[](std::size_t i) { return state_[i]; }
  const BodyState& operator[](std::size_t i) const { return state_[i]; }
  /// Adds this fraction of the velocity change by forces to the velocities.
  void add_forces(btScalar share);
  /// Makes the velocities a part of the velocity change, and sets them to 0.
  void count_as_forces();
  /// True if Bullet keeps a body from moving along an axis of the world.
  bool has_locked_axes(std::size_t i) const { return taken_[i].has_locked_axes; }
  /// Same for any body.
  bool any_has_locked_axes() const { return any_has_locked_axes_; }

  /// Finds the bodies whose motion Bullet will sweep at the present velocities, and zeroes their starts. Returns true
  /// if there are any.
  bool find_swept(btScalar time_step);
  /// True if find_swept found the body.
  bool is_swept(std::size_t i) const { return taken_[i].is_swept; }

  /// Writes views of masses and of velocity and spin. with_changes: also of the changes by forces.
  void write(SceneBodies<btScalar>& columns, bool with_changes);
  Vector3Columns<btScalar> columns(btVector3 BodyState::*vector);

  /// Takes back the numbers that Bullet keeps in bodies during a step.
  void release() const;
  /// Writes the velocities to Bullet's bodies [first, end), and takes back the numbers. With `moved` the bodies are
  /// moved, so that they arrive at `displacement` and `rotation` from here once Bullet has moved them by their
  /// velocities. Bodies that Bullet sweeps are moved to their `start`.
  void store(std::size_t first, std::size_t end, bool moved, btScalar time_step) const;

 private:
  struct Taken {
    btRigidBody* body;
    bool moves, has_locked_axes, has_sweep, is_swept;
  };

  std::int32_t take_new(btCollisionObject& object);

  std::vector<Taken> taken_;
  Scratch<BodyState> state_;
  std::size_t read_ = 0;  // number of bodies that have been read
  bool has_links_ = false, has_sweeps_ = false, any_has_locked_axes_ = false;
};

/// Velocity of a point of body i at `lever` from the centre of mass; 0 for the world.
inline btVector3 velocity_at(const Bodies& bodies, btVector3 BodyState::*velocity, btVector3 BodyState::*spin,
                             std::int32_t i, const btVector3& lever) {
  if (i < 0) return {0, 0, 0};
  const BodyState& body = bodies[static_cast<std::size_t>(i)];
  return body.*velocity + (body.*spin).cross(lever);
}

}  // namespace carom::bullet
