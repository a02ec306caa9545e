// The factorisation of a sparse symmetric positive definite matrix with one row of 6×6 blocks per body
// (scene/kernels/islands/block_factor.hpp). Its order of elimination and its fill depend only on which bodies are
// connected, so they are kept while the connections stay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/jobs/block_matrix.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "dissection.hpp"
#include "minimum_degree.hpp"

namespace carom::scene::direct {

using Block = kernel::BodyBlock;
using kernel::BodyRow;

/// Two different bodies that a block connects.
using Edge = std::array<std::int32_t, 2>;

class BlockFactor {
 public:
  /// The kernels of an ISA, before all else.
  void use(const kernel::BlockKernels& kernels) { kernels_ = &kernels; }
  /// Plans the factorisation of a matrix with these edges. An edge may occur more than once. Returns false, without a
  /// plan, if a factorisation takes more than `max_work` multiply-adds. `places`: of the bodies, or none. With places
  /// the order is the better one of minimum degree and nested dissection.
  bool plan(std::size_t bodies, const Array<Edge>& edges, double max_work,
            const Array<carom::Vector3<double>>& places = {});

  /// The bodies in the order of elimination of the last plan.
  Array<std::uint32_t>& order() { return order_; }
  /// True if `order` lists every body once.
  bool is_order();
  /// The plan of another matrix with the same edges and `order`.
  bool plan_again(const Array<Edge>& edges, double max_work);

  /// Position of a body in the order of elimination. Blocks and rows are addressed by positions.
  std::size_t position(std::size_t body) const { return position_[body]; }
  std::size_t bodies() const { return position_.size(); }
  /// Multiply-adds of a factorisation.
  double work() const { return work_; }

  /// Sets all blocks to zero.
  void clear();
  /// Makes room for keep().
  void reserve_kept();
  /// Keeps the matrix, for return_kept().
  void keep();
  void return_kept();
  Block& diagonal(std::size_t position) { return diagonal_[position]; }
  /// Index of the block with the row of the later position and the column of the earlier position of an edge.
  std::size_t between(std::size_t earlier, std::size_t later) const;
  Block& block(std::size_t index) { return lower_[index]; }
  Block* blocks_below() { return lower_.data(); }
  Block* diagonals() { return diagonal_.data(); }

  /// Replaces the matrix by its factors. Returns false if the matrix is not positive definite or not finite.
  bool factor() { return factor(0, bodies()); }
  /// The same for the columns from `first` to `end`. The columns before `first` have been factored.
  bool factor(std::size_t first, std::size_t end) { return kernels_->factor(matrix(), first, end); }
  /// Multiply-adds of a column of a factorisation.
  double work_of_column(std::size_t column) const;
  /// Number of blocks below the diagonal.
  std::size_t blocks() const { return row_.size(); }
  /// Replaces the right-hand side by the solution.
  void solve(BodyRow* x) { kernels_->solve(matrix(), x); }

 private:
  kernel::BlockMatrix matrix();
  void read(std::size_t bodies, const Array<Edge>& edges);
  void order_by_degree();
  /// Lists the blocks of the factors for an order of elimination, and counts the work.
  void list_columns(const Array<std::uint32_t>& order);
  void list_updates();
  bool finish_plan(double max_work);

  const kernel::BlockKernels* kernels_ = nullptr;
  double work_ = 0;
  Array<std::uint32_t> position_;
  Array<std::uint32_t> column_start_, row_;  // blocks below the diagonal, column by column, rows ascending
  Array<std::uint32_t> update_start_;
  Array<kernel::BlockUpdate> updates_;
  Array<Block> diagonal_, lower_, left_, right_, kept_diagonal_, kept_lower_;
  Array<Edge> sorted_;
  Neighbours neighbours_;
  Array<std::uint32_t> order_, other_order_;
  Array<std::uint32_t> mark_, first_child_, next_child_;  // of columns
  systems::BlockPattern pattern_;
  systems::MinimumDegree minimum_degree_;
  systems::Elimination elimination_;
  Dissection dissection_;
};

}  // namespace carom::scene::direct
