#include "kernel/algebraic/grouped.hpp"

namespace carom::kernel {
extern const Kernels neon_algebraic_kernels;
constinit const Kernels neon_algebraic_kernels = {algebraic_kernels_for<Neon, float>(),
                                                  algebraic_kernels_for<Neon, double>()};
}  // namespace carom::kernel
