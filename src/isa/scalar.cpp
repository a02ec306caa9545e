#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels scalar_kernels;
constinit const Kernels scalar_kernels = {kernels_for<Scalar, float>(), kernels_for<Scalar, double>()};
}  // namespace carom::kernel
