// Scenes in C. scene.hpp and scene_options.hpp describe the members. Not yet stable (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bodies of a scene. inverse_mass, inverse_inertia, velocity and angular_velocity are required.
typedef struct carom_scene_bodies {
  size_t struct_size;
  carom_column inverse_mass;                                ///< [1/kg]
  carom_symmetric3 inverse_inertia;                         ///< [1/(kg m²)]
  carom_vectors3 velocity, angular_velocity;                ///< [m/s], [rad/s] before the forces of the step
  carom_vectors3 velocity_change, angular_velocity_change;  ///< optional: added by forces of the step
} carom_scene_bodies;

/// Contacts of a scene. The columns up to body_b are required. A column that the method does not read is an error:
/// Substeps and Pgs with position correction read all columns but `laws`. Pgs without it, and Ncp, do not read
/// stiffness, damping, separation, frequency, damping_ratio and slop; Ncp does not read static_friction either.
/// scene.hpp has the table of all methods.
typedef struct carom_scene_contacts {
  size_t struct_size;
  carom_column friction, restitution;                ///< [1]
  carom_vectors3 normal, r_a, r_b;                   ///< [1] unit, from B to A; [m] contact point minus centre of mass
  carom_column body_a, body_b;                       ///< int32_t: index into the bodies, -1 for the immovable world
  carom_column static_friction, friction_2;          ///< [1]
  carom_vectors3 friction_direction;                 ///< [1]
  carom_column rolling_friction, spinning_friction;  ///< [m]
  carom_column normal_compliance, tangential_compliance;  ///< [1/kg]
  carom_column stiffness, damping;                        ///< [N/m], [N s/m]
  carom_column separation;                                ///< [m] < 0: overlap, > 0: gap. Absent: 0.
  carom_column frequency, damping_ratio;                  ///< [Hz], [1]
  carom_column target_velocity;                           ///< [m/s]
  carom_vectors3 surface_velocity;                        ///< [m/s]
  carom_vectors3 warm_impulse, warm_angular_impulse;      ///< [N s], [N m s]
  /// uint64_t: names a contact point from step to step, for warm starting. Unique in a call; 0: no name.
  carom_column key;
  const carom_law_columns* laws;  ///< optional, for CAROM_METHOD_SEQUENTIAL_IMPACTS
  carom_column slop;              ///< [m]
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
  carom_column position_error, frequency, damping_ratio;    ///< [m], [Hz], [1]
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
  carom_outputs3 velocity, angular_velocity;  ///< [m/s], [rad/s] of the bodies after the step
  /// [m], [rad] rotation vector, world frame. Only Substeps, and Pgs with position correction, write these columns;
  /// move the bodies by them, not by the velocities.
  carom_outputs3 displacement, rotation;
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

/// Head of the structs of methods. Their init functions set both members.
typedef struct carom_method {
  size_t struct_size;  ///< sizeof the whole struct
  int32_t kind;        ///< carom_scene_method
} carom_method;

/// PositionCorrection, of carom_substeps and carom_pgs.
typedef struct carom_position_correction {
  size_t struct_size;
  double slop, relative_slop;  ///< [m], [1]
  double rate, max_speed;      ///< [1], [m/s]
  int32_t relax_iterations;
  double joint_frequency, joint_damping_ratio, contact_damping_ratio;  ///< [Hz], [1], [1]
} carom_position_correction;

/// Substeps.
typedef struct carom_substeps {
  carom_method head;
  int32_t min_substeps, max_substeps, min_direct_substeps;
  int32_t iterations, inner_iterations, restitution_iterations;
  double warm_start, joint_warm_start, tolerance;        ///< [1]
  const carom_position_correction* position_correction;  ///< NULL: the defaults
} carom_substeps;

/// Pgs.
typedef struct carom_pgs {
  carom_method head;
  int32_t iterations, inner_iterations;
  double relaxation, warm_start;                         ///< [1]
  double joint_warm_start;                               ///< [1] NaN: the default
  double tolerance;                                      ///< [1]
  const carom_position_correction* position_correction;  ///< NULL: none
} carom_pgs;

/// Ncp.
typedef struct carom_ncp {
  carom_method head;
  /// [1] 0: 1e-8 in double, 1e-4 in float; [iterations]; [1]; [1]
  double tolerance, budget, max_friction, warm_start;
  int32_t max_island_size;
  int32_t pgs_presolve;  ///< 0 or 1
  int32_t pgs_iterations;
  double pgs_tolerance;  ///< [1]
} carom_ncp;

/// SequentialImpacts.
typedef struct carom_sequential_impacts {
  carom_method head;
  int32_t max_impacts;
  uint64_t seed;
  double tolerance;         ///< [1]
  int32_t law;              ///< carom_law
  int32_t restitution_law;  ///< carom_restitution_law
  int32_t integrator;       ///< carom_integrator
  int32_t steps, step_budget;
} carom_sequential_impacts;

/// BenderSchmitt.
typedef struct carom_bender_schmitt {
  carom_method head;
  int32_t phase;   ///< carom_bender_schmitt_phase
  int32_t filter;  ///< carom_contact_filter
  int32_t max_iterations;
  double tolerance, rest_tolerance;  ///< [1], [m]
  int32_t shock_propagation;         ///< iterations over each level; 0: none
} carom_bender_schmitt;

/// SceneOptions. The method is chosen by its struct:
///
///     carom_ncp ncp;
///     carom_ncp_init(&ncp, sizeof ncp);
///     ncp.tolerance = 1e-6;
///     options.method = &ncp.head;
typedef struct carom_scene_options {
  size_t struct_size;
  double time_step;              ///< [s] default 0; Substeps, the default method, needs one above 0
  double gravity[3];             ///< [m/s²]
  double restitution_threshold;  ///< [m/s] default 0
  double max_restitution, normal_tolerance, inertia_tolerance;  ///< [1]
  const carom_method* method;  ///< &substeps.head, &pgs.head, ...; NULL: the defaults of Substeps
} carom_scene_options;

// Set the defaults. `struct_size` is sizeof of the struct.
CAROM_EXPORT void carom_scene_options_init(carom_scene_options* options, size_t struct_size);
CAROM_EXPORT void carom_position_correction_init(carom_position_correction* correction, size_t struct_size);
CAROM_EXPORT void carom_substeps_init(carom_substeps* method, size_t struct_size);
CAROM_EXPORT void carom_pgs_init(carom_pgs* method, size_t struct_size);
CAROM_EXPORT void carom_ncp_init(carom_ncp* method, size_t struct_size);
CAROM_EXPORT void carom_sequential_impacts_init(carom_sequential_impacts* method, size_t struct_size);
CAROM_EXPORT void carom_bender_schmitt_init(carom_bender_schmitt* method, size_t struct_size);

/// Report of a scene.
typedef struct carom_scene_report {
  size_t struct_size;
  size_t bodies, contacts, joint_rows;
  size_t by_status[CAROM_STATUS_ROOM], joints_by_status[CAROM_STATUS_ROOM];
  int32_t method, isa, threads, iterations, substeps;
  size_t impacts;
  double max_approach_speed, relative_error, residual;  ///< [m/s], [1], [m/s]
  double energy_before, energy_after, joint_work;       ///< [J] inf if beyond the range
  size_t islands, max_island_size, colours, overflow_constraints;
  int32_t same_graph;
  size_t not_converged, stalled;
  size_t lanes, lanes_used;
  size_t pgs_islands;
  double energy_removed;                  ///< [J] sum over the islands
  int32_t ok;                             ///< 1 or 0, as SceneReport::ok
  size_t first[CAROM_STATUS_ROOM];        ///< contacts; see carom_scene_report_first
  size_t first_joint[CAROM_STATUS_ROOM];  ///< rows; see carom_scene_report_first_joint
} carom_scene_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_scene_report_first(const carom_scene_report* report, int32_t status);
/// Returns the index of the first joint row with this carom_status, or -1.
CAROM_EXPORT int64_t carom_scene_report_first_joint(const carom_scene_report* report, int32_t status);

typedef struct carom_scene_solver carom_scene_solver;

/// `execution` may be NULL.
CAROM_EXPORT carom_error carom_scene_solver_create(const carom_execution* execution, carom_scene_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_scene_solver_destroy(carom_scene_solver* solver);
/// Returns the carom_isa in use.
CAROM_EXPORT int32_t carom_scene_solver_isa(const carom_scene_solver* solver);
/// SceneSolver::reserve: allocates ahead the memory of calls with these numbers. `options` may be NULL.
CAROM_EXPORT carom_error carom_scene_solver_reserve(carom_scene_solver* solver, int32_t precision, size_t bodies,
                                                    size_t contacts, size_t joint_rows,
                                                    const carom_scene_options* options);
/// Removes everything that the solver keeps from call to call.
CAROM_EXPORT carom_error carom_scene_solver_forget(carom_scene_solver* solver);
/// SceneSolver::save. Sets `*size` to the size of the state in bytes. Writes the state to `state`, which has room for
/// `capacity` bytes, or nothing if `capacity` is 0. Too small a capacity is an error that also sets `*size`.
CAROM_EXPORT carom_error carom_scene_solver_save(const carom_scene_solver* solver, void* state, size_t capacity,
                                                 size_t* size);
/// SceneSolver::restore, from the `size` bytes of a state. After an error the solver is as before.
CAROM_EXPORT carom_error carom_scene_solver_restore(carom_scene_solver* solver, const void* state, size_t size);

/// SceneSolver::solve. `results` and `report` may be NULL. `options` may be NULL for the defaults, which need a time
/// step: a scene with contacts needs options.
CAROM_EXPORT carom_error carom_scene_solve(carom_scene_solver* solver, int32_t precision, const carom_scene* scene,
                                           const carom_scene_results* results, const carom_scene_options* options,
                                           carom_scene_report* report);

#ifdef __cplusplus
}
#endif
