#define CAROM_UNFUSED
#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels sse2_region_kernels;
constinit const RegionKernels sse2_region_kernels = {region_kernels_for<Sse2, float>(),
                                                     region_kernels_for<Sse2, double>()};
}  // namespace carom::kernel
