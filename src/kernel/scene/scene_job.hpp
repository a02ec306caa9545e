// This is all that passes between a scene's solver and its kernels, free of any architecture. Kernels take blocks: as
// many manifolds as a vector has lanes, or as many groups of joint rows, each number a vector. What a block consists of
// is the kernels' own; the solver knows its size and reads its head.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>

#include "kernel/body_record.hpp"

namespace carom::kernel {

inline constexpr std::size_t points_of_manifold = 4, rows_of_group = 6;
inline constexpr std::size_t most_lanes = 16;

/// Contacts of one pair of bodies, or rows of joints of one pair, at neighbouring places: see SceneJob::contact_at.
struct Constraint {
  std::int32_t body_a, body_b;
  std::uint32_t first;  // place
  std::uint32_t count;
};

/// The contact or row at a place; places are the numbers themselves where there is no list. Each file has its own, so
/// that no linker takes one that was compiled for another ISA.
[[maybe_unused]] static std::uint32_t number_at(const std::uint32_t* list, std::uint32_t place) {
  return list != nullptr ? list[place] : place;
}

/// The velocities of a body as they are swept.
template <class T>
struct alignas(8 * sizeof(T)) VelocityRow {
  T numbers[8];  // v, w, two to spare
};

/// The first numbers of every block. Those that follow begin with a line of the cache.
template <class T>
struct alignas(64) BlockHead {
  std::uint32_t manifold[most_lanes];  // of the solver's list
  std::uint32_t lanes = 0;             // in use, from the first on
  std::uint32_t live = 0;              // bits of lanes that are not done
  std::uint32_t count = 0;             // points or rows of the longest
  std::uint32_t overflow = 0;          // bits of lanes with a result beyond the range
  std::uint32_t struck = 0;            // substeps: bits of lanes whose island a blow has struck
  bool is_joint = false;
  bool on_world = false;    // B of all its manifolds is the world
  std::uint8_t models = 0;  // of its manifolds, which have the same: bits as below
  T violation[most_lanes];  // the greatest by which a point missed its target when it was visited, or its row
};

/// A block of manifolds with models has more behind it, and kernels of its own.
inline constexpr std::uint8_t has_model = 1, models_with_moments = 2;

/// Numbers of the options that kernels read, in their precision.
template <class T>
struct SceneParameters {
  T normal_tolerance, inertia_tolerance, largest_restitution;
  T relaxation, warm_start;
  T time_step, inverse_time_step;
  T gravity[3];
  T rest_speed;  // sqrt(2 g ε)
  T restitution_threshold;
  int rounds;  // over the points of a manifold in a visit
  // Substeps read these, which are the same for all lanes of a block.
  T substeps, substep, inverse_substep;  // their number, the time of one
  T slop, push_out_rate, largest_push_out_speed;
  T joint_frequency, joint_damping_ratio;
  T weight;  // [m/s] of a kilogram in a step
  T contact_damping_ratio;
};

/// The contacts that take part in a method, and their targets.
enum class Target : std::uint8_t {
  all,        ///< simultaneous: every contact has one
  touching,   ///< contacts that separate have none
  colliding,  ///< nor have those that approach at rest_speed or less
  resting,    ///< those that approach faster have none, the others a gap to keep
  substeps,   ///< as all, and a gap that moves
};
/// Tells whether a contact's three components are solved at once. Each file has its own copy, as with number_at.
[[maybe_unused]] static constexpr bool is_at_once(Target target) {
  return target == Target::all || target == Target::substeps;
}

template <class T>
struct SceneJob {
  const Scene<T>* scene;
  const SceneResults<T>* results;
  SceneParameters<T> parameters;
  Target target;
  bool reads_ahead;       // simultaneous: the next block is fetched while one is swept
  bool has_models;        // contacts have columns of models
  bool measures_changes;  // a change of impulse counts as a miss too: the change of velocity that it makes
  // Substeps: motion since the step began, of bodies and of the world; that of bodies which nothing moves is `elapsed`
  // [s] times their velocity.
  VelocityRow<T>* displacements;
  T elapsed;
  bool begins_substep;  // the impulses so far are those of the substep before
  std::size_t bodies, contacts, rows;
  T* body_rows;                // see body_record.hpp
  VelocityRow<T>* velocities;  // of the bodies, and of the world behind them
  VelocityRow<T>* changes;     // of velocities by forces in the step, likewise; null: none
  const Constraint* manifolds;
  const Constraint* groups;
  const std::uint32_t *contact_at, *row_at;  // places of manifolds and groups; null: see number_at
  // Shock propagation: bodies of a lower level than their manifold's count as immovable. Null without.
  const std::int32_t* level_of_body;
  Vector3Columns<const T> warm_impulse;  // no columns: none
  Vector3Columns<const T> warm_angular_impulse;
  // Impulses in the frames of their contacts, and targets: to go on with, null for none, and to store.
  const T* begun[4];
  T* carried[4];
  T* carried_moment[3];  // of a manifold, at its first contact; null: there are no moments
  T* impulse_sum[3];     // of earlier passes; null: none
  T* row_impulse;        // λ of rows, to go on with and to store into
  T* row_work;           // of the rows' impulses, to be added to
  T* row_warm;           // λ of rows for the next step; substeps
  bool rows_have_acted;  // with the impulses that they begin with, in an earlier pass
  // A state that sweeps may come back to: impulses and velocities as in `carried`, `row_impulse` and `velocities`. What
  // `tell` stores of contacts is in the same places.
  T* kept[3];
  T* kept_moment[3];  // of contacts, whose sum is that of the manifold
  T* kept_rows;
  VelocityRow<T>* kept_velocities;
  std::uint8_t* status;      // a Status, of contacts
  std::uint8_t* row_status;  // of rows
};

/// Tells whether contacts are held with a frequency. Each file has its own copy, as with number_at.
template <class T>
[[maybe_unused]] static bool has_soft_contacts(const SceneJob<T>& job) {
  return job.target == Target::substeps && job.scene->contacts.frequency.data != nullptr;
}

/// When the sweeps over islands of one manifold end.
struct LoneLimits {
  int most_sweeps, between_looks;
  double relative_tolerance;
};
/// How they have ended.
template <class T>
struct LoneOutcome {
  T approach, residual;  // [m/s] before and after, the greatest by which a contact misses its target
  int sweeps;
  bool converged;  // the sweeps came to their end by it
  bool overflow;
};

template <class T>
struct SceneKernelsFor {
  std::size_t width;
  std::size_t head_bytes, point_bytes, group_head_bytes, row_bytes;
  std::size_t substep_head_bytes, substep_point_bytes, substep_row_bytes;  // more of each, with Target::substeps
  std::size_t soft_point_bytes;                                            // and where contacts have a frequency
  // More of blocks with models, where they have moments, and with Target::substeps.
  std::size_t model_head_bytes, moments_bytes, model_point_bytes, substep_model_bytes;

  /// Fills faults (a Status each), whether a body can move, its velocity row and its kinetic energy.
  void (*validate_bodies)(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                          std::uint8_t* movable, T* energy);
  /// Faults of what contacts have beside their bodies and indices, and 1 or 0 for whether a contact has the same of
  /// what a manifold shares as the one before it.
  void (*validate_contacts)(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                            std::uint8_t* link);
  void (*validate_rows)(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault);
  /// Kinetic energies from the velocity rows.
  void (*energies)(const SceneJob<T>& job, std::size_t first, std::size_t count, T* energy);

  // These work on a block whose head the solver has filled.
  void (*prepare)(const SceneJob<T>& job, std::byte* block);
  /// Applies the impulses of the rows to the bodies.
  void (*warm_start)(const SceneJob<T>& job, std::byte* block, VelocityRow<T>* nowhere);
  /// Adds the impulses of lanes to the sums; they begin again with zero and new targets from the velocities.
  void (*retarget)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  /// Lanes that change no more.
  void (*retire)(std::byte* block, std::uint32_t lanes);
  /// Writes the state of lanes into SceneJob::kept, and takes it from there.
  void (*keep)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  void (*return_to_kept)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  /// Stores the impulses and targets of contacts in SceneJob::carried.
  void (*carry)(const SceneJob<T>& job, std::byte* block);
  /// Stores the impulses of the contacts in lanes of a block of manifolds in SceneJob::carried, and their velocities,
  /// from the targets on, in SceneJob::kept.
  void (*tell)(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes);
  using Sweep = void (*)(const SceneJob<T>& job, std::byte* const* blocks, std::size_t count, VelocityRow<T>* nowhere);
  Sweep simultaneous, iteration, resting;
  Sweep push_out, relax;  // of a substep, before and after the motion
  /// Stores the impulses of the last substep for the next step to begin with.
  void (*store_warm)(const SceneJob<T>& job, std::byte* block);
  /// Sets the targets of contacts that rebound at the end of a step, and leaves by how much they are missed.
  void (*rebound)(const SceneJob<T>& job, std::byte* block);
  /// Stores impulses, velocities of separation, statuses and paths, and leaves in the head what is missed and which
  /// lanes have numbers beyond the range, squares of velocities and impulses included.
  void (*finish)(const SceneJob<T>& job, std::byte* block);
  /// Solves islands of one manifold each, simultaneously, from the columns to the results. A contact that comes out as
  /// a fault has its status.
  void (*lone)(const SceneJob<T>& job, const std::uint32_t* manifolds, std::size_t count, const LoneLimits& limits,
               LoneOutcome<T>* outcomes);
};

/// The kernels of one ISA.
struct SceneKernels {
  const SceneKernelsFor<float>* f32;
  const SceneKernelsFor<double>* f64;
};

}  // namespace carom::kernel
