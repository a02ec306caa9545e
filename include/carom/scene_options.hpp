// The methods that solve a scene, and their options.
//
// [CR] is A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations,
// 1998; [BS] is J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
// docs/scenes.md describes the methods, how to choose one, and their limits.
//
// Not yet stable: this interface may change between minor versions until 1.0 (README.md#what-is-promised).
#pragma once

#include <array>
#include <carom/export.hpp>
#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carom {

/// The method that solves a scene.
enum class SceneMethod : std::uint8_t {
  /// Projected Gauss–Seidel (PGS) with 3×3 blocks: sweeps over all contacts and joints, each contact on its friction
  /// cone. u·n ends at its target or above, and friction acts against the last slip. For engines.
  pgs,
  /// Sequential impacts: the contact with the maximum approach speed is resolved by its own collision law (as by
  /// Solver::solve), until no contact approaches. Joints are plastic impacts without slip. [CR] 6.4, 6.5
  sequential_impacts,
  /// Sweeps over the contacts, first the normal impulse and then friction, until every contact has reached its target
  /// -e u·n. Targets are fixed at the start. [BS] 3.1
  iteration,
  /// Contacts at rest: impulses after which no bodies overlap at the end of RestingOptions::time_step. [BS] 3.2
  resting,
  /// A step of [BS] figure 1: iteration on colliding contacts, then resting on contacts at rest. Impulses are the sums
  /// of both. The caller moves the bodies with the new velocities.
  step,
  /// Substeps. Each substep applies its fraction of the forces (SceneBodies::velocity_change), makes a sweep of
  /// simultaneous with position correction of contacts and joints, moves the bodies, and makes a sweep without position
  /// correction. The number of substeps follows the load of the island. Resting bodies stay at rest, and heavy bodies
  /// stand on light ones. Kinetic energy rises by no more than the work of forces, targets and moving bodies; the rest
  /// is removed (IslandResults::energy_removed).
  substeps,
  /// The law of simultaneous, with joints, solved to a tolerance as SystemSolver does instead of by a fixed number of
  /// sweeps. For heavy loads on light bodies, for jammed piles, and where a step must be accurate.
  /// docs/contact-systems.md.
  ncp,
};
inline constexpr std::size_t scene_method_count = 7;

/// The contacts that SceneMethod::iteration sweeps.
enum class ContactFilter : std::uint8_t {
  colliding,  ///< contacts that approach faster than contacts at rest, repeated until no contact does
  touching,   ///< all contacts that do not separate at the start, once
};
inline constexpr std::size_t contact_filter_count = 2;

/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(SceneMethod method);
/// The inverse of to_string; throws Error on any other text.
CAROM_EXPORT SceneMethod scene_method_from_string(std::string_view text);

/// Fixed thresholds that results of scenes depend on. docs/scenes.md, Thresholds.
struct SceneThresholds {
  static constexpr double max_friction = 1e9;  ///< [1] a larger coefficient counts as this, infinity too
  static constexpr double rest_share = 1e-2;   ///< [1] resting has converged at this fraction of ε / time_step
  static constexpr double runaway = 1000;  ///< [1] resting ends if its violation is this multiple of the initial one
  /// [1] the number of substeps of an island decreases only if the island needs at least this fraction (and at least
  /// one) fewer. After substeps_quiet such calls the number is multiplied by substeps_fall in every call.
  static constexpr double substeps_band = 0.125, substeps_fall = 0.99, substeps_quiet = 60;
  static constexpr int swept_substeps = 4;  ///< [1] min. number of substeps of a swept island, up to `most`
  /// [1] calls for which a solver keeps the impulses of named contacts and rows of an island that it is not given
  static constexpr int warm_start_calls = 1000;
  /// [1] a manifold sticks again, with its static friction, below this fraction of the speed of contacts at rest
  static constexpr double stick_again = 0.5;
  /// [1] as stick_again, of a manifold that is not known from earlier calls, if SceneBodies::velocity_change is not
  /// given
  static constexpr double stick_cold = 4;
  /// [m] slop of contacts and joints whose bodies have no size: neither has both a mass and an inertia
  static constexpr double slop_without_size = 0.005;
  /// [1] weight of joint impulses in the load: an error of a joint is visible before an overlap as large as slop is
  static constexpr double joint_load = 2;
  /// [1] an island of substeps counts as hit if its approach speed exceeds this multiple of gravity × time step; the
  /// impulses that it passes on are then limited
  static constexpr double impact = 2;
  /// [multiply-adds], [1] an island of substeps is solved directly if its matrix is factored with this work and if it
  /// has no more bodies; otherwise it is swept
  static constexpr double direct_work = 2e7, direct_bodies = 1024;
  /// [1] weight of a loaded contact in the matrix of a direct island, times the inverse masses of its bodies
  static constexpr double direct_weight = 1e5;
  /// [1] as direct_weight, of a row of a joint
  static constexpr double direct_joint_weight = 1e4;
  static constexpr int direct_tries = 2;  ///< [1] linear solves of a direct island before it is swept
  /// [1] further solves in which friction follows the loads of sliding contacts
  static constexpr int direct_turns = 3;
  /// [1] a direct solution is repeated with the same matrix while held contacts miss their targets by more than
  /// direct_miss of gravity × time step
  static constexpr double direct_miss = 1e-6;
  static constexpr int direct_repeats = 6;  ///< [1] max. number of these repetitions
  /// [1] an island whose contacts and rows miss their targets by at most direct_calm of gravity × time step keeps its
  /// factor while normals, arms and inertia change by at most the fraction direct_same
  static constexpr double direct_calm = 1e-4, direct_same = 2e-5;
  /// [1] a direct island is not solved if all contacts and rows meet their targets to this fraction of gravity × time
  /// step with the impulses that it begins with
  static constexpr double direct_settled = 5e-11;
  /// [1] impulses below this fraction of the mean momentum of the bodies, with the forces of the step, are 0
  static constexpr double direct_nothing = 1e-9;
  /// [1] after that no contact may approach by more than direct_left of gravity × time step, plus direct_converged of
  /// the greatest approach before the step
  static constexpr double direct_left = 0.05, direct_converged = 1e-4;
  /// [1] as direct_converged, of a row of a joint, which may miss its target by more
  static constexpr double direct_rows_left = 1e-2;
  /// [1] an interior point is accepted if no contact approaches, and none parts under an impulse, by more than this
  /// fraction of the greatest approach before the step, or of gravity × time step
  static constexpr double direct_failure = 0.5;
  /// [1] a direct solution is accepted if it adds at most this multiple of m v² to the kinetic energy, with m the mass
  /// of the island and v the greatest prescribed speed of its contacts. Without prescribed speeds it adds none.
  static constexpr double direct_drive = 2;
  /// [1] impulses of an interior point do at most this fraction of the work that gravity does on a body of mean mass
  /// from rest
  static constexpr double direct_work_left = 1e-9;
  /// [1] a direct solution is accepted if its impulses leave their cones by at most this fraction of the greatest
  /// impulse; sliding contacts may leave it by the fraction direct_lag of their friction. They are put back.
  static constexpr double direct_cone = 2.5e-5, direct_lag = 0.1;
  /// [m/s] a direct solution is accepted if no open contact approaches faster, and if no contact slips faster than
  /// direct_push with its friction instead of against it
  static constexpr double direct_approach = 1e-6, direct_push = 1e-5;
  /// [1], [m/s] a contact slides if its friction is above this fraction of its limit and it slips faster than
  /// direct_slip
  static constexpr double direct_slipping = 0.95, direct_slip = 1e-3;
  /// [1] a loaded contact with a gap below this fraction of the slop is closed
  static constexpr double direct_closed = 4e-3;
  /// [1] as `impact`, for a direct island: approach speed before forces act
  static constexpr double direct_impact = 0.5;
  /// [1] in the work of an island's sweeps, counted in scalar multiply-adds: factorisations and interior points of an
  /// island may add up to direct_credit over its last calls. Every call takes direct_income off them. The sweeps run on
  /// lanes, so that direct_income is about half of their time.
  static constexpr double direct_income = 0.125, direct_credit = 8;
  /// [multiply-adds] an interior point with less work may use more than the credit, if half of it is left
  static constexpr double direct_small = 1e6;
  static constexpr double direct_turn = 0.3;  ///< [rad] max. rotation of a body by the position correction of a step
  /// [1] position errors of a joint below direct_closed times its slop are not corrected; without a column `error` this
  /// fraction
  static constexpr double direct_joint_drift = 1e-9;
  /// [1] fraction of the stiffness of joints in tension, times the square of the step, in the inertia of their bodies
  static constexpr double direct_tension = 0.5;
  /// Joints aim at where their arms will be after the step. [rad] The aim is smaller where a body turns by more in a
  /// step, and [1] where tension adds more than this fraction to its inertia.
  static constexpr double direct_curve = 0.15, direct_curve_tension = 0.1;
  static constexpr double direct_turned = 0.01;  ///< [rad] the inertia of a body turns with it if it has turned by more
  static constexpr int direct_substeps = 16;     ///< [1] max. number of substeps of a direct island: 1, 2, 4, ...
  /// [rad] an island with joints takes one if no arm turns by more than direct_still_turn in the step, else as many as
  /// keep the turn of an arm in a substep within direct_arm_turn
  static constexpr double direct_still_turn = 0.004, direct_arm_turn = 0.06;
  /// [1] a direct island of contacts with keys is a large one from large_bodies bodies on. It may have
  /// large_max_bodies.
  static constexpr int large_bodies = 100, large_max_bodies = 16384;
  /// [multiply-adds], [1] a large island whose factorisation takes more, or more than this multiple of its sweeps, is
  /// swept
  static constexpr double large_max_work = 4e8, large_max_share = 1.5;
  /// [1] a large island factors in every call if that takes less than this fraction of its sweeps. Otherwise it factors
  /// for certificates alone.
  static constexpr double large_cheap = 1.0 / 16;
  /// [1] a certificate takes this fraction of the work of the island's sweeps in a call, beside them and in place of
  /// them
  static constexpr double large_slice = 0.2, large_slice_held = 0.4;
  /// [1] contacts with a gap below this fraction of the slop count as closed in a large island
  static constexpr double large_closed = 0.2;
  /// [1] a certificate begins if the RMS speed of the island's bodies is below large_calm of gravity × time step, and
  /// is dropped above large_restless
  static constexpr double large_calm = 0.3, large_restless = 3;
  /// [1] an island that can rest is stopped if no body is faster than large_slow of gravity × time step, and held if
  /// none is faster than large_still
  static constexpr double large_slow = 0.3, large_still = 6e-6;
  /// [1] an island that rests on a certificate is stopped in every call if no body is faster than this fraction of
  /// gravity × time step. A body whose forces are out of balance by less than this fraction of its weight stays.
  static constexpr double large_stop = 1e-3;
  static constexpr int large_holds = 24;  ///< [1] max. number of consecutive calls that hold an island
  static constexpr int large_waits = 16;  ///< [1] calls that a certificate waits until its island is slow
  /// [1] fraction of the friction cone that the impulses of a certificate may use
  static constexpr double large_cone = 0.9;
  /// [1] a certificate has converged if its velocities change by less than this fraction of the greatest change by
  /// forces
  static constexpr double large_converged = 6e-9;
  /// [1] max. number of iterations of a certificate, for an island that moves and for one that is held
  static constexpr int large_iterations = 48, large_iterations_held = 150;
  /// [1] an island is not in balance if a loaded body is faster than this fraction of gravity × time step in its
  /// certificate
  static constexpr double large_unbalanced = 0.02;
  /// [1] relative: a row with a smaller pivot repeats other rows of its joint (sequence), and a direction of a contact
  /// with a smaller response is held by the rows between its two bodies (ncp)
  static constexpr double min_pivot = 1e-10;
  /// [1] a row that only turns its bodies is singular if its response Σ w·J w is at most this multiple of ε times the
  /// sum of the absolute values of its terms
  static constexpr double singular_row = 8;
  /// [1] ncp: a limit of a row is ignored if it exceeds this multiple of the sum of the impulses that would stop
  /// each contact and row of the island alone
  static constexpr double no_bound = 1e9;
  /// [1] relative: three rows of a joint whose pivots are all at least this are solved at once. float's rounding ε then
  /// changes their inverse by at most ε / triple_pivot² = 6 %. For simultaneous, iteration and resting.
  static constexpr double triple_pivot = 1e-3;
  /// [1] an island of a sequence that has not converged has stalled if its energy falls by less than this fraction in
  /// the second half of the impacts; T is float or double
  template <class T>
  static constexpr double stalled = sizeof(T) == sizeof(float) ? 1e-4 : 1e-6;
};

/// Upper limits of the options.
struct SceneLimits {
  static constexpr int max_iterations = 1 << 30;  ///< [1]
  static constexpr double max_time_step = 1e3;    ///< [s]
  static constexpr int max_substeps = 4096;       ///< [1]
  static constexpr int max_rounds = 64;           ///< [1]
  /// [1] Maximum number of bodies of a scene, and of its contacts and joint rows together: indices have 32 bits.
  static constexpr std::size_t max_bodies = 2147483647, max_contacts_and_rows = 2147483647;
};

/// Options of SceneMethod::pgs.
struct PgsOptions {
  int iterations = 10;  ///< [1] in [1, max_iterations]: max. number of sweeps over an island
  /// [1] in (0, 2): factor of every change of an impulse, before the projection onto the cone
  double relaxation = 1;
  /// [1] in [0, 1]: fraction of the warm impulses to start from, for contacts and for rows. If target_velocity of a row
  /// removes a position error, the impulse of the last step contains the correction; with a fraction of 1 chains swing
  /// up. Rows with two finite bounds (motors) take the fraction of contacts.
  double warm_start = 1, joint_warm_start = 0.5;
  int inner_iterations = 1;  ///< [1] in [1, max_rounds]: see SubstepsOptions::inner_iterations
  /// [s] in [0, max_time_step]. 0: no position correction; a correction in the caller's targets stays in the
  /// velocities and in the impulses of the next step. Above 0: the step is one substep of SceneMethod::substeps with
  /// `iterations` sweeps and without `relaxation`. SceneContacts::separation and JointRows::error are corrected by
  /// SubstepsOptions, then `relax_iterations` sweeps remove the correction from velocities and impulses;
  /// SceneResults::displacement and rotation contain it. Rows start from SubstepsOptions::joint_warm_start. Piles then
  /// rest with all of the warm impulses.
  double time_step = 0;
  int relax_iterations = 2;  ///< [1] in [0, max_iterations]: sweeps without position correction, with a time_step
};

/// Options of SceneMethod::sequential_impacts.
struct SequentialImpactsOptions {
  int impacts = 100;  ///< [1] in [1, max_iterations]: max. number of impacts per contact and joint of an island
  /// Order of equally fast contacts: 0 takes the lowest index first, any other value seeds a random choice.
  std::uint64_t seed = 0;
};

/// Options of SceneMethod::iteration, also as a part of SceneMethod::step.
struct IterationOptions {
  int iterations = 1000;                           ///< [1] in [1, max_iterations]: max. number of sweeps over an island
  ContactFilter swept = ContactFilter::colliding;  ///< SceneMethod::step always takes colliding
};

/// Options of SceneMethod::resting, also as a part of SceneMethod::step.
struct RestingOptions {
  int iterations = 1000;  ///< [1] in [1, max_iterations]: max. number of sweeps over an island
  double time_step = 0;   ///< [s] in (0, max_time_step]; required
  /// [m/s²] acceleration of bodies with mass during time_step, if it is not yet in their velocities.
  std::array<double, 3> gravity = {0, 0, 0};
};

/// Options of SceneMethod::substeps.
struct SubstepsOptions {
  double time_step = 0;  ///< [s] in (0, max_time_step]; required
  /// [1] in [1, max_substeps]: min. and max. number of substeps. With least = 1 < most, islands of hard contacts
  /// and joints are solved directly if their matrix is small enough (docs/scenes.md, Direct islands): in one step, or
  /// with joints in 1, 2, 4, 8 or 16 substeps, at least `min_direct_substeps`. All other islands are swept, in 2 H
  /// √(load / slop) substeps, at least SceneThresholds::swept_substeps. H is the time step, and load / slop the maximum
  /// over the contacts and joints of the island. `load` [m/s²] is S / (m H) of the body that carries more. S is half
  /// the sum of |p_n| over the contacts of the body and of SceneThresholds::joint_load |λ| over its joints, from the
  /// last steps. `most` limits the time of a step.
  int least = 1, most = 64;
  /// [1] in [1, SceneThresholds::direct_substeps], at most `most`, and 1 if `least` is above 1: min. number of substeps
  /// of an island that is solved directly. With 2 the way of a sliding box has half the error, in twice the time.
  int min_direct_substeps = 1;
  /// [1] in [1, max_rounds]: passes over the points of a manifold, or the rows of a joint, per sweep. They remove the
  /// twist between two bodies; six hold the heaviest stacks.
  int inner_iterations = 4;
  int sweeps = 1;              ///< [1] in [1, max_iterations]: sweeps of a substep before the motion
  int relax_iterations = 1;    ///< [1] in [0, max_iterations]: sweeps after the motion, without position correction
  int restitution_sweeps = 4;  ///< [1] in [1, max_iterations]: sweeps at the end of the step for islands that rebound
  /// [m] >= 0: overlap that is not corrected. 0: `relative_slop` times the size of the smaller body. A contact may have
  /// a slop of its own, SceneContacts::slop.
  double slop = 0;
  /// [1] > 0: slop as a fraction of the radius of gyration of the smaller body, where no slop in metres is given. The
  /// default is 5 mm for a cube of 1 m. docs/scenes.md, Slop
  double relative_slop = 0.01225;
  double correction_rate = 0.2;     ///< [1] in [0, 1]: fraction of the overlap beyond slop that a substep corrects
  double max_correction_speed = 3;  ///< [m/s] >= 0: max. speed of the correction
  double joint_frequency = std::numeric_limits<double>::infinity();  ///< [Hz] >= 0, default of JointRows::frequency
  double joint_damping_ratio = 2;                                    ///< [1] >= 0, default of JointRows::damping_ratio
  double contact_damping_ratio = 10;            ///< [1] >= 0, default for contacts with a frequency
  double warm_start = 1, joint_warm_start = 1;  ///< [1] in [0, 1]: see PgsOptions
};

/// Options of SceneMethod::ncp.
struct NcpOptions {
  /// [1] in [0, 1]: max. error of an island, defined as SystemOptions::tolerance is for ErrorScale::island and
  /// error_mass 0. 0: 1e-8 in double, 1e-4 in float.
  double tolerance = 0;
  /// [sweeps] in [1, SystemOptions::max_budget]: see SystemOptions::budget. Bounds time and memory: a factorisation
  /// that the rest of the budget does not cover is not begun. If the budget runs out, the best impulses found are
  /// returned.
  double budget = 2000;
  double max_friction = 1000;  ///< [1] in (0, SystemOptions::friction_limit]: larger coefficients count as this one
  double warm_start = 1;       ///< [1] in [0, 1]: fraction of the warm impulses to start from, contacts and rows
  /// [1] in [0, max_iterations]: max. number of contacts and rows of an island that is solved to the tolerance. 0: no
  /// limit. Larger islands are solved by SceneMethod::pgs: at most
  /// PgsOptions::iterations sweeps, with its relaxation and rounds, until they have converged within
  /// SceneOptions::relative_tolerance. Its time_step and relaxing have no effect there, and warm_start above replaces
  /// both of its fractions.
  int max_island_size = 0;
  /// True: all islands are first solved by these sweeps; islands that have not converged are then solved to the
  /// tolerance, starting from the impulses of the sweeps.
  bool pgs_presolve = false;
};

/// Contacts that approach with at most sqrt(2 g ε) are at rest. [BS] 3
struct RestCriterion {
  double gravity = 9.81;    ///< [m/s²] g >= 0
  double tolerance = 1e-4;  ///< [m] ε >= 0
};

/// Additional sweeps after the others: from the immovable bodies upwards, level by level, with all lower levels held
/// fast. Stacks need fewer sweeps. Impulses then do not balance, so total momentum is not conserved. For simultaneous,
/// resting, step, and iteration over ContactFilter::touching.
struct ShockPropagation {
  bool enabled = false;  ///< whether to make these sweeps
  int iterations = 4;    ///< [1] in [1, max_iterations]: sweeps over each level
};

/// The method of a call and its options.
struct SceneOptions {
  SceneMethod method = SceneMethod::pgs;  ///< for all islands
  /// Tolerances of data for all methods; laws of SceneMethod::sequential_impacts for contacts that do not name their
  /// own.
  Options collision{};
  /// [1] in [0, 1]: an island has converged if no contact and no row misses its target velocity by more than this
  /// fraction of the island's maximum initial approach speed, and if no change of an impulse in the last sweep changes
  /// the relative velocity of its bodies by more. Convergence is tested every fourth sweep. simultaneous also tests
  /// after the first, so a resting, warm-started island ends at once.
  double relative_tolerance = 1e-6;
  /// [m/s] >= 0: contacts that approach more slowly have no restitution under simultaneous, ncp, iteration and
  /// step. The approach speed is taken without SceneBodies::velocity_change.
  double restitution_threshold = 0;
  RestCriterion rest{};                           ///< for iteration, resting, step and static friction
  ShockPropagation shock_propagation{};           ///< for simultaneous, resting, step and iteration
  PgsOptions pgs{};                               ///< for SceneMethod::pgs
  SequentialImpactsOptions sequential_impacts{};  ///< for SceneMethod::sequential_impacts
  IterationOptions iteration{};                   ///< for SceneMethod::iteration and step
  RestingOptions resting{};                       ///< for SceneMethod::resting and step
  SubstepsOptions substeps{};                     ///< for SceneMethod::substeps, and simultaneous with a time_step
  NcpOptions ncp{};                               ///< for SceneMethod::ncp
};

}  // namespace carom
