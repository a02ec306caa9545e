#include <stdexcept>
#include <string>

#include "limit.hpp"

namespace carom::bench {

extern const LimitLoops scalar_loops, scalar_fma_loops, sse2_loops, avx2_loops, avx512_loops, neon_loops;

const LimitLoops& limit_loops(Isa isa) {
  switch (isa) {
#ifdef CAROM_HAS_SSE2
    case Isa::sse2:
      return sse2_loops;
#endif
#ifdef CAROM_HAS_AVX2
    case Isa::avx2:
      return avx2_loops;
#endif
#ifdef CAROM_HAS_AVX512
    case Isa::avx512:
      return avx512_loops;
#endif
#ifdef CAROM_HAS_NEON
    case Isa::neon:
      return neon_loops;
#endif
    case Isa::scalar:
#ifdef CAROM_HAS_SCALAR
      return scalar_loops;
#else
      return scalar_fma_loops;
#endif
    default:
      throw std::invalid_argument("no loop for " + std::string(to_string(isa)));
  }
}

}  // namespace carom::bench
