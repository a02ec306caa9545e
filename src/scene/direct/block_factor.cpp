#include "block_factor.hpp"

#include <algorithm>
#include <cmath>

namespace carom::scene::direct {
namespace {

/// Lower limit of a pivot, relative to its diagonal element.
constexpr double least_pivot = 1e-15;

/// Multiply-adds of a column with `blocks` blocks below the diagonal: their root, divisions by it, and updates.
double work_with(double blocks) {
  return 112 + 126 * blocks + 108 * blocks * (blocks + 1);
}

/// Replaces a symmetric block by its Cholesky factor L, with the inverses of the pivots on the diagonal. Pivots that
/// rounding has made too small are raised. Returns false if the block is not finite.
bool find_root(Block& a) {
  for (std::size_t j = 0; j < 6; ++j) {
    const double whole = a.column[j][j];
    double pivot = whole;
    for (std::size_t k = 0; k < j; ++k) pivot -= a.column[k][j] * a.column[k][j];
    pivot = std::max(pivot, least_pivot * whole);
    if (!(pivot > 0) || !(pivot < 1e300)) return false;
    const double inverse = 1 / std::sqrt(pivot);
    a.column[j][j] = inverse;
    for (std::size_t i = j + 1; i < 6; ++i) {
      double sum = a.column[j][i];
      for (std::size_t k = 0; k < j; ++k) sum -= a.column[k][i] * a.column[k][j];
      a.column[j][i] = sum * inverse;
    }
  }
  return true;
}

/// B = B L⁻ᵀ
void divide(Block& b, const Block& root) {
  for (std::size_t j = 0; j < 6; ++j) {
    double sum[8];
    for (std::size_t i = 0; i < 8; ++i) sum[i] = b.column[j][i];
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = 0; i < 8; ++i) sum[i] -= b.column[k][i] * root.column[k][j];
    for (std::size_t i = 0; i < 8; ++i) b.column[j][i] = sum[i] * root.column[j][j];
  }
}

/// y = L⁻¹ y
void solve_lower(const Block& root, double* y) {
  for (std::size_t j = 0; j < 6; ++j) {
    y[j] *= root.column[j][j];
    for (std::size_t i = j + 1; i < 6; ++i) y[i] -= root.column[j][i] * y[j];
  }
}

/// y = L⁻ᵀ y
void solve_upper(const Block& root, double* y) {
  for (std::size_t j = 6; j-- > 0;) {
    for (std::size_t i = j + 1; i < 6; ++i) y[j] -= root.column[j][i] * y[i];
    y[j] *= root.column[j][j];
  }
}

/// y -= A x
void subtract_product(const Block& a, const double* x, double* y) {
  double sum[8];
  for (std::size_t i = 0; i < 8; ++i) sum[i] = y[i];
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < 8; ++i) sum[i] -= a.column[k][i] * x[k];
  for (std::size_t i = 0; i < 8; ++i) y[i] = sum[i];
}

/// sums[k] += column k of A, times x by elements
void add_by_rows(const Block& a, const double* x, double (&sums)[6][8]) {
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < 8; ++i) sums[k][i] += a.column[k][i] * x[i];
}

/// T -= A Bᵀ
void subtract_outer(Block& t, const Block& a, const Block& b) {
  for (std::size_t j = 0; j < 6; ++j) {
    double sum[8];
    for (std::size_t i = 0; i < 8; ++i) sum[i] = t.column[j][i];
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t i = 0; i < 8; ++i) sum[i] -= a.column[k][i] * b.column[k][j];
    for (std::size_t i = 0; i < 8; ++i) t.column[j][i] = sum[i];
  }
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

bool BlockFactor::factor(std::size_t first_column, std::size_t end) {
  for (std::size_t c = first_column; c < end; ++c) {
    const Block& root = diagonal_[c];
    if (!find_root(diagonal_[c])) return false;
    const std::uint32_t first = column_start_[c];
    for (std::uint32_t k = first; k < column_start_[c + 1]; ++k) divide(lower_[k], root);
    for (std::uint32_t u = update_start_[c]; u < update_start_[c + 1]; ++u) {
      const Update& update = updates_[u];
      const std::uint32_t row = ~update.target;
      Block& target = row < diagonal_.size() ? diagonal_[row] : lower_[update.target];
      subtract_outer(target, lower_[first + update.a], lower_[first + update.b]);
    }
  }
  return true;
}

void BlockFactor::solve(BodyRow* x) const {
  const std::size_t n = diagonal_.size();
  for (std::size_t c = 0; c < n; ++c) {
    solve_lower(diagonal_[c], x[c].at);
    const BodyRow y = x[c];
    for (std::uint32_t k = column_start_[c]; k < column_start_[c + 1]; ++k)
      subtract_product(lower_[k], y.at, x[row_[k]].at);
  }
  for (std::size_t c = n; c-- > 0;) {
    if (column_start_[c] < column_start_[c + 1]) {
      double sums[6][8] = {};
      for (std::uint32_t k = column_start_[c]; k < column_start_[c + 1]; ++k)
        add_by_rows(lower_[k], x[row_[k]].at, sums);
      for (std::size_t j = 0; j < 6; ++j)
        x[c].at[j] -= ((sums[j][0] + sums[j][1]) + (sums[j][2] + sums[j][3])) + (sums[j][4] + sums[j][5]);
    }
    solve_upper(diagonal_[c], x[c].at);
  }
}

}  // namespace carom::scene::direct
