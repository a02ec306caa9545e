#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels avx512_region_kernels;
constinit const RegionKernels avx512_region_kernels = {region_kernels_for<Avx512, float>(),
                                                       region_kernels_for<Avx512, double>()};
}  // namespace carom::kernel
