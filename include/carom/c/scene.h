// Scenes in C: many contacts and joints between many bodies, solved together for a step. carom.h has the conventions
// for signs and frames. A step of an engine:
//
//     for each pair of bodies that touch or may touch in this step:
//       a contact with normal, r_a, r_b, separation and a key that stays the same from step to step
//     carom_scene_solve(solver, precision, &scene, &results, &options, &report);
//     for each body:
//       position += displacement
//       orientation = exp(rotation) * orientation        (a rotation vector in the world frame)
//       velocity, angular velocity = results             (they contain gravity and forces)
//
// docs/scenes.md describes the methods and how to choose one; examples/c/scene.c is a whole program. Not yet stable
// (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bodies of a scene. All methods read all columns. Bodies with zero inverse mass and inertia may have a velocity
/// (kinematic bodies).
typedef struct carom_scene_bodies {
  size_t struct_size;
  carom_column inverse_mass;         ///< [1/kg] >= 0, 0 for an immovable body
  carom_symmetric3 inverse_inertia;  ///< [1/(kg m²)] world frame, about the centre of mass, positive semidefinite
  /// [m/s], [rad/s] velocity of the centre of mass and angular velocity, world frame, before the forces of the step
  carom_vectors3 velocity, angular_velocity;
  /// [m/s], [rad/s] optional, default 0: change of the velocities by the forces of the step, h F / m, without the
  /// gravity of carom_scene_options. carom adds it. For kinematic bodies: the change of their velocity in the step. All
  /// six columns or none.
  carom_vectors3 velocity_change, angular_velocity_change;
} carom_scene_bodies;

/// Contacts of a scene. Up to four consecutive contacts of one pair of bodies with the same normal and friction form a
/// manifold. The columns up to body_b are required.
///
/// A column that the method does not read is an error; carom_scene_select() clears it:
///
/// | column | read by |
/// |---|---|
/// | static_friction | carom_substeps, carom_pgs, carom_bender_schmitt |
/// | friction_2, friction_direction, rolling_friction, spinning_friction | carom_substeps, carom_pgs, carom_ncp |
/// | normal_compliance, tangential_compliance | carom_substeps, carom_pgs, carom_ncp |
/// | stiffness, damping, frequency, damping_ratio, slop | carom_substeps, carom_pgs with position_correction |
/// | separation | carom_substeps, carom_pgs with position_correction, carom_bender_schmitt except PHASE_COLLISIONS |
/// | warm_impulse, warm_angular_impulse, key | carom_substeps, carom_pgs, carom_ncp |
/// | laws | carom_sequential_impacts |
/// | all others | all methods |
///
/// docs/contact-models.md describes the models of friction_2 to damping.
typedef struct carom_scene_contacts {
  size_t struct_size;
  carom_column friction;  ///< [1] Coulomb coefficient μ. >= 0, may be infinite.
  /// [1] coefficient of restitution e. In [0, max_restitution of the options]. With u0 the velocity of separation
  /// before the forces of the step and c its change by them, a contact leaves at max(0, -e (u0 + c/2) + c/2) under
  /// carom_pgs, carom_ncp and carom_bender_schmitt; at e times the speed of the meeting under carom_substeps, if -u0
  /// exceeds |c| of a substep; at -e (u0 + c) under carom_sequential_impacts.
  carom_column restitution;
  carom_vectors3 normal;        ///< [1] unit vector from B to A, within normal_tolerance of the options
  carom_vectors3 r_a, r_b;      ///< [m] contact point minus centre of mass, world frame. Finite, also for the world.
  carom_column body_a, body_b;  ///< int32_t: index into the bodies, -1 for the immovable world
  /// [1] optional, >= friction: coefficient of static friction. Default: friction.
  carom_column static_friction;
  /// [1] >= 0, optional, with friction_direction: coefficient of friction across that direction; `friction` is the
  /// coefficient along it.
  carom_column friction_2;
  /// [1] optional, with friction_2: direction of `friction`, of any length. Its component along the normal is ignored.
  carom_vectors3 friction_direction;
  /// [m] >= 0, optional, default 0: max. moment that resists rolling of A on B, or spinning about the normal, per unit
  /// of normal impulse.
  carom_column rolling_friction, spinning_friction;
  /// [1/kg] >= 0, optional, default 0: compliance, the part of u·n, or of the slip, that the contact yields per unit
  /// impulse of the step. A contact with a normal compliance has no restitution.
  carom_column normal_compliance, tangential_compliance;
  /// [N/m] > 0, optional: stiffness of a spring that acts where `separation` < 0. It replaces `frequency` and
  /// `restitution`. Infinity is a hard contact, as without the column.
  carom_column stiffness;
  carom_column damping;  ///< [N s/m] >= 0, optional, with `stiffness`; default 0
  /// [m] optional: distance of the bodies at the start of the step. Negative: they overlap. Positive: a gap, which the
  /// step may close but not cross. Pass contacts that may touch in the step: a contact that comes when the bodies
  /// already overlap is too late. Default 0.
  carom_column separation;
  /// [Hz] >= 0, optional: stiffness of the overlap correction, limited to a quarter of the substep rate. 0 does not
  /// correct overlap. Default infinity: carom_position_correction::rate corrects it.
  carom_column frequency;
  /// [1] >= 0, optional, with `frequency`. Default: carom_position_correction::contact_damping_ratio.
  carom_column damping_ratio;
  /// [m/s] optional, default 0: minimum of u·n after the step for a contact that touches. A positive `separation`
  /// lowers it by separation / time step. Methods that do not read `separation` take every contact as touching: give
  /// them a gap by a target of -separation / time step. Any finite number.
  carom_column target_velocity;
  /// [m/s] optional, default 0: u of a contact that sticks (conveyor belts). Its component along the normal is ignored.
  carom_vectors3 surface_velocity;
  carom_vectors3 warm_impulse;          ///< [N s] optional: initial impulse on A; world frame
  carom_vectors3 warm_angular_impulse;  ///< [N m s] optional: initial angular impulse on A of the resistance to rolling
                                        ///< and spinning; world frame
  /// uint64_t, optional: name of the contact point from step to step; no other column is needed for warm starting. The
  /// solver starts from the impulse that the contact of this name had in the last call. Unique among the contacts of a
  /// call, or contacts of one name may start from the impulse of another one; rows have names of their own. 0 is no
  /// name, and a new name starts from 0. If `warm_impulse` is given, the solver starts from
  /// `warm_impulse` and `warm_angular_impulse` instead.
  carom_column key;
  const carom_law_columns* laws;  ///< optional: laws of single contacts
  carom_column slop;              ///< [m] >= 0, optional: overlap that is not corrected. Default 0:
                                  ///< carom_position_correction::slop.
} carom_scene_contacts;

/// Rows of joints. A row is an equation for the velocities of two bodies,
///
///   linear_a·vA + angular_a·wA + linear_b·vB + angular_b·wB + compliance λ = target_velocity
///
/// which an impulse λ within limits maintains. If λ is at a limit, the left side may differ. Body A receives the
/// impulse λ linear_a and the angular impulse λ angular_a, body B receives λ linear_b and λ angular_b. The functions of
/// joints.h write the rows of ball joints, hinges and other joints. Up to 6 consecutive rows of one pair of bodies form
/// a joint. Units are given for rows in metres; rows in radians have rad/s and N m s.
///
/// The columns up to angular_b are required. A column that the method does not read is an error; carom_scene_select()
/// clears it:
///
/// | column | read by |
/// |---|---|
/// | warm_impulse, key | carom_substeps, carom_pgs, carom_ncp |
/// | position_error, frequency, damping_ratio, r_a, r_b | carom_substeps, carom_pgs with position_correction |
/// | all others | all methods |
typedef struct carom_joint_rows {
  size_t struct_size;
  carom_column body_a, body_b;         ///< int32_t: index into the bodies, -1 for the immovable world
  carom_vectors3 linear_a, angular_a;  ///< [1], [m] finite
  carom_vectors3 linear_b, angular_b;  ///< [1], [m] finite
  carom_column target_velocity;        ///< [m/s] optional, default 0
  carom_column min_impulse;            ///< [N s] lower limit of λ, optional. Default -infinity.
  carom_column max_impulse;            ///< [N s] upper limit of λ, optional, >= min_impulse. Default infinity.
  carom_column compliance;             ///< [1/kg] >= 0, optional, default 0
  carom_column warm_impulse;           ///< [N s] optional: initial λ
  carom_column key;                    ///< uint64_t, optional, as the key of contacts
  /// [m] optional: position error of the row at the start of the step. Its rate is the left side minus target_velocity.
  /// Default 0. For a rod along linear_a: the distance of the points minus the length of the rod.
  carom_column position_error;
  /// [Hz] >= 0, optional: stiffness of the correction. Infinity corrects the whole error; 0 does not correct it
  /// (motors). Default: carom_position_correction::joint_frequency.
  carom_column frequency;
  carom_column damping_ratio;  ///< [1] >= 0, optional. Default: carom_position_correction::joint_damping_ratio.
  /// [m] optional: offsets from the centres of mass to the two points that the row keeps together along linear_a. All
  /// six columns or none.
  carom_vectors3 r_a, r_b;
} carom_joint_rows;

/// Bodies, contacts and joints of one step.
typedef struct carom_scene {
  size_t struct_size;
  const carom_scene_bodies* bodies;      ///< required
  const carom_scene_contacts* contacts;  ///< optional. NULL: no contacts.
  const carom_joint_rows* joints;        ///< optional. NULL: no joints.
} carom_scene;

/// Results of islands: sets of contacts and joints that movable bodies connect. Every column is optional and as long as
/// the bodies; the first carom_scene_report::islands elements are written.
typedef struct carom_island_results {
  size_t struct_size;
  carom_output status;          ///< uint8_t, a carom_island_status
  carom_output residual;        ///< [m/s] or [rad/s]: max. violation of a contact or row after the step
  carom_output iterations;      ///< int32_t: number of iterations, impacts, or linear solves: see algorithm
  carom_output substeps;        ///< int32_t: number of substeps of carom_substeps; other methods: 1
  carom_output energy_removed;  ///< [J] kinetic energy that carom_substeps removed because iterations that ended early
                                ///< had added it; other methods: 0
  /// [1] carom_ncp: the error that its tolerance limits. Other methods: `residual` over the maximum approach speed
  /// before the step; 0 if nothing approached.
  carom_output relative_error;
  carom_output algorithm;  ///< uint8_t, a carom_island_algorithm
} carom_island_results;

/// Results of a scene. Every column is optional. Results may share the memory of these inputs:
/// - velocity, angular_velocity: velocity, angular_velocity of bodies;
/// - impulse, warm_impulse, angular_impulse, warm_angular_impulse: warm_impulse, warm_angular_impulse of contacts;
/// - joint_impulse, joint_warm_impulse: warm_impulse of rows.
/// Any other overlap with an input, and any overlap of two results, is an error of the caller.
typedef struct carom_scene_results {
  size_t struct_size;
  carom_outputs3 velocity, angular_velocity;  ///< [m/s], [rad/s] of the bodies after the step
  /// [m], [rad] displacement and rotation vector (world frame) of the bodies in the step. Move the bodies by them, not
  /// by the velocities: carom_substeps, and carom_pgs with position_correction, correct positions. Under the other
  /// methods they are time_step times the velocities after the step.
  carom_outputs3 displacement, rotation;
  carom_outputs3 impulse;          ///< [N s] on A, summed over the step; world frame
  carom_outputs3 warm_impulse;     ///< [N s] warm_impulse of the contacts of the next step. It differs from `impulse`
                                   ///< under carom_substeps, and carom_pgs with position_correction.
  carom_outputs3 angular_impulse;  ///< [N m s] angular impulse on A of the resistance to rolling and spinning, summed
                                   ///< over the step; world frame. 0 for contacts without resistance.
  /// [N m s] warm_angular_impulse of the contacts of the next step, see warm_impulse
  carom_outputs3 warm_angular_impulse;
  carom_outputs3 separation_velocity;  ///< [m/s] u after the step; NaN where faulty data leave it unknown
  /// uint8_t, a carom_status: SEPARATING for contacts without impulse, OVERFLOW for whole islands
  carom_output status;
  carom_output path;    ///< carom_path: carom_sequential_impacts: of the contact's last impact; else SLIP or STICK
  carom_output island;  ///< int32_t: in [0, carom_scene_report::islands); -1 for contacts at fault
  carom_output joint_impulse;       ///< [N s] λ, summed over the step
  carom_output joint_warm_impulse;  ///< [N s] warm_impulse of the rows of the next step
  /// uint8_t, a carom_status: OK, the fault of a row that was left out, or OVERFLOW of its island
  carom_output joint_status;
  carom_output joint_island;            ///< int32_t: island of the row, see `island`
  const carom_island_results* islands;  ///< optional: results of each island
} carom_scene_results;

/// Head of the structs of methods. Their init functions set both members.
typedef struct carom_method {
  size_t struct_size;  ///< sizeof the whole struct
  int32_t kind;        ///< carom_scene_method
} carom_method;

/// Position correction of carom_substeps and carom_pgs: moves overlapping bodies and drifting joints back. The
/// correction is not left in the velocities.
typedef struct carom_position_correction {
  size_t struct_size;
  /// [m] Penetration that is not corrected. 0: relative_slop times the size. >= 0. Default 0. A contact may have its
  /// own: carom_scene_contacts::slop.
  double slop;
  /// [1] Slop as a fraction of the radius of gyration of the smaller body. > 0. Default 0.01225.
  double relative_slop;
  double rate;       ///< [1] Fraction of the penetration beyond slop that a substep corrects. In [0, 1]. Default 0.2.
  double max_speed;  ///< [m/s] Maximum speed of the correction. >= 0. Default 3.
  int32_t relax_iterations;  ///< Number of iterations without position correction. In [0, 2^30]. Default 1.
  // The next three are defaults of columns. If the column is given, another value than its default is an error.
  /// [Hz] Stiffness of the correction of joints that give none. >= 0. Default infinity: the whole error is corrected.
  double joint_frequency;
  double joint_damping_ratio;  ///< [1] Damping ratio of joints that give none. >= 0. Default 2.
  /// [1] Damping ratio of contacts with a frequency that give none. >= 0. Default 10.
  double contact_damping_ratio;
} carom_position_correction;

/// Substeps with position correction. The default, and the method for engines: resting bodies stay at rest, and heavy
/// bodies stand on light ones.
typedef struct carom_substeps {
  carom_method head;
  int32_t min_substeps;  ///< Minimum number of substeps. In [1, 4096], at most max_substeps. Default 1.
  int32_t max_substeps;  ///< Maximum number of substeps. In [1, 4096]. Default 64. Bounds the time of a step.
  /// Minimum number of substeps of an island that is solved directly. In [1, 16], at most max_substeps, and 1 if
  /// min_substeps is above 1. Default 1.
  int32_t min_direct_substeps;
  int32_t iterations;  ///< Iterations of a substep before the motion. In [1, 2^30]. Default 1.
  /// Passes over the points of a manifold, or the rows of a joint, in an iteration. In [1, 64]. Default 4.
  int32_t inner_iterations;
  /// Iterations at the end of the step for islands that rebound. In [1, 2^30]. Default 4.
  int32_t restitution_iterations;
  double warm_start;        ///< [1] Fraction of the last impulses of contacts to start from. In [0, 1]. Default 1.
  double joint_warm_start;  ///< [1] Fraction of the last impulses of rows to start from. In [0, 1]. Default 1.
  double tolerance;         ///< [1] Relative velocity error at which an island has converged. In [0, 1]. Default 1e-6.
  /// Position correction. Default NULL: the defaults of its struct.
  const carom_position_correction* position_correction;
} carom_substeps;

/// Projected Gauss-Seidel: a fixed number of iterations over all contacts and rows, as in a classical engine.
typedef struct carom_pgs {
  carom_method head;
  int32_t iterations;  ///< Maximum number of iterations over an island. In [1, 2^30]. Default 10.
  /// Passes over the points of a manifold, or the rows of a joint, in an iteration. In [1, 64]. Default 1.
  int32_t inner_iterations;
  /// [1] Factor of every change of an impulse. In [0.01, 2). Default 1. Must be 1 with position_correction.
  double relaxation;
  double warm_start;  ///< [1] Fraction of the last impulses of contacts to start from. In [0, 1]. Default 1.
  /// [1] Fraction of the last impulses of rows to start from. Default: 1 with position correction, else 0.5. In [0, 1],
  /// or NaN for the default.
  double joint_warm_start;
  double tolerance;  ///< [1] Relative velocity error at which an island has converged. In [0, 1]. Default 1e-6.
  /// Position correction. Default: none. NULL is none; a struct also moves the bodies (displacement, rotation).
  const carom_position_correction* position_correction;
} carom_pgs;

/// The law of carom_pgs solved to a tolerance (nonlinear complementarity problem). For robotics and research.
typedef struct carom_ncp {
  carom_method head;
  double tolerance;  ///< [1] Maximum error of an island. 0: 1e-8 in double, 1e-4 in float. In [0, 1]. Default 0.
  /// [iterations] Limit of the work on an island. In [1, 1e12]. Default 2000. If it runs out, the best impulses found
  /// are returned.
  double budget;
  double max_friction;  ///< [1] Larger coefficients of friction count as this one. In (0, 1e6]. Default 1000.
  double warm_start;    ///< [1] Fraction of the last impulses to start from. In [0, 1]. Default 1. Contacts and rows.
  /// Contacts and rows of the largest island that is solved to the tolerance. 0: no limit. In [0, 2^30]. Default 0.
  /// Larger islands are solved by pgs_iterations.
  int32_t max_island_size;
  int32_t pgs_presolve;  ///< Whether all islands are solved by PGS first. 0 or 1. Default 0.
  /// Maximum number of PGS iterations, of larger islands and before. In [1, 2^30]. Default 10.
  int32_t pgs_iterations;
  double pgs_tolerance;  ///< [1] Relative velocity error at which PGS has converged. In [0, 1]. Default 1e-6.
} carom_ncp;

/// Sequential impacts: the contact with the maximum approach speed is resolved by its own collision law, until no
/// contact approaches.
typedef struct carom_sequential_impacts {
  carom_method head;
  int32_t max_impacts;  ///< Maximum number of impacts per contact and joint of an island. In [1, 2^30]. Default 100.
  uint64_t seed;  ///< Tie-breaking between equally fast contacts. 0: lowest index; else a seed. Any number. Default 0.
  double tolerance;  ///< [1] Relative approach speed at which an island has converged. In [0, 1]. Default 1e-6.
  /// Collision law if the column law is absent. A carom_law. Default CAROM_LAW_INCREMENTAL.
  int32_t law;
  /// Restitution hypothesis of the incremental law. A carom_restitution_law. Default CAROM_RESTITUTION_ENERGETIC.
  int32_t restitution_law;
  int32_t integrator;  ///< Integrator of the incremental law. A carom_integrator. Default CAROM_INTEGRATOR_SERIES.
  /// Steps of Euler's method: the step is |u0| / (steps trace K). In [1, 2^30]. Default 200.
  int32_t steps;
  int32_t step_budget;  ///< Maximum number of sliding steps of a contact. In [1, 2^30]. Default 1000000.
} carom_sequential_impacts;

/// The collision and contact iteration of J. Bender, A. Schmitt, Constraint-based collision and contact handling using
/// impulses, 2006.
typedef struct carom_bender_schmitt {
  carom_method head;
  int32_t phase;  ///< Collisions, contacts at rest, or both. A carom_bender_schmitt_phase. Default CAROM_PHASE_BOTH.
  /// Contacts of the phase of collisions alone. A carom_contact_filter. Default CAROM_FILTER_COLLIDING.
  int32_t filter;
  int32_t max_iterations;  ///< Maximum number of iterations of a phase. In [1, 2^30]. Default 1000.
  double tolerance;        ///< [1] Relative velocity error at which an island has converged. In [0, 1]. Default 1e-6.
  /// [m] Contacts that approach with at most sqrt(2 g this) are at rest. >= 0. Default 1e-4.
  double rest_tolerance;
  /// Iterations over each level, from the immovable bodies upwards. 0: none. In [0, 2^30]. Default 0. Must be 0 for
  /// CAROM_PHASE_COLLISIONS with CAROM_FILTER_COLLIDING.
  int32_t shock_propagation;
} carom_bender_schmitt;

/// Options that all methods share, and the method, which is chosen by its struct:
///
///     carom_scene_options options;
///     carom_scene_options_init(&options, sizeof options);
///     options.time_step = 1.0 / 60;
///     options.gravity[2] = -9.81;
///     carom_ncp ncp;
///     carom_ncp_init(&ncp, sizeof ncp);
///     ncp.tolerance = 1e-6;
///     options.method = &ncp.head;
typedef struct carom_scene_options {
  size_t struct_size;
  /// [s] Duration of the step. In [0, 1000]. Default 0. Must be above 0 for carom_substeps, carom_pgs with
  /// position_correction, carom_bender_schmitt except CAROM_PHASE_COLLISIONS, and gravity.
  double time_step;
  double gravity[3];  ///< [m/s²] Acceleration of every body with mass. Finite. Default 0.
  /// [m/s] Contacts that approach more slowly do not rebound. >= 0. Default 0. Not for carom_sequential_impacts.
  double restitution_threshold;
  double max_restitution;   ///< [1] Maximum coefficient of restitution; larger ones are faults. In [1, 100]. Default 1.
  double normal_tolerance;  ///< [1] Maximum distance of |n| from 1. In [0, 0.1]. Default 1e-5.
  /// [1] Maximum negative eigenvalue of an inverse inertia, relative to its trace. In [0, 0.1]. Default 1e-5.
  double inertia_tolerance;
  const carom_method* method;  ///< &substeps.head, &pgs.head, ...; the struct must live during the call. Default NULL:
                               ///< the defaults of carom_substeps.
} carom_scene_options;

// Set the defaults and struct_size. The argument `struct_size` is sizeof of the struct.
CAROM_EXPORT void carom_scene_options_init(carom_scene_options* options, size_t struct_size);
CAROM_EXPORT void carom_position_correction_init(carom_position_correction* correction, size_t struct_size);
CAROM_EXPORT void carom_substeps_init(carom_substeps* method, size_t struct_size);
CAROM_EXPORT void carom_pgs_init(carom_pgs* method, size_t struct_size);
CAROM_EXPORT void carom_ncp_init(carom_ncp* method, size_t struct_size);
CAROM_EXPORT void carom_sequential_impacts_init(carom_sequential_impacts* method, size_t struct_size);
CAROM_EXPORT void carom_bender_schmitt_init(carom_bender_schmitt* method, size_t struct_size);

/// Clears the columns that a method does not read, and `laws` if it does not read them, so that one scene can be solved
/// by several methods. Call it for copies of your structs, before each call of carom_scene_solve:
///
///     carom_scene_contacts read_contacts = contacts;
///     carom_joint_rows read_joints = joints;
///     carom_scene_select(&read_contacts, &read_joints, &pgs.head);
///
/// `contacts` and `joints` may be NULL. `method` may be NULL: carom_substeps. For carom_sequential_impacts the struct
/// of `laws`, which may serve other calls, stays as it is: a column in it that the law does not read is an error. After
/// an error of this function the structs are unchanged. Bodies need no selection: all methods read all of their
/// columns.
CAROM_EXPORT carom_error carom_scene_select(carom_scene_contacts* contacts, carom_joint_rows* joints,
                                            const carom_method* method);

/// Report of a scene. No number is NaN. Speeds and energies beyond the range of the precision are infinite.
typedef struct carom_scene_report {
  size_t struct_size;
  size_t bodies, contacts, joint_rows;         ///< numbers of the scene
  size_t by_status[CAROM_STATUS_ROOM];         ///< number of contacts with each carom_status
  size_t joints_by_status[CAROM_STATUS_ROOM];  ///< number of joint rows with each carom_status
  int32_t method;                              ///< carom_scene_method
  int32_t isa;                                 ///< carom_isa
  int32_t threads;                             ///< number of threads that took part
  int32_t iterations;         ///< maximum number of iterations over an island, with those that relax and of rebounds
  int32_t substeps;           ///< maximum number of substeps of an island; carom_substeps
  size_t impacts;             ///< number of impacts of all islands; carom_sequential_impacts
  double max_approach_speed;  ///< [m/s] maximum approach speed before impulses, relative to the targets, with the
                              ///< forces of the step
  double relative_error;      ///< [1] maximum error of an island under carom_ncp; other methods: 0
  double residual;            ///< [m/s] maximum violation after the step, rows of joints included
  double energy_before;       ///< [J] kinetic energy of bodies with mass before impulses, with the forces of the step
  double energy_after;        ///< [J] kinetic energy of bodies with mass after the step
  /// [J] work of the impulses of rows: each impulse times the mean of its J v after the step and before impulses, with
  /// the forces of the step
  double joint_work;
  size_t islands;               ///< number of sets of bodies that contacts and rows connect through movable bodies
  size_t max_island_size;       ///< contacts and rows of the largest island
  size_t colours;               ///< maximum number of colours of an island
  size_t overflow_constraints;  ///< number of manifolds and joints without a colour
  int32_t same_graph;           ///< 1 if the manifolds, joints and islands of the last call were reused, else 0
  size_t not_converged;         ///< number of islands whose carom_island_status is not CONVERGED
  size_t stalled;               ///< of these, islands whose impacts had stopped losing energy; carom_sequential_impacts
  size_t lanes;                 ///< lanes of the solved vectors
  size_t lanes_used;            ///< lanes that held contacts
  size_t pgs_islands;           ///< islands that were solved by PGS alone; carom_substeps, carom_ncp
  double energy_removed;        ///< [J] sum over the islands, see carom_island_results
  /// 1 if no contact and no row is at fault and, under carom_ncp, carom_sequential_impacts and carom_bender_schmitt,
  /// all islands have converged; else 0
  int32_t ok;
  size_t first[CAROM_STATUS_ROOM];        ///< contacts; see carom_scene_report_first
  size_t first_joint[CAROM_STATUS_ROOM];  ///< rows; see carom_scene_report_first_joint
} carom_scene_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_scene_report_first(const carom_scene_report* report, int32_t status);
/// Returns the index of the first joint row with this carom_status, or -1.
CAROM_EXPORT int64_t carom_scene_report_first_joint(const carom_scene_report* report, int32_t status);

/// A solver of scenes. It owns the workspace and the impulses of contacts and rows with keys.
typedef struct carom_scene_solver carom_scene_solver;

/// Creates a solver. `execution` may be NULL: all threads of oneTBB and the best ISA. Keep the solver from step to
/// step. It serves one call at a time.
CAROM_EXPORT carom_error carom_scene_solver_create(const carom_execution* execution, carom_scene_solver** solver);
/// Does nothing if `solver` is NULL.
CAROM_EXPORT void carom_scene_solver_destroy(carom_scene_solver* solver);
/// Returns the carom_isa in use; CAROM_ISA_AUTOMATIC if `solver` is NULL.
CAROM_EXPORT int32_t carom_scene_solver_isa(const carom_scene_solver* solver);
/// SceneSolver::memory: returns the number of bytes that the solver holds, or 0 if `solver` is NULL.
CAROM_EXPORT size_t carom_scene_solver_memory(const carom_scene_solver* solver);
/// Allocates ahead the memory that grows with the numbers of bodies, contacts and joint rows, for calls in this
/// precision under these options. A larger number than before is needed for any effect. The factors of direct islands
/// depend on the structure of a scene; the first calls allocate them. `precision` is a carom_precision. `options` is
/// required by carom_substeps, which needs a time step; NULL is an error for that reason.
CAROM_EXPORT carom_error carom_scene_solver_reserve(carom_scene_solver* solver, int32_t precision, size_t bodies,
                                                    size_t contacts, size_t joint_rows,
                                                    const carom_scene_options* options);
/// Discards everything that the solver keeps from call to call. The next call then behaves like the first call of a new
/// solver.
CAROM_EXPORT carom_error carom_scene_solver_forget(carom_scene_solver* solver);
/// Saves everything that the solver keeps from call to call. Sets `*size` to the size of the state in bytes, which
/// changes from call to call. Writes the state to `state`, which has room for `capacity` bytes, or nothing if
/// `capacity` is 0, which asks for the size alone; `state` may then be NULL. A capacity above 0 that is too small is an
/// error that also sets `*size`.
CAROM_EXPORT carom_error carom_scene_solver_save(const carom_scene_solver* solver, void* state, size_t capacity,
                                                 size_t* size);
/// Replaces everything that the solver keeps by the `size` bytes of a saved state of this or another solver or process.
/// After an error the solver is as before.
CAROM_EXPORT carom_error carom_scene_solver_restore(carom_scene_solver* solver, const void* state, size_t size);

/// Solves one step. `precision` is a carom_precision. `results` and `report` may be NULL: no results, no report.
/// `options` must set time_step for the default method; NULL is an error for that reason. Contacts and rows with faulty
/// data are left out, and their status names the fault.
CAROM_EXPORT carom_error carom_scene_solve(carom_scene_solver* solver, int32_t precision, const carom_scene* scene,
                                           const carom_scene_results* results, const carom_scene_options* options,
                                           carom_scene_report* report);

#ifdef __cplusplus
}
#endif
