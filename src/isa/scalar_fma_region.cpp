// The scalar kernel again: without FMA among the flags every fused multiply-add is a call of the C library's.
#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels scalar_fma_region_kernels;
constinit const RegionKernels scalar_fma_region_kernels = {region_kernels_for<Scalar, float>(),
                                                           region_kernels_for<Scalar, double>()};
}  // namespace carom::kernel
