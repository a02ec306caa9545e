// The elimination order of the contacts of W, by approximate minimum degree on the quotient graph (P. R. Amestoy, T. A.
// Davis, I. S. Duff, An approximate minimum degree ordering algorithm, 1996). Contacts with the same neighbours, such
// as the contacts of one pair of bodies, are eliminated together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_pattern.hpp"
#include "core/support/array.hpp"

namespace carom::systems {

/// A forest of groups of contacts. Each group is eliminated at once, as a dense front. `pivots` and `border` may have
/// more lists than groups, to keep their memory for later islands.
struct Elimination {
  std::size_t contacts = 0;
  std::size_t groups() const { return parent.size(); }
  Array<Array<std::int32_t>> pivots;  ///< contacts of each group; groups in the order of elimination
  Array<Array<std::int32_t>> border;  ///< later contacts that their elimination connects
  Array<std::int32_t> parent;         ///< the later group with the first contact of the border; -1: none
};

/// Number of block products for the elimination of one pivot with `later` rows and columns after it.
inline double products_of_pivot(double later) {
  return 3 * later * (later + 1);
}

class MinimumDegree {
 public:
  /// The pattern is treated as symmetric: a block on one side implies its counterpart.
  void run(const BlockPattern& pattern, Elimination& elimination);

 private:
  using Lists = Array<Array<std::int32_t>>;

  void read_neighbours(const BlockPattern& pattern);
  void group_twins(std::size_t contacts);
  void eliminate(std::int32_t pivot);
  void take_border(std::int32_t pivot);
  void update(std::int32_t node, std::int32_t pivot);
  void insert(std::int32_t node);
  void remove(std::int32_t node);
  std::int32_t least();

  enum State : std::uint8_t { variable, element, gone };

  Lists neighbours_;             // of contacts, ascending, themselves among them
  Lists group_;                  // contacts of a node
  Array<std::int32_t> node_of_;  // of a contact
  std::size_t nodes_ = 0;
  std::int32_t left_ = 0;  // contacts that are not eliminated yet
  Array<State> state_;
  Lists variables_, elements_;  // of a variable
  Lists components_;            // of an element
  Lists together_;              // nodes that are eliminated with an element's own
  Array<std::int32_t> weight_, size_, degree_, outside_, parent_, order_;
  Array<std::int32_t> mark_, outside_mark_;
  std::int32_t stamp_ = 0;
  Array<std::int32_t> border_;
  Array<std::int32_t> head_, next_, previous_;  // nodes of a degree
  std::int32_t lowest_ = 0;
};

}  // namespace carom::systems
