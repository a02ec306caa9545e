#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels neon_kernels;
constinit const Kernels neon_kernels = {kernels_for<Neon, float>(), kernels_for<Neon, double>()};
}  // namespace carom::kernel
