// The permissible region of impulses: what any law of rigid-body collisions has to keep to. A. Chatterjee, A. Ruina, A
// New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998, section 3.2. Solver::find_margins
// tells how far impulses lie inside it.
#pragma once

#include <carom/contacts.hpp>
#include <carom/planar.hpp>
#include <cstddef>

namespace carom {

/// How far an impulse p lies inside each bound of the permissible region: below zero it is outside. Every column is
/// optional; those that are there are as long as the contacts. NaN for contacts at fault.
template <class T>
struct RegionMargins {
  Column<T> energy{};           ///< [J] -(p·u0 + ½ p·K p), the kinetic energy that is lost
  Column<T> non_penetration{};  ///< [m/s] (u0 + K p)·n
  Column<T> tension{};          ///< [N s] p·n
  Column<T> cone{};             ///< [N s] μ p·n - |p_t|; infinite without a bound on friction
  Column<Status> status{};      ///< ok, separating, or the fault of the data
};

/// The impulses that span impulse space, to plot it; in the frame of the results. Every column is optional.
template <class T, template <class> class Vector>
struct ImpulseSpaceColumns {
  Vector<T> plastic_frictionless{};  ///< [N s] P_I: stops the approach without friction
  Vector<T> plastic_sticking{};      ///< [N s] P_II: stops all of u
  Column<T> contact_energy{};        ///< [J] ½ u0·K⁻¹ u0: what a collision can dissipate at most
};
template <class T>
using ImpulseSpace = ImpulseSpaceColumns<T, Vector3Columns>;
namespace planar {
template <class T>
using ImpulseSpace = ImpulseSpaceColumns<T, Vector2Columns>;
}  // namespace planar

/// The answer of Solver::find_margins. A contact leaves the region where a margin is below -tolerance in its unit: the
/// first two relative to ½ u0·K⁻¹u0 and |u0|, the others to |p|.
struct RegionReport {
  std::size_t contacts = 0;  ///< of the call
  std::size_t faults = 0;    ///< of the data; contacts that separate are none, and are checked too
  std::size_t outside = 0;   ///< that leave the region by one bound or more
  std::size_t gains_energy = 0, penetrates = 0, pulls = 0, leaves_cone = 0;  ///< by each bound
};

}  // namespace carom
