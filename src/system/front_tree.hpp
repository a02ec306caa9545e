// The plan of a factorisation of matrices with the pattern of W: dense fronts, children before parents, and where every
// block of W and every contribution of a child goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "island_system.hpp"
#include "minimum_degree.hpp"

namespace carom::systems {

/// A front has rows and columns of `pivots` contacts that it eliminates, then of `rest` contacts that stay. It is three
/// arrays, row after row: `upper` (3 pivots × 3 (pivots + rest)), `lower` (3 rest × 3 pivots), and the contribution
/// (3 rest × 3 rest), which the parent takes up.
struct Front {
  std::int32_t first_contact = 0;  ///< its contacts in FrontTree::contact
  std::int32_t pivots = 0, rest = 0;
  std::int32_t parent = -1;
  std::int32_t in_pivots = 0;                  ///< how many of its `rest` are among the parent's pivots
  std::size_t upper = 0, lower = 0;            ///< first numbers in the factor
  std::size_t contribution = 0;                ///< first number on the stack of contributions
  std::size_t first_entry = 0, end_entry = 0;  ///< blocks of W that it takes up
};

class FrontTree {
 public:
  void build(const IslandSystem& system);

  std::vector<Front> front;
  std::vector<std::int32_t> contact;      ///< of the fronts, pivots first
  std::vector<std::int32_t> place;        ///< of each `rest` contact, beside `contact`: its place in the parent's front
  std::vector<std::int32_t> entry_block;  ///< block of W
  std::vector<std::size_t> entry_place;   ///< first number in the factor
  std::vector<std::size_t> diagonal_place;  ///< of each contact: its own block's first number in the factor
  std::vector<std::int32_t> entry_stride;   ///< numbers from one row to the next
  std::vector<std::int32_t> diagonal_stride;
  std::size_t factor_numbers = 0, stack_numbers = 0;
  std::int32_t largest_rest = 0;
  double products = 0;        ///< of blocks and vectors that a factorisation is worth
  double solve_products = 0;  ///< the same of a solution

 private:
  void merge_chains();
  void order_groups();
  void lay_out();
  void place_blocks(const IslandSystem& system);

  MinimumDegree minimum_degree_;
  Elimination elimination_;
  std::vector<std::int32_t> postorder_, position_, owner_, local_, count_, row_of_;
  std::vector<std::size_t> begin_;
};

}  // namespace carom::systems
