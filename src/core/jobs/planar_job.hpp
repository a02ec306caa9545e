// Input of the planar kernels, independent of the ISA.
#pragma once

#include <carom/planar.hpp>

#include "job.hpp"

namespace carom::kernel {

struct PlanarOptions {
  Law law;                         // of contacts that do not name their own, as below
  RestitutionLaw restitution_law;  // of the incremental law
  double normal_tolerance;
  double max_restitution;
};

/// AnyContacts is one of the three planar forms.
template <class T, template <class> class AnyContacts>
struct PlanarJob {
  const AnyContacts<T>& contacts;
  const planar::Results<T>& results;
  PlanarOptions options;
  Layout layout = {};
};

/// Contacts with individual laws. Results of the stages are in the caller's order; inputs and outputs of the laws are
/// grouped by law.
template <class T>
struct alignas(64) PlanarTile {
  static constexpr std::size_t size = 8192 / sizeof(T);
  // Every group starts at a multiple of the vector width. The last group holds contacts without a law.
  static constexpr std::size_t groups = law_count + 1, slots = size + groups * 64 / sizeof(T);
  // Number of contacts of a group whose parameters are gathered at a time.
  static constexpr std::size_t at_once = 512 / sizeof(T);
  static constexpr std::size_t parameter_count = 20, row_length = 8, piece = 16 / sizeof(T);
  // The padding of a cache line keeps equal indices of different arrays in different sets of the cache.
  using Lane = T[size + 64 / sizeof(T)];

  Lane nx, ny;                               // normal
  Lane trace, speed, impulse;                // units of the law
  Lane status;                               // a Status, before the law
  Lane bodies[10];                           // indexed contacts
  T rows[row_length / piece][slots][piece];  // in pieces of 16 bytes
  T parameters[parameter_count][at_once + 64 / sizeof(T)];
  RestitutionLaw restitution_laws[at_once];
  std::uint32_t slot_of[size + 64 / sizeof(T)];  // position of a contact's row; after the end: of the last
  std::uint32_t contact_of[slots];               // entries after the end of a group repeat its last one
};

/// Small tiles of the caller's columns, between memory and lanes.
template <class T>
struct alignas(64) PlanarStage {
  static constexpr std::size_t size = 512 / sizeof(T);
  static constexpr std::size_t line = 64 / sizeof(T);
  T in[18][size + line], out[12][size + 2 * line];
  std::int32_t place[2][size];        // indexed contacts: positions of their bodies
  T absent[size], index_fault[size];  // see gather.hpp; a Status
  Status statuses[size];
  Path paths[size];
};

/// The memory that a thread works in.
template <class T>
struct PlanarWorkspace {
  PlanarTile<T> tile;
  PlanarStage<T> stage;
};

/// Solves the contacts [first, first + count).
template <class T, template <class> class AnyContacts>
using SolvePlanarRange = void (*)(const PlanarJob<T, AnyContacts>& job, std::size_t first, std::size_t count,
                                  PlanarWorkspace<T>& workspace, Tally& tally);

using PlanarKernels = KernelTable<SolvePlanarRange, planar::Contacts, planar::IndexedContacts, planar::KContacts>;

}  // namespace carom::kernel
