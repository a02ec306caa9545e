// Solves symmetric positive semidefinite systems that may be singular, such as joints with redundant rows.
#pragma once

#include <cstddef>

#include "core/support/array.hpp"

namespace carom::scene {

/// The decomposition Pᵀ S A S P = L Lᵀ, where S scales the diagonal to 1 and P selects the largest remaining pivot.
/// Stops when no pivot exceeds redundancy² or the rounding error of 0: the remaining rows depend on those before them.
/// N. J. Higham, Analysis of the Cholesky Decomposition of a Semi-definite Matrix, 1990.
class PivotedCholesky {
 public:
  /// `a`: n × n finite numbers by rows, of which only the lower triangle is read.
  PivotedCholesky(Array<double> a, std::size_t n, double redundancy);

  std::size_t size() const { return scale_.size(); }
  std::size_t rank() const { return rank_; }

  /// x with A x = b, which is 0 in the rows that depend on others, as b does.
  Array<double> solve(const Array<double>& b) const;

 private:
  double& at(std::size_t row, std::size_t column) { return l_[row * size() + column]; }
  double at(std::size_t row, std::size_t column) const { return l_[row * size() + column]; }
  void exchange(std::size_t k, std::size_t p);

  Array<double> l_;
  Array<double> scale_;       // of the matrix's own rows
  Array<std::size_t> order_;  // original row at each position
  std::size_t rank_ = 0;
};

}  // namespace carom::scene
