// As incremental.cpp, of scenes.
#include "kernel/scene/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SceneKernels scene;
constinit const SceneKernels scene = {scene_kernels_for<CAROM_ARCHITECTURE, float>(),
                                      scene_kernels_for<CAROM_ARCHITECTURE, double>()};
}  // namespace carom::kernel::CAROM_ISA
