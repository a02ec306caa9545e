// As incremental.cpp, for scenes in double, without the contact step.
#include "scene/kernels/stages/scene_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SweepKernels<double> sweeps_f64;
extern const SingleManifoldKernels<double> single_manifold_f64;
extern const SceneKernelsFor<double> scene_f64;
constinit const SceneKernelsFor<double> scene_f64 =
    scene_kernels_for<CAROM_ARCHITECTURE, double>(sweeps_f64, single_manifold_f64);
}  // namespace carom::kernel::CAROM_ISA
