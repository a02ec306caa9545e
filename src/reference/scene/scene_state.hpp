// A scene as the reference works on it: bodies, contacts and rows, and their state between impulses.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/scene/call_options.hpp"
#include "reference/contact/contact.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference {

using scene::CallOptions;
using scene::Procedure;

struct SceneContact {
  Status status = Status::ok;  ///< ok until the end, or the fault that keeps the contact out
  BodyContact data;            ///< as given; with the velocities of the start
  std::size_t a = 0, b = 0;    ///< indices in SceneState::bodies; only of a sound contact
  InContactFrame frame;        ///< only of a sound contact

  double friction = 0, static_friction = 0;  ///< [1] finite, as the sweeps take them
  Vector3 surface_velocity{};                ///< [m/s] as given
  Vector3 surface_slip{};                    ///< [m/s] its tangential part
  double min_velocity = 0;                   ///< [m/s] SceneContacts::target_velocity
  double velocity_change = 0;                ///< [m/s] of u·n by forces, in the velocities already
  double separation = 0;                     ///< [m]
  double slop = 0;                           ///< [m] SceneContacts::slop
  double frequency = 0, damping_ratio = 0;   ///< [Hz] infinite of hard contacts, [1]
  Vector3 warm_impulse{};                    ///< [N s]

  // The model of the contact; see scene_models.hpp.
  bool has_ellipse = false;                                 ///< `friction_2` differs
  double friction_2 = 0;                                    ///< [1] finite
  Vector3 friction_direction{};                             ///< of a good contact with an ellipse
  double rolling_friction = 0, spinning_friction = 0;       ///< [m]
  double normal_compliance = 0, tangential_compliance = 0;  ///< [1/kg]
  double stiffness = 0, damping = 0;                        ///< [N/m] infinite of hard contacts, [N s/m]
  Vector3 warm_angular_impulse{};                           ///< [N m s]
  double give = 0, slip_give = 0;                           ///< [1/kg] compliance in the sweeps
  Vector3 angular_impulse{};                                ///< [N m s] of the step, contact frame

  double approach0 = 0;                 ///< [m/s] u·n at the start of the call
  bool takes_part = true;               ///< in the sweeps
  double target = 0;                    ///< [m/s] of u·n, for the sweeps
  Vector3 impulse{};                    ///< [N s] of these sweeps, contact frame
  Vector3 impulse_before{};             ///< [N s] of the sweeps before, contact frame
  Vector3 next_impulse{};               ///< [N s] warm impulse of the next step of substeps, contact frame
  Vector3 next_angular_impulse{};       ///< [N m s] warm angular impulse of the next step of substeps, contact frame
  Path path;                            ///< of a sequence's last impact, or of a direct island
  Status outcome = Status::separating;  ///< of a sequence's last impact
};

/// J of a row of joints.
struct RowJacobian {
  Vector3 linear_a{}, angular_a{}, linear_b{}, angular_b{};

  /// J v.
  double times(const Twist& a, const Twist& b) const {
    return dot(linear_a, a.velocity) + dot(angular_a, a.angular_velocity) + dot(linear_b, b.velocity) +
           dot(angular_b, b.angular_velocity);
  }
};

struct SceneRow : RowJacobian {
  Status status = Status::ok;  ///< ok, or the fault that keeps the row out
  std::int32_t body_a = -1, body_b = -1;
  std::size_t a = 0, b = 0;  ///< as of contacts
  double target = 0, least = 0, largest = 0, compliance = 0, warm_impulse = 0;
  double diagonal = 0;      ///< [1/kg] J M⁻¹ Jᵀ and the compliance
  double impulse = 0;       ///< [N s] λ
  double next_impulse = 0;  ///< [N s] warm impulse of the next step of substeps
  double work = 0;          ///< [J] of the impulses so far

  double error = 0;                         ///< [m] at the start of the step
  bool has_error = false;                   ///< given by the caller
  double frequency = 0, damping_ratio = 0;  ///< [Hz], [1]
  Vector3 r_a{}, r_b{};                     ///< [m]
};

struct SceneState {
  std::vector<Body> bodies;  ///< the caller's and, as the last one, the world
  std::vector<Status> body_faults;
  std::vector<Twist> changes;  ///< of velocities by forces; empty if they are not read
  std::vector<Twist> moved;    ///< [m], [rad] by which substeps move bodies
  std::vector<SceneContact> contacts;
  std::vector<SceneRow> rows;

  bool is_movable(std::size_t body) const { return !is_immovable(bodies[body]); }
  Twist change_of(std::size_t body) const { return body < changes.size() ? changes[body] : Twist{}; }
};

/// The columns that a method reads in addition to the columns that all methods read.
struct SceneReads {
  bool laws = false, separation = false, warm_impulse = false, row_errors = false;
  bool models = false;
};

/// A motor, or friction: its warm impulse has no position error to correct.
inline bool has_two_bounds(const SceneRow& row) {
  return std::isfinite(row.least) && std::isfinite(row.largest);
}
template <class Row>
bool has_bound(const Row& row) {
  return std::isfinite(row.least) || std::isfinite(row.largest);
}

/// The impulse [N s] that a row begins with: a share of its warm one, within its bounds.
inline double first_impulse(const SceneRow& row, const CallOptions& options) {
  const double share = has_two_bounds(row) ? options.warm_start : options.joint_warm_start;
  return std::clamp(share * row.warm_impulse, row.least, row.largest);
}

/// Everything that is there, with the faults of data.
SceneState load_scene(const Scene<double>& scene, const CallOptions& options, const SceneReads& reads);

/// u minus the surface velocity, in the contact frame, at the present velocities.
Vector3 relative_velocity(const SceneState& state, const SceneContact& c);

/// Adds the impulse [N s], in the contact frame, to the velocities of A, B or both.
void apply_impulse(SceneState& state, const SceneContact& c, const Vector3& impulse, bool on_a = true,
                   bool on_b = true);

/// J v.
double velocity_of(const SceneState& state, const SceneRow& row);

/// J v + γ λ - target, of the row or another one.
double deviation(const SceneState& state, const SceneRow& row, double target);
double deviation(const SceneState& state, const SceneRow& row);

/// `impulse` [N s] to the velocities of the row's bodies.
void apply_impulse(SceneState& state, const SceneRow& row, double impulse);

/// By how much the row misses its target, where λ is not at the bound that keeps it from being reached.
double residual(const SceneRow& row, double deviation);
double residual(const SceneState& state, const SceneRow& row);
/// Max. of these rows.
double residual(const SceneState& state, const std::vector<std::size_t>& rows);

/// J M⁻¹ Jᵀ of two rows between the same bodies.
double coupling(const SceneState& state, const SceneRow& x, const SceneRow& y);

/// The work of the impulses that these rows of an island get from now on until `end`, each with the mean of J v.
class RowWork {
 public:
  RowWork(SceneState& state, const std::vector<std::size_t>& rows);
  void end();

 private:
  SceneState& state_;
  const std::vector<std::size_t>& rows_;
  std::vector<double> velocities_, impulses_;
};

/// Applies the impulses nearest to 0 within the bounds of rows whose bounds exclude 0. Returns the max. speed [m/s]
/// that one of them causes.
double begin_rows(SceneState& state, const std::vector<std::size_t>& rows);

/// [J] ½ v²/inverse_mass + ½ w·J w of a body, J the inverse of the inverse inertia in the directions in which it turns.
double kinetic_energy(const Body& body);

}  // namespace carom::reference
