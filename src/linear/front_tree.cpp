#include "front_tree.hpp"

#include <algorithm>

#include "core/support/array.hpp"

namespace carom::systems {
namespace {

/// Max number of additional zeros, in contacts, per column of a merged front. Zeros cost arithmetic, but fewer
/// contributions are passed on.
std::size_t zeros_allowed(std::size_t pivots, std::size_t rest) {
  return pivots <= 2 ? 2 + rest / 4 : rest / 8;
}

}  // namespace

/// Merges a group with its parent if their fronts are nearly equal.
void FrontTree::merge_chains() {
  auto& pivots = elimination_.pivots;
  auto& border = elimination_.border;
  auto& parent = elimination_.parent;
  for (std::size_t g = 0; g < elimination_.groups(); ++g) {
    if (parent[g] < 0) continue;
    const std::size_t p = at(parent[g]);
    const std::size_t zeros = pivots[p].size() + border[p].size() - border[g].size();
    if (zeros > zeros_allowed(pivots[g].size(), border[g].size())) continue;
    pivots[p].insert(pivots[p].begin(), pivots[g].begin(), pivots[g].end());
    pivots[g].clear();
  }
  Array<std::int32_t>& joined = owner_;
  joined.assign(elimination_.groups(), -1);
  for (std::size_t g = elimination_.groups(); g-- > 0;) {
    if (parent[g] >= 0) parent[g] = joined[at(parent[g])];
    joined[g] = pivots[g].empty() ? parent[g] : static_cast<std::int32_t>(g);
  }
}

/// Orders the groups so that the contributions of a front's children are on top of the stack.
void FrontTree::order_groups() {
  const std::size_t groups = elimination_.groups();
  // Children of each group as a list in reverse order, so that the first child is popped first.
  Array<std::int32_t>&first = owner_, &next = local_;
  first.assign(groups + 1, -1);
  next.assign(groups, -1);
  for (std::size_t g = 0; g < groups; ++g) {
    if (elimination_.pivots[g].empty()) continue;
    auto& head = first[elimination_.parent[g] < 0 ? groups : at(elimination_.parent[g])];
    next[g] = head;
    head = static_cast<std::int32_t>(g);
  }
  // Parents before children, then reversed.
  postorder_.clear();
  Array<std::int32_t>& open = position_;
  open.clear();
  for (std::int32_t g = first[groups]; g >= 0; g = next[at(g)]) open.push_back(g);
  while (!open.empty()) {
    const std::int32_t g = open.back();
    open.pop_back();
    postorder_.push_back(g);
    for (std::int32_t c = first[at(g)]; c >= 0; c = next[at(c)]) open.push_back(c);
  }
  std::reverse(postorder_.begin(), postorder_.end());
}

void FrontTree::lay_out() {
  const std::size_t contacts = elimination_.contacts;
  Array<std::int32_t>& front_of = owner_;
  front_of.assign(elimination_.groups(), -1);
  for (std::size_t f = 0; f < postorder_.size(); ++f) front_of[at(postorder_[f])] = static_cast<std::int32_t>(f);
  position_.assign(contacts, 0);
  std::int32_t position = 0;
  for (const std::int32_t g : postorder_)
    for (const std::int32_t i : elimination_.pivots[at(g)]) position_[at(i)] = position++;

  front.clear();
  contact.clear();
  factor_numbers = 0;
  max_rest = 0;
  products = solve_products = 0;
  for (const std::int32_t g : postorder_) {
    const auto& pivots = elimination_.pivots[at(g)];
    auto& border = elimination_.border[at(g)];
    std::sort(border.begin(), border.end(),
              [&](std::int32_t a, std::int32_t b) { return position_[at(a)] < position_[at(b)]; });
    Front f;
    f.first_contact = static_cast<std::int32_t>(contact.size());
    f.pivots = static_cast<std::int32_t>(pivots.size());
    f.rest = static_cast<std::int32_t>(border.size());
    f.parent = elimination_.parent[at(g)] < 0 ? -1 : front_of[at(elimination_.parent[at(g)])];
    contact.insert(contact.end(), pivots.begin(), pivots.end());
    contact.insert(contact.end(), border.begin(), border.end());
    const std::size_t m = 3 * pivots.size(), s = 3 * border.size();
    f.upper = factor_numbers;
    f.lower = f.upper + m * (m + s);
    factor_numbers = f.lower + s * m;
    max_rest = std::max(max_rest, f.rest);
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      const auto later = static_cast<double>(pivots.size() - k - 1 + border.size());
      products += products_of_pivot(later);
      solve_products += 2 * later + 1;
    }
    front.push_back(f);
  }
  // Each contribution begins where the first contribution from the front's children began.
  stack_numbers = 0;
  Array<std::size_t>& begin = begin_;
  begin.assign(front.size(), ~std::size_t{0});
  std::size_t top = 0;
  for (std::size_t i = 0; i < front.size(); ++i) {
    Front& f = front[i];
    if (begin[i] < top) top = begin[i];
    f.contribution = top;
    const std::size_t s = 3 * at(f.rest);
    top += s * s;
    stack_numbers = std::max(stack_numbers, top);
    if (f.parent >= 0) begin[at(f.parent)] = std::min(begin[at(f.parent)], f.contribution);
  }
}

void FrontTree::place_blocks(const BlockPattern& pattern) {
  const std::size_t contacts = elimination_.contacts;
  Array<std::int32_t>&owner = owner_, &local = local_;
  owner.assign(contacts, 0);
  local.assign(contacts, -1);
  place.assign(contact.size(), 0);
  for (std::size_t f = 0; f < front.size(); ++f)
    for (std::int32_t k = 0; k < front[f].pivots; ++k)
      owner[at(contact[at(front[f].first_contact + k)])] = static_cast<std::int32_t>(f);
  // Groups the blocks by the front that assembles them: the front that eliminates one of their contacts first.
  Array<std::int32_t>& count = count_;
  count.assign(front.size() + 1, 0);
  const auto front_of = [&](std::size_t i, std::size_t j) { return at(std::min(owner[i], owner[j])); };
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = at(pattern.row_start[i]); k < at(pattern.row_start[i + 1]); ++k)
      ++count[front_of(i, at(pattern.column[k])) + 1];
  for (std::size_t f = 0; f < front.size(); ++f) count[f + 1] += count[f];
  for (std::size_t f = 0; f < front.size(); ++f) {
    front[f].first_entry = at(count[f]);
    front[f].end_entry = at(count[f + 1]);
  }
  const std::size_t blocks = pattern.blocks();
  entry_block.resize(blocks);
  entry_place.resize(blocks);
  entry_stride.resize(blocks);
  diagonal_place.resize(contacts);
  diagonal_stride.resize(contacts);
  Array<std::int32_t>& row_of = row_of_;
  row_of.resize(blocks);
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = at(pattern.row_start[i]); k < at(pattern.row_start[i + 1]); ++k) {
      row_of[k] = static_cast<std::int32_t>(i);
      entry_block[at(count[front_of(i, at(pattern.column[k]))]++)] = static_cast<std::int32_t>(k);
    }

  Array<std::int32_t>& local_in_parent = position_;
  for (std::size_t f = 0; f < front.size(); ++f) {
    const Front& here = front[f];
    const std::int32_t width = here.pivots + here.rest;
    for (std::int32_t k = 0; k < width; ++k) local[at(contact[at(here.first_contact + k)])] = k;
    for (std::size_t e = here.first_entry; e < here.end_entry; ++e) {
      const auto k = at(entry_block[e]);
      const std::size_t row = at(local[at(row_of[k])]), column = at(local[at(pattern.column[k])]);
      const bool is_upper = row < at(here.pivots);
      const std::size_t stride = 3 * at(is_upper ? width : here.pivots);
      entry_place[e] = is_upper ? here.upper + 3 * row * stride + 3 * column
                                : here.lower + 3 * (row - at(here.pivots)) * stride + 3 * column;
      entry_stride[e] = static_cast<std::int32_t>(stride);
      if (row == column) {
        diagonal_place[at(row_of[k])] = entry_place[e];
        diagonal_stride[at(row_of[k])] = entry_stride[e];
      }
    }
  }
  for (Front& child : front) {
    if (child.parent < 0) continue;
    const Front& above = front[at(child.parent)];
    for (std::int32_t k = 0; k < above.pivots + above.rest; ++k)
      local_in_parent[at(contact[at(above.first_contact + k)])] = k;
    for (std::int32_t k = child.pivots; k < child.pivots + child.rest; ++k) {
      const std::size_t c = at(child.first_contact + k);
      place[c] = local_in_parent[at(contact[c])];
      if (place[c] < above.pivots) ++child.in_pivots;
    }
  }
}

void FrontTree::build(const BlockPattern& pattern) {
  minimum_degree_.run(pattern, elimination_);
  merge_chains();
  order_groups();
  lay_out();
  place_blocks(pattern);
}

}  // namespace carom::systems
