// Sparse matrices as lists of their entries.
#pragma once

#include <cstdint>
#include <vector>

namespace carom::io {

struct SparseEntry {
  std::int32_t row, column;
  double value;
};

struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<SparseEntry> entries;  ///< by rows, then columns; one of each place

  /// Sorts entries that are in no order, and adds up those of one place.
  void put_in_order();
  /// y += factor A x.
  void add_product(double factor, const std::vector<double>& x, std::vector<double>& y) const;
  /// y += Aᵀ x.
  void add_transposed_product(const std::vector<double>& x, std::vector<double>& y) const;
};

}  // namespace carom::io
