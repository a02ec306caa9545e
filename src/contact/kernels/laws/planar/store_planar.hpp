// Store: converts from the law's units and frame to the caller's columns, and updates the tally.
#pragma once

#include "contact/kernels/stages/write.hpp"
#include "planar_staging.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct PlanarStorer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Columns = PlanarColumns<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const PlanarResultPointers<T>& results;
  std::size_t first;  // index in the batch of the first contact in `results`
  Tally& tally;

  static Vector2<B> choose_vector(Mask mask, const Vector2<B>& yes, const Vector2<B>& no) {
    return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y)};
  }

  bool wants_bodies() const {
    return results.velocity_a.x || results.velocity_a.y || results.angular_velocity_a || results.velocity_b.x ||
           results.velocity_b.y || results.angular_velocity_b;
  }

  /// `p` and `u` in the frame of the results; `status` is ok where the contact has been through the law.
  template <bool has_bodies>
  [[gnu::always_inline]] void store(std::size_t slot, std::size_t count, const PlanarUnits<B>& units,
                                    const PlanarCollision<B>& out, Vector2<B> p, Vector2<B> u, const Vector2<B>& before,
                                    B status, const PlanarPair<B>& bodies) const {
    const B zero(0);
    Vector2<B> impulse = {units.impulse * p.x, units.impulse * p.y};
    // A subnormal unit is rounded to fewer digits than p has.
    if (const Mask tiny = units.impulse < B(min_normal<T>); lane_bits(tiny) != 0) [[unlikely]]
      impulse = choose_vector(tiny, {units.speed * (p.x / units.trace), units.speed * (p.y / units.trace)}, impulse);
    p = impulse;
    u = {units.speed * u.x, units.speed * u.y};
    const B sum = (p.x - p.x) + (p.y - p.y) + (u.x - u.x) + (u.y - u.y);
    const Mask resolved = status == zero && sum == zero;
    p = choose_vector(resolved, p, {zero, zero});
    u = choose_vector(resolved, u, before);

    if constexpr (has_bodies)
      if (wants_bodies()) store_bodies(slot, bodies, p, resolved);
    Columns::store(results.impulse, slot, p);
    Columns::store(results.separation_velocity, slot, u);
    const B energy_unit = units.impulse * units.speed;
    if (results.work_compression)
      Columns::store(results.work_compression, slot, choose(resolved, out.work_compression * energy_unit, zero));
    if (results.work_decompression)
      Columns::store(results.work_decompression, slot, choose(resolved, out.work_decompression * energy_unit, zero));

    const unsigned here = count < width ? (1u << count) - 1 : (1u << width) - 1;
    const unsigned done = lane_bits(resolved) & here;
    store_sliding_end(slot, here, done, status, out.sliding_end);
    if (const unsigned gains = lane_bits(out.energy > zero) & done; gains != 0) [[unlikely]]
      count_gains(slot, gains, out.energy, units);
  }

 private:
  [[gnu::always_inline]] void store_bodies(std::size_t slot, const PlanarPair<B>& bodies, const Vector2<B>& p,
                                           Mask resolved) const {
    const auto after = [&](const PlanarBody<B>& body, const Vector2<B>& lever, const Vector2<B>& impulse) {
      PlanarBody<B> moved = body;
      // A body that is not touched keeps its bits, -0 and NaN included.
      moved.velocity = choose_vector(resolved,
                                     {mul_add(body.inverse_mass, impulse.x, body.velocity.x),
                                      mul_add(body.inverse_mass, impulse.y, body.velocity.y)},
                                     body.velocity);
      moved.angular_velocity = choose(
          resolved, mul_add(body.inverse_inertia, cross(lever, impulse), body.angular_velocity), body.angular_velocity);
      return moved;
    };
    const PlanarBody<B> a = after(bodies.a, bodies.r_a, p);
    const PlanarBody<B> b = after(bodies.b, bodies.r_b, {negated(p.x), negated(p.y)});
    Columns::store(results.velocity_a, slot, a.velocity);
    Columns::store(results.angular_velocity_a, slot, a.angular_velocity);
    Columns::store(results.velocity_b, slot, b.velocity);
    Columns::store(results.angular_velocity_b, slot, b.angular_velocity);
  }

  [[gnu::always_inline]] void store_sliding_end(std::size_t slot, unsigned here, unsigned done, B status,
                                                B sliding_end) const {
    const auto code = [](PlanarSlidingEnd c) { return B(static_cast<T>(c)); };
    const B ok(0);
    if (done == here) [[likely]] {
      count_status(tally, 0, static_cast<std::size_t>(__builtin_popcount(here)), first + slot);
      if (results.status != nullptr) __builtin_memset(results.status + slot, 0, width * sizeof(Status));
    } else {
      const Mask separating = status == B(static_cast<T>(Status::separating));
      const Mask unfinished = status == ok;
      sliding_end = choose(unfinished, sliding_end, choose(separating, code(planar_separating), code(planar_none)));
      T numbers[width], courses[width];
      store_lanes(numbers, status);
      store_lanes(courses, sliding_end);
      Status found[width];
      for (std::size_t lane = 0; lane < width; ++lane) {
        const bool overflow = static_cast<int>(numbers[lane]) == 0 && (done >> lane & 1u) == 0;
        found[lane] = overflow ? Status::overflow : static_cast<Status>(static_cast<int>(numbers[lane]));
        if (overflow) courses[lane] = static_cast<T>(planar_none);
      }
      sliding_end = load_lanes<B>(courses);
      if (results.status != nullptr) __builtin_memcpy(results.status + slot, found, sizeof found);
      for_each_bit(here, [&](std::size_t lane) {
        count_status(tally, static_cast<std::size_t>(found[lane]), 1, first + slot + lane);
      });
    }
    unsigned left = here;
    for (unsigned c = 0; left != 0 && c < planar_sliding_ends; ++c) {
      const unsigned found = lane_bits(sliding_end == B(static_cast<T>(c))) & left;
      if (found == 0) continue;
      tally.by_path[planar_paths[c].index()] += static_cast<std::size_t>(__builtin_popcount(found));
      left &= ~found;
    }
    if (results.path) store_paths(slot, sliding_end);
  }

  [[gnu::noinline]] void store_paths(std::size_t slot, B sliding_end) const {
    T numbers[width];
    store_lanes(numbers, sliding_end);
    for (std::size_t lane = 0; lane < width; ++lane)
      results.path[slot + lane] = planar_paths[static_cast<unsigned>(numbers[lane])];
  }

  [[gnu::noinline]] void count_gains(std::size_t slot, unsigned gains, B energy, const PlanarUnits<B>& units) const {
    T energies[width], speeds[width], traces[width];
    store_lanes(energies, energy);
    store_lanes(speeds, units.speed);
    store_lanes(traces, units.trace);
    for_each_bit(gains, [&](std::size_t lane) {
      const double speed = static_cast<double>(speeds[lane]);
      const double gain = static_cast<double>(energies[lane]) * speed * speed / static_cast<double>(traces[lane]);
      const std::size_t i = first + slot + lane;
      if (gain > tally.max_energy_gain ||
          (gain == tally.max_energy_gain && gain > 0 && i < tally.max_energy_gain_contact)) {
        tally.max_energy_gain = gain;
        tally.max_energy_gain_contact = i;
      }
    });
  }
};

}  // namespace
}  // namespace carom::kernel
