// The scalar reference for planar contacts: section 5 of [R] (see reference.hpp) and every other law in double, in
// closed form or by bisection. It shares no code with the kernels. docs/planar.md has the equations, sources and
// choices.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <array>
#include <carom/export.hpp>
#include <carom/planar.hpp>
#include <carom/solver.hpp>

namespace carom::reference::planar {

using Vector2 = std::array<double, 2>;  ///< components along the tangent and the normal

/// A planar collision in contact space.
struct Collision {
  double k_xx = 0, k_xy = 0, k_yy = 0;  ///< [1/kg] collision matrix, positive definite
  Vector2 u0{};                         ///< [m/s] separation velocity, u0[1] < 0
  double friction = 0;                  ///< [1] >= 0, may be infinite
  double restitution = 0;               ///< [1] >= 0
};

/// Returns K and u0 of contact i along tangent and normal, the input of the laws. i is below the number of contacts.
/// The normal must not be zero. Nothing is checked.
CAROM_EXPORT Collision collision_of(const carom::planar::Contacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const carom::planar::IndexedContacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const carom::planar::KContacts<double>& contacts, std::size_t i);

/// Parameters of the laws in addition to friction and restitution: see LawColumns. They must be in range.
struct Parameters {
  double tangential_restitution = 0;  ///< [1] e_t. In [-1, 1].
  double impulse_ratio = 0;           ///< [1] p_t / p_n along axis 1. Finite.
  double polar_angle = 0;             ///< [rad] angle from the normal towards axis 1. In [-π, π].
  double fraction = 0;                ///< [1] in [0, 1]
  Vector2 candidate{};                ///< [N s] impulse of Law::projected. Finite.
  Weights<double> weight{};           ///< [1] >= 0; for a composite at least one > 0
};

/// Result of a planar collision.
struct Outcome {
  Vector2 u{};                    ///< [m/s] separation velocity after the collision
  Vector2 p{};                    ///< [N s] impulse on A
  double work_compression = 0;    ///< [J] <= 0; Law::incremental only
  double work_decompression = 0;  ///< [J] >= 0; Law::incremental only
  Path path;                      ///< phases of the collision; algebraic laws: slip or stick
};

/// Applies any law to a valid collision. Nothing is checked. Only Law::incremental reads `restitution_law`.
CAROM_EXPORT Outcome resolve(const Collision& collision, Law law, const Parameters& parameters = {},
                             RestitutionLaw restitution_law = RestitutionLaw::energetic);

/// Margins of an impulse to each bound of the permissible region: see RegionMargins.
struct Margins {
  double energy = 0;           ///< [J]
  double non_penetration = 0;  ///< [m/s]
  double tension = 0;          ///< [N s]
  double cone = 0;             ///< [N s] infinite if friction is infinite
};
/// Returns the margins of any impulse [N s] along tangent and normal.
CAROM_EXPORT Margins margins(const Collision& collision, const Vector2& impulse);

/// Solves every contact. Arguments, results, statuses and errors are as for Solver::solve.
CAROM_EXPORT Report solve(const carom::planar::Contacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});
CAROM_EXPORT Report solve(const carom::planar::IndexedContacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});
CAROM_EXPORT Report solve(const carom::planar::KContacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});

}  // namespace carom::reference::planar
