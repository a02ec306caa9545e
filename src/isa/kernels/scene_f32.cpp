// As incremental.cpp, for scenes in float. Each precision has its own file, so that both compile in parallel.
#include "scene/kernels/stages/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SceneKernelsFor<float> scene_f32;
constinit const SceneKernelsFor<float> scene_f32 = scene_kernels_for<CAROM_ARCHITECTURE, float>();
}  // namespace carom::kernel::CAROM_ISA
