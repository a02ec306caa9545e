// Stages 1 and 5, load and store: between columns of the host's and lanes. Whole blocks of contiguous columns are
// vector loads; anything else is gathered value by value. The lanes behind the end of a batch repeat its last contact.
#pragma once

#include "../columns.hpp"
#include "../lanes.hpp"
#include "job.hpp"

namespace carom::kernel {
namespace {

/// The contacts in the lanes: `count` of them, from `first` on.
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
struct PlanarBody {
  B inverse_mass, inverse_inertia;
  Vector2<B> velocity;
  B angular_velocity;
};

/// Both bodies of a contact.
template <class B>
struct PlanarPair {
  PlanarBody<B> a, b;
  Vector2<B> lever_a, lever_b;
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
inline void for_each_field(Fields& bodies, F&& f) requires(requires { bodies.lever_a; }) {
  for_each_field(bodies.a, f);
  for_each_field(bodies.b, f);
  for_each_field(bodies.lever_a, f);
  for_each_field(bodies.lever_b, f);
}

/// With `dense` the block is whole and the columns contiguous, which the caller has seen to.
template <class A, class T, bool dense = false>
struct PlanarColumns {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Body = PlanarBody<B>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  template <class V>
  static bool contiguous(const Column<V>& column, const Lanes& lanes) {
    return dense || (lanes.count == width && is_contiguous(column));
  }
  template <class V>
  static V* start(const Column<V>& column, const Lanes& lanes) {
    return column.data + lanes.first;
  }

  [[gnu::always_inline]] static B load(const Column<const T>& column, const Lanes& lanes) {
    if (contiguous(column, lanes)) [[likely]]
      return load_lanes<B>(start(column, lanes));
    return collect(column, lanes);
  }
  [[gnu::always_inline]] static Vector2<B> load(const planar::Vector2Columns<const T>& v, const Lanes& lanes) {
    return {load(v.x, lanes), load(v.y, lanes)};
  }
  [[gnu::always_inline]] static Body load(const planar::BodyColumns<const T>& body, const Lanes& lanes) {
    return {load(body.inverse_mass, lanes), load(body.inverse_inertia, lanes), load(body.velocity, lanes),
            load(body.angular_velocity, lanes)};
  }

  /// Of small numbers that are not T: laws.
  template <class V>
  static B load_number(const Column<V>& column, const Lanes& lanes) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = static_cast<T>(element(column, lanes.first + (lane < lanes.count ? lane : lanes.count - 1)));
    return load_lanes<B>(values);
  }

  [[gnu::always_inline]] static void store(const Column<T>& column, const Lanes& lanes, B x) {
    if (!column.data) return;
    if (contiguous(column, lanes)) [[likely]]
      return store_lanes(start(column, lanes), x);
    distribute(column, lanes, x);
  }
  [[gnu::always_inline]] static void store(const planar::Vector2Columns<T>& v, const Lanes& lanes,
                                           const Vector2<B>& x) {
    store(v.x, lanes, x.x);
    store(v.y, lanes, x.y);
  }
  template <class V>
  static void store_values(const Column<V>& column, const Lanes& lanes, const V (&values)[width]) {
    if (!column.data) return;
    if (contiguous(column, lanes)) {
      __builtin_memcpy(start(column, lanes), values, sizeof values);
      return;
    }
    for (std::size_t lane = 0; lane < lanes.count; ++lane) element(column, lanes.first + lane) = values[lane];
  }

  /// Which bodies a block names; 0 where none is stored.
  struct Indices {
    std::int32_t body[width];
    Mask stored, known;
  };
  static Indices load_indices(const Column<const std::int32_t>& column, std::size_t bodies, const Lanes& lanes) {
    Indices indices;
    T stored[width], known[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::int32_t body = element(column, lanes.first + (lane < lanes.count ? lane : lanes.count - 1));
      const bool inside = body >= 0 && static_cast<std::size_t>(body) < bodies;
      indices.body[lane] = inside ? body : 0;
      stored[lane] = inside ? T(1) : T(0);
      known[lane] = inside || body == -1 ? T(1) : T(0);
    }
    indices.stored = load_lanes<B>(stored) > B(0);
    indices.known = load_lanes<B>(known) > B(0);
    return indices;
  }

  /// The world reads as an immovable body at rest, a body out of range as NaN.
  static Body gather(const planar::BodyColumns<const T>& bodies, const Indices& indices) {
    const B missing = choose(indices.known, B(0), B(static_cast<T>(__builtin_nan(""))));
    const auto values_of = [&](const Column<const T>& column) {
      if (column.count == 0) return missing;
      T values[width];
      for (std::size_t lane = 0; lane < width; ++lane)
        values[lane] = element(column, static_cast<std::size_t>(indices.body[lane]));
      return choose(indices.stored, load_lanes<B>(values), missing);
    };
    return {values_of(bodies.inverse_mass),
            values_of(bodies.inverse_inertia),
            {values_of(bodies.velocity.x), values_of(bodies.velocity.y)},
            values_of(bodies.angular_velocity)};
  }

 private:
  [[gnu::noinline]] static B collect(const Column<const T>& column, const Lanes& lanes) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = element(column, lanes.first + (lane < lanes.count ? lane : lanes.count - 1));
    return load_lanes<B>(values);
  }
  [[gnu::noinline]] static void distribute(const Column<T>& column, const Lanes& lanes, B x) {
    T values[width];
    store_lanes(values, x);
    for (std::size_t lane = 0; lane < lanes.count; ++lane) element(column, lanes.first + lane) = values[lane];
  }
};

}  // namespace
}  // namespace carom::kernel
