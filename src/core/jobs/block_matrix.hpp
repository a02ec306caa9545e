// A sparse symmetric positive definite matrix with one row of 6×6 blocks per body, and its factors. The data that pass
// between linear/block_factor.hpp and the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carom::kernel {

/// Six numbers of a body (linear, then angular), padded to a register of eight. The padding is zero.
struct alignas(64) BodyRow {
  double at[8];
};

/// A block by columns, padded to eight rows. The padding is zero.
struct alignas(64) BodyBlock {
  double column[6][8];
};

/// T -= B_a D⁻¹ B_bᵀ for blocks of the column that is being eliminated, as offsets in the column.
struct BlockUpdate {
  std::uint32_t a, b;
  std::uint32_t target;  ///< block, or ~position of a diagonal block
};

/// Blocks below the diagonal are stored column by column, with ascending rows: column c has [column_start[c],
/// column_start[c + 1]) of `lower` and `row`, its updates are [update_start[c], update_start[c + 1]).
struct BlockMatrix {
  std::size_t bodies;
  const std::uint32_t *column_start, *row, *update_start;
  const BlockUpdate* updates;
  BodyBlock *diagonal, *lower;  ///< the matrix; after factor L and P⁻¹, and W = B D⁻¹
  BodyBlock *left, *right;      ///< room for the blocks of a column
};

struct ConeKernels;

/// The kernels of an ISA.
struct BlockKernels {
  /// Replaces the columns from `first` to `end` by their factors; the columns before have been factored. Returns false
  /// if the matrix is not positive definite or not finite.
  bool (*factor)(const BlockMatrix& matrix, std::size_t first, std::size_t end);
  /// Replaces the right-hand side by the solution.
  void (*solve)(const BlockMatrix& factors, BodyRow* x);
  const ConeKernels* cones;  ///< the interior point on the matrix: cone_island.hpp
};

}  // namespace carom::kernel
