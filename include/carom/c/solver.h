// Single contacts in C, as in solver.hpp.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One piece of a loop.
typedef void (*carom_piece)(void* work, size_t piece);

/// Calls run(work, piece) once for each piece in [0, pieces), and returns after all of these calls have returned.
/// Scheduler in solver.hpp has the rules.
typedef void (*carom_parallel_for)(void* context, size_t pieces, carom_piece run, void* work);

/// Instruction set and threads of the calls of a solver.
typedef struct carom_execution {
  size_t struct_size;
  int32_t isa;      ///< carom_isa; CAROM_ISA_AUTOMATIC selects the best one of this CPU
  int32_t threads;  ///< maximum number; 0: `workers`, or as many as the caller's oneTBB arena has room for
  // Scheduler. All 0: oneTBB.
  carom_parallel_for parallel_for;
  void* context;         ///< the first argument of parallel_for
  int32_t workers;       ///< maximum number of pieces; at least 1 with parallel_for
  int32_t runs_at_once;  ///< 1: all pieces of a loop run at the same time
} carom_execution;

/// Options.
typedef struct carom_options {
  size_t struct_size;
  int32_t law;              ///< carom_law of contacts without carom_law_columns::law
  int32_t restitution_law;  ///< carom_restitution_law of contacts without a column of it
  int32_t integrator;       ///< carom_integrator of CAROM_LAW_INCREMENTAL
  int32_t steps;            ///< steps of Euler's method
  int32_t step_budget;      ///< maximum number of sliding steps of a contact
  double max_restitution, normal_tolerance, inertia_tolerance;  ///< [1] Tolerances
} carom_options;

/// Sets the defaults; struct_size is sizeof *options.
CAROM_EXPORT void carom_options_init(carom_options* options, size_t struct_size);

/// Report of a batch.
typedef struct carom_report {
  size_t struct_size;
  size_t contacts;
  size_t by_status[CAROM_STATUS_ROOM];  ///< number of contacts with each carom_status
  size_t by_path[CAROM_PATH_ROOM];      ///< number of contacts with each carom_path_index
  int32_t isa;                          ///< carom_isa
  int32_t threads;                      ///< number of threads that worked
  uint64_t sliding_steps, lane_steps;
  double max_energy_gain;  ///< [J]
  size_t max_energy_gain_contact;
  int32_t ok;                       ///< 1 if no contact is at fault, else 0
  size_t first[CAROM_STATUS_ROOM];  ///< first contact of each carom_status; see carom_report_first
} carom_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_report_first(const carom_report* report, int32_t status);

typedef struct carom_solver carom_solver;

/// Creates a solver. `execution` may be NULL: all threads of oneTBB and the best ISA. Keep the solver from call to
/// call. It runs one call at a time.
CAROM_EXPORT carom_error carom_solver_create(const carom_execution* execution, carom_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_solver_destroy(carom_solver* solver);
/// Returns the carom_isa in use.
CAROM_EXPORT int32_t carom_solver_isa(const carom_solver* solver);

// Solver::solve. `results`, `options` and `report` may be NULL.
CAROM_EXPORT carom_error carom_solve(carom_solver* solver, int32_t precision, const carom_contacts* contacts,
                                     const carom_results* results, const carom_options* options, carom_report* report);
CAROM_EXPORT carom_error carom_solve_indexed(carom_solver* solver, int32_t precision,
                                             const carom_indexed_contacts* contacts, const carom_results* results,
                                             const carom_options* options, carom_report* report);
CAROM_EXPORT carom_error carom_solve_k(carom_solver* solver, int32_t precision, const carom_k_contacts* contacts,
                                       const carom_results* results, const carom_options* options,
                                       carom_report* report);
/// Results have the precision of the contacts.
CAROM_EXPORT carom_error carom_solve_blocked(carom_solver* solver, const carom_blocked_contacts* contacts,
                                             const carom_results* results, const carom_options* options,
                                             carom_report* report);
CAROM_EXPORT carom_error carom_solve_planar(carom_solver* solver, int32_t precision,
                                            const carom_planar_contacts* contacts, const carom_planar_results* results,
                                            const carom_options* options, carom_report* report);
CAROM_EXPORT carom_error carom_solve_planar_indexed(carom_solver* solver, int32_t precision,
                                                    const carom_planar_indexed_contacts* contacts,
                                                    const carom_planar_results* results, const carom_options* options,
                                                    carom_report* report);
CAROM_EXPORT carom_error carom_solve_planar_k(carom_solver* solver, int32_t precision,
                                              const carom_planar_k_contacts* contacts,
                                              const carom_planar_results* results, const carom_options* options,
                                              carom_report* report);

#ifdef __cplusplus
}
#endif
