// The scalar kernel again: without FMA among the flags every fused multiply-add is a call of the C library's.
#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels scalar_fma_kernels;
constinit const Kernels scalar_fma_kernels = {kernels_for<Scalar, float>(), kernels_for<Scalar, double>()};
}  // namespace carom::kernel
