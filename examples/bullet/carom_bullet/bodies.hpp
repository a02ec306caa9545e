// Bullet's rigid bodies as columns.
#pragma once

#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <array>
#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carom::bullet {

/// Asks for the bytes [first, end) of an object that is about to be read.
inline void fetch(const void* object, std::size_t first, std::size_t end) {
  for (std::size_t byte = first; byte < end; byte += 64) __builtin_prefetch(static_cast<const char*>(object) + byte);
}

/// A vector of Bullet's, component by component.
struct VectorArray {
  std::array<std::vector<btScalar>, 3> of;

  void clear() { resize(0); }
  void resize(std::size_t count) {
    for (auto& component : of) component.resize(count);
  }
  void push_back(const btVector3& v) {
    for (std::size_t axis = 0; axis < 3; ++axis) of[axis].push_back(v.m_floats[axis]);
  }
  btVector3 operator[](std::size_t i) const { return {of[0][i], of[1][i], of[2][i]}; }
  void set(std::size_t i, const btVector3& v) {
    for (std::size_t axis = 0; axis < 3; ++axis) of[axis][i] = v.m_floats[axis];
  }
  Vector3Columns<btScalar> columns() { return {of[0], of[1], of[2]}; }
};

/// The bodies of one step: those that move, and kinematic ones. All others are the immovable world.
class Bodies {
 public:
  static constexpr std::int32_t world = -1;

  void clear();
  /// The index of a body, which is taken in if it is not there yet; `world` of what neither moves nor is kinematic.
  std::int32_t take(btCollisionObject& object, const btContactSolverInfo& info);
  std::size_t size() const { return body_.size(); }
  btRigidBody& body(std::size_t i) const { return *body_[i]; }
  bool moves(std::int32_t i) const { return i >= 0 && inverse_mass_[static_cast<std::size_t>(i)] > 0; }

  /// True if a link of a multibody was among what was taken, which has no velocity of its own.
  bool has_links() const { return has_links_; }

  /// Views of masses and of `velocity`, `spin`.
  BodyColumns<btScalar> columns();

  /// Half of what forces do to the velocities in the step.
  void kick();
  /// Takes back the numbers that Bullet keeps in bodies during a step.
  void release() const;
  /// Writes the velocities to Bullet's bodies.
  void store() const;
  /// Moves Bullet's bodies so that they arrive at `displacement` and `rotation` from here once Bullet has moved them by
  /// their velocities. After `store`.
  void move_ahead(btScalar time_step) const;

  VectorArray velocity, spin;                ///< [m/s], [rad/s] now
  VectorArray velocity_before, spin_before;  ///< without the step's forces
  VectorArray velocity_change, spin_change;  ///< by the step's forces
  VectorArray displacement, rotation;        ///< [m], [rad] places for results of SceneMethod::substeps

 private:
  std::vector<btRigidBody*> body_;
  bool has_links_ = false;
  std::vector<btScalar> inverse_mass_;
  std::array<std::vector<btScalar>, 6> inverse_inertia_;
};

/// The velocity of a point of body i, which stands at `lever` from the centre of mass; 0 of the world.
inline btVector3 velocity_at(const VectorArray& velocity, const VectorArray& spin, std::int32_t i,
                             const btVector3& lever) {
  if (i < 0) return {0, 0, 0};
  const auto body = static_cast<std::size_t>(i);
  return velocity[body] + spin[body].cross(lever);
}

}  // namespace carom::bullet
