// As incremental.cpp, for scenes in float, without the contact step. Each precision has its own file, so that both
// compile in parallel.
#include "scene/kernels/stages/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SweepKernels<float> sweeps_f32;
extern const SingleManifoldKernels<float> single_manifold_f32;
extern const SceneKernelsFor<float> scene_f32;
constinit const SceneKernelsFor<float> scene_f32 =
    scene_kernels_for<CAROM_ARCHITECTURE, float>(sweeps_f32, single_manifold_f32);
}  // namespace carom::kernel::CAROM_ISA
