// Contact models of the reference: the ellipse of friction by its root, compliance, and the moment of a manifold
// against rolling and spinning. docs/contact-models.md
#pragma once

#include <carom/reference.hpp>
#include <cstddef>
#include <vector>

#include "scene_graph.hpp"
#include "scene_state.hpp"

namespace carom::reference {

/// The state at the start of a step on an ellipse. Vectors are in the contact frame; `friction_1` acts along its first
/// axis.
struct EllipseStep {
  Matrix3 k{};                            ///< [1/kg] with the compliance on the diagonal
  Vector3 velocity{};                     ///< [m/s] of the contact, with compliance × impulse, minus the target
  Vector3 impulse{};                      ///< [N s] so far
  double friction_1 = 0, friction_2 = 0;  ///< [1] finite
  double static_ratio = 1;                ///< [1] static friction over friction, >= 1
};
struct EllipseImpulse {
  Vector3 impulse{};
  bool sticks = false;
};
/// The impulse of the law if no other impulse changes.
EllipseImpulse step_on_ellipse(const EllipseStep& step, double relaxation);

/// The step of a contact whose velocity, as above, is known.
EllipseStep ellipse_step(const SceneContact& c, const Vector3& velocity);

/// [N s] The impulse that a contact begins with: `share` of its warm one, within static friction.
Vector3 first_impulse(const SceneContact& c, double share);

/// An impulse scaled so that the larger coefficient bounds its friction along both axes, and that coefficient.
struct RoundImpulse {
  Vector3 impulse{};
  double friction = 0;
};
RoundImpulse rounded(const SceneContact& c, const Vector3& impulse);

/// True of contacts which are more than a normal, a coefficient of friction and one of restitution.
bool has_model(const SceneContact& c);

/// True of manifolds that have such a contact: they are solved by the root, all of them.
bool has_model(const SceneState& state, const SceneBlock& block);

/// A contact's frame with the axes of its friction.
void turn_to_axes_of_friction(SceneContact& c);

/// The moments of an island's manifolds, in the order of its sweeps.
class SceneMoments {
 public:
  SceneMoments(SceneState& state, const SceneIsland& island);

  /// Sets the moment of a manifold to `share` of its warm ones, within its limits.
  void begin(double share);
  /// Applies them to the bodies.
  void apply();
  /// Adds the moments to the sum of the step.
  void add_up();
  /// Continues without the moments of rigid manifolds, which have been added up.
  void begin_rebound();

  /// The rolling part of block n, before its forces. `velocity` and `k` are the members of EllipseStep for its first
  /// contact.
  void roll(std::size_t n, const Vector3& velocity, Matrix3 k);
  /// The spinning part, after the forces, which have changed the limits of both. Returns the change of the moment
  /// since `roll`, as the speed [m/s] that an impulse of the same energy makes.
  double spin(std::size_t n);
  /// Tells how the first contact of block n took its last visit.
  void set_stuck(std::size_t n, bool stuck) { groups_[n].stuck = stuck; }
  bool is_there(std::size_t n) const { return groups_[n].is_there; }
  /// [N m s] of block n, on A, in the contact frame.
  const Vector3& moment(std::size_t n) const { return groups_[n].moment; }

  /// Gives every contact its share of the moments of the step.
  void share_out();
  /// Gives every contact its share of `substeps` times the moments of the last substep, for the next step.
  void share_out_next(double substeps);

 private:
  struct Group {
    bool is_there = false, stuck = false;
    Vector3 moment{}, before{}, sum{};
  };
  struct Limits {
    double roll = 0, spin = 0;
  };
  Limits limits(const SceneBlock& block, bool of_sum = false) const;
  void share_out(const SceneBlock& block, const Vector3& moment, bool of_sum, Vector3 SceneContact::*to);
  void set(std::size_t n, const Vector3& moment);

  SceneState& state_;
  const SceneIsland& island_;
  std::vector<Group> groups_;
};

}  // namespace carom::reference
