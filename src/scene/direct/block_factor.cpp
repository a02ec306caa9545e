#include "block_factor.hpp"

#include <algorithm>

namespace carom::scene::direct {
namespace {

/// Multiply-adds of a column with `blocks` blocks below the diagonal: their root, divisions by it, and updates.
double work_with(double blocks) {
  return 112 + 126 * blocks + 108 * blocks * (blocks + 1);
}

}  // namespace

bool BlockFactor::plan(std::size_t bodies, const std::vector<Edge>& edges, double most_work) {
  order(bodies, edges);
  list_columns();
  work_ = 0;
  for (std::size_t c = 0; c < bodies; ++c) work_ += work_of_column(c);
  if (work_ > most_work) return false;
  list_updates();
  diagonal_.resize(bodies);
  lower_.resize(row_.size());
  std::uint32_t longest = 1;
  for (std::size_t c = 0; c < bodies; ++c) longest = std::max(longest, column_start_[c + 1] - column_start_[c]);
  left_.resize(longest);
  right_.resize(longest);
  return true;
}

void BlockFactor::order(std::size_t bodies, const std::vector<Edge>& edges) {
  sorted_ = edges;
  for (Edge& edge : sorted_)
    if (edge[0] > edge[1]) std::swap(edge[0], edge[1]);
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  pattern_.clear();
  pattern_.friction.assign(bodies, 0);
  auto edge = sorted_.begin();
  for (std::size_t i = 0; i < bodies; ++i) {
    pattern_.column.push_back(static_cast<std::int32_t>(i));
    for (; edge != sorted_.end() && systems::at((*edge)[0]) == i; ++edge) pattern_.column.push_back((*edge)[1]);
    pattern_.row_start.push_back(static_cast<std::int32_t>(pattern_.column.size()));
  }
  minimum_degree_.run(pattern_, elimination_);
  position_.resize(bodies);
  std::uint32_t next = 0;
  for (std::size_t g = 0; g < elimination_.groups(); ++g)
    for (const std::int32_t body : elimination_.pivots[g]) position_[systems::at(body)] = next++;
}

void BlockFactor::list_columns() {
  column_start_.assign(1, 0);
  row_.clear();
  for (std::size_t g = 0; g < elimination_.groups(); ++g) {
    const auto& pivots = elimination_.pivots[g];
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      const std::size_t first = row_.size();
      for (std::size_t later = k + 1; later < pivots.size(); ++later)
        row_.push_back(position_[systems::at(pivots[later])]);
      for (const std::int32_t body : elimination_.border[g]) row_.push_back(position_[systems::at(body)]);
      std::sort(row_.begin() + static_cast<std::ptrdiff_t>(first), row_.end());
      column_start_.push_back(static_cast<std::uint32_t>(row_.size()));
    }
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
  updates_.reserve(all);
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

double BlockFactor::work_of_column(std::size_t column) const {
  return work_with(static_cast<double>(column_start_[column + 1] - column_start_[column]));
}

kernel::BlockMatrix BlockFactor::matrix() {
  return {diagonal_.size(), column_start_.data(), row_.data(),  update_start_.data(), updates_.data(),
          diagonal_.data(), lower_.data(),        left_.data(), right_.data()};
}

}  // namespace carom::scene::direct
