#include "sparse_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace carom::io {

void SparseMatrix::put_in_order() {
  std::stable_sort(entries.begin(), entries.end(), [](const SparseEntry& a, const SparseEntry& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (kept > 0 && entries[kept - 1].row == entries[k].row && entries[kept - 1].column == entries[k].column)
      entries[kept - 1].value += entries[k].value;
    else
      entries[kept++] = entries[k];
  }
  entries.resize(kept);
}

void SparseMatrix::add_product(double factor, const std::vector<double>& x, std::vector<double>& y) const {
  for (const auto& [row, column, value] : entries)
    y[static_cast<std::size_t>(row)] += factor * value * x[static_cast<std::size_t>(column)];
}

void SparseMatrix::add_transposed_product(const std::vector<double>& x, std::vector<double>& y) const {
  for (const auto& [row, column, value] : entries)
    y[static_cast<std::size_t>(column)] += value * x[static_cast<std::size_t>(row)];
}

}  // namespace carom::io
