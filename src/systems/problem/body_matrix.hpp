// A sparse matrix with a block of 6 × 6 numbers for every body and for every two bodies that a constraint connects.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "core/support/array.hpp"
#include "linear/block_lu.hpp"

namespace carom::systems {

/// The bodies that a constraint moves; -1: none.
using Sides = std::array<std::int32_t, 2>;

class BodyMatrix {
 public:
  /// The first number of the blocks of a constraint's bodies s and t, at 2 s + t.
  using Places = std::array<std::size_t, 4>;

  /// Plans the pattern. Matrices get the places of all these constraints, in order.
  void plan(std::size_t bodies, std::initializer_list<const Array<Sides>*> constraints);
  bool is_planned() const { return lu_.is_planned(); }
  void forget() { lu_.forget(); }

  double products() const { return lu_.tree().products; }
  double solve_products() const { return 2 * lu_.tree().solve_products + static_cast<double>(pattern_.blocks()); }
  double numbers() const { return static_cast<double>(lu_.tree().factor_numbers + lu_.tree().stack_numbers); }

  /// The matrix becomes 0, plus the identity that factor() adds.
  void clear();
  /// Adds Rᵀ D of the n rows of six numbers at `response` and at `scaled` to the block of the bodies s and t.
  void add(std::size_t constraint, std::size_t s, std::size_t t, std::int32_t body_s, std::size_t n,
           const double* response, const double* scaled);
  /// False if the matrix is singular or not finite.
  bool factor() { return lu_.factor(block_, unit_); }
  /// y, six numbers a body, becomes the solution for the right-hand side y. One step of refinement makes the backward
  /// error one of rounding: the inverted blocks of the factors lose digits where the matrix has large numbers.
  void solve(Numbers& y);

 private:
  BlockLu lu_;
  BlockPattern pattern_;  // a body is two rows of it
  Numbers block_;         // nine numbers a block, row after row
  Array<Places> place_;
  Array<Sides> pair_;
  Array<std::size_t> first_;
  Numbers unit_, rest_;
};

}  // namespace carom::systems
