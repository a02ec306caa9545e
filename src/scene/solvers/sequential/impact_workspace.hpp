// The memory of a sequence.
#pragma once

#include <algorithm>

#include "contact/call/range.hpp"
#include "core/support/array.hpp"
#include "hub_tree.hpp"
#include "impact_items.hpp"

namespace carom::scene {

/// The contacts that go through the kernels together, at most one an island, and a thread's workspace there.
template <class T>
struct ImpactBatch {
  static constexpr std::size_t most = 512;
  // The numbers of columns.hpp's each_number, each_parameter and each_weight; results.
  static constexpr std::size_t max_columns = 40;

  T numbers[max_columns][most];
  Law law[most];
  RestitutionLaw restitution_law[most];
  std::int32_t body[2][most];
  alignas(64) T rows[2 * most + 2][kernel::BodyRecord::size];  // NaN and the world, then A and B of every contact
  T results[15][most];
  Status status[most];
  Path path[most];
  std::uint32_t item[most];

  Owned<kernel::SlidingTiles<T>> sliding;
  Owned<kernel::LawTile<T>> law_tile;
  Owned<kernel::GroupTile<T>> group;
  Owned<ComponentResults<T>> components;
  Array<std::uint32_t> active;      // islands
  Array<std::uint32_t> stale_hubs;  // whose most urgent contact is to be found again
  std::size_t impacts = 0, lanes = 0, lanes_used = 0;
};

/// n, rA x n, rB x n and the target: the speed at which a contact approaches, of its bodies' velocities.
template <class T>
struct NormalRow {
  T n[3], turn_a[3], turn_b[3], target;
};

template <class T>
struct ImpactWorkspace {
  /// Reserves the lists for the largest graph of these bodies, contacts and rows.
  void reserve(const Parts& of) {
    const std::size_t items = of.contacts + of.rows, max_islands = std::min(of.bodies, items);
    items_of_island.reserve(max_islands, items);
    items_of_body.reserve(of.bodies, items);
    make_room(items, island_of_item, number, entrants, place, urgency);
    make_room(2 * items, tree);
    make_room(max_islands, entrants_count, winner, energy, impacts);
    hubs.reserve(of.bodies, of.contacts, items, max_islands);
  }

  Lists items_of_island, items_of_body;
  Array<NormalRow<T>> normal_rows;
  Array<T> urgency;
  Hubs<T> hubs;
  Array<std::uint32_t> island_of_item, number;  // number: among the items of its island
  // The tournament of an island: its entrants, from its items_of_island.begin on, are items that no hub has and of each
  // hub the most urgent contact. `place` is the place of an item there; tree and winner are places.
  Array<std::uint32_t> entrants, entrants_count, place, tree, winner;
  Array<std::uint32_t> first_item;  // of bodies
  Array<double> energy;
  Array<std::size_t> impacts;
  Array<Status> outcome;                 // of the last impact of contacts
  Array<Owned<ImpactBatch<T>>> batches;  // one a slot
};

}  // namespace carom::scene
