// Shares of a large island: each thread has the same bodies in all colours and in all loops, so that they stay in its
// cache. Shares change no bit, for at every body the colours keep their order.
#include <algorithm>
#include <bit>

#include "graph.hpp"
#include "lane_kinds.hpp"

namespace carom::scene {
namespace {

/// Numbers of bodies are scattered if more than one item in four is at a border.
constexpr std::uint32_t scattered_if_over = 4;
/// Mean number of items of a share in a colour that is worth waiting for other threads.
constexpr std::uint32_t items_in_colour = 8;

}  // namespace

/// The items of a part are in the order of their numbers, groups first.
void Graph::arrange_in_shares(const Parts& of, Part& part, std::uint32_t first, std::uint32_t end, std::size_t width) {
  const std::uint32_t kind_count = models.empty() ? kinds::without_models : kinds::most;
  const std::uint32_t shares = part.shares;
  list_ends(of, first, end);
  divide(part, false);
  if (const std::uint32_t border = set_share_keys(part); border > (end - first) / scattered_if_over) {
    number_by_neighbours(of.bodies);
    divide(part, true);
    if (set_share_keys(part) > border) {
      divide(part, false);
      set_share_keys(part);
    }
  }
  const std::uint32_t colour_count = colour_count_, keys = colour_count * shares * 2 * kind_count;
  for (std::uint32_t k = 0; k <= keys; ++k) share_keys_[k + 1] += share_keys_[k];
  share_begin_.resize(2 * colour_count * shares + 1);
  for (std::uint32_t k = 0; k <= 2 * colour_count * shares; ++k) share_begin_[k] = first + share_keys_[k * kind_count];
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t to = first + share_keys_[ends_[i - first].key]++;
    order[to] = items_[i].index;
    kind_[to] = ends_[i - first].kind;
  }

  const auto kind_at = [&](std::uint32_t i) { return std::uint32_t{kind_[i]}; };
  const auto batches = [&] { return static_cast<std::uint32_t>(lane_batches.size()); };
  part.first_colour_set = static_cast<std::uint32_t>(colour_sets.size());
  part.first_lane_batch = batches();
  part.first_share_range = static_cast<std::uint32_t>(share_ranges.size());
  for (std::uint32_t colour = 0; colour < colour_count; ++colour) {
    const std::uint32_t* const begin = share_begin_.data() + 2 * colour * shares;
    if (begin[0] == begin[2 * shares]) continue;
    const std::uint32_t first_batch = batches();
    for (std::uint32_t share = 0; share < shares; ++share) {
      const std::uint32_t from = begin[2 * share], within = begin[2 * share + 1], to = begin[2 * share + 2];
      ShareRange range{batches(), 0, 0};
      // Items that are within fill the last lane batch of the border.
      kinds::append_lane_batches(lane_batches, from, to - from, width, kind_at);
      range.end = batches();
      for (range.border_end = range.first;
           range.border_end < range.end && lane_batches[range.border_end].first < within;)
        ++range.border_end;
      share_ranges.push_back(range);
    }
    colour_sets.push_back({first_batch, batches()});
  }
  part.end_coloured = static_cast<std::uint32_t>(colour_sets.size());
  part.sweeps_alone = share_begin_[2 * colour_count * shares] - first <
                      items_in_colour * shares * (part.end_coloured - part.first_colour_set);
  for (std::uint32_t i = share_begin_[2 * colour_count * shares]; i < end; ++i)
    kinds::append_colour_set(lane_batches, colour_sets, i, 1, 1, kind_at);
  part.end_colour_set = static_cast<std::uint32_t>(colour_sets.size());
  part.end_lane_batch = batches();

  for (std::uint32_t share = 0; share < shares; ++share) {
    for (std::uint32_t s = part.first_colour_set; s < part.end_coloured; ++s) {
      const ShareRange& range = share_range(part, s, share);
      for (std::uint32_t v = range.first; v < range.end; ++v) by_share.push_back(v);
    }
    for (std::uint32_t s = part.end_coloured; share == 0 && s < part.end_colour_set; ++s)
      by_share.push_back(colour_sets[s].first);
  }
}

/// An item goes with the first of its bodies that moves.
void Graph::list_ends(const Parts& of, std::uint32_t first, std::uint32_t end) {
  const std::uint32_t kind_count = models.empty() ? kinds::without_models : kinds::most;
  ends_.resize(end - first);
  share_of_place_.resize(of.bodies);
  shares_at_body_.resize(of.bodies);
  items_at_.resize(of.bodies, 0);
  colour_count_ = 0;
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t colour = items_[i].key / kind_count, kind = items_[i].key % kind_count;
    const Constraint& m = (kinds::is_joint(kind) ? groups : manifolds)[items_[i].index];
    const bool a_moves = moves(of, m.body_a), b_moves = moves(of, m.body_b);
    ends_[i - first] = {static_cast<std::uint32_t>(a_moves ? m.body_a : m.body_b), a_moves && b_moves ? m.body_b : -1,
                        0, static_cast<std::uint8_t>(colour), static_cast<std::uint8_t>(kind)};
    if (colour < max_colours) colour_count_ = std::max(colour_count_, colour + 1);
  }
}

void Graph::divide(const Part& part, bool by_neighbours) {
  const std::size_t n = ends_.size();
  const auto place_of = [&](std::uint32_t body) { return by_neighbours ? place_[body] : body; };
  std::uint32_t least = ~std::uint32_t{0}, most = 0;
  for (const Ends& of : ends_) {
    const std::uint32_t place = place_of(of.body);
    ++items_at_[place];
    least = std::min(least, place);
    most = std::max(most, place);
    shares_at_body_[of.body] = 0;
    if (of.other >= 0) shares_at_body_[static_cast<std::size_t>(of.other)] = 0;
  }
  std::uint32_t share = 0;
  std::uint64_t before = 0;
  for (std::uint32_t place = least; place <= most; ++place) {
    while (before * part.shares >= std::uint64_t{share + 1} * n) ++share;
    share_of_place_[place] = static_cast<std::uint8_t>(std::min(share, part.shares - 1));
    before += items_at_[place];
    items_at_[place] = 0;
  }
  for (Ends& of : ends_) {
    // Constraints without a colour belong to the first share.
    of.share = of.colour < max_colours ? share_of_place_[place_of(of.body)] : 0;
    const std::uint64_t bit = std::uint64_t{1} << of.share;
    shares_at_body_[of.body] |= bit;
    if (of.other >= 0) shares_at_body_[static_cast<std::size_t>(of.other)] |= bit;
  }
}

/// By colour, share, border before the others, and kind. Constraints without a colour come last, in their order.
std::uint32_t Graph::set_share_keys(Part& part) {
  const std::uint32_t kind_count = models.empty() ? kinds::without_models : kinds::most;
  const std::uint32_t shares = part.shares, keys = colour_count_ * shares * 2 * kind_count;
  if (part.first_neighbours + shares != neighbours.size()) {
    part.first_neighbours = static_cast<std::uint32_t>(neighbours.size());
    neighbours.resize(neighbours.size() + shares);
  }
  std::uint64_t* const neighbours_of = neighbours.data() + part.first_neighbours;
  std::fill_n(neighbours_of, shares, std::uint64_t{0});
  share_keys_.assign(keys + 2, 0);
  std::uint32_t border = 0;
  for (Ends& of : ends_) {
    const std::uint64_t at_bodies =
        shares_at_body_[of.body] | (of.other >= 0 ? shares_at_body_[static_cast<std::size_t>(of.other)] : 0);
    neighbours_of[of.share] |= at_bodies;
    const std::uint32_t is_within = std::has_single_bit(at_bodies) ? 1 : 0;
    border += 1 - is_within;
    of.key = of.colour == max_colours ? keys : ((of.colour * shares + of.share) * 2 + is_within) * kind_count + of.kind;
    ++share_keys_[of.key + 1];
  }
  for (std::uint32_t s = 0; s < shares; ++s) neighbours_of[s] &= ~(std::uint64_t{1} << s);
  return border;
}

/// Breadth first, from a body that is far from the first one: layers are thin then.
void Graph::number_by_neighbours(std::size_t body_count) {
  constexpr std::uint32_t no_index = ~std::uint32_t{0};
  touching_begin_.assign(body_count + 1, 0);
  const auto each_pair = [&](const auto& f) {
    for (const Ends& ends : ends_)
      if (ends.other >= 0) f(std::size_t{ends.body}, static_cast<std::size_t>(ends.other));
  };
  each_pair([&](std::size_t a, std::size_t b) {
    ++touching_begin_[a + 1];
    ++touching_begin_[b + 1];
  });
  for (std::size_t i = 0; i < body_count; ++i) touching_begin_[i + 1] += touching_begin_[i];
  touching_.resize(touching_begin_[body_count]);
  next_.assign(touching_begin_.begin(), touching_begin_.end());
  each_pair([&](std::size_t a, std::size_t b) {
    touching_[next_[a]++] = static_cast<std::uint32_t>(b);
    touching_[next_[b]++] = static_cast<std::uint32_t>(a);
  });
  auto start = static_cast<std::int32_t>(ends_.front().body);
  place_.resize(body_count);
  for (int pass = 0; pass < 2; ++pass) {
    std::fill(place_.begin(), place_.end(), no_index);
    reached_.assign(1, start);
    place_[static_cast<std::size_t>(start)] = 0;
    for (std::size_t n = 0; n < reached_.size(); ++n) {
      const auto body = static_cast<std::size_t>(reached_[n]);
      for (std::uint32_t i = touching_begin_[body]; i < touching_begin_[body + 1]; ++i) {
        std::uint32_t& place = place_[touching_[i]];
        if (place != no_index) continue;
        place = static_cast<std::uint32_t>(reached_.size());
        reached_.push_back(static_cast<std::int32_t>(touching_[i]));
      }
    }
    start = reached_.back();
  }
}

}  // namespace carom::scene
