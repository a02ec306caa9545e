#include "block_factor.hpp"

#include <algorithm>

#include "core/support/array.hpp"

namespace carom::scene::direct {
namespace {

/// Multiply-adds of a column with `blocks` blocks below the diagonal: their root, divisions by it, and updates.
double work_with(double blocks) {
  return 112 + 126 * blocks + 108 * blocks * (blocks + 1);
}

}  // namespace

bool BlockFactor::plan(std::size_t bodies, const Array<Edge>& edges, double max_work,
                       const Array<carom::Vector3<double>>& places) {
  read(bodies, edges);
  order_by_degree();
  list_columns(order_);
  if (!places.empty()) {
    const double work = work_;
    dissection_.run(neighbours_, places, other_order_);
    list_columns(other_order_);
    if (work_ >= work)
      list_columns(order_);
    else
      order_.swap(other_order_);
  }
  return finish_plan(max_work);
}

bool BlockFactor::plan_again(const Array<Edge>& edges, double max_work) {
  read(order_.size(), edges);
  list_columns(order_);
  return finish_plan(max_work);
}

bool BlockFactor::is_order() {
  mark_.assign(order_.size(), 0);
  for (const std::uint32_t body : order_)
    if (body >= order_.size() || mark_[body]++ != 0) return false;
  return true;
}

bool BlockFactor::finish_plan(double max_work) {
  const std::size_t bodies = order_.size();
  if (work_ > max_work) return false;
  list_updates();
  make_room(bodies, diagonal_);
  make_room(row_.size(), lower_);
  diagonal_.resize(bodies);
  lower_.resize(row_.size());
  std::uint32_t longest = 1;
  for (std::size_t c = 0; c < bodies; ++c) longest = std::max(longest, column_start_[c + 1] - column_start_[c]);
  left_.resize(longest);
  right_.resize(longest);
  return true;
}

void BlockFactor::read(std::size_t bodies, const Array<Edge>& edges) {
  sorted_ = edges;
  for (std::size_t i = 0; i < edges.size(); ++i) sorted_.push_back({edges[i][1], edges[i][0]});
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  neighbours_.start.assign(1, 0);
  neighbours_.body.clear();
  auto edge = sorted_.begin();
  for (std::size_t i = 0; i < bodies; ++i) {
    for (; edge != sorted_.end() && systems::at((*edge)[0]) == i; ++edge)
      neighbours_.body.push_back(static_cast<std::uint32_t>((*edge)[1]));
    neighbours_.start.push_back(static_cast<std::uint32_t>(neighbours_.body.size()));
  }
}

void BlockFactor::order_by_degree() {
  const std::size_t bodies = neighbours_.start.size() - 1;
  pattern_.clear();
  for (std::size_t i = 0; i < bodies; ++i) {
    pattern_.column.push_back(static_cast<std::int32_t>(i));
    for (std::uint32_t k = neighbours_.start[i]; k < neighbours_.start[i + 1]; ++k)
      if (neighbours_.body[k] > i) pattern_.column.push_back(static_cast<std::int32_t>(neighbours_.body[k]));
    pattern_.row_start.push_back(static_cast<std::int32_t>(pattern_.column.size()));
  }
  minimum_degree_.run(pattern_, elimination_);
  order_.clear();
  for (std::size_t g = 0; g < elimination_.groups(); ++g)
    for (const std::int32_t body : elimination_.pivots[g]) order_.push_back(static_cast<std::uint32_t>(body));
}

void BlockFactor::list_columns(const Array<std::uint32_t>& order) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::size_t bodies = order.size();
  position_.resize(bodies);
  for (std::uint32_t c = 0; c < bodies; ++c) position_[order[c]] = c;
  mark_.assign(bodies, none);
  first_child_.assign(bodies, none);
  next_child_.assign(bodies, none);
  column_start_.assign(1, 0);
  row_.clear();
  work_ = 0;
  for (std::uint32_t c = 0; c < bodies; ++c) {
    const std::size_t first = row_.size();
    const auto add = [&](std::uint32_t row) {
      if (row <= c || mark_[row] == c) return;
      mark_[row] = c;
      row_.push_back(row);
    };
    for (std::uint32_t k = neighbours_.start[order[c]]; k < neighbours_.start[order[c] + 1]; ++k)
      add(position_[neighbours_.body[k]]);
    // A column has the rows of every column whose first row it is.
    for (std::uint32_t child = first_child_[c]; child != none; child = next_child_[child])
      for (std::uint32_t k = column_start_[child]; k < column_start_[child + 1]; ++k) add(row_[k]);
    std::sort(row_.begin() + static_cast<std::ptrdiff_t>(first), row_.end());
    column_start_.push_back(static_cast<std::uint32_t>(row_.size()));
    work_ += work_of_column(c);
    if (row_.size() == first) continue;
    next_child_[c] = first_child_[row_[first]];
    first_child_[row_[first]] = c;
  }
}

void BlockFactor::list_updates() {
  updates_.clear();
  update_start_.assign(1, 0);
  std::size_t all = 0;
  for (std::size_t c = 0; c + 1 < column_start_.size(); ++c) {
    const std::size_t count = column_start_[c + 1] - column_start_[c];
    all += count * (count + 1) / 2;
  }
  make_room(all, updates_);
  for (std::size_t c = 0; c + 1 < column_start_.size(); ++c) {
    const std::uint32_t first = column_start_[c], count = column_start_[c + 1] - first;
    for (std::uint32_t b = 0; b < count; ++b) {
      updates_.push_back({b, b, ~row_[first + b]});
      // The column of b has all later rows of this column, in the same order.
      std::uint32_t target = column_start_[row_[first + b]];
      for (std::uint32_t w = b + 1; w < count; ++w) {
        while (row_[target] != row_[first + w]) ++target;
        updates_.push_back({w, b, target});
      }
    }
    update_start_.push_back(static_cast<std::uint32_t>(updates_.size()));
  }
}

std::size_t BlockFactor::between(std::size_t earlier, std::size_t later) const {
  const auto first = row_.begin() + column_start_[earlier], end = row_.begin() + column_start_[earlier + 1];
  return static_cast<std::size_t>(std::lower_bound(first, end, static_cast<std::uint32_t>(later)) - row_.begin());
}

void BlockFactor::clear() {
  std::fill(diagonal_.begin(), diagonal_.end(), Block{});
  std::fill(lower_.begin(), lower_.end(), Block{});
}

void BlockFactor::reserve_kept() {
  make_room(diagonal_.size(), kept_diagonal_);
  make_room(lower_.size(), kept_lower_);
}
void BlockFactor::keep() {
  kept_diagonal_ = diagonal_;
  kept_lower_ = lower_;
}
void BlockFactor::return_kept() {
  diagonal_ = kept_diagonal_;
  lower_ = kept_lower_;
}

double BlockFactor::work_of_column(std::size_t column) const {
  return work_with(static_cast<double>(column_start_[column + 1] - column_start_[column]));
}

kernel::BlockMatrix BlockFactor::matrix() {
  return {diagonal_.size(), column_start_.data(), row_.data(),  update_start_.data(), updates_.data(),
          diagonal_.data(), lower_.data(),        left_.data(), right_.data()};
}

}  // namespace carom::scene::direct
