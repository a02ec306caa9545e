// Vectors of three in the caller's precision, for the preparation of scenes outside the kernels.
#pragma once

#include <algorithm>
#include <array>
#include <carom/contacts.hpp>
#include <cmath>
#include <cstddef>
#include <optional>

namespace carom::scene {

template <class T>
using Vector = std::array<T, 3>;

/// An element of columns, in double.
template <class T>
Vector<double> vector_at(const Vector3Columns<const T>& columns, std::size_t i) {
  return {static_cast<double>(columns.x[i]), static_cast<double>(columns.y[i]), static_cast<double>(columns.z[i])};
}

template <class T>
Vector<T> operator-(const Vector<T>& v) {
  return {-v[0], -v[1], -v[2]};
}

template <class T>
T dot(const Vector<T>& a, const Vector<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T>
Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T>
bool is_finite(const Vector<T>& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

/// Nothing of a vector that is 0 or not finite. Squares of its largest component would leave the range of T.
template <class T>
std::optional<Vector<T>> unit(const Vector<T>& v) {
  const T largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  if (!is_finite(v) || largest == 0) return std::nullopt;
  const Vector<T> scaled = {v[0] / largest, v[1] / largest, v[2] / largest};
  const T length = std::sqrt(dot(scaled, scaled));
  return Vector<T>{scaled[0] / length, scaled[1] / length, scaled[2] / length};
}

/// Two unit vectors t1, t2 with t1 × t2 = n, of a unit vector n. Duff et al., Building an Orthonormal Basis, Revisited,
/// JCGT 2017.
template <class T>
std::array<Vector<T>, 2> tangents(const Vector<T>& n) {
  const T sign = std::copysign(T(1), n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  return {{{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}}};
}

}  // namespace carom::scene
