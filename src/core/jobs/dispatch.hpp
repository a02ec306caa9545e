// The table of ISAs: the kernels of this build, and which of them this CPU can run.
#pragma once

#include <carom/status.hpp>

#include "gradient_job.hpp"
#include "job.hpp"
#include "region_job.hpp"
#include "scene_job.hpp"

namespace carom {

struct IsaEntry {
  Isa isa;
  bool (*runs_here)();
  const kernel::Kernels* kernels;    // of the incremental law
  const kernel::Kernels* algebraic;  // of all other laws
  const kernel::PlanarKernels* planar;
  const kernel::RegionKernels* region;
  const kernel::GradientKernels* gradients;
  kernel::SceneKernels scene;
};

/// The kernel for a precision and a form of contacts.
template <class T, template <class> class AnyContacts, template <class, template <class> class> class Range,
          template <class> class... Forms>
auto kernel_for(const kernel::KernelTable<Range, Forms...>& kernels) {
  return static_cast<const kernel::KernelFor<Range, T, AnyContacts>&>(kernels).range;
}

/// The entry for an ISA. Isa::automatic selects the ISA in the environment variable CAROM_ISA, else the fastest that
/// this CPU runs. Throws Error if this build has no kernels for the ISA or this CPU cannot run them.
const IsaEntry& find_isa(Isa isa);

/// An entry with narrower vectors and identical bits, for batches that do not fill wide vectors. This entry if there is
/// no narrower one.
const IsaEntry& narrow_entry(const IsaEntry& entry);

}  // namespace carom
