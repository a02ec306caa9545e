// Scenes: many contacts and joints between many bodies, solved together. A host hands over the bodies, contacts and
// joints of one step and gets the bodies' new velocities back.
//
// scene_options.hpp has the methods and their options, docs/scenes.md what they do and where their limits are.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace carom {

/// Rows of joints. A row asks of two bodies' velocities that
///
///   linear_a·vA + angular_a·wA + linear_b·vB + angular_b·wB + compliance·λ = target_velocity
///
/// by an impulse λ within bounds; where λ stands at a bound the left side may differ. A gets the impulse λ linear_a and
/// the angular impulse λ angular_a, B λ linear_b and λ angular_b. The functions of joints.hpp write the rows of ball
/// joints, hinges and others. Sound rows of one pair that follow one another among those of the pair, up to 6, belong
/// together. A faulty row is left out alone, and the others of its joint are solved without it. Units are those of a
/// row that counts metres; one that counts radians has rad/s and N m s. All columns but the optional ones are needed
/// and equally long.
template <class T>
struct JointRows {
  Column<const std::int32_t> body_a, body_b;           ///< index into the bodies, -1 for the immovable world
  Vector3Columns<const T> linear_a, angular_a;         ///< [1], [m] finite
  Vector3Columns<const T> linear_b, angular_b;         ///< [1], [m] finite
  Column<const T> target_velocity{};                   ///< [m/s] optional: 0
  Column<const T> least_impulse{}, largest_impulse{};  ///< [N s] optional: no bounds; -inf below and inf above are none
  Column<const T> compliance{};                        ///< [1/kg] >= 0, optional: 0
  Column<const T> warm_impulse{};                      ///< [N s] optional: λ to begin with
  Column<const std::uint64_t> key{};                   ///< optional, as SceneContacts::key
  // SceneMethod::substeps keeps the position of a row as well, as stiffly as `frequency` says.
  /// [m] optional: the row's error at the start of the step, which grows with its left side less target_velocity; 0
  Column<const T> error{};
  /// [Hz] > 0, infinity is as stiff as a substep allows; 0 leaves the error alone: a motor. Optional:
  /// SubstepsOptions::joint_frequency
  Column<const T> frequency{};
  Column<const T> damping_ratio{};           ///< [1] >= 0, optional: SubstepsOptions::joint_damping_ratio
  Vector3Columns<const T> arm_a{}, arm_b{};  ///< [m] optional: from the centres of mass to the points of a row that
                                             ///< keeps these together along linear_a; all six or none
};

/// The bodies of a scene, of whose columns the first four are needed, and all are equally long. Bodies with zero
/// inverse mass and inertia may have a velocity: kinematic bodies.
template <class T>
struct SceneBodies {
  Column<const T> inverse_mass;                        ///< as in BodyColumns
  SymmetricColumns<const T> inverse_inertia;           ///< as in BodyColumns
  Vector3Columns<const T> velocity, angular_velocity;  ///< as in BodyColumns
  /// [m/s], [rad/s] optional: what forces of the step have added to the velocities. A contact that rebounds does so at
  /// mid step then, when half of it has acted, so that a body whose position follows its velocity in steps falls and
  /// rises to one height. SceneMethod::simultaneous, coulomb, iteration and step. All six or none.
  Vector3Columns<const T> velocity_change{}, angular_velocity_change{};

  /// The state of the bodies alone.
  constexpr operator BodyColumns<const T>() const {  // NOLINT(google-explicit-constructor)
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }
  /// The columns of the state; the other two stay.
  SceneBodies& operator=(const BodyColumns<const T>& state) {
    inverse_mass = state.inverse_mass;
    inverse_inertia = state.inverse_inertia;
    velocity = state.velocity;
    angular_velocity = state.angular_velocity;
    return *this;
  }
};

/// Contacts of a scene, between bodies by index. Those of one pair with one normal and one friction are a manifold, up
/// to four of those that follow one another among the sound contacts of the pair. Side by side they are read fastest.
/// All columns but the optional ones are needed and equally long.
///
/// The columns from friction_2 to damping are read by SceneMethod::simultaneous, without shock propagation, substeps
/// and, but for springs, coulomb; other methods refuse them with an Error. docs/contact-models.md has the law.
template <class T>
struct SceneContacts {
  Column<const T> friction, restitution;      ///< [1] as in InlineContacts
  Vector3Columns<const T> normal;             ///< [1] as in InlineContacts
  Vector3Columns<const T> lever_a, lever_b;   ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a, body_b;  ///< index into the bodies, -1 for the immovable world
  /// [1] optional: >= friction, which it is where there is none. SceneMethod::coulomb refuses it.
  Column<const T> static_friction{};
  /// [1] >= 0, optional, with friction_direction: the coefficient across it, where `friction` is that along it. The
  /// impulses of friction fill an ellipse, and a slip has that one which dissipates most. static_friction then stands
  /// for an ellipse of the same shape.
  Column<const T> friction_2{};
  /// [1] optional, with friction_2: any length, but not along the normal where the coefficients differ. What it has
  /// along the normal does not count.
  Vector3Columns<const T> friction_direction{};
  /// [m] >= 0, optional: the resistance to rolling of A on B is up to this times the normal impulse, likewise that to
  /// spinning about the normal.
  Column<const T> rolling_friction{}, spinning_friction{};
  /// [1/kg] >= 0, optional: what u·n, and the slip, give way for an impulse of 1 N s in the step. A contact with a
  /// normal compliance has no restitution.
  Column<const T> normal_compliance{}, tangential_compliance{};
  /// [N/m] > 0, optional: a spring that acts where `gap` < 0, integrated implicitly, in place of `frequency`. Infinity
  /// is a hard contact, as without the column. SceneMethod::substeps and SimultaneousOptions::time_step.
  Column<const T> stiffness{};
  Column<const T> damping{};  ///< [N s/m] >= 0, optional, with `stiffness`: 0
  /// [m] optional, < 0 where the bodies overlap: SceneMethod::resting, substeps, and SimultaneousOptions::time_step
  Column<const T> gap{};
  /// [Hz] >= 0, optional: how stiffly SceneMethod::substeps holds a contact, up to a quarter of a substep's rate.
  /// Infinity is a hard contact, as without the column; 0 is one whose overlap is left alone.
  Column<const T> frequency{};
  Column<const T> damping_ratio{};    ///< [1] >= 0, optional, with `frequency`: SubstepsOptions::contact_damping_ratio
  Column<const T> target_velocity{};  ///< [m/s] optional: least u·n after the step, 0 of a plain contact
  Vector3Columns<const T> surface_velocity{};      ///< [m/s] optional: u of a contact that sticks (conveyor belts); all
                                                   ///< three or none. What it has along the normal does not count.
  Vector3Columns<const T> warm_impulse{};          ///< [N s] optional: the impulse on A to begin with; world frame
  Vector3Columns<const T> warm_angular_impulse{};  ///< [N m s] optional: likewise, of the resistance to rolling and
                                                   ///< spinning
  /// optional: names the contact from step to step, so that the solver finds the impulse of the last call with it. 0 is
  /// no name. `warm_impulse` and `warm_angular_impulse` are taken instead where `warm_impulse` is there.
  Column<const std::uint64_t> key{};
  LawColumns<T> laws{};  ///< of SceneMethod::sequence
};

/// One step of a host.
template <class T>
struct Scene {
  SceneBodies<T> bodies;        ///< needed
  SceneContacts<T> contacts{};  ///< none, if all columns are missing
  JointRows<T> joints{};        ///< likewise

  /// The contacts as Solver::solve takes them, each by itself.
  IndexedContacts<T> indexed_contacts() const {
    const SceneContacts<T>& c = contacts;
    return {c.friction, c.restitution, c.normal, c.lever_a, c.lever_b, c.body_a, c.body_b, bodies, c.laws};
  }
};

/// How the sweeps or impacts over an island have ended. A number keeps its meaning in later versions.
enum class IslandStatus : std::uint8_t {
  converged = 0,       ///< within SceneOptions::relative_tolerance, coulomb.tolerance, or there was nothing to do
  not_converged = 16,  ///< the iterations, or the budget, that the options allow were not enough
  stalled = 17,        ///< likewise, and its impacts had stopped losing energy; SceneMethod::sequence
  diverged = 18,       ///< its impulses grew without end, and it has returned to its best state; SceneMethod::resting
  overflow = 32,       ///< its numbers left the range of T, and its bodies stay as they came
};

/// The columns of islands are as long as the bodies, since an island has a body that moves; the first
/// SceneReport::islands of their elements are written.
template <class T>
struct IslandResults {
  Column<IslandStatus> status{};      ///< how its sweeps have ended
  Column<T> residual{};               ///< [m/s] or [rad/s]: what the worst contact or row misses after the step
  Column<std::int32_t> iterations{};  ///< sweeps; impacts of a sequence; sweeps and steps of coulomb
  Column<std::int32_t> substeps{};    ///< SceneMethod::substeps; else 1
};

/// Where the results of a scene go. Every column is optional. Results may share the memory of these inputs, and have
/// the same bits as in memory of their own:
/// - velocity, angular_velocity: SceneBodies::velocity, angular_velocity;
/// - impulse, warm_impulse, angular_impulse, warm_angular_impulse: SceneContacts::warm_impulse, warm_angular_impulse;
/// - joint_impulse, joint_warm_impulse: JointRows::warm_impulse.
/// Any other overlap with an input is an error of the host, and any overlap of two results. After an exception no
/// result has been written. No result is -0: a velocity of -0 that nothing changes comes back as +0.
template <class T>
struct SceneResults {
  Vector3Columns<T> velocity{}, angular_velocity{};  ///< [m/s], [rad/s] of the bodies after the step
  /// [m], [rad] by which bodies move and turn in SceneMethod::substeps. A host that moves them so, by the rotation
  /// along the second vector, finds contacts and joints where the solver has left them; others leave the columns out.
  Vector3Columns<T> displacement{}, rotation{};
  Vector3Columns<T> impulse{};       ///< [N s] on A, summed over the step; world frame
  Vector3Columns<T> warm_impulse{};  ///< [N s] SceneContacts::warm_impulse of the next step, for SceneMethod::substeps
  /// [N m s] on A, B has its opposite, summed over the step; world frame. Of the resistance to rolling and spinning,
  /// which the contacts of a manifold share by their limits; 0 of contacts without.
  Vector3Columns<T> angular_impulse{};
  Vector3Columns<T> warm_angular_impulse{};  ///< [N m s] likewise, as warm_impulse
  Vector3Columns<T> separation_velocity{};   ///< [m/s] u after the step; NaN where faulty data leave it unknown
  Column<Status> status{};  ///< Status::separating of contacts without an impulse; Status::overflow of whole islands
  Column<Path> path{};      ///< sequence: of the contact's last impact; else Course::slip or Course::stick
  Column<std::int32_t> island{};   ///< in [0, SceneReport::islands); -1 of contacts at fault
  Column<T> joint_impulse{};       ///< [N s] λ, summed over the step
  Column<T> joint_warm_impulse{};  ///< [N s] JointRows::warm_impulse of the next step, for SceneMethod::substeps
  Column<Status> joint_status{};   ///< ok, or the fault that has kept the row out, or Status::overflow of its island
  Column<std::int32_t> joint_island{};  ///< as island, of rows
  IslandResults<T> islands{};           ///< of each island
};

/// The course of a scene. Sums over islands do not depend on threads. No number is NaN. Speeds and energies are
/// infinite beyond the range of T, and so is joint_work if the work of a row is beyond it. Islands that have overflowed
/// keep their velocities, which energy_after includes, and add nothing to joint_work.
struct SceneReport {
  std::size_t bodies = 0, contacts = 0, joint_rows = 0;                  ///< of the scene
  std::array<std::size_t, status_room> by_status{}, joints_by_status{};  ///< by the number of a Status: see count
  SceneMethod method = SceneMethod::simultaneous;                        ///< that was asked for
  Isa isa = Isa::scalar;                                                 ///< that the kernels were compiled for
  int threads = 1;                                                       ///< that took part
  int iterations = 0;                                                    ///< sweeps over the island that took the most
  int substeps = 1;              ///< of the island that took the most; SceneMethod::substeps
  std::size_t impacts = 0;       ///< of a sequence, all islands together
  double greatest_approach = 0;  ///< [m/s] before the step, below the targets
  double error = 0;              ///< [1] of the island with the largest; SceneMethod::coulomb
  double residual = 0;           ///< [m/s] after it; rows of joints included
  double energy_before = 0;      ///< [J] kinetic energy of bodies with mass
  double energy_after = 0;       ///< [J]
  /// [J] of the impulses of rows, each with the mean of its J v before and after; near it in substeps that turn arms
  double joint_work = 0;
  std::size_t islands = 0;         ///< sets of bodies that contacts and rows connect through movable bodies
  std::size_t largest_island = 0;  ///< contacts and rows of the largest
  std::size_t colours = 0;         ///< of the island that needs the most
  std::size_t uncoloured = 0;      ///< manifolds and joints that no colour took: they are solved one after the other
  bool same_graph = false;         ///< manifolds, joints and islands were those of the last call, and nothing was built
  /// Islands of any IslandStatus but converged. 0 does not say that contacts under an impulse part no faster than their
  /// targets, nor that friction has settled.
  std::size_t not_converged = 0;
  std::size_t stalled = 0;                ///< those of them that had stopped losing energy; sequence
  std::size_t swept = 0;                  ///< islands that have been left to sweeps; CoulombOptions
  std::size_t lanes = 0, lanes_used = 0;  ///< of the vectors that were solved, places for contacts and those in use

  /// Contacts of a status; 0 of what is no status.
  std::size_t count(Status status) const { return count(by_status, status); }
  /// Rows of a status; 0 of what is no status.
  std::size_t count_joints(Status status) const { return count(joints_by_status, status); }

 private:
  static std::size_t count(const std::array<std::size_t, status_room>& counts, Status status) {
    const auto number = static_cast<std::size_t>(status);
    return number < status_room ? counts[number] : 0;
  }
};

/// Solves scenes. An island, the contacts and joints that movable bodies connect, is solved as if it were alone: its
/// bits depend on its bodies, contacts and joints, their order and the options, not on other islands, threads or the
/// ISA (but for Isa::sse2). A call works on threads as one of Solver does; its workspace and the impulses of named
/// contacts belong to the solver. One solver serves one call at a time: another one meanwhile is an Error.
class CAROM_EXPORT SceneSolver {
 public:
  /// Throws Error if a number is out of its range, or if the ISA is not one of available_isas().
  explicit SceneSolver(const Execution& execution = {});
  ~SceneSolver();
  SceneSolver(SceneSolver&&) noexcept;             ///< leaves an object whose members throw Error
  SceneSolver& operator=(SceneSolver&&) noexcept;  ///< likewise

  /// T is float or double. Contacts and rows with faulty data are left out with a status of their own. Throws Error
  /// before any work if columns are missing, their lengths differ, an option is out of its range or the scene is larger
  /// than SceneLimits allow.
  template <class T>
  SceneReport solve(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options = {});

  /// Forgets the impulses of named contacts and rows.
  void forget();

  /// That of the constructor.
  const Execution& execution() const;
  /// The one in use; never Isa::automatic.
  Isa isa() const;

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
