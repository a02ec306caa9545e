// One file a family of kernels, compiled once for every ISA: cmake/CaromIsa.cmake gives its name and its architecture.
#include "contact/kernels/laws/incremental/incremental_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const Kernels incremental;
constinit const Kernels incremental = incremental_kernels<CAROM_ARCHITECTURE>;
}  // namespace carom::kernel::CAROM_ISA
