// The scalar kernels again: without FMA among the flags every fused multiply-add is a call of the C library's.
#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels scalar_fma_planar_kernels;
constinit const PlanarKernels scalar_fma_planar_kernels = {planar_kernels_for<Scalar, float>(),
                                                           planar_kernels_for<Scalar, double>()};
}  // namespace carom::kernel
