#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels scalar_planar_kernels;
constinit const PlanarKernels scalar_planar_kernels = {planar_kernels_for<Scalar, float>(),
                                                       planar_kernels_for<Scalar, double>()};
}  // namespace carom::kernel
