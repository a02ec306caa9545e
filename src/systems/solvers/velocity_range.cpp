#include "velocity_range.hpp"

#include <algorithm>
#include <cmath>

namespace carom::systems {
namespace {

/// δ relative to the max mean diagonal of a block W_ii. Its rounding errors in W (W + δ)⁻¹ stay below `vanishing`.
constexpr double relative_shift = 1e-6;
constexpr std::size_t max_steps = 40;
/// The iteration stops when the part of W (W + δ)⁻¹ e that is orthogonal to all earlier steps is at most this times |e|
/// plus `rounding` times |q|: eigenvalues of W below 1e-12 of the max mean diagonal count as 0.
constexpr double vanishing = 1e-6, rounding = 1e-12;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// y −= factor x.
void subtract(double factor, const Numbers& x, Numbers& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] -= factor * x[i];
}

/// y = W x.
void multiply(const IslandSystem& system, const Numbers& x, Numbers& y) {
  y.assign(x.size(), 0);
  add_product(system, x, y);
}

}  // namespace

bool VelocityRange::find(const IslandSystem& system, Factorisation& lu, WorkBudget& work_budget) {
  if (!lu.is_planned()) lu.plan(system);
  const std::size_t rows = system.contacts(), size = 3 * rows;
  double largest = 0;
  for (std::size_t i = 0; i < rows; ++i)
    if (!system.is_moment(i)) largest = std::max(largest, system.mean_diagonal(i));
  const double shift = relative_shift * largest;
  shift_.assign(3 * size, 0);
  unit_.assign(3 * size, 0);
  for (std::size_t i = 0; i < 3 * size; i += 9)
    for (std::size_t a = 0; a < 9; a += 4) {
      shift_[i + a] = shift;
      unit_[i + a] = 1;
    }
  ones_.assign(size, 1);
  if (system.has_moments()) beside_.clear(rows);
  work_budget.spend(lu.products());
  if (!lu.factor(system, system.block, shift_, unit_, ones_, beside_)) return false;
  outside_ = system.q;
  rest_.resize(size);
  const double q_length = std::sqrt(dot(outside_, outside_));
  for (std::size_t step = 0; step < max_steps && !work_budget.exhausted(); ++step) {
    direction_ = outside_;
    lu.solve(direction_);
    // One step of iterative refinement: the inverted blocks of the factorisation lose digits that W (W + δ)⁻¹ needs.
    multiply(system, direction_, product_);
    for (std::size_t i = 0; i < size; ++i) rest_[i] = outside_[i] - product_[i] - shift * direction_[i];
    lu.solve(rest_);
    subtract(-1, rest_, direction_);
    multiply(system, direction_, product_);
    work_budget.spend(2 * lu.solve_products() + static_cast<double>(2 * system.blocks() + step * rows));
    // Twice, because the first pass loses digits.
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < step; ++j) subtract(dot(basis_[j], product_), basis_[j], product_);
    const double length = std::sqrt(dot(product_, product_));
    if (!std::isfinite(length)) return false;
    if (length <= vanishing * std::sqrt(dot(outside_, outside_)) + rounding * q_length) break;
    if (basis_.size() == step) basis_.emplace_back();
    for (double& x : product_) x /= length;
    basis_[step] = product_;
    subtract(dot(basis_[step], outside_), basis_[step], outside_);
  }
  return true;
}

double VelocityRange::distance() const {
  return std::sqrt(dot(outside_, outside_));
}

double VelocityRange::normal_distance(const IslandSystem& system) const {
  double sum = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i)
    if (!system.is_moment(i)) sum += outside_[3 * i + 2] * outside_[3 * i + 2];
  return std::sqrt(sum);
}

}  // namespace carom::systems
