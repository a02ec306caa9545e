// The interface between a scene's solver and its kernels, independent of the architecture. Kernels work on blocks of as
// many manifolds, or groups of joint rows, as a vector has lanes; every number is a vector. The contents of a block are
// private to the kernels. The solver knows its size and reads its head.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>

#include "block_matrix.hpp"
#include "body_record.hpp"
#include "settling.hpp"

namespace carom::kernel {

inline constexpr std::size_t points_of_manifold = 4, rows_of_group = 6;
inline constexpr std::size_t max_lanes = 16;

/// Contacts, or rows of joints, of one pair of bodies at consecutive positions: see JobInput::contact_at.
struct Constraint {
  std::int32_t body_a, body_b;
  std::uint32_t first;  // position
  std::uint32_t count;
};

/// Index of the contact or row at a position. Without a list the position is the index. Each file has its own copy, so
/// that the linker cannot pick a copy compiled for another ISA.
[[maybe_unused]] static std::uint32_t number_at(const std::uint32_t* list, std::uint32_t place) {
  return list != nullptr ? list[place] : place;
}

/// The velocities of a body during the sweeps.
template <class T>
struct alignas(8 * sizeof(T)) VelocityRow {
  T numbers[8];  // v, w, two unused
};

/// Common head of all blocks. The numbers after it begin on a cache line.
template <class T>
struct alignas(64) BlockHead {
  std::uint32_t manifold[max_lanes];  // index in the solver's list
  std::uint32_t lanes = 0;            // in use, from the first on
  std::uint32_t live = 0;             // bits of lanes that are not done
  std::uint32_t count = 0;            // points or rows of the longest
  std::uint32_t overflow = 0;         // bits of lanes with a result beyond the range of the precision
  std::uint32_t hit = 0;              // substeps: bits of lanes whose island was hit (above the impact threshold)
  bool is_joint = false;
  bool on_world = false;    // body B of all manifolds is the world
  std::uint8_t models = 0;  // model bits, see below; equal for all manifolds of the block
  T violation[max_lanes];   // max violation of the targets of the lane's points or rows when last visited
  // Written by SceneKernelsFor::work.
  T work[max_lanes];           // [J] energy that the lane's impulses of this substep may have added
  std::uint32_t loaded = 0;    // bits of lanes with a contact under an impulse
  std::uint32_t grounded = 0;  // bits of lanes with a joint, or such a contact, on a body that does not move
};

/// A block of manifolds with models has additional data at its end, and its own kernels.
inline constexpr std::uint8_t has_model = 1, models_with_moments = 2;

/// Options that kernels read, in their precision.
template <class T>
struct SceneParameters {
  T normal_tolerance, inertia_tolerance, max_restitution;
  T relaxation, warm_start;
  T time_step, inverse_time_step;
  T rest_speed;  // sqrt(2 g ε)
  T restitution_threshold;
  int inner_iterations;  // inner iterations over the points of a manifold per visit
  // Substeps. Equal for all lanes of a block.
  T substeps, substep, inverse_substep;  // their number, the duration of one and its inverse
  T slop, relative_slop;                 // 0: relative_slop times the size of the smaller body
  T correction_rate, max_correction_speed;
  T joint_frequency, joint_damping_ratio;
  T weight;  // [m/s] of a kilogram in a step
  T contact_damping_ratio;
};

/// Selects the contacts that take part in a method, and their targets.
enum class Target : std::uint8_t {
  all,        ///< simultaneous: all contacts
  touching,   ///< all contacts except separating ones
  colliding,  ///< contacts that approach faster than rest_speed
  resting,    ///< contacts that approach at rest_speed or less; the target is a gap to keep
  substeps,   ///< all contacts, with a gap that moves
};
/// True if a contact's three components are solved at once. Each file has its own copy, as with number_at.
[[maybe_unused]] static constexpr bool is_at_once(Target target) {
  return target == Target::all || target == Target::substeps;
}

/// Input of a call. Kernels that take no other part of a job write only to their other arguments.
template <class T>
struct JobInput {
  const Scene<T>* scene;
  SceneParameters<T> parameters;
  Target target;
  bool has_models;  // contacts have columns of models
  bool reads_gap;   // resting: contacts have a gap at the start of the time step
  std::size_t bodies, contacts, rows;
  T* body_rows;             // see body_record.hpp. Sequential impacts change the velocities in them
  VelocityRow<T>* changes;  // velocity changes of bodies, then of the world, by forces in the step; null: no forces
  const Constraint* manifolds;
  const Constraint* groups;
  const std::uint32_t *contact_at, *row_at;  // positions of manifolds and groups; null: see number_at
  Vector3Columns<const T> warm_impulse;      // no columns: all zero
  Vector3Columns<const T> warm_angular_impulse;
  // Substeps in float: rounding errors of the impulses of the previous call. Direct islands continue with impulses in
  // double.
  Vector3Columns<const T> warm_rest;
  Column<const T> row_warm_rest;
};

/// State during a call: the solution so far, snapshots of it, and settings of the current pass.
template <class T>
struct JobState {
  VelocityRow<T>* velocities;  // of the bodies, then of the world
  T* row_impulse;              // λ of rows, initial value and result
  bool rows_have_acted;        // an earlier pass has applied the rows' initial impulses
  // Impulses and targets in the contact frames. `begun`: initial values, or null. `carried`: output.
  const T* begun[4];
  T* carried[4];
  T* carried_moment[3];  // of a manifold, stored at its first contact; null: no moments
  T* impulse_sum[3];     // of earlier passes; null: first pass
  // A snapshot that sweeps may return to: impulses and velocities as in `carried`, `row_impulse` and `velocities`.
  T* kept[3];
  T* kept_moment[3];  // of contacts; their sum is the moment of the manifold
  T* kept_rows;
  VelocityRow<T>* kept_velocities;
  // Sweeps.
  bool reads_ahead;       // PGS: prefetch the next block during a sweep
  bool measures_changes;  // a change of impulse counts as a violation, measured by the velocity change that it causes
  // Shock propagation: bodies of a lower level than their manifold's count as immovable. Otherwise null.
  const std::int32_t* level_of_body;
  // Substeps: displacements of the bodies and of the world since the step began. A body without constraints moves by
  // `elapsed` [s] times its velocity.
  VelocityRow<T>* displacements;
  T elapsed;
  bool begins_substep;            // the impulses are still the result of the previous substep
  bool has_moved;                 // bodies have moved since the last sweep
  bool relaxes;                   // the substep ends with sweeps without position correction
  const VelocityRow<T>* began;    // velocities at the start of the substep
  const VelocityRow<T>* inertia;  // inverse inertia of the bodies as they have turned; null: as in body_rows
};

/// Results for the caller and for the next call.
template <class T>
struct JobExport {
  const SceneResults<T>* results;
  std::uint8_t* status;         // a Status, of contacts
  std::uint8_t* row_status;     // of rows
  T* row_work;                  // work of the rows' impulses, accumulated
  T* row_warm;                  // λ of rows for the next step; substeps
  Vector3Columns<T> next_rest;  // rounding errors for the next call, as `warm_rest`. No columns: not stored
  T* row_next_rest;
};

template <class T>
struct SceneJob : JobInput<T>, JobState<T>, JobExport<T> {};

/// True if contacts have a frequency. Each file has its own copy, as with number_at.
template <class T>
[[maybe_unused]] static bool has_soft_contacts(const JobInput<T>& job) {
  return job.target == Target::substeps && job.scene->contacts.frequency.data != nullptr;
}

/// Stopping criteria of islands of one manifold.
struct SingleManifoldLimits {
  int max_sweeps, between_looks;
  double relative_tolerance;
};
/// Their outcome.
template <class T>
struct SingleManifoldOutcome {
  T approach, residual;  // [m/s] before and after: max violation of a contact's target
  int sweeps;
  bool converged;  // the sweeps met the tolerance
  bool overflow;
};

/// Passes over blocks. They and SingleManifoldKernels have the contact step.
template <class T>
struct SweepKernels {
  using Sweep = void (*)(const SceneJob<T>& job, std::byte* const* blocks, std::size_t count,
                         VelocityRow<T>* dummy_body);

  /// Applies the impulses of the rows to the bodies.
  void (*warm_start)(const SceneJob<T>& job, std::byte* block, VelocityRow<T>* dummy_body);
  Sweep pgs, iteration, resting;
  Sweep correction_rate, relax;  // of a substep, before and after bodies move
  /// Sets the targets of contacts that rebound at the end of a step, and stores the violation.
  void (*rebound)(const SceneJob<T>& job, std::byte* block);
};

template <class T>
struct SingleManifoldKernels {
  /// Solves islands of one manifold each by PGS, from the columns to the results. A faulty contact gets its status.
  void (*solve)(const SceneJob<T>& job, const std::uint32_t* manifolds, std::size_t count,
                const SingleManifoldLimits& limits, SingleManifoldOutcome<T>* outcomes);
};

template <class T>
struct SceneKernelsFor {
  const SweepKernels<T>* sweeps;
  const SingleManifoldKernels<T>* single_manifold;

  std::size_t width;
  std::size_t head_bytes, point_bytes, group_head_bytes, row_bytes;
  std::size_t substep_head_bytes, substep_point_bytes, substep_row_bytes;  // additional sizes with Target::substeps
  std::size_t soft_point_bytes;                                            // and if contacts have a frequency
  // Additional sizes of blocks with models, with moments, and with Target::substeps.
  std::size_t model_head_bytes, moments_bytes, model_point_bytes, substep_model_bytes;

  /// Computes a fault (a Status), mobility, the velocity row and the kinetic energy of every body.
  void (*validate_bodies)(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                          std::uint8_t* movable, T* energy);
  /// Computes the faults of contacts, except of their bodies and indices. `link` is 1 if a contact equals the one
  /// before it in all properties that a manifold shares, else 0.
  void (*validate_contacts)(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                            std::uint8_t* link);
  void (*validate_rows)(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault);
  /// Computes kinetic energies from the velocity rows.
  void (*energies)(const SceneJob<T>& job, std::size_t first, std::size_t count, T* energy);

  // The following work on a block whose head the solver has filled.
  void (*prepare)(const SceneJob<T>& job, std::byte* block);
  /// Adds the impulses of lanes to the sums, resets them to zero, and sets new targets from the velocities.
  void (*retarget)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  /// Deactivates lanes that have ended.
  void (*retire)(std::byte* block, std::uint32_t lanes);
  /// Writes the state of lanes to JobState::kept, or restores it.
  void (*keep)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  void (*return_to_kept)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  /// Stores the impulses and targets of contacts in JobState::carried.
  void (*carry)(const SceneJob<T>& job, std::byte* block);
  /// Computes BlockHead::work, loaded and grounded: see energy.hpp.
  void (*work)(const SceneJob<T>& job, std::byte* block);
  /// Stores the impulses of the last substep as warm start of the next step.
  void (*store_warm)(const SceneJob<T>& job, std::byte* block);
  /// Stores impulses, separation velocities, statuses and paths. The head gets the violation and the lanes with numbers
  /// beyond the range of the precision, including squares of velocities and impulses.
  void (*finish)(const SceneJob<T>& job, std::byte* block);
  /// Tries the impulses that an island of plain contacts begins with. Returns true if they are its solution. Results
  /// are written by store_settled only.
  bool (*settle)(const SceneJob<T>& job, const Settling& of, SettledIsland& island);
  /// The same for up to settled_side_by_side islands of one manifold. Bit i of the result is set if islands[i] has
  /// settled.
  std::uint32_t (*settle_alone)(const SceneJob<T>& job, const Settling& of, SettledIsland* const* islands,
                                std::size_t count);
  /// The two halves of settle, for one share of an island: all shares begin before the first one ends.
  bool (*begin_to_settle)(const SceneJob<T>& job, const Settling& of, SettledIsland& island);
  bool (*end_settling)(const SceneJob<T>& job, const Settling& of, SettledIsland& island);
  /// Stores the results of an island or share that has settled, without its paths.
  void (*store_settled)(const SceneJob<T>& job, const Settling& of, const SettledIsland& island);
};

/// The kernels of one ISA.
struct SceneKernels {
  const SceneKernelsFor<float>* f32;
  const SceneKernelsFor<double>* f64;
  const BlockKernels* blocks;
};

}  // namespace carom::kernel
