// A job is the solver's input to a kernel, independent of the ISA: contacts, results, options and a workspace.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>

#include "core/columns/columns.hpp"

namespace carom::kernel {

/// Number of contacts that a thread prepares and stores at a time. A tile fits into the second-level cache.
template <class T>
inline constexpr std::size_t tile_size = 1024 / sizeof(T);

/// Number of contacts in a block of BlockedContacts. Ranges passed to kernels start at a block.
inline constexpr std::size_t contacts_in_block = 16;

/// Memory layout of a job's columns.
struct Layout {
  std::size_t block_bytes = 0;          // of contacts in blocks, whose needed columns begin in the first; else 0
  const void* packed_bodies = nullptr;  // of indexed contacts: see body_record.hpp
  bool prefetch = false;                // the batch is larger than a core's share of the caches
  bool stream = false;                  // the batch is larger than all caches: results should pass them by
};

/// A contact of a tile.
template <class T>
struct Tile;
template <class T>
struct Place {
  Tile<T>* tile;
  std::size_t slot;
};

// Numbers of a contact in the incremental law. V is a vector in registers, an array of its lanes, or an array of all
// lanes of a tile; slide.hpp converts between them. Velocities are divided by |u0|, K by its
// trace and impulses by |u0| / trace K, so all numbers of the sliding phase are of order 1 in any units.

/// The change of u = (x, y, z): x' = b1 r - a1 x, y' = b2 r - a2 y, z' = c3 r - c1 x - c2 y, with (x, y) of length r.
template <class V>
struct Rates {
  V a1, a2, b1, b2, c1, c2, c3;  // delta mu M, delta k; delta mu k, delta K_33
};

/// Results of the preparing stages that later stages read.
template <class V>
struct Prepared {
  V m1, m2, k1, k2;         // M and k in the contact frame, whose tangents are the axes of M
  V q1, q2, schur;          // q = M⁻¹ k, K_33 - k·q
  V u0x, u0y, u0z;          // separation velocity before the collision
  V friction, restitution;  // mu, e
  V restitution_law;        // of the series, a RestitutionLaw
  // delta (mu, 1), or delta (1, 0) for infinite friction. The series has no step: there delta is the unit of impulse in
  // which the larger of mu m1 + |k| and K_33 / 1024 is 1.
  V friction_step, normal_step;
  Rates<V> rates;
  V velocity_unit, impulse_unit;               // |u0| [m/s], |u0| / trace K [N s]
  V t1x, t1y, t1z, t2x, t2y, t2z, nx, ny, nz;  // contact frame in world coordinates
  V wx, wy, wz;                                // u0 [m/s] in the frame of the results
};

/// State of a slide.
template <class V>
struct Slide {
  V ux, uy, uz;
  V sum_x, sum_y;                // Euler: sums of the cosine and the sine of the slip; series: integrals of u_x and u_y
  V compression, decompression;  // sums or integrals of u_z < 0, of u_z >= 0
};

/// The end of a collision by the series, in the tile's units.
template <class V>
struct SeriesEnd {
  V ux, uy, uz;
  V px, py, pz;
  V work_compression, work_decompression;
  V path;  // Path::index
  V steps;
};

/// One quantity of a tile. The padding of a cache line keeps equal indices of different arrays in different sets of the
/// cache.
template <class T>
using TileLane = T[tile_size<T> + 64 / sizeof(T)];

/// State of a tile between the stages, one array per quantity.
template <class T>
struct alignas(64) Tile : Prepared<TileLane<T>> {
  using Lane = TileLane<T>;

  // Written by the preparing stages, read only by the law.
  Lane stick_radius2, e2;  // the square of a step's reach, e²
  Lane monotone;           // of the series, 1: u_z cannot fall while the contact slides
  Lane status;             // a Status, or `moved`

  // Written by Euler's method where sliding has ended.
  Slide<Lane> slide;
  Lane length;  // the steps of the slide
  Lane sticks;  // 1: its slip has stopped, and the rest of the collision is still ahead
  Lane path;    // Path::index
  std::int32_t steps[tile_size<T>];

  // Written by the series where the collision is over.
  SeriesEnd<Lane> end;

  /// The status of a contact that has moved to another tile, to be stored from there.
  static constexpr T moved = T(-1);

  unsigned colliding[tile_size<T>];  // one bit per lane, by block: contacts that the law handles
  std::size_t blocks;
  std::size_t next_block;            // whose contacts the law takes next
  unsigned waiting;                  // contacts of that block that Euler's method has not taken yet
  std::size_t on_their_way;          // contacts that the series has taken and not ended
  std::size_t first, count;          // the contacts of the batch that are here
  std::size_t origin[tile_size<T>];  // of contacts that came from elsewhere, their place in the batch
};

/// Where the columns of `n` contacts are brought to, if they are not read where the host has them. A cache line of
/// padding keeps equal places of different arrays out of the same set of the cache.
template <class T, std::size_t n, class AnyContacts = Contacts<T>>
struct alignas(64) InputTile {
  static constexpr std::size_t size = n;
  using Lane = T[size + 64 / sizeof(T)];

  Lane in[columns::numbers_of<AnyContacts>()];
  std::int32_t place[2][size];  // of indexed contacts, where their bodies stand
  T absent[size];               // see gather.hpp
  Lane index_fault;             // a Status; indexed contacts
};

/// Intermediate results of the algebraic laws, one array per quantity. Velocities are divided by |u0|, K by its
/// trace and impulses by |u0| / trace K.
template <class T>
struct alignas(64) LawTile : InputTile<T, 2048 / sizeof(T)> {
  using InputTile<T, 2048 / sizeof(T)>::size;
  using typename InputTile<T, 2048 / sizeof(T)>::Lane;

  Lane t1x, t1y, t1z, t2x, t2y, t2z, nx, ny, nz;  // contact frame in world coordinates
  Lane length;                                    // of the normal as given
  Lane axx, axy, axz, ayy, ayz, azz, m;           // K = A + m in the contact frame [1/kg]
  Lane m11, m12, m22, k1, k2, k33;                // K
  Lane det_m, q1, q2, schur;                      // see LawInput
  Lane trace;                                     // [1/kg]
  Lane wx, wy, wz;                                // u0 [m/s] in the frame of the results
  Lane u0x, u0y, u0z;
  Lane velocity_unit, impulse_unit;  // |u0| [m/s], |u0| / trace K [N s]
  Lane status;                       // a Status
  Lane friction, restitution;
  Lane law;  // a Law
  // In the order of columns::Parameter; then the weights, in the order of columns::components.
  Lane parameters[columns::parameter_count + columns::component_count];
  Lane px, py, pz, ux, uy, uz, sliding_end;  // results of the law; a SlidingEnd
  Lane out[18];                              // results that are not in place in the host's memory
  unsigned laws[size];                       // of a vector, bits of Law
  std::uint32_t own[size];                   // slots of the contacts; `skipped` for the incremental law
  Status statuses[size];
  Path paths[size];
};

/// Contacts grouped by law, and the inputs that only some laws read.
template <class T>
struct alignas(64) GroupTile {
  static constexpr std::size_t size = 8192 / sizeof(T), at_once = 256 / sizeof(T);
  using Lane = T[at_once + 64 / sizeof(T)];

  LawColumns<T> own;  // columns of the group; columns that the law reads are in the lanes below
  Lane parameters[columns::parameter_count + columns::component_count], component_impulse[3];
  Law law[at_once];
  RestitutionLaw restitution_laws[at_once];
  Status component_status[at_once];
  std::uint8_t group[size];
  std::uint32_t order[size];  // index of the contacts, group by group
};

/// Tiles of the incremental law. They are used in turn.
template <class T>
struct SlidingTiles {
  Tile<T> tiles[3];
  InputTile<T, tile_size<T>> input;
};

/// Planar contacts with laws of their own between the stages: prepared numbers in the caller's order, and rows of the
/// laws' inputs and outputs grouped by law.
template <class T>
struct alignas(64) PlanarTile {
  static constexpr std::size_t size = 8192 / sizeof(T);
  // Every group of contacts begins a vector; unknown laws form the last group.
  static constexpr std::size_t groups = law_count + 1, slots = size + groups * 64 / sizeof(T);
  // Contacts of a group whose parameters are brought together at a time.
  static constexpr std::size_t at_once = 512 / sizeof(T);
  static constexpr std::size_t parameter_count = 20, row_length = 8, piece = 16 / sizeof(T);
  // A cache line of padding keeps equal places of different arrays out of the same set of the cache.
  using Lane = T[size + 64 / sizeof(T)];

  Lane nx, ny;                               // the normal
  Lane trace, speed, impulse;                // the law's units
  Lane status;                               // before the law: a Status
  Lane bodies[10];                           // of indexed contacts
  T rows[row_length / piece][slots][piece];  // in pieces of 16 bytes
  LawColumns<T> own;                         // of a group, with the columns that its law reads in the lanes below
  T parameters[parameter_count][at_once + 64 / sizeof(T)];
  RestitutionLaw restitution_laws[at_once];
  std::uint32_t slot_of[size + 64 / sizeof(T)];  // where a contact's row is; behind the end the last one's
  std::uint32_t contact_of[slots];               // behind the end of a group its last
};

/// Small tiles of planar contacts on their way to the lanes and back.
template <class T>
struct alignas(64) PlanarStage : InputTile<T, 512 / sizeof(T), planar::Contacts<T>> {
  using InputTile<T, 512 / sizeof(T), planar::Contacts<T>>::size;
  static constexpr std::size_t line = 64 / sizeof(T);
  T out[12][size + 2 * line];
  Status statuses[size];
  Path paths[size];
};

template <class T>
struct PlanarTiles {
  PlanarTile<T> tile;
  PlanarStage<T> stage;
};

/// The memory that a thread works in; a part is null if no contact of the batch needs it.
template <class T>
struct Workspace {
  SlidingTiles<T>* sliding = nullptr;
  LawTile<T>* law = nullptr;
  GroupTile<T>* group = nullptr;
  PlanarTiles<T>* planar = nullptr;
};

/// Sums over the contacts that a thread has solved. The counts are pointers, so that a thread can add directly to the
/// report: clearing and summing further arrays takes longer than solving a few contacts.
struct Tally {
  std::size_t* by_status;  // size status_room
  std::size_t* first;      // first contact of each status; undefined where the count is 0
  std::size_t* by_path;    // size Path::kinds
  std::uint64_t sliding_steps = 0, lane_steps = 0;
  double max_energy_gain = 0;
  std::size_t max_energy_gain_contact = 0;
};

/// A Tally with its own arrays.
struct OwnTally : Tally {
  OwnTally() : Tally{statuses, firsts, paths} {}
  OwnTally(const OwnTally&) = delete;
  OwnTally& operator=(const OwnTally&) = delete;

 private:
  std::size_t statuses[status_room] = {}, firsts[status_room], paths[Path::room] = {};
};

template <class T>
struct Parameters {
  T step;  // 1 / Options::steps, the step of impulse in its unit
  std::int32_t step_budget;
  Law law;  // of contacts that do not name their own
  Integrator integrator;
  RestitutionLaw restitution_law;  // for contacts that do not specify one
  T normal_tolerance;
  T inertia_tolerance;
  T max_restitution;
};

/// Contacts that a kernel solves. It does not write the results of other contacts.
enum class Selection : std::uint8_t {
  own,        ///< contacts under laws of this kernel: the incremental law, or all others
  composite,  ///< incremental kernel: composites with the incremental law as a component
};

/// Impulses of the incremental law for contacts from `first` on, for composites that have it as a component.
template <class T>
struct Components {
  std::size_t first = 0;
  const T* impulse[3] = {};
  const Status* status = nullptr;
};

/// AnyContacts is one of the three forms. The caller owns the contacts and results.
template <class T, template <class> class AnyContacts>
struct Job {
  const AnyContacts<T>& contacts;
  const ResultsOf<AnyContacts<T>>& results;
  Parameters<T> parameters;
  Layout layout = {};
  Selection selection = Selection::own;
  unsigned laws = 0;  // that occur in the range, bits of Law
  Components<T> components = {};
};

/// Solves the contacts [first, first + count).
template <class T, template <class> class AnyContacts>
using SolveRange = void (*)(const Job<T, AnyContacts>& job, std::size_t first, std::size_t count,
                            const Workspace<T>& workspace, Tally& tally);

/// The kernel of a family for a precision and a form of contacts.
template <template <class, template <class> class> class Range, class T, template <class> class AnyContacts>
struct KernelFor {
  Range<T, AnyContacts> range;
};

/// The kernels of a family for one ISA.
template <template <class, template <class> class> class Range, template <class> class... Forms>
struct KernelTable : KernelFor<Range, float, Forms>..., KernelFor<Range, double, Forms>... {
  /// Fills the table with kernel_of.operator()<T, Contacts>() for each precision and form.
  template <class F>
  static consteval KernelTable of(F kernel_of) {
    return {KernelFor<Range, float, Forms>{kernel_of.template operator()<float, Forms>()}...,
            KernelFor<Range, double, Forms>{kernel_of.template operator()<double, Forms>()}...};
  }
};

using Kernels = KernelTable<SolveRange, Contacts, IndexedContacts, KContacts>;
using PlanarKernels = KernelTable<SolveRange, planar::Contacts, planar::IndexedContacts, planar::KContacts>;

}  // namespace carom::kernel
