// The permissible region of impulses, which no law of rigid-body collisions should leave: A. Chatterjee, A. Ruina, A
// New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998, section 3.2. Solver::find_margins
// measures the distance of impulses to its bounds.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/planar.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <iosfwd>
#include <optional>

namespace carom {

/// Margins of an impulse p to each bound of the permissible region. A negative margin means outside. Every column is
/// optional and as long as the contacts. Margins of contacts at fault are NaN.
template <class T>
struct RegionMargins {
  Column<T> energy{};           ///< [J] kinetic energy that is lost: -(p·u0 + ½ p·K p)
  Column<T> non_penetration{};  ///< [m/s] (u0 + K p)·n
  Column<T> tension{};          ///< [N s] p·n
  Column<T> cone{};             ///< [N s] μ p·n - |p_t|; infinite if friction is infinite
  Column<Status> status{};      ///< ok, separating, or the fault of the data
};

/// Reference impulses of impulse space, for plots. They are in the frame of the results. Every column is optional.
template <class T, template <class> class Vector>
struct ImpulseSpaceColumns {
  Vector<T> plastic_frictionless{};  ///< [N s] P_I: stops the approach without friction
  Vector<T> plastic_sticking{};      ///< [N s] P_II: stops all of u
  Column<T> contact_energy{};        ///< [J] ½ u0·K⁻¹ u0: the maximum energy that a collision can dissipate
};
template <class T>
using ImpulseSpace = ImpulseSpaceColumns<T, Vector3Columns>;
namespace planar {
template <class T>
using ImpulseSpace = ImpulseSpaceColumns<T, Vector2Columns>;
}  // namespace planar

/// Report of Solver::find_margins. A contact is outside a bound if its margin is below -tolerance times a scale:
/// ½ u0·K⁻¹ u0 for `energy`, |u0| for `non_penetration`, |p| for `tension` and `cone`.
struct RegionReport {
  std::size_t contacts = 0;      ///< number of contacts of the call
  ContactCounts by_status{};     ///< see count and first; RegionMargins::status has the statuses
  std::size_t outside = 0;       ///< number of contacts outside at least one bound
  std::size_t gains_energy = 0;  ///< number of contacts outside the bound `energy`
  std::size_t penetrates = 0;    ///< number of contacts outside the bound `non_penetration`
  std::size_t pulls = 0;         ///< number of contacts outside the bound `tension`
  std::size_t leaves_cone = 0;   ///< number of contacts outside the bound `cone`

  /// Returns true if no contact is at fault. Impulses may be outside of the region.
  bool ok() const { return faults() == 0; }
  /// Returns the number of contacts with faulty data. Separating contacts are measured as well.
  std::size_t faults() const { return count_faults(by_status); }
  /// Returns the number of contacts with this status; 0 for an unknown status.
  std::size_t count(Status status) const { return by_status.count(status); }
  /// Returns the index of the first contact with this status, if there is one.
  std::optional<std::size_t> first(Status status) const { return by_status.first(status); }
};

/// Writes "3 contacts: 2 ok, 1 infinite (first: contact 2); 1 outside, 1 pulls".
CAROM_EXPORT std::ostream& operator<<(std::ostream& stream, const RegionReport& report);

}  // namespace carom
