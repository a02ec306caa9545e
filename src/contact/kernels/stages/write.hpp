// Store: writes lanes to the caller's columns and to the tally, for any law.
#pragma once

#include "contact_pointers.hpp"
#include "load.hpp"
#include "simd/kernels/numerics/double_double.hpp"
#include "structs.hpp"

namespace carom::kernel {
namespace {

/// The contacts of a tile in the batch: from `first` on, or in the order of a list relative to `first`.
struct TileContacts {
  std::size_t first = 0;
  const std::uint32_t* order = nullptr;

  std::size_t operator[](std::size_t slot) const { return first + (order != nullptr ? order[slot] : slot); }
};

/// Counts `number` >= 1 contacts of a status, the first of which has index `first` in the batch.
[[gnu::always_inline]] inline void count_status(Tally& tally, std::size_t status, std::size_t number,
                                                std::size_t first) {
  if (tally.by_status[status] == 0 || first < tally.first[status]) tally.first[status] = first;
  tally.by_status[status] += number;
}

/// Same for the contacts in `lanes` of a vector that begins at `slot`.
[[gnu::always_inline]] inline void count_status(Tally& tally, Status status, unsigned lanes,
                                                const TileContacts& contacts, std::size_t slot) {
  if (lanes == 0) return;
  count_status(tally, static_cast<std::size_t>(status), static_cast<std::size_t>(__builtin_popcount(lanes)),
               contacts[slot + static_cast<std::size_t>(__builtin_ctz(lanes))]);
}

/// Calls f(number, lanes with it) for every number in `lanes`, of which there are few different ones. `values` has the
/// same numbers in memory.
template <class T, class B, std::size_t width, class F>
[[gnu::always_inline]] inline void for_each_value(B numbers, const T (&values)[width], unsigned lanes, F&& f) {
  while (lanes != 0) {
    const T value = values[__builtin_ctz(lanes)];
    const unsigned same = lane_bits(numbers == B(value)) & lanes;
    f(static_cast<std::size_t>(value), same);
    lanes &= ~same;
  }
}

/// Counts contacts of a vector, which begins at `slot`, by their status.
template <class T, class B, std::size_t width>
[[gnu::always_inline]] inline void count_statuses(Tally& tally, B status, const T (&values)[width], unsigned lanes,
                                                  const TileContacts& contacts, std::size_t slot) {
  for_each_value(
      status, values, lanes, [&](std::size_t number, unsigned same) __attribute__((always_inline)) {
        count_status(tally, static_cast<Status>(number), same, contacts, slot);
      });
}
/// Counts contacts by their path, as numbers of Path::index.
template <class T, class B, std::size_t width>
[[gnu::always_inline]] inline void count_paths(Tally& tally, B path, const T (&values)[width], unsigned lanes) {
  for_each_value(
      path, values, lanes, [&](std::size_t number, unsigned same) __attribute__((always_inline)) {
        tally.by_path[number] += static_cast<std::size_t>(__builtin_popcount(same));
      });
}

/// Records a gain [J] of kinetic energy. Among equal gains the first contact is kept.
inline void count_gain(Tally& tally, double gain, std::size_t contact) {
  if (gain > tally.max_energy_gain ||
      (gain == tally.max_energy_gain && gain > 0 && contact < tally.max_energy_gain_contact)) {
    tally.max_energy_gain = gain;
    tally.max_energy_gain_contact = contact;
  }
}

/// Records the gains of kinetic energy of the contacts in `gaining`, of a vector that begins at `slot`. Every contact
/// has units of its own.
template <class T, class B>
[[gnu::noinline]] inline void count_gains(Tally& tally, const TileContacts& contacts, std::size_t slot,
                                          unsigned gaining, B energy, B impulse_unit, B velocity_unit) {
  constexpr std::size_t width = VectorTraits<B>::width;
  T values[width], impulse_units[width], velocity_units[width];
  store_lanes(values, energy);
  store_lanes(impulse_units, impulse_unit);
  store_lanes(velocity_units, velocity_unit);
  for_each_bit(gaining, [&](std::size_t lane) {
    count_gain(tally,
               static_cast<double>(values[lane]) * static_cast<double>(impulse_units[lane]) *
                   static_cast<double>(velocity_units[lane]),
               contacts[slot + lane]);
  });
}
template <class T, class B>
[[gnu::always_inline]] inline void count_energy(Tally& tally, const TileContacts& contacts, std::size_t slot,
                                                unsigned gaining, B energy, B impulse_unit, B velocity_unit) {
  if (gaining != 0) [[unlikely]]
    count_gains<T>(tally, contacts, slot, gaining, energy, impulse_unit, velocity_unit);
}

template <class B, int dimension = 3>
struct Velocities {
  typename InDimension<B, dimension>::Vector linear;
  typename InDimension<B, dimension>::AngularVelocity angular;
};

/// J (r × p) with twice the digits.
template <class B>
[[gnu::noinline]] inline Vector3<B> accurate_turn(const Symmetric3<B>& j, const Vector3<B>& r, const Vector3<B>& p) {
  const auto minor = [](B a, B b, B c, B d) { return double_double_product(a, b) - double_double_product(c, d); };
  const DoubleDouble<B> x = minor(r.y, p.z, r.z, p.y), y = minor(r.z, p.x, r.x, p.z), z = minor(r.x, p.y, r.y, p.x);
  const auto row = [&](B jx, B jy, B jz) {
    return (double_double_product(x, jx) + double_double_product(y, jy) + double_double_product(z, jz)).value();
  };
  return {row(j.xx, j.xy, j.xz), row(j.xy, j.yy, j.yz), row(j.xz, j.yz, j.zz)};
}

/// Change of a body's angular velocity by an impulse, J (r × p). Uses double-double where nearly all of it cancels,
/// except for `plain` contacts, for which DirectLaws has checked that it does not.
template <class B, class Mask>
inline Vector3<B> turn_by(const Body<B>& body, const Vector3<B>& lever, const Vector3<B>& impulse, Mask plain) {
  const Symmetric3<B>& j = body.inverse_inertia;
  const Vector3<B> turn = TurnRows<B>(j, lever).times(impulse);
  const auto largest = [](const Vector3<B>& v) {
    return larger(larger(magnitude(v.x), magnitude(v.y)), magnitude(v.z));
  };
  const B limit(max_cancellation<typename VectorTraits<B>::Element>);
  const auto lossy = and_not((j.xx + j.yy + j.zz) * largest(cross(lever, impulse)) > limit * largest(turn), plain);
  if (lane_bits(lossy) == 0) [[likely]]
    return turn;
  return choose(lossy, accurate_turn(j, lever, impulse), turn);
}

template <class B, class Mask>
inline Vector3<B> turned_by(const Body<B>& body, const Vector3<B>& lever, const Vector3<B>& impulse, Mask plain) {
  return body.angular_velocity + turn_by(body, lever, impulse, plain);
}
template <class B, class Mask>
inline B turned_by(const Body<B, 2>& body, const Vector2<B>& lever, const Vector2<B>& impulse, Mask) {
  return mul_add(body.inverse_inertia, cross(lever, impulse), body.angular_velocity);
}

/// The velocities of a body after an impulse, where `resolved`; `plain` as for turn_by.
template <class B, int dimension, class Vector, class Mask>
inline Velocities<B, dimension> velocities_after(const Body<B, dimension>& body, const Vector& lever,
                                                 const Vector& impulse, Mask resolved, Mask plain) {
  const Vector v = mul_add(body.inverse_mass, impulse, body.velocity);
  const auto w = turned_by(body, lever, impulse, plain);
  // A body that is not touched keeps its bits, -0 and NaN included.
  return {choose(resolved, v, body.velocity), choose(resolved, w, body.angular_velocity)};
}

/// Addresses of the results of the first contact of a tile. Null for results that the caller does not want, except
/// `status` in 3D.
template <class T, int dimension>
struct ResultPointers {
  using In = InDimension<T*, dimension>;
  typename In::Vector impulse, separation_velocity, velocity_a;
  typename In::AngularVelocity angular_velocity_a;
  typename In::Vector velocity_b;
  typename In::AngularVelocity angular_velocity_b;
  T *work_compression, *work_decompression;  // of planar contacts
  Status* status;
  Path* path;
};

template <class T, class B>
[[gnu::always_inline]] inline void store_result(T* to, std::size_t slot, B x) {
  if (to != nullptr) store_lanes(to + slot, x);
}
template <class T, class B>
[[gnu::always_inline]] inline void store_result(const Vector2<T*>& to, std::size_t slot, const Vector2<B>& v) {
  store_result(to.x, slot, v.x);
  store_result(to.y, slot, v.y);
}
template <class T, class B>
[[gnu::always_inline]] inline void store_result(const Vector3<T*>& to, std::size_t slot, const Vector3<B>& v) {
  store_result(to.x, slot, v.x);
  store_result(to.y, slot, v.y);
  store_result(to.z, slot, v.z);
}
template <class T, class B, int dimension>
[[gnu::always_inline]] inline void store_velocities(const ResultPointers<T, dimension>& results, std::size_t slot,
                                                    const Velocities<B, dimension>& a,
                                                    const Velocities<B, dimension>& b) {
  store_result(results.velocity_a, slot, a.linear);
  store_result(results.angular_velocity_a, slot, a.angular);
  store_result(results.velocity_b, slot, b.linear);
  store_result(results.angular_velocity_b, slot, b.angular);
}

/// Path::index of contacts that do not stick in a phase, as lanes.
template <class B>
inline B path_of(SlidingEnd sliding_end) {
  return B(static_cast<VectorElement<B>>(Path{sliding_end, Sticking::none, 0, 0}.index()));
}

/// Stores the statuses of a vector that begins at `slot`, and counts the contacts in `lanes` by status.
template <class T, class B>
[[gnu::noinline]] inline void store_any_statuses(Status* to, Tally& tally, const TileContacts& contacts,
                                                 std::size_t slot, unsigned lanes, B status) {
  constexpr std::size_t width = VectorTraits<B>::width;
  T numbers[width];
  store_lanes(numbers, status);
  count_statuses(tally, status, numbers, lanes, contacts, slot);
  if (to != nullptr)
    for (std::size_t lane = 0; lane < width; ++lane)
      to[slot + lane] = static_cast<Status>(static_cast<std::uint8_t>(static_cast<std::int32_t>(numbers[lane])));
}
/// Stores and counts the statuses of the contacts in the lanes `here`. `ok`: the contacts with this status. The other
/// lanes get any status.
template <class T, class B>
[[gnu::always_inline]] inline void store_statuses(Status* to, Tally& tally, const TileContacts& contacts,
                                                  std::size_t slot, unsigned here, unsigned ok, B status) {
  count_status(tally, Status::ok, ok, contacts, slot);
  if (ok != here)
    store_any_statuses<T>(to, tally, contacts, slot, here & ~ok, status);
  else if (to != nullptr)
    __builtin_memset(to + slot, 0, VectorTraits<B>::width * sizeof(Status));
}

template <class A, class T>
struct Writer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr unsigned all_lanes = (1u << width) - 1;

  const Results<T>& results;
  Tally& tally;

  [[gnu::always_inline]] static void store(const Column<T>& column, const Block& block, B x) {
    if (!column.data) return;
    if (block.lanes == all_lanes && column.stride == static_cast<std::ptrdiff_t>(sizeof(T))) [[likely]]
      return store_lanes(&element(column, block.first), x);
    T values[width];
    store_lanes(values, x);
    distribute(column, block, values);
  }

  template <class V>
  [[gnu::noinline]] static void distribute(const Column<V>& column, const Block& block, const V (&values)[width]) {
    if (block.lanes == all_lanes) {
      char* const to = reinterpret_cast<char*>(&element(column, block.first));
      CAROM_UNROLL
      for (std::size_t lane = 0; lane < width; ++lane)
        *reinterpret_cast<V*>(to + static_cast<std::ptrdiff_t>(lane) * column.stride) = values[lane];
      return;
    }
    for_each_bit(block.lanes, [&](std::size_t lane) { element(column, block.first + lane) = values[lane]; });
  }

  [[gnu::always_inline]] static void store(const Vector3Columns<T>& columns, const Block& block, const Vector3<B>& v) {
    if (width > 1 && block.lanes == all_lanes && are_fields(columns)) return store_fields(columns, block, v);
    store(columns.x, block, v.x);
    store(columns.y, block, v.y);
    store(columns.z, block, v.z);
  }

  /// Returns true if the three components are adjacent in a struct.
  static bool are_fields(const Vector3Columns<T>& columns) {
    const auto& [x, y, z] = columns;
    return x.data != nullptr && !is_contiguous(x) && y.data == x.data + 1 && z.data == x.data + 2 &&
           y.stride == x.stride && z.stride == x.stride;
  }
  [[gnu::noinline]] static void store_fields(const Vector3Columns<T>& columns, const Block& block,
                                             const Vector3<B>& v) {
    if constexpr (width > 1) {
      constexpr std::size_t numbers = Piece<T>::numbers;
      const Rows<T, width> rows({reinterpret_cast<char*>(columns.x.data), columns.x.stride, 0, {}}, block.first);
      const B lanes[4] = {v.x, v.y, v.z, v.z};
      kernel::store_fields<B>(rows, numbers < 3 ? numbers : 3, lanes);
      if constexpr (numbers < 3) store(columns.z, block, v.z);
    }
  }

  template <class V>
  static void store_values(const Column<V>& column, const Block& block, const V (&values)[width]) {
    if (!column.data) return;
    if (block.lanes == all_lanes && column.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      __builtin_memcpy(&element(column, block.first), values, sizeof values);
    else
      distribute(column, block, values);
  }
};

}  // namespace
}  // namespace carom::kernel
