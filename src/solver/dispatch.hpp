// The table of ISAs: which kernels this build has, and which of them this CPU runs.
#pragma once

#include <carom/status.hpp>

#include "kernel/job.hpp"
#include "kernel/planar/job.hpp"
#include "kernel/region/job.hpp"

namespace carom {

struct IsaEntry {
  Isa isa;
  bool (*runs_here)();
  const kernel::Kernels* kernels;    // of the incremental law
  const kernel::Kernels* algebraic;  // of all others
  const kernel::PlanarKernels* planar;
  const kernel::RegionKernels* region;
};

/// The entry for an ISA. Isa::automatic is the one that the environment variable CAROM_ISA names, else the fastest that
/// this CPU runs. Throws Error if this build has no kernels for the ISA or this CPU can't run them.
const IsaEntry& find_isa(Isa isa);

}  // namespace carom
