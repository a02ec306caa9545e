// Operations composed of the operations of every ISA.
#pragma once

#include "any_isa.hpp"
#include "avx2.hpp"
#include "avx512.hpp"
#include "neon.hpp"
#include "scalar.hpp"
#include "sse2.hpp"

namespace carom::kernel {
namespace {

/// -x, also of zero: xsimd 8.1 computes 0 - x on AVX-512, and in functions without an architecture elsewhere.
template <class B>
inline B negated(B x) {
  if constexpr (Number<B>)
    return opposite(x);
  else
    return B(-1) * x;
}

template <class B>
inline B larger(B a, B b) {
  return choose(a > b, a, b);
}

template <class B>
inline B smaller(B a, B b) {
  return choose(a < b, a, b);
}

/// Calls f(lane) for every bit that is set, from the lowest.
template <class F>
inline void for_each_bit(unsigned bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<std::size_t>(__builtin_ctz(bits)));
}

/// Copies cache lines past the caches, where the ISA can: `to` begins one, `count` is a multiple of one.
template <class T>
inline void stream_lines(T* to, const T* from, std::size_t count) {
  // A line at once where it can be: one that goes in parts may leave before it is whole.
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T))
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#elif defined(__AVX__)
  for (std::size_t i = 0; i < count; i += 32 / sizeof(T))
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < count; i += 16 / sizeof(T))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  __builtin_memcpy(to, from, count * sizeof(T));
#endif
}
/// Makes streamed stores visible to other threads.
inline void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Call before returning to baseline code, where dirty upper halves of registers slow down every SSE instruction. The
/// compiler does not insert it on every path.
template <class A>
inline void leave_lanes() {
#ifdef __AVX__
  _mm256_zeroupper();
#endif
}

}  // namespace
}  // namespace carom::kernel
