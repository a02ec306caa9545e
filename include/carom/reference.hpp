// The scalar reference: the 3D algorithm of [R] section 4 in double, step by step. It verifies the fast paths and
// shares no code with them. Its Euler integrator follows [R]. Its exact integrator (Integrator::series) computes the
// limit of vanishing steps by another method than the kernels.
//
// [R] is the reworked version of B. Mirtich's frictional collision algorithm (Impulse-based Dynamic Simulation of Rigid
// Body Systems, 1996, chapter 3). docs/reference.md lists the differences from it and their reasons.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/laws.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <cstdint>
#include <vector>

namespace carom::reference {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  ///< rows

/// A collision in contact space. The normal is along z.
struct Collision {
  Matrix3 k{};             ///< [1/kg] collision matrix, symmetric positive definite
  Vector3 u0{};            ///< [m/s] separation velocity, u0[2] < 0
  double friction = 0;     ///< [1] >= 0, may be infinite
  double restitution = 0;  ///< [1] >= 0
  double step = 0;         ///< [N s] step of Integrator::euler, > 0
};

/// Returns K and u0 of contact i, the input of the laws. i is below the number of contacts. For contacts of bodies the
/// frame is the world turned by the shortest rotation that takes the normal to z; KContacts already are in their frame.
/// `step` is the contact's own step, or 0. The normal must not be zero. Nothing is checked.
CAROM_EXPORT Collision collision_of(const Contacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const KContacts<double>& contacts, std::size_t i);

/// Result of a collision under the incremental law.
struct Outcome {
  Vector3 u{};                    ///< [m/s] separation velocity after the collision
  Vector3 p{};                    ///< [N s] impulse on A
  double work_compression = 0;    ///< [J] <= 0
  double work_decompression = 0;  ///< [J] >= 0
  std::int32_t steps = 0;         ///< number of integration steps
  Path path;                      ///< phases of the collision
  bool ended = true;              ///< false: the step budget was reached, and all other fields are meaningless
  /// [1] Minimum distance of all decisions of the run to their boundary. The reference value is |u0| (slip against the
  /// length of a step, u_z against 0), the normal work of compression (end of the collision) or the friction (stable or
  /// not). Infinite if it was not requested, and for other laws.
  double boundary_distance = 0;
};

/// Steps 3 to 7 of the algorithm, for a valid collision. Nothing is checked.
CAROM_EXPORT Outcome resolve(const Collision& collision, std::int32_t step_budget, bool with_boundary_distance = false);

/// Solves the same collision exactly to rounding, under any restitution law: sliding is integrated in slip time by
/// collocation. `collision.step` is ignored. A step is one solution of the collocation equations, including rejected
/// and shortened steps. The boundary distance belongs to the exact solution: the minimum slip on its way and at its
/// end, u_z at its start, at its maxima and where it sticks, and the other distances as above.
CAROM_EXPORT Outcome resolve_exact(const Collision& collision, RestitutionLaw law, std::int32_t step_budget,
                                   bool with_boundary_distance = false);

/// Returns the angles [rad] in (-π, π], ascending, at which sliding keeps its direction: the roots of [R]'s quartic.
CAROM_EXPORT std::vector<double> rays_of_constant_sliding(const Matrix3& k, double friction);

/// Returns the angle [rad] of the diverging ray. The contact must not be able to stick (|M⁻¹ k| > friction).
CAROM_EXPORT double diverging_ray(const Matrix3& k, double friction);

/// Parameters of the laws in addition to friction and restitution: LawColumns of one contact, with the same ranges and
/// axes.
struct LawParameters {
  double tangential_restitution = 0;                ///< [1] e_t. In [-1, 1].
  double impulse_ratio_1 = 0, impulse_ratio_2 = 0;  ///< [1] along axis 1, along axis 2. Finite.
  double polar_angle = 0, azimuth = 0;              ///< [rad] in [0, π]; finite
  double fraction = 0;                              ///< [1] in [0, 1]
  Vector3 candidate{};                              ///< [N s] in the contact frame. Finite.
  Weights<double> weight{};                         ///< [1] >= 0; for a composite at least one > 0
};

/// Result of a collision under any law.
struct LawOutcome {
  /// ok or several_solutions. Without impulse: separating, law_unavailable, no_solution, step_budget_reached or
  /// collision_matrix_not_positive_definite.
  Status status = Status::ok;
  Vector3 u{};  ///< [m/s] separation velocity after the collision
  Vector3 p{};  ///< [N s] impulse on A
  Path path;    ///< phases of the incremental law; other laws: slip if |p_t| reaches μ p_z within rounding, else stick
};

/// Applies any law to a valid collision. Nothing is checked, and `collision.step` is ignored. docs/laws.md has the
/// equations in the order of this code. The incremental law, also as a component of a composite, is resolve_exact under
/// `restitution_law`.
CAROM_EXPORT LawOutcome apply(Law law, const Collision& collision, const LawParameters& parameters = {},
                              RestitutionLaw restitution_law = RestitutionLaw::energetic,
                              std::int32_t step_budget = Options{}.step_budget);

/// Margins of an impulse to each bound of the permissible region: see RegionMargins. A negative margin means outside.
struct Margins {
  double energy = 0;           ///< [J] -(p·u0 + ½ p·K p)
  double non_penetration = 0;  ///< [m/s] (u0 + K p)·n
  double tension = 0;          ///< [N s] p·n
  double cone = 0;             ///< [N s] μ p·n - |p_t|; infinite if friction is infinite
};
/// Returns the margins of any impulse [N s] in the contact frame.
CAROM_EXPORT Margins region_margins(const Collision& collision, const Vector3& p);

/// Reference impulses and energy of impulse space: see carom::ImpulseSpace.
struct ImpulseSpace {
  Vector3 plastic_frictionless{};  ///< [N s] P_I
  Vector3 plastic_sticking{};      ///< [N s] P_II
  double contact_energy = 0;       ///< [J] ½ u0·K⁻¹ u0
};
/// Returns the reference impulses of a collision. K must be positive definite.
CAROM_EXPORT ImpulseSpace impulse_space(const Collision& collision);

/// Solves every contact. Arguments, results, statuses and errors are as for Solver::solve; if memory runs out, results
/// of earlier contacts have been written. `boundary_distance` is optional: see Outcome.
CAROM_EXPORT Report solve(const Contacts<double>& contacts, const Results<double>& results, const Options& options = {},
                          Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const IndexedContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const KContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});

}  // namespace carom::reference
