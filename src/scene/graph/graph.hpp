// The graph groups contacts and rows and defines the order of the solution: manifolds, islands, colours, levels. It
// depends only on indices and on which bodies can move.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "grouping.hpp"

namespace carom::scene {

/// Input of a graph. `fault` is 0 for contacts and rows that take part.
struct Parts {
  std::size_t bodies = 0, contacts = 0, rows = 0;
  const std::uint8_t* movable = nullptr;
  const std::int32_t *body_a = nullptr, *body_b = nullptr, *row_body_a = nullptr, *row_body_b = nullptr;
  const std::uint8_t *fault = nullptr, *row_fault = nullptr;
  Links links;
  const std::uint8_t* models = nullptr;  // of contacts: 0, or bits of kernel::has_model and others; null: all 0
};

/// Consecutive manifolds or groups of `order` that share no movable body.
struct LaneBatch {
  std::uint32_t first;  // in Graph::order
  std::uint8_t lanes;
  std::uint8_t count;  // points or rows of the longest
  bool is_joint;
  std::uint8_t models;  // of manifolds, equal for all: see kernel::has_model
};

/// Lane batches that may be solved in parallel, in any order.
struct ColourSet {
  std::uint32_t first, end;  // in Graph::lane_batches
};

/// Lane batches of one share in one colour set. Lane batches before `border_end` have a body that other shares have,
/// too.
struct ShareRange {
  std::uint32_t first, border_end, end;
};

/// Islands that one thread solves together, or one large island. A large island is divided into shares, one a thread:
/// manifolds and groups of neighbouring bodies, in all colours.
struct Part {
  std::uint32_t first_colour_set = 0, end_colour_set = 0;
  std::uint32_t first_lane_batch = 0, end_lane_batch = 0;
  std::uint32_t first_island = 0, islands = 0;
  std::uint32_t points = 0;                    // and rows
  std::uint32_t first_body = 0, end_body = 0;  // in Graph::bodies, if listed
  std::uint32_t shares = 1;
  // With several shares: the colour sets from here on have one constraint without a colour each.
  std::uint32_t end_coloured = 0;
  bool sweeps_alone = false;  // colours are so small that threads would only wait for each other
  std::uint32_t first_share_range = 0, first_neighbours = 0;  // in Graph::share_ranges and Graph::neighbours

  bool is_large() const { return shares > 1; }
};

/// Number of substeps of an island, as a real number, and the number of consecutive calls that needed fewer. `spent`:
/// work of the last calls on direct solutions, in the work of the island's sweeps. `direct`: substeps of a direct
/// solution, and calls that needed much fewer.
struct SubstepNeed {
  static constexpr float as_before = -1;  ///< value of `substeps` if contacts and rows keep their needs

  float substeps = 0, quiet = 0, spent = 0;
  float direct = 0, direct_quiet = 0;

  /// After a call without direct solutions.
  SubstepNeed without_income() const {
    SubstepNeed left = *this;
    left.spent = std::max(spent - static_cast<float>(SceneThresholds::direct_income), 0.F);
    return left;
  }
};

class Graph {
 public:
  static constexpr std::uint32_t max_colours = 64;
  static constexpr std::uint32_t no_island = ~std::uint32_t{0}, no_part = no_island;
  /// Contacts and rows of an island that are worth another thread.
  static constexpr std::uint32_t points_of_share = 2000;
  static constexpr std::size_t max_shares = 64;

  /// Reserves the lists for the largest graph of these numbers of bodies, contacts and rows, so that later graphs do
  /// not allocate. `max_rounds`: see sort_islands. `slots`: see build.
  void reserve(const Parts& of, std::size_t max_rounds, std::size_t slots);
  /// Finds manifolds, groups and islands.
  void connect(const Parts& of);
  /// Sorts the islands by decreasing `inner_iterations`, and sorts `inner_iterations` and `more` with them. Islands
  /// with different `inner_iterations` are put into different parts.
  void sort_islands(Array<std::int32_t>& inner_iterations, Array<SubstepNeed>& more);
  /// Finds parts, colours and lane batches. Islands of up to `part_points` contacts and rows are solved together. A
  /// lane batch has up to `width` manifolds. `inner_iterations`: see sort_islands, or empty; islands with 0 rounds are
  /// in no part. `apart`: islands of one manifold go to `single_manifold` instead of a part. `slots`: number of
  /// threads. Large islands have at most one share for each.
  void build(const Parts& of, std::size_t width, std::size_t part_points, const Array<std::int32_t>& inner_iterations,
             bool apart, std::size_t slots = 1);
  /// `colour_set` has colours.
  const ShareRange& share_range(const Part& part, std::uint32_t colour_set, std::uint32_t share) const {
    return share_ranges[part.first_share_range + (colour_set - part.first_colour_set) * part.shares + share];
  }
  /// Lists the bodies of every island in their order, and the island of every body.
  void list_bodies(const Parts& of);

  /// Builds the colour sets of shock propagation: level by level, the colours of a level in order. Manifolds without a
  /// level are left out. `level` is set to the level of each body, or -1 for bodies without a connection to the ground.
  void build_levels(const Parts& of, std::size_t width, Array<std::int32_t>& level);

  Array<Constraint> manifolds, groups;
  Array<std::uint8_t> models;     // of manifolds: union of the bits of their contacts; empty: all 0
  Grouping of_contacts, of_rows;  // positions of the contacts and rows of manifolds and groups
  Array<std::uint32_t> island_of_manifold, island_of_group;
  Array<std::uint32_t> order;  // manifolds and groups, as lane batches take them
  Array<LaneBatch> lane_batches;
  Array<ColourSet> colour_sets;
  Array<Part> parts;
  // Shares of large parts: their ranges, by colour set and share; bits of the shares that a share has bodies with; all
  // lane batches, share by share.
  Array<ShareRange> share_ranges;
  Array<std::uint64_t> neighbours;
  Array<std::uint32_t> by_share;
  Array<std::uint32_t> single_manifold;  // manifolds
  Array<std::uint32_t> bodies;           // island by island
  Array<std::uint32_t> body_begin;       // of islands, in `bodies`; and the end
  Array<std::uint32_t> island_of_body;   // or no_island
  // Shock propagation: the colour sets of level l are [level_colour_sets[l], level_colour_sets[l + 1]).
  Array<std::uint32_t> level_order;
  Array<LaneBatch> level_lane_batches;
  Array<ColourSet> level_colour_sets;
  Array<std::uint32_t> level_begin;

  std::size_t islands = 0, max_island_size = 0, colours = 0, overflow_constraints = 0;
  std::size_t max_lanes = 0;     // of a lane batch
  bool is_of_last_call = false;  // only the number of threads has changed, and the last call's graph is complete

 private:
  /// The input of the last call's graph. Islands are in the order before sorting.
  struct Last {
    Array<Constraint> manifolds, groups;
    Array<std::uint8_t> movable, models;
    Array<std::uint32_t> island_of_manifold, island_of_group, island_of_root, island_size, island_items;
    std::size_t width = 0, part_points = 0, slots = 0;
    Array<std::int32_t> inner_iterations;
    bool apart = false, is_coloured = false, is_built = false, is_listed = false;
  };
  struct Item {
    std::uint32_t key;    // colour, kind and count
    std::uint32_t index;  // of a manifold or a group
  };
  struct BodyPair {
    std::int32_t a, b;
  };
  /// An item of a large part: the first body that moves, the other one or -1.
  struct Ends {
    std::uint32_t body;
    std::int32_t other;
    std::uint32_t key;
    std::uint8_t colour, kind, share = 0;
  };

  /// True if manifolds and groups have the bodies of the last call's. Islands and colours are then the same.
  bool has_last_pairs(const Parts& of) const;
  /// True if they have the same contacts and rows, too.
  bool has_last_places() const;
  /// Counts the contacts and rows of islands that stay.
  void count_again();
  void find_islands(const Parts& of);
  void find_models(const Parts& of);
  void find_parts(std::size_t part_points, const Array<std::int32_t>& inner_iterations, bool apart);
  std::uint32_t island_of(const Parts& of, std::size_t body);
  /// Finds the islands with a cycle of movable bodies. Several constraints between two bodies are no cycle.
  void find_cycles(const Parts& of);
  /// Numbers the bodies of every island in order, and counts the manifolds and groups of every body.
  void number_bodies(const Parts& of);
  void colour(const Parts& of);
  void arrange(const Parts& of, std::size_t width, bool apart, std::size_t slots);
  /// Arranges the items [first, end) of a part by colour, share, border and kind.
  void arrange_in_shares(const Parts& of, Part& part, std::uint32_t first, std::uint32_t end, std::size_t width);
  /// Sets ends_ for these items.
  void list_ends(const Parts& of, std::uint32_t first, std::uint32_t end);
  /// Divides the bodies of the items into shares along their numbers, or along place_.
  void divide(const Part& part, bool by_neighbours);
  /// Sets the keys of the items. Returns the number of items at a border.
  std::uint32_t set_share_keys(Part& part);
  /// Sets place_ so that bodies follow their neighbours.
  void number_by_neighbours(std::size_t body_count);
  std::uint32_t models_of(std::uint32_t manifold) const { return models.empty() ? 0 : models[manifold]; }
  /// Returns the max level.
  std::int32_t find_levels(const Parts& of, Array<std::int32_t>& level);

  static bool moves(const Parts& of, std::int32_t body) { return body >= 0 && of.movable[body] != 0; }

  Array<std::int32_t> parent_;
  Array<std::uint32_t> island_of_root_, island_size_, part_of_island_;
  Array<std::uint32_t> island_items_;  // manifolds + 2 × groups; 1: a single manifold
  Array<std::uint8_t> colour_of_group_, colour_of_manifold_;
  // A spanning forest of the movable bodies: number of neighbours of each body, and the exclusive or of the neighbours'
  // numbers, counted from 1. within_sets_: pairs of bodies that were already connected.
  Array<std::uint32_t> tree_degree_, tree_neighbours_;
  Array<BodyPair> within_sets_;
  Array<std::uint8_t> has_cycle_, has_model_;  // of islands
  bool has_cycles_ = false;
  Array<std::uint32_t> rank_, degree_;
  Array<std::uint64_t> used_, used_by_island_, used_by_groups_;
  Array<std::uint32_t> counts_, next_;
  Array<Item> items_;
  Array<SubstepNeed> sorted_;
  Array<std::uint32_t> unsorted_;
  Array<std::int32_t> inner_iterations_;  // of islands before they were sorted
  Last last_;
  Array<std::uint8_t> kind_;
  Array<Ends> ends_;
  std::uint32_t colour_count_ = 0;  // of a large part
  Array<std::uint8_t> share_of_place_;
  Array<std::uint64_t> shares_at_body_;
  Array<std::uint32_t> place_, share_keys_, share_begin_;
  Array<std::uint32_t> items_at_;                   // of places; all 0 between large parts
  Array<std::uint32_t> touching_, touching_begin_;  // manifolds of each body, or neighbours
  Array<std::int32_t> reached_;                     // bodies in the order of their levels
};

}  // namespace carom::scene
