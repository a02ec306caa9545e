// As incremental.cpp, of the permissible region.
#include "contact/kernels/laws/region/region_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const RegionKernels region;
constinit const RegionKernels region = region_kernels<CAROM_ARCHITECTURE>;
}  // namespace carom::kernel::CAROM_ISA
