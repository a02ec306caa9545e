// Factorisation of positive definite sparse matrices that are symmetric, or nearly: P M Pᵀ = L U with one diagonal for
// both, row by row along the elimination tree (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4),
// in the order of approximate minimum degree. For a symmetric M it is that of Cholesky, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sparse_matrix.hpp"

namespace carom::io {

class SparseLu {
 public:
  /// Without a value M is factored. Else M is not positive definite, or singular to rounding, and the value is the row
  /// where that is found.
  std::optional<std::size_t> factor(const SparseMatrix& m);

  std::size_t size() const { return order_.size(); }
  /// x becomes M⁻¹ x.
  void solve(std::vector<double>& x) const;

  /// Rows of L⁻¹ P h that are not 0 if h is 0 but in these rows of M: ascending.
  std::vector<std::int32_t> reach(const std::vector<std::int32_t>& rows);
  /// Position of a row of M in the order of elimination.
  std::size_t position(std::size_t row) const { return static_cast<std::size_t>(position_[row]); }
  /// x becomes L⁻¹ x, of three columns: three numbers a row, in the order of elimination. All rows beyond `reach` are
  /// 0.
  void solve_lower(const std::vector<std::int32_t>& reach, double* x) const { solve_half(reach, lower_, x); }
  /// x becomes U⁻ᵀ x likewise, which is L⁻¹ x if M is symmetric to the bit.
  void solve_upper(const std::vector<std::int32_t>& reach, double* x) const { solve_half(reach, upper(), x); }
  bool is_symmetric() const { return is_symmetric_; }

 private:
  void put_in_order(const SparseMatrix& m);
  void permute(const SparseMatrix& m);
  void plan();
  template <bool symmetric>
  bool eliminate(std::size_t k, std::vector<double>& x, std::vector<double>& y);
  template <bool symmetric>
  std::optional<std::size_t> eliminate_rows();
  const std::vector<double>& upper() const { return is_symmetric_ ? lower_ : upper_; }
  void solve_half(const std::vector<std::int32_t>& reach, const std::vector<double>& half, double* x) const;
  template <class Visit>
  void walk_row(std::size_t k, Visit&& visit);

  std::vector<std::int32_t> order_, position_;
  // P M Pᵀ is kept by rows: entries left of the diagonal, and those that stand across it.
  std::vector<std::size_t> entry_begin_;
  std::vector<std::int32_t> entry_;
  std::vector<double> entry_lower_, entry_upper_;
  bool is_symmetric_ = true;
  std::vector<double> diagonal_;  // that of P M Pᵀ becomes that of L and U
  std::vector<std::int32_t> parent_;
  // L is kept by columns, with ascending rows, and U by rows in the same places.
  std::vector<std::size_t> begin_, end_;
  std::vector<std::int32_t> row_;
  std::vector<double> lower_, upper_;  // there is no upper_ if M is symmetric
  std::vector<std::int32_t> mark_, path_;
  std::int32_t stamp_ = 0;
};

}  // namespace carom::io
