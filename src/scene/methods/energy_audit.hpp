// The energy of islands in substeps. An island may gain the work of forces, targets, moving bodies of infinite mass,
// surface velocities and springs. The excess, which sweeps that end early add, is removed. docs/scenes.md, Energy.
//
// With v⁻ and v⁺ the velocities at the ends of a substep, c the velocity change by forces and p the impulses, exactly
//
//   E(v⁺) - E(v⁻) = c·M (v⁻ + v⁺)/2 + p·J (v⁻ + v⁺)/2
//
// The first term is the work of forces. The second one is the work of impulses, which may be positive only by the
// causes listed in scene/kernels/stages/energy.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/jobs/body_record.hpp"
#include "core/support/rotation.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// The inverse of an inverse inertia, without the axes about which the body cannot turn.
inline std::array<double, 6> inertia_of(const std::array<double, 6>& j, double rounding) {
  const double tiny = 8 * rounding * (j[0] + j[3] + j[5]);
  const auto over = [&](double x, double pivot) { return pivot > tiny ? x / pivot : 0; };
  if (j[1] == 0 && j[2] == 0 && j[4] == 0) return {over(1, j[0]), 0, 0, over(1, j[3]), 0, over(1, j[5])};
  // J = L D Lᵀ
  const double l21 = over(j[1], j[0]), l31 = over(j[2], j[0]);
  const double d2 = j[3] - l21 * j[1], off = j[4] - l21 * j[2], l32 = over(off, d2);
  const double d3 = j[5] - l31 * j[2] - l32 * off;
  const double e1 = over(1, j[0]), e2 = over(1, d2), e3 = over(1, d3), m31 = l21 * l32 - l31;
  return {
      e1 + l21 * l21 * e2 + m31 * m31 * e3, -l21 * e2 - m31 * l32 * e3, m31 * e3, e2 + l32 * l32 * e3, -l32 * e3, e3};
}

template <class T>
class EnergyAudit {
 public:
  static constexpr double rounding = sizeof(T) == sizeof(float) ? 0x1p-23 : 0x1p-52;

  /// The forces act in equal parts in every substep.
  EnergyAudit(const kernel::SceneJob<T>& job, Workspace<T>& space, const Part& part, int substeps)
      : job_(job), space_(space), graph_(space.graph), part_(part), share_(T(1) / static_cast<T>(substeps)) {}

  /// Takes the bodies' masses, and the energy at the start of the step, without forces.
  template <class Each>
  void begin(const Each& each, bool may_turn) {
    each_body(each, [&](std::uint32_t i) { take(i, may_turn); });
    for_islands([&](std::uint32_t island, IslandEnergy& of) {
      const Sums s = sum(island, each, of, space_.began.data());
      of.kinetic = s.kinetic;
      of.by_forces = s.by_forces;
      of.momentum = s.momentum;
      of.half_change = job_.changes != nullptr ? half_change(island, each, of) : 0;
    });
  }

  /// Finds the energy of every island after a substep, and removes the excess. `find_work` computes the
  /// work of the impulses; `has_work` is false if it is zero for all.
  template <class Each, class FindWork>
  void check(const Each& each, bool has_work, const FindWork& find_work) {
    bool knows = has_work;
    if (has_work) find_work();
    for_islands([&](std::uint32_t island, IslandEnergy& of) {
      Sums now = sum(island, each, of, job_.velocities);
      if (!std::isfinite(now.kinetic)) return;
      // Islands with touching contacts gain no more than the work of forces. The energy of islands with only joints
      // oscillates, and may gain the energy that forces added before impulses act.
      const double strict = of.kinetic + 0.5 * (of.by_forces + now.by_forces);
      const double loose = of.kinetic + of.by_forces + of.half_change;
      const double work = has_work ? work_of(of, now) : 0;
      const double scale = of.kinetic + std::abs(of.by_forces) + std::abs(now.by_forces) + std::abs(work);
      const double rest = tolerance * scale + tiny;
      if (now.kinetic > std::min(strict, loose) + work + rest) {
        if (!knows) find_work();
        knows = true;
        const bool loaded = of.of_impulses.loaded, grounded = of.of_impulses.grounded;
        const double allowed = (loaded ? strict : loose) + work;
        if (now.kinetic > allowed + rest) {
          const double before = now.kinetic;
          if (loaded && grounded)
            brake(island, each, of, std::max(allowed, 0.0), now);
          else
            scale_impulses(island, each, of, allowed, true, now);
          of.removed += std::max(before - now.kinetic, 0.0);
        }
      }
      of.lost += of.kinetic + 0.5 * (of.by_forces + now.by_forces) + work - now.kinetic;
      of.kinetic = now.kinetic;
      of.by_forces = now.by_forces;
      of.momentum = now.momentum;
    });
  }

  /// Stores the velocities before contacts rebound, and the work of the impulses that springs begin with. `find_work`
  /// measures it with these velocities.
  template <class Each, class FindWork>
  void begin_rebound(const Each& each, const FindWork& find_work) {
    each_body(each, [&](std::uint32_t i) { space_.began.data()[i] = job_.velocities[i]; });
    find_work();
    for_islands([&](std::uint32_t, IslandEnergy& of) { of.work_before = of.of_impulses.work; });
  }
  /// A rebound returns at most e² of the energy that the step has lost, with e the restitution. It happens
  /// at mid substep: velocities count with half of its forces, E(v + c/2). An elastic ball keeps its height by that.
  template <class Each>
  void check_rebound(const Each& each, bool has_work) {
    for_islands([&](std::uint32_t island, IslandEnergy& of) {
      Sums now = sum(island, each, of, job_.velocities);
      if (!std::isfinite(now.kinetic)) return;
      double work = 0;
      if (has_work) {
        work = of.of_impulses.work - of.work_before;
        for (std::size_t c = 0; c < 3; ++c) work -= of.frame[c] * (now.momentum[c] - of.momentum[c]);
      }
      const double allowed = of.kinetic + of.restitution * of.restitution * std::max(of.lost, 0.0) + work;
      const double before = now.kinetic, more = 0.5 * (now.by_forces - of.by_forces);
      const double scale = before + std::abs(now.by_forces) + std::abs(of.by_forces) + std::abs(work);
      if (!(before + more > allowed + tolerance * scale + tiny)) return;
      scale_impulses(island, each, of, allowed, false, now);
      of.removed += std::max(before - now.kinetic, 0.0);
    });
  }

  /// Adds the impulses of a lane of a block.
  void add(std::uint32_t island, double work, bool loaded, bool grounded) {
    ImpulseWork& of = space_.island_energy[island].of_impulses;
    of.work += work;
    of.loaded = of.loaded || loaded;
    of.grounded = of.grounded || grounded;
  }
  void forget_work() {
    for_islands([](std::uint32_t, IslandEnergy& of) { of.of_impulses = {}; });
  }

  /// Turns the inertia of a body by its rotation since the step began.
  void turn(std::uint32_t i) {
    // [rad] Less changes an inertia by less than a joint notices.
    constexpr T noticed = T(0.01);
    const T* const r = job_.displacements[i].numbers + 3;
    if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > noticed * noticed)) return;
    const Quaternion q = quaternion_of(vector_of<double>(r));
    const std::array<double, 6> inverse = inverse_inertia(i), now = turned(inverse, q);
    for (std::size_t c = 0; c < 6; ++c) space_.turned.data()[i].numbers[c] = static_cast<T>(now[c]);
    set_inertia(i, turned(inertia_of(inverse, rounding), q));
  }

 private:
  /// [1] Rounding of velocities changes the energy by less than this share.
  static constexpr double tolerance = sizeof(T) == sizeof(float) ? 1e-6 : 1e-12;
  static constexpr double tiny = 1e-30;
  /// A body is braked in full if the substep has changed its velocity by a share of 1 / √braking or more.
  static constexpr T braking = T(100);
  /// A body falls if forces accelerate it and impulses have changed less than this share of its energy. It has gained
  /// the work of forces.
  static constexpr T falling = T(2e-12);
  static constexpr std::size_t bodies_at_once = 64;

  struct Row {
    T c[8];
  };
  struct Sums {
    double kinetic = 0, by_forces = 0;
    std::array<double, 3> momentum{};
  };

  template <class F>
  void for_islands(const F& f) {
    for (std::uint32_t i = part_.first_island; i < part_.first_island + part_.islands; ++i)
      f(i, space_.island_energy[i]);
  }
  template <class Each, class F>
  void each_body(const Each& each, const F& f) {
    each_range(part_.first_body, part_.end_body, each, f);
  }
  template <class Each, class F>
  void each_range(std::uint32_t begin, std::uint32_t end, const Each& each, const F& f) {
    each((end - begin + bodies_at_once - 1) / bodies_at_once, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = begin + first * bodies_at_once;
           i < std::min<std::size_t>(end, begin + last * bodies_at_once); ++i)
        f(graph_.bodies[i]);
    });
  }
  template <class Each, class F>
  void each_of(std::uint32_t island, const Each& each, const F& f) {
    each_range(graph_.body_begin[island], graph_.body_begin[island + 1], each, f);
  }
  /// Adds up f(bodies, how many) over the bodies of an island, 64 at a time: bits do not depend on threads.
  template <class Each, class F>
  EnergySums sum_of(std::uint32_t island, const Each& each, const F& f) {
    const std::uint32_t begin = graph_.body_begin[island], end = graph_.body_begin[island + 1];
    const auto part_of = [&](std::size_t k) {
      const std::size_t first = begin + k * bodies_at_once;
      return f(graph_.bodies.data() + first, std::min<std::size_t>(end - first, bodies_at_once));
    };
    const std::size_t parts = (end - begin + bodies_at_once - 1) / bodies_at_once;
    if (parts == 1) return part_of(0);
    EnergySums* const partial = space_.energy_sums.data() + begin / bodies_at_once + island;
    each(parts, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t k = first; k < last; ++k) partial[k] = part_of(k);
    });
    EnergySums s = partial[0];
    for (std::size_t k = 1; k < parts; ++k)
      for (std::size_t c = 0; c < s.size(); ++c) s[c] += partial[k][c];
    return s;
  }
  template <class Each>
  Sums sum(std::uint32_t island, const Each& each, const IslandEnergy& of, const kernel::VelocityRow<T>* velocities) {
    const Row frame = frame_of(of);
    EnergySums s = sum_of(island, each, [&](const std::uint32_t* bodies, std::size_t n) {
      // Squares by component, as rows of eight, then products of two components of the spin.
      double square[8] = {}, forces[8] = {}, mixed = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t i = bodies[k];
        const T* const v = velocities[i].numbers;
        const BodyInertia<T>& m = space_.inertia.data()[i];
        T x[8], energy[8], work[8];
        for (std::size_t c = 0; c < 8; ++c) {
          x[c] = v[c] - frame.c[c];
          energy[c] = m.own[c] * x[c] * x[c];
          work[c] = m.forces[c] * x[c];
        }
        for (std::size_t c = 0; c < 8; ++c) {
          square[c] += static_cast<double>(energy[c]);
          forces[c] += static_cast<double>(work[c]);
        }
        mixed += static_cast<double>(x[3] * (m.mixed[0] * x[4] + m.mixed[1] * x[5]) + m.mixed[2] * x[4] * x[5]);
      }
      return EnergySums{0.5 * total(square) + mixed, total(forces)};
    });
    Sums made{s[0], s[1], {}};
    if (!of.has_frame) return made;
    s = sum_of(island, each, [&](const std::uint32_t* bodies, std::size_t n) {
      EnergySums momentum{};
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < 3; ++c)
          momentum[c] +=
              static_cast<double>(space_.inertia.data()[bodies[k]].own[0] * velocities[bodies[k]].numbers[c]);
      return momentum;
    });
    for (std::size_t c = 0; c < 3; ++c) made.momentum[c] = s[c];
    return made;
  }
  static double total(const double (&x)[8]) {
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
  /// c·M c / 2, with c the velocity change by the forces of a substep, and M c.
  template <class Each>
  double half_change(std::uint32_t island, const Each& each, IslandEnergy& of) {
    const EnergySums s = sum_of(island, each, [&](const std::uint32_t* bodies, std::size_t n) {
      EnergySums made{};
      for (std::size_t k = 0; k < n; ++k) {
        const BodyInertia<T>& m = space_.inertia.data()[bodies[k]];
        for (std::size_t c = 0; c < 6; ++c)
          made[0] += 0.5 * static_cast<double>(share_ * m.forces[c] * job_.changes[bodies[k]].numbers[c]);
        for (std::size_t c = 0; c < 3; ++c) made[1 + c] += static_cast<double>(m.forces[c]);
      }
      return made;
    });
    for (std::size_t c = 0; c < 3; ++c) of.momentum_by_forces[c] = s[1 + c];
    return s[0];
  }

  std::array<double, 6> inverse_inertia(std::uint32_t i) const {
    const T* const j = inverse_of(i);
    std::array<double, 6> made;
    for (std::size_t c = 0; c < 6; ++c) made[c] = static_cast<double>(j[c]);
    return made;
  }
  const T* inverse_of(std::uint32_t i) const {
    return kernel::record_of(job_.body_rows, static_cast<std::ptrdiff_t>(i)) + kernel::BodyRecord::inverse_inertia;
  }
  void take(std::uint32_t i, bool may_turn) {
    const T inverse = kernel::record_of(job_.body_rows, static_cast<std::ptrdiff_t>(i))[0];
    BodyInertia<T>& to = space_.inertia.data()[i];
    to.own[0] = to.own[1] = to.own[2] = inverse > T(0) ? T(1) / inverse : T(0);
    to.own[6] = to.own[7] = T(0);
    for (T& x : to.forces) x = T(0);
    set_inertia(i, inertia_of(inverse_inertia(i), rounding));
    for (std::size_t c = 0; c < 3 && job_.changes != nullptr; ++c)
      to.forces[c] = share_ * to.own[c] * job_.changes[i].numbers[c];
    if (may_turn) std::copy_n(inverse_of(i), 6, space_.turned.data()[i].numbers);
  }
  void set_inertia(std::uint32_t i, const std::array<double, 6>& inertia) {
    BodyInertia<T>& to = space_.inertia.data()[i];
    const auto [xx, xy, xz, yy, yz, zz] = inertia;
    to.own[3] = static_cast<T>(xx);
    to.own[4] = static_cast<T>(yy);
    to.own[5] = static_cast<T>(zz);
    to.mixed[0] = static_cast<T>(xy);
    to.mixed[1] = static_cast<T>(xz);
    to.mixed[2] = static_cast<T>(yz);
    if (job_.changes == nullptr) return;
    const T* const w = job_.changes[i].numbers + 3;
    if (w[0] == T(0) && w[1] == T(0) && w[2] == T(0)) return;
    to.forces[3] = share_ * (to.own[3] * w[0] + to.mixed[0] * w[1] + to.mixed[1] * w[2]);
    to.forces[4] = share_ * (to.mixed[0] * w[0] + to.own[4] * w[1] + to.mixed[2] * w[2]);
    to.forces[5] = share_ * (to.mixed[1] * w[0] + to.mixed[2] * w[1] + to.own[5] * w[2]);
  }

  static Row frame_of(const IslandEnergy& of) {
    return {{static_cast<T>(of.frame[0]), static_cast<T>(of.frame[1]), static_cast<T>(of.frame[2])}};
  }
  /// x·M y
  T product(std::uint32_t i, const Row& x, const Row& y) const {
    const BodyInertia<T>& m = space_.inertia.data()[i];
    const T *const a = x.c, *const b = y.c;
    return m.own[0] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) +
           (m.own[3] * a[3] * b[3] + m.own[4] * a[4] * b[4] + m.own[5] * a[5] * b[5]) +
           (m.mixed[0] * (a[3] * b[4] + a[4] * b[3]) + m.mixed[1] * (a[3] * b[5] + a[5] * b[3]) +
            m.mixed[2] * (a[4] * b[5] + a[5] * b[4]));
  }
  T work_of_forces(std::uint32_t i, const Row& x) const {
    const T* const f = space_.inertia.data()[i].forces;
    return (f[0] * x.c[0] + f[1] * x.c[1] + f[2] * x.c[2]) + (f[3] * x.c[3] + f[4] * x.c[4] + f[5] * x.c[5]);
  }
  /// The work of impulses, in the frame of the island.
  static double work_of(const IslandEnergy& of, const Sums& now) {
    double work = of.of_impulses.work;
    for (std::size_t c = 0; c < 3 && of.has_frame; ++c)
      work -= of.frame[c] * (now.momentum[c] - of.momentum[c] - of.momentum_by_forces[c]);
    return work;
  }

  /// Brakes the bodies of an island in contact with immovable bodies: v ← (1 - λ r) v. r is 1 for a body whose velocity
  /// the substep has changed by a tenth or more, so that a body that slides near a heap of the same island keeps its
  /// speed. A falling body is not braked. λ is the smallest value that reduces the energy to `allowed`.
  template <class Each>
  void brake(std::uint32_t island, const Each& each, const IslandEnergy& of, double allowed, Sums& now) {
    const Row frame = frame_of(of);
    const T by_forces = job_.changes != nullptr ? share_ : T(0);
    T* const shares = space_.shares.data();
    const EnergySums s = sum_of(island, each, [&](const std::uint32_t* bodies, std::size_t n) {
      EnergySums made{};
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t i = bodies[k];
        const T *const v = job_.velocities[i].numbers, *const was = space_.began.data()[i].numbers;
        Row x, change, by_impulses;
        for (std::size_t c = 0; c < 8; ++c) {
          x.c[c] = v[c] - frame.c[c];
          change.c[c] = v[c] - was[c];
          by_impulses.c[c] = by_forces > T(0) ? change.c[c] - by_forces * job_.changes[i].numbers[c] : change.c[c];
        }
        const T twice = product(i, x, x), changed = braking * product(i, change, change);
        // Joints pass energy on.
        const bool may_fall = !of.has_joints || space_.has_joint[i] == 0;
        const bool falls =
            may_fall && work_of_forces(i, x) > T(0) && product(i, by_impulses, by_impulses) < falling * twice;
        const T r = changed < twice ? changed / twice : T(1);
        shares[i] = falls ? T(-1) : r;
        if (falls) {
          made[4] += 0.5 * static_cast<double>(twice);
          made[5] += static_cast<double>(work_of_forces(i, x));
          continue;
        }
        const double e = 0.5 * static_cast<double>(twice), part = static_cast<double>(r);
        made[0] += e;
        made[1] += part * e;
        made[2] += part * part * e;
        made[3] += 0.5 * part * static_cast<double>(work_of_forces(i, x));
      }
      return made;
    });
    // Energy s0 - 2 λ s1 + λ² s2; the energy that forces may add decreases by λ s3. Falling bodies keep their energy s4
    // and their work s5.
    allowed = std::max(allowed - s[4], 0.0);
    const double b = s[3] - 2 * s[1], c = s[0] - allowed, discriminant = b * b - 4 * s[2] * c;
    double part = 2, all = 1;
    if (c <= 0)
      part = 0;
    else if (discriminant >= 0 && s[2] > 0)
      part = (-b - std::sqrt(discriminant)) / (2 * s[2]);
    if (!(part >= 0 && part <= 1)) {
      part = 1;
      const double left = s[0] - 2 * s[1] + s[2], goal = std::max(0.0, allowed - s[3]);
      if (left > goal) all = std::sqrt(goal / left);
    }
    each_of(island, each, [&](std::uint32_t i) {
      if (shares[i] < T(0)) return;
      const T* const j = inverse_of(i);
      const bool moves = space_.inertia.data()[i].own[0] > T(0), turns = j[0] + j[3] + j[5] > T(0);
      const T loss = static_cast<T>(1 - (1 - part * static_cast<double>(shares[i])) * all);
      T *const v = job_.velocities[i].numbers, *const was = space_.began.data()[i].numbers;
      // The impulses of the next substep begin with the difference of both.
      for (std::size_t k = moves ? 0 : 3; k < (turns ? 6u : 3u); ++k) {
        const T by = loss * (v[k] - frame.c[k]);
        v[k] -= by;
        was[k] -= by;
      }
    });
    now.kinetic = (s[0] - 2 * part * s[1] + part * part * s[2]) * all * all + s[4];
    now.by_forces = (now.by_forces - s[5] - 2 * part * s[3]) * all + s[5];
    if (of.has_frame) now = sum(island, each, of, job_.velocities);
  }

  /// Multiplies the velocity changes by impulses in the substep, or in the rebound, by the largest s <= 1 that reduces
  /// the energy to `allowed`. This conserves momentum.
  template <class Each>
  void scale_impulses(std::uint32_t island, const Each& each, const IslandEnergy& of, double allowed, bool with_forces,
                      Sums& now) {
    const Row frame = frame_of(of);
    const T share = with_forces && job_.changes != nullptr ? share_ : T(0);
    const auto split = [&](std::uint32_t i, Row& free, Row& by) {
      const T *const v = job_.velocities[i].numbers, *const was = space_.began.data()[i].numbers;
      for (std::size_t c = 0; c < 8; ++c) {
        free.c[c] = share > T(0) ? was[c] + share * job_.changes[i].numbers[c] : was[c];
        by.c[c] = v[c] - free.c[c];
        free.c[c] -= frame.c[c];
      }
    };
    const EnergySums s = sum_of(island, each, [&](const std::uint32_t* bodies, std::size_t n) {
      EnergySums made{};
      for (std::size_t k = 0; k < n; ++k) {
        Row free, by;
        split(bodies[k], free, by);
        made[0] += 0.5 * static_cast<double>(product(bodies[k], free, free));
        made[1] += static_cast<double>(product(bodies[k], free, by));
        made[2] += 0.5 * static_cast<double>(product(bodies[k], by, by));
        made[3] += static_cast<double>(work_of_forces(bodies[k], by));
      }
      return made;
    });
    if (!(s[2] > 0)) return;
    const double slope = with_forces ? s[1] : s[1] + 0.5 * s[3],
                 discriminant = slope * slope - 4 * s[2] * (s[0] - allowed);
    const double scale = std::clamp((-slope + (discriminant > 0 ? std::sqrt(discriminant) : 0)) / (2 * s[2]), 0.0, 1.0);
    const T loss = static_cast<T>(1 - scale);
    each_of(island, each, [&](std::uint32_t i) {
      Row free, by;
      split(i, free, by);
      T *const v = job_.velocities[i].numbers, *const was = space_.began.data()[i].numbers;
      for (std::size_t c = 0; c < 8; ++c) {
        v[c] -= loss * by.c[c];
        was[c] -= loss * by.c[c];
      }
    });
    now.kinetic = s[0] + scale * (s[1] + scale * s[2]);
    now.by_forces -= (1 - scale) * s[3];
    if (of.has_frame) now = sum(island, each, of, job_.velocities);
  }

  const kernel::SceneJob<T>& job_;
  Workspace<T>& space_;
  const Graph& graph_;
  const Part& part_;
  T share_;
};

}  // namespace carom::scene
