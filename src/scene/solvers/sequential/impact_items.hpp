// A sequence chooses among items: contacts and groups of joint rows of islands, with how urgent each is.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/support/array.hpp"
#include "core/support/hash.hpp"
#include "scene/graph/graph.hpp"

namespace carom::scene {

/// Numbers [begin[i], begin[i + 1]) of `of` belong to i.
struct Lists {
  Array<std::uint32_t> begin, of;

  /// Reserves the lists for `count` items with two owners each.
  void reserve(std::size_t owners_count, std::size_t count) {
    begin.reserve(owners_count + 1);
    next_.reserve(owners_count + 1);
    of.reserve(2 * count);
  }
  /// `owners(i, f)` calls f(owner) for the owners of i below `count`.
  template <class Owners>
  void build(std::size_t owners_count, std::size_t count, const Owners& owners) {
    begin.assign(owners_count + 1, 0);
    for (std::uint32_t i = 0; i < count; ++i) owners(i, [&](std::uint32_t owner) { ++begin[owner + 1]; });
    for (std::size_t o = 0; o < owners_count; ++o) begin[o + 1] += begin[o];
    of.resize(begin[owners_count]);
    next_.assign(begin.begin(), begin.end());
    for (std::uint32_t i = 0; i < count; ++i) owners(i, [&](std::uint32_t owner) { of[next_[owner]++] = i; });
  }

 private:
  Array<std::uint32_t> next_;
};

/// Tournament tree that finds the most urgent item of an island and updates it after every change.
class Tournament {
 public:
  /// `tree` has room for 2 `count` numbers. `before(x, y)` returns whether item x wins against y. Returns the winner.
  template <class Before>
  static std::uint32_t play_all(std::uint32_t* tree, std::uint32_t count, const Before& before) {
    for (std::uint32_t i = 0; i < count; ++i) tree[count + i] = i;
    for (std::uint32_t node = count - 1; node >= 1; --node) play(tree, node, before);
    return count == 1 ? 0 : tree[1];
  }
  template <class Before>
  static std::uint32_t play_again(std::uint32_t* tree, std::uint32_t count, std::uint32_t item, const Before& before) {
    for (std::uint32_t node = (count + item) / 2; node >= 1; node /= 2) play(tree, node, before);
    return count == 1 ? 0 : tree[1];
  }

 private:
  template <class Before>
  static void play(std::uint32_t* tree, std::uint32_t node, const Before& before) {
    const std::uint32_t a = tree[2 * node], b = tree[2 * node + 1];
    tree[node] = before(b, a) ? b : a;
  }
};

}  // namespace carom::scene
