// As incremental.cpp, of gradients.
#include "contact/kernels/gradients/gradient_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const GradientKernels gradients;
constinit const GradientKernels gradients = gradient_kernels<CAROM_ARCHITECTURE>;
}  // namespace carom::kernel::CAROM_ISA
