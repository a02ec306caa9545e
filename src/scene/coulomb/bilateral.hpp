// Rows without bounds, which are eliminated: with W = J M⁻¹ Jᵀ + γ of the rows that joints connect, W = L Lᵀ. Rows
// stand in the order in which a breadth-first search meets their bodies (E. Cuthill, J. McKee, Reducing the bandwidth
// of sparse symmetric matrices, 1969), so that L stays near its diagonal along chains, and is kept row by row from the
// first number that may not be 0. A row that repeats others (SceneThresholds::least_pivot) gets no impulse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constraints.hpp"

namespace carom::scene::coulomb {

class Bilateral {
 public:
  static constexpr std::int32_t none = -1;

  /// Finds the clusters, bodies that rows connect, and factors the matrix of each.
  void factor(const Constraints& constraints);

  std::size_t clusters() const { return start_.size() - 1; }
  /// The cluster of a body, or none.
  std::int32_t cluster_of(std::int32_t body) const { return cluster_[static_cast<std::size_t>(body)]; }
  /// The places of a cluster's rows are [first_of, end_of).
  std::size_t first_of(std::size_t cluster) const { return start_[cluster]; }
  std::size_t end_of(std::size_t cluster) const { return start_[cluster + 1]; }
  /// The row at a place.
  std::size_t row_at(std::size_t place) const { return order_[place]; }

  /// x becomes L⁻¹ x, for `columns` columns beside one another, from a place on; before it they are 0. x begins there.
  void solve_lower(std::size_t first, std::size_t end, std::size_t columns, double* x) const;
  /// x, of all places, becomes L⁻ᵀ x.
  void solve_upper(std::vector<double>& x) const;

 private:
  void find_clusters(const Constraints& constraints);
  void order_rows(const Constraints& constraints);
  /// Puts the bodies of a cluster in order, beginning with this one; returns the last.
  std::int32_t search(const Constraints& constraints, std::int32_t from);

  std::vector<std::int32_t> cluster_, parent_, of_root_;
  std::vector<std::size_t> start_, order_;
  std::vector<std::size_t> rows_begin_, rows_of_;  // of bodies
  std::vector<std::int32_t> rank_, queue_;         // of bodies; bodies
  std::vector<std::size_t> lowest_;                // place of a body's first row
  std::vector<std::size_t> first_, offset_;        // of a place: its row of L
  std::vector<double> lower_, inverse_;
};

}  // namespace carom::scene::coulomb
