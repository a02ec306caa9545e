// Contacts with moments in the space of bodies: like factorisation.cpp, with six rows instead of three.
#include <algorithm>

#include "factorisation.hpp"
#include "linear/front_kernels.hpp"

namespace carom::systems {
namespace {

constexpr std::size_t size = 6;

/// The quarter of a 6 × 6 matrix at (row, column) of its halves, as nine numbers and back.
void take(const double* matrix, std::size_t row, std::size_t column, double* quarter) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) quarter[3 * i + j] = matrix[size * (3 * row + i) + 3 * column + j];
}
void put(const double* quarter, std::size_t row, std::size_t column, double* matrix) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) matrix[size * (3 * row + i) + 3 * column + j] = quarter[3 * i + j];
}

/// to += factor a b.
template <std::size_t n>
void add_product(const double* a, const double* b, double factor, double* to) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[n * i + k] * b[n * k + j];
      to[n * i + j] += factor * sum;
    }
}

/// Inverts the matrix by halves: the contact's own part first, then the Schur complement of the moment's.
bool invert_pair(double* matrix) {
  double own[9], above[9], below[9], rest[9], left[9] = {}, right[9] = {};
  take(matrix, 0, 0, own);
  take(matrix, 0, 1, above);
  take(matrix, 1, 0, below);
  take(matrix, 1, 1, rest);
  if (!invert(own, 3)) return false;
  add_product<3>(below, own, 1, left);
  add_product<3>(own, above, 1, right);
  add_product<3>(left, above, -1, rest);
  if (!invert(rest, 3)) return false;
  double upper[9] = {}, lower[9] = {};
  add_product<3>(right, rest, -1, upper);
  add_product<3>(rest, left, -1, lower);
  add_product<3>(upper, left, -1, own);
  put(own, 0, 0, matrix);
  put(upper, 0, 1, matrix);
  put(lower, 1, 0, matrix);
  put(rest, 1, 1, matrix);
  return true;
}

/// The three rows of a contact and the three rows of its moment, of one body; six numbers each.
struct Rows {
  double number[36];

  Rows(const Numbers& from, std::size_t contact, std::size_t moment, std::size_t body) {
    std::copy_n(&from[36 * contact + 18 * body], 18, number);
    std::copy_n(&from[36 * moment + 18 * body], 18, number + 18);
  }
};

}  // namespace

bool Factorisation::factor_pair(Pair& pair, const Numbers& a, const Numbers& b, const Numbers& c,
                                const Beside& beside) {
  const auto [i, m] = std::pair(pair.contact, pair.moment);
  const double *extra_i = &form_->extra[3 * i], *extra_m = &form_->extra[3 * m];
  double b_whole[36] = {};
  put(&b[9 * i], 0, 0, b_whole);
  put(&beside.b_below[9 * m], 1, 0, b_whole);
  put(&b[9 * m], 1, 1, b_whole);
  double* const inverse = pair.inverse;
  put(&a[9 * i], 0, 0, inverse);
  put(&beside.above[9 * m], 0, 1, inverse);
  put(&beside.below[9 * m], 1, 0, inverse);
  put(&a[9 * m], 1, 1, inverse);
  double c_whole[size], scaled_extra[size];
  for (std::size_t k = 0; k < 3; ++k) {
    c_whole[k] = c[3 * i + k];
    c_whole[3 + k] = c[3 * m + k];
    scaled_extra[k] = extra_i[k] * c_whole[k];
    scaled_extra[3 + k] = extra_m[k] * c_whole[3 + k];
  }
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t k = 0; k < size; ++k) inverse[size * row + k] += b_whole[size * row + k] * scaled_extra[k];
  if (!invert_pair(inverse)) return false;
  std::fill_n(pair.effect, 36, 0.0);
  add_product<size>(inverse, b_whole, -1, pair.effect);
  double q[36];
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t k = 0; k < size; ++k) {
      pair.change[size * row + k] = c_whole[row] * inverse[size * row + k];
      q[size * row + k] = -c_whole[row] * pair.effect[size * row + k];
    }
  for (std::size_t t = 0; t < 2; ++t) {
    if (form_->body[i][t] < 0) continue;
    const Rows direction(form_->direction, i, m, t);
    double scaled[36] = {};
    add_product<size>(q, direction.number, 1, scaled);
    for (std::size_t s = 0; s < 2; ++s) {
      if (form_->body[i][s] < 0) continue;
      const Rows response(form_->response, i, m, s);
      matrix_.add(i, s, t, form_->body[i][s], size, response.number, scaled);
    }
  }
  return true;
}

void Factorisation::push_pair(const Pair& pair, const Numbers& right) {
  const double *of_contact = &right[3 * pair.contact], *of_moment = &right[3 * pair.moment];
  double push[size];
  for (std::size_t row = 0; row < size; ++row) {
    push[row] = 0;
    for (std::size_t k = 0; k < 3; ++k)
      push[row] += pair.change[size * row + k] * of_contact[k] + pair.change[size * row + 3 + k] * of_moment[k];
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const std::int32_t body = form_->body[pair.contact][s];
    if (body < 0) continue;
    const Rows response(form_->response, pair.contact, pair.moment, s);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) y_[6 * at(body) + k] += response.number[size * j + k] * push[j];
  }
}

void Factorisation::solve_pair(const Pair& pair, const Numbers& right, Numbers& x) const {
  double u[size] = {};
  for (std::size_t s = 0; s < 2; ++s) {
    const std::int32_t body = form_->body[pair.contact][s];
    if (body < 0) continue;
    const Rows direction(form_->direction, pair.contact, pair.moment, s);
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) u[j] += direction.number[size * j + k] * y_[6 * at(body) + k];
  }
  const double *of_contact = &right[3 * pair.contact], *of_moment = &right[3 * pair.moment];
  for (std::size_t row = 0; row < size; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += pair.inverse[size * row + k] * of_contact[k] + pair.inverse[size * row + 3 + k] * of_moment[k];
    for (std::size_t k = 0; k < size; ++k) sum += pair.effect[size * row + k] * u[k];
    x[3 * (row < 3 ? pair.contact : pair.moment) + row % 3] = sum;
  }
}

}  // namespace carom::systems
