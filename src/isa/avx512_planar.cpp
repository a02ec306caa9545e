#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels avx512_planar_kernels;
constinit const PlanarKernels avx512_planar_kernels = {planar_kernels_for<Avx512, float>(),
                                                       planar_kernels_for<Avx512, double>()};
}  // namespace carom::kernel
