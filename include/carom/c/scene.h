// Scenes in C. scene.hpp and scene_options.hpp describe the members. Not yet stable (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bodies of a scene. The first four columns are required.
typedef struct carom_scene_bodies {
  size_t struct_size;
  carom_column inverse_mass;                                ///< [1/kg]
  carom_symmetric3 inverse_inertia;                         ///< [1/(kg m²)]
  carom_vectors3 velocity, angular_velocity;                ///< [m/s], [rad/s]
  carom_vectors3 velocity_change, angular_velocity_change;  ///< optional: added by forces of the step
} carom_scene_bodies;

/// Contacts of a scene. The columns up to body_b are required.
typedef struct carom_scene_contacts {
  size_t struct_size;
  carom_column friction, restitution;                ///< [1]
  carom_vectors3 normal, r_a, r_b;                   ///< [1], [m]
  carom_column body_a, body_b;                       ///< int32_t: index into the bodies, -1 for the immovable world
  carom_column static_friction, friction_2;          ///< [1]
  carom_vectors3 friction_direction;                 ///< [1]
  carom_column rolling_friction, spinning_friction;  ///< [m]
  carom_column normal_compliance, tangential_compliance;  ///< [1/kg]
  carom_column stiffness, damping;                        ///< [N/m], [N s/m]
  carom_column separation;                                ///< [m]
  carom_column frequency, damping_ratio;                  ///< [Hz], [1]
  carom_column target_velocity;                           ///< [m/s]
  carom_vectors3 surface_velocity;                        ///< [m/s]
  carom_vectors3 warm_impulse, warm_angular_impulse;      ///< [N s], [N m s]
  carom_column key;                                       ///< uint64_t
  const carom_law_columns* laws;                          ///< optional, for CAROM_METHOD_SEQUENTIAL_IMPACTS
  carom_column slop;                                      ///< [m]
} carom_scene_contacts;

/// Rows of joints. The columns up to angular_b are required. joints.h writes the rows of the usual joints.
typedef struct carom_joint_rows {
  size_t struct_size;
  carom_column body_a, body_b;                              ///< int32_t: index into the bodies, -1 for the world
  carom_vectors3 linear_a, angular_a, linear_b, angular_b;  ///< [1], [m]
  carom_column target_velocity;                             ///< [m/s]
  carom_column min_impulse, max_impulse;                    ///< [N s]
  carom_column compliance;                                  ///< [1/kg]
  carom_column warm_impulse;                                ///< [N s]
  carom_column key;                                         ///< uint64_t
  carom_column error, frequency, damping_ratio;             ///< [m], [Hz], [1]
  carom_vectors3 r_a, r_b;                                  ///< [m]
} carom_joint_rows;

/// Bodies, contacts and joints of one step.
typedef struct carom_scene {
  size_t struct_size;
  const carom_scene_bodies* bodies;
  const carom_scene_contacts* contacts;  ///< optional
  const carom_joint_rows* joints;        ///< optional
} carom_scene;

/// Columns of islands are as long as the bodies; the first carom_scene_report::islands elements are written.
typedef struct carom_island_results {
  size_t struct_size;
  carom_output status;                ///< uint8_t, a carom_island_status
  carom_output residual;              ///< [m/s] or [rad/s]
  carom_output iterations, substeps;  ///< int32_t
  carom_output energy_removed;        ///< [J]
  carom_output relative_error;        ///< [1]
  carom_output algorithm;             ///< uint8_t, a carom_island_algorithm
} carom_island_results;

/// Results of a scene. Every column is optional. Results may share the memory of these inputs:
/// - velocity, angular_velocity: velocity, angular_velocity of bodies;
/// - impulse, warm_impulse, angular_impulse, warm_angular_impulse: warm_impulse, warm_angular_impulse of contacts;
/// - joint_impulse, joint_warm_impulse: warm_impulse of rows.
/// Any other overlap with an input, and any overlap of two results, is an error of the caller.
typedef struct carom_scene_results {
  size_t struct_size;
  carom_outputs3 velocity, angular_velocity;             ///< [m/s], [rad/s] of the bodies after the step
  carom_outputs3 displacement, rotation;                 ///< [m], [rad]; CAROM_METHOD_SUBSTEPS
  carom_outputs3 impulse, warm_impulse;                  ///< [N s] on A
  carom_outputs3 angular_impulse, warm_angular_impulse;  ///< [N m s] on A
  carom_outputs3 separation_velocity;                    ///< [m/s]
  carom_output status;                                   ///< uint8_t, a carom_status
  carom_output path;                                     ///< carom_path
  carom_output island;                                   ///< int32_t
  carom_output joint_impulse, joint_warm_impulse;        ///< [N s]
  carom_output joint_status;                             ///< uint8_t, a carom_status
  carom_output joint_island;                             ///< int32_t
  const carom_island_results* islands;                   ///< optional
} carom_scene_results;

/// Options of CAROM_METHOD_PGS.
typedef struct carom_pgs_options {
  size_t struct_size;
  int32_t iterations;
  double relaxation, warm_start, joint_warm_start;
  int32_t inner_iterations;
  double time_step;  ///< [s]
  int32_t relax_iterations;
} carom_pgs_options;

/// Options of CAROM_METHOD_SEQUENTIAL_IMPACTS.
typedef struct carom_sequential_impacts_options {
  size_t struct_size;
  int32_t impacts;
  uint64_t seed;
} carom_sequential_impacts_options;

/// Options of CAROM_METHOD_ITERATION.
typedef struct carom_iteration_options {
  size_t struct_size;
  int32_t iterations;
  int32_t swept;  ///< carom_contact_filter
} carom_iteration_options;

/// Options of CAROM_METHOD_RESTING.
typedef struct carom_resting_options {
  size_t struct_size;
  int32_t iterations;
  double time_step;   ///< [s] required
  double gravity[3];  ///< [m/s²]
} carom_resting_options;

/// Options of CAROM_METHOD_SUBSTEPS.
typedef struct carom_substeps_options {
  size_t struct_size;
  double time_step;  ///< [s] required
  int32_t least, most, inner_iterations, sweeps, relax_iterations, restitution_sweeps;
  double slop, correction_rate, max_correction_speed;  ///< [m], [1], [m/s]
  double joint_frequency, joint_damping_ratio, contact_damping_ratio;
  double warm_start, joint_warm_start;
  double relative_slop;  ///< [1] with slop 0
  int32_t min_direct_substeps;
} carom_substeps_options;

/// Options of CAROM_METHOD_NCP.
typedef struct carom_ncp_options {
  size_t struct_size;
  double tolerance, budget, max_friction, warm_start;  ///< [1], [sweeps], [1], [1]
  int32_t max_island_size, pgs_presolve;               ///< [1] contacts and rows; 0 or 1
} carom_ncp_options;

/// Criterion for contacts at rest.
typedef struct carom_rest_criterion {
  size_t struct_size;
  double gravity, tolerance;  ///< [m/s²], [m]
} carom_rest_criterion;

/// Additional sweeps from the immovable bodies upwards.
typedef struct carom_shock_propagation {
  size_t struct_size;
  int32_t enabled;  ///< 0 or 1
  int32_t iterations;
} carom_shock_propagation;

/// Options of a call. A NULL pointer selects the defaults.
typedef struct carom_scene_options {
  size_t struct_size;
  int32_t method;                                    ///< carom_scene_method
  double relative_tolerance, restitution_threshold;  ///< [1], [m/s]
  const carom_options* collision;
  const carom_rest_criterion* rest;
  const carom_shock_propagation* shock_propagation;
  const carom_pgs_options* pgs;
  const carom_sequential_impacts_options* sequential_impacts;
  const carom_iteration_options* iteration;
  const carom_resting_options* resting;
  const carom_substeps_options* substeps;
  const carom_ncp_options* ncp;
} carom_scene_options;

// These functions set the defaults; struct_size is the size of the struct that the pointer points to.
CAROM_EXPORT void carom_pgs_options_init(carom_pgs_options* options, size_t struct_size);
CAROM_EXPORT void carom_sequential_impacts_options_init(carom_sequential_impacts_options* options, size_t struct_size);
CAROM_EXPORT void carom_iteration_options_init(carom_iteration_options* options, size_t struct_size);
CAROM_EXPORT void carom_resting_options_init(carom_resting_options* options, size_t struct_size);
CAROM_EXPORT void carom_substeps_options_init(carom_substeps_options* options, size_t struct_size);
CAROM_EXPORT void carom_ncp_options_init(carom_ncp_options* options, size_t struct_size);
CAROM_EXPORT void carom_rest_criterion_init(carom_rest_criterion* criterion, size_t struct_size);
CAROM_EXPORT void carom_shock_propagation_init(carom_shock_propagation* shock_propagation, size_t struct_size);
CAROM_EXPORT void carom_scene_options_init(carom_scene_options* options, size_t struct_size);

/// Report of a scene.
typedef struct carom_scene_report {
  size_t struct_size;
  size_t bodies, contacts, joint_rows;
  size_t by_status[CAROM_STATUS_ROOM], joints_by_status[CAROM_STATUS_ROOM];
  int32_t method, isa, threads, iterations, substeps;
  size_t impacts;
  double max_approach_speed, error, residual;      ///< [m/s], [1], [m/s]
  double energy_before, energy_after, joint_work;  ///< [J] inf if beyond the range
  size_t islands, max_island_size, colours, overflow_constraints;
  int32_t same_graph;
  size_t not_converged, stalled;
  size_t lanes, lanes_used;
  size_t swept;
  double energy_removed;  ///< [J] sum over the islands
} carom_scene_report;

typedef struct carom_scene_solver carom_scene_solver;

CAROM_EXPORT carom_error carom_scene_solver_create(const carom_execution* execution, carom_scene_solver** solver);
CAROM_EXPORT void carom_scene_solver_destroy(carom_scene_solver* solver);
/// Returns the carom_isa in use.
CAROM_EXPORT int32_t carom_scene_solver_isa(const carom_scene_solver* solver);
/// Forgets everything that the solver remembers from call to call.
CAROM_EXPORT carom_error carom_scene_solver_forget(carom_scene_solver* solver);
/// SceneSolver::save. Sets `*size` to the size of the state in bytes. Writes the state to `state`, which has room for
/// `capacity` bytes, or nothing if `capacity` is 0. Too small a capacity is an error that also sets `*size`.
CAROM_EXPORT carom_error carom_scene_solver_save(const carom_scene_solver* solver, void* state, size_t capacity,
                                                 size_t* size);
/// SceneSolver::restore, from the `size` bytes of a state. After an error the solver is as before.
CAROM_EXPORT carom_error carom_scene_solver_restore(carom_scene_solver* solver, const void* state, size_t size);

/// SceneSolver::solve. `results`, `options` and `report` may be NULL.
CAROM_EXPORT carom_error carom_scene_solve(carom_scene_solver* solver, int32_t precision, const carom_scene* scene,
                                           const carom_scene_results* results, const carom_scene_options* options,
                                           carom_scene_report* report);

#ifdef __cplusplus
}
#endif
