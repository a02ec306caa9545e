#include "minimum_degree.hpp"

#include <algorithm>

#include "core/support/array.hpp"

namespace carom::systems {
namespace {

void size_lists(Array<Array<std::int32_t>>& lists, std::size_t count) {
  if (lists.size() < count) lists.resize(count);
  for (std::size_t i = 0; i < count; ++i) lists[i].clear();
}

}  // namespace

void MinimumDegree::read_neighbours(const BlockPattern& pattern) {
  const std::size_t contacts = pattern.rows();
  size_lists(neighbours_, contacts);
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = at(pattern.row_start[i]); k < at(pattern.row_start[i + 1]); ++k) {
      const std::int32_t j = pattern.column[k];
      neighbours_[i].push_back(j);
      neighbours_[at(j)].push_back(static_cast<std::int32_t>(i));
    }
  for (std::size_t i = 0; i < contacts; ++i) {
    auto& list = neighbours_[i];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

void MinimumDegree::group_twins(std::size_t contacts) {
  // Twins are neighbours of each other. The first twin with a list is the min neighbour that has this list.
  node_of_.assign(contacts, -1);
  size_lists(group_, contacts);
  nodes_ = 0;
  for (std::size_t i = 0; i < contacts; ++i) {
    for (const std::int32_t j : neighbours_[i]) {
      if (at(j) >= i) break;
      if (neighbours_[at(j)] != neighbours_[i]) continue;
      node_of_[i] = node_of_[at(j)];
      break;
    }
    if (node_of_[i] < 0) node_of_[i] = static_cast<std::int32_t>(nodes_++);
    group_[at(node_of_[i])].push_back(static_cast<std::int32_t>(i));
  }
}

void MinimumDegree::insert(std::int32_t node) {
  const std::int32_t degree = degree_[at(node)], first = head_[at(degree)];
  next_[at(node)] = first;
  previous_[at(node)] = -1;
  if (first >= 0) previous_[at(first)] = node;
  head_[at(degree)] = node;
  lowest_ = std::min(lowest_, degree);
}

void MinimumDegree::remove(std::int32_t node) {
  const std::int32_t next = next_[at(node)], previous = previous_[at(node)];
  if (next >= 0) previous_[at(next)] = previous;
  (previous >= 0 ? next_[at(previous)] : head_[at(degree_[at(node)])]) = next;
}

std::int32_t MinimumDegree::least() {
  while (head_[at(lowest_)] < 0) ++lowest_;
  return head_[at(lowest_)];
}

/// Sets border_ to the nodes that the elimination of the pivot connects, marked with stamp_. Absorbs the pivot's
/// elements.
void MinimumDegree::take_border(std::int32_t pivot) {
  border_.clear();
  mark_[at(pivot)] = ++stamp_;
  const auto take = [&](std::int32_t node) {
    if (state_[at(node)] != variable || mark_[at(node)] == stamp_) return;
    mark_[at(node)] = stamp_;
    border_.push_back(node);
  };
  for (const std::int32_t node : variables_[at(pivot)]) take(node);
  for (const std::int32_t e : elements_[at(pivot)]) {
    if (state_[at(e)] != element) continue;
    for (const std::int32_t node : components_[at(e)]) take(node);
    state_[at(e)] = gone;
    parent_[at(e)] = pivot;
  }
}

/// Removes from a node's lists all nodes covered by the pivot's element, and counts the nodes of other elements outside
/// of it.
void MinimumDegree::update(std::int32_t node, std::int32_t pivot) {
  auto& elements = elements_[at(node)];
  std::erase_if(elements, [&](std::int32_t e) { return state_[at(e)] != element; });
  for (const std::int32_t e : elements) {
    if (outside_mark_[at(e)] != stamp_) {
      outside_mark_[at(e)] = stamp_;
      outside_[at(e)] = size_[at(e)];
    }
    outside_[at(e)] -= weight_[at(node)];
  }
  std::erase_if(variables_[at(node)],
                [&](std::int32_t v) { return v == pivot || state_[at(v)] != variable || mark_[at(v)] == stamp_; });
}

void MinimumDegree::eliminate(std::int32_t pivot) {
  remove(pivot);
  take_border(pivot);
  state_[at(pivot)] = element;
  order_.push_back(pivot);
  left_ -= weight_[at(pivot)];
  std::int32_t border_weight = 0;
  for (const std::int32_t node : border_) {
    update(node, pivot);
    border_weight += weight_[at(node)];
  }
  auto& members = components_[at(pivot)];
  members.clear();
  for (const std::int32_t node : border_) {
    remove(node);
    std::int32_t degree = border_weight - weight_[at(node)];
    auto& elements = elements_[at(node)];
    std::erase_if(elements, [&](std::int32_t e) {
      if (outside_[at(e)] > 0) return false;
      state_[at(e)] = gone;  // the new element covers it
      parent_[at(e)] = pivot;
      return true;
    });
    for (const std::int32_t e : elements) degree += outside_[at(e)];
    for (const std::int32_t v : variables_[at(node)]) degree += weight_[at(v)];
    if (elements.empty() && variables_[at(node)].empty()) {
      // The node is only in the pivot's element, so it is eliminated with the pivot.
      state_[at(node)] = gone;
      left_ -= weight_[at(node)];
      together_[at(pivot)].push_back(node);
      continue;
    }
    members.push_back(node);
    elements.push_back(pivot);
    degree_[at(node)] = degree;
  }
  size_[at(pivot)] = 0;
  for (const std::int32_t node : members) {
    size_[at(pivot)] += weight_[at(node)];
    degree_[at(node)] = std::min(degree_[at(node)], left_ - weight_[at(node)]);
    insert(node);
  }
}

void MinimumDegree::run(const BlockPattern& pattern, Elimination& elimination) {
  const std::size_t contacts = pattern.rows();
  read_neighbours(pattern);
  group_twins(contacts);
  size_lists(variables_, nodes_);
  size_lists(elements_, nodes_);
  size_lists(components_, nodes_);
  size_lists(together_, nodes_);
  state_.assign(nodes_, variable);
  weight_.assign(nodes_, 0);
  size_.assign(nodes_, 0);
  degree_.assign(nodes_, 0);
  outside_.assign(nodes_, 0);
  parent_.assign(nodes_, -1);
  mark_.assign(nodes_, 0);
  outside_mark_.assign(nodes_, 0);
  next_.assign(nodes_, -1);
  previous_.assign(nodes_, -1);
  head_.assign(contacts + 1, -1);
  order_.clear();
  stamp_ = 0;
  lowest_ = static_cast<std::int32_t>(contacts);
  left_ = static_cast<std::int32_t>(contacts);
  for (std::size_t n = 0; n < nodes_; ++n) weight_[n] = static_cast<std::int32_t>(group_[n].size());
  for (std::size_t n = 0; n < nodes_; ++n) {
    for (const std::int32_t j : neighbours_[at(group_[n].front())]) {
      const std::int32_t other = node_of_[at(j)];
      if (at(other) == n || group_[at(other)].front() != j) continue;
      variables_[n].push_back(other);
      degree_[n] += weight_[at(other)];
    }
    insert(static_cast<std::int32_t>(n));
  }
  while (left_ > 0) eliminate(least());

  elimination.contacts = contacts;
  size_lists(elimination.pivots, order_.size());
  size_lists(elimination.border, order_.size());
  elimination.parent.resize(order_.size());
  Array<std::int32_t>& place = outside_;
  for (std::size_t g = 0; g < order_.size(); ++g) place[at(order_[g])] = static_cast<std::int32_t>(g);
  for (std::size_t g = 0; g < order_.size(); ++g) {
    const std::size_t node = at(order_[g]);
    const auto append = [&](Array<std::int32_t>& contacts_of, std::int32_t other) {
      contacts_of.insert(contacts_of.end(), group_[at(other)].begin(), group_[at(other)].end());
    };
    append(elimination.pivots[g], order_[g]);
    for (const std::int32_t other : together_[node]) append(elimination.pivots[g], other);
    for (const std::int32_t other : components_[node]) append(elimination.border[g], other);
    elimination.parent[g] = parent_[node] < 0 ? -1 : place[at(parent_[node])];
  }
}

}  // namespace carom::systems
