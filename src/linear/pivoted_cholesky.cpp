#include "pivoted_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/support/array.hpp"

namespace carom::scene {

PivotedCholesky::PivotedCholesky(Array<double> a, std::size_t n, double redundancy)
    : l_(std::move(a)), scale_(n), order_(n), rank_(n) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = 0; i < n; ++i) scale_[i] = at(i, i) > 0 ? 1 / std::sqrt(at(i, i)) : 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) at(i, j) *= scale_[i] * scale_[j];

  // Every pivot is 1 less up to n products, each of them rounded, and at most 1 together.
  const double rounding = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  const double least = std::max(redundancy * redundancy, rounding);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (at(i, i) > at(p, p)) p = i;
    if (!(at(p, p) > least)) {
      rank_ = k;
      return;
    }
    if (p != k) exchange(k, p);
    const double pivot = at(k, k) = std::sqrt(at(k, k));
    for (std::size_t i = k + 1; i < n; ++i) at(i, k) /= pivot;
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j <= i; ++j) at(i, j) -= at(i, k) * at(j, k);
  }
}

void PivotedCholesky::exchange(std::size_t k, std::size_t p) {
  for (std::size_t j = 0; j < k; ++j) std::swap(at(k, j), at(p, j));
  std::swap(at(k, k), at(p, p));
  for (std::size_t i = k + 1; i < p; ++i) std::swap(at(i, k), at(p, i));
  for (std::size_t i = p + 1; i < size(); ++i) std::swap(at(i, k), at(i, p));
  std::swap(order_[k], order_[p]);
}

Array<double> PivotedCholesky::solve(const Array<double>& b) const {
  Array<double> y(rank_), x(size());
  for (std::size_t i = 0; i < rank_; ++i) {
    double sum = scale_[order_[i]] * b[order_[i]];
    for (std::size_t j = 0; j < i; ++j) sum -= at(i, j) * y[j];
    y[i] = sum / at(i, i);
  }
  for (std::size_t i = rank_; i-- > 0;) {
    for (std::size_t j = i + 1; j < rank_; ++j) y[i] -= at(j, i) * y[j];
    y[i] /= at(i, i);
    x[order_[i]] = scale_[order_[i]] * y[i];
  }
  return x;
}

}  // namespace carom::scene
