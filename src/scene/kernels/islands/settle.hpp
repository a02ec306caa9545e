// Islands at rest: the impulses that a call begins with are tried as its solution, from the columns to the results.
// docs/scenes.md, Direct islands.
//
// The points of a manifold are the lanes, so that bits do not depend on other islands.
#pragma once

#include "contact/kernels/stages/elements.hpp"
#include "core/jobs/scene_job.hpp"
#include "core/jobs/settling.hpp"
#include "four.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct SettledIslands : FourLanes {
  using FourLanes::load, FourLanes::store;
  using Narrow [[gnu::vector_size(4 * sizeof(T))]] = T;

  /// Indices of a manifold's points in the columns. Missing points have the index of the last one.
  struct Place {
    std::uint32_t index[4];
    bool are_neighbours;  // four points at consecutive positions of contiguous columns
  };
  [[gnu::always_inline]] static Place place_of(const SceneJob<T>& job, const Settling& of, const Constraint& m) {
    if (of.is_contiguous && m.count == 4) [[likely]]
      return {{m.first, m.first + 1, m.first + 2, m.first + 3}, true};
    Place place{{}, false};
    for (std::uint32_t k = 0; k < 4; ++k)
      place.index[k] = number_at(job.contact_at, m.first + (k < m.count ? k : m.count - 1));
    return place;
  }

  [[gnu::always_inline]] static Four load_neighbours(const Column<const T>& column, const Place& at) {
    Narrow numbers;
    __builtin_memcpy(&numbers, column.data + at.index[0], sizeof numbers);
    return __builtin_convertvector(numbers, Four);
  }
  [[gnu::always_inline]] static Four load_elements(const Column<const T>& column, const Place& at) {
    Four numbers;
    for (int k = 0; k < 4; ++k) numbers[k] = static_cast<double>(element(column, at.index[k]));
    return numbers;
  }
  /// The numbers of a column that may also have one value for all.
  [[gnu::always_inline]] static Four load(const Column<const T>& column, const Place& at) {
    if (at.are_neighbours && is_contiguous(column)) return load_neighbours(column, at);
    if (column.stride == 0) return Four{} + static_cast<double>(*column.data);
    return load_elements(column, at);
  }
  [[gnu::always_inline]] static Vector load(const Vector3Columns<const T>& columns, const Place& at) {
    if (at.are_neighbours) [[likely]]
      return {load_neighbours(columns.x, at), load_neighbours(columns.y, at), load_neighbours(columns.z, at)};
    return {load_elements(columns.x, at), load_elements(columns.y, at), load_elements(columns.z, at)};
  }
  /// Without subnormal numbers and negative zeros.
  [[gnu::always_inline]] static Narrow narrow(const Four& x) {
    const Narrow y = __builtin_convertvector(x, Narrow), zero{}, least = zero + smallest;
    return ((y < least) & (-y < least)) ? zero : y;
  }
  [[gnu::always_inline]] static void store(const Column<T>& column, const Place& at, std::uint32_t count,
                                           const Narrow& numbers) {
    if (column.data == nullptr) return;
    if (at.are_neighbours) [[likely]] {
      __builtin_memcpy(column.data + at.index[0], &numbers, sizeof numbers);
      return;
    }
    for (std::uint32_t k = 0; k < count; ++k) element(column, at.index[k]) = numbers[k];
  }

  [[gnu::always_inline]] static SettledRow& row_of(const SceneJob<T>& job, const Settling& of, std::int32_t body) {
    return of.rows[body < 0 ? static_cast<std::ptrdiff_t>(job.bodies) : body];
  }
  /// False for bodies that belong to other shares of the island.
  [[gnu::always_inline]] static bool has(const SettledIsland& island, std::int32_t body) {
    return island.share_of == nullptr || body < 0 || island.share_of[body] == island.share;
  }
  [[gnu::always_inline]] static double turning(const T* record) {
    const T* const j = record + BodyRecord::inverse_inertia;
    return is_movable(record) ? (static_cast<double>(j[0]) + static_cast<double>(j[3])) + static_cast<double>(j[5])
                              : 0.0;
  }
  /// The row of a body of the island. Rows of immovable bodies have been set before.
  [[gnu::always_inline]] static SettledRow& begun_row(const SceneJob<T>& job, const Settling& of, SettledIsland& island,
                                                      std::int32_t body) {
    SettledRow& row = row_of(job, of, body);
    if (row.call == of.call) return row;
    row.call = of.call;
    row.next = island.body;
    row.is_pushed = false;
    island.body = body;
    ++island.bodies;
    const T* const v = job.velocities[body].numbers;
    for (std::size_t c = 0; c < 4; ++c) row.force[c] = row.torque[c] = 0;
    for (std::size_t c = 0; c < 6; ++c) row.free[c] = row.before[c] = static_cast<double>(v[c]);
    const T* const record = record_of(job.body_rows, body);
    row.moves = is_movable(record);
    row.turning = turning(record);
    if (job.changes != nullptr)
      for (std::size_t c = 0; c < 6; ++c)
        row.before[c] = row.free[c] - static_cast<double>(job.changes[body].numbers[c]);
    return row;
  }

  [[gnu::always_inline]] static void find_normal(const SceneJob<T>& job, std::uint32_t contact, double (&normal)[3]) {
    const Vector3Columns<const T>& normals = job.scene->contacts.normal;
    const double n[3] = {static_cast<double>(element(normals.x, contact)),
                         static_cast<double>(element(normals.y, contact)),
                         static_cast<double>(element(normals.z, contact))};
    const double inverse = 1 / __builtin_sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    for (std::size_t c = 0; c < 3; ++c) normal[c] = inverse * n[c];
  }
  /// Sets the unit normals, in a separate loop, because roots and quotients would stall longer ones.
  [[gnu::always_inline]] static void find_normals(const SceneJob<T>& job, const Settling& of,
                                                  const SettledIsland& island) {
    for (std::uint32_t k = island.first; k < island.end; ++k)
      find_normal(job, number_at(job.contact_at, job.manifolds[of.manifolds[k]].first), of.of_manifold[k].normal);
  }

  /// The impulses of the points of a manifold.
  [[gnu::always_inline]] static Vector impulse_of(const SceneJob<T>& job, const Constraint& m, const Place& at) {
    Vector w = load(job.warm_impulse, at);
    if (job.warm_rest.x.data != nullptr) {
      const Vector rest = load(job.warm_rest, at);
      w = {w.x + rest.x, w.y + rest.y, w.z + rest.z};
    }
    if (m.count < 4) {
      Four there{};
      for (std::uint32_t i = 0; i < m.count; ++i) there[i] = 1;
      w = {there * w.x, there * w.y, there * w.z};
    }
    return w;
  }
  /// Adds the impulses of a manifold to a body. `sign`: 1 for body A, -1 for body B.
  [[gnu::always_inline]] static void push(SettledRow& row, double sign, bool is_pushed, const Four& force,
                                          const Four& torque) {
    // Rows of immovable bodies belong to several threads.
    if (!row.moves) return;
    row.is_pushed = row.is_pushed || is_pushed;
    store(row.force, load(row.force) + sign * force);
    store(row.torque, load(row.torque) + sign * torque);
  }

  /// Adds up the impulses on the bodies. Returns false if a contact has left its cone, or has an impulse although it is
  /// open.
  [[gnu::always_inline]] static bool begin(const SceneJob<T>& job, const Settling& of, SettledIsland& island) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    Truth bad{};
    find_normals(job, of, island);
    for (std::uint32_t k = island.first; k < island.end; ++k) {
      const Constraint& m = job.manifolds[of.manifolds[k]];
      SettledManifold& to = of.of_manifold[k];
      const Place at = place_of(job, of, m);
      const Vector w = impulse_of(job, m, at);
      const Four zero{}, normal = dot(w, to.normal);
      const Vector t = {w.x - normal * to.normal[0], w.y - normal * to.normal[1], w.z - normal * to.normal[2]};
      const Four friction2 = (t.x * t.x + t.y * t.y) + t.z * t.z, most = to.friction * normal;
      const Truth loaded = normal > zero, nothing = (w.x == zero) & (w.y == zero) & (w.z == zero);
      const Truth holds = (friction2 <= most * most) & (normal < zero + of.max_number);
      bad |= (loaded & ~holds) | (~loaded & ~nothing);
      store(to.impulse, w);
      const bool is_pushed = any(loaded);
      const Vector ra = load(contacts.r_a, at), rb = load(contacts.r_b, at);
      const Four force = sums(w);
      // Another thread may write the row of a body of another share.
      double turning_a, turning_b;
      if (has(island, m.body_a)) [[likely]] {
        SettledRow& a = begun_row(job, of, island, m.body_a);
        turning_a = a.turning;
        push(a, 1, is_pushed, force, sums(cross(ra, w)));
      } else {
        turning_a = turning(record_of(job.body_rows, m.body_a));
      }
      if (has(island, m.body_b)) [[likely]] {
        SettledRow& b = begun_row(job, of, island, m.body_b);
        turning_b = b.turning;
        push(b, -1, is_pushed, force, sums(cross(rb, w)));
      } else {
        turning_b = turning(record_of(job.body_rows, m.body_b));
      }
      // Sweeps find the contacts whose K or target overflows.
      Four range = turning_a * ((ra.x * ra.x + ra.y * ra.y) + ra.z * ra.z) +
                   turning_b * ((rb.x * rb.x + rb.y * rb.y) + rb.z * rb.z);
      if (contacts.target_velocity.data != nullptr)
        range = larger(range, magnitude(load(contacts.target_velocity, at)));
      bad |= ~(range < of.max_number);
    }
    if (island.share_of != nullptr) begin_of_later_shares(job, of, island);
    for (std::uint32_t k = island.first_row; k < island.end_row; ++k) {
      const SettledJointRow& of_row = of.joint_rows[k];
      add(begun_row(job, of, island, of_row.body_a), of_row.impulse, of_row.along_a);
      add(begun_row(job, of, island, of_row.body_b), of_row.impulse, of_row.along_b);
    }
    return !any(bad);
  }
  /// Adds the impulses of manifolds of later shares to bodies of this one: every body gets the impulses of its
  /// manifolds in the order of the island, for any number of shares.
  static void begin_of_later_shares(const SceneJob<T>& job, const Settling& of, const SettledIsland& island) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const auto is_own = [&](std::int32_t body) { return body >= 0 && island.share_of[body] == island.share; };
    for (std::uint32_t k = island.end; k < island.end_of_island; ++k) {
      const Constraint& m = job.manifolds[of.manifolds[k]];
      const bool has_a = is_own(m.body_a), has_b = is_own(m.body_b);
      if (!has_a && !has_b) continue;
      const Place at = place_of(job, of, m);
      const Vector w = impulse_of(job, m, at);
      double n[3];
      find_normal(job, at.index[0], n);
      const bool is_pushed = any(dot(w, n) > Four{});
      const Four force = sums(w);
      if (has_a) push(row_of(job, of, m.body_a), 1, is_pushed, force, sums(cross(load(contacts.r_a, at), w)));
      if (has_b) push(row_of(job, of, m.body_b), -1, is_pushed, force, sums(cross(load(contacts.r_b, at), w)));
    }
  }
  [[gnu::always_inline]] static void add(SettledRow& row, double impulse, const double (&along)[6]) {
    if (!row.moves) return;
    row.is_pushed = true;
    for (std::size_t c = 0; c < 3; ++c) {
      row.force[c] += impulse * along[c];
      row.torque[c] += impulse * along[3 + c];
    }
  }

  /// Returns false if a body has no impulse, may be infinitely heavy in a direction, or turns the arms of joints.
  [[gnu::always_inline]] static bool find_velocities(const SceneJob<T>& job, const Settling& of,
                                                     SettledIsland& island) {
    const double max_spin = island.first_row < island.end_row ? of.max_spin : of.max_number;
    bool is_good = true;
    island.is_still = true;
    for (std::int32_t i = island.body; i >= 0; i = of.rows[i].next) {
      SettledRow& row = of.rows[i];
      const T* const record = record_of(job.body_rows, i);
      double j[6];
      for (std::size_t c = 0; c < 6; ++c) j[c] = static_cast<double>(record[BodyRecord::inverse_inertia + c]);
      const double inverse_mass = static_cast<double>(record[BodyRecord::inverse_mass]);
      const double* const t = row.torque;
      const double change[6] = {inverse_mass * row.force[0],
                                inverse_mass * row.force[1],
                                inverse_mass * row.force[2],
                                (j[0] * t[0] + j[1] * t[1]) + j[2] * t[2],
                                (j[1] * t[0] + j[3] * t[1]) + j[4] * t[2],
                                (j[2] * t[0] + j[4] * t[1]) + j[5] * t[2]};
      is_good = is_good && row.is_pushed && inverse_mass > 0 && j[0] > 0 && j[3] > 0 && j[5] > 0;
      for (std::size_t c = 0; c < 6; ++c) {
        row.velocity[c] = row.free[c] + change[c];
        is_good = is_good && __builtin_fabs(row.velocity[c]) < of.max_number &&
                  (c < 3 || __builtin_fabs(row.free[c]) < max_spin);
      }
      // Spin counts at the radius of gyration.
      const double *const v = row.velocity, *const spin = v + 3;
      const double radius2 = 3 * inverse_mass / ((j[0] + j[3]) + j[5]);
      const double speed2 = ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) +
                            radius2 * ((spin[0] * spin[0] + spin[1] * spin[1]) + spin[2] * spin[2]);
      island.is_still = island.is_still && speed2 <= island.still * island.still;
    }
    return is_good && (island.stopped_bodies == 0 || (island.is_still && has_uniform_forces(job, of, island)));
  }
  static bool has_uniform_forces(const SceneJob<T>& job, const Settling& of, const SettledIsland& island) {
    bool is_uniform = true;
    for (std::int32_t i = island.body; i >= 0 && job.changes != nullptr; i = of.rows[i].next)
      for (std::size_t c = 0; c < 6; ++c)
        is_uniform =
            is_uniform && job.changes[i].numbers[c] == (c < 3 ? job.changes[island.reference_body].numbers[c] : T(0));
    return is_uniform;
  }

  /// n·u of the points.
  [[gnu::always_inline]] static Four normal_velocity(const double (&n)[3], const Vector& about_a, const Vector& about_b,
                                                     const double (&a)[6], const double (&b)[6]) {
    const double linear = (n[0] * (a[0] - b[0]) + n[1] * (a[1] - b[1])) + n[2] * (a[2] - b[2]);
    const Four of_a = (about_a.x * a[3] + about_a.y * a[4]) + about_a.z * a[5];
    const Four of_b = (about_b.x * b[3] + about_b.y * b[4]) + about_b.z * b[5];
    return (of_a - of_b) + linear;
  }

  [[gnu::always_inline]] static bool meets_targets(const SceneJob<T>& job, const Settling& of, SettledIsland& island,
                                                   double closed) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const Four zero{};
    Four approach{}, residual{};
    Truth bad{};
    for (std::uint32_t k = island.first; k < island.end; ++k) {
      const Constraint& m = job.manifolds[of.manifolds[k]];
      SettledManifold& to = of.of_manifold[k];
      const SettledRow &a = row_of(job, of, m.body_a), &b = row_of(job, of, m.body_b);
      const Place at = place_of(job, of, m);
      const Vector ra = load(contacts.r_a, at), rb = load(contacts.r_b, at);
      const double(&n)[3] = to.normal;
      const Vector turn_a = cross(a.velocity + 3, ra), turn_b = cross(b.velocity + 3, rb);
      const Vector u = {(turn_a.x - turn_b.x) + (a.velocity[0] - b.velocity[0]),
                        (turn_a.y - turn_b.y) + (a.velocity[1] - b.velocity[1]),
                        (turn_a.z - turn_b.z) + (a.velocity[2] - b.velocity[2])};
      // w·(r × n) = n·(w × r)
      const Vector about_a = {ra.y * n[2] - ra.z * n[1], ra.z * n[0] - ra.x * n[2], ra.x * n[1] - ra.y * n[0]};
      const Vector about_b = {rb.y * n[2] - rb.z * n[1], rb.z * n[0] - rb.x * n[2], rb.x * n[1] - rb.y * n[0]};
      const Four free = normal_velocity(n, about_a, about_b, a.free, b.free);
      const Four before = normal_velocity(n, about_a, about_b, a.before, b.before);
      const Vector w = load(to.impulse);
      const Truth loaded = dot(w, n) > zero;
      Four slop = zero + to.slop, separation = zero, least = zero;
      if (contacts.slop.data != nullptr) {
        const Four own = load(contacts.slop, at);
        slop = own > zero ? own : slop;
      }
      if (contacts.separation.data != nullptr) separation = load(contacts.separation, at);
      if (contacts.target_velocity.data != nullptr) least = load(contacts.target_velocity, at);
      const Four ends = closed * slop;
      const Truth is_open = (separation > ends) & ~(loaded & (separation < of.closed * slop));
      Four target = least;
      if (any(is_open)) target = least - (is_open ? (separation - ends) / of.time_step : zero);
      const Four restitution = load(contacts.restitution, at), change = free - before;
      const Four fast = larger(zero + of.rebound_speed, of.impact_share * magnitude(change));
      const Truth comes = free < target,
                  hit = comes & ((target - before > of.impact) | ((restitution > zero) & (-before > fast)));
      const Four miss = dot(u, n) - target;
      const Vector error = {u.x - target * n[0], u.y - target * n[1], u.z - target * n[2]};
      const Four error2 = (error.x * error.x + error.y * error.y) + error.z * error.z;
      const Truth above = miss >= zero - island.max_miss, below = miss <= zero + island.max_miss;
      const Truth met = above & (~loaded | (below & (error2 <= zero + island.max_error * island.max_error)));
      bad |= ~met | hit | ~(separation >= -slop);
      approach = larger(least - free, approach);
      residual = larger(-miss, residual);
      store(to.velocity, u);
    }
    island.approach = largest(approach);
    island.residual = largest(residual);
    return !any(bad) && meet_targets(job, of, island);
  }
  /// The same for the rows of joints.
  static bool meet_targets(const SceneJob<T>& job, const Settling& of, SettledIsland& island) {
    bool met = true;
    for (std::uint32_t k = island.first_row; k < island.end_row; ++k) {
      SettledJointRow& row = of.joint_rows[k];
      const SettledRow &a = row_of(job, of, row.body_a), &b = row_of(job, of, row.body_b);
      row.velocity = row.free = 0;
      for (std::size_t c = 0; c < 6; ++c) {
        row.velocity += row.along_a[c] * a.velocity[c] + row.along_b[c] * b.velocity[c];
        row.free += row.along_a[c] * a.free[c] + row.along_b[c] * b.free[c];
      }
      const double miss = row.velocity - row.target;
      met = met && miss >= -row.below && miss <= row.above;
      const double missed = miss < 0 ? (row.below < of.max_number ? -miss : 0) : row.above < of.max_number ? miss : 0;
      const double approach = row.free < 0 ? -row.free : row.free;
      island.residual = missed > island.residual ? missed : island.residual;
      island.approach = approach > island.approach ? approach : island.approach;
    }
    return met;
  }

  /// Returns true if the impulses that the island begins with are its solution up to rounding. Nothing that the
  /// caller sees is written.
  static bool settle(const SceneJob<T>& job, const Settling& of, SettledIsland& island) {
    return begin_to_settle(job, of, island) && end_settling(job, of, island);
  }
  /// The two halves of settle(), for shares: all shares of an island call the first before one calls the second.
  static bool begin_to_settle(const SceneJob<T>& job, const Settling& of, SettledIsland& island) {
    island.bodies = 0;
    island.body = -1;
    const bool is_good = begin(job, of, island) && find_velocities(job, of, island);
    leave_lanes<A>();
    return is_good;
  }
  /// `bodies`: of the whole island.
  static bool end_settling(const SceneJob<T>& job, const Settling& of, SettledIsland& island) {
    const bool is_settled =
        (island.stopped_bodies == 0 || island.stopped_bodies == island.bodies) &&
        meets_targets(job, of, island,
                      island.may_be_large && island.bodies >= of.large_bodies ? of.closed_if_large : 0);
    leave_lanes<A>();
    return is_settled;
  }

  /// Stores an island that has settled, without its paths.
  static void store_settled(const SceneJob<T>& job, const Settling& of, const SettledIsland& island) {
    const SceneResults<T>& results = *job.results;
    const auto put = [&](const Vector3Columns<T>& to, const Place& at, std::uint32_t count, const Narrow(&v)[3]) {
      store(to.x, at, count, v[0]);
      store(to.y, at, count, v[1]);
      store(to.z, at, count, v[2]);
    };
    for (std::uint32_t k = island.first; k < island.end; ++k) {
      const Constraint& m = job.manifolds[of.manifolds[k]];
      const SettledManifold& from = of.of_manifold[k];
      const Place at = place_of(job, of, m);
      Four w[3];
      Narrow u[3], impulse[3], rest[3];
      for (std::size_t c = 0; c < 3; ++c) {
        w[c] = load(from.impulse[c]);
        u[c] = island.is_still ? Narrow{} : narrow(load(from.velocity[c]));
        impulse[c] = narrow(w[c]);
        rest[c] = narrow(w[c] - __builtin_convertvector(impulse[c], Four));
      }
      put(results.impulse, at, m.count, impulse);
      put(results.separation_velocity, at, m.count, u);
      put(results.warm_impulse, at, m.count, impulse);
      put(job.next_rest, at, m.count, rest);
      const Four zero{};
      const Truth pushed = (w[0] != zero) | (w[1] != zero) | (w[2] != zero);
      for (std::uint32_t i = 0; i < m.count; ++i)
        job.status[at.index[i]] = static_cast<std::uint8_t>(pushed[i] != 0 ? Status::ok : Status::separating);
    }
    for (std::int32_t i = island.body; i >= 0; i = of.rows[i].next)
      for (std::size_t c = 0; c < 6; ++c) {
        const double v = island.is_still ? 0 : of.rows[i].velocity[c];
        job.velocities[i].numbers[c] = static_cast<T>(v) + T(0);
        job.displacements[i].numbers[c] = static_cast<T>(of.time_step * v);
      }
    leave_lanes<A>();
  }

 private:
  static constexpr T smallest = sizeof(T) == sizeof(float) ? T(0x1p-126) : T(0x1p-1022);
};

}  // namespace
}  // namespace carom::kernel
