// Subnormal numbers are zeros until the end of a scope.
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

#include "lanes.hpp"

namespace carom::kernel {
namespace {

/// Returns zero where x is subnormal. Comparisons in sweeps would let such a number through on some ISAs.
template <class B>
inline B without_subnormals(B x) {
  using T = VectorElement<B>;
  constexpr T least = sizeof(T) == sizeof(float) ? T(0x1p-126) : T(0x1p-1022);
  return choose(magnitude(x) < B(least), B(0), x);
}

/// Impulses and velocities that sweeps bring closer to zero by a share each time come to subnormal numbers in the end,
/// or their squares do, for which Intel's CPUs take a hundred cycles and more (docs/scenes.md). They are zeros here, as
/// operands and as results of arithmetic. Comparisons and choices may let them through. Nothing moves into or out of
/// the scope whose numbers come from memory that others see, and go there.
class SubnormalsAreZero {
#ifdef __SSE2__
  using Word = unsigned;
  static constexpr Word zero = 0x8040;  // results, operands
  static Word get() {
    return _mm_getcsr();
  }
  static void set(Word word) {
    _mm_setcsr(word);
  }
#elif defined(__aarch64__)
  using Word = std::uint64_t;
  static constexpr Word zero = 1u << 24;  // both
  static Word get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void set(Word word) {
    asm volatile("msr fpcr, %0" : : "r"(word));
  }
#else
  using Word = unsigned;
  static constexpr Word zero = 0;
  static Word get() {
    return 0;
  }
  static void set(Word) {}
#endif

 public:
  [[gnu::always_inline]] SubnormalsAreZero() : before_(get()) {
    if ((before_ & zero) != zero) set(before_ | zero);
    asm volatile("" : : : "memory");
  }
  [[gnu::always_inline]] ~SubnormalsAreZero() {
    asm volatile("" : : : "memory");
    if ((before_ & zero) != zero) set(before_);
  }
  SubnormalsAreZero(const SubnormalsAreZero&) = delete;
  SubnormalsAreZero& operator=(const SubnormalsAreZero&) = delete;

 private:
  Word before_;
};

}  // namespace
}  // namespace carom::kernel
