// The pattern of a sparse matrix of 3 × 3 blocks, in compressed rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/support/array.hpp"

namespace carom::systems {

using Numbers = Array<double>;

/// An index of a pattern as an index of a vector.
inline std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

struct BlockPattern {
  Array<std::int32_t> row_start;  ///< one more than rows
  Array<std::int32_t> column;
  Array<std::int32_t> diagonal;  ///< of each row: its block on the diagonal

  std::size_t rows() const { return row_start.empty() ? 0 : row_start.size() - 1; }
  std::size_t blocks() const { return column.size(); }
  void clear() {
    row_start.assign(1, 0);
    column.clear();
    diagonal.clear();
  }
};

/// y += W x, of a block.
inline void add_product(const double* w, const double* x, double* y) {
  y[0] += w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
  y[1] += w[3] * x[0] + w[4] * x[1] + w[5] * x[2];
  y[2] += w[6] * x[0] + w[7] * x[1] + w[8] * x[2];
}

}  // namespace carom::systems
