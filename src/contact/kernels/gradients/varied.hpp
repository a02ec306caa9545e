// Lanes that carry their derivatives in a few directions.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct Varied {
  static constexpr std::size_t size = 4;

  B value;
  B d[size];

  Varied() : Varied(B(0)) {}
  explicit Varied(B constant) : value(constant) {
    for (B& x : d) x = B(0);
  }
  /// A variable: varies only in direction i.
  Varied(B constant, std::size_t i) : Varied(constant) { d[i] = B(1); }

  template <class F>
  [[gnu::always_inline]] static Varied each(B value, F&& f) {
    Varied x(value);
    for (std::size_t i = 0; i < size; ++i) x.d[i] = f(i);
    return x;
  }

  friend Varied operator+(const Varied& a, const Varied& b) {
    return each(a.value + b.value, [&](std::size_t i) { return a.d[i] + b.d[i]; });
  }
  friend Varied operator-(const Varied& a, const Varied& b) {
    return each(a.value - b.value, [&](std::size_t i) { return a.d[i] - b.d[i]; });
  }
  friend Varied operator*(const Varied& a, const Varied& b) {
    return each(a.value * b.value, [&](std::size_t i) { return mul_add(a.value, b.d[i], b.value * a.d[i]); });
  }
  friend Varied operator/(const Varied& a, const Varied& b) {
    const B inverse = B(1) / b.value, ratio = a.value * inverse;
    return each(ratio, [&](std::size_t i) { return neg_mul_add(ratio, b.d[i], a.d[i]) * inverse; });
  }
};

template <class B>
inline Varied<B> with(const Varied<B>& x, B value, B slope) {
  return Varied<B>::each(value, [&](std::size_t i) { return slope * x.d[i]; });
}
template <class B>
inline Varied<B> root_of(const Varied<B>& x) {
  const B root = square_root(x.value);
  return with(x, root, B(VectorElement<B>(0.5)) / root);
}
/// Without derivatives at 0.
template <class B>
inline Varied<B> length_of(const Varied<B>& x, const Varied<B>& y) {
  const B r = square_root(mul_add(x.value, x.value, y.value * y.value));
  const B inverse = choose(r > B(0), B(1) / choose(r > B(0), r, B(1)), B(0));
  return Varied<B>::each(r, [&](std::size_t i) { return mul_add(x.value, x.d[i], y.value * y.d[i]) * inverse; });
}
template <class M, class B>
inline Varied<B> choose(M mask, const Varied<B>& yes, const Varied<B>& no) {
  return Varied<B>::each(choose(mask, yes.value, no.value),
                         [&](std::size_t i) { return choose(mask, yes.d[i], no.d[i]); });
}

}  // namespace
}  // namespace carom::kernel
