// End of collision and store, for the incremental law: converts from the tile's units to the caller's frame and
// columns, and updates the tally.
#pragma once

#include "contact/kernels/stages/contact_reader.hpp"
#include "contact/kernels/stages/write.hpp"
#include "impulse.hpp"
#include "series_contact.hpp"

namespace carom::kernel {
namespace {

/// Returns whether velocities of bodies are requested.
template <class T>
bool wants_bodies(const Results<T>& r) {
  const auto is_wanted = [](const Vector3Columns<T>& v) {
    return v.x.data != nullptr || v.y.data != nullptr || v.z.data != nullptr;
  };
  return is_wanted(r.velocity_a) || is_wanted(r.angular_velocity_a) || is_wanted(r.velocity_b) ||
         is_wanted(r.angular_velocity_b);
}

template <class A, class T>
struct Storer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const Parameters<T>& parameters;
  const Tile<T>& tile;
  Writer<A, T> writer;
  bool moves_bodies;  // velocities of bodies are requested

  /// A block of the contacts, which the reader has at i if bodies are moved.
  [[gnu::noinline]] void store_block(const ContactReader<A, T>& contacts, std::size_t i, const Block& block,
                                     std::size_t slot) {
    const B zero(0);
    const B impulse_unit = load_lanes<B>(tile.impulse_unit + slot);
    const B velocity_unit = load_lanes<B>(tile.velocity_unit + slot);
    const Vector3<B> u0 = load_vector<B>(tile.wx, tile.wy, tile.wz, slot);
    const B status = load_lanes<B>(tile.status + slot);
    B steps(0);  // of the series
    const Ending<B> ending =
        parameters.integrator == Integrator::series ? end_of_series(slot, steps) : end_of_euler<A>(tile, slot);
    const Progress<B>& end = ending.progress;
    const Vector3<B> tile_p = {end.px, end.py, end.pz}, tile_u = {end.ux, end.uy, end.uz};
    Vector3<B> p = impulse_unit * tile_p, u = velocity_unit * tile_u;

    const B energy_unit = impulse_unit * velocity_unit;
    const B energy = energy_gained(slot, tile_p);

    const Frame<B> frame = load_frame<B>(tile, slot);
    p = frame.to_world(p);
    u = frame.to_world(u);

    const B sum = (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (u.x - u.x) + (u.y - u.y) + (u.z - u.z);
    const Mask solved = status == zero, resolved = solved && sum == zero;
    p = choose(resolved, p, Vector3<B>{zero, zero, zero});
    u = choose(resolved, u, u0);

    const Results<T>& results = writer.results;
    if (moves_bodies) store_bodies(contacts.between_bodies(), contacts.block(i), block, p, resolved);
    writer.store(results.impulse, block, p);
    writer.store(results.separation_velocity, block, u);
    writer.store(results.work_compression, block, choose(resolved, end.work_compression * energy_unit, zero));
    writer.store(results.work_decompression, block, choose(resolved, end.work_decompression * energy_unit, zero));
    // Contacts that have moved are overwritten when they are stored from elsewhere.
    const unsigned here = lane_bits(status >= zero) & block.lanes;
    finish(block, slot, here, choose(and_not(solved, resolved), number<T, B>(Status::overflow), status), ending.path,
           steps);
    count_energy<T>(writer.tally, {block.first}, 0, lane_bits(energy > zero && resolved) & here, energy, impulse_unit,
                    velocity_unit);
  }

 private:
  /// The ends that the series has written; undefined for other contacts.
  Ending<B> end_of_series(std::size_t slot, B& steps) const {
    const SeriesEnd<B> end = load_each<B, SeriesEnd>(tile.end, slot);
    steps = end.steps;
    return {{end.ux, end.uy, end.uz, end.px, end.py, end.pz, end.work_compression, end.work_decompression}, end.path};
  }

  /// The velocities after the impulse p, where `resolved`.
  [[gnu::noinline]] void store_bodies(const BodyPointers<T>& contacts, WholeBlock at, const Block& block,
                                      const Vector3<B>& p, Mask resolved) const {
    const Results<T>& r = writer.results;
    // All of a contact is read before any of it is written: results may replace the inputs.
    using Numbers = TileLoader<A, T>;
    const BodyPair<B> pair = Numbers::load_bodies(contacts, at);
    const Vector3<B> r_a = Numbers::load(contacts.r_a, at), r_b = Numbers::load(contacts.r_b, at);
    const Velocities<B> a = velocities_after(pair.a, r_a, p, resolved, Mask(false));
    const Velocities<B> b = velocities_after(pair.b, r_b, negated(p), resolved, Mask(false));
    writer.store(r.velocity_a, block, a.linear);
    writer.store(r.angular_velocity_a, block, a.angular);
    writer.store(r.velocity_b, block, b.linear);
    writer.store(r.angular_velocity_b, block, b.angular);
  }

  /// p·u0 + ½ p·K p, the kinetic energy gained.
  B energy_gained(std::size_t slot, const Vector3<B>& p) const {
    const auto load = [&](const T* lane) { return load_lanes<B>(lane + slot); };
    const B k1 = load(tile.k1), k2 = load(tile.k2);
    const B k33 = mul_add(k1, load(tile.q1), mul_add(k2, load(tile.q2), load(tile.schur)));
    const Vector3<B> change = {mul_add(load(tile.m1), p.x, k1 * p.z), mul_add(load(tile.m2), p.y, k2 * p.z),
                               mul_add(k1, p.x, mul_add(k2, p.y, k33 * p.z))};
    return dot(p, mul_add(B(T(0.5)), change, load_vector<B>(tile.u0x, tile.u0y, tile.u0z, slot)));
  }

  void finish(const Block& block, std::size_t slot, unsigned here, B status, B end_path, B series_steps) {
    const B zero(0);
    const Mask ok = status == zero;
    const B path = choose(ok, end_path,
                          choose(status == number<T, B>(Status::separating), path_of<B>(SlidingEnd::separating), zero));
    T statuses[width], paths[width];
    store_lanes(statuses, status);
    store_lanes(paths, path);
    count_statuses(writer.tally, status, statuses, here, {block.first}, 0);
    count_paths(writer.tally, path, paths, here);

    const Results<T>& results = writer.results;
    if (results.status.data != nullptr) {
      Status values[width];
      for (std::size_t lane = 0; lane < width; ++lane)
        values[lane] = static_cast<Status>(static_cast<int>(statuses[lane]));
      writer.store_values(results.status, block, values);
    }
    if (results.path.data != nullptr) {
      Path values[width] = {};  // without a call of the constructor, which other files have too
      for (std::size_t lane = 0; lane < width; ++lane)
        if ((here >> lane & 1u) != 0) values[lane] = Path::from_index(static_cast<std::size_t>(paths[lane]));
      writer.store_values(results.path, block, values);
    }
    if (results.steps.data != nullptr) {
      const Mask counts =
          ok || status == number<T, B>(Status::overflow) || status == number<T, B>(Status::step_budget_reached);
      const unsigned counted = lane_bits(counts);
      std::int32_t values[width];
      if (parameters.integrator == Integrator::series) {
        T steps[width];
        store_lanes(steps, choose(counts, series_steps, zero));
        for (std::size_t lane = 0; lane < width; ++lane) values[lane] = static_cast<std::int32_t>(steps[lane]);
      } else {
        for (std::size_t lane = 0; lane < width; ++lane)
          values[lane] = (counted >> lane & 1u) != 0 ? tile.steps[slot + lane] : 0;
      }
      writer.store_values(results.steps, block, values);
    }
  }
};

}  // namespace
}  // namespace carom::kernel
