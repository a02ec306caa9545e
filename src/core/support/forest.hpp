// Disjoint sets as trees (B. Galler, M. Fischer, An improved equivalence algorithm, 1964).
#pragma once

#include <cstddef>
#include <type_traits>

namespace carom {

/// The root of the tree that i is in, on the way to which paths are halved. A root is its own parent.
template <class Parents>
typename Parents::value_type root_of(Parents& parent, std::type_identity_t<typename Parents::value_type> i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    auto& above = parent[static_cast<std::size_t>(i)];
    above = parent[static_cast<std::size_t>(above)];
    i = above;
  }
  return i;
}

}  // namespace carom
