#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels avx512_kernels;
constinit const Kernels avx512_kernels = {kernels_for<Avx512, float>(), kernels_for<Avx512, double>()};
}  // namespace carom::kernel
