// Impulse and store, for the algebraic laws: converts from the laws' units to the caller's frame and columns, and
// updates the tally.
#pragma once

#include "contact/kernels/stages/write.hpp"
#include "direct.hpp"
#include "law_stages.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct LawFinish {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = TileLoader<A, T>;
  using Stages = LawStages<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  LawTile<T>& tile;
  const ResultPointers<T, 3>& results;
  Tally& tally;
  TileContacts in_batch = {};

  /// Stores the impulses [N s] and the final statuses of a block of contacts in the tile. `lanes` has a bit for every
  /// valid lane.
  template <bool in_world>
  [[gnu::flatten]] void finish(std::size_t slot, unsigned lanes) const {
    const B zero(0);
    const B impulse_unit = Stages::get(tile.impulse_unit, slot), velocity_unit = Stages::get(tile.velocity_unit, slot);
    const Vector3<B> law_p = load_vector<B>(tile.px, tile.py, tile.pz, slot);
    const Vector3<B> law_u = load_vector<B>(tile.ux, tile.uy, tile.uz, slot);
    Vector3<B> p = impulse_unit * law_p, u = velocity_unit * law_u;
    if constexpr (in_world) {
      const Frame<B> frame = load_frame<B>(tile, slot);
      p = frame.to_world(p);
      u = frame.to_world(u);
    }
    const B status = Stages::get(tile.status, slot);
    const Mask solved = status == zero || status == B(static_cast<T>(Status::several_solutions));
    const Mask resolved = solved && vanishing(p) + vanishing(u) == zero;
    p = unsigned_zeros(choose(resolved, p, Vector3<B>{zero, zero, zero}));
    u = unsigned_zeros(choose(resolved, u, load_vector<B>(tile.wx, tile.wy, tile.wz, slot)));
    store_result(results.impulse, slot, p);
    store_result(results.separation_velocity, slot, u);

    // The kinetic energy gained, from the impulse: the target velocity of a law may differ from its velocity.
    const B energy = dot(law_p, mul_add(B(T(0.5)), Stages{tile}.get_matrix(slot) * law_p,
                                        load_vector<B>(tile.u0x, tile.u0y, tile.u0z, slot)));
    const unsigned ended = lane_bits(resolved) & lanes;
    count_energy<T>(tally, in_batch, slot, lane_bits(energy > zero) & ended, energy, impulse_unit, velocity_unit);
    count(slot, choose(and_not(solved, resolved), B(static_cast<T>(Status::overflow)), status), ended, lanes);
    // Overwrites the law's own impulse and velocity, which no later stage reads.
    store_vector(tile.px, tile.py, tile.pz, slot, p);
    store_vector(tile.ux, tile.uy, tile.uz, slot, u);
  }

  /// Same, for contacts in `lanes` that DirectLaws has solved. The impulses of all other contacts are in the tile.
  [[gnu::always_inline]] Vector3<B> finish(const typename DirectLaws<A, T>::Solved& solved, std::size_t slot,
                                           unsigned lanes, bool alone) const {
    const B zero(0);
    Vector3<B> p = choose(solved.approaches, solved.p, Vector3<B>{zero, zero, zero});
    Vector3<B> u = choose(solved.approaches, solved.u, solved.w);
    const unsigned ended = lane_bits(solved.approaches) & lanes;
    if (alone && ended == lanes) [[likely]] {
      for (std::size_t lane = 0; lane < width; ++lane) results.status[slot + lane] = Status::ok;
    } else {
      for_each_bit(lanes, [&](std::size_t lane) {
        results.status[slot + lane] = (ended >> lane & 1u) != 0 ? Status::ok : Status::separating;
      });
    }
    if (!alone) {
      p = choose(solved.plain, p, load_vector<B>(tile.px, tile.py, tile.pz, slot));
      u = choose(solved.plain, u, load_vector<B>(tile.ux, tile.uy, tile.uz, slot));
    }
    p = unsigned_zeros(p);
    u = unsigned_zeros(u);
    store_result(results.impulse, slot, p);
    store_result(results.separation_velocity, slot, u);
    count_energy<T>(tally, in_batch, slot, lane_bits(solved.energy > zero) & ended, solved.energy, B(1), B(1));
    const unsigned slips = lane_bits(solved.slips) & ended;
    count(SlidingEnd::slip, slips);
    count(SlidingEnd::stick, ended & ~slips);
    count(SlidingEnd::separating, lanes & ~ended);
    count_status(tally, Status::ok, ended, in_batch, slot);
    count_status(tally, Status::separating, lanes & ~ended, in_batch, slot);
    if (results.path != nullptr) store_paths(slot, slips, ended, lanes);
    return p;
  }

  [[gnu::flatten]] void move_bodies(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    move_bodies(contacts, block, slot, load_vector<B>(tile.px, tile.py, tile.pz, slot));
  }

  /// The velocities after the impulse p, of contacts that are all DirectLaws'.
  [[gnu::always_inline]] void move_bodies(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot,
                                          const Vector3<B>& p,
                                          const typename DirectLaws<A, T>::SolvedBodies& solved) const {
    const Mask resolved = p.x != B(0) || p.y != B(0) || p.z != B(0);
    const auto after = [&](const Body<const T*>& body, const TurnRows<B>& turn, const Vector3<B>& impulse) {
      const Vector3<B> v = Load::load(body.velocity, block), w = Load::load(body.angular_velocity, block);
      return Velocities<B>{choose(resolved, mul_add(Load::load(body.inverse_mass, block), impulse, v), v),
                           choose(resolved, w + turn.times(impulse), w)};
    };
    // All of a contact is read before any of it is written: results may replace the inputs.
    const Velocities<B> a = after(contacts.a, solved.turn_a, p), b = after(contacts.b, solved.turn_b, negated(p));
    store_velocities(results, slot, a, b);
  }

  /// The velocities after the impulse p.
  [[gnu::always_inline]] void move_bodies(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot,
                                          const Vector3<B>& p, Mask plain = Mask(false)) const {
    const Mask resolved = p.x != B(0) || p.y != B(0) || p.z != B(0);
    // All of a contact is read before any of it is written: results may replace the inputs.
    const BodyPair<B> pair = Load::load_bodies(contacts, block);
    const auto a = velocities_after(pair.a, Load::load(contacts.r_a, block), p, resolved, plain);
    const auto b = velocities_after(pair.b, Load::load(contacts.r_b, block), negated(p), resolved, plain);
    store_velocities(results, slot, a, b);
  }

 private:
  void count(SlidingEnd sliding_end, unsigned lanes) const {
    tally.by_path[Path{sliding_end, Sticking::none, 0, 0}.index()] +=
        static_cast<std::size_t>(__builtin_popcount(lanes));
  }
  void count(std::size_t slot, B status, unsigned ended, unsigned lanes) const {
    const B sliding_end = Stages::get(tile.sliding_end, slot);
    const unsigned slips = lane_bits(sliding_end == B(static_cast<T>(SlidingEnd::slip))) & ended;
    const unsigned ok = lane_bits(status == B(static_cast<T>(Status::ok))) & lanes;
    count(SlidingEnd::slip, slips);
    count(SlidingEnd::stick, ended & ~slips);
    store_statuses<T>(results.status, tally, in_batch, slot, lanes, ok, status);
    if (ok != lanes) {
      const unsigned separating = lane_bits(status == B(static_cast<T>(Status::separating))) & lanes;
      count(SlidingEnd::separating, separating);
      count(SlidingEnd::none, lanes & ~ended & ~separating);
    }
    if (results.path != nullptr) store_paths(slot, slips, ended, (1u << width) - 1);
  }

  [[gnu::noinline]] void store_paths(std::size_t slot, unsigned slips, unsigned ended, unsigned lanes) const {
    for_each_bit(lanes, [&](std::size_t lane) {
      const auto in = [lane](unsigned set) { return (set >> lane & 1u) != 0; };
      const SlidingEnd sliding_end = in(slips)                                           ? SlidingEnd::slip
                                     : in(ended)                                         ? SlidingEnd::stick
                                     : results.status[slot + lane] == Status::separating ? SlidingEnd::separating
                                                                                         : SlidingEnd::none;
      results.path[slot + lane] = Path{sliding_end, Sticking::none, 0, 0};
    });
  }
};

}  // namespace
}  // namespace carom::kernel
