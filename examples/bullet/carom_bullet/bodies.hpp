// Bullet's rigid bodies as columns.
#pragma once

#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace carom::bullet {

/// A step knows this of a body.
struct BodyState {
  btVector3 velocity, spin;                ///< [m/s], [rad/s] now
  btVector3 velocity_change, spin_change;  ///< by the step's forces
  btVector3 velocity_before, spin_before;  ///< without them
  btVector3 displacement, rotation;        ///< [m], [rad] places for results of SceneMethod::substeps
  btVector3 origin;                        ///< [m] the centre of mass
  btScalar inverse_mass;
  std::array<btScalar, 6> inverse_inertia;
};

/// The bodies of one step: those that move, and kinematic ones. All others are the immovable world. A step first takes
/// all bodies, which have no state until they are read.
class Bodies {
 public:
  static constexpr std::int32_t world = -1;

  void clear();
  /// The index of a body, which is taken in if it is not there yet; `world` of what neither moves nor is kinematic.
  std::int32_t take(btCollisionObject& object);
  std::size_t size() const { return taken_.size(); }
  btRigidBody& body(std::size_t i) const { return *taken_[i].body; }
  bool moves(std::int32_t i) const { return i >= 0 && taken_[static_cast<std::size_t>(i)].moves; }

  /// True if a link of a multibody was among what was taken, which has no velocity of its own.
  bool has_links() const { return has_links_; }

  /// Makes room for the states of all that was taken.
  void reserve() { state_.resize(size()); }
  /// Reads the bodies [first, end), with so many halves of what forces do to the velocities in the step.
  void read(std::size_t first, std::size_t end, const btContactSolverInfo& info, int halves);
  BodyState& operator[](std::size_t i) { return state_[i]; }
  const BodyState& operator[](std::size_t i) const { return state_[i]; }
  /// Adds half of what forces do to the velocities in the step.
  void add_half();
  /// True if Bullet keeps a body from moving along an axis of the world.
  bool has_locked_axes(std::size_t i) const { return taken_[i].has_locked_axes; }

  /// Views of masses and of velocity and spin, and of what forces do to these.
  SceneBodies<btScalar> columns(bool with_changes);
  Vector3Columns<btScalar> columns(btVector3 BodyState::*vector);

  /// Takes back the numbers that Bullet keeps in bodies during a step.
  void release() const;
  /// Writes the velocities to Bullet's bodies [first, end), and takes back the numbers. With `moved` the bodies are
  /// moved, so that they arrive at `displacement` and `rotation` from here once Bullet has moved them by their
  /// velocities.
  void store(std::size_t first, std::size_t end, bool moved, btScalar time_step) const;

 private:
  struct Taken {
    btRigidBody* body;
    bool moves, has_locked_axes;
  };

  std::vector<Taken> taken_;
  Scratch<BodyState> state_;
  bool has_links_ = false;
};

/// The velocity of a point of body i, which stands at `lever` from the centre of mass; 0 of the world.
inline btVector3 velocity_at(const Bodies& bodies, btVector3 BodyState::*velocity, btVector3 BodyState::*spin,
                             std::int32_t i, const btVector3& lever) {
  if (i < 0) return {0, 0, 0};
  const BodyState& body = bodies[static_cast<std::size_t>(i)];
  return body.*velocity + (body.*spin).cross(lever);
}

}  // namespace carom::bullet
