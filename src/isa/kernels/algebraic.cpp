// As incremental.cpp, of all other laws.
#include "contact/kernels/pipeline/law_kernel.hpp"

namespace carom::kernel::CAROM_ISA {
extern const Kernels algebraic;
constinit const Kernels algebraic = algebraic_kernels<CAROM_ARCHITECTURE>;
}  // namespace carom::kernel::CAROM_ISA
