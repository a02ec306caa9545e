// Sparse LU factorisation without pivoting of a matrix with the pattern of W, by dense fronts (I. S. Duff, J. K. Reid,
// The multifrontal solution of indefinite sparse symmetric linear equations, 1983). Diagonal blocks are inverted whole.
#pragma once

#include "core/support/array.hpp"
#include "front_tree.hpp"

namespace carom::systems {

class BlockLu {
 public:
  /// Plans the factorisation of matrices with this pattern.
  void plan(const BlockPattern& pattern);
  bool is_planned() const { return planned_; }
  void forget() { planned_ = false; }

  const FrontTree& tree() const { return tree_; }

  /// Factors the matrix with these blocks, in the island's order, and nine more numbers added to each diagonal block.
  /// False if it is singular or not finite.
  bool factor(const Numbers& block, const Numbers& diagonal);
  /// x becomes the solution for the right-hand side x.
  void solve(Numbers& x);

 private:
  bool eliminate(const Front& front, double* contribution);

  bool planned_ = false;
  FrontTree tree_;
  Numbers factor_, stack_, work_;
  Array<std::size_t> waiting_;  // fronts whose contributions are on the stack
};

}  // namespace carom::systems
