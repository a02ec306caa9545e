#include "factorisation.hpp"

#include <algorithm>
#include <cmath>

#include "linear/front_kernels.hpp"

namespace carom::systems {
namespace {

/// Refinement ends when a step has left this part of the right-hand side.
constexpr double refined = 1e-9;
constexpr int max_refinements = 3;

double max_of(const Numbers& x) {
  double largest = 0;
  for (const double y : x) largest = std::max(largest, std::abs(y));
  return largest;
}

}  // namespace

void Factorisation::forget() {
  is_planned_ = false;
}

void Factorisation::plan(const IslandSystem& system) {
  system_ = &system;
  form_ = system.bodies;
  is_planned_ = true;
  pairs_.clear();
  if (form_ != nullptr) return plan_bodies();
  lu_.plan(system);
  products_ = lu_.tree().products;
  solve_products_ = lu_.tree().solve_products;
}

void Factorisation::plan_bodies() {
  for (std::size_t i = 0; i < system_->contacts(); ++i)
    if (system_->is_moment(i)) pairs_.push_back({.contact = at(system_->parent_contact[i]), .moment = i});
  matrix_.plan(form_->bodies, {&form_->body, &form_->rows.body});
  // Four products of 6 × 3 × 6 a contact make the matrix; a solution is made twice, with W in between.
  const auto contacts = static_cast<double>(form_->body.size()), rows = static_cast<double>(form_->rows.size());
  products_ = matrix_.products() + 60 * contacts + 16 * rows;
  solve_products_ = 2 * (matrix_.solve_products() + 12 * contacts + form_->products());
}

void Beside::clear(std::size_t rows) {
  for (Numbers* numbers : {&below, &above, &b_below}) numbers->assign(9 * rows, 0);
}

bool Factorisation::factor_by_bodies(const Numbers& a, const Numbers& b, const Numbers& c, const Beside& beside) {
  const std::size_t contacts = form_->body.size();
  inverse_.resize(9 * contacts);
  effect_.resize(9 * contacts);
  change_.resize(9 * contacts);
  matrix_.clear();
  form_->rows.add_to(matrix_, contacts);
  for (Pair& pair : pairs_)
    if (!factor_pair(pair, a, b, c, beside)) return false;
  for (std::size_t i = 0; i < contacts; ++i) {
    if (is_paired(i)) continue;
    double* inverse = &inverse_[9 * i];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < 3; ++k)
        inverse[3 * row + k] = a[9 * i + 3 * row + k] + b[9 * i + 3 * row + k] * form_->extra[3 * i + k] * c[3 * i + k];
    if (!invert(inverse, 3)) return false;
    multiply(inverse, &b[9 * i], -1, &effect_[9 * i]);
    double q[9];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < 3; ++k) {
        change_[9 * i + 3 * row + k] = c[3 * i + row] * inverse[3 * row + k];
        q[3 * row + k] = -c[3 * i + row] * effect_[9 * i + 3 * row + k];
      }
    for (std::size_t t = 0; t < 2; ++t) {
      if (form_->body[i][t] < 0) continue;
      const double* direction = &form_->direction[36 * i + 18 * t];
      double scaled[18];
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t k = 0; k < 6; ++k)
          scaled[6 * row + k] =
              q[3 * row] * direction[k] + q[3 * row + 1] * direction[6 + k] + q[3 * row + 2] * direction[12 + k];
      for (std::size_t s = 0; s < 2; ++s)
        if (form_->body[i][s] >= 0)
          matrix_.add(i, s, t, form_->body[i][s], 3, &form_->response[36 * i + 18 * s], scaled);
    }
  }
  return matrix_.factor();
}

bool Factorisation::factor(const IslandSystem& system, const Numbers& block, const Numbers& a, const Numbers& b,
                           const Numbers& c, const Beside& beside) {
  system_ = &system;
  a_ = &a;
  b_ = &b;
  c_ = &c;
  beside_ = &beside;
  return form_ != nullptr ? factor_by_bodies(a, b, c, beside) : lu_.factor(block, a);
}

void Factorisation::solve_by_bodies(const Numbers& right, Numbers& x) {
  const std::size_t contacts = form_->body.size();
  y_.assign(6 * form_->bodies, 0);
  for (const Pair& pair : pairs_) push_pair(pair, right);
  for (std::size_t i = 0; i < contacts; ++i) {
    if (is_paired(i)) continue;
    double push[3] = {};
    add_product(&change_[9 * i], &right[3 * i], push);
    for (std::size_t s = 0; s < 2; ++s) {
      if (form_->body[i][s] < 0) continue;
      const double* response = &form_->response[36 * i + 18 * s];
      double* y = &y_[6 * at(form_->body[i][s])];
      for (std::size_t k = 0; k < 6; ++k)
        y[k] += response[k] * push[0] + response[6 + k] * push[1] + response[12 + k] * push[2];
    }
  }
  matrix_.solve(y_);
  for (const Pair& pair : pairs_) solve_pair(pair, right, x);
  for (std::size_t i = 0; i < contacts; ++i) {
    if (is_paired(i)) continue;
    double u[3] = {};
    for (std::size_t s = 0; s < 2; ++s) {
      if (form_->body[i][s] < 0) continue;
      const double* direction = &form_->direction[36 * i + 18 * s];
      const double* y = &y_[6 * at(form_->body[i][s])];
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t k = 0; k < 6; ++k) u[row] += direction[6 * row + k] * y[k];
    }
    double* to = &x[3 * i];
    to[0] = to[1] = to[2] = 0;
    add_product(&inverse_[9 * i], &right[3 * i], to);
    add_product(&effect_[9 * i], u, to);
  }
}

void Factorisation::subtract_product(const Numbers& x, Numbers& right) {
  scaled_.resize(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) scaled_[k] = (*c_)[k] * x[k];
  product_.assign(x.size(), 0);
  form_->add_product(scaled_, product_);
  const auto subtract = [](const double* w, const double* y, double* to) {
    const double less[3] = {-y[0], -y[1], -y[2]};
    add_product(w, less, to);
  };
  for (std::size_t i = 0; i < system_->contacts(); ++i) {
    subtract(&(*a_)[9 * i], &x[3 * i], &right[3 * i]);
    subtract(&(*b_)[9 * i], &product_[3 * i], &right[3 * i]);
  }
  for (const Pair& pair : pairs_) {
    const std::size_t i = pair.contact, m = pair.moment;
    subtract(&beside_->below[9 * m], &x[3 * i], &right[3 * m]);
    subtract(&beside_->b_below[9 * m], &product_[3 * i], &right[3 * m]);
    subtract(&beside_->above[9 * m], &x[3 * m], &right[3 * i]);
  }
}

void Factorisation::solve(Numbers& x) {
  if (form_ == nullptr) return lu_.solve(x);
  right_ = x;
  solve_by_bodies(right_, x);
  rest_.resize(x.size());
  const double given = max_of(right_);
  double before = given;
  for (int step = 0; step < max_refinements; ++step) {
    rest_ = right_;
    subtract_product(x, rest_);
    const double left = max_of(rest_);
    if (!(left > refined * given) || (step > 0 && left > 0.1 * before)) return;
    before = left;
    product_ = rest_;
    solve_by_bodies(product_, rest_);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += rest_[i];
  }
}

}  // namespace carom::systems
