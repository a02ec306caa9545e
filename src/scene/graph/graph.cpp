#include "graph.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/support/array.hpp"
#include "core/support/forest.hpp"
#include "core/support/scratch.hpp"
#include "lane_kinds.hpp"

namespace carom::scene {

void Graph::reserve(const Parts& of, std::size_t max_rounds, std::size_t slots) {
  const std::size_t bodies_and_ends = of.bodies + 2, contacts = of.contacts, items = of.contacts + of.rows;
  const std::size_t max_islands = std::min(of.bodies, items);
  make_room(of.rows, groups, island_of_group, colour_of_group_, last_.groups, last_.island_of_group);
  make_room(contacts, manifolds, models, island_of_manifold, colour_of_manifold_, level_order, level_lane_batches,
            level_colour_sets, last_.manifolds, last_.models, last_.island_of_manifold);
  make_room(2 * items, touching_);
  make_room(items, order, lane_batches, colour_sets, within_sets_, items_, kind_, unsorted_);
  make_room(max_islands, parts, single_manifold, island_size_, island_items_, part_of_island_, has_cycle_, has_model_,
            used_by_island_, used_by_groups_, sorted_, inner_iterations_, last_.island_size, last_.island_items,
            last_.inner_iterations);
  make_room(bodies_and_ends, bodies, body_begin, island_of_body, level_begin, parent_, island_of_root_, tree_degree_,
            tree_neighbours_, rank_, degree_, used_, touching_begin_, reached_, last_.movable, last_.island_of_root);
  make_room(std::max(bodies_and_ends, max_rounds + 2), counts_, next_);
  if (slots > 1) {
    const std::size_t shares = std::min(slots, max_shares), in_all = items / points_of_share + 1;
    make_room(of.bodies, share_of_place_, shares_at_body_, place_, items_at_);
    make_room(items, ends_, by_share);
    make_room(2 * shares * (max_colours + 1) * kinds::most + 1, share_keys_);
    make_room(2 * shares * (max_colours + 1) + 1, share_begin_);
    make_room(max_colours * in_all, share_ranges);
    make_room(in_all, neighbours);
  }
}

void Graph::find_islands(const Parts& of) {
  parent_.resize(of.bodies);
  for (std::size_t i = 0; i < of.bodies; ++i) parent_[i] = static_cast<std::int32_t>(i);
  tree_degree_.assign(of.bodies, 0);
  tree_neighbours_.assign(of.bodies, 0);
  within_sets_.clear();
  const auto add_neighbour = [&](std::int32_t body, std::int32_t neighbour) {
    ++tree_degree_[static_cast<std::size_t>(body)];
    tree_neighbours_[static_cast<std::size_t>(body)] ^= static_cast<std::uint32_t>(neighbour) + 1;
  };
  const auto unite = [&](const Constraint& m) {
    if (!moves(of, m.body_a) || !moves(of, m.body_b)) return;
    const std::int32_t a = root_of(parent_, m.body_a), b = root_of(parent_, m.body_b);
    if (a == b) {
      within_sets_.push_back({m.body_a, m.body_b});
      return;
    }
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    add_neighbour(m.body_a, m.body_b);
    add_neighbour(m.body_b, m.body_a);
  };
  for (const Constraint& m : groups) unite(m);
  for (const Constraint& m : manifolds) unite(m);

  island_of_root_.assign(of.bodies, no_island);
  island_size_.clear();
  island_items_.clear();
  const auto number = [&](const Array<Constraint>& from, Array<std::uint32_t>& to, std::uint32_t items) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Constraint& m = from[i];
      const std::int32_t body = moves(of, m.body_a) ? m.body_a : m.body_b;
      std::uint32_t& island = island_of_root_[static_cast<std::size_t>(root_of(parent_, body))];
      if (island == no_island) {
        island = static_cast<std::uint32_t>(island_size_.size());
        island_size_.push_back(0);
        island_items_.push_back(0);
      }
      island_size_[island] += m.count;
      island_items_[island] += items;
      to[i] = island;
    }
  };
  number(groups, island_of_group, 2);
  number(manifolds, island_of_manifold, 1);
  islands = island_size_.size();
  max_island_size = islands == 0 ? 0 : *std::max_element(island_size_.begin(), island_size_.end());
}

void Graph::sort_islands(Array<std::int32_t>& inner_iterations, Array<SubstepNeed>& more) {
  inner_iterations_ = inner_iterations;
  // Counting sort: stable, and without a new allocation.
  std::int32_t most = 0;
  for (const std::int32_t n : inner_iterations) most = std::max(most, n);
  counts_.assign(static_cast<std::size_t>(most) + 2, 0);
  for (const std::int32_t n : inner_iterations) ++counts_[static_cast<std::size_t>(most - n) + 1];
  for (std::size_t k = 0; k + 1 < counts_.size(); ++k) counts_[k + 1] += counts_[k];
  next_.resize(islands);
  for (std::size_t i = 0; i < islands; ++i) next_[i] = counts_[static_cast<std::size_t>(most - inner_iterations[i])]++;
  const auto renumber = [&](Array<std::uint32_t>& of) {
    for (std::uint32_t& island : of)
      if (island != no_island) island = next_[island];
  };
  renumber(island_of_manifold);
  renumber(island_of_group);
  renumber(island_of_root_);
  const auto reorder = [&](Array<std::uint32_t>& of) {
    unsorted_ = of;
    for (std::size_t i = 0; i < islands; ++i) of[next_[i]] = unsorted_[i];
  };
  reorder(island_size_);
  reorder(island_items_);
  sorted_ = more;
  for (std::size_t i = 0; i < islands; ++i) more[next_[i]] = sorted_[i];
  std::sort(inner_iterations.begin(), inner_iterations.end(), std::greater<>());
}

void Graph::find_parts(std::size_t part_points, const Array<std::int32_t>& inner_iterations, bool apart) {
  parts.clear();
  part_of_island_.resize(islands);
  has_model_.assign(models.empty() ? 0 : islands, 0);
  for (std::size_t m = 0; m < models.size(); ++m) has_model_[island_of_manifold[m]] |= models[m];
  // Islands are numbered by their first group or manifold, so that parts are contiguous in memory.
  for (std::uint32_t island = 0; island < islands; ++island) {
    if (apart && island_items_[island] == 1 && (has_model_.empty() || has_model_[island] == 0)) {
      part_of_island_[island] = no_part;
      continue;
    }
    if (!inner_iterations.empty() && inner_iterations[island] == 0) {
      part_of_island_[island] = no_part;
      continue;
    }
    const std::uint32_t size = island_size_[island];
    const bool differs =
        !inner_iterations.empty() && island > 0 && inner_iterations[island] != inner_iterations[island - 1];
    if (parts.empty() || differs || parts.back().points + size > part_points) {
      parts.emplace_back();
      parts.back().first_island = island;
    }
    parts.back().islands = island + 1 - parts.back().first_island;
    parts.back().points += size;
    part_of_island_[island] = static_cast<std::uint32_t>(parts.size() - 1);
  }
}

std::uint32_t Graph::island_of(const Parts& of, std::size_t body) {
  return of.movable[body] != 0
             ? island_of_root_[static_cast<std::size_t>(root_of(parent_, static_cast<std::int32_t>(body)))]
             : no_island;
}

void Graph::list_bodies(const Parts& of) {
  if (last_.is_listed) return;
  island_of_body.resize(of.bodies);
  body_begin.assign(islands + 1, 0);
  for (std::size_t i = 0; i < of.bodies; ++i)
    if (const std::uint32_t island = island_of_body[i] = island_of(of, i); island != no_island)
      ++body_begin[island + 1];
  for (std::size_t i = 0; i < islands; ++i) body_begin[i + 1] += body_begin[i];
  for (Part& part : parts) {
    part.first_body = body_begin[part.first_island];
    part.end_body = body_begin[part.first_island + part.islands];
  }
  bodies.resize(body_begin[islands]);
  next_.assign(body_begin.begin(), body_begin.end() - 1);
  for (std::size_t i = 0; i < of.bodies; ++i)
    if (island_of_body[i] != no_island) bodies[next_[island_of_body[i]]++] = static_cast<std::uint32_t>(i);
  last_.is_listed = true;
}

void Graph::arrange(const Parts& of, std::size_t width, bool apart, std::size_t slots) {
  // Sorts by part, then by colour and kind: two stable counting sorts.
  const std::uint32_t kind_count = models.empty() ? kinds::without_models : kinds::most;
  const std::size_t count = groups.size() + manifolds.size();
  const auto part_at = [&](std::size_t i) {
    return part_of_island_[i < groups.size() ? island_of_group[i] : island_of_manifold[i - groups.size()]];
  };
  single_manifold.clear();
  counts_.assign(parts.size() + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (const std::uint32_t part = part_at(i); part != no_part)
      ++counts_[part + 1];
    else if (apart)
      single_manifold.push_back(static_cast<std::uint32_t>(i - groups.size()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) counts_[p + 1] += counts_[p];
  items_.resize(count);
  next_ = counts_;
  for (std::size_t i = 0; i < count; ++i) {
    if (part_at(i) == no_part) continue;
    const bool is_joint = i < groups.size();
    const auto index = static_cast<std::uint32_t>(is_joint ? i : i - groups.size());
    const Constraint& m = is_joint ? groups[index] : manifolds[index];
    const std::uint32_t colour = is_joint ? colour_of_group_[index] : colour_of_manifold_[index];
    items_[next_[part_at(i)]++] = {
        colour * kind_count + kinds::kind_of(is_joint, m.count, is_joint ? 0 : models_of(index)), index};
  }

  lane_batches.clear();
  colour_sets.clear();
  share_ranges.clear();
  neighbours.clear();
  by_share.clear();
  order.resize(count);
  kind_.resize(count);
  const std::uint32_t keys = (max_colours + 1) * kind_count;
  std::uint32_t of_key[(max_colours + 1) * kinds::most + 1];
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint32_t first = counts_[p], end = counts_[p + 1];
    if (parts[p].islands == 1)
      parts[p].shares = static_cast<std::uint32_t>(
          std::clamp<std::size_t>(parts[p].points / points_of_share, 1, std::min(slots, max_shares)));
    if (parts[p].is_large()) {
      arrange_in_shares(of, parts[p], first, end, width);
      continue;
    }
    std::fill(of_key, of_key + keys + 1, 0);
    // Manifolds without a colour keep their order.
    const auto key_at = [&](std::uint32_t i) { return std::min(items_[i].key, max_colours * kind_count); };
    for (std::uint32_t i = first; i < end; ++i) ++of_key[key_at(i) + 1];
    for (std::uint32_t k = 0; k < keys; ++k) of_key[k + 1] += of_key[k];
    std::uint32_t begin[max_colours + 2];
    for (std::uint32_t c = 0; c <= max_colours; ++c) begin[c] = of_key[c * kind_count];
    begin[max_colours + 1] = end - first;
    for (std::uint32_t i = first; i < end; ++i) {
      const std::uint32_t to = first + of_key[key_at(i)]++;
      order[to] = items_[i].index;
      kind_[to] = static_cast<std::uint8_t>(items_[i].key % kind_count);
    }
    Part& part = parts[p];
    part.first_colour_set = static_cast<std::uint32_t>(colour_sets.size());
    part.first_lane_batch = static_cast<std::uint32_t>(lane_batches.size());
    const auto kind_at = [&](std::uint32_t i) { return std::uint32_t{kind_[i]}; };
    for (std::uint32_t c = 0; c < max_colours; ++c)
      kinds::append_colour_set(lane_batches, colour_sets, first + begin[c], begin[c + 1] - begin[c], width, kind_at);
    for (std::uint32_t i = begin[max_colours]; i < end - first; ++i)
      kinds::append_colour_set(lane_batches, colour_sets, first + i, 1, 1, kind_at);
    part.end_colour_set = static_cast<std::uint32_t>(colour_sets.size());
    part.end_lane_batch = static_cast<std::uint32_t>(lane_batches.size());
    for (std::uint32_t v = part.first_lane_batch; slots > 1 && v < part.end_lane_batch; ++v) by_share.push_back(v);
  }
  max_lanes = 0;
  for (const LaneBatch& batch : lane_batches) max_lanes = std::max(max_lanes, std::size_t{batch.lanes});
}

void Graph::connect(const Parts& of) {
  of_contacts.collect(manifolds, of.contacts, kernel::points_of_manifold, of.body_a, of.body_b, of.fault, of.links);
  of_rows.collect(groups, of.rows, kernel::rows_of_group, of.row_body_a, of.row_body_b, of.row_fault, {});
  find_models(of);
  inner_iterations_.clear();
  if (has_last_pairs(of)) {
    island_of_manifold = last_.island_of_manifold;
    island_of_group = last_.island_of_group;
    island_of_root_ = last_.island_of_root;
    island_items_ = last_.island_items;
    if (!has_last_places()) count_again();
    island_size_ = last_.island_size;
    return;
  }
  last_.is_coloured = last_.is_built = last_.is_listed = false;
  find_islands(of);
  last_.movable.assign(of.movable, of.movable + of.bodies);
  last_.manifolds = manifolds;
  last_.groups = groups;
  last_.island_of_manifold = island_of_manifold;
  last_.island_of_group = island_of_group;
  last_.island_of_root = island_of_root_;
  last_.island_size = island_size_;
  last_.island_items = island_items_;
}

bool Graph::has_last_pairs(const Parts& of) const {
  const auto same = [](const Array<Constraint>& x, const Array<Constraint>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Constraint& p, const Constraint& q) {
      return p.body_a == q.body_a && p.body_b == q.body_b;
    });
  };
  return last_.is_coloured &&
         std::equal(of.movable, of.movable + of.bodies, last_.movable.begin(), last_.movable.end()) &&
         same(manifolds, last_.manifolds) && same(groups, last_.groups);
}

bool Graph::has_last_places() const {
  const auto same = [](const Array<Constraint>& x, const Array<Constraint>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Constraint& p, const Constraint& q) {
      return p.first == q.first && p.count == q.count;
    });
  };
  return same(manifolds, last_.manifolds) && same(groups, last_.groups);
}

void Graph::count_again() {
  last_.is_built = last_.is_listed = false;
  last_.manifolds = manifolds;
  last_.groups = groups;
  last_.island_size.assign(islands, 0);
  for (std::size_t m = 0; m < manifolds.size(); ++m) last_.island_size[island_of_manifold[m]] += manifolds[m].count;
  for (std::size_t g = 0; g < groups.size(); ++g) last_.island_size[island_of_group[g]] += groups[g].count;
  max_island_size = islands == 0 ? 0 : *std::max_element(last_.island_size.begin(), last_.island_size.end());
}

void Graph::build(const Parts& of, std::size_t width, std::size_t part_points,
                  const Array<std::int32_t>& inner_iterations, bool apart, std::size_t slots) {
  is_of_last_call = last_.is_built && last_.width == width && last_.inner_iterations == inner_iterations_ &&
                    last_.apart == apart && last_.models == models;
  // The number of threads divides the islands otherwise.
  if (is_of_last_call && last_.part_points == part_points && last_.slots == slots) return;
  last_.is_built = last_.is_listed = false;
  find_parts(part_points, inner_iterations, apart);
  if (!last_.is_coloured) colour(of);
  last_.is_coloured = true;
  arrange(of, width, apart, slots);
  last_.width = width;
  last_.slots = slots;
  last_.part_points = part_points;
  last_.apart = apart;
  last_.models = models;
  last_.inner_iterations = inner_iterations_;
  last_.is_built = true;
}

std::int32_t Graph::find_levels(const Parts& of, Array<std::int32_t>& level) {
  // Breadth-first search over manifolds. Starts at manifolds with an immovable body.
  const auto each_body = [&](const Constraint& m, const auto& f) {
    if (moves(of, m.body_a)) f(static_cast<std::size_t>(m.body_a));
    if (moves(of, m.body_b)) f(static_cast<std::size_t>(m.body_b));
  };
  touching_begin_.assign(of.bodies + 1, 0);
  for (const Constraint& m : manifolds) each_body(m, [&](std::size_t body) { ++touching_begin_[body + 1]; });
  for (std::size_t i = 0; i < of.bodies; ++i) touching_begin_[i + 1] += touching_begin_[i];
  touching_.resize(touching_begin_[of.bodies]);
  next_.assign(touching_begin_.begin(), touching_begin_.end());
  for (std::uint32_t i = 0; i < manifolds.size(); ++i)
    each_body(manifolds[i], [&](std::size_t body) { touching_[next_[body]++] = i; });

  level.assign(of.bodies, -1);
  for (std::size_t i = 0; i < of.bodies; ++i)
    if (of.movable[i] == 0) level[i] = 0;
  reached_.clear();
  const auto reach = [&](std::int32_t body, std::int32_t at) {
    if (body < 0 || level[static_cast<std::size_t>(body)] >= 0) return;
    level[static_cast<std::size_t>(body)] = at;
    reached_.push_back(body);
  };
  for (const Constraint& m : manifolds)
    if (!moves(of, m.body_a) || !moves(of, m.body_b)) {
      reach(m.body_a, 1);
      reach(m.body_b, 1);
    }
  for (std::size_t n = 0; n < reached_.size(); ++n) {
    const auto body = static_cast<std::size_t>(reached_[n]);
    for (std::uint32_t i = touching_begin_[body]; i < touching_begin_[body + 1]; ++i) {
      reach(manifolds[touching_[i]].body_a, level[body] + 1);
      reach(manifolds[touching_[i]].body_b, level[body] + 1);
    }
  }
  return reached_.empty() ? 0 : level[static_cast<std::size_t>(reached_.back())];
}

void Graph::build_levels(const Parts& of, std::size_t width, Array<std::int32_t>& level) {
  constexpr std::uint32_t kind_count = kinds::without_models;  // shock propagation has no other kinds
  const auto levels = static_cast<std::size_t>(find_levels(of, level));
  level_lane_batches.clear();
  level_colour_sets.clear();
  level_begin.assign(1, 0);
  const auto level_of = [&](const Constraint& m) -> std::size_t {
    const std::int32_t a = m.body_a < 0 ? 0 : level[static_cast<std::size_t>(m.body_a)];
    const std::int32_t b = m.body_b < 0 ? 0 : level[static_cast<std::size_t>(m.body_b)];
    return a < 0 || b < 0 ? 0 : static_cast<std::size_t>(std::max(a, b));  // level 0 is empty
  };
  counts_.assign(levels + 2, 0);
  for (const Constraint& m : manifolds) ++counts_[level_of(m) + 1];
  for (std::size_t l = 0; l <= levels; ++l) counts_[l + 1] += counts_[l];
  next_.assign(counts_.begin(), counts_.end());
  items_.resize(manifolds.size());
  for (std::uint32_t i = 0; i < manifolds.size(); ++i) {
    // Colours remain valid for every subset of the manifolds.
    const std::uint32_t colour = colour_of_manifold_[i];
    items_[next_[level_of(manifolds[i])]++] = {colour < max_colours
                                                   ? colour * kind_count + kinds::kind_of(false, manifolds[i].count, 0)
                                                   : max_colours * kind_count,
                                               i};
  }
  level_order.resize(manifolds.size());
  const auto kind_at = [&](std::uint32_t i) { return kinds::kind_of(false, manifolds[level_order[i]].count, 0); };
  for (std::size_t now = 1; now <= levels; ++now) {
    const std::uint32_t first = counts_[now], end = counts_[now + 1];
    // Not std::stable_sort, which allocates.
    std::sort(items_.begin() + first, items_.begin() + end,
              [](const Item& x, const Item& y) { return x.key != y.key ? x.key < y.key : x.index < y.index; });
    for (std::uint32_t i = first; i < end; ++i) level_order[i] = items_[i].index;
    for (std::uint32_t i = first; i < end;) {
      const std::uint32_t colour = items_[i].key / kind_count;
      std::uint32_t n = 1;
      if (colour < max_colours)
        while (i + n < end && items_[i + n].key / kind_count == colour) ++n;
      kinds::append_colour_set(level_lane_batches, level_colour_sets, i, n, width, kind_at);
      i += n;
    }
    level_begin.push_back(static_cast<std::uint32_t>(level_colour_sets.size()));
  }
}

}  // namespace carom::scene
