#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels avx2_region_kernels;
constinit const RegionKernels avx2_region_kernels = {region_kernels_for<Avx2, float>(),
                                                     region_kernels_for<Avx2, double>()};
}  // namespace carom::kernel
