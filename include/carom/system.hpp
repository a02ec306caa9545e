// Contact systems: the equations of a step of rigid bodies for the impulses of all its contacts, solved to a stated
// error and not to a number of sweeps. A host hands over the Delassus matrix W, the velocities q that the contacts
// would have without impulses and the coefficients of friction, and gets impulses r and velocities u = W r + q with
//
//   |r_t| <= friction r_n,   u + friction |u_t| n in the dual cone,   r · (u + friction |u_t| n) = 0,
//
// which is Signorini's condition at the level of velocities and Coulomb's law (V. Acary, M. Brémond, O. Huber, On
// solving contact problems with Coulomb friction: formulations and numerical comparisons, 2018).
// docs/contact-systems.md has the formulation, what is known of its solutions, the methods and their limits.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/planar.hpp>
#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace carom {

/// A 3 × 3 block of W, row after row. Numbers that lie nine by nine in an array can be seen as such blocks.
template <class T>
using SystemBlock = std::array<T, 9>;

/// A contact system. Vectors and blocks are in the frames of the contacts, whose third axis is the normal, as
/// everywhere in carom; FCLIB has it first. Rows of W are compressed: the blocks of contact i are those from
/// row_start[i] up to row_start[i + 1], and block k stands in the columns of contact column[k]. Restitution is the
/// caller's, in q: Newton's adds e u0_n to q_n. All columns up to `block` are needed.
///
/// Contacts may have models, as those of scenes (docs/contact-systems.md, Contact models): friction within an ellipse,
/// compliance, by which the law is that of u + compliance r, and resistance to rolling and spinning. Results are r and
/// u all the same. A contact that resists rolling or spinning has a moment m [N m s] about its two tangents and its
/// normal, whose velocity is o = ω_A − ω_B. Behind the rows of the contacts W has those of the moments, in the order of
/// `moment`, and so have its columns: blocks are in 1/kg, 1/(kg m) and 1/(kg m²).
template <class T>
struct ContactSystem {
  Column<const T> friction;          ///< [1] >= 0 for each contact; infinity is allowed (SystemOptions::most_friction)
  Vector3Columns<const T> velocity;  ///< [m/s] q, for each contact: u without impulses; finite
  Column<const std::int64_t> row_start;    ///< one more than rows: from 0 to the number of blocks, not falling
  Column<const std::int32_t> column;       ///< in [0, rows) for each block, ascending within a row
  Column<const SystemBlock<T>> block;      ///< [1/kg] for each block; finite
  Vector3Columns<const T> warm_impulse{};  ///< [N s] optional, for each contact: r to begin with; finite
  /// [1] >= 0, optional, for each contact: the coefficient across friction_direction, where `friction` is that along
  /// it.
  Column<const T> friction_2{};
  /// [1] optional, with friction_2: any length but 0 where the coefficients differ, along the first tangent and the
  /// second; (1, 0)
  planar::Vector2Columns<const T> friction_direction{};
  /// [1/kg] >= 0, optional, for each contact: what u_n, and u_t, give way for an impulse of 1 N s; finite
  Column<const T> normal_compliance{}, tangential_compliance{};
  Column<const std::int32_t> moment{};  ///< optional: the contact of each moment, ascending
  Column<const T> rolling_friction{};   ///< [m] >= 0, optional, for each moment: |m_t| is up to this times r_n; finite
  Column<const T> spinning_friction{};  ///< [m] >= 0, optional, for each moment: likewise |m_n|; finite
  Vector3Columns<const T> angular_velocity{};      ///< [rad/s] with `moment`: q of its rows, o without impulses; finite
  Vector3Columns<const T> warm_angular_impulse{};  ///< [N m s] optional, for each moment: m to begin with; finite
};

/// States of a contact. A number keeps its meaning in later versions.
enum class ContactState : std::uint8_t {
  open = 0,   ///< no impulse: all numbers of the returned impulse are 0
  stick = 1,  ///< an impulse within the cone
  slip = 2,   ///< an impulse on the cone, against the slip
};
/// "open", "stick", "slip"; "unknown" of any other number.
CAROM_EXPORT std::string_view to_string(ContactState state);

/// Columns that take the results. Each is optional, and as long as the contacts if given. Columns must not overlap with
/// columns of the system, except `impulse` with `warm_impulse`, and `angular_impulse` with `warm_angular_impulse`.
template <class T>
struct SystemResults {
  Vector3Columns<T> impulse{};    ///< [N s] r, in the cone to rounding
  Vector3Columns<T> velocity{};   ///< [m/s] u = W r + q
  Column<ContactState> state{};   ///< open, stick or slip
  Column<std::int32_t> island{};  ///< index into SystemSolver::islands()
  // As long as the moments.
  Vector3Columns<T> angular_impulse{};   ///< [N m s] m, within its bounds to rounding
  Vector3Columns<T> angular_velocity{};  ///< [rad/s] o
};

/// The velocities that the error is relative to. A number keeps its meaning in later versions.
enum class ErrorScale : std::uint8_t {
  system = 0,  ///< |q| of the whole system, as the field compares: an island that moves little may be solved less
  island = 1,  ///< |q| of each island: its bits do not depend on other islands
};

/// The error that is asked for, and the work that it may take.
struct SystemOptions {
  /// The largest values of options that have one.
  static constexpr double most_tolerance = 1, largest_budget = 1e12, largest_friction = 1e6, largest_mass = 1e30;
  /// Maximum number of contacts and of blocks of W. With moments the blocks are four times as many within.
  static constexpr std::size_t most_contacts = std::size_t{1} << 30, most_blocks = std::size_t{1} << 30,
                               most_blocks_with_moments = std::size_t{1} << 28;

  /// [1] in [0, most_tolerance]: the error |r − P(r − ρ (u + friction |u_t| n))| / (ρ |q|) that is asked for, with P
  /// the projection onto the cones, norms over all contacts and ρ = error_mass. 0: 1e-8 in double, 1e-4 in float. With
  /// contact models it is measured in the numbers in which their cones are round.
  double tolerance = 0;
  /// [kg] ρ of the error, in [0, largest_mass]. 1 is the field's: velocities count where impulses are much larger than
  /// they, impulses where they are much smaller, so that light bodies (W of 1e4 and more) may be solved badly. 0 takes
  /// for each island the smallest power of two that is at least 3 over the mean trace of W_ii, so that units do not
  /// matter.
  double error_mass = 1;
  ErrorScale scale = ErrorScale::system;  ///< what the error is relative to
  /// [sweeps] in [1, largest_budget]: no island takes much more work than so many Gauss–Seidel sweeps over it would.
  /// Most islands need 10 to 300; the fallbacks for the hardest take some thousands, and factorisations of an island of
  /// thousands of contacts as much.
  double budget = 100'000;
  /// [1] in (0, largest_friction]: coefficients above it, infinity among them, count as this. A contact that sticks or
  /// is open has the same solution with any larger one.
  double most_friction = 1000;
  /// [1] in [0, 2]: how far W may be from symmetric, |W_ij − W_jiᵀ| relative to √(tr W_ii tr W_jj) / 3. Gyroscopic
  /// terms make W not quite symmetric; a matrix whose rows are columns is found out.
  double asymmetry = 0.1;
  /// [1] Maximum distance of q from the range of W at which an island may be solved with P q in the place of q, with P
  /// the orthogonal projection onto the range of W: |q − P q| relative to |q|, as `scale` says. In [0, 1]. 0: never.
  /// Where q lies outside of the range by more than the tolerance, the island may have no solution. P q is tried after
  /// sweeps, interior point and Newton steps have missed, and only if it changes the normal velocities by no more than
  /// the tolerance: bodies that are squeezed are not solved by it. SystemIsland::range_distance reports the distance.
  double range_tolerance = 1e-4;
};

/// Contacts that W connects, which are solved by themselves.
struct SystemIsland {
  std::size_t contacts = 0;         ///< at least one
  bool solved = true;               ///< whether the error asked for was reached; else the best impulses found stand
  double error = 0;                 ///< of this island, relative as SystemOptions::scale says
  std::int32_t sweeps = 0;          ///< Gauss–Seidel sweeps
  std::int32_t interior_steps = 0;  ///< steps of the interior point
  std::int32_t newton_steps = 0;    ///< semismooth Newton steps
  /// [1] |q − P q|, relative as `error` is (SystemOptions::range_tolerance). 0 if the island is solved with q. If the
  /// island is solved and this is not 0, it is solved with P q: `error` is the error of W r + P q. If the island is
  /// missed, 0 also means that the distance is not known.
  double range_distance = 0;
};

/// The course of a call.
struct SystemReport {
  std::size_t contacts = 0;         ///< of the system
  std::size_t islands = 0;          ///< that W connects
  std::size_t largest_island = 0;   ///< [contacts]
  std::size_t missed = 0;           ///< islands that are not solved to the tolerance
  double error = 0;                 ///< of the whole system, relative to |q|; before impulses are rounded to float
  std::int64_t sweeps = 0;          ///< sum over the islands
  std::int64_t interior_steps = 0;  ///< sum over the islands
  std::int64_t newton_steps = 0;    ///< sum over the islands
  double seconds = 0;               ///< [s] that the call took
  int threads = 1;                  ///< that took part
  double range_distance = 0;        ///< |q − P q| of the islands together, relative to |q|

  /// Returns true if every island is solved.
  bool solved() const { return missed == 0; }
};

/// Solves contact systems, islands side by side on the threads of the oneTBB arena that a call is made in (see Solver).
/// The bits of a result do not depend on the threads. Numbers are double within, so that a system in float loses
/// nothing but the rounding of its data and results. An impulse is returned for every contact, whatever the system: the
/// best that was found, in its cone, and never one with a larger error than the warm impulses, projected onto the
/// cones, or without warm impulses than no impulses.
///
/// Results are finite. If T cannot hold an impulse of an island (float: beyond 3e38), all impulses of the island are
/// shortened by one factor. If T cannot hold a velocity, the largest finite number is returned. The island then
/// counts as missed. After an Error or std::bad_alloc nothing has been written.
///
/// A solver owns its workspace: keep it from call to call. One solver serves one call at a time, as Solver does.
class CAROM_EXPORT SystemSolver {
 public:
  /// Throws Error if a number is out of its range, or if the ISA is not one of available_isas(). No ISA makes a
  /// difference yet.
  explicit SystemSolver(const Execution& execution = {});
  ~SystemSolver();
  SystemSolver(SystemSolver&&) noexcept;             ///< leaves an object whose members throw Error
  SystemSolver& operator=(SystemSolver&&) noexcept;  ///< likewise

  /// T is float or double. Throws Error before any work, naming the column and the row, if a column is missing or has
  /// another length, if a number is out of its range, if a contact has no block of its own or one without
  /// W_nn > 0 and W_tt >= 0, or if W is further from symmetric than SystemOptions::asymmetry.
  template <class T>
  SystemReport solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                     const SystemOptions& options = {});

  /// The islands of the last call in the order of their first contacts, until the next one.
  std::span<const SystemIsland> islands() const;

  /// That of the constructor.
  const Execution& execution() const;

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
