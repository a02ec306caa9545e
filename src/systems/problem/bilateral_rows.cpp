#include "bilateral_rows.hpp"

#include <algorithm>
#include <cmath>

namespace carom::systems {
namespace {

/// δ relative to J M⁻¹ Jᵀ of a row.
constexpr double relative_shift = 1e-7;
constexpr int max_passes = 20;
/// Passes end when the velocity error has fallen by this factor, or when a pass does not halve it.
constexpr double enough = 1e-15;

double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

double length(const Numbers& x) {
  double largest = 0, sum = 0;
  for (const double y : x) largest = std::max(largest, std::abs(y));
  if (!(largest > 0)) return 0;
  for (const double y : x) sum += (y / largest) * (y / largest);
  return largest * std::sqrt(sum);
}

}  // namespace

void BilateralRows::clear() {
  body.clear();
  direction.clear();
  response.clear();
  compliance.clear();
  products_ = 0;
}

bool BilateralRows::factor(std::size_t bodies) {
  bodies_ = bodies;
  softness_.resize(size());
  for (std::size_t k = 0; k < size(); ++k) {
    const double w = dot(&direction[12 * k], &response[12 * k]) + dot(&direction[12 * k + 6], &response[12 * k + 6]);
    if (!std::isfinite(w) || !std::isfinite(compliance[k])) return false;
    softness_[k] = compliance[k] + relative_shift * w;
  }
  matrix_.plan(bodies, {&body});
  matrix_.clear();
  add_to(matrix_, 0);
  products_ = 2 * (matrix_.solve_products() + 8 * static_cast<double>(size()));
  return matrix_.factor();
}

void BilateralRows::add_to(BodyMatrix& matrix, std::size_t first) const {
  for (std::size_t k = 0; k < size(); ++k) {
    if (!(softness_[k] > 0)) continue;
    for (std::size_t t = 0; t < 2; ++t) {
      if (body[k][t] < 0) continue;
      double scaled[6];
      for (std::size_t c = 0; c < 6; ++c) scaled[c] = direction[12 * k + 6 * t + c] / softness_[k];
      for (std::size_t s = 0; s < 2; ++s)
        if (body[k][s] >= 0) matrix.add(first + k, s, t, body[k][s], 1, &response[12 * k + 6 * s], scaled);
    }
  }
}

void BilateralRows::measure(const Numbers& v, Numbers& missed) const {
  missed.assign(size(), 0);
  for (std::size_t k = 0; k < size(); ++k)
    for (std::size_t s = 0; s < 2; ++s)
      if (body[k][s] >= 0) missed[k] += dot(&direction[12 * k + 6 * s], &v[6 * at(body[k][s])]);
}

/// v += M⁻¹ Jᵀ λ.
void BilateralRows::push(const Numbers& lambda, Numbers& v) const {
  for (std::size_t k = 0; k < size(); ++k)
    for (std::size_t s = 0; s < 2; ++s)
      if (body[k][s] >= 0)
        for (std::size_t c = 0; c < 6; ++c) v[6 * at(body[k][s]) + c] += response[12 * k + 6 * s + c] * lambda[k];
}

void BilateralRows::hold(Numbers& missed, Numbers& v, Numbers& lambda) const {
  before_ = missed;
  lambda.assign(size(), 0);
  given_.resize(size());
  double left = length(missed);
  const double goal = enough * left;
  for (int pass = 0; pass < max_passes && left > goal; ++pass) {
    for (std::size_t k = 0; k < size(); ++k) given_[k] = softness_[k] > 0 ? -missed[k] / softness_[k] : 0;
    y_.assign(v.size(), 0);
    push(given_, y_);
    matrix_.solve(y_);
    measure(y_, change_);
    for (std::size_t k = 0; k < size(); ++k)
      if (softness_[k] > 0) lambda[k] += given_[k] - change_[k] / softness_[k];
    // Recomputed from all impulses, so that v follows from them to rounding.
    y_.assign(v.size(), 0);
    push(lambda, y_);
    measure(y_, change_);
    for (std::size_t k = 0; k < size(); ++k) missed[k] = before_[k] + change_[k] + compliance[k] * lambda[k];
    const double now = length(missed);
    const bool is_last = now > 0.5 * left;
    left = now;
    if (is_last) break;
  }
  push(lambda, v);
}

void BilateralRows::leave_contradictions(Numbers& missed) const {
  left_ = missed;
  v_.assign(6 * bodies_, 0);
  hold(left_, v_, lambda_);
  if (!(length(left_) > 1e-13 * length(missed))) return;
  for (std::size_t k = 0; k < size(); ++k) missed[k] -= left_[k];
}

void BilateralRows::scale(double mass) {
  for (Numbers* numbers : {&response, &compliance, &softness_})
    for (double& x : *numbers) x *= mass;
}

}  // namespace carom::systems
