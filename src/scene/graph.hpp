// The graph tells which contacts and rows belong together, and in what order they are solved: manifolds, islands,
// colours, levels. It depends on indices and on what can move alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grouping.hpp"

namespace carom::scene {

/// A graph is made of these. `fault` is 0 of those that take part.
struct Parts {
  std::size_t bodies = 0, contacts = 0, rows = 0;
  const std::uint8_t* movable = nullptr;
  const std::int32_t *body_a = nullptr, *body_b = nullptr, *row_body_a = nullptr, *row_body_b = nullptr;
  const std::uint8_t *fault = nullptr, *row_fault = nullptr;
  Links links;
  const std::uint8_t* models = nullptr;  // of contacts: 0, or bits of kernel::has_model and others; null: 0 of all
};

/// A number of consecutive manifolds or groups of `order` that share no body that moves.
struct LaneBatch {
  std::uint32_t first;  // in Graph::order
  std::uint8_t lanes;
  std::uint8_t count;  // points or rows of the longest
  bool is_joint;
  std::uint8_t models;  // of manifolds, which have the same: see kernel::has_model
};

/// Vectors that may be solved at once, whichever comes first.
struct ColourSet {
  std::uint32_t first, end;  // in Graph::lane_batches
};

/// Islands that are solved together by one thread, or one large island.
struct Part {
  std::uint32_t first_colour_set = 0, end_colour_set = 0;
  std::uint32_t first_lane_batch = 0, end_lane_batch = 0;
  std::uint32_t first_island = 0, islands = 0;
  std::uint32_t points = 0;                    // and rows
  std::uint32_t first_body = 0, end_body = 0;  // in Graph::bodies, if there are those
};

/// How many substeps an island takes, as a real number, and in how many calls in a row it needed fewer.
struct SubstepNeed {
  float substeps = 0, quiet = 0;
};

class Graph {
 public:
  static constexpr std::uint32_t most_colours = 64;
  static constexpr std::uint32_t no_island = ~std::uint32_t{0}, no_part = no_island;

  /// Reserves the lists for the largest graph of these bodies, contacts and rows, so that later graphs of their number
  /// allocate nothing. `most_rounds`: see sort_islands.
  void reserve(const Parts& of, std::size_t most_rounds);
  /// Manifolds, groups and islands.
  void connect(const Parts& of);
  /// Numbers the islands anew, so that those with the larger numbers in `rounds` come first, which `rounds` and `more`
  /// follow. Islands with other numbers will be in other parts.
  void sort_islands(std::vector<std::int32_t>& rounds, std::vector<SubstepNeed>& more);
  /// Parts, colours and vectors. Islands of up to `part_points` contacts and rows are solved together. `width`
  /// manifolds go into a vector. `rounds`: see sort_islands, or empty. Islands of one manifold are in no part but among
  /// the lone ones if these are `apart`.
  void build(const Parts& of, std::size_t width, std::size_t part_points, const std::vector<std::int32_t>& rounds,
             bool apart);
  /// The bodies of every part, and the island of every body.
  void list_bodies(const Parts& of);

  /// The colour sets of shock propagation: level by level, its colours in order. Manifolds without a level are left
  /// out. `level` gets the level of each body, and of those that nothing connects to the ground -1.
  void build_levels(const Parts& of, std::size_t width, std::vector<std::int32_t>& level);

  std::vector<Constraint> manifolds, groups;
  std::vector<std::uint8_t> models;  // of manifolds, those of their contacts together; empty: 0 of all
  Grouping of_contacts, of_rows;     // where those of manifolds and groups stand
  std::vector<std::uint32_t> island_of_manifold, island_of_group;
  std::vector<std::uint32_t> order;  // manifolds and groups, as lane batches take them
  std::vector<LaneBatch> lane_batches;
  std::vector<ColourSet> colour_sets;
  std::vector<Part> parts;
  std::vector<std::uint32_t> lone;            // manifolds
  std::vector<std::uint32_t> bodies;          // part by part
  std::vector<std::uint32_t> island_of_body;  // or no_island
  // Shock propagation: the colour sets of level l are [level_colour_sets[l], level_colour_sets[l + 1]).
  std::vector<std::uint32_t> level_order;
  std::vector<LaneBatch> level_lane_batches;
  std::vector<ColourSet> level_colour_sets;
  std::vector<std::uint32_t> level_begin;

  std::size_t islands = 0, largest_island = 0, colours = 0, uncoloured = 0;
  std::size_t most_lanes = 0;    // of a lane batch
  bool is_of_last_call = false;  // nothing has changed, and all of the last call's is there

 private:
  /// This is what the graph was made of in the last call, with its islands before they were sorted.
  struct Last {
    std::vector<Constraint> manifolds, groups;
    std::vector<std::uint8_t> movable, models;
    std::vector<std::uint32_t> island_of_manifold, island_of_group, island_of_root, island_size, island_items;
    std::size_t width = 0, part_points = 0;
    std::vector<std::int32_t> rounds;
    bool apart = false, is_coloured = false, is_built = false, is_listed = false;
  };
  struct Item {
    std::uint32_t key;    // colour, kind and count
    std::uint32_t index;  // of a manifold or a group
  };
  struct BodyPair {
    std::int32_t a, b;
  };

  /// True if manifolds, groups and bodies are those of the last call.
  bool is_last(const Parts& of) const;
  void find_islands(const Parts& of);
  void find_models(const Parts& of);
  void find_parts(std::size_t part_points, const std::vector<std::int32_t>& rounds, bool apart);
  std::uint32_t island_of(const Parts& of, std::size_t body);
  /// Tells which islands have a cycle of movable bodies. Two bodies that touch in several ways make none.
  void find_cycles(const Parts& of);
  /// Counts the bodies of every island in their order, and the manifolds and groups of every body.
  void number_bodies(const Parts& of);
  void colour(const Parts& of);
  void arrange(std::size_t width);
  std::uint32_t models_of(std::uint32_t manifold) const { return models.empty() ? 0 : models[manifold]; }
  /// The highest.
  std::int32_t find_levels(const Parts& of, std::vector<std::int32_t>& level);

  static bool moves(const Parts& of, std::int32_t body) { return body >= 0 && of.movable[body] != 0; }

  std::vector<std::int32_t> parent_;
  std::vector<std::uint32_t> island_of_root_, island_size_, part_of_island_;
  std::vector<std::uint32_t> island_items_;  // manifolds, and groups twice: 1 of those of one manifold
  std::vector<std::uint8_t> colour_of_group_, colour_of_manifold_;
  // A spanning forest of the movable bodies: how many neighbours each of them has in it, and their numbers from 1 on
  // under exclusive or. Pairs of bodies that were in one set already when they came.
  std::vector<std::uint32_t> tree_degree_, tree_neighbours_;
  std::vector<BodyPair> within_sets_;
  std::vector<std::uint8_t> has_cycle_, has_model_;  // of islands
  bool has_cycles_ = false;
  std::vector<std::uint32_t> rank_, degree_;
  std::vector<std::uint64_t> used_, used_by_island_, used_by_groups_;
  std::vector<std::uint32_t> counts_, next_;
  std::vector<Item> items_;
  std::vector<SubstepNeed> sorted_;
  std::vector<std::uint32_t> unsorted_;
  std::vector<std::int32_t> rounds_;  // of islands before they were sorted
  Last last_;
  std::vector<std::uint8_t> kind_;
  std::vector<std::uint32_t> touching_, touching_begin_;  // manifolds of bodies
  std::vector<std::int32_t> reached_;                     // bodies in the order of their levels
};

}  // namespace carom::scene
