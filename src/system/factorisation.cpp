#include "factorisation.hpp"

#include <algorithm>

#include "front_kernels.hpp"

namespace carom::systems {
namespace {

constexpr std::size_t none = ~std::size_t{0};

}  // namespace

void BodyForm::clear() {
  bodies = 0;
  body.clear();
  direction.clear();
  response.clear();
  extra.clear();
}

void Factorisation::forget(const BodyForm* form) {
  form_ = form;
  lu_.forget();
}

void Factorisation::plan(const IslandSystem& system) {
  system_ = &system;
  by_bodies_ = form_ != nullptr && form_->bodies > 0 && 2 * form_->bodies < system.contacts();
  pairs_.clear();
  if (by_bodies_) {
    find_bodies();
    for (std::size_t i = 0; i < system.contacts(); ++i)
      if (system.is_moment(i)) pairs_.push_back({.contact = at(system.bearer[i]), .moment = i});
  }
  lu_.plan(by_bodies_ ? bodies_ : system);
  count();
}

bool Factorisation::leave_bodies(const IslandSystem& system) {
  if (!by_bodies_) return false;
  by_bodies_ = false;
  lu_.plan(system);
  count();
  return true;
}

void Factorisation::count() {
  products_ = lu_.tree().products;
  solve_products_ = lu_.tree().solve_products;
  if (!by_bodies_) return;
  // Four products of 6 × 3 × 6 a contact make the matrix; a solution is made twice, with W in between.
  const auto contacts = static_cast<double>(form_->body.size());
  products_ += 60 * contacts;
  solve_products_ = 2 * (solve_products_ + 12 * contacts) + static_cast<double>(system_->blocks());
}

/// The pattern of the bodies' matrix: bodies that a contact connects are neighbours.
void Factorisation::find_bodies() {
  std::vector<std::array<std::int32_t, 2>> pair;
  for (const auto& [a, b] : form_->body)
    if (a >= 0 && b >= 0) {
      pair.push_back({a, b});
      pair.push_back({b, a});
    }
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(form_->bodies); ++i) pair.push_back({i, i});
  std::sort(pair.begin(), pair.end());
  pair.erase(std::unique(pair.begin(), pair.end()), pair.end());
  bodies_.clear();
  std::vector<std::size_t> first(form_->bodies + 1, 0);
  for (const auto& p : pair) ++first[at(p[0]) + 1];
  for (std::size_t i = 0; i < form_->bodies; ++i) first[i + 1] += first[i];
  for (std::size_t i = 0; i < form_->bodies; ++i)
    for (std::int32_t half = 0; half < 2; ++half) {
      for (std::size_t k = first[i]; k < first[i + 1]; ++k)
        for (std::int32_t other = 0; other < 2; ++other) {
          const std::int32_t column = 2 * pair[k][1] + other;
          if (column == 2 * static_cast<std::int32_t>(i) + half)
            bodies_.diagonal.push_back(static_cast<std::int32_t>(bodies_.column.size()));
          bodies_.column.push_back(column);
        }
      bodies_.row_start.push_back(static_cast<std::int32_t>(bodies_.column.size()));
    }
  bodies_.friction.assign(2 * form_->bodies, 0);
  bodies_.block.resize(9 * bodies_.blocks());
  place_.assign(form_->body.size(), {none, none, none, none});
  for (std::size_t i = 0; i < place_.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t t = 0; t < 2; ++t) {
        const std::int32_t a = form_->body[i][s], b = form_->body[i][t];
        if (a < 0 || b < 0) continue;
        const auto found = std::lower_bound(pair.begin() + static_cast<std::ptrdiff_t>(first[at(a)]), pair.end(),
                                            std::array<std::int32_t, 2>{a, b});
        const auto place = static_cast<std::size_t>(found - pair.begin()) - first[at(a)];
        place_[i][2 * s + t] = at(bodies_.row_start[2 * at(a)]) + 2 * place;
      }
  unit_.assign(18 * form_->bodies, 0);
  for (std::size_t i = 0; i < unit_.size(); i += 9) unit_[i] = unit_[i + 4] = unit_[i + 8] = 1;
}

void Beside::clear(std::size_t rows) {
  for (Numbers* numbers : {&below, &above, &b_below}) numbers->assign(9 * rows, 0);
}

double* Factorisation::bodies_block(std::size_t contact, std::size_t s, std::size_t t, std::size_t& width) {
  // The rows of a body's second half have as many blocks as those of its first.
  const std::size_t body = at(form_->body[contact][s]);
  width = 9 * (at(bodies_.row_start[2 * body + 1]) - at(bodies_.row_start[2 * body]));
  return &bodies_.block[9 * place_[contact][2 * s + t]];
}

bool Factorisation::factor_by_bodies(const Numbers& a, const Numbers& b, const Numbers& c, const Beside& beside) {
  const std::size_t contacts = form_->body.size();
  inverse_.resize(9 * contacts);
  effect_.resize(9 * contacts);
  change_.resize(9 * contacts);
  std::fill(bodies_.block.begin(), bodies_.block.end(), 0.0);
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
      for (std::size_t s = 0; s < 2; ++s) {
        if (form_->body[i][s] < 0) continue;
        const double* response = &form_->response[36 * i + 18 * s];
        std::size_t width;
        double* const block = bodies_block(i, s, t, width);
        for (std::size_t row = 0; row < 6; ++row) {
          double* to = block + (row < 3 ? 0 : width) + 3 * (row % 3);
          for (std::size_t k = 0; k < 6; ++k)
            to[(k < 3 ? 0 : 9) + k % 3] +=
                response[row] * scaled[k] + response[6 + row] * scaled[6 + k] + response[12 + row] * scaled[12 + k];
        }
      }
    }
  }
  return lu_.factor(bodies_.block, unit_);
}

bool Factorisation::factor(const IslandSystem& system, const Numbers& block, const Numbers& a, const Numbers& b,
                           const Numbers& c, const Beside& beside) {
  system_ = &system;
  block_ = &block;
  a_ = &a;
  return by_bodies_ ? factor_by_bodies(a, b, c, beside) : lu_.factor(block, a);
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
  lu_.solve(y_);
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

void Factorisation::solve(Numbers& x) {
  if (!by_bodies_) return lu_.solve(x);
  right_ = x;
  solve_by_bodies(right_, x);
  for (std::size_t i = 0; i < system_->contacts(); ++i) {
    double sum[3] = {};
    add_product(&(*a_)[9 * i], &x[3 * i], sum);
    for (std::size_t k = at(system_->row_start[i]); k < at(system_->row_start[i + 1]); ++k)
      add_product(&(*block_)[9 * k], &x[3 * at(system_->column[k])], sum);
    for (std::size_t c = 0; c < 3; ++c) right_[3 * i + c] -= sum[c];
  }
  rest_.resize(x.size());
  solve_by_bodies(right_, rest_);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += rest_[i];
}

}  // namespace carom::systems
