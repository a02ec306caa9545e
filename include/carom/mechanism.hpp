// Collisions of mechanisms: bodies that joints hold together while one of their contacts collides. Joints change the
// collision matrix of the contact. With that matrix every collision law for one contact applies to the mechanism.
//
// [CR] is A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations,
// 1998; its appendix A.1 finds the collision matrix by unit impulses, section 6.5 weighs the intact mechanism against a
// sequence of impacts. docs/mechanisms.md has the equations and a worked example.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <memory>
#include <span>

namespace carom {

/// One contact of a mechanism in its contact frame. The third axis of the frame is the normal.
struct MechanismContact {
  using Vector = std::array<double, 3>;  ///< in the contact frame, or in the world

  std::size_t index = 0;                      ///< index of the contact in the scene
  Vector tangent_1{}, tangent_2{}, normal{};  ///< [1] axes of the frame: orthonormal, tangent_1 x tangent_2 = normal
  std::array<double, 6> k{};                  ///< [1/kg] xx, xy, xz, yy, yz, zz; positive definite: u - u0 = K p
  Vector separation_velocity{};               ///< [m/s] u0 minus the contact's surface_velocity and target_velocity
  double friction = 0, restitution = 0;       ///< [1] as in the scene
  /// Number of directions, 0 to 3, in which joints and immovable bodies prevent relative motion at the contact. See
  /// MechanismOptions::min_eigenvalue.
  int locked = 0;

  /// Transforms a vector from the contact frame to the world.
  CAROM_EXPORT Vector in_world(const Vector& v) const;
  /// Transforms a vector from the world to the contact frame.
  CAROM_EXPORT Vector in_frame(const Vector& v) const;

  /// Returns a view of `contacts` for Solver::solve, valid while they stay in place. The caller adds the law, the
  /// restitution law and the parameters of laws. Impulses are in the frame of each contact.
  CAROM_EXPORT static KContacts<double> view(std::span<const MechanismContact> contacts);
};

/// Thresholds for redundant rows and locked directions.
struct MechanismOptions {
  static constexpr double option_limit = 0.1;  ///< upper limit of these options
  /// Maximum number of rows of a mechanism; its matrix then takes 2 GiB. A mechanism with more rows is at fault.
  static constexpr std::size_t max_rows = std::size_t{1} << 14;

  /// [1] in [0, option_limit]: a row is redundant if at most this fraction of it is independent of other rows, for
  /// example where joints close a loop or repeat a constraint. A redundant row takes no impulse, and its independent
  /// fraction is not enforced. Offsets and axes in single precision agree to 1e-7. A fraction below 2 √(n ε) for n rows
  /// is always redundant: double precision cannot distinguish it from rounding.
  double redundancy = 1e-6;
  /// [1] in [0, option_limit]: an eigenvalue of K below this fraction of the trace of K without joints belongs to a
  /// locked direction. It is raised to this limit, because laws need K positive definite. The law sees a contact that
  /// yields by this small amount; its impulse moves the bodies as the joints allow. With 0 only negative eigenvalues
  /// are raised.
  double min_eigenvalue = 1e-9;
};

/// The bodies of a scene with joints that hold during an impact. A mechanism is a set of joint rows that movable bodies
/// connect; contacts do not connect bodies. The impulses λ [N s] of the rows satisfy
///
///   J Δv + Γ λ = 0        Γ = compliance
///
/// so that J v keeps its value and does not move to the target velocities. Pass velocities that satisfy the rows, or
/// call satisfy_rows first. Rows with bounds cannot hold unconditionally: a contact with such a row in its mechanism is
/// an Error.
///
/// The constructor copies masses and rows, and decomposes J M⁻¹Jᵀ + Γ of each mechanism in double: about n³/3
/// operations for n rows. Members read all other data when they are called, so velocities, contacts and target
/// velocities may change between calls. The columns must live as long as the object.
///
/// The object reads the contact columns friction, restitution, normal, body_a, body_b, r_a, r_b,
/// surface_velocity and target_velocity, and all columns of rows except warm_impulse and key. T is float or double.
/// Several threads may call const members at once if they write to different columns.
template <class T>
class CAROM_EXPORT Mechanisms {
 public:
  using Vector = MechanismContact::Vector;  ///< in the frame of a contact

  /// Throws Error if a column is missing, lengths differ, an option is out of its range, or a row names a body that
  /// does not exist or the same body twice. Every member throws Error if memory runs out.
  explicit Mechanisms(const Scene<T>& scene, const MechanismOptions& options = {});
  ~Mechanisms();
  Mechanisms(Mechanisms&&) noexcept;             ///< leaves an object whose members throw Error
  Mechanisms& operator=(Mechanisms&&) noexcept;  ///< as the move constructor

  /// Computes K by unit impulses along the axes of the frame, with the rows held, and u0 from the current velocities.
  /// Throws Error if there is no such contact, or if its indices, its normal or offsets, or the bodies or rows of
  /// its mechanism are at fault. The message names the contact and the row or the body.
  MechanismContact contact(std::size_t index) const;

  /// Applies `impulse` [N s] (contact frame, on body A) and the joint reactions to the velocities [m/s], [rad/s] of all
  /// bodies. Adds the reactions to `joint_impulse` [N s] if given. Velocity columns are as long as the bodies,
  /// `joint_impulse` is as long as the rows; the columns of the scene may be passed. For redundant rows only their
  /// total effect is determined. Throws Error as contact() does, or if a column is missing or has another length.
  void apply(const MechanismContact& contact, const Vector& impulse, const Vector3Columns<T>& velocity,
             const Vector3Columns<T>& angular_velocity, const Column<T>& joint_impulse = {}) const;

  /// Changes the velocities so that J v + Γ λ = target_velocity: a plastic impact of all rows of a mechanism at once,
  /// for each mechanism. The columns are as for apply. Throws Error, before any work, if bodies or rows of any
  /// mechanism are at fault.
  void satisfy_rows(const Vector3Columns<T>& velocity, const Vector3Columns<T>& angular_velocity,
                    const Column<T>& joint_impulse = {}) const;

 private:
  struct State;
  const State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
