// The contacts of a range on their way through the tiles: prepared, taken into the lanes of a slider, stored.
#pragma once

#include <cassert>

#include "prefetch.hpp"
#include "prepare.hpp"
#include "slide.hpp"
#include "store.hpp"

namespace carom::kernel {
namespace {

/// Two tiles take turns. When the contacts of one have all been taken into the lanes, the other is stored and filled
/// with the next ones; what is still on its way there moves to the strays, so that no lane waits for the slowest
/// contact.
template <class A, class T>
class Flow {
 public:
  /// The host's contacts and results, and how the law is to be solved.
  struct Host {
    AnyContacts<T> contacts;
    const Results<T>& results;
    const Parameters<T>& parameters;
    const Layout& layout;
    Selection selection;
  };

  Flow(const Host& host, const Prefetcher<T>& prefetcher, std::size_t first, std::size_t count,
       SlidingTiles<T>& workspace, Tally& tally)
      : host_(host),
        prefetcher_(prefetcher),
        position_(first),
        end_(first + count),
        workspace_(workspace),
        tally_(tally) {
    for (Tile<T>& tile : workspace.tiles) tile.count = tile.blocks = tile.next_block = tile.waiting = 0;
    if (count > tile_size<T>)  // else no contact leaves its tile
      for (std::size_t i = 0; i < tile_size<T>; ++i) free_strays_[i] = static_cast<std::uint32_t>(i);
  }

  /// The next contact that collides; false: there is none left. A tile that is about to be stored goes to
  /// `leave(tile)` first, which calls make_stray for the contacts that are still on their way there.
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
    if (place.tile == &workspace_.strays) [[unlikely]]
      store_stray(place.slot);
  }

  /// There are never more strays than contacts on their way, and sliders have less room for these than a tile.
  [[gnu::noinline]] Place<T> make_stray(Place<T> from) {
    assert(strays_ < tile_size<T> && from.tile != &workspace_.strays);
    Tile<T>& strays = workspace_.strays;
    const std::size_t slot = free_strays_[strays_++];
    copy_lane<Prepared<TileLane<T>>>(*from.tile, from.slot, strays, slot);
    strays.status[slot] = T(0);
    strays.origin[slot] = from.tile->first + from.slot;
    from.tile->status[from.slot] = Tile<T>::moved;
    return {&strays, slot};
  }

  /// After the last contact has ended.
  void finish() {
    for (Tile<T>& tile : workspace_.tiles) store(tile);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Tile<T>& current() { return workspace_.tiles[turn_]; }

  /// To the next contacts that collide; false: there are none left.
  template <class Leave>
  [[gnu::noinline]] bool advance(Leave& leave) {
    for (;;) {
      Tile<T>& tile = current();
      while (tile.next_block + 1 < tile.blocks) {
        if (const std::size_t i = position_ + tile.next_block * width; i < end_) prefetcher_.fetch(i, width);
        tile.waiting = tile.colliding[++tile.next_block];
        if (tile.waiting != 0) return true;
      }
      if (position_ == end_) return false;
      turn_ = 1 - turn_;
      leave(current());
      store(current());
      prepare(current());
      if (current().waiting != 0) return true;
    }
  }

  Block block_of(const Tile<T>& tile, std::size_t slot) const {
    Block block = block_at<width>(tile.first + slot, tile.first + tile.count, host_.layout);
    if (host_.contacts.columns->law.data != nullptr || host_.selection != Selection::own)
      block.lanes = incremental_lanes(*host_.contacts.columns, host_.parameters.law, host_.selection, block);
    return block;
  }

  [[gnu::noinline]] void prepare(Tile<T>& tile) {
    tile.first = position_;
    tile.count = end_ - position_ < tile_size<T> ? end_ - position_ : tile_size<T>;
    position_ += tile.count;
    Preparer<A, T> preparer{host_.parameters, tile};
    tile.blocks = 0;
    for (std::size_t slot = 0; slot < tile.count; slot += width) {
      // What has come early may have been displaced from the first-level cache again.
      if (const std::size_t i = tile.first + slot + 2 * width; i < end_) prefetcher_.fetch(i, width);
      unsigned& colliding = tile.colliding[tile.blocks++];
      const Block block = block_of(tile, slot);
      colliding = 0;
      if (block.lanes == 0) continue;
      const AnyContacts<T>& contacts = near_contacts<A>(host_.contacts, block, [&] { preparer.forget_columns(); });
      if (contacts.in_space != nullptr)
        colliding = preparer.prepare_space(*contacts.in_space, block, slot);
      else
        colliding = preparer.prepare_bodies(contacts, block, slot);
    }
    tile.next_block = 0;
    tile.waiting = tile.colliding[0];
  }

  [[gnu::noinline]] void store(Tile<T>& tile) {
    Storer<A, T> storer{host_.parameters, tile, {host_.results, tally_}};
    for (std::size_t slot = 0; slot < tile.count; slot += width)
      if (const Block block = block_of(tile, slot); block.lanes != 0) storer.store_block(host_.contacts, block, slot);
    tile.count = tile.blocks = 0;
  }

  [[gnu::noinline]] void store_stray(std::size_t slot) {
    Storer<A, T>{host_.parameters, workspace_.strays, {host_.results, tally_}}.store_block(
        host_.contacts, Block{workspace_.strays.origin[slot], 1, 1, host_.layout}, slot);
    assert(strays_ > 0);
    free_strays_[--strays_] = static_cast<std::uint32_t>(slot);
  }

  const Host& host_;
  const Prefetcher<T>& prefetcher_;
  std::size_t position_, end_;  // of the batch, from here on not yet prepared
  SlidingTiles<T>& workspace_;
  Tally& tally_;
  std::size_t turn_ = 0;
  std::size_t strays_ = 0;
  std::uint32_t free_strays_[tile_size<T>];  // from strays_ on
};

}  // namespace
}  // namespace carom::kernel
