// The lane types of every ISA. Everything in the kernels has internal linkage, so that a function compiled for one ISA
// cannot replace the same function of another. For the same reason they call no inline function of a common header and
// no standard library function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

/// Before a loop of a known number of rounds. Code that has to be small, a sanitizer's additions and a build without
/// optimisation, which would warn of it, are not unrolled.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__OPTIMIZE_SIZE__) || \
    !defined(__OPTIMIZE__)
#define CAROM_UNROLL
#else
#define CAROM_UNROLL _Pragma("GCC unroll 32")
#endif

namespace carom::kernel {
namespace {

struct Scalar {};

template <class A, class T>
struct LaneTypes {
  using Batch = xsimd::batch<T, A>;
  using Mask = xsimd::batch_bool<T, A>;
  static constexpr std::size_t width = Batch::size;
};
template <class T>
struct LaneTypes<Scalar, T> {
  using Batch = T;
  using Mask = bool;
  static constexpr std::size_t width = 1;
};

/// The element and the width of a vector or a mask.
template <class V>
struct VectorTraits {
  using Element = V;
  static constexpr std::size_t width = 1;
};
template <class T, class A>
struct VectorTraits<xsimd::batch<T, A>> {
  using Element = T;
  static constexpr std::size_t width = xsimd::batch<T, A>::size;
};
template <class T, class A>
struct VectorTraits<xsimd::batch_bool<T, A>> {
  using Element = bool;
  static constexpr std::size_t width = xsimd::batch<T, A>::size;
};

template <class B>
using VectorElement = typename VectorTraits<B>::Element;

/// An enumerator in the lanes' own type.
template <class T, class B, class Enum>
inline B number(Enum value) {
  return B(static_cast<T>(value));
}

/// n, which the compiler does not know: it does not unroll a loop that ends there.
[[gnu::always_inline]] inline int inner_iterations(int n) {
  asm("" : "+r"(n));
  return n;
}

}  // namespace
}  // namespace carom::kernel
