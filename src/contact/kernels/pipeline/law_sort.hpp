// Batches with a law for each contact, in a dimension, 2 or 3: sorts contacts by law, and gathers the columns that the
// laws of a group read.
#pragma once

#include "law_call.hpp"

namespace carom::kernel {
namespace {

/// A counting sort of contacts by law. `group_of(k)` returns the group of contact k.
struct LawSort {
  /// The group of a law is its number. Unknown laws form the last group.
  static constexpr std::size_t groups = law_count + 1;

  std::uint32_t size[groups], begin[groups];

  template <class GroupOf>
  [[gnu::always_inline]] void count(std::size_t n, GroupOf&& group_of) {
    for (std::uint32_t& contacts : size) contacts = 0;
    for (std::size_t k = 0; k < n; ++k) ++size[group_of(k)];
  }

  /// Calls place(k, slot) for each of the counted contacts. A group has consecutive slots, from a multiple of `align`
  /// on.
  template <class GroupOf, class Place>
  [[gnu::always_inline]] void sort(std::size_t n, std::size_t align, GroupOf&& group_of, Place&& place) {
    std::uint32_t next[groups], first = 0;
    for (std::size_t group = 0; group < groups; ++group) {
      begin[group] = next[group] = first;
      first += static_cast<std::uint32_t>((size[group] + align - 1) / align * align);
    }
    for (std::size_t k = 0; k < n; ++k) place(k, next[group_of(k)]++);
  }

  std::size_t end(std::size_t group) const { return std::size_t{begin[group]} + size[group]; }
};

/// The columns that the laws of a group read, gathered for some contacts of the group.
template <class T, int dimension>
class GroupedColumns {
 public:
  /// `own` gets the columns as the stages read them.
  GroupedColumns(const LawColumns<T>& host, LawColumns<T>* own) : host_(host), own_(own) {}

  /// Before the contacts of a group with these laws, bits of Law.
  template <std::size_t lanes, std::size_t length>
  [[gnu::noinline]] void begin(unsigned laws, T (&to)[lanes][length], RestitutionLaw* restitution_laws) {
    static_assert(lanes >= ParameterLanes<T, dimension>::count);
    to_ = to[0];
    step_ = length;
    restitution_laws_ = restitution_laws;
    count_ = 0;
    LawColumns<T>& own = *own_;
    own = host_;
    for_each_parameter<dimension>(
        laws,
        [&](Column<const T> & column) __attribute__((always_inline)) {
          if (column.data == nullptr) return;
          read_[count_] = strided(column);
          point<const T>(column, to[count_++]);
        },
        own);
    if (own.restitution_law.data != nullptr) point<const RestitutionLaw>(own.restitution_law, restitution_laws);
  }

  /// Gathers the columns for these contacts.
  [[gnu::noinline]] void gather(const Picked& picked) const {
    for (std::size_t c = 0; c < count_; ++c) kernel::gather(read_[c], picked, to_ + c * step_);
    if (host_.restitution_law.data != nullptr)
      kernel::gather(strided(host_.restitution_law), picked, restitution_laws_);
  }

  /// Number of lanes of parameters in use.
  std::size_t count() const { return count_; }

  template <class V>
  [[gnu::always_inline]] static void point(Column<V>& column, V* data) {
    column.data = data;
    column.stride = static_cast<std::ptrdiff_t>(sizeof(V));
  }

 private:
  const LawColumns<T>& host_;
  LawColumns<T>* own_;
  T* to_;
  std::size_t step_;
  RestitutionLaw* restitution_laws_;
  std::size_t count_ = 0;
  Strided<T> read_[ParameterLanes<T, dimension>::count];
};

}  // namespace
}  // namespace carom::kernel
