// The contacts of a range on their way through the tiles: prepared, solved by an integrator, stored.
#pragma once

#include <cassert>

#include "prepare.hpp"
#include "slide.hpp"
#include "store.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class Tiles {
 public:
  /// The host's contacts and results, and how the law is to be solved.
  struct Host {
    AnyContacts<T> contacts;
    const Results<T>& results;
    const Parameters<T>& parameters;
    const Layout& layout;
    Selection selection;
  };

  Tiles(const Host& host, std::size_t first, std::size_t count, Tally& tally)
      : host_(host), position_(first), end_(first + count), tally_(tally) {}

  const Parameters<T>& parameters() const { return host_.parameters; }

  /// The contacts of the range that have not been prepared yet.
  std::size_t left() const { return end_ - position_; }

  /// Fills a tile with the next contacts.
  [[gnu::noinline]] void prepare(Tile<T>& tile) {
    tile.first = position_;
    tile.count = left() < tile_size<T> ? left() : tile_size<T>;
    position_ += tile.count;
    Preparer<A, T> preparer{host_.parameters, tile};
    tile.blocks = 0;
    for (std::size_t slot = 0; slot < tile.count; slot += width) {
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

  /// Stores one contact of a tile of contacts from anywhere.
  [[gnu::noinline]] void store_stray(const Tile<T>& strays, std::size_t slot) {
    Storer<A, T>{host_.parameters, strays, {host_.results, tally_}}.store_block(
        host_.contacts, Block{strays.origin[slot], 1, 1, host_.layout}, slot);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Block block_of(const Tile<T>& tile, std::size_t slot) const {
    Block block = block_at<width>(tile.first + slot, tile.first + tile.count, host_.layout);
    if (host_.contacts.columns->law.data != nullptr || host_.selection != Selection::own)
      block.lanes = incremental_lanes(*host_.contacts.columns, host_.parameters.law, host_.selection, block);
    return block;
  }

  const Host& host_;
  std::size_t position_, end_;  // of the batch, from here on not yet prepared
  Tally& tally_;
};

}  // namespace
}  // namespace carom::kernel
