// As incremental.cpp, for islands of one manifold in double.
#include "scene/kernels/single_manifold/solve.hpp"

namespace carom::kernel::CAROM_ISA {
extern const SingleManifoldKernels<double> single_manifold_f64;
constinit const SingleManifoldKernels<double> single_manifold_f64 = {
    &SingleManifoldIslands<CAROM_ARCHITECTURE, double>::solve};
}  // namespace carom::kernel::CAROM_ISA
