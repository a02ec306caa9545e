// Collisions of mechanisms: bodies that joints hold together while one of their contacts collides. Joints give the
// contact another collision matrix; with it every collision law for one contact is one for the mechanism.
//
// [CR] is A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations,
// 1998; its appendix A.1 finds the collision matrix by unit impulses, section 6.5 weighs the intact mechanism against a
// sequence of impacts. docs/mechanisms.md has the equations and a worked example.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <memory>
#include <span>

namespace carom {

/// One contact of a mechanism in its contact frame, of which the third axis is the normal.
struct MechanismContact {
  using Vector = std::array<double, 3>;  ///< in the frame, or in the world

  std::size_t index = 0;                      ///< of the contact in the scene
  Vector tangent_1{}, tangent_2{}, normal{};  ///< [1] the frame: orthonormal, tangent_1 x tangent_2 = normal
  std::array<double, 6> k{};                  ///< [1/kg] xx, xy, xz, yy, yz, zz; positive definite: u - u0 = K p
  Vector separation_velocity{};               ///< [m/s] u0, less surface_velocity and target_velocity of the contact
  double friction = 0, restitution = 0;       ///< [1] as in the scene
  /// Directions in which joints and immovable bodies keep the points of the contact from moving against each other, 0
  /// to 3: MechanismOptions::least_eigenvalue.
  int locked = 0;

  /// A vector of the frame in the world.
  CAROM_EXPORT Vector in_world(const Vector& v) const;
  /// A vector of the world in the frame.
  CAROM_EXPORT Vector in_frame(const Vector& v) const;

  /// Contacts for Solver::solve, as long as these are where they are. Law, law of restitution and the parameters of
  /// laws are the host's to add; impulses come out in the frame of each contact.
  CAROM_EXPORT static SpaceContacts<double> view(std::span<const MechanismContact> contacts);
};

/// How Mechanisms tell what is redundant, and what is locked.
struct MechanismOptions {
  static constexpr double most = 0.1;  ///< the largest value of these options
  /// Maximum number of rows of a mechanism; its matrix takes 2 GiB then. More are a fault of the mechanism.
  static constexpr std::size_t most_rows = std::size_t{1} << 14;

  /// [1] in [0, most]: a row is redundant if no more than this share of it is left beyond what other rows say, as where
  /// joints close a loop or say something twice. It takes no impulse, and the share that is left is not kept. Lever
  /// arms and axes in single precision agree to 1e-7. What is below 2 √(n ε) for n rows always counts as redundant:
  /// double does not tell it from rounding.
  double redundancy = 1e-6;
  /// [1] in [0, most]: an eigenvalue of K below this share of the trace that K has without joints is that of a locked
  /// direction, and is raised to it: laws need K positive definite. The law sees a contact that gives way so little;
  /// the impulse that comes out moves the bodies as the joints let them. With 0 only what is negative is raised.
  double least_eigenvalue = 1e-9;
};

/// The bodies of a scene with joints that hold during an impact. A mechanism is what rows of joints connect through
/// movable bodies; contacts connect nothing. Impulses λ [N s] of the rows keep
///
///   J Δv + Γ λ = 0        Γ = compliance
///
/// so that J v stays what it is, whatever the target velocities are: bring velocities that satisfy the rows, or call
/// satisfy_rows. Rows with bounds cannot be told to hold; a contact with such a row in its mechanism is an Error.
///
/// The constructor copies masses and rows, and decomposes J M⁻¹Jᵀ + Γ of each mechanism, in double: some n³/3
/// operations for n rows. All else is read when a member is called, so that velocities, contacts and target velocities
/// may change in between; the columns must live as long as the object. It reads of contacts the columns friction,
/// restitution, normal, body_a, body_b, lever_a, lever_b, surface_velocity and target_velocity, and of rows all but
/// warm_impulse and key. T is float or double. Many threads may call const members at once, where they write to
/// different columns.
template <class T>
class CAROM_EXPORT Mechanisms {
 public:
  using Vector = MechanismContact::Vector;  ///< in the frame of a contact

  /// Throws Error if columns are missing, their lengths differ or an option is out of its range; also if a row names a
  /// body that there is not, or one body twice.
  explicit Mechanisms(const Scene<T>& scene, const MechanismOptions& options = {});
  ~Mechanisms();
  Mechanisms(Mechanisms&&) noexcept;             ///< leaves an object whose members throw Error
  Mechanisms& operator=(Mechanisms&&) noexcept;  ///< likewise

  /// K by unit impulses along the axes of the frame, with the rows held, and u0 of the velocities as they are now.
  /// Throws Error if there is no such contact, or if its indices, its normal or lever arms, or the bodies or rows of
  /// its mechanism are at fault; the message names the contact and the row or the body.
  MechanismContact contact(std::size_t index) const;

  /// Adds to the velocities [m/s], [rad/s] of all bodies what the impulse [N s] on body A of a contact, in its frame,
  /// and the impulses of the joints do, and the latter to `joint_impulse` [N s], which is optional. The columns are as
  /// long as the bodies and the rows; they may be those of the scene. Of redundant rows only the sum of what they do is
  /// determined. Throws Error as contact() does, or if a column is missing or has another length.
  void apply(const MechanismContact& contact, const Vector& impulse, const Vector3Columns<T>& velocity,
             const Vector3Columns<T>& angular_velocity, const Column<T>& joint_impulse = {}) const;

  /// Brings the velocities to J v + Γ λ = target_velocity: a plastic impact of all rows at once, of each mechanism. The
  /// columns are those of apply. Throws Error, before any work, if bodies or rows of any mechanism are at fault.
  void satisfy_rows(const Vector3Columns<T>& velocity, const Vector3Columns<T>& angular_velocity,
                    const Column<T>& joint_impulse = {}) const;

 private:
  struct State;
  const State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
