// The table of ISAs: which kernels this build has, and which of them this CPU runs.
#pragma once

#include <carom/status.hpp>
#include <type_traits>

#include "kernel/contact/planar_job.hpp"
#include "kernel/job.hpp"
#include "kernel/region/region_job.hpp"
#include "kernel/scene/scene_job.hpp"

namespace carom {

struct IsaEntry {
  Isa isa;
  bool (*runs_here)();
  const kernel::Kernels* kernels;    // of the incremental law
  const kernel::Kernels* algebraic;  // of all others
  const kernel::PlanarKernels* planar;
  const kernel::RegionKernels* region;
  const kernel::SceneKernels* scene;
};

/// The one for a precision and a form of contacts, of Kernels, PlanarKernels or RegionKernels.
template <class T, template <class> class Contacts, class Kernels>
auto kernel_for(const Kernels& kernels) {
  const auto& of_precision = [&]() -> const auto& {
    if constexpr (std::is_same_v<T, float>)
      return kernels.f32;
    else
      return kernels.f64;
  }
  ();
  if constexpr (requires(const Contacts<T>& c) { c.separation_velocity; })
    return of_precision.space_contacts;
  else if constexpr (requires(const Contacts<T>& c) { c.body_a; })
    return of_precision.indexed_contacts;
  else
    return of_precision.inline_contacts;
}

/// The entry for an ISA. Isa::automatic is the one that the environment variable CAROM_ISA names, else the fastest that
/// this CPU runs. Throws Error if this build has no kernels for the ISA or this CPU can't run them.
const IsaEntry& find_isa(Isa isa);

}  // namespace carom
