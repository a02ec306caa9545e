#include "kernel/region/range.hpp"

namespace carom::kernel {
extern const RegionKernels scalar_region_kernels;
constinit const RegionKernels scalar_region_kernels = {region_kernels_for<Scalar, float>(),
                                                       region_kernels_for<Scalar, double>()};
}  // namespace carom::kernel
