#include "block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/support/array.hpp"
#include "front_kernels.hpp"

namespace carom::systems {
namespace {

void grow(Numbers& numbers, std::size_t size) {
  if (numbers.size() < size) numbers.resize(size);
}

/// b becomes b a. Both are 3 × 3 blocks.
void multiply_right(double* b, std::size_t b_stride, const double* a, std::size_t a_stride) {
  for (std::size_t i = 0; i < 3; ++i) {
    double* row = b + i * b_stride;
    const double x = row[0], y = row[1], z = row[2];
    for (std::size_t j = 0; j < 3; ++j) row[j] = x * a[j] + y * a[a_stride + j] + z * a[2 * a_stride + j];
  }
}

/// Adds the contribution of a child to its parent front, block by block.
void take_up(const FrontTree& tree, const Front& child, const double* from, const Front& front, double* factor,
             double* contribution) {
  const std::int32_t* place = &tree.place[at(child.first_contact + child.pivots)];
  const std::size_t rest = at(child.rest), in_pivots = at(child.in_pivots), pivots = at(front.pivots);
  const std::size_t width = 3 * (pivots + at(front.rest)), side = 3 * at(front.rest);
  for (std::size_t i = 0; i < rest; ++i) {
    const std::size_t row = at(place[i]);
    for (std::size_t a = 0; a < 3; ++a, from += 3 * rest) {
      const auto add = [&](double* to, std::size_t first, std::size_t end, std::size_t offset) {
        for (std::size_t j = first; j < end; ++j) {
          double* block = to + 3 * (at(place[j]) - offset);
          block[0] += from[3 * j];
          block[1] += from[3 * j + 1];
          block[2] += from[3 * j + 2];
        }
      };
      if (row < pivots) {
        add(factor + front.upper + (3 * row + a) * width, 0, rest, 0);
      } else {
        const std::size_t below = 3 * (row - pivots) + a;
        add(factor + front.lower + below * 3 * pivots, 0, in_pivots, 0);
        add(contribution + below * side, in_pivots, rest, pivots);
      }
    }
  }
}

}  // namespace

bool invert(double* a, std::size_t stride) {
  // Gauss–Jordan elimination with full pivoting: cofactors are inaccurate for ill-conditioned blocks.
  std::size_t row_of[3], column_of[3];
  bool taken[3] = {false, false, false};
  for (std::size_t k = 0; k < 3; ++k) {
    double largest = 0;
    std::size_t r = 0, c = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (!taken[i] && std::abs(a[i * stride + j]) > largest) {
          bool used = false;
          for (std::size_t l = 0; l < k; ++l) used |= column_of[l] == j;
          if (used) continue;
          largest = std::abs(a[i * stride + j]);
          r = i;
          c = j;
        }
    const double inverse = 1 / a[r * stride + c];
    if (!(largest > 0) || !std::isfinite(inverse)) return false;
    taken[r] = true;
    row_of[k] = r;
    column_of[k] = c;
    double* pivot_row = a + r * stride;
    pivot_row[c] = 1;
    for (std::size_t j = 0; j < 3; ++j) pivot_row[j] *= inverse;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == r) continue;
      double* row = a + i * stride;
      const double factor = row[c];
      row[c] = 0;
      for (std::size_t j = 0; j < 3; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  // Undo the permutations: row row_of[k] is row column_of[k] of the inverse, column column_of[l] is column row_of[l].
  double inverse[9];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) inverse[3 * column_of[k] + row_of[l]] = a[row_of[k] * stride + column_of[l]];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) a[i * stride + j] = inverse[3 * i + j];
  return true;
}

void BlockLu::plan(const BlockPattern& pattern) {
  tree_.build(pattern);
  planned_ = true;
}

bool BlockLu::eliminate(const Front& front, double* contribution) {
  const std::size_t pivots = at(front.pivots), rest = at(front.rest);
  const std::size_t width = 3 * (pivots + rest), narrow = 3 * pivots, side = 3 * rest;
  double *upper = &factor_[front.upper], *lower = factor_.data() + front.lower;
  for (std::size_t k = 0; k < pivots; ++k) {
    double* row = upper + 3 * k * width;
    double* own = row + 3 * k;
    if (!invert(own, width)) return false;
    const std::size_t after = 3 * (k + 1);
    for (std::size_t i = k + 1; i < pivots; ++i) {
      double* l = upper + 3 * i * width + 3 * k;
      multiply_right(l, width, own, width);
      subtract_product(l + 3, width, l, width, row + after, width, width - after);
    }
    for (std::size_t i = 0; i < rest; ++i) {
      double* l = lower + 3 * i * narrow + 3 * k;
      multiply_right(l, narrow, own, width);
      if (after < narrow) subtract_product(l + 3, narrow, l, narrow, row + after, width, narrow - after);
    }
  }
  for (std::size_t i = 0; i < rest; ++i)
    for (std::size_t k = 0; k < pivots; ++k)
      subtract_product(contribution + 3 * i * side, side, lower + 3 * i * narrow + 3 * k, narrow,
                       upper + 3 * k * width + narrow, width, side);
  return true;
}

bool BlockLu::factor(const Numbers& block, const Numbers& diagonal) {
  grow(factor_, tree_.factor_numbers);
  grow(stack_, tree_.stack_numbers + 9 * at(tree_.max_rest) * at(tree_.max_rest));
  grow(work_, 3 * at(tree_.max_rest));
  std::fill_n(factor_.begin(), tree_.factor_numbers, 0.0);
  for (std::size_t e = 0; e < tree_.entry_block.size(); ++e) {
    const double* from = &block[9 * at(tree_.entry_block[e])];
    double* to = &factor_[tree_.entry_place[e]];
    const std::size_t stride = at(tree_.entry_stride[e]);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) to[a * stride + b] = from[3 * a + b];
  }
  for (std::size_t i = 0; i < tree_.diagonal_place.size(); ++i) {
    double* to = &factor_[tree_.diagonal_place[i]];
    const std::size_t stride = at(tree_.diagonal_stride[i]);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) to[a * stride + b] += diagonal[9 * i + 3 * a + b];
  }
  Array<std::size_t>& waiting = waiting_;
  waiting.clear();
  std::size_t top = 0;
  for (std::size_t f = 0; f < tree_.front.size(); ++f) {
    const Front& front = tree_.front[f];
    const std::size_t side = 3 * at(front.rest);
    double* contribution = stack_.data() + top;
    std::fill_n(contribution, side * side, 0.0);
    while (!waiting.empty() && at(tree_.front[waiting.back()].parent) == f && tree_.front[waiting.back()].parent >= 0) {
      const Front& child = tree_.front[waiting.back()];
      take_up(tree_, child, stack_.data() + child.contribution, front, factor_.data(), contribution);
      waiting.pop_back();
    }
    if (!eliminate(front, contribution)) return false;
    if (front.contribution < top)
      std::memmove(stack_.data() + front.contribution, contribution, side * side * sizeof(double));
    top = front.contribution + side * side;
    if (front.rest > 0) waiting.push_back(f);
  }
  return true;
}

void BlockLu::solve(Numbers& x) {
  for (const Front& front : tree_.front) {
    const std::size_t pivots = at(front.pivots), rest = at(front.rest), width = 3 * (pivots + rest);
    const std::int32_t* contact = &tree_.contact[at(front.first_contact)];
    for (std::size_t k = 0; k < pivots; ++k) {
      const double* own = &x[3 * at(contact[k])];
      const double y[3] = {-own[0], -own[1], -own[2]};
      const auto subtract = [&](const double* l, std::size_t stride, std::int32_t i) {
        double* z = &x[3 * at(i)];
        for (std::size_t a = 0; a < 3; ++a)
          z[a] += l[a * stride] * y[0] + l[a * stride + 1] * y[1] + l[a * stride + 2] * y[2];
      };
      for (std::size_t i = k + 1; i < pivots; ++i)
        subtract(&factor_[front.upper + 3 * i * width + 3 * k], width, contact[i]);
      for (std::size_t i = 0; i < rest; ++i)
        subtract(&factor_[front.lower + 9 * i * pivots + 3 * k], 3 * pivots, contact[pivots + i]);
    }
  }
  for (std::size_t f = tree_.front.size(); f-- > 0;) {
    const Front& front = tree_.front[f];
    const std::size_t pivots = at(front.pivots), rest = at(front.rest), width = 3 * (pivots + rest);
    const std::int32_t* contact = &tree_.contact[at(front.first_contact)];
    for (std::size_t i = 0; i < rest; ++i)
      for (std::size_t a = 0; a < 3; ++a) work_[3 * i + a] = x[3 * at(contact[pivots + i]) + a];
    for (std::size_t k = pivots; k-- > 0;) {
      double* own = &x[3 * at(contact[k])];
      double y[3];
      for (std::size_t a = 0; a < 3; ++a) {
        const double* row = &factor_[front.upper + (3 * k + a) * width];
        double sum = 0;
        for (std::size_t i = k + 1; i < pivots; ++i) {
          const double* z = &x[3 * at(contact[i])];
          sum += row[3 * i] * z[0] + row[3 * i + 1] * z[1] + row[3 * i + 2] * z[2];
        }
        for (std::size_t i = 0; i < 3 * rest; ++i) sum += row[3 * pivots + i] * work_[i];
        y[a] = own[a] - sum;
      }
      for (std::size_t a = 0; a < 3; ++a) {
        const double* row = &factor_[front.upper + (3 * k + a) * width + 3 * k];
        own[a] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2];
      }
    }
  }
}

}  // namespace carom::systems
