// The methods that solve a scene, and their options.
//
// [CR] is A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations,
// 1998; [BS] is J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
// docs/scenes.md describes the methods, how to choose one, and their limits.
#pragma once

#include <array>
#include <carom/export.hpp>
#include <carom/laws.hpp>
#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

namespace carom {

/// The methods, in the order of SceneOptions::Method. Numbers keep their meaning in later versions.
enum class SceneMethod : std::uint8_t { substeps = 0, pgs = 1, ncp = 2, sequential_impacts = 3, bender_schmitt = 4 };
inline constexpr std::size_t scene_method_count = 5;

/// Returns the name of the enumerator with hyphens: "sequential-impacts"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(SceneMethod method);
/// The inverse of to_string(SceneMethod); throws Error on any other text.
CAROM_EXPORT SceneMethod scene_method_from_string(std::string_view text);

/// Position correction: moves overlapping bodies and drifting joints back. The correction is not left in the
/// velocities: `relax_iterations` remove it.
struct PositionCorrection {
  /// [m] Penetration that is not corrected: a tolerance, to which bodies at rest need not sink. >= 0. Default 0:
  /// relative_slop times the size of the smaller body. A contact may have its own: SceneContacts::slop.
  double slop = 0;
  /// [1] Slop as a fraction of the size of the smaller body, its radius of gyration, if slop is 0. > 0. The default is
  /// 5 mm for a cube of 1 m. docs/scenes.md, Slop
  double relative_slop = 0.01225;
  double rate = 0.2;         ///< [1] Fraction of the penetration beyond slop that a substep (Pgs: the step) corrects.
                             ///< In [0, 1].
  double max_speed = 3;      ///< [m/s] Maximum speed of the correction. >= 0.
  int relax_iterations = 1;  ///< Number of iterations without position correction. In [0, SceneLimits::max_iterations].
  // The default of a column is an Error if the column is given, unless it has the value below.
  double joint_frequency = std::numeric_limits<double>::infinity();  ///< [Hz] Default of JointRows::frequency. >= 0.
  double joint_damping_ratio = 2;                                    ///< [1] Default of JointRows::damping_ratio. >= 0.
  double contact_damping_ratio = 10;  ///< [1] Default of SceneContacts::damping_ratio. >= 0.

  /// Compares all members.
  friend bool operator==(const PositionCorrection&, const PositionCorrection&) = default;
};

/// Substeps, the default and the method for engines: resting bodies stay at rest, and heavy bodies stand on light ones.
///
/// Islands of hard contacts and joints are solved directly if their matrix is small enough (docs/scenes.md, Direct
/// islands): in one step, or with joints in 1, 2, 4, 8 or 16 substeps. All other islands are solved by block PGS in n
/// substeps. A substep applies its fraction of the forces, runs `iterations` with position correction, moves the
/// bodies, and runs `relax_iterations` without position correction. n follows the load of the island (docs/scenes.md,
/// Number of substeps).
///
/// Kinetic energy rises by no more than the work of forces, targets and moving bodies; the rest is removed
/// (IslandResults::energy_removed).
struct Substeps {
  /// Minimum number of substeps. In [1, max_substeps]. Default 1. With a larger number no island is solved directly.
  int min_substeps = 1;
  int max_substeps = 64;  ///< Maximum number of substeps; bounds the time of a step. In [1, SceneLimits::max_substeps].
  /// Minimum number of substeps of an island that is solved directly. In [1, 16], at most max_substeps, and 1 if
  /// min_substeps is above 1. Default 1. With 2 the distance that a sliding box covers has half the error. Joints that
  /// turn lose energy, less with more substeps: a swinging pendulum loses a few per cent in 200 steps with 1, 0.3 %
  /// with 4.
  int min_direct_substeps = 1;
  int iterations = 1;  ///< Number of iterations of a substep before the motion. In [1, SceneLimits::max_iterations].
  /// Number of passes over the points of a manifold, or the rows of a joint, in an iteration. In [1, 64]. Default 4;
  /// 6 hold the heaviest stacks.
  int inner_iterations = 4;
  /// Number of iterations at the end of a step for islands that rebound. In [1, SceneLimits::max_iterations].
  int restitution_iterations = 4;
  double warm_start = 1;        ///< [1] Fraction of the last step's contact impulses to start from. In [0, 1].
  double joint_warm_start = 1;  ///< [1] Same, of the impulses of rows. In [0, 1].
  /// [1] An island has converged if no contact and no row misses its target velocity by more than this fraction of the
  /// island's maximum initial approach speed, and if no change of an impulse in the last iteration changes the relative
  /// velocity of its bodies by more. In [0, 1]. Convergence is tested after every fourth iteration of the step, in all
  /// substeps together.
  double tolerance = 1e-6;
  PositionCorrection position_correction = {};  ///< of overlap and of joints

  /// Compares all members.
  friend bool operator==(const Substeps&, const Substeps&) = default;
};

/// Projected Gauss–Seidel with 3×3 blocks: a fixed number of iterations over all contacts and rows, each contact on its
/// friction cone, as in a classical engine. u·n ends at its target or above, and friction acts against the last slip.
struct Pgs {
  /// Maximum number of iterations over an island, without relax iterations. In [1, SceneLimits::max_iterations].
  int iterations = 10;
  int inner_iterations = 1;  ///< see Substeps::inner_iterations
  /// [1] Factor of every change of an impulse, before the projection onto the cone. In [0.01, 2). Must be 1
  /// with position_correction.
  double relaxation = 1;
  double warm_start = 1;  ///< see Substeps::warm_start
  /// [1] Same, of rows. In [0, 1]. Default: 1 with position_correction, else 0.5: where target_velocity of a row
  /// removes a position error, the last impulse contains the correction, and chains would swing up with 1. Rows with
  /// two finite limits (motors) take the fraction of contacts.
  std::optional<double> joint_warm_start = {};
  double tolerance = 1e-6;  ///< see Substeps::tolerance; PGS also tests after the first iteration
  /// Corrects SceneContacts::separation and JointRows::position_error, and moves the bodies
  /// (SceneResults::displacement, rotation). `PositionCorrection{}` turns it on with its defaults, `{}` leaves it off.
  /// Default: off, and `separation` is an Error; a correction in the caller's targets stays in the velocities.
  std::optional<PositionCorrection> position_correction = {};

  /// Compares all members.
  friend bool operator==(const Pgs&, const Pgs&) = default;
};

/// The law of Pgs solved to a tolerance, as SystemSolver does (nonlinear complementarity problem). For heavy loads on
/// light bodies, for jammed piles, and where a step must be accurate. docs/contact-systems.md.
struct Ncp {
  /// [1] Maximum error of the velocities of an island, relative to |q|, the separation velocities of its contacts
  /// without impulses (SystemOptions::tolerance for ErrorScale::island and error_mass 0). Rounding limits it to some
  /// 1e-15 in double. In [0, 1]. Default 0: 1e-8 in double, 1e-4 in float.
  double tolerance = 0;
  /// [iterations] Limit of time and memory, as SystemOptions::budget. In [1, SystemOptions::max_budget]. A
  /// factorisation that the rest of the budget does not cover is not begun. If the budget runs out, the best impulses
  /// found are returned.
  double budget = 2000;
  /// [1] Larger coefficients of friction count as this one. In (0, SystemOptions::friction_limit].
  double max_friction = 1000;
  double warm_start = 1;  ///< [1] Fraction of the last step's impulses to start from, contacts and rows. In [0, 1].
  /// Maximum number of contacts and rows of an island that is solved to the tolerance. In [0,
  /// SceneLimits::max_iterations]. 0: no limit. Larger islands are solved by `pgs_iterations` of PGS.
  int max_island_size = 0;
  /// True: all islands are first solved by PGS; islands that have not converged are then solved to the tolerance,
  /// starting from those impulses.
  bool pgs_presolve = false;
  /// Maximum number of these PGS iterations. In [1, SceneLimits::max_iterations].
  int pgs_iterations = 10;
  double pgs_tolerance = 1e-6;  ///< [1] Tolerance of these PGS iterations: see Pgs::tolerance.

  /// Compares all members.
  friend bool operator==(const Ncp&, const Ncp&) = default;
};

/// Sequential impacts: the contact with the maximum approach speed is resolved by its own collision law, as by
/// Solver::solve, until no contact approaches. Joints are plastic impacts without slip. [CR] 6.4, 6.5
struct SequentialImpacts {
  /// Maximum number of impacts per contact and joint of an island. In [1, SceneLimits::max_iterations].
  int max_impacts = 100;
  /// Tie-breaking between equally fast contacts: 0 picks the lowest index; any other value seeds a random choice.
  std::uint64_t seed = 0;
  /// [1] An island has converged if no contact approaches faster than this fraction of the maximum initial approach
  /// speed. In [0, 1].
  double tolerance = 1e-6;
  Law law = Law::incremental;                                  ///< law of contacts without LawColumns::law
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< see Options::restitution_law
  Integrator integrator = Integrator::series;                  ///< see Options::integrator
  int steps = 200;                                             ///< see Options::steps
  std::int32_t step_budget = 1'000'000;                        ///< see Options::step_budget

  /// Compares all members.
  friend bool operator==(const SequentialImpacts&, const SequentialImpacts&) = default;
};

/// The contacts that the collisions of BenderSchmitt resolve. Numbers keep their meaning in later versions.
enum class ContactFilter : std::uint8_t {
  colliding = 0,  ///< contacts that approach faster than contacts at rest, repeated until no contact does
  touching = 1,   ///< all contacts that do not separate at the start, once
};
inline constexpr std::size_t contact_filter_count = 2;
/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(ContactFilter filter);

/// The phases of BenderSchmitt. Numbers keep their meaning in later versions.
enum class BenderSchmittPhase : std::uint8_t {
  both = 0,        ///< [BS] figure 1: collisions, then contacts at rest. Impulses are the sums of both.
  collisions = 1,  ///< [BS] 3.1: first the normal impulse, then friction, until every contact has its target -e u·n
  resting = 2,     ///< [BS] 3.2: impulses after which no bodies overlap at the end of the step
};
inline constexpr std::size_t bender_schmitt_phase_count = 3;
/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(BenderSchmittPhase phase);

/// The collision and contact iteration of [BS]. Experimental: its options may change in any minor version until 1.0.
struct BenderSchmitt {
  BenderSchmittPhase phase = BenderSchmittPhase::both;  ///< phases to solve
  ContactFilter filter = ContactFilter::colliding;      ///< contacts of the phase `collisions`; `both` has colliding
  int max_iterations = 1000;  ///< Maximum number of iterations of a phase. In [1, SceneLimits::max_iterations].
  double tolerance = 1e-6;    ///< see Substeps::tolerance
  /// [m] Contacts that approach with at most sqrt(2 g ε) are at rest, with ε this value and g the magnitude of
  /// SceneOptions::gravity, or 9.81 m/s² without gravity. >= 0. [BS] 3
  double rest_tolerance = 1e-4;
  /// Number of additional iterations over each level after the others, from the immovable bodies upwards, with all
  /// lower levels held fast. Stacks then need fewer iterations. Impulses do not balance, so total momentum is not
  /// conserved. In [0, SceneLimits::max_iterations]. Default 0: off. Must be 0 for collisions with
  /// ContactFilter::colliding.
  int shock_propagation = 0;

  /// Compares all members.
  friend bool operator==(const BenderSchmitt&, const BenderSchmitt&) = default;
};

/// Upper limits of the options.
struct SceneLimits {
  static constexpr int max_iterations = 1 << 30;   ///< [1]
  static constexpr double max_time_step = 1e3;     ///< [s]
  static constexpr int max_substeps = 4096;        ///< [1]
  static constexpr int max_direct_substeps = 16;   ///< [1]
  static constexpr int max_inner_iterations = 64;  ///< [1]
  /// [1] Maximum number of bodies of a scene, and of its contacts and joint rows together: indices have 32 bits.
  static constexpr std::size_t max_bodies = 2147483647, max_contacts_and_rows = 2147483647;
};

/// Options of a scene: what all methods share, and the method with its own options.
///
///     SceneOptions options{.time_step = 1.0 / 60, .gravity = {0, 0, -9.81}, .method = Pgs{.iterations = 20}};
struct SceneOptions {
  using Method = std::variant<Substeps, Pgs, Ncp, SequentialImpacts, BenderSchmitt>;  ///< a method and its options

  /// [s] Duration of the step. In [0, SceneLimits::max_time_step]. Required, > 0, by Substeps, by Pgs with position
  /// correction, by BenderSchmitt with contacts at rest, and by gravity. Default 0.
  double time_step = 0;
  std::array<double, 3> gravity = {};  ///< [m/s²] Acceleration of every body with mass during the step. Finite.
  /// [m/s] Contacts that approach more slowly do not rebound. >= 0. 0 under SequentialImpacts. The approach speed is
  /// taken without the forces of the step.
  double restitution_threshold = 0;
  Method method = Substeps{};  ///< method and its options
  Tolerances data = {};        ///< tolerances of normals, inertia and restitution

  /// Returns the options of the method M. Selects M with its defaults if another method is selected.
  template <class M>
  M& use() {
    if (!std::holds_alternative<M>(method)) method.emplace<M>();
    return std::get<M>(method);
  }
  /// Returns the selected method.
  SceneMethod selected() const { return static_cast<SceneMethod>(method.index()); }

  /// Compares all members.
  friend bool operator==(const SceneOptions&, const SceneOptions&) = default;
};

/// Returns the defaults of a method. Throws Error for an unknown number.
CAROM_EXPORT SceneOptions::Method default_method(SceneMethod method);

}  // namespace carom
