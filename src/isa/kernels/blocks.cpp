// As incremental.cpp, for matrices of bodies and the interior points on them.
#include "scene/kernels/islands/block_factor.hpp"
#include "scene/kernels/islands/cone_passes.hpp"

namespace carom::kernel::CAROM_ISA {
namespace {
constinit const ConeKernels cones = cone_kernels_for<CAROM_ARCHITECTURE>();
}
extern const BlockKernels blocks;
constinit const BlockKernels blocks = block_kernels_for<CAROM_ARCHITECTURE>(cones);
}  // namespace carom::kernel::CAROM_ISA
