// Vectors and matrices of three, for code that is compiled once: the library without its kernels, the reference, tools,
// tests and benchmarks. Sums are taken from left to right.
#pragma once

#include <algorithm>
#include <array>
#include <carom/contacts.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace carom {

template <class T>
using Vector3 = std::array<T, 3>;
template <class T>
using Matrix3 = std::array<Vector3<T>, 3>;  ///< rows

/// The first three numbers of an array or behind a pointer.
template <class T, class Numbers>
Vector3<T> vector_of(const Numbers& x) {
  return {static_cast<T>(x[0]), static_cast<T>(x[1]), static_cast<T>(x[2])};
}

/// An element of columns, in double.
template <class T>
Vector3<double> vector_at(const Vector3Columns<const T>& columns, std::size_t i) {
  return {static_cast<double>(columns.x[i]), static_cast<double>(columns.y[i]), static_cast<double>(columns.z[i])};
}

template <class T, std::size_t n>
std::array<T, n> operator+(std::array<T, n> a, const std::array<T, n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] = a[i] + b[i];
  return a;
}

template <class T, std::size_t n>
std::array<T, n> operator-(std::array<T, n> a, const std::array<T, n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] = a[i] - b[i];
  return a;
}

template <class T, std::size_t n>
std::array<T, n> operator-(std::array<T, n> a) {
  for (T& x : a) x = -x;
  return a;
}

template <class T, std::size_t n>
std::array<T, n> operator*(std::type_identity_t<T> s, std::array<T, n> a) {
  for (T& x : a) x = s * x;
  return a;
}

template <class T, std::size_t n>
T dot(const std::array<T, n>& a, const std::array<T, n>& b) {
  T sum = a[0] * b[0];
  for (std::size_t i = 1; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T, std::size_t n>
T length(const std::array<T, n>& v) {
  return std::sqrt(dot(v, v));
}

template <class T, std::size_t n>
bool is_finite(const std::array<T, n>& v) {
  return std::all_of(v.begin(), v.end(), [](T x) { return std::isfinite(x); });
}

template <class T>
Vector3<T> operator*(const Matrix3<T>& m, const Vector3<T>& v) {
  return {dot(m[0], v), dot(m[1], v), dot(m[2], v)};
}

template <class T>
Matrix3<T> transpose(const Matrix3<T>& m) {
  return {{{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}}};
}

template <class T>
Matrix3<T> operator*(const Matrix3<T>& a, const Matrix3<T>& b) {
  const Matrix3<T> c = transpose(b);
  return {c * a[0], c * a[1], c * a[2]};
}

/// A symmetric matrix, of xx, xy, xz, yy, yz, zz.
template <class T>
Matrix3<T> symmetric(const std::array<T, 6>& m) {
  return {{{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}}};
}

/// Nothing of a vector that is 0 or not finite. Squares of its largest component would leave the range of T.
template <class T>
std::optional<Vector3<T>> unit(const Vector3<T>& v) {
  const T largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  if (!is_finite(v) || largest == 0) return std::nullopt;
  const Vector3<T> scaled = {v[0] / largest, v[1] / largest, v[2] / largest};
  const T size = length(scaled);
  return Vector3<T>{scaled[0] / size, scaled[1] / size, scaled[2] / size};
}

/// Two unit vectors t1, t2 with t1 × t2 = n, of a unit vector n. Duff et al., Building an Orthonormal Basis, Revisited,
/// JCGT 2017.
template <class T>
std::array<Vector3<T>, 2> tangents(const Vector3<T>& n) {
  const T sign = std::copysign(T(1), n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  return {{{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}}};
}

}  // namespace carom
