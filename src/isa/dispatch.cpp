#include "core/jobs/dispatch.hpp"

#include <array>
#include <carom/solver.hpp>
#include <cstdlib>
#include <string_view>

#include "core/columns/public_call.hpp"

namespace carom {
namespace kernel {
#define CAROM_WITH(isa)                           \
  namespace isa {                                 \
  extern const Kernels incremental;               \
  extern const Kernels algebraic;                 \
  extern const PlanarKernels planar;              \
  extern const RegionKernels region;              \
  extern const GradientKernels gradients;         \
  extern const SceneKernelsFor<float> scene_f32;  \
  extern const SceneKernelsFor<double> scene_f64; \
  extern const BlockKernels blocks;               \
  }
CAROM_BUILT_ISAS
#undef CAROM_WITH
}  // namespace kernel

namespace {

// Named as in cmake/CaromIsa.cmake, which has two scalar variants.
namespace named {
[[maybe_unused]] constexpr Isa avx512 = Isa::avx512, avx2 = Isa::avx2, sse2 = Isa::sse2, neon = Isa::neon,
                               scalar_fma = Isa::scalar, scalar = Isa::scalar;
}

namespace runs_here {
#if defined(__x86_64__) || defined(__i386__)
[[maybe_unused]] bool avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("fma") != 0;
}
[[maybe_unused]] bool avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
[[maybe_unused]] bool sse2() {
  return __builtin_cpu_supports("sse2") != 0;
}
[[maybe_unused]] bool scalar_fma() {
  return __builtin_cpu_supports("fma") != 0;
}
#endif
[[maybe_unused]] bool neon() {
  return true;  // every AArch64 has it
}
[[maybe_unused]] bool scalar() {
  return true;
}
}  // namespace runs_here

// Fastest first, also among the variants of one ISA.
#define CAROM_WITH(isa)       \
  {named::isa,                \
   &runs_here::isa,           \
   &kernel::isa::incremental, \
   &kernel::isa::algebraic,   \
   &kernel::isa::planar,      \
   &kernel::isa::region,      \
   &kernel::isa::gradients,   \
   {&kernel::isa::scene_f32, &kernel::isa::scene_f64, &kernel::isa::blocks}},
constexpr IsaEntry table[] = {CAROM_BUILT_ISAS};
#undef CAROM_WITH

Text names_of_available() {
  Text names;
  for (const Isa isa : available_isas()) {
    if (!names.view().empty()) names.add(", ");
    names.add(to_string(isa));
  }
  return names;
}

}  // namespace

const IsaEntry& find_isa(Isa isa) {
  std::string_view asked = "the option isa";
  if (isa == Isa::automatic) {
    if (const char* forced = std::getenv("CAROM_ISA"); forced != nullptr && *forced != '\0') {
      try {
        isa = isa_from_string(forced);
      } catch (const Error& error) {
        throw Error(Text(std::string_view(error.what()), " (in the environment variable CAROM_ISA)"),
                    {.option = "isa"});
      }
      asked = "the environment variable CAROM_ISA";
    }
  }
  for (const IsaEntry& entry : table)
    if ((isa == Isa::automatic || entry.isa == isa) && entry.runs_here()) return entry;
  throw Error(
      Text("carom: ", asked, " is ", to_string(isa), ", but this build on this CPU offers only ", names_of_available()),
      {.kind = ErrorKind::not_available, .option = "isa"});
}

const IsaEntry& narrow_entry(const IsaEntry& entry) {
  if (entry.isa == Isa::avx512)
    for (const IsaEntry& other : table)
      if (other.isa == Isa::avx2 && other.runs_here()) return other;
  return entry;
}

std::vector<Isa> available_isas() {
  return public_call("available_isas", [] {
    std::vector<Isa> isas;
    for (const IsaEntry& entry : table)
      if (entry.runs_here() && (isas.empty() || isas.back() != entry.isa)) isas.push_back(entry.isa);
    return isas;
  });
}

}  // namespace carom
