// Compiled once for every ISA.
#include "limit.hpp"

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::bench {
namespace {

// Enough to hide the latency of the root and the quotient, and few enough for 16 registers.
constexpr std::size_t chains = 8;

template <class T>
using Lanes = kernel::LaneTypes<kernel::CAROM_LIMIT_ARCHITECTURE, T>;

template <class T>
void run(T* x, T numerator, std::int64_t rounds) {
  using B = typename Lanes<T>::Batch;
  constexpr std::size_t width = Lanes<T>::width;
  const B c(numerator);
  B chain[chains];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < chains; ++i) chain[i] = kernel::load_lanes<B>(x + i * width);
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < chains; ++i) chain[i] = c / kernel::square_root(chain[i]);
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < chains; ++i) kernel::store_lanes(x + i * width, chain[i]);
}

}  // namespace

extern const LimitLoops CAROM_LIMIT_LOOPS;
constinit const LimitLoops CAROM_LIMIT_LOOPS = {{&run<float>, chains* Lanes<float>::width},
                                                {&run<double>, chains* Lanes<double>::width}};

}  // namespace carom::bench
