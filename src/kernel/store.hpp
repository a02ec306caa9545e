// Stages 6 and 7, impulse and store: from the tile's units to the host's frame and columns, and the tally.
#pragma once

#include "load.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Storer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const Results<T>& results;
  Tile<T>& tile;
  Tally& tally;

  static void store(const Column<T>& column, Block block, B x) {
    if (!column.data) return;
    if (block.count == width && column.stride == static_cast<std::ptrdiff_t>(sizeof(T)))
      return store_lanes(&element(column, block.first), x);
    T values[width];
    store_lanes(values, x);
    for (std::size_t lane = 0; lane < block.count; ++lane) element(column, block.first + lane) = values[lane];
  }

  static void store(const Vector3Columns<T>& columns, Block block, const Vector3<B>& v) {
    store(columns.x, block, v.x);
    store(columns.y, block, v.y);
    store(columns.z, block, v.z);
  }

  static Vector3<B> choose_vector(Mask mask, const Vector3<B>& yes, const Vector3<B>& no) {
    return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
  }

  static Vector3<B> tile_vector(const T* x, const T* y, const T* z, std::size_t slot) {
    return {load_lanes<B>(x + slot), load_lanes<B>(y + slot), load_lanes<B>(z + slot)};
  }

  template <template <class> class Contacts>
  void store_block(const Contacts<T>& contacts, Block block, std::size_t slot) {
    constexpr bool has_bodies = !requires {
      contacts.separation_velocity;
    };
    const B zero(0);
    const B impulse_unit = load_lanes<B>(tile.impulse_unit + slot);
    const B velocity_unit = load_lanes<B>(tile.velocity_unit + slot);
    const Vector3<B> u0 = tile_vector(tile.wx, tile.wy, tile.wz, slot);
    const Vector3<B> tile_p = tile_vector(tile.px, tile.py, tile.pz, slot);
    const Vector3<B> tile_u = tile_vector(tile.ux, tile.uy, tile.uz, slot);
    Vector3<B> p = impulse_unit * tile_p, u = velocity_unit * tile_u;

    // ½ p·(u0 + u), the kinetic energy gained.
    const Vector3<B> tile_u0 = tile_vector(tile.u0x, tile.u0y, tile.u0z, slot);
    const B energy_unit = impulse_unit * velocity_unit;
    const B energy = B(T(0.5)) * dot(tile_p, tile_u0 + tile_u);

    if constexpr (has_bodies) {
      const Frame<B> frame = {tile_vector(tile.t1x, tile.t1y, tile.t1z, slot),
                              tile_vector(tile.t2x, tile.t2y, tile.t2z, slot),
                              tile_vector(tile.nx, tile.ny, tile.nz, slot)};
      const auto to_world = [&](const Vector3<B>& v) {
        return mul_add(v.x, frame.t1, mul_add(v.y, frame.t2, v.z * frame.n));
      };
      p = to_world(p);
      u = to_world(u);
    }

    T ok[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      ok[lane] = lane < block.count && tile.status[slot + lane] == Status::ok && !tile.moved[slot + lane] ? T(1) : T(0);
    const B sum = (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (u.x - u.x) + (u.y - u.y) + (u.z - u.z);
    const Mask resolved = load_lanes<B>(ok) > zero && sum == zero;
    p = choose_vector(resolved, p, {zero, zero, zero});
    u = choose_vector(resolved, u, u0);

    if constexpr (has_bodies) store_bodies(contacts, block, p, resolved);
    store(results.impulse, block, p);
    store(results.separation_velocity, block, u);
    store(results.work_compression, block,
          choose(resolved, load_lanes<B>(tile.work_compression + slot) * energy_unit, zero));
    store(results.work_decompression, block,
          choose(resolved, load_lanes<B>(tile.work_decompression + slot) * energy_unit, zero));
    finish(block, slot, lane_bits(resolved), energy);
  }

 private:
  template <template <class> class Contacts>
  void store_bodies(const Contacts<T>& contacts, Block block, const Vector3<B>& p, Mask resolved) {
    const Results<T>& r = results;
    if (!r.velocity_a.x.data && !r.velocity_a.y.data && !r.velocity_a.z.data && !r.angular_velocity_a.x.data &&
        !r.angular_velocity_a.y.data && !r.angular_velocity_a.z.data && !r.velocity_b.x.data && !r.velocity_b.y.data &&
        !r.velocity_b.z.data && !r.angular_velocity_b.x.data && !r.angular_velocity_b.y.data &&
        !r.angular_velocity_b.z.data)
      return;
    // All of a contact is read before any of it is written: results may replace the inputs.
    const typename Load::Pair pair = Load::load_bodies(contacts, block);
    const Vector3<B> lever_a = Load::load(contacts.lever_a, block), lever_b = Load::load(contacts.lever_b, block);
    const auto after = [&](const Body<B>& body, const Vector3<B>& lever, const Vector3<B>& impulse) {
      const Vector3<B> v = mul_add(body.inverse_mass, impulse, body.velocity);
      const Vector3<B> w = body.angular_velocity + body.inverse_inertia * cross(lever, impulse);
      // A body that is not touched keeps its bits, -0 and NaN included.
      return Velocities{choose_vector(resolved, v, body.velocity), choose_vector(resolved, w, body.angular_velocity)};
    };
    const Velocities a = after(pair.a, lever_a, p);
    const Velocities b = after(pair.b, lever_b, {-p.x, -p.y, -p.z});
    store(r.velocity_a, block, a.linear);
    store(r.angular_velocity_a, block, a.angular);
    store(r.velocity_b, block, b.linear);
    store(r.angular_velocity_b, block, b.angular);
  }

  struct Velocities {
    Vector3<B> linear, angular;
  };

  void finish(Block block, std::size_t slot, unsigned resolved, B energy_lanes) {
    T energy[width];
    store_lanes(energy, energy_lanes);
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::size_t i = block.first + lane, in_tile = slot + lane;
      if (tile.moved[in_tile]) continue;
      Status status = tile.status[in_tile];
      Path path = tile.path[in_tile];
      if (status == Status::ok && (resolved >> lane & 1u) == 0) {
        status = Status::overflow;
        path = Path{Course::none, Sticking::none, 0, 0};
      }
      if (results.status.data) element(results.status, i) = status;
      if (results.path.data) element(results.path, i) = path;
      if (results.steps.data) element(results.steps, i) = tile.steps[in_tile];
      ++tally.by_status[static_cast<std::size_t>(status)];
      ++tally.by_path[((static_cast<std::size_t>(path.course) * 3 + static_cast<std::size_t>(path.sticking)) * 4 +
                       path.compressions) *
                          4 +
                      path.decompressions];
      tally.sliding_steps += static_cast<std::uint64_t>(tile.steps[in_tile]);
      const double gain = static_cast<double>(energy[lane]) * static_cast<double>(tile.impulse_unit[in_tile]) *
                          static_cast<double>(tile.velocity_unit[in_tile]);
      if (status == Status::ok && gain > 0 &&
          (gain > tally.largest_energy_gain ||
           (gain == tally.largest_energy_gain && i < tally.largest_energy_gain_contact))) {
        tally.largest_energy_gain = gain;
        tally.largest_energy_gain_contact = i;
      }
    }
  }
};

}  // namespace
}  // namespace carom::kernel
