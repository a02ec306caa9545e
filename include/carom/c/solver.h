// The solver of single contacts in C: every contact is resolved as if it were alone.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One piece of a loop.
typedef void (*carom_piece)(void* work, size_t piece);

/// Your job system: calls run(work, piece) once for each piece in [0, pieces), on any threads and in any order, and
/// returns after all of these calls have returned. carom calls it once for every parallel loop, one loop after the
/// other, on the thread that made the call. Pieces do not wait for each other unless runs_at_once is set. It must not
/// call longjmp or throw. docs/submitting-contacts.md has an example.
typedef void (*carom_parallel_for)(void* context, size_t pieces, carom_piece run, void* work);

/// Instruction set and threads of the calls of a solver. All options 0 are the defaults. Results do not depend on it,
/// except with CAROM_ISA_SSE2, which has no fused multiply-add. Messages of errors write `scheduler.` before the names
/// of the last four fields.
typedef struct carom_execution {
  size_t struct_size;
  int32_t isa;  ///< Instruction set; the best one of this CPU by default. A carom_isa. Default CAROM_ISA_AUTOMATIC.
  /// Maximum number of threads. 0: all. In [0, 1024]. Default 0. "All" is `workers` with parallel_for, otherwise as
  /// many as the caller's oneTBB arena has room for. With 1 the calling thread does all work.
  int32_t threads;
  carom_parallel_for parallel_for;  ///< Runs the pieces of a loop. Default NULL: oneTBB runs them.
  void* context;                    ///< First argument of parallel_for. Default NULL.
  int32_t workers;  ///< Maximum number of pieces. In [0, 1024]. Default 0. At least 1 with parallel_for, else 0.
  /// Whether all pieces of a loop run at the same time. 0 or 1. Default 0. Set it to 1 only if each piece has an
  /// otherwise idle thread: pieces then wait for each other by spinning.
  int32_t runs_at_once;
} carom_execution;

/// The laws and the integration of a call, and the tolerances of its data. restitution_law, integrator, steps and
/// step_budget are an error if they differ from their defaults and no law of the call reads them: the incremental law
/// alone does, and steps by Euler's method.
typedef struct carom_options {
  size_t struct_size;
  /// Collision law if the column law is absent. A carom_law. Default CAROM_LAW_INCREMENTAL.
  int32_t law;
  /// Restitution hypothesis of the incremental law. A carom_restitution_law. Default CAROM_RESTITUTION_ENERGETIC.
  int32_t restitution_law;
  int32_t integrator;  ///< Integrator of the incremental law. A carom_integrator. Default CAROM_INTEGRATOR_SERIES.
  /// Steps of Euler's method: the step is |u0| / (steps trace K). In [1, 2^30]. Default 200.
  int32_t steps;
  int32_t step_budget;      ///< Maximum number of sliding steps of a contact. In [1, 2^30]. Default 1000000.
  double max_restitution;   ///< [1] Maximum coefficient of restitution; larger ones are faults. In [1, 100]. Default 1.
  double normal_tolerance;  ///< [1] Maximum distance of |n| from 1. In [0, 0.1]. Default 1e-5.
  /// [1] Maximum negative eigenvalue of an inverse inertia, relative to its trace. In [0, 0.1]. Default 1e-5.
  double inertia_tolerance;
} carom_options;

/// Sets the defaults and struct_size. The argument `struct_size` is sizeof *options.
CAROM_EXPORT void carom_options_init(carom_options* options, size_t struct_size);

/// Report of a batch.
typedef struct carom_report {
  size_t struct_size;
  size_t contacts;                      ///< number of contacts of the call
  size_t by_status[CAROM_STATUS_ROOM];  ///< number of contacts with each carom_status
  size_t by_path[CAROM_PATH_ROOM];      ///< number of contacts with each carom_path_index
  int32_t isa;                          ///< carom_isa
  int32_t threads;                      ///< number of threads that worked
  uint64_t sliding_steps;               ///< integration steps, summed over the contacts
  uint64_t lane_steps;                  ///< steps that the lanes had room for; sliding_steps over it is their use
  double max_energy_gain;               ///< [J] maximum gain of kinetic energy; 0 if no contact gained energy
  size_t max_energy_gain_contact;       ///< first contact with that gain; meaningless if the gain is 0
  int32_t ok;                           ///< 1 if no contact is at fault, else 0
  size_t first[CAROM_STATUS_ROOM];      ///< first contact of each carom_status; see carom_report_first
} carom_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_report_first(const carom_report* report, int32_t status);

/// A solver of single contacts with its workspace.
typedef struct carom_solver carom_solver;

/// Creates a solver. `execution` may be NULL: all threads of oneTBB and the best ISA. Keep the solver from call to
/// call: it owns the workspace. It serves one call at a time.
CAROM_EXPORT carom_error carom_solver_create(const carom_execution* execution, carom_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_solver_destroy(carom_solver* solver);
/// Returns the carom_isa in use; CAROM_ISA_AUTOMATIC if `solver` is NULL.
CAROM_EXPORT int32_t carom_solver_isa(const carom_solver* solver);
/// Solver::memory: returns the number of bytes that the solver holds, or 0 if `solver` is NULL.
CAROM_EXPORT size_t carom_solver_memory(const carom_solver* solver);

// Resolve all contacts. `precision` is a carom_precision. `results`, `options` and `report` may be NULL: no results,
// the defaults, no report. In planar calls `integrator`, `steps` and step_budget must have their defaults.
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
