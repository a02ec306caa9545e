#define CAROM_UNFUSED
#include "kernel/planar/range.hpp"

namespace carom::kernel {
extern const PlanarKernels sse2_planar_kernels;
constinit const PlanarKernels sse2_planar_kernels = {planar_kernels_for<Sse2, float>(),
                                                     planar_kernels_for<Sse2, double>()};
}  // namespace carom::kernel
