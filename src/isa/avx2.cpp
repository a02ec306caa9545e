#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels avx2_kernels;
constinit const Kernels avx2_kernels = {kernels_for<Avx2, float>(), kernels_for<Avx2, double>()};
}  // namespace carom::kernel
