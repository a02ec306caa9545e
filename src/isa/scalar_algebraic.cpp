#include "kernel/algebraic/grouped.hpp"

namespace carom::kernel {
extern const Kernels scalar_algebraic_kernels;
constinit const Kernels scalar_algebraic_kernels = {algebraic_kernels_for<Scalar, float>(),
                                                    algebraic_kernels_for<Scalar, double>()};
}  // namespace carom::kernel
