// Batches with a law for each contact: sorts the contacts of a tile by law, and gathers the parameters that a law
// reads.
#pragma once

#include "contact/kernels/laws/algebraic/law_list.hpp"
#include "law_staging.hpp"

namespace carom::kernel {
namespace {

/// The columns that the stages read: the columns of the call, or the gathered columns of a tile of one group.
template <class T>
class Groups {
 public:
  static constexpr std::size_t count = law_count + 1;

  Parameters<T> parameters;
  Components<T> components;

  /// `tile` is null if all contacts have one law.
  Groups(GroupTile<T>* tile, const AlgebraicCall<T>& call)
      : parameters(call.parameters), components(call.components), tile_(tile), call_(call) {
    if (tile != nullptr) tile->own = call.columns;
  }

  const LawColumns<T>& own() const { return tile_ != nullptr ? tile_->own : call_.columns; }

  /// Sorts the contacts [first, first + n) by law. The direct_laws form one group, because one pass solves them all.
  [[gnu::noinline]] void sort(std::size_t first, std::size_t n) {
    first_ = first;
    // The group of a law is its number. Unknown laws form the last group.
    std::uint8_t group_of[256];
    __builtin_memset(group_of, law_count, sizeof group_of);
    for (std::size_t law = 0; law < law_count; ++law)
      group_of[law] = static_cast<std::uint8_t>((direct_laws >> law & 1u) != 0 ? direct_group : law);
    std::uint32_t next[count] = {};
    for (std::size_t k = 0; k < n; ++k)
      ++next[tile_->group[k] = group_of[static_cast<std::uint8_t>(element(call_.columns.law, first_ + k))]];
    next[static_cast<std::size_t>(Law::incremental)] = 0;
    begin_[0] = 0;
    for (std::size_t group = 0; group < count; ++group) {
      begin_[group + 1] = begin_[group] + next[group];
      next[group] = begin_[group];
    }
    // Contacts of the incremental law are not solved here; they come last.
    next[static_cast<std::size_t>(Law::incremental)] = begin_[count];
    for (std::size_t k = 0; k < n; ++k) tile_->order[next[tile_->group[k]]++] = static_cast<std::uint32_t>(k);
  }

  /// Indices of the sorted contacts, group by group, relative to the first one.
  const std::uint32_t* order() const { return tile_->order; }
  std::size_t first(std::size_t group) const { return begin_[group]; }
  std::size_t end(std::size_t group) const { return begin_[group + 1]; }

  /// Sets `own` and `parameters` to the columns of a group. Returns false if the group is empty.
  [[gnu::noinline]] bool begin(std::size_t group) {
    if (begin_[group] == begin_[group + 1]) return false;
    const unsigned laws = group == direct_group ? call_.laws & direct_laws : 1u << group;
    parameters.law = static_cast<Law>(group);
    LawColumns<T>& own = tile_->own;
    own = call_.columns;
    if (group != direct_group) own.law.data = nullptr;
    if (own.law.data != nullptr) point<const Law>(own.law, tile_->law);
    if (own.restitution_law.data != nullptr) point<const RestitutionLaw>(own.restitution_law, tile_->restitution_laws);
    const bool composite = (laws & bit_of(Law::composite)) != 0;
    read_count_ = 0;
    columns::each_parameter(
        [&](const columns::Label&, auto known, Column<const T>& column) __attribute__((always_inline)) {
          constexpr unsigned readers = columns::readers_of(decltype(known)::value, false);
          read_if(composite || (laws & readers) != 0, column);
        },
        own);
    columns::each_weight(
        [&](const columns::Label&, Law, Column<const T>& weight)
            __attribute__((always_inline)) { read_if(composite, weight); },
        own.weight);
    components_ = composite && call_.components.status != nullptr;
    if (components_) {
      components.first = 0;
      for (std::size_t c = 0; c < 3; ++c) components.impulse[c] = tile_->component_impulse[c];
      components.status = tile_->component_status;
    }
    return true;
  }

  /// Gathers the columns that the law reads for a tile of the group.
  [[gnu::noinline]] void gather(Picked picked) {
    const LawColumns<T>& own = tile_->own;
    picked.block_bytes = 0;
    for (std::size_t c = 0; c < read_count_; ++c) kernel::gather(read_[c], picked, tile_->parameters[c]);
    if (own.law.data != nullptr) kernel::gather(strided(call_.columns.law), picked, tile_->law);
    if (own.restitution_law.data != nullptr)
      kernel::gather(strided(call_.columns.restitution_law), picked, tile_->restitution_laws);
    if (!components_) return;
    const Components<T>& given = call_.components;
    picked.first -= given.first;
    for (std::size_t c = 0; c < 3; ++c)
      kernel::gather(Strided<T>{given.impulse[c], sizeof(T)}, picked, tile_->component_impulse[c]);
    kernel::gather(Strided<Status>{given.status, sizeof(Status)}, picked, tile_->component_status);
  }

 private:
  static constexpr std::size_t direct_group = static_cast<std::size_t>(Law::frictionless);

  template <class V>
  [[gnu::always_inline]] static void point(Column<V>& column, V* data) {
    column.data = data;
    column.stride = static_cast<std::ptrdiff_t>(sizeof(V));
  }
  void read_if(bool reads, Column<const T>& column) {
    if (!reads || column.data == nullptr) return;
    read_[read_count_] = strided(column);
    point<const T>(column, tile_->parameters[read_count_++]);
  }

  GroupTile<T>* tile_;
  const AlgebraicCall<T>& call_;
  std::size_t first_ = 0;  // first of the sorted contacts
  std::uint32_t begin_[count + 1];
  bool components_ = false;
  std::size_t read_count_ = 0;
  Strided<T> read_[columns::parameter_count + columns::component_count];
};

}  // namespace
}  // namespace carom::kernel
