#include "sparse_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/minimum_degree.hpp"

namespace carom::io {
namespace {

using systems::at;

}  // namespace

void SparseLu::put_in_order(const SparseMatrix& m) {
  systems::BlockPattern pattern;  // of rows of M
  pattern.clear();
  std::size_t k = 0;
  for (std::int32_t i = 0; i < m.rows; ++i) {
    pattern.column.push_back(i);  // a row without entries has its own place, too
    for (; k < m.entries.size() && m.entries[k].row == i; ++k)
      if (m.entries[k].value != 0) pattern.column.push_back(m.entries[k].column);
    pattern.row_start.push_back(static_cast<std::int32_t>(pattern.column.size()));
  }
  systems::MinimumDegree minimum_degree;
  systems::Elimination elimination;
  minimum_degree.run(pattern, elimination);
  order_.clear();
  for (const auto& pivots : elimination.pivots) order_.insert(order_.end(), pivots.begin(), pivots.end());
  position_.resize(order_.size());
  for (std::size_t k_th = 0; k_th < order_.size(); ++k_th)
    position_[at(order_[k_th])] = static_cast<std::int32_t>(k_th);
}

void SparseLu::permute(const SparseMatrix& m) {
  struct Place {
    std::int32_t row, column;
    double lower, upper;
  };
  std::vector<Place> places;
  diagonal_.assign(size(), 0);
  for (const auto& [i, j, value] : m.entries) {
    const std::int32_t row = position_[at(i)], column = position_[at(j)];
    if (row == column) diagonal_[at(row)] = value;
    if (row > column && value != 0) places.push_back({row, column, value, 0});
    if (row < column && value != 0) places.push_back({column, row, 0, value});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  entry_.clear();
  entry_lower_.clear();
  entry_upper_.clear();
  entry_begin_.assign(1, 0);
  std::size_t k = 0;
  for (std::size_t row = 0; row < size(); ++row) {
    for (; k < places.size() && at(places[k].row) == row; ++k) {
      if (entry_.size() == entry_begin_.back() || entry_.back() != places[k].column) {
        entry_.push_back(places[k].column);
        entry_lower_.push_back(0);
        entry_upper_.push_back(0);
      }
      entry_lower_.back() += places[k].lower;
      entry_upper_.back() += places[k].upper;
    }
    entry_begin_.push_back(entry_.size());
  }
  is_symmetric_ = entry_lower_ == entry_upper_;
}

/// Visits the columns of L that row k has entries in, each after those below it in the tree.
template <class Visit>
void SparseLu::walk_row(std::size_t k, Visit&& visit) {
  ++stamp_;
  mark_[k] = stamp_;
  path_.clear();
  for (std::size_t e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e)
    for (std::int32_t i = entry_[e]; mark_[at(i)] != stamp_; i = parent_[at(i)]) {
      mark_[at(i)] = stamp_;
      path_.push_back(i);
    }
  // A column's descendants stand before it.
  std::sort(path_.begin(), path_.end());
  for (const std::int32_t i : path_) visit(at(i));
}

/// The elimination tree, and room for the columns of L.
void SparseLu::plan() {
  const std::size_t n = size();
  parent_.assign(n, -1);
  std::vector<std::int32_t> ancestor(n, -1);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e)
      for (std::int32_t i = entry_[e]; i >= 0 && at(i) < k;) {
        const std::int32_t next = ancestor[at(i)];
        ancestor[at(i)] = static_cast<std::int32_t>(k);
        if (next < 0) parent_[at(i)] = static_cast<std::int32_t>(k);
        i = next;
      }
  mark_.assign(n, 0);
  stamp_ = 0;
  std::vector<std::size_t> count(n, 0);
  for (std::size_t k = 0; k < n; ++k) walk_row(k, [&](std::size_t i) { ++count[i]; });
  begin_.assign(1, 0);
  for (std::size_t i = 0; i < n; ++i) begin_.push_back(begin_[i] + count[i]);
  end_.assign(begin_.begin(), begin_.end() - 1);
  row_.resize(begin_.back());
  lower_.resize(begin_.back());
  upper_.resize(is_symmetric_ ? 0 : begin_.back());
}

/// Row k of L and column k of U; x and y are 0 before and after. False without a positive pivot.
template <bool symmetric>
bool SparseLu::eliminate(std::size_t k, std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e) {
    x[at(entry_[e])] = entry_lower_[e];
    if (!symmetric) y[at(entry_[e])] = entry_upper_[e];
  }
  double pivot = diagonal_[k];
  std::size_t products = 0;
  walk_row(k, [&](std::size_t i) {
    const double lower = x[i] / diagonal_[i], upper = symmetric ? lower : y[i] / diagonal_[i];
    const std::size_t end = end_[i]++;
    x[i] = 0;
    if (!symmetric) y[i] = 0;
    for (std::size_t p = begin_[i]; p < end; ++p) {
      x[at(row_[p])] -= (symmetric ? lower_ : upper_)[p] * lower;
      if (!symmetric) y[at(row_[p])] -= lower_[p] * upper;
    }
    pivot -= lower * upper;
    ++products;
    row_[end] = static_cast<std::int32_t>(k);
    lower_[end] = lower;
    if (!symmetric) upper_[end] = upper;
  });
  // A pivot is what products, each rounded, leave of the diagonal.
  const double rounding = 4 * static_cast<double>(products + 1) * std::numeric_limits<double>::epsilon();
  if (!(diagonal_[k] > 0 && pivot > rounding * diagonal_[k])) return false;
  diagonal_[k] = std::sqrt(pivot);
  return std::isfinite(pivot);
}

template <bool symmetric>
std::optional<std::size_t> SparseLu::eliminate_rows() {
  std::vector<double> x(size(), 0), y(symmetric ? 0 : size(), 0);
  for (std::size_t k = 0; k < size(); ++k)
    if (!eliminate<symmetric>(k, x, y)) return at(order_[k]);
  return std::nullopt;
}

std::optional<std::size_t> SparseLu::factor(const SparseMatrix& m) {
  put_in_order(m);
  permute(m);
  plan();
  return is_symmetric_ ? eliminate_rows<true>() : eliminate_rows<false>();
}

void SparseLu::solve(std::vector<double>& x) const {
  std::vector<double> z(size());
  for (std::size_t k = 0; k < size(); ++k) z[k] = x[at(order_[k])];
  for (std::size_t i = 0; i < size(); ++i) {
    z[i] /= diagonal_[i];
    for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p) z[at(row_[p])] -= lower_[p] * z[i];
  }
  for (std::size_t i = size(); i-- > 0;) {
    for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p) z[i] -= upper()[p] * z[at(row_[p])];
    z[i] /= diagonal_[i];
  }
  for (std::size_t k = 0; k < size(); ++k) x[at(order_[k])] = z[k];
}

std::vector<std::int32_t> SparseLu::reach(const std::vector<std::int32_t>& rows) {
  ++stamp_;
  std::vector<std::int32_t> reached;
  for (const std::int32_t row : rows)
    for (std::int32_t i = position_[at(row)]; i >= 0 && mark_[at(i)] != stamp_; i = parent_[at(i)]) {
      mark_[at(i)] = stamp_;
      reached.push_back(i);
    }
  std::sort(reached.begin(), reached.end());
  return reached;
}

void SparseLu::solve_half(const std::vector<std::int32_t>& reach, const std::vector<double>& half, double* x) const {
  for (const std::int32_t position : reach) {
    double* const own = x + 3 * at(position);
    for (std::size_t c = 0; c < 3; ++c) own[c] /= diagonal_[at(position)];
    for (std::size_t p = begin_[at(position)]; p < begin_[at(position) + 1]; ++p)
      for (std::size_t c = 0; c < 3; ++c) x[3 * at(row_[p]) + c] -= half[p] * own[c];
  }
}

}  // namespace carom::io
