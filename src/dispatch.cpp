#include "dispatch.hpp"

#include <array>
#include <carom/solver.hpp>
#include <cstdlib>
#include <string>

namespace carom {
namespace kernel {
extern const Kernels scalar_kernels;
extern const Kernels scalar_algebraic_kernels;
extern const PlanarKernels scalar_planar_kernels;
extern const RegionKernels scalar_region_kernels;
#ifdef CAROM_HAS_SCALAR_FMA
extern const Kernels scalar_fma_kernels;
extern const Kernels scalar_fma_algebraic_kernels;
extern const PlanarKernels scalar_fma_planar_kernels;
extern const RegionKernels scalar_fma_region_kernels;
#endif
#ifdef CAROM_HAS_SSE2
extern const Kernels sse2_kernels;
extern const Kernels sse2_algebraic_kernels;
extern const PlanarKernels sse2_planar_kernels;
extern const RegionKernels sse2_region_kernels;
#endif
#ifdef CAROM_HAS_AVX2
extern const Kernels avx2_kernels;
extern const Kernels avx2_algebraic_kernels;
extern const PlanarKernels avx2_planar_kernels;
extern const RegionKernels avx2_region_kernels;
#endif
#ifdef CAROM_HAS_AVX512
extern const Kernels avx512_kernels;
extern const Kernels avx512_algebraic_kernels;
extern const PlanarKernels avx512_planar_kernels;
extern const RegionKernels avx512_region_kernels;
#endif
#ifdef CAROM_HAS_NEON
extern const Kernels neon_kernels;
extern const Kernels neon_algebraic_kernels;
extern const PlanarKernels neon_planar_kernels;
extern const RegionKernels neon_region_kernels;
#endif
}  // namespace kernel

namespace {

// The fastest first, also of those of one ISA.
constexpr IsaEntry table[] = {
#ifdef CAROM_HAS_AVX512
    {Isa::avx512,
     [] {
       return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
              __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
              __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("fma") != 0;
     },
     &kernel::avx512_kernels, &kernel::avx512_algebraic_kernels, &kernel::avx512_planar_kernels,
     &kernel::avx512_region_kernels},
#endif
#ifdef CAROM_HAS_AVX2
    {Isa::avx2, [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; },
     &kernel::avx2_kernels, &kernel::avx2_algebraic_kernels, &kernel::avx2_planar_kernels,
     &kernel::avx2_region_kernels},
#endif
#ifdef CAROM_HAS_SSE2
    {Isa::sse2, [] { return __builtin_cpu_supports("sse2") != 0; }, &kernel::sse2_kernels,
     &kernel::sse2_algebraic_kernels, &kernel::sse2_planar_kernels, &kernel::sse2_region_kernels},
#endif
#ifdef CAROM_HAS_NEON
    {Isa::neon, [] { return true; }, &kernel::neon_kernels, &kernel::neon_algebraic_kernels,
     &kernel::neon_planar_kernels, &kernel::neon_region_kernels},  // every AArch64 has it
#endif
#ifdef CAROM_HAS_SCALAR_FMA
    {Isa::scalar, [] { return __builtin_cpu_supports("fma") != 0; }, &kernel::scalar_fma_kernels,
     &kernel::scalar_fma_algebraic_kernels, &kernel::scalar_fma_planar_kernels, &kernel::scalar_fma_region_kernels},
#endif
    {Isa::scalar, [] { return true; }, &kernel::scalar_kernels, &kernel::scalar_algebraic_kernels,
     &kernel::scalar_planar_kernels, &kernel::scalar_region_kernels},
};

std::string names_of_available() {
  std::string names;
  for (const Isa isa : available_isas()) names += (names.empty() ? "" : ", ") + std::string(to_string(isa));
  return names;
}

}  // namespace

const IsaEntry& find_isa(Isa isa) {
  std::string asked = "the option isa";
  if (isa == Isa::automatic) {
    if (const char* forced = std::getenv("CAROM_ISA"); forced != nullptr && *forced != '\0') {
      try {
        isa = isa_from_string(forced);
      } catch (const Error& error) {
        throw Error(std::string(error.what()) + " (in the environment variable CAROM_ISA)");
      }
      asked = "the environment variable CAROM_ISA";
    }
  }
  for (const IsaEntry& entry : table)
    if ((isa == Isa::automatic || entry.isa == isa) && entry.runs_here()) return entry;
  throw Error("carom: " + asked + " is " + std::string(to_string(isa)) + ", but this build on this CPU offers only " +
              names_of_available());
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (const IsaEntry& entry : table)
    if (entry.runs_here() && (isas.empty() || isas.back() != entry.isa)) isas.push_back(entry.isa);
  return isas;
}

}  // namespace carom
