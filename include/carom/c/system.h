// Contact systems in C: the equations for the impulses of all contacts in a step of rigid bodies, solved to a
// tolerance. You pass the Delassus matrix W, the velocities q of the contacts without impulses, and the coefficients of
// friction. The solver returns impulses r and velocities u = W r + q with
//
//   |r_t| <= friction r_n,   u + friction |u_t| n in the dual cone,   r · (u + friction |u_t| n) = 0
//
// docs/contact-systems.md has the formulation, the methods and their limits. Not yet stable
// (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact system. Vectors and blocks are in the frames of the contacts, whose third axis is the normal. W is stored
/// as compressed block rows: contact i has the blocks from row_start[i] up to row_start[i + 1], and block k is in the
/// columns of contact column[k]. A block has nine numbers, row by row. Restitution is your task, in q: Newton's law
/// adds e u0_n to q_n. All columns up to `block` are required.
typedef struct carom_contact_system {
  size_t struct_size;
  carom_column friction;    ///< [1] >= 0 for each contact, may be infinite
  carom_vectors3 velocity;  ///< [m/s] q, for each contact: u without impulses. Finite.
  carom_column row_start;   ///< int64_t, rows + 1 elements: non-decreasing, from 0 to the number of blocks
  carom_column column;      ///< int32_t, in [0, rows) for each block, ascending within a row
  carom_column block;  ///< [1/kg] for each block: the first of nine adjacent numbers; `count` is the number of blocks
  carom_vectors3 warm_impulse;  ///< [N s] optional, for each contact: initial r. Finite.
  // Contact models.
  carom_column friction_2;            ///< [1] >= 0, optional, for each contact: coefficient of friction across
                                      ///< friction_direction; `friction` is the coefficient along it
  carom_vectors2 friction_direction;  ///< [1] optional, with friction_2: components along the first and the second
                                      ///< tangent. Any length. Default (1, 0).
  /// [1/kg] >= 0, optional, for each contact: compliance, the part of u_n, or of u_t, that the contact yields per unit
  /// impulse
  carom_column normal_compliance, tangential_compliance;
  // Moments of contacts that resist rolling or spinning. In W their rows and columns follow those of the contacts.
  carom_column moment;            ///< int32_t, optional: the contact of each moment, ascending
  carom_column rolling_friction;  ///< [m] >= 0, optional, for each moment: max. |m_t| per unit of normal
                                  ///< impulse
  /// [m] >= 0, optional, for each moment: max. moment about the normal per unit of normal impulse
  carom_column spinning_friction;
  carom_vectors3 angular_velocity;  ///< [rad/s] required with `moment`: q of its rows, ω_A − ω_B without impulses
  carom_vectors3 warm_angular_impulse;  ///< [N m s] optional, for each moment: initial moment
} carom_contact_system;

/// Results of a contact system. Every column is optional. Columns must not overlap with columns of the system, except
/// `impulse` with warm_impulse, and angular_impulse with warm_angular_impulse.
typedef struct carom_system_results {
  size_t struct_size;
  carom_outputs3 impulse;           ///< [N s] r, in the cone up to rounding
  carom_outputs3 velocity;          ///< [m/s] u = W r + q
  carom_output state;               ///< uint8_t, a carom_contact_state
  carom_output island;              ///< int32_t: index for carom_system_solver_island
  carom_outputs3 angular_impulse;   ///< [N m s] of each moment
  carom_outputs3 angular_velocity;  ///< [rad/s] of each moment: ω_A − ω_B
} carom_system_results;

/// Tolerance of the solution and limits of the work.
typedef struct carom_system_options {
  size_t struct_size;
  /// [1] Maximum error. 0: 1e-8 in double, 1e-4 in float. In [0, 1]. Default 0. The error is
  /// |r − P(r − ρ (u + friction |u_t| n))| / (ρ |q|), with P the projection onto the cones and ρ the error_mass.
  double tolerance;
  double error_mass;  ///< [kg] Mass in the error. 0: each island's own. In [0, 1e30]. Default 1.
  int32_t scale;      ///< Reference velocity of the error. A carom_error_scale. Default CAROM_ERROR_SCALE_SYSTEM.
  /// [iterations] Limit of the work on an island. In [1, 1e12]. Default 100000. If it runs out, the best impulses found
  /// are returned.
  double budget;
  double max_friction;  ///< [1] Larger coefficients of friction count as this one. In (0, 1e6]. Default 1000.
  double asymmetry;     ///< [1] Maximum asymmetry of W. In [0, 2]. Default 0.1.
  /// [1] Maximum distance of q from the range of W at which its projection may be solved. In [0, 1]. Default 1e-4.
  double range_tolerance;
} carom_system_options;

/// Sets the defaults and struct_size. The argument `struct_size` is sizeof *options.
CAROM_EXPORT void carom_system_options_init(carom_system_options* options, size_t struct_size);

/// Report of a call.
typedef struct carom_system_report {
  size_t struct_size;
  size_t contacts;         ///< number of contacts of the system
  size_t islands;          ///< number of islands
  size_t max_island_size;  ///< [contacts] size of the largest island
  size_t unsolved;         ///< number of islands that are not solved to the tolerance
  double error;            ///< [1] error of the whole system, relative to |q|
  int64_t pgs_iterations, interior_point_iterations, newton_iterations;  ///< sums over the islands
  double seconds;                                                        ///< [s] time of the call
  int32_t threads;                                                       ///< number of threads that took part
  double range_distance;              ///< [1] distance of q from the range of W, relative to |q|
  int32_t ok;                         ///< 1 if every island is solved to the tolerance, else 0
  size_t by_state[CAROM_STATE_ROOM];  ///< number of contacts in each carom_contact_state
  size_t first[CAROM_STATE_ROOM];     ///< first contact in each state; see carom_system_report_first
} carom_system_report;

/// Returns the index of the first contact in this carom_contact_state, or -1.
CAROM_EXPORT int64_t carom_system_report_first(const carom_system_report* report, int32_t state);

/// An island: contacts that W connects. Each island is solved by itself.
typedef struct carom_system_island {
  size_t struct_size;
  size_t contacts;  ///< at least one
  int32_t solved;   ///< 1 if the tolerance was reached, else 0; the best impulses found are then returned
  double error;     ///< [1] error of this island, relative as carom_system_options::scale says
  int32_t pgs_iterations, interior_point_iterations, newton_iterations;  ///< iterations of each algorithm
  double range_distance;  ///< [1] 0 if the island is solved with q; else the distance of q from the range of W
} carom_system_island;

/// A solver of contact systems with its workspace.
typedef struct carom_system_solver carom_system_solver;

/// Creates a solver. `execution` may be NULL: all threads of oneTBB. Keep the solver from call to call.
CAROM_EXPORT carom_error carom_system_solver_create(const carom_execution* execution, carom_system_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_system_solver_destroy(carom_system_solver* solver);
/// SystemSolver::memory: returns the number of bytes that the solver holds, or 0 if `solver` is NULL.
CAROM_EXPORT size_t carom_system_solver_memory(const carom_system_solver* solver);

/// Solves a contact system. `precision` is a carom_precision. `results`, `options` and `report` may be NULL: no
/// results, the defaults, no report. Faulty data are an error that names the column and the row.
CAROM_EXPORT carom_error carom_system_solve(carom_system_solver* solver, int32_t precision,
                                            const carom_contact_system* system, const carom_system_results* results,
                                            const carom_system_options* options, carom_system_report* report);

/// Reads island `index` of the last call, below carom_system_report::islands. Set struct_size of `island` first.
/// Islands are in the order of their first contacts.
CAROM_EXPORT carom_error carom_system_solver_island(const carom_system_solver* solver, size_t index,
                                                    carom_system_island* island);

#ifdef __cplusplus
}
#endif
