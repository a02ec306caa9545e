// The structs of a contact's numbers (job.hpp), member by member: between vectors in registers, their lanes in memory
// and a tile's.
#pragma once

#include "core/jobs/job.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

/// Calls f(member of `from`, same member of the others...) for every member.
template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Rates<V>& from, Others&... others) {
  f(from.a1, others.a1...);
  f(from.a2, others.a2...);
  f(from.b1, others.b1...);
  f(from.b2, others.b2...);
  f(from.c1, others.c1...);
  f(from.c2, others.c2...);
  f(from.c3, others.c3...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Slide<V>& from, Others&... others) {
  f(from.ux, others.ux...);
  f(from.uy, others.uy...);
  f(from.uz, others.uz...);
  f(from.sum_x, others.sum_x...);
  f(from.sum_y, others.sum_y...);
  f(from.compression, others.compression...);
  f(from.decompression, others.decompression...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Prepared<V>& from, Others&... others) {
  each(f, from.rates, others.rates...);
  f(from.m1, others.m1...);
  f(from.m2, others.m2...);
  f(from.k1, others.k1...);
  f(from.k2, others.k2...);
  f(from.q1, others.q1...);
  f(from.q2, others.q2...);
  f(from.schur, others.schur...);
  f(from.u0x, others.u0x...);
  f(from.u0y, others.u0y...);
  f(from.u0z, others.u0z...);
  f(from.friction, others.friction...);
  f(from.restitution, others.restitution...);
  f(from.restitution_law, others.restitution_law...);
  f(from.friction_step, others.friction_step...);
  f(from.normal_step, others.normal_step...);
  f(from.velocity_unit, others.velocity_unit...);
  f(from.impulse_unit, others.impulse_unit...);
  f(from.t1x, others.t1x...);
  f(from.t1y, others.t1y...);
  f(from.t1z, others.t1z...);
  f(from.t2x, others.t2x...);
  f(from.t2y, others.t2y...);
  f(from.t2z, others.t2z...);
  f(from.nx, others.nx...);
  f(from.ny, others.ny...);
  f(from.nz, others.nz...);
  f(from.wx, others.wx...);
  f(from.wy, others.wy...);
  f(from.wz, others.wz...);
}

/// A struct of lanes in memory as one of vectors, from lane `slot` on.
template <class B, template <class> class S, class V>
[[gnu::always_inline]] inline S<B> load_each(const S<V>& lanes, std::size_t slot = 0) {
  S<B> vectors;
  each(
      [slot](const V& from, B& to) __attribute__((always_inline)) { to = load_lanes<B>(from + slot); }, lanes, vectors);
  return vectors;
}

template <class B, template <class> class S, class V>
[[gnu::always_inline]] inline void store_each(S<V>& lanes, const S<B>& vectors) {
  each(
      [](const B& from, V& to) __attribute__((always_inline)) { store_lanes(to, from); }, vectors, lanes);
}

/// One contact from lane i of one struct to lane j of another.
template <class From, class To>
[[gnu::always_inline]] inline void copy_lane(const From& from, std::size_t i, To& to, std::size_t j) {
  each(
      [ i, j ](const auto& source, auto& target) __attribute__((always_inline)) { target[j] = source[i]; }, from, to);
}

template <class Lanes>
[[gnu::always_inline]] inline void clear_lane(Lanes& lanes, std::size_t i) {
  each(
      [i](const auto&, auto& lane) __attribute__((always_inline)) { lane[i] = 0; }, lanes, lanes);
}

}  // namespace
}  // namespace carom::kernel
