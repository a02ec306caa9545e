// Contact systems in C. system.hpp describes the members. Not yet stable (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact system. W is stored as compressed block rows; a block has nine numbers, row by row. All columns up to
/// `block` are required.
typedef struct carom_contact_system {
  size_t struct_size;
  carom_column friction;        ///< [1] for each contact
  carom_vectors3 velocity;      ///< [m/s] q, for each contact
  carom_column row_start;       ///< int64_t, rows + 1 elements
  carom_column column;          ///< int32_t, for each block
  carom_column block;           ///< [1/kg] for each block: the first of nine adjacent numbers
  carom_vectors3 warm_impulse;  ///< [N s] optional
  // Contact models, all of them optional.
  carom_column friction_2;             ///< [1] across friction_direction
  carom_vectors2 friction_direction;   ///< [1] along the first and the second tangent
  carom_column normal_compliance;      ///< [1/kg]
  carom_column tangential_compliance;  ///< [1/kg]
  // Moments. In W their rows follow the rows of the contacts.
  carom_column moment;                  ///< int32_t: the contact of each moment, ascending
  carom_column rolling_friction;        ///< [m] for each moment
  carom_column spinning_friction;       ///< [m] for each moment
  carom_vectors3 angular_velocity;      ///< [rad/s] for each moment: q
  carom_vectors3 warm_angular_impulse;  ///< [N m s] for each moment
} carom_contact_system;

/// Results of a contact system. Every column is optional.
typedef struct carom_system_results {
  size_t struct_size;
  carom_outputs3 impulse;           ///< [N s] r
  carom_outputs3 velocity;          ///< [m/s] u = W r + q
  carom_output state;               ///< uint8_t, a carom_contact_state
  carom_output island;              ///< int32_t: index for carom_system_solver_island
  carom_outputs3 angular_impulse;   ///< [N m s] of each moment
  carom_outputs3 angular_velocity;  ///< [rad/s] of each moment
} carom_system_results;

/// Options of a contact system.
typedef struct carom_system_options {
  size_t struct_size;
  double tolerance, error_mass;  ///< [1], [kg]
  int32_t scale;                 ///< carom_error_scale
  double budget;                 ///< [iterations]
  double max_friction, asymmetry;
  double range_tolerance;  ///< [1]
} carom_system_options;

/// Sets the defaults; struct_size is sizeof *options.
CAROM_EXPORT void carom_system_options_init(carom_system_options* options, size_t struct_size);

/// Report of a call.
typedef struct carom_system_report {
  size_t struct_size;
  size_t contacts, islands, max_island_size, unsolved;
  double error;
  int64_t pgs_iterations, interior_point_iterations, newton_iterations;
  double seconds;  ///< [s]
  int32_t threads;
  double range_distance;              ///< [1]
  int32_t ok;                         ///< 1 if every island is solved to the tolerance, else 0
  size_t by_state[CAROM_STATE_ROOM];  ///< number of contacts in each carom_contact_state
  size_t first[CAROM_STATE_ROOM];     ///< first contact in each state; see carom_system_report_first
} carom_system_report;

/// Returns the index of the first contact in this carom_contact_state, or -1.
CAROM_EXPORT int64_t carom_system_report_first(const carom_system_report* report, int32_t state);

/// An island: contacts that W connects. Each island is solved by itself.
typedef struct carom_system_island {
  size_t struct_size;
  size_t contacts;
  int32_t solved;  ///< 0 or 1
  double error;
  int32_t pgs_iterations, interior_point_iterations, newton_iterations;
  double range_distance;  ///< [1]
} carom_system_island;

/// A solver of contact systems with its workspace.
typedef struct carom_system_solver carom_system_solver;

/// `execution` may be NULL.
CAROM_EXPORT carom_error carom_system_solver_create(const carom_execution* execution, carom_system_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_system_solver_destroy(carom_system_solver* solver);

/// SystemSolver::solve. `results`, `options` and `report` may be NULL.
CAROM_EXPORT carom_error carom_system_solve(carom_system_solver* solver, int32_t precision,
                                            const carom_contact_system* system, const carom_system_results* results,
                                            const carom_system_options* options, carom_system_report* report);

/// Reads an island of the last call. Islands are in the order of their first contacts.
CAROM_EXPORT carom_error carom_system_solver_island(const carom_system_solver* solver, size_t index,
                                                    carom_system_island* island);

#ifdef __cplusplus
}
#endif
