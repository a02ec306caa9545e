// As incremental.cpp, for matrices of bodies.
#include "kernel/scene/block_factor.hpp"

namespace carom::kernel::CAROM_ISA {
extern const BlockKernels blocks;
constinit const BlockKernels blocks = block_kernels_for<CAROM_ARCHITECTURE>();
}  // namespace carom::kernel::CAROM_ISA
