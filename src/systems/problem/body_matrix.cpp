#include "body_matrix.hpp"

#include <algorithm>

#include "core/support/array.hpp"

namespace carom::systems {

void BodyMatrix::plan(std::size_t bodies, std::initializer_list<const Array<Sides>*> constraints) {
  pair_.clear();
  std::size_t count = 0;
  for (const Array<Sides>* list : constraints) {
    count += list->size();
    Sides last = {-1, -1};
    for (const Sides& sides : *list) {
      if (sides[0] < 0 || sides[1] < 0 || sides == last) continue;
      last = sides;
      pair_.push_back(sides);
      pair_.push_back({sides[1], sides[0]});
    }
  }
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(bodies); ++b) pair_.push_back({b, b});
  std::sort(pair_.begin(), pair_.end());
  pair_.erase(std::unique(pair_.begin(), pair_.end()), pair_.end());
  first_.assign(bodies + 1, 0);
  for (const Sides& pair : pair_) ++first_[at(pair[0]) + 1];
  for (std::size_t b = 0; b < bodies; ++b) first_[b + 1] += first_[b];

  pattern_.clear();
  for (std::size_t b = 0; b < bodies; ++b)
    for (std::int32_t half = 0; half < 2; ++half) {
      for (std::size_t k = first_[b]; k < first_[b + 1]; ++k)
        for (std::int32_t other = 0; other < 2; ++other) {
          const std::int32_t column = 2 * pair_[k][1] + other;
          if (column == 2 * static_cast<std::int32_t>(b) + half)
            pattern_.diagonal.push_back(static_cast<std::int32_t>(pattern_.column.size()));
          pattern_.column.push_back(column);
        }
      pattern_.row_start.push_back(static_cast<std::int32_t>(pattern_.column.size()));
    }
  block_.resize(9 * pattern_.blocks());
  unit_.assign(18 * bodies, 0);
  for (std::size_t i = 0; i < unit_.size(); i += 9) unit_[i] = unit_[i + 4] = unit_[i + 8] = 1;

  place_.resize(count);
  Places* place = place_.data();
  for (const Array<Sides>* list : constraints)
    for (std::size_t i = 0; i < list->size(); ++i, ++place) {
      const Sides& sides = (*list)[i];
      if (i > 0 && sides == (*list)[i - 1]) {
        *place = *(place - 1);
        continue;
      }
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t t = 0; t < 2; ++t) {
          if (sides[s] < 0 || sides[t] < 0) continue;
          const auto begin = pair_.begin() + static_cast<std::ptrdiff_t>(first_[at(sides[s])]);
          const auto end = pair_.begin() + static_cast<std::ptrdiff_t>(first_[at(sides[s]) + 1]);
          const auto found = std::lower_bound(begin, end, Sides{sides[s], sides[t]});
          (*place)[2 * s + t] =
              9 * (at(pattern_.row_start[2 * at(sides[s])]) + 2 * static_cast<std::size_t>(found - begin));
        }
    }
  lu_.plan(pattern_);
}

void BodyMatrix::clear() {
  std::fill(block_.begin(), block_.end(), 0.0);
}

void BodyMatrix::solve(Numbers& y) {
  rest_ = y;
  lu_.solve(y);
  for (std::size_t i = 0; i < pattern_.rows(); ++i) {
    double sum[3] = {y[3 * i], y[3 * i + 1], y[3 * i + 2]};
    for (std::size_t k = at(pattern_.row_start[i]); k < at(pattern_.row_start[i + 1]); ++k)
      add_product(&block_[9 * k], &y[3 * at(pattern_.column[k])], sum);
    for (std::size_t c = 0; c < 3; ++c) rest_[3 * i + c] -= sum[c];
  }
  lu_.solve(rest_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += rest_[i];
}

void BodyMatrix::add(std::size_t constraint, std::size_t s, std::size_t t, std::int32_t body_s, std::size_t n,
                     const double* response, const double* scaled) {
  double sum[36] = {};
  for (; n-- > 0; response += 6, scaled += 6)
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t k = 0; k < 6; ++k) sum[6 * row + k] += response[row] * scaled[k];
  // Both halves of a body have the same number of blocks in a row.
  const std::size_t width = 9 * (at(pattern_.row_start[2 * at(body_s) + 1]) - at(pattern_.row_start[2 * at(body_s)]));
  double* const block = &block_[place_[constraint][2 * s + t]];
  for (std::size_t row = 0; row < 6; ++row) {
    double* const to = block + (row < 3 ? 0 : width) + 3 * (row % 3);
    for (std::size_t k = 0; k < 3; ++k) {
      to[k] += sum[6 * row + k];
      to[9 + k] += sum[6 * row + 3 + k];
    }
  }
}

}  // namespace carom::systems
