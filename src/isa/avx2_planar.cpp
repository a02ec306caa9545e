#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels avx2_planar_kernels;
constinit const PlanarKernels avx2_planar_kernels = {planar_kernels_for<Avx2, float>(),
                                                     planar_kernels_for<Avx2, double>()};
}  // namespace carom::kernel
