// The scalar reference for planar contacts: section 5 of [R] and every other law in double, in closed form or by
// bisection, sharing no code with the lanes. docs/planar.md has the equations, the sources and the choices.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/export.hpp>
#include <carom/planar.hpp>
#include <carom/solver.hpp>

namespace carom::reference::planar {

using Vector2 = std::array<double, 2>;  ///< along the tangent, along the normal

/// A planar collision in contact space.
struct Collision {
  double k_xx = 0, k_xy = 0, k_yy = 0;  ///< [1/kg] collision matrix, positive definite
  Vector2 u0{};                         ///< [m/s] separation velocity, u0[1] < 0
  double friction = 0;                  ///< [1] >= 0, may be infinite
  double restitution = 0;               ///< [1] in [0, 1]
};

/// Contact i as the laws see it, i below the number of contacts: K and u0 along tangent and normal. The normal must not
/// be zero; nothing is checked.
CAROM_EXPORT Collision collision_of(const carom::planar::Contacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const carom::planar::IndexedContacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const carom::planar::KContacts<double>& contacts, std::size_t i);

/// Single laws read these parameters beside friction and restitution, as in LawColumns. They must be in range.
struct Parameters {
  double tangential_restitution = 0;  ///< [1] e_t in [-1, 1]
  double impulse_ratio = 0;           ///< [1] finite; p_t / p_n along axis 1
  double polar_angle = 0;             ///< [rad] in [-pi, pi], from the normal to axis 1
  double fraction = 0;                ///< [1] in [0, 1]
  Vector2 candidate{};                ///< [N s] finite
  Weights<double> weight;             ///< [1] >= 0, of a composite at least one above 0
};

/// The end of a planar collision.
struct Outcome {
  Vector2 u{};                    ///< [m/s] separation velocity after the collision
  Vector2 p{};                    ///< [N s] impulse on A
  double work_compression = 0;    ///< [J] <= 0, of Law::incremental
  double work_decompression = 0;  ///< [J] >= 0, of Law::incremental
  Path path;                      ///< the phases that it went through, or how it ended
};

/// Any law on a valid collision: nothing is checked. `restitution_law` is that of Law::incremental.
CAROM_EXPORT Outcome resolve(const Collision& collision, Law law, const Parameters& parameters = {},
                             RestitutionLaw restitution_law = RestitutionLaw::energetic);

/// How far an impulse lies inside each bound of the permissible region, as RegionMargins.
struct Margins {
  double energy = 0;           ///< [J]
  double non_penetration = 0;  ///< [m/s]
  double tension = 0;          ///< [N s]
  double cone = 0;             ///< [N s] infinite without a bound on friction
};
/// Measures any impulse [N s] along tangent and normal.
CAROM_EXPORT Margins margins(const Collision& collision, const Vector2& impulse);

/// Every contact of a batch: the arguments, results, statuses and errors of Solver::solve.
CAROM_EXPORT Report solve(const carom::planar::Contacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});
CAROM_EXPORT Report solve(const carom::planar::IndexedContacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});
CAROM_EXPORT Report solve(const carom::planar::KContacts<double>& contacts,
                          const carom::planar::Results<double>& results, const Options& options = {});

}  // namespace carom::reference::planar
