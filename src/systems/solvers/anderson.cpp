#include "anderson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom::systems {
namespace {

/// In four sums, which compilers put on lanes: the bits do not depend on how wide these are.
double dot(const Numbers& a, const Numbers& b) {
  const std::size_t size = a.size(), whole = size / 4 * 4;
  double sum[4] = {0, 0, 0, 0};
  for (std::size_t i = 0; i < whole; i += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += a[i + l] * b[i + l];
  for (std::size_t i = whole; i < size; ++i) sum[i - whole] += a[i] * b[i];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/// Solves the system of `n` rows by elimination with pivoting; b becomes the solution.
void solve_dense(std::size_t n, double* a, double* b) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < n; ++j)
      if (std::abs(a[j * n + i]) > std::abs(a[pivot * n + i])) pivot = j;
    if (pivot != i) {
      std::swap_ranges(a + i * n, a + (i + 1) * n, a + pivot * n);
      std::swap(b[i], b[pivot]);
    }
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = a[j * n + i] / a[i * n + i];
      for (std::size_t k = i; k < n; ++k) a[j * n + k] -= factor * a[i * n + k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
}

}  // namespace

void Anderson::begin(std::size_t contacts, const Numbers& weight) {
  size_ = 3 * contacts;
  weight_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) weight_[i] = weight[i / 3];
  residual_.resize(size_);
  last_residual_.resize(size_);
  last_g_.resize(size_);
  for (std::size_t j = 0; j < window; ++j) {
    residual_change_[j].resize(size_);
    g_change_[j].resize(size_);
  }
  clear();
}

void Anderson::clear() {
  kept_ = next_ = 0;
  has_last_ = false;
  last_norm_ = std::numeric_limits<double>::infinity();
}

void Anderson::remember(const Numbers& g) {
  Numbers& change = residual_change_[next_];
  Numbers& g_change = g_change_[next_];
  for (std::size_t i = 0; i < size_; ++i) {
    change[i] = residual_[i] - last_residual_[i];
    g_change[i] = g[i] - last_g_[i];
  }
  kept_ = std::min(kept_ + 1, window);
  for (std::size_t j = 0; j < kept_; ++j) gram(next_, j) = gram(j, next_) = dot(change, residual_change_[j]);
  next_ = (next_ + 1) % window;
}

bool Anderson::find_coefficients() {
  std::array<double, window * window> matrix;
  double trace = 0;
  for (std::size_t i = 0; i < kept_; ++i) {
    for (std::size_t j = 0; j < kept_; ++j) matrix[i * kept_ + j] = gram(i, j);
    trace += gram(i, i);
    coefficient_[i] = dot(residual_change_[i], residual_);
  }
  for (std::size_t i = 0; i < kept_; ++i) matrix[i * kept_ + i] += 1e-12 * trace;
  solve_dense(kept_, matrix.data(), coefficient_.data());
  double sum = 0;
  for (std::size_t i = 0; i < kept_; ++i) sum += std::abs(coefficient_[i]);
  return sum < 1e6;
}

void Anderson::advance(Numbers& x, const Numbers& g) {
  for (std::size_t i = 0; i < size_; ++i) residual_[i] = (g[i] - x[i]) * weight_[i];
  const double norm = std::sqrt(dot(residual_, residual_));
  if (norm > 2 * last_norm_ && kept_ > 0) {
    x = last_g_;
    clear();
    return;
  }
  if (has_last_) remember(g);
  const bool sensible = find_coefficients();
  std::swap(last_residual_, residual_);
  std::copy(g.begin(), g.end(), last_g_.begin());
  std::copy(g.begin(), g.end(), x.begin());
  has_last_ = true;
  last_norm_ = norm;
  if (!sensible) clear();
  for (std::size_t j = 0; j < kept_; ++j) {
    const double gamma = coefficient_[j];
    const Numbers& change = g_change_[j];
    for (std::size_t i = 0; i < size_; ++i) x[i] -= gamma * change[i];
  }
}

}  // namespace carom::systems
