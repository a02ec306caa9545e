// The scalar reference: the 3D algorithm of [R] section 4 in double, step by step, so that anyone can check the fast
// paths against it. It shares no code with them. Its Euler integrator follows [R]; its exact one (Integrator::series)
// reaches the limit of vanishing steps by other means than the lanes.
//
// [R] is the reworked version of B. Mirtich's frictional collision algorithm (Impulse-based Dynamic Simulation of Rigid
// Body Systems, 1996, chapter 3). docs/reference.md lists where the reference departs from it, and why.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/solver.hpp>
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

struct Outcome {
  Vector3 u{};                    ///< [m/s] separation velocity after the collision
  Vector3 p{};                    ///< [N s] impulse on A
  double work_compression = 0;    ///< [J] <= 0
  double work_decompression = 0;  ///< [J] >= 0
  std::int32_t steps = 0;
  Path path;
  bool ended = true;  ///< false: the step budget was reached, and nothing else here means anything
  /// How near the run came to deciding otherwise: the least, over all decisions it took, of the distance to the
  /// boundary, relative to |u0| (slip against the reach of a step, u_z against 0), to the normal work of compression
  /// (the end of the collision) or to the friction (stable or not). Only if asked for; infinite otherwise.
  double boundary_distance = 0;
};

/// Steps 3 to 7 of the algorithm on a valid collision.
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

/// The whole algorithm for every contact: the arguments, results, statuses and errors of Solver::solve, of which the
/// options isa and threads do not count, nor with Integrator::series the steps. `boundary_distance` may be empty, see
/// Outcome.
CAROM_EXPORT Report solve(const InlineContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const IndexedContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});
CAROM_EXPORT Report solve(const SpaceContacts<double>& contacts, const Results<double>& results,
                          const Options& options = {}, Column<double> boundary_distance = {});

}  // namespace carom::reference
