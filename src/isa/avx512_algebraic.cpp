#include "kernel/algebraic/grouped.hpp"

namespace carom::kernel {
extern const Kernels avx512_algebraic_kernels;
constinit const Kernels avx512_algebraic_kernels = {algebraic_kernels_for<Avx512, float>(),
                                                    algebraic_kernels_for<Avx512, double>()};
}  // namespace carom::kernel
