// As incremental.cpp, of all laws in the plane.
#include "kernel/contact/planar_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const PlanarKernels planar;
constinit const PlanarKernels planar = {planar_kernels_for<CAROM_ARCHITECTURE, float>(),
                                        planar_kernels_for<CAROM_ARCHITECTURE, double>()};
}  // namespace carom::kernel::CAROM_ISA
