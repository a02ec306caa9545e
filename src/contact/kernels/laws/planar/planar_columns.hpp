// Planar vectors and bodies, and how they come from memory to lanes and back.
#pragma once

#include "contact/kernels/stages/elements.hpp"
#include "core/jobs/planar_job.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

/// Contacts in the lanes: `count` of them, from `first` on. Lanes after the end of a batch repeat its last contact.
struct Lanes {
  std::size_t first, count;
};

template <class B>
struct Vector2 {
  B x, y;
};
template <class B>
inline B dot(const Vector2<B>& a, const Vector2<B>& b) {
  return mul_add(a.x, b.x, a.y * b.y);
}
template <class B>
inline B cross(const Vector2<B>& a, const Vector2<B>& b) {
  return difference_of_products(a.x, b.y, a.y, b.x);
}

template <class B>
struct Symmetric2 {
  B xx, xy, yy;
};

template <class B>
struct PlanarBody {
  B inverse_mass, inverse_inertia;
  Vector2<B> velocity;
  B angular_velocity;
};

/// Both bodies of a contact.
template <class B>
struct PlanarPair {
  PlanarBody<B> a, b;
  Vector2<B> r_a, r_b;
};

/// Calls f(number) for each; `Fields` may be const.
template <class Fields, class F>
inline void for_each_field(Fields& v, F&& f) requires(requires { v.x; }) {
  f(v.x);
  f(v.y);
}
template <class Fields, class F>
inline void for_each_field(Fields& body, F&& f) requires(requires { body.inverse_mass; }) {
  f(body.inverse_mass);
  f(body.inverse_inertia);
  for_each_field(body.velocity, f);
  f(body.angular_velocity);
}
template <class Fields, class F>
inline void for_each_field(Fields& bodies, F&& f) requires(requires { bodies.r_a; }) {
  for_each_field(bodies.a, f);
  for_each_field(bodies.b, f);
  for_each_field(bodies.r_a, f);
  for_each_field(bodies.r_b, f);
}

/// Between a vector's lanes and memory. The stages see whole vectors, from `slot` of a tile on.
template <class A, class T>
struct PlanarColumns {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  static B load(const T* from, std::size_t slot) { return load_lanes<B>(from + slot); }
  static Vector2<B> load(const Vector2<const T*>& v, std::size_t slot) { return {load(v.x, slot), load(v.y, slot)}; }
  static PlanarBody<B> load(const PlanarBody<const T*>& body, std::size_t slot) {
    return {load(body.inverse_mass, slot), load(body.inverse_inertia, slot), load(body.velocity, slot),
            load(body.angular_velocity, slot)};
  }

  /// Stores a result if it is requested.
  static void store(T* to, std::size_t slot, B x) {
    if (to != nullptr) store_lanes(to + slot, x);
  }
  static void store(const Vector2<T*>& to, std::size_t slot, const Vector2<B>& v) {
    store(to.x, slot, v.x);
    store(to.y, slot, v.y);
  }

  /// Loads a parameter of a law from the caller's column.
  [[gnu::always_inline]] static B load(const Column<const T>& column, const Lanes& lanes) {
    if (lanes.count == width && is_contiguous(column)) [[likely]]
      return load_lanes<B>(column.data + lanes.first);
    return collect(column, lanes);
  }
  /// Same for small numbers that are not T: laws.
  template <class V>
  static B load_number(const Column<V>& column, const Lanes& lanes) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = static_cast<T>(element(column, lanes.first + (lane < lanes.count ? lane : lanes.count - 1)));
    return load_lanes<B>(values);
  }

 private:
  [[gnu::noinline]] static B collect(const Column<const T>& column, const Lanes& lanes) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = element(column, lanes.first + (lane < lanes.count ? lane : lanes.count - 1));
    return load_lanes<B>(values);
  }
};

}  // namespace
}  // namespace carom::kernel
