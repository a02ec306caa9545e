// Contacts and their results. column.hpp has the columns that they consist of.
//
// Conventions:
// - SI units.
// - The unit normal n points from body B to body A. The impulse p acts on A, -p acts on B.
// - Vectors are in the world frame. r_a and r_b are offsets: the contact point minus the centre of mass. Both bodies
//   have one contact point; with a gap or an overlap, take the middle between the surfaces.
// - u = vA + wA × rA - vB - wB × rB is the separation velocity. u·n < 0 is approach.
// - The inverse mass and inverse inertia of an immovable body are 0.
#pragma once

#include <carom/column.hpp>
#include <carom/laws.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carom {

/// States of bodies. BodyColumns<const T> is the read-only form. All columns are required and have the same length.
template <class T>
struct BodyColumns {
  Column<T> inverse_mass{};               ///< [1/kg] >= 0, 0 for an immovable body
  SymmetricColumns<T> inverse_inertia{};  ///< [1/(kg m²)] world frame, about the centre of mass, positive semidefinite
  Vector3Columns<T> velocity{};           ///< [m/s] of the centre of mass
  Vector3Columns<T> angular_velocity{};   ///< [rad/s] world frame

  /// Converts writable columns to read-only columns.
  constexpr operator BodyColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }
};

/// Laws of single contacts, and the parameters of the laws in addition to friction and restitution. All columns are
/// optional. A contact whose law reads a missing column without a default is at fault (Status::law_parameter_missing).
/// Values of contacts whose law does not read a column are ignored, but a column that no contact of the call can read
/// is an Error: see select() in solver.hpp.
///
/// Directions about the normal are measured against the slip before the collision: axis 1 is -u0_t / |u0_t|, axis 2 is
/// n × axis 1. Without slip, axis 1 is the first axis of KContacts; for a contact of bodies it is a tangent that
/// depends only on the normal.
template <class T>
struct LawColumns {
  Column<const Law> law{};                         ///< law of the contact. Default: Options::law.
  Column<const RestitutionLaw> restitution_law{};  ///< of the contact. Default: Options::restitution_law.
  Column<const T> step{};  ///< [N s] step of Integrator::euler. In (0, |u0| / trace K]. Default: Options::steps.
  /// [1] chatterjee_ruina, bilinear, pfeiffer_glocker: e_t. In [-1, 1]. As far as the friction limit allows, the slip
  /// stops at 0 and reverses at 1. -1 is no friction.
  Column<const T> tangential_restitution{};
  Column<const T> impulse_ratio_1{};  ///< [1] brach: p_t / p_n along axis 1. Finite.
  Column<const T> impulse_ratio_2{};  ///< [1] brach: p_t / p_n along axis 2. Finite. 3D only.
  /// [rad] polar: angle from the normal. In [0, π]; planar: in [-π, π], positive towards axis 1.
  Column<const T> polar_angle{};
  Column<const T> azimuth{};            ///< [rad] polar: angle from axis 1 to axis 2. Finite. 3D only.
  Column<const T> fraction{};           ///< [1] polar: fraction of the way from 1.5 P_I to the boundary. In [0, 1].
  Vector3Columns<const T> candidate{};  ///< [N s] projected: the impulse, in the frame of the results. Planar: x, y.
  /// [1] composite: weights of its component laws, relative to their sum. >= 0, at least one > 0. Default 0.
  Weights<Column<const T>> weight{};
};

/// Contacts with the states of both bodies inline. All columns have the same length; at least one of them is not a
/// constant. Columns are required unless they are optional.
template <class T>
struct Contacts {
  Column<const T> friction{};        ///< [1] Coulomb coefficient μ. >= 0, may be infinite.
  Column<const T> restitution{};     ///< [1] coefficient of restitution e. In [0, Tolerances::max_restitution].
  Vector3Columns<const T> normal{};  ///< [1] unit vector from B to A, within Tolerances::normal_tolerance
  Vector3Columns<const T> r_a{};     ///< [m] contact point minus centre of mass of A
  Vector3Columns<const T> r_b{};     ///< [m] contact point minus centre of mass of B
  BodyColumns<const T> a{};          ///< body A
  BodyColumns<const T> b{};          ///< body B. Without `b` and `r_b`, B is the immovable world.
  LawColumns<T> laws{};              ///< optional
};

/// Contacts between bodies that are stored once and named by index. `bodies` has a length of its own.
template <class T>
struct IndexedContacts {
  Column<const T> friction{}, restitution{};      ///< [1] as in Contacts
  Vector3Columns<const T> normal{};               ///< as in Contacts
  Vector3Columns<const T> r_a{}, r_b{};           ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a{}, body_b{};  ///< index into `bodies`, -1 for the immovable world
  BodyColumns<const T> bodies{};                  ///< states of all bodies
  LawColumns<T> laws{};                           ///< optional
};

/// Contacts given by their collision matrix and separation velocity, the input of the collision laws. The normal is
/// along z.
template <class T>
struct KContacts {
  Column<const T> friction{}, restitution{};      ///< [1] as in Contacts
  SymmetricColumns<const T> k{};                  ///< [1/kg] collision matrix K: u - u0 = K p. Positive definite.
  Vector3Columns<const T> separation_velocity{};  ///< [m/s] u0: u before the collision
  LawColumns<T> laws{};                           ///< optional
};

/// Results of contacts in 3D or in the plane. Every column is optional and as long as the contacts. An output column
/// may be the input column that it replaces (solving in place). Any other overlap with an input is an error of the
/// caller.
template <class T, template <class> class Vector, template <class> class AngularVelocity>
struct ResultColumns {
  Vector<T> impulse{};  ///< [N s] impulse on A, in the world frame; KContacts: in the frame of the contact
  /// [m/s] u after the collision, in the same frame; NaN if faulty data leave it unknown
  Vector<T> separation_velocity{};
  Vector<T> velocity_a{};                   ///< [m/s] after this contact alone; not for KContacts
  AngularVelocity<T> angular_velocity_a{};  ///< [rad/s] after this contact alone; not for KContacts
  Vector<T> velocity_b{};                   ///< [m/s] same, of B
  AngularVelocity<T> angular_velocity_b{};  ///< [rad/s] same, of B
  Column<Status> status{};                  ///< outcome of the contact
  Column<Path> path{};                      ///< phases of the collision
  // The following results are for Law::incremental, and 0 for other laws.
  Column<T> work_compression{};    ///< [J] work of the normal force while u·n < 0. <= 0.
  Column<T> work_decompression{};  ///< [J] work of the normal force while u·n >= 0. >= 0.
  Column<std::int32_t> steps{};    ///< number of integration steps; 0 for planar contacts
};
/// Results of contacts in 3D.
template <class T>
using Results = ResultColumns<T, Vector3Columns, Vector3Columns>;

}  // namespace carom
