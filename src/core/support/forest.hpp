// Disjoint sets as trees (B. Galler, M. Fischer, An improved equivalence algorithm, 1964).
#pragma once

#include <cstddef>
#include <vector>

namespace carom {

/// The root of the tree that i is in, on the way to which paths are halved. A root is its own parent.
template <class Index>
Index root_of(std::vector<Index>& parent, Index i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    Index& above = parent[static_cast<std::size_t>(i)];
    above = parent[static_cast<std::size_t>(above)];
    i = above;
  }
  return i;
}

}  // namespace carom
