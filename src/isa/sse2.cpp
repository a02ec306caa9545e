#define CAROM_UNFUSED
#include "kernel/kernel.hpp"

namespace carom::kernel {
extern const Kernels sse2_kernels;
constinit const Kernels sse2_kernels = {kernels_for<Sse2, float>(), kernels_for<Sse2, double>()};
}  // namespace carom::kernel
