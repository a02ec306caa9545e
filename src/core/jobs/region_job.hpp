// The job of a kernel that finds how far impulses lie inside the permissible region, free of any architecture.
#pragma once

#include <carom/region.hpp>

#include "job.hpp"

namespace carom::kernel {

template <class T>
struct RegionTask {
  Vector3Columns<const T> impulse;
  RegionMargins<T> margins;
  ImpulseSpace<T> space;
  Layout layout;
  T normal_tolerance, inertia_tolerance, max_restitution;
  T tolerance;
};

/// Contacts is one of the three forms.
template <class T, template <class> class AnyContacts>
struct RegionJob : RegionTask<T> {
  AnyContacts<T> contacts;
};

/// Contacts that leave the region, by the bound that they break.
struct RegionTally {
  std::size_t outside = 0, gains_energy = 0, penetrates = 0, pulls = 0, leaves_cone = 0;
};

/// Finds the margins of the contacts [first, first + count). Only the counts of statuses are kept in `tally`.
template <class T, template <class> class AnyContacts>
using CheckRange = void (*)(const RegionJob<T, AnyContacts>& job, std::size_t first, std::size_t count, Tally& tally,
                            RegionTally& region);

using RegionKernels = KernelTable<CheckRange, Contacts, IndexedContacts, KContacts>;

}  // namespace carom::kernel
