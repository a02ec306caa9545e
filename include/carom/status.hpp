// Outcome of a collision: the status and path of each contact, and the report of a batch.
#pragma once

#include <array>
#include <carom/error.hpp>
#include <carom/export.hpp>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom {

/// Outcome of a contact. Every status except `ok` and `several_solutions` means a zero impulse; the bodies of a single
/// contact then keep their velocities. A contact with several faults has the status that comes first in fault_priority.
/// Numbers keep their meaning in later versions; new statuses take unused numbers.
enum class Status : std::uint8_t {
  ok = 0,                 ///< resolved
  separating = 1,         ///< u·n >= 0 before the collision; in scenes: no impulse acts at this contact
  several_solutions = 2,  ///< resolved; the law has several solutions, docs/laws.md says which one is returned

  body_index_out_of_range = 8,  ///< below -1, or not below the number of bodies
  same_body = 9,                ///< both indices name one body
  not_a_number = 12,            ///< NaN in a field that is read
  infinite = 13,                ///< infinity in a field other than friction
  normal_not_unit = 16,         ///< ||n| - 1| > Tolerances::normal_tolerance
  negative_inverse_mass = 17,
  inverse_inertia_not_positive_semidefinite = 18,  ///< an eigenvalue < -Tolerances::inertia_tolerance times the trace
  both_immovable = 19,                             ///< all inverse masses and inverse inertias are zero
  restitution_out_of_range = 24,                   ///< outside [0, Tolerances::max_restitution]
  negative_friction = 25,
  law_unavailable = 28,              ///< not a law, or a law that this dimension lacks
  law_parameter_missing = 29,        ///< a column that the law reads is missing
  law_parameter_out_of_range = 30,   ///< see LawColumns
  step_not_positive = 31,            ///< the contact's own Euler step is <= 0
  restitution_law_unavailable = 32,  ///< not a restitution law, or the integrator of Law::incremental lacks it
  overflow = 36,                     ///< the data are finite, but K, u0 or the impulse exceeds the range of the
                                     ///< precision; in scenes, K or any number of the island does
  /// K is singular to working precision. For bodies without an inverse mass: the minimum eigenvalue of K is at most 32
  /// epsilon times the sum of tr J |r|^2 of both bodies, with J the inverse inertia and r the offset r_a or r_b. For a
  /// K that the caller passes: det K[0:2,0:2] is at most 4 epsilon K_11 K_22, or 1 / (K^-1)_33 is at most 4 epsilon
  /// K_33.
  collision_matrix_not_positive_definite = 37,
  step_too_large = 40,  ///< the contact's own Euler step exceeds |u0| / trace K: one step could change u by more than
                        ///< |u|
  step_budget_reached = 41,  ///< Options::step_budget sliding steps did not end the collision
  no_solution = 42,          ///< the law has no solution, or no solution was found; see docs/laws.md

  // Scenes only.
  static_friction_below_friction = 48,
  impulse_bounds_reversed = 49,  ///< JointRows::min_impulse > max_impulse
  negative_compliance = 50,
  negative_frequency = 51,      ///< of JointRows or SceneContacts
  negative_damping_ratio = 52,  ///< of JointRows or SceneContacts
  negative_friction_2 = 53,
  friction_direction_along_normal = 54,  ///< or zero, while friction_2 differs from friction
  negative_rolling_friction = 55,
  negative_spinning_friction = 56,
  negative_normal_compliance = 57,
  negative_tangential_compliance = 58,
  stiffness_not_positive = 59,
  negative_damping = 60,
  negative_slop = 61,  ///< SceneContacts::slop
};
/// Length of arrays of counts by Status. Every Status, also of later versions, is below it.
inline constexpr std::size_t status_room = 64;

/// The faults by priority: a contact with several faults has the status of the first one.
inline constexpr Status fault_priority[] = {
    Status::body_index_out_of_range,
    Status::same_body,
    Status::not_a_number,
    Status::infinite,
    Status::normal_not_unit,
    Status::negative_inverse_mass,
    Status::inverse_inertia_not_positive_semidefinite,
    Status::both_immovable,
    Status::restitution_out_of_range,
    Status::negative_friction,
    Status::law_unavailable,
    Status::law_parameter_missing,
    Status::law_parameter_out_of_range,
    Status::step_not_positive,
    Status::restitution_law_unavailable,
    Status::overflow,
    Status::collision_matrix_not_positive_definite,
    Status::step_too_large,
    Status::step_budget_reached,
    Status::no_solution,
    Status::static_friction_below_friction,
    Status::impulse_bounds_reversed,
    Status::negative_compliance,
    Status::negative_frequency,
    Status::negative_damping_ratio,
    Status::negative_friction_2,
    Status::friction_direction_along_normal,
    Status::negative_rolling_friction,
    Status::negative_spinning_friction,
    Status::negative_normal_compliance,
    Status::negative_tangential_compliance,
    Status::stiffness_not_positive,
    Status::negative_damping,
    Status::negative_slop,
};

/// Returns all statuses: `ok`, `separating` and `several_solutions`, then fault_priority.
CAROM_EXPORT std::span<const Status> all_statuses();

/// Returns true for every status of a contact that was not resolved because of its data, its law or the step budget.
constexpr bool is_fault(Status status) {
  return status > Status::several_solutions;
}

/// Returns true for the statuses of contacts with an impulse.
constexpr bool is_resolved(Status status) {
  return status == Status::ok || status == Status::several_solutions;
}

/// Returns the name of the status, as above; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(Status status);

/// How the sliding phase ended. A number keeps its meaning in later versions.
enum class SlidingEnd : std::uint8_t {
  none = 0,            ///< a fault
  separating = 1,      ///< no collision
  slide_end = 2,       ///< slid until the end of the collision
  stick_in_c = 3,      ///< sliding stopped during compression
  stick_in_d = 4,      ///< sliding stopped during decompression
  stick_at_start = 5,  ///< there was no slip to begin with
  slip = 6,            ///< algebraic law: |p_t| reaches μ p_n within rounding
  stick = 7,           ///< algebraic law: it does not
};

/// The phase that followed when sliding had stopped.
enum class Sticking : std::uint8_t {
  none = 0,     ///< sliding did not stop
  stable = 1,   ///< friction held the contact
  diverge = 2,  ///< friction could not hold it: it left along the diverging ray
};

/// The path of a collision through its phases. The counts cover the sliding phase only; 3 means three or more.
struct Path {
  SlidingEnd sliding_end = SlidingEnd::none;  ///< where sliding ended
  Sticking sticking = Sticking::none;         ///< what followed
  std::uint8_t compressions = 0;              ///< in [0, 3]
  std::uint8_t decompressions = 0;            ///< in [0, 3]

  static constexpr std::size_t kinds = 4 + 16 + 3 * 2 * 16;  ///< number of known paths
  /// Length of arrays of counts by path. Every index, also of later versions, is below it.
  static constexpr std::size_t room = 128;

  /// Returns true if this path can occur: only ends of sliding that stick have a value of `sticking`, and paths without
  /// phases have counts of 0.
  constexpr bool is_known() const { return index() < kinds && *this == from_index(index()); }
  /// Returns the number of this path, below `kinds` if the path is known. Paths without phases come first (four), then
  /// paths that slide to the end, then paths that stick.
  [[gnu::always_inline]] constexpr std::size_t index() const {
    const auto number = static_cast<std::size_t>(sliding_end), counts = std::size_t{compressions} * 4 + decompressions;
    if (sliding_end <= SlidingEnd::separating) return number;
    if (sliding_end >= SlidingEnd::slip) return number - 4;
    if (sliding_end == SlidingEnd::slide_end) return 4 + counts;
    return 20 + ((number - 3) * 2 + (sticking == Sticking::diverge ? 1 : 0)) * 16 + counts;
  }
  /// The inverse of index().
  [[gnu::always_inline]] static constexpr Path from_index(std::size_t index) {
    if (index < 4) return {static_cast<SlidingEnd>(index < 2 ? index : index + 4)};
    const auto compressions = static_cast<std::uint8_t>((index - 4) / 4 % 4);
    const auto decompressions = static_cast<std::uint8_t>(index % 4);
    if (index < 20) return {SlidingEnd::slide_end, Sticking::none, compressions, decompressions};
    return {static_cast<SlidingEnd>(3 + (index - 20) / 32),
            (index - 20) / 16 % 2 == 0 ? Sticking::stable : Sticking::diverge, compressions, decompressions};
  }
  /// Compares all four members.
  friend constexpr bool operator==(const Path&, const Path&) = default;
};

/// Returns "slide_end+c1d1", "stick_in_c+stable+c1d0", "slip", "separating" or similar; an empty text for a fault;
/// "unknown" if a member is unknown.
CAROM_EXPORT std::string to_string(Path path);

/// The instruction sets that carom has kernels for.
enum class Isa : std::uint8_t {
  automatic = 0,  ///< the environment variable CAROM_ISA if it is set, else the best ISA of this CPU
  scalar = 1,     ///< no SIMD; not part of a build for x86-64 unless CAROM_ISAS names it
  sse2 = 2,
  avx2 = 3,  ///< with FMA3
  avx512 = 4,
  neon = 5,
};
inline constexpr std::size_t isa_count = 6;

/// "auto", "scalar", "sse2", "avx2", "avx512", "neon"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(Isa isa);

/// The inverse of to_string(Isa); throws Error on any other text.
CAROM_EXPORT Isa isa_from_string(std::string_view text);

/// Counts of contacts by their status, and the first contact of each status. S is Status, GradientStatus or
/// ContactState, whose numbers are below `room`. Reports have functions for it.
template <class S, std::size_t room>
class StatusCounts {
 public:
  /// Returns the number of contacts with this status; 0 for an unknown status.
  std::size_t count(S status) const {
    const auto number = static_cast<std::size_t>(status);
    return number < room ? counts_[number] : 0;
  }
  /// Returns the index of the first contact with this status, if there is one. The index does not depend on threads
  /// or the ISA.
  std::optional<std::size_t> first(S status) const {
    return count(status) > 0 ? std::optional(first_[static_cast<std::size_t>(status)]) : std::nullopt;
  }

  /// Counts `number` contacts with this status, the first of which has the index `first`. Ignores an unknown status.
  void add(S status, std::size_t first, std::size_t number = 1) {
    const auto i = static_cast<std::size_t>(status);
    if (i >= room || number == 0) return;
    if (counts_[i] == 0 || first < first_[i]) first_[i] = first;
    counts_[i] += number;
  }
  /// Adds the counts of another part of the contacts, whose index 0 is `offset`.
  void add(const StatusCounts& part, std::size_t offset = 0) {
    for (std::size_t i = 0; i < room; ++i)
      if (part.counts_[i] > 0) add(static_cast<S>(i), offset + part.first_[i], part.counts_[i]);
  }

  /// Compares the counts and the first contacts.
  friend bool operator==(const StatusCounts& a, const StatusCounts& b) {
    for (std::size_t i = 0; i < room; ++i)
      if (a.counts_[i] != b.counts_[i] || (a.counts_[i] > 0 && a.first_[i] != b.first_[i])) return false;
    return true;
  }

 private:
  friend struct CountsAccess;  // of kernels and other languages

  std::array<std::size_t, room> counts_{}, first_{};
};

/// Counts of contacts by Status.
using ContactCounts = StatusCounts<Status, status_room>;

/// Counts of contacts by their path.
class CAROM_EXPORT PathCounts {
 public:
  /// Returns the number of contacts with this path; 0 for an unknown path.
  std::size_t count(Path path) const { return path.is_known() ? counts_[path.index()] : 0; }
  /// Counts a contact. Ignores an unknown path.
  void add(Path path) {
    if (path.is_known()) ++counts_[path.index()];
  }
  /// Adds the counts of another part of the contacts.
  void add(const PathCounts& part) {
    for (std::size_t i = 0; i < Path::kinds; ++i) counts_[i] += part.counts_[i];
  }

  /// Compares all counts.
  friend bool operator==(const PathCounts&, const PathCounts&) = default;

 private:
  friend struct CountsAccess;

  std::array<std::size_t, Path::room> counts_{};
};

/// Summary of a batch.
struct CAROM_EXPORT Report {
  std::size_t contacts = 0;         ///< number of contacts in the batch
  ContactCounts by_status{};        ///< see count and first
  PathCounts by_path{};             ///< see count and paths
  Isa isa = Isa::scalar;            ///< ISA that the kernel was compiled for
  int threads = 1;                  ///< number of threads that took part
  std::uint64_t sliding_steps = 0;  ///< integration steps, summed over the contacts
  std::uint64_t lane_steps = 0;     ///< lanes times vector steps; sliding_steps over it is the use of the lanes
  double max_energy_gain = 0;  ///< [J] max. change of kinetic energy p·u0 + ½ p·K p; 0 if no contact gained energy
  std::size_t max_energy_gain_contact = 0;  ///< the first contact with that gain; meaningless if the gain is 0

  /// Appends the report of the next batch: its contact i becomes contact `contacts + i` of the whole. `threads` becomes
  /// the maximum of both, `isa` becomes the ISA of the next batch. If both have the same energy gain, the earlier
  /// contact stays.
  Report& operator+=(const Report& next);

  /// Returns true if no contact is at fault.
  bool ok() const { return faults() == 0; }
  /// Returns the number of contacts with a fault.
  std::size_t faults() const;
  /// Returns the number of contacts with this status; 0 for an unknown status.
  std::size_t count(Status status) const { return by_status.count(status); }
  /// Returns the index of the first contact with this status, if there is one.
  std::optional<std::size_t> first(Status status) const { return by_status.first(status); }
  /// Returns the number of contacts with this path; 0 for an unknown path.
  std::size_t count(Path path) const { return by_path.count(path); }
  /// Returns the paths that occurred and their counts, the most frequent first. Throws Error if memory runs out.
  std::vector<std::pair<Path, std::size_t>> paths() const;
};

/// Returns the number of contacts with a fault.
CAROM_EXPORT std::size_t count_faults(const ContactCounts& counts);

/// Writes "2 contacts: 1 ok, 1 normal_not_unit (first: contact 1)".
CAROM_EXPORT std::ostream& operator<<(std::ostream& stream, const Report& report);

}  // namespace carom
