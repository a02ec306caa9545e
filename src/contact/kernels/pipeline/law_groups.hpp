// Batches in 3D with a law for each contact: the contacts of a tile by law, and the columns that the stages read.
#pragma once

#include "contact/kernels/laws/algebraic/law_list.hpp"
#include "law_sort.hpp"

namespace carom::kernel {
namespace {

/// The columns that the stages read in 3D: the columns of the call, or the gathered columns of a tile of one group.
template <class T>
class Groups {
 public:
  static constexpr std::size_t count = LawSort::groups;

  Parameters<T> parameters;
  Components<T> components;

  /// `tile` is null if all contacts have one law.
  Groups(GroupTile<T>* tile, const LawCall<T, 3>& call)
      : parameters(call.parameters),
        components(call.components),
        tile_(tile),
        call_(call),
        columns_(call.columns, tile != nullptr ? &tile->own : nullptr) {
    if (tile != nullptr) tile->own = call.columns;
  }

  const LawColumns<T>& own() const { return tile_ != nullptr ? tile_->own : call_.columns; }

  /// Sorts the contacts [first, first + n) by law. The direct_laws form one group, because one pass solves them all.
  [[gnu::noinline]] void sort(std::size_t first, std::size_t n) {
    std::uint8_t group_of[256];
    __builtin_memset(group_of, law_count, sizeof group_of);
    for (std::size_t law = 0; law < law_count; ++law)
      group_of[law] = static_cast<std::uint8_t>((direct_laws >> law & 1u) != 0 ? direct_group : law);
    GroupTile<T>& tile = *tile_;
    sorted_.count(n, [&](std::size_t k) {
      return tile.group[k] = group_of[static_cast<std::uint8_t>(element(call_.columns.law, first + k))];
    });
    sorted_.sort(
        n, 1, [&](std::size_t k) { return tile.group[k]; },
        [&](std::size_t k, std::size_t slot) { tile.order[slot] = static_cast<std::uint32_t>(k); });
  }

  /// Indices of the sorted contacts, group by group, relative to the first one.
  const std::uint32_t* order() const { return tile_->order; }
  std::size_t first(std::size_t group) const { return sorted_.begin[group]; }
  std::size_t end(std::size_t group) const { return sorted_.end(group); }

  /// Sets `own` and `parameters` to the columns of a group. Returns false if there is nothing to solve: the group is
  /// empty or its law incremental, which another kernel solves.
  [[gnu::noinline]] bool begin(std::size_t group) {
    if (sorted_.size[group] == 0 || group == static_cast<std::size_t>(Law::incremental)) return false;
    const unsigned laws = group == direct_group ? call_.laws & direct_laws : 1u << group;
    parameters.law = static_cast<Law>(group);
    columns_.begin(laws, tile_->parameters, tile_->restitution_laws);
    LawColumns<T>& own = tile_->own;
    if (group == direct_group)
      columns_.template point<const Law>(own.law, tile_->law);
    else
      own.law.data = nullptr;
    components_ = (laws & bit_of(Law::composite)) != 0 && call_.components.status != nullptr;
    if (components_) {
      components.first = 0;
      for (std::size_t c = 0; c < 3; ++c) components.impulse[c] = tile_->component_impulse[c];
      components.status = tile_->component_status;
    }
    return true;
  }

  /// Gathers the columns that the law reads for a tile of the group.
  [[gnu::noinline]] void gather(Picked picked) {
    picked.block_bytes = 0;
    columns_.gather(picked);
    if (tile_->own.law.data != nullptr) kernel::gather(strided(call_.columns.law), picked, tile_->law);
    if (!components_) return;
    const Components<T>& given = call_.components;
    picked.first -= given.first;
    for (std::size_t c = 0; c < 3; ++c)
      kernel::gather(Strided<T>{given.impulse[c], sizeof(T)}, picked, tile_->component_impulse[c]);
    kernel::gather(Strided<Status>{given.status, sizeof(Status)}, picked, tile_->component_status);
  }

 private:
  static constexpr std::size_t direct_group = static_cast<std::size_t>(Law::frictionless);

  GroupTile<T>* tile_;
  const LawCall<T, 3>& call_;
  LawSort sorted_;
  GroupedColumns<T, 3> columns_;
  bool components_ = false;
};

}  // namespace
}  // namespace carom::kernel
