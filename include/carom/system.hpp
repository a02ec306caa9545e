// Contact systems: the equations for the impulses of all contacts in a step of rigid bodies, solved to a tolerance
// instead of by a fixed number of iterations. The caller passes the Delassus matrix W, the velocities q of the contacts
// without impulses, and the coefficients of friction. The solver returns impulses r and velocities u = W r + q with
//
//   |r_t| <= friction r_n,   u + friction |u_t| n in the dual cone,   r · (u + friction |u_t| n) = 0,
//
// These are Signorini's condition at the velocity level and Coulomb's law (V. Acary, M. Brémond, O. Huber, On solving
// contact problems with Coulomb friction: formulations and numerical comparisons, 2018). docs/contact-systems.md has
// the formulation, the properties of its solutions, the methods and their limits.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/error.hpp>
#include <carom/export.hpp>
#include <carom/planar.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace carom {

/// A 3 × 3 block of W, row by row. An array of numbers, nine per block, can be read as an array of blocks.
template <class T>
using SystemBlock = std::array<T, 9>;

/// A contact system. Vectors and blocks are in the frames of the contacts. The third axis of a frame is the normal, as
/// everywhere in carom; in FCLIB the normal is first. W is stored as compressed block rows: contact i has the blocks
/// from row_start[i] up to row_start[i + 1], and block k is in the columns of contact column[k]. Restitution is the
/// caller's task, in q: Newton's law adds e u0_n to q_n. All columns up to `block` are required.
///
/// Contacts may have the contact models of scenes (docs/contact-systems.md, Contact models): elliptic friction,
/// compliance, and resistance to rolling and spinning. With compliance the law holds for u + compliance r; the results
/// are still r and u. A contact that resists rolling or spinning has a moment m [N m s] about its two tangents and its
/// normal; the velocity of the moment is o = ω_A − ω_B. In W, rows and columns of the moments follow the rows and
/// columns of the contacts, in the order of `moment`. Blocks are then in 1/kg, 1/(kg m) and 1/(kg m²).
template <class T>
struct ContactSystem {
  Column<const T> friction{};          ///< [1] >= 0 for each contact; infinity is allowed (SystemOptions::max_friction)
  Vector3Columns<const T> velocity{};  ///< [m/s] q, for each contact: u without impulses; finite
  Column<const std::int64_t> row_start{};  ///< rows + 1 elements: non-decreasing, from 0 to the number of blocks
  Column<const std::int32_t> column{};     ///< in [0, rows) for each block, ascending within a row
  Column<const SystemBlock<T>> block{};    ///< [1/kg] for each block; finite
  Vector3Columns<const T> warm_impulse{};  ///< [N s] optional, for each contact: initial r; finite
  /// [1] >= 0, optional, for each contact: coefficient of friction across friction_direction; `friction` is the
  /// coefficient along it.
  Column<const T> friction_2{};
  /// [1] optional, with friction_2: components along the first and the second tangent. Any length, but not 0 where the
  /// coefficients differ. Default (1, 0).
  planar::Vector2Columns<const T> friction_direction{};
  /// [1/kg] >= 0, optional, for each contact: compliance, the part of u_n, or of u_t, that the contact yields per unit
  /// impulse; finite
  Column<const T> normal_compliance{}, tangential_compliance{};
  Column<const std::int32_t> moment{};             ///< optional: the contact of each moment, ascending
  Column<const T> rolling_friction{};              ///< [m] >= 0, optional, for each moment: max. |m_t| / r_n; finite
  Column<const T> spinning_friction{};             ///< [m] >= 0, optional, for each moment: max. |m_n| / r_n; finite
  Vector3Columns<const T> angular_velocity{};      ///< [rad/s] with `moment`: q of its rows, o without impulses; finite
  Vector3Columns<const T> warm_angular_impulse{};  ///< [N m s] optional, for each moment: initial m; finite
};

/// State of a contact. Numbers keep their meaning in later versions.
enum class ContactState : std::uint8_t {
  open = 0,   ///< no impulse: all numbers of the returned impulse are 0
  stick = 1,  ///< an impulse within the cone
  slip = 2,   ///< an impulse on the cone, against the slip
};
inline constexpr std::size_t contact_state_count = 3;
/// "open", "stick", "slip"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(ContactState state);

/// Results of a contact system. Each column is optional and as long as the contacts. Columns must not overlap with
/// columns of the system, except `impulse` with `warm_impulse`, and `angular_impulse` with `warm_angular_impulse`.
template <class T>
struct SystemResults {
  Vector3Columns<T> impulse{};    ///< [N s] r, in the cone up to rounding
  Vector3Columns<T> velocity{};   ///< [m/s] u = W r + q
  Column<ContactState> state{};   ///< open, stick or slip
  Column<std::int32_t> island{};  ///< index into SystemSolver::islands()
  // As long as the moments.
  Vector3Columns<T> angular_impulse{};   ///< [N m s] m, within its limits up to rounding
  Vector3Columns<T> angular_velocity{};  ///< [rad/s] o
};

/// Reference velocity of the error. Numbers keep their meaning in later versions.
enum class ErrorScale : std::uint8_t {
  system = 0,  ///< |q| of the whole system, as is usual: slow islands may be solved less accurately
  island = 1,  ///< |q| of the island: its bits do not depend on other islands
};

inline constexpr std::size_t error_scale_count = 2;
/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(ErrorScale scale);

/// Tolerance of the solution and limits of the work.
struct SystemOptions {
  /// Upper limits of the options.
  static constexpr double max_tolerance = 1, max_budget = 1e12, friction_limit = 1e6, max_mass = 1e30;
  static constexpr std::size_t max_contacts = std::size_t{1} << 30;  ///< Maximum number of contacts.
  static constexpr std::size_t max_blocks = std::size_t{1} << 30;    ///< Maximum number of blocks of W.
  /// Maximum number of blocks of W with moments. The solver needs four times as many then.
  static constexpr std::size_t max_blocks_with_moments = std::size_t{1} << 28;

  /// [1] in [0, max_tolerance]: max. error |r − P(r − ρ (u + friction |u_t| n))| / (ρ |q|), with P the projection onto
  /// the cones, norms over all contacts and ρ = error_mass. 0: 1e-8 in double, 1e-4 in float. With contact models the
  /// error is measured in scaled variables in which the cones are circular.
  double tolerance = 0;
  /// [kg] ρ of the error, in [0, max_mass]. 1 is the usual value: the error measures velocities where impulses are
  /// much larger than velocities, and impulses where they are much smaller. Light bodies (W of 1e4 and more) may then
  /// be solved badly. 0: each island takes the smallest power of two that is at least 3 / (mean trace of W_ii), which
  /// makes the error independent of units.
  double error_mass = 1;
  ErrorScale scale = ErrorScale::system;  ///< reference of the error
  /// [iterations] in [1, max_budget]: limit of the work on an island, in units of a Gauss–Seidel iteration over it; it
  /// may be exceeded slightly. Most islands need 10 to 300. Fallbacks for the hardest islands take some thousands, and
  /// so do factorisations of an island of thousands of contacts.
  double budget = 100'000;
  /// [1] in (0, friction_limit]: larger coefficients of friction, infinity included, count as this one. A contact
  /// that sticks or is open has the same solution with any larger coefficient.
  double max_friction = 1000;
  /// [1] in [0, 2]: max. asymmetry of W, |W_ij − W_jiᵀ| relative to √(tr W_ii tr W_jj) / 3. Gyroscopic terms make W
  /// slightly asymmetric. A matrix of which only one triangle is stored exceeds it; a symmetric matrix whose blocks are
  /// stored by columns does not.
  double asymmetry = 0.1;
  /// [1] Maximum distance of q from the range of W at which an island may be solved with P q in the place of q, with P
  /// the orthogonal projection onto the range of W: |q − P q| relative to |q|, as `scale` says. In [0, 1]. 0: never.
  /// If the distance of q from the range exceeds the tolerance, the island may have no solution. The solver tries P q
  /// after Gauss–Seidel, interior point and Newton's method have failed, and only if P q changes the normal velocities
  /// by at most the tolerance; it does not apply to squeezed bodies. SystemIsland::range_distance reports the distance.
  double range_tolerance = 1e-4;
};

/// An island: contacts that W connects. Each island is solved by itself.
struct SystemIsland {
  std::size_t contacts = 0;         ///< at least one
  bool solved = true;               ///< whether the tolerance was reached; if not, the best impulses found are returned
  double error = 0;                 ///< error of this island, relative as SystemOptions::scale says
  std::int32_t pgs_iterations = 0;  ///< Gauss–Seidel iterations
  std::int32_t interior_point_iterations = 0;  ///< iterations of the interior point
  std::int32_t newton_iterations = 0;          ///< iterations of semismooth Newton
  /// [1] |q − P q|, relative as `error` is (SystemOptions::range_tolerance). 0 if the island is solved with q. If the
  /// island is solved and this is not 0, it is solved with P q: `error` is the error of W r + P q. If the island is
  /// not solved, 0 also means that the distance is not known.
  double range_distance = 0;
};

/// Report of a call.
struct SystemReport {
  std::size_t contacts = 0;                                    ///< number of contacts of the system
  StatusCounts<ContactState, contact_state_count> by_state{};  ///< of contacts; see count and first
  std::size_t islands = 0;                                     ///< number of islands
  std::size_t max_island_size = 0;                             ///< [contacts] size of the largest island
  std::size_t unsolved = 0;  ///< number of islands that are not solved to the tolerance
  double error = 0;          ///< error of the whole system, relative to |q|; before impulses are rounded to float
  std::int64_t pgs_iterations = 0;             ///< sum over the islands
  std::int64_t interior_point_iterations = 0;  ///< sum over the islands
  std::int64_t newton_iterations = 0;          ///< sum over the islands
  double seconds = 0;                          ///< [s] time of the call
  int threads = 1;                             ///< number of threads that took part
  double range_distance = 0;                   ///< |q − P q| of all islands together, relative to |q|

  /// Returns true if every island is solved to the tolerance.
  bool ok() const { return unsolved == 0; }
  /// Returns the number of contacts in this state; 0 for an unknown state.
  std::size_t count(ContactState state) const { return by_state.count(state); }
  /// Returns the index of the first contact in this state, if there is one.
  std::optional<std::size_t> first(ContactState state) const { return by_state.first(state); }
};

/// Writes "8 contacts: 3 open, 5 stick; 1 island, error 3e-10, 12 iterations".
CAROM_EXPORT std::ostream& operator<<(std::ostream& stream, const SystemReport& report);

/// Solves contact systems. Islands are solved in parallel. Threading is as in Solver. The
/// bits of a result do not depend on the threads. The solver computes in double, so a system in float loses only the
/// rounding of its data and results.
///
/// Every contact gets an impulse in its cone, for any system: the best impulses found. Their error is never larger than
/// the error of the warm impulses, projected onto the cones, or of zero impulses if there are no warm impulses.
///
/// Results are finite. If T cannot hold an impulse of an island (float: beyond 3e38), all impulses of the island are
/// shortened by one factor. If T cannot hold a velocity, the largest finite number is returned. The island then
/// counts as unsolved. After an Error nothing has been written, unless Execution::scheduler has failed (see Scheduler).
///
/// A solver owns its workspace: keep it from call to call. One solver serves one call at a time, as Solver does.
class CAROM_EXPORT SystemSolver {
 public:
  /// Throws Error if a number is out of its range, if the ISA is not one of available_isas(), or if memory runs out.
  /// The ISA has no effect yet.
  explicit SystemSolver(const Execution& execution = {});
  ~SystemSolver();
  SystemSolver(SystemSolver&&) noexcept;             ///< leaves an object whose members throw Error
  SystemSolver& operator=(SystemSolver&&) noexcept;  ///< as the move constructor

  /// T is float or double. Throws Error before any work, naming the column and the row, if a column is missing or has
  /// another length, if a number is out of its range, if a contact has no diagonal block or one without
  /// W_nn > 0 and W_tt >= 0, or if W is further from symmetric than SystemOptions::asymmetry. Throws Error
  /// (ErrorKind::out_of_memory) if memory runs out.
  template <class T>
  SystemReport solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                     const SystemOptions& options = {});
  /// Same without exceptions: returns the report, or the error. See Solver::try_solve.
  template <class T>
  Expected<SystemReport> try_solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                                   const SystemOptions& options = {}) noexcept;

  /// Returns the islands of the last call in the order of their first contacts. Valid until the next call.
  std::span<const SystemIsland> islands() const;

  /// Returns the argument of the constructor.
  const Execution& execution() const;
  /// Returns the number of bytes that the solver holds, as Solver::memory.
  std::size_t memory() const noexcept;

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace carom
