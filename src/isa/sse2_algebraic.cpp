#define CAROM_UNFUSED
#include "kernel/algebraic/grouped.hpp"

namespace carom::kernel {
extern const Kernels sse2_algebraic_kernels;
constinit const Kernels sse2_algebraic_kernels = {algebraic_kernels_for<Sse2, float>(),
                                                  algebraic_kernels_for<Sse2, double>()};
}  // namespace carom::kernel
