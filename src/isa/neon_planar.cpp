#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels neon_planar_kernels;
constinit const PlanarKernels neon_planar_kernels = {planar_kernels_for<Neon, float>(),
                                                     planar_kernels_for<Neon, double>()};
}  // namespace carom::kernel
