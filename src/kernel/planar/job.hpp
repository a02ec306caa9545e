// What the solver hands to a planar kernel, free of any architecture. No workspace: a block of lanes goes through all
// stages at once.
#pragma once

#include <carom/planar.hpp>

#include "../job.hpp"

namespace carom::kernel {

struct PlanarOptions {
  Law law;                         // of contacts that do not name their own, as below
  RestitutionLaw restitution_law;  // of the incremental law
  double normal_tolerance;
};

/// Contacts is one of the three planar forms.
template <class T, template <class> class Contacts>
struct PlanarJob {
  Contacts<T> contacts;
  planar::Results<T> results;
  PlanarOptions options;
};

/// Solves the contacts [first, first + count).
template <class T, template <class> class Contacts>
using SolvePlanarRange = void (*)(const PlanarJob<T, Contacts>& job, std::size_t first, std::size_t count,
                                  Tally& tally);

template <class T>
struct PlanarKernelsFor {
  SolvePlanarRange<T, planar::InlineContacts> inline_contacts;
  SolvePlanarRange<T, planar::IndexedContacts> indexed_contacts;
  SolvePlanarRange<T, planar::SpaceContacts> space_contacts;
};

/// The planar kernels of one ISA.
struct PlanarKernels {
  PlanarKernelsFor<float> f32;
  PlanarKernelsFor<double> f64;
};

}  // namespace carom::kernel
