// Islands of one manifold of four points between a body and the resting world, tried as in settle.hpp, but with one
// island per lane. The operations and their order are the same, less sums with zero, so the bits are, too.
#pragma once

#include "settle.hpp"

// Vectors of 64 bytes have no registers on most ISAs. The functions that return them are inlined, so no ABI matters.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"
#endif

namespace carom::kernel {
namespace {

template <class A, class T>
struct SettledAlone {
  static constexpr std::size_t lanes = settled_side_by_side;
  static_assert(lanes == 8);
  using Islands = SettledIslands<A, T>;
  using Eight [[gnu::vector_size(8 * sizeof(double))]] = double;
  using Truth [[gnu::vector_size(8 * sizeof(double))]] = std::int64_t;
  using FourNumbers [[gnu::vector_size(4 * sizeof(T))]] = T;
  struct Vector {
    Eight x, y, z;
  };
  using Rows = const T* [lanes];
  using Numbers = double[lanes];

  [[gnu::always_inline]] static Eight load(const Numbers& from) {
    Eight x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  /// to[k] gets number c + k of every row.
  [[gnu::always_inline]] static void load_rows(const Rows& row, std::size_t c, Eight* to) {
    FourNumbers four[lanes];
    for (std::size_t i = 0; i < lanes; ++i) __builtin_memcpy(&four[i], row[i] + c, sizeof four[i]);
    const auto pair = [&](std::size_t i) __attribute__((always_inline)) {
      return __builtin_shufflevector(four[i], four[i + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    };
    const auto a = pair(0), b = pair(1), d = pair(2), e = pair(3);
    const auto ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto de_low = __builtin_shufflevector(d, e, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto de_high = __builtin_shufflevector(d, e, 2, 10, 3, 11, 6, 14, 7, 15);
    to[0] = __builtin_convertvector(__builtin_shufflevector(ab_low, de_low, 0, 1, 8, 9, 4, 5, 12, 13), Eight);
    to[1] = __builtin_convertvector(__builtin_shufflevector(ab_low, de_low, 2, 3, 10, 11, 6, 7, 14, 15), Eight);
    to[2] = __builtin_convertvector(__builtin_shufflevector(ab_high, de_high, 0, 1, 8, 9, 4, 5, 12, 13), Eight);
    to[3] = __builtin_convertvector(__builtin_shufflevector(ab_high, de_high, 2, 3, 10, 11, 6, 7, 14, 15), Eight);
  }
  [[gnu::always_inline]] static void load_eight(const Rows& row, Eight* to) {
    load_rows(row, 0, to);
    load_rows(row, 4, to + 4);
  }
  /// Numbers of the points.
  [[gnu::always_inline]] static void load(const Column<const T>& column, const std::uint32_t (&first)[lanes],
                                          Eight (&to)[4]) {
    if (is_contiguous(column)) {
      Rows row;
      for (std::size_t i = 0; i < lanes; ++i) row[i] = column.data + first[i];
      return load_rows(row, 0, to);
    }
    for (std::uint32_t p = 0; p < 4; ++p)
      for (std::size_t i = 0; i < lanes; ++i) to[p][i] = static_cast<double>(element(column, first[i] + p));
  }
  [[gnu::always_inline]] static void load(const Vector3Columns<const T>& columns, const std::uint32_t (&first)[lanes],
                                          Eight (&x)[4], Eight (&y)[4], Eight (&z)[4]) {
    load(columns.x, first, x);
    load(columns.y, first, y);
    load(columns.z, first, z);
  }
  [[gnu::always_inline]] static Eight larger(const Eight& x, const Eight& y) { return x > y ? x : y; }
  [[gnu::always_inline]] static Eight magnitude(const Eight& x) { return x < 0 ? -x : x; }
  [[gnu::always_inline]] static Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  [[gnu::always_inline]] static Eight dot(const Vector& a, const Vector& b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
  }
  [[gnu::always_inline]] static Eight sum(const Eight (&of)[4]) { return (of[0] + of[1]) + (of[2] + of[3]); }

  /// Returns the set of the islands that have settled and are still. The others are left as they were. All have the
  /// tolerances of the first. Impulses and normals here act on the body that moves.
  static std::uint32_t settle(const SceneJob<T>& job, const Settling& of, SettledIsland* const* islands,
                              std::size_t count) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    std::int32_t body[lanes];
    std::uint32_t first[lanes];
    Rows record, velocity, change, lever[3];
    Numbers sides, normals[3], frictions, slops;
    for (std::size_t i = 0; i < lanes; ++i) {
      const SettledIsland& island = *islands[i < count ? i : 0];
      const Constraint& m = job.manifolds[of.manifolds[island.first]];
      const SettledManifold& manifold = of.of_manifold[island.first];
      const bool is_a = m.body_a >= 0 && is_movable(record_of(job.body_rows, m.body_a));
      sides[i] = is_a ? 1 : -1;
      body[i] = is_a ? m.body_a : m.body_b;
      first[i] = m.first;
      record[i] = record_of(job.body_rows, body[i]);
      velocity[i] = job.velocities[body[i]].numbers;
      change[i] = job.changes != nullptr ? job.changes[body[i]].numbers : nullptr;
      const Vector3Columns<const T>& levers = is_a ? contacts.r_a : contacts.r_b;
      lever[0][i] = levers.x.data + m.first;
      lever[1][i] = levers.y.data + m.first;
      lever[2][i] = levers.z.data + m.first;
      normals[0][i] = static_cast<double>(element(contacts.normal.x, m.first));
      normals[1][i] = static_cast<double>(element(contacts.normal.y, m.first));
      normals[2][i] = static_cast<double>(element(contacts.normal.z, m.first));
      frictions[i] = manifold.friction;
      slops[i] = manifold.slop;
    }
    const Eight zero{}, side = load(sides);
    Vector n = {load(normals[0]), load(normals[1]), load(normals[2])};
    Numbers sizes;
    const Eight size2 = dot(n, n);
    for (std::size_t i = 0; i < lanes; ++i) sizes[i] = __builtin_sqrt(size2[i]);
    const Eight inverse_size = 1 / load(sizes);
    n = {side * (inverse_size * n.x), side * (inverse_size * n.y), side * (inverse_size * n.z)};

    Eight r[8], rx[4], ry[4], rz[4], wx[4], wy[4], wz[4];
    load_rows(lever[0], 0, rx);
    load_rows(lever[1], 0, ry);
    load_rows(lever[2], 0, rz);
    load(job.warm_impulse, first, wx, wy, wz);
    if (job.warm_rest.x.data != nullptr) {
      Eight x[4], y[4], z[4];
      load(job.warm_rest, first, x, y, z);
      for (int p = 0; p < 4; ++p) {
        wx[p] += x[p];
        wy[p] += y[p];
        wz[p] += z[p];
      }
    }
    load_eight(record, r);
    const Eight inverse_mass = r[BodyRecord::inverse_mass], *const j = r + BodyRecord::inverse_inertia;
    const Eight trace = (j[0] + j[3]) + j[5], friction = load(frictions);
    Eight target[4], torque_x[4], torque_y[4], torque_z[4];
    const bool has_targets = contacts.target_velocity.data != nullptr;
    if (has_targets) load(contacts.target_velocity, first, target);
    Truth bad{}, pushed{}, loaded[4];
    for (int p = 0; p < 4; ++p) {
      const Vector w = {side * wx[p], side * wy[p], side * wz[p]}, arm = {rx[p], ry[p], rz[p]};
      wx[p] = w.x;
      wy[p] = w.y;
      wz[p] = w.z;
      const Eight normal = dot(w, n);
      const Vector t = {w.x - normal * n.x, w.y - normal * n.y, w.z - normal * n.z};
      const Eight friction2 = dot(t, t), most = friction * normal;
      loaded[p] = normal > zero;
      const Truth nothing = (w.x == zero) & (w.y == zero) & (w.z == zero);
      const Truth holds = (friction2 <= most * most) & (normal < zero + of.max_number);
      bad |= (loaded[p] & ~holds) | (~loaded[p] & ~nothing);
      pushed |= loaded[p];
      Eight range = trace * dot(arm, arm);
      if (has_targets) range = larger(range, magnitude(target[p]));
      bad |= ~(range < zero + of.max_number);
      const Vector torque = cross(arm, w);
      torque_x[p] = torque.x;
      torque_y[p] = torque.y;
      torque_z[p] = torque.z;
    }

    Eight free[8], before[8], v[6];
    load_eight(velocity, free);
    for (int c = 0; c < 6; ++c) before[c] = free[c];
    if (job.changes != nullptr) {
      Eight by_forces[8];
      load_eight(change, by_forces);
      for (int c = 0; c < 6; ++c) before[c] = free[c] - by_forces[c];
    }
    const Vector t = {sum(torque_x), sum(torque_y), sum(torque_z)};
    v[0] = free[0] + inverse_mass * sum(wx);
    v[1] = free[1] + inverse_mass * sum(wy);
    v[2] = free[2] + inverse_mass * sum(wz);
    v[3] = free[3] + ((j[0] * t.x + j[1] * t.y) + j[2] * t.z);
    v[4] = free[4] + ((j[1] * t.x + j[3] * t.y) + j[4] * t.z);
    v[5] = free[5] + ((j[2] * t.x + j[4] * t.y) + j[5] * t.z);
    Truth good = pushed & (inverse_mass > zero) & (j[0] > zero) & (j[3] > zero) & (j[5] > zero);
    for (int c = 0; c < 6; ++c) good &= magnitude(v[c]) < zero + of.max_number;
    for (int c = 3; c < 6; ++c) good &= magnitude(free[c]) < zero + of.max_number;
    const Eight radius2 = 3 * inverse_mass / trace;
    const double still = islands[0]->still, max_miss = islands[0]->max_miss, max_error = islands[0]->max_error;
    const Vector linear = {v[0], v[1], v[2]}, spin = {v[3], v[4], v[5]};
    good &= dot(linear, linear) + radius2 * dot(spin, spin) <= zero + still * still;

    Eight own_slop[4], separation[4], restitution[4];
    const bool has_slops = contacts.slop.data != nullptr, has_gaps = contacts.separation.data != nullptr;
    if (has_slops) load(contacts.slop, first, own_slop);
    if (has_gaps) load(contacts.separation, first, separation);
    load(contacts.restitution, first, restitution);
    Eight approach{}, residual{};
    for (int p = 0; p < 4; ++p) {
      const Vector arm = {rx[p], ry[p], rz[p]}, turn = cross(spin, arm);
      const Vector u = {turn.x + v[0], turn.y + v[1], turn.z + v[2]}, about = cross(arm, n);
      const auto along = [&](const Eight* x) __attribute__((always_inline)) {
        const Eight of_spin = (about.x * x[3] + about.y * x[4]) + about.z * x[5];
        return of_spin + ((n.x * x[0] + n.y * x[1]) + n.z * x[2]);
      };
      const Eight free_n = along(free), before_n = along(before), g = has_gaps ? separation[p] : zero;
      Eight slop = load(slops);
      if (has_slops) slop = own_slop[p] > zero ? own_slop[p] : slop;
      const Eight least = has_targets ? target[p] : zero;
      const Truth is_open = (g > zero) & ~(loaded[p] & (g < of.closed * slop));
      const Eight wanted = least - (is_open ? g / of.time_step : zero);
      const Eight fast = larger(zero + of.rebound_speed, of.impact_share * magnitude(free_n - before_n));
      const Truth comes = free_n < wanted;
      const Truth hit = comes & ((wanted - before_n > of.impact) | ((restitution[p] > zero) & (-before_n > fast)));
      const Eight miss = dot(u, n) - wanted;
      const Vector error = {u.x - wanted * n.x, u.y - wanted * n.y, u.z - wanted * n.z};
      const Truth above = miss >= zero - max_miss, below = miss <= zero + max_miss;
      bad |= ~(above & (~loaded[p] | (below & (dot(error, error) <= zero + max_error * max_error))));
      bad |= hit | ~(g >= -slop);
      approach = larger(least - free_n, approach);
      residual = larger(-miss, residual);
    }
    const Truth settled = good & ~bad;
    std::uint32_t set = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i] == 0) continue;
      SettledIsland& island = *islands[i];
      set |= 1u << i;
      island.approach = approach[i];
      island.residual = residual[i];
      island.is_still = true;
      island.body = body[i];
      of.rows[body[i]].next = -1;
      Islands::store(of.of_manifold[island.first].impulse,
                     Islands::impulse_of(job, job.manifolds[of.manifolds[island.first]],
                                         {{first[i], first[i] + 1, first[i] + 2, first[i] + 3}, true}));
    }
    leave_lanes<A>();
    return set;
  }
};

}  // namespace
}  // namespace carom::kernel

#ifdef __clang__
#pragma clang diagnostic pop
#endif
