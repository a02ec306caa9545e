// As incremental.cpp, of scenes in float. The precisions are two files, which compile side by side.
#include "kernel/scene/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SceneKernelsFor<float> scene_f32;
constinit const SceneKernelsFor<float> scene_f32 = scene_kernels_for<CAROM_ARCHITECTURE, float>();
}  // namespace carom::kernel::CAROM_ISA
