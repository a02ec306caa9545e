#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels neon_region_kernels;
constinit const RegionKernels neon_region_kernels = {region_kernels_for<Neon, float>(),
                                                     region_kernels_for<Neon, double>()};
}  // namespace carom::kernel
