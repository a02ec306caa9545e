// Elements of columns, and the columns of numbers that every contact of a form has, one after the other, and those of
// its results.
#pragma once

#include "job.hpp"

namespace carom::kernel {
namespace {

template <class V>
inline const V& element(const Column<const V>& column, std::size_t i) {
  return *reinterpret_cast<const V*>(reinterpret_cast<const char*>(column.data) +
                                     static_cast<std::ptrdiff_t>(i) * column.stride);
}
template <class V>
inline V& element(const Column<V>& column, std::size_t i) {
  return *reinterpret_cast<V*>(reinterpret_cast<char*>(column.data) + static_cast<std::ptrdiff_t>(i) * column.stride);
}

template <class V>
inline bool is_contiguous(const Column<V>& column) {
  return column.stride == static_cast<std::ptrdiff_t>(sizeof(V));
}

/// Calls f(column) for each; `Columns` may be const.
template <class Columns, class F>
[[gnu::always_inline]] inline void for_each_of_vector(Columns& v, F&& f) {
  f(v.x);
  f(v.y);
  f(v.z);
}

template <class Columns, class F>
[[gnu::always_inline]] inline void for_each_of_symmetric(Columns& m, F&& f) {
  f(m.xx);
  f(m.xy);
  f(m.xz);
  f(m.yy);
  f(m.yz);
  f(m.zz);
}

template <class Columns, class F>
[[gnu::always_inline]] inline void for_each_of_bodies(Columns& bodies, F&& f) {
  f(bodies.inverse_mass);
  for_each_of_symmetric(bodies.inverse_inertia, f);
  for_each_of_vector(bodies.velocity, f);
  for_each_of_vector(bodies.angular_velocity, f);
}

/// Bodies that are stored once are not among them.
template <class Contacts, class F>
[[gnu::always_inline]] inline void for_each_column(Contacts& contacts, F&& f) {
  f(contacts.friction);
  f(contacts.restitution);
  if constexpr (requires { contacts.separation_velocity; }) {
    for_each_of_symmetric(contacts.k, f);
    for_each_of_vector(contacts.separation_velocity, f);
  } else {
    for_each_of_vector(contacts.normal, f);
    for_each_of_vector(contacts.lever_a, f);
    for_each_of_vector(contacts.lever_b, f);
    if constexpr (requires { contacts.a; }) {
      for_each_of_bodies(contacts.a, f);
      for_each_of_bodies(contacts.b, f);
    }
  }
}

/// Works and steps are not among them.
template <class Results, class F>
[[gnu::always_inline]] inline void for_each_result(Results& results, F&& f) {
  for_each_of_vector(results.impulse, f);
  for_each_of_vector(results.separation_velocity, f);
  for_each_of_vector(results.velocity_a, f);
  for_each_of_vector(results.angular_velocity_a, f);
  for_each_of_vector(results.velocity_b, f);
  for_each_of_vector(results.angular_velocity_b, f);
}

}  // namespace
}  // namespace carom::kernel
