// The contacts of a range on their way through the tiles: prepared, solved by an integrator, stored.
#pragma once

#include <cassert>

#include "contact/kernels/stages/contact_reader.hpp"
#include "contact/kernels/stages/staging.hpp"
#include "prepare.hpp"
#include "slide.hpp"
#include "store.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class Tiles {
 public:
  /// The caller's contacts and results, and the parameters of the law.
  struct Host {
    ContactReader<A, T>& contacts;
    const LawColumns<T>& columns;
    const Results<T>& results;
    const Parameters<T>& parameters;
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
    Preparer<A, T> preparer{host_.columns, host_.parameters, tile};
    tile.blocks = 0;
    ContactReader<A, T>& contacts = host_.contacts;
    for_each_block(tile, true, [&](const Block& block, std::size_t slot, std::size_t i) {
      unsigned& colliding = tile.colliding[tile.blocks++];
      colliding = 0;
      if (block.lanes == 0) return;
      const WholeBlock at = contacts.block(i);
      colliding = contacts.has_bodies()
                      ? preparer.prepare_bodies(contacts.between_bodies(), at, contacts.index_fault(i), block, slot)
                      : preparer.prepare_space(contacts.in_space(), at, block, slot);
    });
    tile.next_block = 0;
    tile.waiting = tile.colliding[0];
  }

  [[gnu::noinline]] void store(Tile<T>& tile) {
    Storer<A, T> storer = storer_of(tile);
    for_each_block(tile, storer.moves_bodies, [&](const Block& block, std::size_t slot, std::size_t i) {
      if (block.lanes != 0) storer.store_block(host_.contacts, i, block, slot);
    });
    tile.count = tile.blocks = 0;
  }

  /// Stores one contact of a tile of contacts from anywhere.
  [[gnu::noinline]] void store_remainder(const Tile<T>& remainder, std::size_t slot) {
    Storer<A, T> storer = storer_of(remainder);
    if (storer.moves_bodies) host_.contacts.read(remainder.origin[slot], 1);
    storer.store_block(host_.contacts, 0, Block{remainder.origin[slot], 1, 1}, slot);
  }

 private:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  Storer<A, T> storer_of(const Tile<T>& tile) const {
    return {
        host_.parameters, tile, {host_.results, tally_}, host_.contacts.has_bodies() && wants_bodies(host_.results)};
  }

  /// Calls f(block, slot, i) for each vector of a tile. `reads`: the contacts are loaded, and i is their index in the
  /// reader.
  template <class F>
  [[gnu::always_inline]] void for_each_block(const Tile<T>& tile, bool reads, F&& f) {
    const std::size_t end = tile.first + tile.count;
    kernel::for_each_tile<width>(tile.first, end, host_.contacts.at_once(), [&](std::size_t first, std::size_t count) {
      bool is_read = !reads;
      for (std::size_t i = 0; i < count; i += width) {
        const std::size_t slot = first - tile.first + i;
        const Block block = block_of(tile, slot);
        if (!is_read && block.lanes != 0) {
          host_.contacts.read(first, count);
          is_read = true;
        }
        f(block, slot, i);
      }
    });
  }

  Block block_of(const Tile<T>& tile, std::size_t slot) const {
    Block block = block_at<width>(tile.first + slot, tile.first + tile.count);
    if (host_.columns.law.data != nullptr || host_.selection != Selection::own)
      block.lanes = incremental_lanes(host_.columns, host_.parameters.law, host_.selection, block);
    return block;
  }

  const Host& host_;
  std::size_t position_, end_;  // of the batch, from here on not yet prepared
  Tally& tally_;
};

}  // namespace
}  // namespace carom::kernel
