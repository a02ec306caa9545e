// As incremental.cpp, for scenes in double.
#include "scene/kernels/stages/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SceneKernelsFor<double> scene_f64;
constinit const SceneKernelsFor<double> scene_f64 = scene_kernels_for<CAROM_ARCHITECTURE, double>();
}  // namespace carom::kernel::CAROM_ISA
