// As incremental.cpp, of all laws in the plane.
#include "contact/kernels/laws/planar/planar_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const PlanarKernels planar;
constinit const PlanarKernels planar = planar_kernels<CAROM_ARCHITECTURE>;
}  // namespace carom::kernel::CAROM_ISA
