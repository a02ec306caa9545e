// The methods that solve a scene, and their options.
//
// [CR] is A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations,
// 1998; [BS] is J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
// docs/scenes.md has the methods, their choices and their limits.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/export.hpp>
#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carom {

/// How a scene is solved.
enum class SceneMethod : std::uint8_t {
  /// Block Gauss–Seidel over the three components of every contact on its friction cone, with joints, in sweeps: the
  /// impulse that ends with u·n at its target or above and friction against the last slip. For engines.
  simultaneous,
  /// One contact after the other, the one of greatest approach speed first, each under its own collision law as
  /// Solver::solve has it, until none approaches; joints as plastic impacts without slip. [CR] 6.4, 6.5
  sequence,
  /// Every contact's normal impulse first and its friction then, in sweeps, until all have reached their targets
  /// -e u·n, which are fixed at the start. [BS] 3.1
  iteration,
  /// Contacts at rest: impulses that leave no overlap after RestingOptions::time_step. [BS] 3.2
  resting,
  /// A step of [BS] figure 1: iteration on the contacts that collide, then resting on those that are at rest; impulses
  /// are the sums of both. The host moves the bodies with the velocities that come out.
  step,
  /// The step in substeps, each with a share of the forces (SceneBodies::velocity_change), a sweep of simultaneous that
  /// also pushes overlaps and joint errors out, motion, and one that does not. As many as an island's load needs. What
  /// rests stays at rest, and heavy bodies stand on light ones.
  substeps,
  /// The same law as simultaneous, solved to an error and not for a number of sweeps, as SystemSolver does, with
  /// joints. For heavy loads on light bodies, for jammed piles, and where a step has to be right.
  /// docs/contact-systems.md.
  coulomb,
};
inline constexpr std::size_t scene_method_count = 7;

/// The contacts that SceneMethod::iteration sweeps.
enum class SweptContacts : std::uint8_t {
  colliding,  ///< those that approach faster than contacts at rest; again until none does
  touching,   ///< all that do not separate at the start, once
};
inline constexpr std::size_t swept_contacts_count = 2;

/// The names above; "unknown" of any other number.
CAROM_EXPORT std::string_view to_string(SceneMethod method);
/// The inverse; throws Error on any other text.
CAROM_EXPORT SceneMethod scene_method_from_string(std::string_view text);

/// Thresholds of scenes that results depend on beside the options. docs/scenes.md, Thresholds.
struct SceneThresholds {
  static constexpr double most_friction = 1e9;  ///< [1] a larger coefficient counts as this one, infinity too
  static constexpr double rest_share = 1e-2;    ///< [1] at this share of ε / time_step resting has converged
  static constexpr double runaway = 1000;       ///< [1] resting ends where it misses so many times what it missed first
  /// [1] the substeps of an island stay as many while it needs fewer by less than this share of them, or by less than
  /// one; after substeps_quiet calls of that they fall, to substeps_fall of themselves from call to call
  static constexpr double substeps_band = 0.125, substeps_fall = 0.99, substeps_quiet = 60;
  /// [1] what a joint carries counts as so many times as much: an error of a joint shows before a slop does
  static constexpr double joint_load = 2;
  /// [1] an island of substeps is struck where it approaches faster than so many times what gravity makes in a step
  static constexpr double blow = 2;
  /// [1] relative: below it a row repeats others of its joint, sequence; or of the joints around it, coulomb
  static constexpr double least_pivot = 1e-10;
  /// [1] A row that only turns its bodies is singular if its response Σ w·J w is not above this multiple of ε times
  /// the absolute values that the sum is added up from.
  static constexpr double singular_row = 8;
  /// [1] coulomb: a bound of a row that is so many times what would stop every contact and row of the island alone is
  /// none
  static constexpr double no_bound = 1e9;
  /// [1] relative: three rows of a joint without a smaller pivot are solved at once, by an inverse that float's
  /// rounding ε spoils by ε / triple_pivot² = 6 % at most; simultaneous, iteration and resting
  static constexpr double triple_pivot = 1e-3;
  /// [1] an island of a sequence that has not converged has stalled if its energy falls by less than this share of
  /// itself in the second half of the impacts; for T float or double.
  template <class T>
  static constexpr double stalled = sizeof(T) == sizeof(float) ? 1e-4 : 1e-6;
};

/// The largest values of options that have one.
struct SceneLimits {
  static constexpr int most_iterations = 1 << 30;  ///< [1]
  static constexpr double most_time_step = 1e3;    ///< [s]
  static constexpr int most_substeps = 4096;       ///< [1]
  static constexpr int most_rounds = 64;           ///< [1]
  /// [1] Maximum number of bodies of a scene, and of its contacts and joint rows together: indices have 32 bits.
  static constexpr std::size_t most_bodies = 2147483647, most_contacts_and_rows = 2147483647;
  /// [1] Maximum number of blocks of W (72 bytes each) of an island that SceneMethod::coulomb solves to its tolerance.
  /// The number is bounded by Σ n² over the movable bodies, n the contacts, moments and rows with bounds of a body.
  /// Bodies that rows without bounds connect count as one. So 8192 contacts may be on one body.
  static constexpr std::size_t most_blocks = std::size_t{1} << 26;
};

/// Options of SceneMethod::simultaneous.
struct SimultaneousOptions {
  int iterations = 10;  ///< [1] in [1, most_iterations]: sweeps over an island at most
  /// [1] in (0, 2): every change of an impulse is multiplied by it before the cone bounds it.
  double relaxation = 1;
  /// [1] in [0, 1]: share of the warm impulses to begin with, of contacts and of rows. Where target_velocity of a row
  /// takes away an error of position, the impulse of the last step has that work in it: with all of it chains swing up.
  double warm_start = 1, joint_warm_start = 0.5;
  int rounds = 1;  ///< [1] in [1, most_rounds]: see SubstepsOptions::rounds
  /// [s] in [0, most_time_step]. 0: the host's targets have what positions lack, and what pushes is in the velocities
  /// and in the impulses of the next step. Above 0 the step is one substep of SceneMethod::substeps, of `iterations`
  /// sweeps without `relaxation`: SceneContacts::gap and JointRows::error are pushed out as SubstepsOptions say,
  /// `relaxing` sweeps take the push out of velocities and impulses, SceneResults::displacement and rotation have it,
  /// and rows begin with SubstepsOptions::joint_warm_start. Piles rest then, with all of the warm impulses.
  double time_step = 0;
  int relaxing = 2;  ///< [1] in [0, most_iterations]
};

/// Options of SceneMethod::sequence.
struct SequenceOptions {
  int impacts = 100;  ///< [1] in [1, most_iterations]: for every contact and joint of an island at most
  /// 0 takes the one with the lowest index first of equally fast contacts, another number one at random.
  std::uint64_t seed = 0;
};

/// Options of SceneMethod::iteration, and of that part of a step.
struct IterationOptions {
  int iterations = 1000;                           ///< [1] in [1, most_iterations]: sweeps over an island at most
  SweptContacts swept = SweptContacts::colliding;  ///< a step sweeps those that collide
};

/// Options of SceneMethod::resting, and of that part of a step.
struct RestingOptions {
  int iterations = 1000;  ///< [1] in [1, most_iterations]: sweeps over an island at most
  double time_step = 0;   ///< [s] in (0, most_time_step]; needed
  /// [m/s²] acceleration of bodies with mass during time_step that is not yet in their velocities.
  std::array<double, 3> gravity = {0, 0, 0};
};

/// Options of SceneMethod::substeps.
struct SubstepsOptions {
  double time_step = 0;  ///< [s] in (0, most_time_step]; needed
  /// [1] in [1, most_substeps]: an island takes 2 H √(load / slop) substeps within these bounds, with H the time step
  /// and the load that of the body which carries most for its mass: half the sum of |p_n| over its contacts and of
  /// SceneThresholds::joint_load |λ| over its joints, over m H, as the last steps left them. `most` bounds the time.
  int least = 4, most = 64;
  /// [1] in [1, most_rounds]: passes over the points of a manifold, or the rows of a joint, in a visit. They remove the
  /// twist between two bodies; six hold the heaviest stacks.
  int rounds = 4;
  int sweeps = 1;                     ///< [1] in [1, most_iterations] of a substep before the motion
  int relaxing = 1;                   ///< [1] in [0, most_iterations] of a substep after it, without push-out
  int restitution_sweeps = 4;         ///< [1] in [1, most_iterations] at the end of the step, of islands that rebound
  double slop = 0.005;                ///< [m] > 0: overlap that is left alone
  double push_out = 0.2;              ///< [1] in [0, 1]: share of a deeper overlap that goes in a substep
  double largest_push_out_speed = 3;  ///< [m/s] >= 0
  double joint_frequency = std::numeric_limits<double>::infinity();  ///< [Hz] >= 0, see JointRows::frequency
  double joint_damping_ratio = 2;                                    ///< [1] >= 0
  double contact_damping_ratio = 10;                                 ///< [1] >= 0, of contacts with a frequency
  double warm_start = 1, joint_warm_start = 1;                       ///< [1] in [0, 1]: see SimultaneousOptions
};

/// Options of SceneMethod::coulomb.
struct CoulombOptions {
  /// [1] in [0, 1]: the error of an island that is asked for, as SystemOptions::tolerance has it with
  /// ErrorScale::island and error_mass 0. 0: 1e-8 in double, 1e-4 in float.
  double tolerance = 0;
  /// [sweeps] in [1, SystemOptions::largest_budget]: see SystemOptions::budget. Eight sweeps on lanes count as one. The
  /// best impulses that are found stand. Putting W together is not part of the budget: SceneLimits::most_blocks bounds
  /// that.
  double budget = 2000;
  double most_friction = 1000;  ///< [1] in (0, SystemOptions::largest_friction]: larger coefficients count as this one
  double warm_start = 1;        ///< [1] in [0, 1]: share of the warm impulses to begin with, of contacts and of rows
  /// [1] in [0, most_iterations]: the most contacts and rows of an island that is solved to the tolerance. Larger ones
  /// are swept as SceneMethod::simultaneous does, for SimultaneousOptions::iterations at most or until they have
  /// converged within SceneOptions::relative_tolerance, with its relaxation and rounds. Its time_step and relaxing have
  /// no part, and the shares of warm impulses are warm_start here. 0: no limit but SceneLimits::most_blocks.
  int largest_island = 0;
  /// Whether all islands are swept so at first, and only those that have not converged are solved to the tolerance.
  /// Their sweeps are where the solver begins.
  bool after_sweeps = false;
};

/// Contacts that approach at no more than sqrt(2 g ε) are at rest. [BS] 3
struct RestCriterion {
  double gravity = 9.81;    ///< [m/s²] g >= 0
  double tolerance = 1e-4;  ///< [m] ε >= 0
};

/// Sweeps from the immovable bodies upwards after the others, level by level, with what lies below held fast: stacks
/// need fewer sweeps. Impulses do not balance then, so that the sum of momentum is not kept. For simultaneous, resting,
/// and iteration over SweptContacts::touching.
struct ShockPropagation {
  bool enabled = false;  ///< whether there are such sweeps
  int iterations = 4;    ///< [1] in [1, most_iterations]: sweeps over each level
};

/// The method of a call and its options.
struct SceneOptions {
  SceneMethod method = SceneMethod::simultaneous;  ///< of all islands
  /// Tolerances of data for all methods; laws for SceneMethod::sequence, where contacts do not name their own.
  Options collision{};
  /// [1] in [0, 1]: an island has converged when no contact misses its target by more than this share of the island's
  /// greatest approach speed at the start, nor a row its target velocity, and when no impulse changes by more than what
  /// moves its bodies at that speed. Sweeps look at it in every fourth, those of simultaneous in the first,
  /// too, where what rests on its warm impulses ends.
  double relative_tolerance = 1e-6;
  /// [m/s] >= 0: contacts that approach more slowly have no restitution under simultaneous, coulomb, iteration and
  /// step. It counts without SceneBodies::velocity_change.
  double restitution_threshold = 0;
  RestCriterion rest{};                  ///< of iteration, resting and step
  ShockPropagation shock_propagation{};  ///< of simultaneous, resting and iteration
  SimultaneousOptions simultaneous{};    ///< of SceneMethod::simultaneous
  SequenceOptions sequence{};            ///< of SceneMethod::sequence
  IterationOptions iteration{};          ///< of SceneMethod::iteration and step
  RestingOptions resting{};              ///< of SceneMethod::resting and step
  SubstepsOptions substeps{};            ///< of SceneMethod::substeps; of simultaneous with a time_step what it says
  CoulombOptions coulomb{};              ///< of SceneMethod::coulomb
};

}  // namespace carom
