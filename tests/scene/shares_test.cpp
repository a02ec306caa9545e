// Shares of large islands, which threads have: they hold every constraint once, only borders meet other shares, and no
// bit depends on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <carom/carom.hpp>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/running/schedulers.hpp"
#include "support/scenes/boxes_on_plate.hpp"
#include "support/scenes/contact_graph.hpp"
#include "support/scenes/order.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using scene::Graph;
using scene::Part;
using scene::ShareRange;

/// The scene with its bodies numbered at random.
template <class T>
SceneData<T> scattered(const SceneData<T>& from, std::uint64_t seed) {
  support::Draw draw(seed);
  SceneData<T> made = from;
  std::vector<std::size_t> order(from.body_count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(draw, order);
  std::vector<std::int32_t> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = static_cast<std::int32_t>(k);
  const auto take = [&](auto& to, const auto& of) {
    for (std::size_t k = 0; k < of.size() && k < order.size(); ++k) to[k] = of[order[k]];
  };
  for (std::size_t c = 0; c < 3; ++c) {
    take(made.bodies.velocity[c], from.bodies.velocity[c]);
    take(made.bodies.angular_velocity[c], from.bodies.angular_velocity[c]);
  }
  for (std::size_t c = 0; c < 6; ++c) take(made.bodies.inverse_inertia[c], from.bodies.inverse_inertia[c]);
  take(made.bodies.inverse_mass, from.bodies.inverse_mass);
  take(made.position, from.position);
  for (auto* column : {&made.body_a, &made.body_b})
    for (std::int32_t& body : *column)
      if (body >= 0) body = number[static_cast<std::size_t>(body)];
  return made;
}

/// A graph of `slots` threads.
struct Built : ContactGraph {
  template <class T>
  Built(const SceneData<T>& scene, std::size_t slots) : ContactGraph(scene, 4096, slots) {}

  /// Calls f(body) for the movable bodies of a lane batch.
  template <class F>
  void each_body(std::uint32_t batch, const F& f) const {
    const scene::LaneBatch& of = graph.lane_batches[batch];
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
      const auto& m = graph.manifolds[graph.order[of.first + lane]];
      for (const std::int32_t body : {m.body_a, m.body_b})
        if (body >= 0 && movable[static_cast<std::size_t>(body)] != 0) f(static_cast<std::size_t>(body));
    }
  }
  /// Share of manifolds whose batches are at a border.
  double border(const Part& part) const {
    double at_border = 0, all = 0;
    for (std::uint32_t s = part.first_colour_set; s < part.end_coloured; ++s)
      for (std::uint32_t share = 0; share < part.shares; ++share) {
        const ShareRange& range = graph.share_range(part, s, share);
        for (std::uint32_t v = range.first; v < range.end; ++v) {
          all += graph.lane_batches[v].lanes;
          at_border += v < range.border_end ? graph.lane_batches[v].lanes : 0;
        }
      }
    return at_border / all;
  }
};

struct Named {
  std::string name;
  SceneData<double> scene;
};
std::vector<Named> large_islands() {
  return {{"pyramid", pyramid<double>(48)},
          {"pile", pile<double>(9692)},
          {"scattered pile", scattered(pile<double>(9692), 3)},
          {"plate", boxes_on_plate<double>(2500, 1e5)}};
}

TEST(Shares, hold_every_constraint_once_and_meet_at_borders_alone) {
  for (const auto& [name, scene] : large_islands())
    for (const std::size_t slots :
         {std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{64}, std::size_t{200}}) {
      SCOPED_TRACE(name + ", slots " + std::to_string(slots));
      const Built built(scene, slots);
      const Graph& graph = built.graph;
      const Part& part = graph.parts.front();
      ASSERT_GE(part.shares, 2u);
      EXPECT_LE(part.shares, std::min(slots, Graph::max_shares));
      EXPECT_GE(part.points / part.shares, Graph::points_of_share);
      std::vector<int> seen(graph.lane_batches.size(), 0);
      std::vector<std::uint64_t> shares_of(scene.body_count(), 0), at_border(scene.body_count(), 0);
      const auto look = [&](std::uint32_t first, std::uint32_t end, std::uint32_t share, bool border) {
        for (std::uint32_t v = first; v < end; ++v) {
          ++seen[v];
          built.each_body(v, [&](std::size_t body) {
            shares_of[body] |= std::uint64_t{1} << share;
            if (border) at_border[body] |= std::uint64_t{1} << share;
          });
        }
      };
      for (std::uint32_t s = part.first_colour_set; s < part.end_coloured; ++s) {
        std::uint32_t next = graph.colour_sets[s].first;
        std::set<std::size_t> of_colour;
        for (std::uint32_t share = 0; share < part.shares; ++share) {
          const ShareRange& range = graph.share_range(part, s, share);
          EXPECT_EQ(range.first, next);
          EXPECT_LE(range.first, range.border_end);
          EXPECT_LE(range.border_end, range.end);
          next = range.end;
          look(range.first, range.border_end, share, true);
          look(range.border_end, range.end, share, false);
          for (std::uint32_t v = range.first; v < range.end; ++v)
            built.each_body(v, [&](std::size_t body) { EXPECT_TRUE(of_colour.insert(body).second); });
        }
        EXPECT_EQ(next, graph.colour_sets[s].end);
      }
      for (std::uint32_t s = part.end_coloured; s < part.end_colour_set; ++s)
        look(graph.colour_sets[s].first, graph.colour_sets[s].end, 0, true);
      for (const int times : seen) EXPECT_EQ(times, 1);

      std::vector<std::uint64_t> expected(part.shares, 0);
      for (std::size_t body = 0; body < scene.body_count(); ++body) {
        for (std::uint32_t share = 0; share < part.shares; ++share)
          if ((shares_of[body] >> share & 1u) != 0) expected[share] |= shares_of[body] & ~(std::uint64_t{1} << share);
        if (std::popcount(shares_of[body]) > 1) {
          EXPECT_EQ(at_border[body], shares_of[body]) << body;
        }
      }
      for (std::uint32_t share = 0; share < part.shares; ++share)
        EXPECT_EQ(graph.neighbours[part.first_neighbours + share], expected[share]) << share;

      auto by_share = graph.by_share;
      std::sort(by_share.begin(), by_share.end());
      for (std::uint32_t v = 0; v < by_share.size(); ++v) EXPECT_EQ(by_share[v], v);
      EXPECT_EQ(by_share.size(), graph.lane_batches.size());
    }
}

// Two halves of a pile of 9692 meet at a few layers of bodies, however these are numbered.
TEST(Shares, follow_neighbours_where_numbers_are_scattered) {
  const auto pile = scenes::pile<double>(9692);
  const Built in_order(pile, 2), mixed(scattered(pile, 3), 2);
  EXPECT_LT(in_order.border(in_order.graph.parts.front()), 0.5);
  EXPECT_LT(mixed.border(mixed.graph.parts.front()), 0.5);
  const Built pyramid(scenes::pyramid<double>(86), 2), mixed_pyramid(scattered(scenes::pyramid<double>(86), 3), 2);
  EXPECT_LT(pyramid.border(pyramid.graph.parts.front()), 0.1);
  EXPECT_LT(mixed_pyramid.border(mixed_pyramid.graph.parts.front()), 0.1);
}

TEST(Shares, are_of_islands_that_are_large_enough_alone) {
  const Built small(pyramid<double>(31), 2);  // 3844 contacts
  for (const Part& part : small.graph.parts) EXPECT_EQ(part.shares, 1u);
  const Built alone(pyramid<double>(48), 1);
  for (const Part& part : alone.graph.parts) EXPECT_EQ(part.shares, 1u);
}

TEST(Shares, change_no_bit) {
  for (const auto& [name, wide] : large_islands()) {
    const bool is_plate = name == "plate";
    for (const Procedure method : {Procedure::pgs, Procedure::resting, Procedure::both_phases, Procedure::substeps}) {
      const MethodOptions options = usual(method);
      SceneSolver alone({.threads = 1});
      const auto first = solved(alone, wide, options), second = solved(alone, wide, options);
      for (const int threads : {2, 5}) {
        // All pieces meet first: no thread is away.
        support::TestScheduler together(threads, support::all_met, true), in_turn(threads, support::in_order);
        for (support::TestScheduler* scheduler : {&together, &in_turn}) {
          const std::string what = name + ", " + std::string(to_string(method)) + ", " + std::to_string(threads) +
                                   (scheduler == &together ? " together" : " in turn");
          SceneSolver several(scheduler->execution());
          expect_same_bits(first.arrays, solved(several, wide, options).arrays, what);
          expect_same_bits(second.arrays, solved(several, wide, options).arrays, what + ", again");
        }
      }
      if (is_plate) break;
    }
  }
}

}  // namespace
}  // namespace carom::scenes
