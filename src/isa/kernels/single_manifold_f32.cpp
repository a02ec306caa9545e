// As incremental.cpp, for islands of one manifold in float.
#include "scene/kernels/single_manifold/solve.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SingleManifoldKernels<float> single_manifold_f32;
constinit const SingleManifoldKernels<float> single_manifold_f32 = {
    &SingleManifoldIslands<CAROM_ARCHITECTURE, float>::solve};
}  // namespace carom::kernel::CAROM_ISA
