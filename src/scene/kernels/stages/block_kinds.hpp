// What a block holds: manifolds, with contact models or without, or rows of joints.
#pragma once

#include "scene/kernels/blocks/block.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct BlockKinds {
  using Block = Blocks<A, T>;
  using Manifolds = typename Block::Manifolds;
  using Groups = typename Block::Groups;

  static bool is_joint(const std::byte* block) { return reinterpret_cast<const BlockHead<T>*>(block)->is_joint; }
  static bool has_models(const std::byte* block) { return reinterpret_cast<const BlockHead<T>*>(block)->models != 0; }
  static Manifolds& manifolds(std::byte* block) { return *reinterpret_cast<Manifolds*>(block); }
  static Groups& groups(std::byte* block) { return *reinterpret_cast<Groups*>(block); }
};

}  // namespace
}  // namespace carom::kernel
