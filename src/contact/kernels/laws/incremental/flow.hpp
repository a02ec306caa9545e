// Contacts from the tiles to the lanes of Euler's method, one at a time, and back.
#pragma once

#include "tiles.hpp"

namespace carom::kernel {
namespace {

/// Two tiles are used in turn; the third holds the remainder. When all contacts of one tile are in the lanes, the other
/// one is stored and refilled. Its contacts that are still on their way move to the remainder, so that no lane waits
/// for the slowest contact.
template <class A, class T>
class Flow {
 public:
  Flow(Tiles<A, T>& tiles, SlidingTiles<T>& workspace) : tiles_(tiles), workspace_(workspace) {
    for (Tile<T>& tile : workspace.tiles) tile.count = tile.blocks = tile.next_block = tile.waiting = 0;
    if (tiles.left() > tile_size<T>)  // else no contact leaves its tile
      for (std::size_t i = 0; i < tile_size<T>; ++i) free_remainder_[i] = static_cast<std::uint32_t>(i);
  }

  /// Returns the next colliding contact in `place`; false if there are no more. Before a tile is stored, leave(tile) is
  /// called, which calls make_remainder for its contacts that are still on their way.
  template <class Leave>
  [[gnu::always_inline]] bool next(Place<T>& place, Leave&& leave) {
    if (current().waiting == 0 && !advance(leave)) [[unlikely]]
      return false;
    Tile<T>& tile = current();
    place = {&tile, tile.next_block * width + static_cast<std::size_t>(__builtin_ctz(tile.waiting))};
    tile.waiting &= tile.waiting - 1;
    return true;
  }

  /// The sliding phase of a contact is in its tile.
  [[gnu::always_inline]] void done(Place<T> place) {
    if (place.tile == &remainder_tile()) [[unlikely]]
      store_remainder(place.slot);
  }

  /// There are never more strays than contacts on their way, and sliders have less room for these than a tile.
  [[gnu::noinline]] Place<T> make_remainder(Place<T> from) {
    assert(remainder_ < tile_size<T> && from.tile != &remainder_tile());
    Tile<T>& remainder = remainder_tile();
    const std::size_t slot = free_remainder_[remainder_++];
    copy_lane<Prepared<TileLane<T>>>(*from.tile, from.slot, remainder, slot);
    remainder.status[slot] = T(0);
    remainder.origin[slot] = from.tile->first + from.slot;
    from.tile->status[from.slot] = Tile<T>::moved;
    return {&remainder, slot};
  }

  /// After the last contact has ended.
  void finish() {
    for (std::size_t i = 0; i < 2; ++i) tiles_.store(workspace_.tiles[i]);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Tile<T>& current() { return workspace_.tiles[turn_]; }
  Tile<T>& remainder_tile() { return workspace_.tiles[2]; }

  /// Moves to the next colliding contacts. Returns false if there are no more.
  template <class Leave>
  [[gnu::noinline]] bool advance(Leave& leave) {
    for (;;) {
      Tile<T>& tile = current();
      while (tile.next_block + 1 < tile.blocks) {
        tile.waiting = tile.colliding[++tile.next_block];
        if (tile.waiting != 0) return true;
      }
      if (tiles_.left() == 0) return false;
      turn_ = 1 - turn_;
      leave(current());
      tiles_.store(current());
      tiles_.prepare(current());
      if (current().waiting != 0) return true;
    }
  }

  [[gnu::noinline]] void store_remainder(std::size_t slot) {
    tiles_.store_remainder(remainder_tile(), slot);
    assert(remainder_ > 0);
    free_remainder_[--remainder_] = static_cast<std::uint32_t>(slot);
  }

  Tiles<A, T>& tiles_;
  SlidingTiles<T>& workspace_;
  std::size_t turn_ = 0;
  std::size_t remainder_ = 0;
  std::uint32_t free_remainder_[tile_size<T>];  // from remainder_ on
};

}  // namespace
}  // namespace carom::kernel
