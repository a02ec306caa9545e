// Store: converts from the law's units and frame to the caller's columns, and updates the tally.
#pragma once

#include "contact/kernels/stages/write.hpp"
#include "planar_laws.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct PlanarStorer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const ResultPointers<T, 2>& results;
  std::size_t first;  // index in the batch of the tile's first contact
  Tally& tally;

  bool wants_bodies() const {
    return results.velocity_a.x || results.velocity_a.y || results.angular_velocity_a || results.velocity_b.x ||
           results.velocity_b.y || results.angular_velocity_b;
  }

  struct Stored {
    Vector2<B> impulse;  // [N s]
    Mask resolved;
  };

  /// Stores all results except the velocities of bodies. `p` and `u` in the frame of the results; `status` is ok where
  /// the contact has been through the law.
  [[gnu::always_inline]] Stored store(std::size_t slot, std::size_t count, const PlanarUnits<B>& units,
                                      const PlanarCollision<B>& out, Vector2<B> p, Vector2<B> u,
                                      const Vector2<B>& before, B status) const {
    const B zero(0);
    Vector2<B> impulse = units.impulse * p;
    // A subnormal unit is rounded to fewer digits than p has.
    if (const Mask tiny = units.impulse < B(min_normal<T>); lane_bits(tiny) != 0) [[unlikely]]
      impulse = choose(tiny, {units.speed * (p.x / units.trace), units.speed * (p.y / units.trace)}, impulse);
    p = impulse;
    u = units.speed * u;
    const Mask resolved = status == zero && vanishing(p) + vanishing(u) == zero;
    p = choose(resolved, p, {zero, zero});
    u = choose(resolved, u, before);

    store_result(results.impulse, slot, p);
    store_result(results.separation_velocity, slot, u);
    const B energy_unit = units.impulse * units.speed;
    if (results.work_compression)
      store_result(results.work_compression, slot, choose(resolved, out.work_compression * energy_unit, zero));
    if (results.work_decompression)
      store_result(results.work_decompression, slot, choose(resolved, out.work_decompression * energy_unit, zero));

    const unsigned here = count < width ? (1u << count) - 1 : (1u << width) - 1;
    const unsigned done = lane_bits(resolved) & here;
    B path = out.path;
    if (done != here) [[unlikely]] {
      const Mask separating = status == B(static_cast<T>(Status::separating));
      path =
          choose(resolved, path, choose(separating, path_of<B>(SlidingEnd::separating), path_of<B>(SlidingEnd::none)));
      status = choose(and_not(status == zero, resolved), B(static_cast<T>(Status::overflow)), status);
    }
    store_statuses<T>(results.status, tally, {first}, slot, here, done, status);
    T numbers[width];
    store_lanes(numbers, path);
    count_paths(tally, path, numbers, here);
    if (results.path != nullptr) store_paths(slot, path);
    if (const unsigned gains = lane_bits(out.energy > zero) & done; gains != 0) [[unlikely]]
      count_gains(slot, gains, out.energy, units);
    return {p, resolved};
  }

 private:
  [[gnu::noinline]] void store_paths(std::size_t slot, B path) const {
    T numbers[width];
    store_lanes(numbers, path);
    for (std::size_t lane = 0; lane < width; ++lane)
      results.path[slot + lane] = Path::from_index(static_cast<std::size_t>(numbers[lane]));
  }

  [[gnu::noinline]] void count_gains(std::size_t slot, unsigned gains, B energy, const PlanarUnits<B>& units) const {
    T energies[width], speeds[width], traces[width];
    store_lanes(energies, energy);
    store_lanes(speeds, units.speed);
    store_lanes(traces, units.trace);
    for_each_bit(gains, [&](std::size_t lane) {
      const double speed = static_cast<double>(speeds[lane]);
      count_gain(tally, static_cast<double>(energies[lane]) * speed * speed / static_cast<double>(traces[lane]),
                 first + slot + lane);
    });
  }
};

}  // namespace
}  // namespace carom::kernel
