// The plan of a factorisation of matrices with the pattern of W: dense fronts, children before parents, and the
// destination of every block of W and of every child's contribution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_pattern.hpp"
#include "core/support/array.hpp"
#include "minimum_degree.hpp"

namespace carom::systems {

/// A front has rows and columns of `pivots` contacts, which it eliminates, then of `rest` contacts, which stay. It has
/// three arrays, stored by rows: `upper` (3 pivots × 3 (pivots + rest)), `lower` (3 rest × 3 pivots), and the
/// contribution (3 rest × 3 rest), which the parent assembles.
struct Front {
  std::int32_t first_contact = 0;  ///< index of its first contact in FrontTree::contact
  std::int32_t pivots = 0, rest = 0;
  std::int32_t parent = -1;
  std::int32_t in_pivots = 0;                  ///< number of `rest` contacts that are among the parent's pivots
  std::size_t upper = 0, lower = 0;            ///< offsets in the factor
  std::size_t contribution = 0;                ///< offset on the stack of contributions
  std::size_t first_entry = 0, end_entry = 0;  ///< the blocks of W that it assembles
};

class FrontTree {
 public:
  void build(const BlockPattern& pattern);

  Array<Front> front;
  Array<std::int32_t> contact;        ///< of the fronts, pivots first
  Array<std::int32_t> place;          ///< of each `rest` contact: position in the parent's front; parallel to `contact`
  Array<std::int32_t> entry_block;    ///< block of W
  Array<std::size_t> entry_place;     ///< offset in the factor
  Array<std::size_t> diagonal_place;  ///< of each contact: offset of its own block in the factor
  Array<std::int32_t> entry_stride;   ///< stride between rows
  Array<std::int32_t> diagonal_stride;
  std::size_t factor_numbers = 0, stack_numbers = 0;
  std::int32_t max_rest = 0;
  double products = 0;        ///< cost of a factorisation in products of blocks and vectors
  double solve_products = 0;  ///< same for a solution

 private:
  void merge_chains();
  void order_groups();
  void lay_out();
  void place_blocks(const BlockPattern& pattern);

  MinimumDegree minimum_degree_;
  Elimination elimination_;
  Array<std::int32_t> postorder_, position_, owner_, local_, count_, row_of_;
  Array<std::size_t> begin_;
};

}  // namespace carom::systems
