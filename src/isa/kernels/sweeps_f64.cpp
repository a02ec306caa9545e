// As incremental.cpp, for passes over the blocks of scenes in double.
#include "scene/kernels/stages/sweep_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SweepKernels<double> sweeps_f64;
constinit const SweepKernels<double> sweeps_f64 = sweep_kernels_for<CAROM_ARCHITECTURE, double>();
}  // namespace carom::kernel::CAROM_ISA
