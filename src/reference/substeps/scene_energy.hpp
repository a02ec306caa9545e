// The energy of an island in substeps, and rotations. docs/scenes.md, Energy
#pragma once

#include <cstddef>
#include <map>

#include "reference/scene/scene_graph.hpp"
#include "reference/scene/scene_models.hpp"
#include "reference/scene/scene_state.hpp"

namespace carom::reference {

/// The rotation vector of a rotation by `first` and then by `second`.
Vector3 combined(const Vector3& first, const Vector3& second);
/// The matrix of a rotation vector.
Matrix3 rotation_matrix(const Vector3& rotation);
/// A matrix of a body that turns by a rotation vector.
Matrix3 turned(const Matrix3& m, const Vector3& rotation);

/// Keeps the kinetic energy of an island from rising by more than the work of forces, targets, moving bodies of
/// infinite mass, surface velocities and springs.
class SceneEnergy {
 public:
  /// [rad] Inertia follows rotations above this angle.
  static constexpr double noticed_turn = 0.01;

  /// `relaxes`: a substep ends with sweeps without position correction. `softest`: rows below this frequency [Hz] are
  /// springs if it does not.
  SceneEnergy(SceneState& state, const SceneIsland& island, const SceneMoments& moments, int substeps, bool relaxes,
              double stiffest);

  /// Call with the velocities at the start of the step, without forces.
  void begin();
  /// Call at the start of every substep, before forces.
  void begin_substep();
  /// Call after bodies have moved. Turns the inertia of bodies that have turned.
  void turn();
  /// Removes the energy that a substep has no right to.
  void check();

  void begin_rebound();
  void check_rebound();

  double removed() const { return removed_; }

 private:
  struct Measured {
    double kinetic = 0, by_forces = 0;
    Vector3 momentum{};
  };
  Measured measured() const;
  double product(std::size_t body, const Twist& x, const Twist& y) const;
  double energy(std::size_t body, const Twist& x) const { return product(body, x, x) / 2; }
  Twist relative(std::size_t body) const;
  Twist forces(std::size_t body) const;
  Twist driven(std::size_t body) const;
  Twist mean(std::size_t body) const;
  bool is_loaded() const;
  bool is_grounded() const;
  double work() const;
  double share(std::size_t body) const;
  bool falls(std::size_t body) const;
  void brake(double allowed);
  void scale_impulses(double allowed, bool with_forces);
  void find_frame();

  SceneState& state_;
  const SceneIsland& island_;
  const SceneMoments& moments_;
  double substeps_;
  bool relaxes_;
  double stiffest_;
  Vector3 frame_{};
  std::map<std::size_t, Matrix3> inertia_, inertia_at_start_;
  std::map<std::size_t, Twist> before_;
  Measured at_start_;
  Vector3 momentum_by_forces_{};
  double half_change_ = 0, lost_ = 0, removed_ = 0, work_before_ = 0;
};

}  // namespace carom::reference
