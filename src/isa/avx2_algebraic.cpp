#include "kernel/algebraic/grouped.hpp"

namespace carom::kernel {
extern const Kernels avx2_algebraic_kernels;
constinit const Kernels avx2_algebraic_kernels = {algebraic_kernels_for<Avx2, float>(),
                                                  algebraic_kernels_for<Avx2, double>()};
}  // namespace carom::kernel
