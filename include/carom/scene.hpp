// Scenes: many contacts and joints between many bodies, solved together. The caller passes the bodies, contacts and
// joints of one step; the solver returns the new velocities of the bodies. contacts.hpp has the conventions for signs
// and frames. A step of an engine:
//
//     for each pair of bodies that touch or may touch in this step:
//       a contact with normal, r_a, r_b, separation and a key that stays the same from step to step
//     solver.solve(scene, results, {.time_step = h, .gravity = {0, 0, -9.81}});
//     for each body:
//       position += displacement
//       orientation = exp(rotation) * orientation        (a rotation vector in the world frame)
//       velocity, angular velocity = results             (they contain gravity and forces)
//
// scene_options.hpp has the methods and their options. docs/scenes.md describes the methods and their limits.
#pragma once

#include <carom/contacts.hpp>
#include <carom/error.hpp>
#include <carom/export.hpp>
#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace carom {

/// Rows of joints. A row is an equation for the velocities of two bodies,
///
///   linear_a·vA + angular_a·wA + linear_b·vB + angular_b·wB + compliance·λ = target_velocity
///
/// which an impulse λ within limits maintains. If λ is at a limit, the left side may differ. Body A receives the
/// impulse λ linear_a and the angular impulse λ angular_a, body B receives λ linear_b and λ angular_b. The functions of
/// joints.hpp write the rows of ball joints, hinges and other joints.
///
/// Up to 6 consecutive rows of one pair of bodies form a joint; rows of other pairs may lie between them. A faulty row
/// is left out, and the other rows of its joint are solved without it. Units are given for rows in metres; rows in
/// radians have rad/s and N m s. All columns have the same length. Columns are required unless they are optional.
///
/// A column that the method does not read is an Error; select() drops it. Substeps, Pgs and Ncp read warm_impulse and
/// key. Substeps, and Pgs with position_correction, read the columns from position_error to r_b. All methods read the
/// other columns.
template <class T>
struct JointRows {
  Column<const std::int32_t> body_a{}, body_b{};    ///< index into the bodies, -1 for the immovable world
  Vector3Columns<const T> linear_a{}, angular_a{};  ///< [1], [m] finite
  Vector3Columns<const T> linear_b{}, angular_b{};  ///< [1], [m] finite
  Column<const T> target_velocity{};                ///< [m/s] optional, default 0
  Column<const T> min_impulse{}, max_impulse{};     ///< [N s] limits of λ, optional. Default: -inf, inf (no limits)
  Column<const T> compliance{};                     ///< [1/kg] >= 0, optional, default 0
  Column<const T> warm_impulse{};                   ///< [N s] optional: initial λ
  Column<const std::uint64_t> key{};                ///< optional, as SceneContacts::key
  // The following columns are for position correction.
  /// [m] optional: position error of the row at the start of the step. Its rate is the left side minus target_velocity.
  /// Default 0. A row with the error 0 and an infinite frequency is rigid: it does not yield within the step. If one
  /// limit of λ is 0 and λ would have to act beyond it to correct the error, the error is a gap, which the step may
  /// close but not cross.
  Column<const T> position_error{};
  /// [Hz] >= 0, optional: stiffness of the correction. Infinity corrects the whole error; 0 does not correct it
  /// (motors). With another number the row is a spring of that frequency in islands that Substeps solves directly; in
  /// other islands the error is corrected at that rate. Default: PositionCorrection::joint_frequency.
  Column<const T> frequency{};
  Column<const T> damping_ratio{};       ///< [1] >= 0, optional. Default: PositionCorrection::joint_damping_ratio.
  Vector3Columns<const T> r_a{}, r_b{};  ///< [m] optional: offsets from the centres of mass to the two points that
                                         ///< the row keeps together along linear_a. All six columns or none.
};

/// The bodies of a scene. The first four columns are required; all columns have the same length. Bodies with zero
/// inverse mass and inertia may have a velocity (kinematic bodies).
template <class T>
struct SceneBodies {
  Column<const T> inverse_mass{};                          ///< as in BodyColumns
  SymmetricColumns<const T> inverse_inertia{};             ///< as in BodyColumns
  Vector3Columns<const T> velocity{}, angular_velocity{};  ///< [m/s], [rad/s] before the forces of the step
  /// [m/s], [rad/s] optional, default 0: change of the velocities by the forces of the step, h F / m, without
  /// SceneOptions::gravity. The solver adds it. For kinematic bodies: the change of their velocity in the step. All six
  /// columns or none.
  /// Substeps adds it in equal parts. The other methods add it at once.
  Vector3Columns<const T> velocity_change{}, angular_velocity_change{};

  /// The four columns of BodyColumns.
  constexpr operator BodyColumns<const T>() const {  // NOLINT(google-explicit-constructor)
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }
  /// Assigns the four columns of `state`; velocity_change and angular_velocity_change stay.
  template <std::same_as<BodyColumns<const T>> State>
  SceneBodies& operator=(const State& state) {
    inverse_mass = state.inverse_mass;
    inverse_inertia = state.inverse_inertia;
    velocity = state.velocity;
    angular_velocity = state.angular_velocity;
    return *this;
  }
};

/// Contacts of a scene between bodies that are given by index. Up to four consecutive contacts of one pair with the
/// same normal and friction form a manifold; contacts of other pairs and faulty contacts may lie between them. Contacts
/// of a manifold are read fastest if they are adjacent. All columns have the same length. Columns are required unless
/// they are optional.
///
/// A column that the method does not read is an Error; select() drops it:
///
/// | column | read by |
/// |---|---|
/// | static_friction | all methods except Ncp and SequentialImpacts |
/// | friction_2, friction_direction, rolling_friction, spinning_friction | Substeps, Pgs, Ncp |
/// | normal_compliance, tangential_compliance | Substeps, Pgs, Ncp |
/// | stiffness, damping, frequency, damping_ratio, slop | Substeps, Pgs with position_correction |
/// | separation | Substeps, Pgs with position_correction, BenderSchmitt (phases resting and both) |
/// | warm_impulse, warm_angular_impulse, key | Substeps, Pgs, Ncp |
/// | laws | SequentialImpacts |
/// | all others | all methods |
///
/// docs/contact-models.md describes the models of friction_2 to damping.
template <class T>
struct SceneContacts {
  Column<const T> friction{};  ///< [1] as in Contacts
  /// [1] as in Contacts. With u0 the velocity of separation before the forces of the step and c its change by them, a
  /// contact leaves at
  /// - Pgs, Ncp and BenderSchmitt: max(0, -e (u0 + c/2) + c/2), the rebound at mid step: a body whose position follows
  ///   its velocity in steps rises to the height that it fell from;
  /// - Substeps: e times the speed of the meeting, if -u0 exceeds |c| of a substep; else it does not rebound
  ///   (docs/scenes.md, Restitution);
  /// - SequentialImpacts: -e (u0 + c).
  Column<const T> restitution{};
  Vector3Columns<const T> normal{};  ///< [1] as in Contacts
  /// [m] contact point minus centre of mass, world frame. Finite; for the world (index -1) any finite number.
  Vector3Columns<const T> r_a{}, r_b{};
  Column<const std::int32_t> body_a{}, body_b{};  ///< index into the bodies, -1 for the immovable world
  /// [1] optional, >= friction: coefficient of static friction. It applies to all points of a manifold that sticks, and
  /// to a point that it can stop. Default: friction.
  Column<const T> static_friction{};
  /// [1] >= 0, optional, with friction_direction: coefficient of friction across that direction; `friction` is the
  /// coefficient along it. Friction impulses lie within an ellipse, and a sliding contact has the impulse that
  /// dissipates most energy. static_friction gives an ellipse of the same shape.
  Column<const T> friction_2{};
  /// [1] optional, with friction_2: direction of `friction`, of any length. Its component along the normal is ignored.
  /// Where the two coefficients differ it must not be zero or parallel to the normal.
  Vector3Columns<const T> friction_direction{};
  /// [m] >= 0, optional: max. moment that resists rolling of A on B, or spinning about the normal, per unit of normal
  /// impulse.
  Column<const T> rolling_friction{}, spinning_friction{};
  /// [1/kg] >= 0, optional: compliance, the part of u·n, or of the slip, that the contact yields per unit impulse of
  /// the step. A contact with a normal compliance has no restitution.
  Column<const T> normal_compliance{}, tangential_compliance{};
  /// [N/m] > 0, optional: stiffness of a spring that acts where `separation` < 0. It is integrated implicitly and
  /// replaces `frequency` and `restitution`. Infinity is a hard contact, as without the column.
  Column<const T> stiffness{};
  Column<const T> damping{};  ///< [N s/m] >= 0, optional, with `stiffness`; default 0
  /// [m] optional: distance of the bodies at the start of the step. Negative: they overlap. Positive: a gap, which the
  /// step may close but not cross. Pass contacts that may touch in the step, whose gap is less than time_step times the
  /// approach speed with the forces of the step: a contact that comes when the bodies already overlap is too late.
  /// Default 0.
  Column<const T> separation{};
  /// [Hz] >= 0, optional: stiffness of the overlap correction, limited to a quarter of the substep rate. 0 does not
  /// correct overlap. Default infinity: PositionCorrection::rate corrects it.
  Column<const T> frequency{};
  /// [1] >= 0, optional, with `frequency`. Default: PositionCorrection::contact_damping_ratio.
  Column<const T> damping_ratio{};
  /// [m] >= 0, optional: overlap that is not corrected. Default 0: PositionCorrection::slop.
  Column<const T> slop{};
  /// [m/s] optional, default 0: minimum of u·n after the step for a contact that touches. A positive `separation`
  /// lowers it by separation / time step. Methods that do not read `separation` take every contact as touching: give
  /// them a gap by a target of -separation / time step. Any finite number.
  Column<const T> target_velocity{};
  Vector3Columns<const T> surface_velocity{};      ///< [m/s] optional: u of a contact that sticks (conveyor belts). All
                                                   ///< three or none. Its component along the normal is ignored.
  Vector3Columns<const T> warm_impulse{};          ///< [N s] optional: initial impulse on A; world frame
  Vector3Columns<const T> warm_angular_impulse{};  ///< [N m s] optional: initial angular impulse on A of the resistance
                                                   ///< to rolling and spinning; world frame
  /// optional: name of the contact point from step to step; no other column is needed for warm starting. Unique among
  /// the contacts of a call, or contacts of one name may start from the impulse of another one; rows have names of
  /// their own. 0 is no name, and a new name starts from 0. The solver starts from the impulse that the contact of this
  /// name had in the last call, times the new over the last time step (if both are above 0). If an island is left out
  /// of calls, its impulses are kept for 1000 calls. If `warm_impulse` is given, the solver starts from `warm_impulse`
  /// and `warm_angular_impulse` instead.
  Column<const std::uint64_t> key{};
  LawColumns<T> laws{};  ///< laws of single contacts, for SequentialImpacts
};

/// Bodies, contacts and joints of one step.
template <class T>
struct Scene {
  SceneBodies<T> bodies{};      ///< required
  SceneContacts<T> contacts{};  ///< no contacts if all columns are missing or empty
  JointRows<T> joints{};        ///< no joints if all columns are missing or empty

  /// Returns the contacts for Solver::solve, which solves each contact alone.
  IndexedContacts<T> indexed_contacts() const {
    const SceneContacts<T>& c = contacts;
    return {c.friction, c.restitution, c.normal, c.r_a, c.r_b, c.body_a, c.body_b, bodies, c.laws};
  }
};

/// Returns the scene without the columns of contacts and joints that a method does not read. SceneSolver::solve throws
/// an Error for such a column, so call this to solve one scene by several methods. A column that was left out is
/// missing: it converts to false. Methods that lose `separation` and `position_error` take contacts as touching and do
/// not correct joints. T is float or double.
template <class T>
CAROM_EXPORT Scene<T> select(const Scene<T>& scene, const SceneOptions::Method& method);

/// How the solution of an island ended. Numbers keep their meaning in later versions.
enum class IslandStatus : std::uint8_t {
  converged = 0,       ///< within the `tolerance` of the method, or nothing to solve
  not_converged = 16,  ///< the iterations or the budget of the options were not enough
  stalled = 17,        ///< as not_converged, and the impacts had stopped losing energy; SequentialImpacts
  diverged = 18,       ///< its impulses grew without limit; its best state is returned; BenderSchmitt
  overflow = 32,       ///< its numbers left the range of T; its bodies keep their initial velocities
};
/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(IslandStatus status);

/// The algorithm that solved an island. Numbers keep their meaning in later versions.
enum class IslandAlgorithm : std::uint8_t {
  pgs = 0,             ///< iterations over its contacts and rows (projected Gauss–Seidel)
  impacts = 1,         ///< one contact at a time; SequentialImpacts
  last_impulses = 2,   ///< the warm-start impulses are the solution; Substeps
  linear = 3,          ///< linear solves on its loaded contacts; Substeps
  interior_point = 4,  ///< an interior-point method on the step; Substeps
  system = 5,          ///< the solver of contact systems; Ncp
  holding = 6,         ///< it does not move while impulses that hold it at rest are computed; Substeps
};
inline constexpr std::size_t island_algorithm_count = 7;
/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(IslandAlgorithm algorithm);

/// Results of islands. The columns are as long as the bodies, because every island has a movable body. Elements from
/// SceneReport::islands on are not written.
template <class T>
struct IslandResults {
  Column<IslandStatus> status{};      ///< how the solution ended
  Column<T> residual{};               ///< [m/s] or [rad/s]: max. violation of a contact or row after the step
  Column<std::int32_t> iterations{};  ///< number of iterations, impacts, or linear solves: see algorithm
  Column<std::int32_t> substeps{};    ///< number of substeps of Substeps; other methods: 1
  /// [J] kinetic energy that Substeps removed because iterations that ended early had added it; other methods: 0
  Column<T> energy_removed{};
  /// [1] Ncp: the error that Ncp::tolerance limits. Other methods: `residual` over the maximum approach speed before
  /// the step; 0 if nothing approached.
  Column<T> relative_error{};
  Column<IslandAlgorithm> algorithm{};  ///< the algorithm that solved it; of several, the one of the hardest substep
};

/// Results of a scene. Every column is optional, and as long as the bodies, the contacts or the rows that it is of.
/// Results may share the memory of the following inputs; their bits are
/// the same as in separate memory:
/// - velocity, angular_velocity: SceneBodies::velocity, angular_velocity;
/// - impulse, warm_impulse, angular_impulse, warm_angular_impulse: SceneContacts::warm_impulse, warm_angular_impulse;
/// - joint_impulse, joint_warm_impulse: JointRows::warm_impulse.
/// Any other overlap with an input, and any overlap of two results, is an error of the caller. After an Error no
/// result has been written, unless Execution::scheduler has failed (see Scheduler). No result is -0: an unchanged
/// velocity of -0 is returned as +0.
template <class T>
struct SceneResults {
  Vector3Columns<T> velocity{}, angular_velocity{};  ///< [m/s], [rad/s] of the bodies after the step
  /// [m], [rad] displacement and rotation vector (world frame) of the bodies in the step. Under Substeps, and Pgs with
  /// position_correction, they have the position correction, and Substeps moves bodies without contacts and rows on a
  /// parabola: move the bodies by these, not by the velocities. Under the other methods they are time_step times the
  /// velocities after the step.
  Vector3Columns<T> displacement{}, rotation{};
  Vector3Columns<T> impulse{};  ///< [N s] on A, summed over the step; world frame
  /// [N s] SceneContacts::warm_impulse of the next step. It differs from `impulse` under Substeps, and Pgs with
  /// position_correction.
  Vector3Columns<T> warm_impulse{};
  /// [N m s] angular impulse on A of the resistance to rolling and spinning, summed over the step; world frame. B has
  /// the opposite. The contacts of a manifold share it in proportion to their limits. 0 for contacts without
  /// resistance.
  Vector3Columns<T> angular_impulse{};
  Vector3Columns<T> warm_angular_impulse{};  ///< [N m s] SceneContacts::warm_angular_impulse, see warm_impulse
  Vector3Columns<T> separation_velocity{};   ///< [m/s] u after the step; NaN where faulty data leave it unknown
  Column<Status> status{};  ///< Status::separating for contacts without impulse; Status::overflow for whole islands
  Column<Path> path{};      ///< SequentialImpacts: path of the contact's last impact; else SlidingEnd::slip or stick
  Column<std::int32_t> island{};        ///< in [0, SceneReport::islands); -1 for contacts at fault
  Column<T> joint_impulse{};            ///< [N s] λ, summed over the step
  Column<T> joint_warm_impulse{};       ///< [N s] JointRows::warm_impulse of the next step
  Column<Status> joint_status{};        ///< ok, the fault of a row that was left out, or Status::overflow of its island
  Column<std::int32_t> joint_island{};  ///< island of the row, see `island`
  IslandResults<T> islands{};           ///< results of each island
};

/// Report of a scene. Sums over islands do not depend on threads. No number is NaN. Speeds and energies beyond the
/// range of T are infinite; joint_work is infinite if the work of a row is beyond it. Islands that have overflowed keep
/// their velocities: energy_after includes them, and they add nothing to joint_work.
struct CAROM_EXPORT SceneReport {
  std::size_t bodies = 0, contacts = 0, joint_rows = 0;  ///< numbers of the scene
  ContactCounts by_status{}, joints_by_status{};         ///< of contacts and of rows; see count and first
  SceneMethod method = SceneMethod::substeps;            ///< requested method
  Isa isa = Isa::scalar;                                 ///< ISA of the kernels
  int threads = 1;                                       ///< threads that took part
  /// maximum number of iterations over an island, with relax iterations and iterations of rebounds; see
  /// IslandResults::iterations
  int iterations = 0;
  int substeps = 1;         ///< maximum number of substeps of an island; Substeps
  std::size_t impacts = 0;  ///< number of impacts of all islands; SequentialImpacts
  double max_approach_speed =
      0;  ///< [m/s] maximum approach speed before impulses, relative to the targets, with the forces of the step
  double relative_error = 0;  ///< [1] maximum error of an island under Ncp; other methods: 0
  double residual = 0;        ///< [m/s] max. violation after the step, rows of joints included
  double energy_before = 0;   ///< [J] kinetic energy of bodies with mass before impulses, with the forces of the step
  double energy_after = 0;    ///< [J] kinetic energy of bodies with mass after the step
  /// [J] work of the impulses of rows: each impulse times the mean of its J v after the step and before impulses, with
  /// the forces of the step. Approximate in substeps in which r_a and r_b turn.
  double joint_work = 0;
  double energy_removed = 0;        ///< [J] sum of IslandResults::energy_removed
  std::size_t islands = 0;          ///< number of sets of bodies that contacts and rows connect through movable bodies
  std::size_t max_island_size = 0;  ///< contacts and rows of the largest island
  std::size_t colours = 0;          ///< max. number of colours of an island
  /// Number of manifolds and joints without a colour. They are solved one after the other.
  std::size_t overflow_constraints = 0;
  bool same_graph = false;  ///< true if the manifolds, joints and islands of the last call were reused
  /// Number of islands whose IslandStatus is not converged. The test of convergence does not cover two errors: contacts
  /// with an impulse may separate faster than their targets, and friction may still change.
  std::size_t not_converged = 0;
  std::size_t stalled = 0;      ///< of these, islands whose impacts had stopped losing energy; SequentialImpacts
  std::size_t pgs_islands = 0;  ///< islands that were solved by PGS alone; Substeps, Ncp
  std::size_t lanes = 0, lanes_used = 0;  ///< lanes of the solved vectors, and lanes that held contacts

  /// Returns true if no contact and no row is at fault and, under the methods that iterate until islands have converged
  /// (Ncp, SequentialImpacts, BenderSchmitt), all islands have converged. Substeps and Pgs may stop at their number of
  /// iterations, which is no failure; see not_converged.
  bool ok() const;
  /// Returns the number of contacts and rows with a fault.
  std::size_t faults() const { return count_faults(by_status) + count_faults(joints_by_status); }
  /// Returns the number of contacts with this status; 0 for an unknown status.
  std::size_t count(Status status) const { return by_status.count(status); }
  /// Returns the number of rows with this status; 0 for an unknown status.
  std::size_t count_joints(Status status) const { return joints_by_status.count(status); }
  /// Returns the index of the first contact with this status, if there is one.
  std::optional<std::size_t> first(Status status) const { return by_status.first(status); }
  /// Returns the index of the first row with this status, if there is one.
  std::optional<std::size_t> first_joint(Status status) const { return joints_by_status.first(status); }
};

/// Writes "8 contacts: 8 ok; 1 island, relative error 3e-10, 12 iterations": with the relative error for Ncp, the
/// residual for all other methods.
CAROM_EXPORT std::ostream& operator<<(std::ostream& stream, const SceneReport& report);

/// Solves scenes. An island (contacts and joints that movable bodies connect) is solved as if it were alone: its bits
/// depend on its bodies, contacts and joints, their order and the options. They do not depend on other islands, threads
/// or the ISA (except Isa::sse2). Threading is as in Solver. The solver owns the workspace and the impulses of named
/// contacts. It serves one call at a time: a second call meanwhile is an Error.
class CAROM_EXPORT SceneSolver {
 public:
  /// Throws Error if a number is out of its range, if the ISA is not one of available_isas(), or if memory runs out.
  explicit SceneSolver(const Execution& execution = {});
  ~SceneSolver();
  SceneSolver(SceneSolver&&) noexcept;             ///< leaves an object whose members throw Error
  SceneSolver& operator=(SceneSolver&&) noexcept;  ///< as the move constructor

  /// Solves one step. T is float or double. Contacts and rows with faulty data are left out, and their status names the
  /// fault. Throws Error before any work if columns are missing, their lengths differ, an option is out of its range or
  /// the scene is larger than SceneLimits allow. Throws Error (ErrorKind::out_of_memory) before the first result is
  /// written if memory runs out.
  template <class T>
  SceneReport solve(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options = {});
  /// Same without exceptions: returns the report, or the error. See Solver::try_solve.
  template <class T>
  Expected<SceneReport> try_solve(const Scene<T>& scene, const SceneResults<T>& results,
                                  const SceneOptions& options = {}) noexcept;

  /// Allocates ahead the memory that grows with the numbers of bodies, contacts and joint rows: the columns of a call
  /// in precision T under these options, the lists of the largest graph of these numbers, and the impulses of keys. The
  /// factors of direct islands depend on the structure of a scene; the first calls allocate them. Throws Error as solve
  /// does; a larger number than before is needed for any effect.
  template <class T>
  void reserve(std::size_t bodies, std::size_t contacts, std::size_t joint_rows, const SceneOptions& options);

  /// Discards everything that the solver keeps from call to call. The next call then behaves like the first call of a
  /// new solver.
  void forget();

  /// Saves everything that the solver keeps from call to call: the impulses and histories of named contacts and rows,
  /// and for direct islands the geometry of their factors and their certificates, in both precisions. Options, columns,
  /// the Execution and SceneReport::same_graph are not part of the state. Returns the size of the state in bytes, which
  /// changes from call to call. Writes it to the start of `state`, or nothing if `state` is empty. Throws Error if
  /// `state` is not empty and too small. Allocates nothing. docs/determinism.md#saving-and-restoring
  std::size_t save(std::span<std::byte> state) const;
  /// Same, to a vector that gets the size of the state. Allocates only where its capacity is too small.
  void save(std::vector<std::byte>& state) const {
    state.resize(save(std::span<std::byte>{}));
    save(std::span<std::byte>(state));
  }
  /// Replaces everything that the solver keeps by a saved state of this or another solver or process. Later calls
  /// return the same bits as the calls after `save`, on every ISA with fused multiply-add. `state` holds exactly the
  /// saved bytes. Throws Error, and changes nothing, if bytes are missing or have changed, or if they were saved by
  /// another version of carom or on a machine with another byte order, or if memory runs out. The next call of a size
  /// may allocate.
  void restore(std::span<const std::byte> state);

  /// Returns the argument of the constructor.
  const Execution& execution() const;
  /// Returns the ISA in use; never Isa::automatic.
  Isa isa() const;
  /// Returns the number of bytes that the solver holds, as Solver::memory.
  std::size_t memory() const noexcept;

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
