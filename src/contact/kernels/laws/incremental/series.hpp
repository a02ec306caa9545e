// The incremental law by the series of series_step.hpp. Contacts come from their tile a vector at a time and wait in
// queues, whose vectors are full as long as there are enough contacts:
//
//   active    contacts that are stepped
//   waiting   contacts that seem to come to rest: their slides are finished in closed form (slide_to_rest.hpp), or they
//             return to the active ones if that fails
//   straight  the slip has vanished or has a constant direction, or there is no friction: the rest of the collision has
//             a closed form (rays.hpp)
//
// The ends of collisions are written back to the tiles, one row per contact. A tile is stored when its contacts have
// ended. By then the queues hold contacts of the next tile too.
#pragma once

#include "rays.hpp"
#include "series_step.hpp"
#include "slide_to_rest.hpp"
#include "tiles.hpp"

namespace carom::kernel {
namespace {

/// Steps two vectors together, so that one computes while the other waits for a result. Vectors of 64 bytes in double
/// are stepped one at a time: the code for two would not fit into the first-level cache. SSE2 steps one at a time, too:
/// its 16 registers do not hold two, so that two need 4 to 5 % more instructions.
#ifdef CAROM_UNFUSED
inline constexpr bool is_sse2 = true;
#else
inline constexpr bool is_sse2 = false;
#endif
template <class A, bool alone>
struct Together {
  using Type = UnrolledTwice<A>;
};
template <class A>
struct Together<A, true> {
  using Type = A;
};
template <class A, class T>
using SteppedTogether = typename Together<A, is_sse2 || (sizeof(T) == 8 && LaneTypes<A, T>::width == 8)>::Type;

/// Steps are taken by vectors of `Stepped`.
template <class Architecture, class T, class Stepped = SteppedTogether<Architecture, T>>
class SeriesSlider {
  using Order = SeriesOrder<T>;
  using V = typename LaneTypes<Architecture, T>::Batch;
  using B = typename LaneTypes<Stepped, T>::Batch;
  using Mask = typename LaneTypes<Stepped, T>::Mask;
  static constexpr std::size_t of_block = LaneTypes<Architecture, T>::width, width = LaneTypes<Stepped, T>::width;
  static constexpr std::size_t room = 4 * width;  // of a queue

 public:
  SeriesSlider(Tiles<Architecture, T>& tiles, SlidingTiles<T>& workspace)
      : tiles_(tiles), workspace_(workspace), budget_(static_cast<T>(smaller_of(tiles.parameters().step_budget))) {
    for (Tile<T>& tile : workspace.tiles) tile.count = tile.blocks = tile.next_block = tile.on_their_way = 0;
  }

  /// Until the last contact of the range has ended and is stored.
  [[gnu::noinline]] void solve() {
    for (;;) {
      if (active_.count() >= width)
        step();
      else if (!enter() && !go_on())
        break;
    }
    for (Tile<T>& tile : workspace_.tiles) {
      assert(tile.on_their_way == 0);
      tiles_.store(tile);
    }
  }

  /// Steps of vectors times lanes: with a contact in every lane all the time, the sum of the contacts' steps.
  std::uint64_t lane_steps() const { return steps_ * width; }
  std::uint64_t sliding_steps() const { return sliding_steps_; }

 private:
  /// As far as a float counts.
  static constexpr std::int32_t max_steps = 1 << 24;
  static std::int32_t smaller_of(std::int32_t budget) { return budget < max_steps ? budget : max_steps; }

  template <class C>
  static auto first_lanes(std::size_t n) {
    return load_lanes<C>(lane_numbers<T>.of) < C(static_cast<T>(n));
  }
  static constexpr unsigned bits_of_first(std::size_t n) { return n == 32 ? ~0u : (1u << n) - 1; }

  /// Takes the next block of contacts, or moves to the next tile. Returns false if there are no more.
  [[gnu::noinline]] bool enter() {
    Tile<T>* const tile = &workspace_.tiles[turn_];
    if (tile->next_block == tile->blocks) return next_tile();
    const std::size_t block = tile->next_block++, slot = block * of_block;
    const unsigned colliding = tile->colliding[block];
    if (colliding == 0) return true;
    tile->on_their_way += static_cast<std::size_t>(__builtin_popcount(colliding));

    const auto load = [&](const T* lane) { return load_lanes<V>(lane + slot); };
    const V zero(0);
    SeriesContact<V> c;
    c.rates = load_each<V>(tile->rates, slot);
    c.e = load(tile->restitution);
    c.law = load(tile->restitution_law);
    c.monotone = load(tile->monotone);
    c.friction_step = load(tile->friction_step);
    c.normal_step = load(tile->normal_step);
    c.place = load_lanes<V>(lane_numbers<T>.of) + V(static_cast<T>(turn_ * tile_size<T> + slot));
    c.slide = {load(tile->u0x), load(tile->u0y), load(tile->u0z), zero, zero, zero, zero};
    c.phase = {zero, zero, zero, V(1)};
    c.steps = zero;
    c.kinematic_balance = c.e * c.slide.uz;
    // Contacts without friction need no integration.
    const unsigned slides = lane_bits(load(tile->friction) > zero) & colliding;
    Ways ways = ways_of(c, slides);
    ways.straight |= colliding & ~slides;
    if (ways.straight != 0) straight_.add(c, ways.straight);
    if (ways.to_rest != 0) waiting_.add(c, ways.to_rest);
    active_.template add_before<B>(c, ways.on);
    work_off();
    return true;
  }

  [[gnu::noinline]] bool next_tile() {
    if (tiles_.left() == 0) return false;
    turn_ = (turn_ + 1) % 3;
    Tile<T>& tile = workspace_.tiles[turn_];
    // Its last contacts continue without waiting for a full vector.
    while (tile.on_their_way > 0) {
      if (active_.has_of(turn_))
        step();
      else if (waiting_.has_of(turn_))
        come_to_rest();
      else
        finish_straight();
    }
    tiles_.store(tile);
    tiles_.prepare(tile);
    return true;
  }

  /// Continues with fewer contacts than a vector has. Returns false if there are no more. Waiting contacts wait as long
  /// as others may join them, unless many of them would then have to return to the steps late.
  [[gnu::noinline]] bool go_on() {
    const bool many_wait = waiting_.count() > 0 && waiting_.count() >= width / 4;
    if (many_wait || (waiting_.count() > 0 && active_.count() == 0))
      come_to_rest();
    else if (active_.count() > 0)
      step();
    else if (straight_.count() > 0)
      finish_straight();
    else
      return false;
    return true;
  }

  [[gnu::noinline]] void step() {
    const std::size_t n = active_.template take_last<B>(), at = active_.count();
    const unsigned contacts = bits_of_first(n);
    ++steps_;
    sliding_steps_ += n;
    SeriesContact<B> c = active_.template look<B>(at);
    const unsigned ended = lane_bits(step_series<T>(c, first_lanes<B>(n)));
    const Ways ways = ways_of(c, contacts & ~ended);
    active_.template put_state<B>(c, at);
    if (ended != 0) {
      const Mask decompressing = c.phase.decompressing > B(0);
      write_ends<B>({progress_of<B>(c), path_number(Mask(false), Mask(false), decompressing, c.phase.compressions)}, c,
                    ended);
    }
    for_each_bit(ways.straight, [&](std::size_t lane) { straight_.add(active_, at + lane); });
    for_each_bit(ways.to_rest, [&](std::size_t lane) { waiting_.add(active_, at + lane); });
    active_.template give_back<B>(ways.on);
    work_off();
  }

  /// The next queue of the contacts, one bit each. Also tests the length of their slip.
  struct Ways {
    unsigned straight, to_rest, on;
  };
  template <class C>
  [[gnu::always_inline]] Ways ways_of(SeriesContact<C>& c, unsigned contacts) {
    using M = decltype(c.steps < c.steps);
    const C x = c.slide.ux, y = c.slide.uy;
    c.r = square_root(mul_add(x, x, y * y));
    const M vanished = c.r <= C(Order::tolerance);
    c.inverse_r = C(1) / choose(vanished, C(1), c.r);
    const Turning<C> t = turning(c.rates, x * c.inverse_r, y * c.inverse_r);
    const Settled<M> rest = settled<T, M>(t, c.r);
    const unsigned done = lane_bits(vanished || rest.near_ray || rest.frozen) & contacts;
    const unsigned exhausted = lane_bits(c.steps >= C(budget_)) & contacts & ~done;
    if (exhausted != 0) [[unlikely]]
      mark_exhausted(c.place, exhausted);
    const unsigned straight = done | exhausted;
    unsigned to_rest =
        lane_bits(t.rate < C(0) && magnitude(t.f) < C(Order::near) * negated(t.slope)) & contacts & ~straight;
    if (to_rest != 0) to_rest &= lane_bits(comes_to_rest<C, M>(c, t, x * c.inverse_r, y * c.inverse_r));
    return {straight, to_rest, contacts & ~straight & ~to_rest};
  }

  /// Queues that have whole vectors of contacts.
  [[gnu::always_inline]] void work_off() {
    if (waiting_.count() >= width) come_to_rest();
    while (straight_.count() >= of_block) finish_straight();
  }

  template <class C>
  [[gnu::noinline]] void mark_exhausted(C place, unsigned exhausted) {
    const Places<C> places(place);
    for_each_bit(exhausted, [&](std::size_t lane) {
      const std::size_t i = places[lane];
      workspace_.tiles[i / tile_size<T>].status[i % tile_size<T>] = static_cast<T>(Status::step_budget_reached);
    });
  }

  /// Returns contacts whose slip seems to vanish before the collision ends: as on the nearby ray, to first order. Both
  /// sides of each comparison are multiplied by the rate at which the slip decreases there, or by its square.
  template <class B, class Mask>
  static Mask comes_to_rest(const SeriesContact<B>& c, const Turning<B>& now, B x, B y) {
    const B zero(0), half(T(0.5));
    const B angle = now.f / choose(now.slope < zero, negated(now.slope), B(1));
    const B square = angle * angle;
    const B shrink = mul_add(square, mul_add(square, B(T(0.375)), negated(half)), B(1));  // 1 / sqrt(1 + angle²)
    const B ray_x = neg_mul_add(angle, y, x) * shrink, ray_y = mul_add(angle, x, y) * shrink;
    const Rates<B>& k = c.rates;
    const B z = c.slide.uz, balance = c.phase.balance, law = c.law, r = c.r;
    const B fall = negated(turning(k, ray_x, ray_y).rate);
    const B rise = neg_mul_add(k.c1, ray_x, neg_mul_add(k.c2, ray_y, k.c3));
    const B start = z * fall, end = mul_add(rise, r, start);
    const B energetic = mul_add(balance * fall, fall, half * r * (start + end));
    const B goal = choose(law < B(1), energetic, mul_add(balance, fall, choose(law == B(1), r, end)));
    return fall > zero && choose(c.phase.decompressing > zero, goal, end) < zero;
  }

  /// Finishes the slides of contacts that wait.
  [[gnu::noinline]] void come_to_rest() {
    std::size_t n;
    SeriesContact<B> c = waiting_.template first<B>(n);
    const B zero(0), one(1);
    const Mask decompressing = c.phase.decompressing > zero;
    const B law = c.law, e = c.e, balance = c.phase.balance;
    const Rest<B, Mask> rest = slide_to_rest<T>(first_lanes<B>(n), c.rates, c.slide.ux, c.slide.uy, c.slide.uz);
    const B gain = choose(law < one, choose(decompressing, rest.work, e * e * rest.work),
                          choose(law == one, choose(decompressing, rest.sum_r, negated(e * rest.sum_r)), zero));
    const B goal = choose(law > one, rest.u_z, gain) + balance;  // of decompression: above 0 it has ended before
    // u_z has the sign of its phase all the way, so it must have it at the end.
    const Mask certain =
        and_not(rest.known && choose(decompressing, goal, rest.u_z) < zero, decompressing && rest.u_z < zero);
    const unsigned ended = lane_bits(certain), back = bits_of_first(n) & ~ended;
    if (back != 0) active_.add(c, back);
    if (ended != 0) {
      c.slide = {zero,
                 zero,
                 rest.u_z,
                 c.slide.sum_x + rest.sum_x,
                 c.slide.sum_y + rest.sum_y,
                 c.slide.compression + choose(decompressing, zero, rest.work),
                 c.slide.decompression + choose(decompressing, rest.work, zero)};
      c.phase.length = c.phase.length + rest.sum_r;
      c.phase.balance = balance + gain;
      straight_.add(c, ended);
    }
    waiting_.template drop_first<B>(n);
  }

  /// Brings contacts that have a straight way to their end.
  [[gnu::noinline]] void finish_straight() {
    std::size_t n;
    const SeriesContact<V> c = straight_.template first<V>(n);
    const Places<V> places(c.place);
    Sticker<T[of_block]> lanes;
    for (std::size_t lane = 0; lane < of_block; ++lane) {
      const Tile<T>& tile = workspace_.tiles[places[lane] / tile_size<T>];
      const std::size_t i = places[lane] % tile_size<T>;
      each(
          [ lane, i ](const auto& from, auto& to) __attribute__((always_inline)) { to[lane] = from[i]; }, tile, lanes);
    }
    write_ends<V>(go_straight<Architecture, T>(first_lanes<V>(n), c, load_each<V, Sticker>(lanes)), c,
                  bits_of_first(n));
    straight_.template drop_first<V>(n);
  }

  /// Writes the ends of collisions to the tiles.
  template <class C>
  [[gnu::always_inline]] void write_ends(const Ending<C>& end, const SeriesContact<C>& c, unsigned contacts) {
    const Progress<C>& p = end.progress;
    SeriesEnd<T[VectorTraits<C>::width]> ends;
    store_each<C, SeriesEnd>(
        ends, {p.ux, p.uy, p.uz, p.px, p.py, p.pz, p.work_compression, p.work_decompression, end.path, c.steps});
    const Places<C> places(c.place);
    for_each_bit(contacts, [&](std::size_t lane) {
      const std::size_t i = places[lane];
      Tile<T>& tile = workspace_.tiles[i / tile_size<T>];
      copy_lane(ends, lane, tile.end, i % tile_size<T>);
      --tile.on_their_way;
    });
  }

  /// The places of contacts as numbers of the machine.
  template <class C>
  struct Places {
    std::int32_t of[VectorTraits<C>::width];
    explicit Places(C place) {
      T lanes[VectorTraits<C>::width];
      store_lanes(lanes, place);
      for (std::size_t lane = 0; lane < VectorTraits<C>::width; ++lane)
        of[lane] = static_cast<std::int32_t>(lanes[lane]);
    }
    std::size_t operator[](std::size_t lane) const {
      return static_cast<std::size_t>(static_cast<std::uint32_t>(of[lane]));
    }
  };

  Tiles<Architecture, T>& tiles_;
  SlidingTiles<T>& workspace_;
  T budget_;
  std::size_t turn_ = 0;  // the tile whose contacts are taken
  std::uint64_t steps_ = 0, sliding_steps_ = 0;
  SeriesQueue<T, room> active_, waiting_, straight_;
};

}  // namespace
}  // namespace carom::kernel
