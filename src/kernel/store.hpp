// Stages 6 and 7, impulse and store: from the tile's units to the host's frame and columns, and the tally.
#pragma once

#include "impulse.hpp"
#include "load.hpp"

namespace carom::kernel {
namespace {

template <class Law, class A, class T>
struct Storer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const Results<T>& results;
  bool scalar_sticking;
  Tile<T>& tile;
  Tally& tally;

  [[gnu::always_inline]] static void store(const Column<T>& column, const Block& block, B x) {
    if (!column.data) return;
    if (block.count == width && column.stride == static_cast<std::ptrdiff_t>(sizeof(T))) [[likely]]
      return store_lanes(&element(column, block.first), x);
    T values[width];
    store_lanes(values, x);
    distribute(column, block, values);
  }

  [[gnu::noinline]] static void distribute(const Column<T>& column, const Block& block, const T (&values)[width]) {
    for (std::size_t lane = 0; lane < block.count; ++lane) element(column, block.first + lane) = values[lane];
  }

  [[gnu::always_inline]] static void store(const Vector3Columns<T>& columns, const Block& block, const Vector3<B>& v) {
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
  void store_block(const Contacts<T>& contacts, const Block& block, std::size_t slot) {
    constexpr bool has_bodies = !requires {
      contacts.separation_velocity;
    };
    const B zero(0);
    const B impulse_unit = load_lanes<B>(tile.impulse_unit + slot);
    const B velocity_unit = load_lanes<B>(tile.velocity_unit + slot);
    const Vector3<B> u0 = tile_vector(tile.wx, tile.wy, tile.wz, slot);
    const B status = load_lanes<B>(tile.status + slot);
    const Progress<B> end = scalar_sticking ? end_one_by_one(slot) : Law::template end_of_collision<A>(tile, slot);
    const Vector3<B> tile_p = {end.px, end.py, end.pz}, tile_u = {end.ux, end.uy, end.uz};
    Vector3<B> p = impulse_unit * tile_p, u = velocity_unit * tile_u;

    // ½ p·(u0 + u), the kinetic energy gained.
    const Vector3<B> tile_u0 = tile_vector(tile.u0x, tile.u0y, tile.u0z, slot);
    const B energy_unit = impulse_unit * velocity_unit;
    const B energy = B(T(0.5)) * dot(tile_p, tile_u0 + tile_u);

    const Frame<B> frame = {tile_vector(tile.t1x, tile.t1y, tile.t1z, slot),
                            tile_vector(tile.t2x, tile.t2y, tile.t2z, slot),
                            tile_vector(tile.nx, tile.ny, tile.nz, slot)};
    const auto to_world = [&](const Vector3<B>& v) {
      return mul_add(v.x, frame.t1, mul_add(v.y, frame.t2, v.z * frame.n));
    };
    p = to_world(p);
    u = to_world(u);

    const B sum = (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (u.x - u.x) + (u.y - u.y) + (u.z - u.z);
    const Mask solved = status == zero, resolved = solved && sum == zero;
    p = choose_vector(resolved, p, {zero, zero, zero});
    u = choose_vector(resolved, u, u0);

    if constexpr (has_bodies) store_bodies(contacts, block, p, resolved);
    store(results.impulse, block, p);
    store(results.separation_velocity, block, u);
    store(results.work_compression, block, choose(resolved, end.work_compression * energy_unit, zero));
    store(results.work_decompression, block, choose(resolved, end.work_decompression * energy_unit, zero));
    // What has moved is overwritten when it is stored from elsewhere.
    const unsigned here = lane_bits(status >= zero) & (block.count < width ? (1u << block.count) - 1 : ~0u);
    finish(block, slot, here, lane_bits(solved) & here, lane_bits(resolved) & here, energy);
  }

 private:
  [[gnu::noinline]] Progress<B> end_one_by_one(std::size_t slot) {
    T ends[8][width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const Progress<T> end = Law::template end_of_collision<Scalar>(tile, slot + lane);
      const T values[8] = {
          end.ux, end.uy, end.uz, end.px, end.py, end.pz, end.work_compression, end.work_decompression};
      for (int i = 0; i < 8; ++i) ends[i][lane] = values[i];
    }
    const auto load = [&](int i) { return load_lanes<B>(ends[i]); };
    return {load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7)};
  }

  template <template <class> class Contacts>
  void store_bodies(const Contacts<T>& contacts, const Block& block, const Vector3<B>& p, Mask resolved) {
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
    const Velocities b = after(pair.b, lever_b, {negated(p.x), negated(p.y), negated(p.z)});
    store(r.velocity_a, block, a.linear);
    store(r.angular_velocity_a, block, a.angular);
    store(r.velocity_b, block, b.linear);
    store(r.angular_velocity_b, block, b.angular);
  }

  struct Velocities {
    Vector3<B> linear, angular;
  };

  void finish(const Block& block, std::size_t slot, unsigned here, unsigned solved, unsigned resolved, B energy) {
    Status status[width];
    Path path[width];
    std::int32_t steps[width];
    if (resolved == here) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        status[lane] = Status::ok;
        path[lane] = tile.path[slot + lane];
        steps[lane] = tile.steps[slot + lane];
      }
      tally.by_status[static_cast<std::size_t>(Status::ok)] += static_cast<std::size_t>(__builtin_popcount(here));
    } else {
      for (std::size_t lane = 0; lane < width; ++lane) {
        const auto number = static_cast<int>(tile.status[slot + lane]);
        const bool overflow = ((solved & ~resolved) >> lane & 1u) != 0;
        status[lane] = overflow ? Status::overflow : static_cast<Status>(number);
        path[lane] = Path{status[lane] == Status::separating ? Course::separating : Course::none, Sticking::none, 0, 0};
        if (status[lane] == Status::ok) path[lane] = tile.path[slot + lane];
        steps[lane] = overflow || status[lane] == Status::ok || status[lane] == Status::step_budget_reached
                          ? tile.steps[slot + lane]
                          : 0;
      }
      for_each_bit(here, [&](std::size_t lane) { ++tally.by_status[static_cast<std::size_t>(status[lane])]; });
    }
    for_each_bit(here, [&](std::size_t lane) { ++tally.by_path[path_index(path[lane])]; });
    store_values(results.status, block, status);
    store_values(results.path, block, path);
    store_values(results.steps, block, steps);
    for_each_bit(lane_bits(energy > B(0)) & resolved, [&](std::size_t lane) {
      T values[width];
      store_lanes(values, energy);
      const double gain = static_cast<double>(values[lane]) * static_cast<double>(tile.impulse_unit[slot + lane]) *
                          static_cast<double>(tile.velocity_unit[slot + lane]);
      const std::size_t i = block.first + lane;
      if (gain > tally.largest_energy_gain ||
          (gain == tally.largest_energy_gain && gain > 0 && i < tally.largest_energy_gain_contact)) {
        tally.largest_energy_gain = gain;
        tally.largest_energy_gain_contact = i;
      }
    });
  }

  template <class V>
  static void store_values(const Column<V>& column, const Block& block, const V (&values)[width]) {
    if (!column.data) return;
    if (block.count == width && column.stride == static_cast<std::ptrdiff_t>(sizeof(V))) {
      __builtin_memcpy(&element(column, block.first), values, sizeof values);
      return;
    }
    for (std::size_t lane = 0; lane < block.count; ++lane) element(column, block.first + lane) = values[lane];
  }

  static std::size_t path_index(Path path) {
    return ((static_cast<std::size_t>(path.course) * 3 + static_cast<std::size_t>(path.sticking)) * 4 +
            path.compressions) *
               4 +
           path.decompressions;
  }
};

}  // namespace
}  // namespace carom::kernel
