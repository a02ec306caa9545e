// As incremental.cpp, for passes over the blocks of scenes in float.
#include "scene/kernels/stages/sweep_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SweepKernels<float> sweeps_f32;
constinit const SweepKernels<float> sweeps_f32 = sweep_kernels_for<CAROM_ARCHITECTURE, float>();
}  // namespace carom::kernel::CAROM_ISA
