// Batches with a law for every contact: the contacts of a law are brought together, solved as a batch of their own, and
// their results put back in order. Those of direct_laws, which take the same pass, make one group.
#pragma once

#include "pipeline.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts>
class GroupedContacts {
  static constexpr bool indexed = requires(const Contacts<T>& c) { c.body_a; };
  static constexpr std::size_t size = GroupTile<T>::size;

 public:
  GroupedContacts(const Job<T, Contacts>& job, Workspace<T>& workspace, Tally& tally)
      : job_(job), tile_(workspace.group), law_tile_(workspace.law), tally_(tally) {}

  void solve(std::size_t first, std::size_t end) {
    for (; first < end; first += size) {
      first_ = first;
      sort(end - first < size ? end - first : size);
      for (std::size_t group = 0; group < groups; ++group)
        if (begin_[group] < begin_[group + 1]) solve_group(group);
    }
  }

 private:
  // By the number of the law; what is no law comes last but for the incremental law's contacts, which are not solved
  // here.
  static constexpr std::size_t groups = law_count + 1;
  static constexpr std::size_t direct_group = static_cast<std::size_t>(Law::frictionless);

  std::size_t group_of(std::size_t i) const {
    const auto law = static_cast<std::size_t>(element(job_.contacts.law, i));
    if (law >= law_count) return law_count;
    return (direct_laws >> law & 1u) != 0 ? direct_group : law;
  }

  void sort(std::size_t count) {
    std::size_t next[groups] = {};
    for (std::size_t k = 0; k < count; ++k) ++next[tile_.group[k] = static_cast<std::uint8_t>(group_of(first_ + k))];
    next[static_cast<std::size_t>(Law::incremental)] = 0;
    begin_[0] = 0;
    for (std::size_t group = 0; group < groups; ++group) {
      begin_[group + 1] = begin_[group] + next[group];
      next[group] = begin_[group];
    }
    for (std::size_t k = 0; k < count; ++k)
      if (tile_.group[k] != static_cast<std::uint8_t>(Law::incremental))
        tile_.order[next[tile_.group[k]]++] = static_cast<std::uint32_t>(k);
  }

  void solve_group(std::size_t group) {
    order_ = tile_.order + begin_[group];
    count_ = begin_[group + 1] - begin_[group];
    Job<T, Contacts> alone = job_;
    alone.layout.block_bytes = 0;
    alone.layout.prefetch = alone.layout.stream = false;
    alone.laws = group == direct_group ? job_.laws & direct_laws : 1u << group;
    alone.parameters.law = static_cast<Law>(group);
    gather(alone.contacts, group == direct_group, alone.laws);
    arrange(alone.results);
    Tally tally;
    AlgebraicPipeline<A, T, Contacts>(alone, law_tile_, tally).solve(0, count_);
    scatter();
    add(tally);
  }

  template <class V>
  [[gnu::always_inline]] static void point(Column<V>& column, V* data, std::size_t count) {
    column.data = data;
    column.count = count;
    column.stride = static_cast<std::ptrdiff_t>(sizeof(V));
  }
  template <class V, class From>
  [[gnu::always_inline]] void take(Column<const V>& column, V* to, From&& from) const {
    for (std::size_t k = 0; k < count_; ++k) to[k] = from(first_ + order_[k]);
    point<const V>(column, to, count_);
  }
  template <class V>
  void take(Column<const V>& column, V* to) const {
    const Column<const V> host = column;
    if (host.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      take(column, to, [from = host.data](std::size_t i) { return from[i]; });
    else
      take(column, to, [&](std::size_t i) { return element(host, i); });
  }

  void gather(Contacts<T>& contacts, bool mixed, unsigned laws) const {
    const std::size_t block_bytes = job_.layout.block_bytes;
    std::size_t c = 0;
    for_each_column(
        contacts, [&](Column<const T> & column) __attribute__((always_inline)) {
          T* const to = tile_.in[c++];
          if (block_bytes == 0) return take(column, to);
          const char* const from = reinterpret_cast<const char*>(column.data);
          take(column, to,
               [=](std::size_t i) { return *reinterpret_cast<const T*>(from + offset_of<T>(i, block_bytes)); });
        });
    if constexpr (indexed) {
      take(contacts.body_a, tile_.body_a);
      take(contacts.body_b, tile_.body_b);
    }
    if (mixed)
      take(contacts.law, tile_.law);
    else
      contacts.law.data = nullptr;
    unsigned reads = 0;
    for_each_law([&]<class L>() {
      if ((laws & bit_of(L::law)) != 0) reads |= L::reads;
    });
    Column<const T>* const parameters[] = {&contacts.tangential_restitution,
                                           &contacts.impulse_ratio_1,
                                           &contacts.impulse_ratio_2,
                                           &contacts.polar_angle,
                                           &contacts.azimuth,
                                           &contacts.fraction,
                                           &contacts.candidate_x,
                                           &contacts.candidate_y,
                                           &contacts.candidate_z};
    constexpr unsigned read_as[] = {reads_tangential_restitution,
                                    reads_impulse_ratios,
                                    reads_impulse_ratios,
                                    reads_polar_angles,
                                    reads_polar_angles,
                                    reads_polar_angles,
                                    reads_candidate,
                                    reads_candidate,
                                    reads_candidate};
    for (std::size_t p = 0; p < 9; ++p)
      if ((reads & read_as[p]) != 0 && parameters[p]->data != nullptr) take(*parameters[p], tile_.parameters[p]);
  }

  void arrange(Results<T>& results) const {
    std::size_t c = 0;
    for_each_result(results, [&](Column<T>& column) {
      T* const to = tile_.out[c++];
      if (column.data != nullptr) point(column, to, count_);
    });
    if (results.status.data != nullptr) point(results.status, tile_.statuses, count_);
    if (results.path.data != nullptr) point(results.path, tile_.paths, count_);
    results.work_compression.data = results.work_decompression.data = nullptr;
    results.steps.data = nullptr;
  }

  template <class V, class From>
  [[gnu::always_inline]] void give(const Column<V>& column, From&& from) const {
    if (column.data == nullptr) return;
    if (column.stride == static_cast<std::ptrdiff_t>(sizeof(V))) {
      V* const to = column.data + first_;
      for (std::size_t k = 0; k < count_; ++k) to[order_[k]] = from(k);
    } else {
      for (std::size_t k = 0; k < count_; ++k) element(column, first_ + order_[k]) = from(k);
    }
  }

  void scatter() const {
    const Results<T>& results = job_.results;
    std::size_t c = 0;
    for_each_result(results, [&](const Column<T>& column) {
      give(column, [from = tile_.out[c++]](std::size_t k) { return from[k]; });
    });
    give(results.status, [&](std::size_t k) { return tile_.statuses[k]; });
    give(results.path, [&](std::size_t k) { return tile_.paths[k]; });
    give(results.work_compression, [](std::size_t) { return T(0); });
    give(results.work_decompression, [](std::size_t) { return T(0); });
    give(results.steps, [](std::size_t) { return 0; });
  }

  void add(const Tally& tally) {
    for (std::size_t i = 0; i < status_count; ++i) tally_.by_status[i] += tally.by_status[i];
    for (std::size_t i = 0; i < Path::kinds; ++i) tally_.by_path[i] += tally.by_path[i];
    if (!(tally.largest_energy_gain > 0)) return;
    // Within a group contacts keep their order, so that the first of equals stays it.
    const std::size_t i = first_ + order_[tally.largest_energy_gain_contact];
    if (tally.largest_energy_gain > tally_.largest_energy_gain ||
        (tally.largest_energy_gain == tally_.largest_energy_gain && i < tally_.largest_energy_gain_contact)) {
      tally_.largest_energy_gain = tally.largest_energy_gain;
      tally_.largest_energy_gain_contact = i;
    }
  }

  const Job<T, Contacts>& job_;
  GroupTile<T>& tile_;
  LawTile<T>& law_tile_;
  Tally& tally_;
  std::size_t first_ = 0, count_ = 0;  // of the contacts that are sorted at a time; of a group
  const std::uint32_t* order_ = nullptr;
  std::size_t begin_[groups + 1] = {};
};

/// Members of composites are brought to their contacts by place.
constexpr bool comes_in_groups(unsigned laws) {
  const unsigned own = laws & ~bit_of(Law::incremental);
  return (own & ~direct_laws) != 0 && (own & (own - 1)) != 0 && (own & bit_of(Law::composite)) == 0;
}

template <class A, class T, template <class> class Contacts>
void solve_algebraic(const Job<T, Contacts>& job, std::size_t first, std::size_t count, Workspace<T>& workspace,
                     Tally& tally) {
  if (job.contacts.law.data != nullptr && comes_in_groups(job.laws))
    GroupedContacts<A, T, Contacts>(job, workspace, tally).solve(first, first + count);
  else
    AlgebraicPipeline<A, T, Contacts>(job, workspace.law, tally).solve(first, first + count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr KernelsFor<T> algebraic_kernels_for() {
  return {&solve_algebraic<A, T, InlineContacts>, &solve_algebraic<A, T, IndexedContacts>,
          &solve_algebraic<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
