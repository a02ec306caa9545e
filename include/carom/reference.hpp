// The scalar reference: the 3D algorithm of [R] section 4 in double, step by step, so that anyone can check the fast
// paths against it. It shares no code with them. Its Euler integrator follows [R]; its exact one (Integrator::series)
// reaches the limit of vanishing steps by other means than the lanes.
//
// [R] is the reworked version of B. Mirtich's frictional collision algorithm (Impulse-based Dynamic Simulation of Rigid
// Body Systems, 1996, chapter 3). docs/reference.md lists where the reference departs from it, and why.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
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

/// A collision in contact space, the normal along z.
struct Collision {
  Matrix3 k{};             ///< [1/kg] collision matrix, symmetric positive definite
  Vector3 u0{};            ///< [m/s] separation velocity, u0[2] < 0
  double friction = 0;     ///< [1] >= 0, may be infinite
  double restitution = 0;  ///< [1] in [0, 1]
  double step = 0;         ///< [N s] > 0, of Euler
};

/// Contact i as the laws see it, i below the number of contacts. Bodies give K and u0 in the contact frame, which is
/// the world turned by the shortest rotation that takes the normal to z; KContacts have them. `step` is the
/// contact's own, or 0. The normal must not be zero; nothing is checked.
CAROM_EXPORT Collision collision_of(const Contacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i);
CAROM_EXPORT Collision collision_of(const KContacts<double>& contacts, std::size_t i);

/// The end of a collision under the incremental law.
struct Outcome {
  Vector3 u{};                    ///< [m/s] separation velocity after the collision
  Vector3 p{};                    ///< [N s] impulse on A
  double work_compression = 0;    ///< [J] <= 0
  double work_decompression = 0;  ///< [J] >= 0
  std::int32_t steps = 0;         ///< of the integration
  Path path;                      ///< the phases that it went through
  bool ended = true;              ///< false: the step budget was reached, and nothing else here means anything
  /// How near the run came to deciding otherwise: the least, over all decisions it took, of the distance to the
  /// boundary, relative to |u0| (slip against the reach of a step, u_z against 0), to the normal work of compression
  /// (the end of the collision) or to the friction (stable or not). Only if asked for; infinite otherwise, and of the
  /// other laws.
  double boundary_distance = 0;
};

/// Steps 3 to 7 of the algorithm on a valid collision: nothing is checked.
CAROM_EXPORT Outcome resolve(const Collision& collision, std::int32_t step_budget, bool with_boundary_distance = false);

/// The same collision exact to rounding, under any law of restitution: sliding is integrated in slip time by
/// collocation. `collision.step` does not count; a step is one solution of the collocation equations, those that are
/// rejected or shortened included. The boundary distance is that of the exact solution: the least slip that it passes
/// or ends with, u_z at its start, at its crests and where it sticks, and the others as they are.
CAROM_EXPORT Outcome resolve_exact(const Collision& collision, RestitutionLaw law, std::int32_t step_budget,
                                   bool with_boundary_distance = false);

/// The angles [rad] in (-pi, pi], ascending, at which sliding keeps its direction: the roots of [R]'s quartic.
CAROM_EXPORT std::vector<double> rays_of_constant_sliding(const Matrix3& k, double friction);

/// The angle [rad] of the one diverging ray; the contact must not be able to stick (|M^-1 k| > friction).
CAROM_EXPORT double diverging_ray(const Matrix3& k, double friction);

/// Single laws read these parameters beside friction and restitution: LawColumns for one contact, with the same ranges
/// and the same axes 1 and 2.
struct LawParameters {
  double tangential_restitution = 0;                ///< [1] e_t in [-1, 1]
  double impulse_ratio_1 = 0, impulse_ratio_2 = 0;  ///< [1] finite
  double polar_angle = 0, azimuth = 0;              ///< [rad] in [0, pi]; finite
  double fraction = 0;                              ///< [1] in [0, 1]
  Vector3 candidate{};                              ///< [N s] in the contact frame, finite
  Weights<double> weight;                           ///< [1] >= 0, of a composite at least one above 0
};

/// The end of a collision under any law.
struct LawOutcome {
  /// ok, several_solutions, or why there is no impulse: separating, law_unavailable, no_solution, step_budget_reached,
  /// collision_matrix_not_positive_definite.
  Status status = Status::ok;
  Vector3 u{};  ///< [m/s] separation velocity after the collision
  Vector3 p{};  ///< [N s] impulse on A
  Path path;    ///< of the incremental law its course; else slip where |p_t| reaches μ p_z within rounding, or stick
};

/// Any law on a valid collision, whose `step` does not count: nothing is checked. docs/laws.md has the equations in the
/// order of this code. The incremental law is resolve_exact under the given law of restitution, for the composite as
/// well.
CAROM_EXPORT LawOutcome apply(Law law, const Collision& collision, const LawParameters& parameters = {},
                              RestitutionLaw restitution_law = RestitutionLaw::energetic,
                              std::int32_t step_budget = Options{}.step_budget);

/// How far an impulse lies inside each bound of the permissible region, as RegionMargins: below zero it is outside.
struct Margins {
  double energy = 0;           ///< [J] -(p·u0 + ½ p·K p)
  double non_penetration = 0;  ///< [m/s] (u0 + K p)·n
  double tension = 0;          ///< [N s] p·n
  double cone = 0;             ///< [N s] μ p·n - |p_t|; infinite without a bound on friction
};
/// Measures any impulse [N s] in the contact frame.
CAROM_EXPORT Margins region_margins(const Collision& collision, const Vector3& p);

/// The impulses and the energy that span impulse space, as carom::ImpulseSpace.
struct ImpulseSpace {
  Vector3 plastic_frictionless{};  ///< [N s] P_I
  Vector3 plastic_sticking{};      ///< [N s] P_II
  double contact_energy = 0;       ///< [J] ½ u0·K⁻¹ u0
};
/// K must be positive definite.
CAROM_EXPORT ImpulseSpace impulse_space(const Collision& collision);

/// The whole algorithm for every contact: the arguments, results, statuses and errors of Solver::solve. With
/// Integrator::series the steps do not count. `boundary_distance` may be empty, see
/// Outcome.
CAROM_EXPORT Report solve(const Contacts<double>& contacts, const Results<double>& results, const Options& options = {},
                          Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const IndexedContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const KContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});

}  // namespace carom::reference
