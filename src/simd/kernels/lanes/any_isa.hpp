// Lanes and operations that all ISAs of xsimd's have in common.
#pragma once

#include "lane_types.hpp"

namespace carom::kernel {
namespace {

template <class T, class A>
inline xsimd::batch<T, A> square_root(xsimd::batch<T, A> x) {
  return xsimd::sqrt(x);
}
template <class T, class A>
inline xsimd::batch<T, A> magnitude(xsimd::batch<T, A> x) {
  return xsimd::abs(x);
}
/// Not x != x: xsimd 8.1 compares ordered on AVX, so that NaN != NaN is false there.
template <class T, class A>
inline xsimd::batch_bool<T, A> is_nan(xsimd::batch<T, A> x) {
  return xsimd::isnan(x);
}
template <class T, class A>
inline xsimd::batch<T, A> choose(xsimd::batch_bool<T, A> condition, xsimd::batch<T, A> yes, xsimd::batch<T, A> no) {
  return xsimd::select(condition, yes, no);
}
template <class B, class T>
inline B load_lanes(const T* from) requires(sizeof(B) > sizeof(T)) {
  return B::load_unaligned(from);
}
template <class T, class A>
inline void store_lanes(T* to, xsimd::batch<T, A> x) {
  x.store_unaligned(to);
}

}  // namespace
}  // namespace carom::kernel
