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
  GroupedContacts(const Job<T, Contacts>& job, const Workspace<T>& workspace, Tally& tally)
      : job_(job), tile_(*workspace.group), law_tile_(*workspace.law), tally_(tally) {}

  void solve(std::size_t first, std::size_t end) {
    for (; first < end; first += size) {
      first_ = first;
      sort(end - first < size ? end - first : size);
      for (std::size_t group = 0; group < groups; ++group)
        if (begin_[group] < begin_[group + 1]) solve_group(group);
    }
  }

 private:
  static constexpr std::size_t groups = law_count + 1;
  static constexpr std::size_t direct_group = static_cast<std::size_t>(Law::frictionless);

  void sort(std::size_t count) {
    // By the law's number; what is no law makes the last of them.
    std::uint8_t group_of[256];
    __builtin_memset(group_of, law_count, sizeof group_of);
    for (std::size_t law = 0; law < law_count; ++law)
      group_of[law] = static_cast<std::uint8_t>((direct_laws >> law & 1u) != 0 ? direct_group : law);
    std::uint32_t next[groups] = {};
    for (std::size_t k = 0; k < count; ++k)
      ++next[tile_.group[k] = group_of[static_cast<std::uint8_t>(element(job_.contacts.law, first_ + k))]];
    next[static_cast<std::size_t>(Law::incremental)] = 0;
    begin_[0] = 0;
    for (std::size_t group = 0; group < groups; ++group) {
      begin_[group + 1] = begin_[group] + next[group];
      next[group] = begin_[group];
    }
    // The incremental law's contacts, which are not solved here, come behind all others.
    next[static_cast<std::size_t>(Law::incremental)] = begin_[groups];
    for (std::size_t k = 0; k < count; ++k) tile_.order[next[tile_.group[k]]++] = static_cast<std::uint32_t>(k);
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
    if (group == static_cast<std::size_t>(Law::composite)) gather_members(alone);
    arrange(alone.results);
    const double largest = tally_.largest_energy_gain;
    const std::size_t contact = tally_.largest_energy_gain_contact;
    tally_.largest_energy_gain = 0;
    AlgebraicPipeline<A, T, Contacts>(alone, law_tile_, tally_).solve(0, count_);
    scatter();
    find_largest_gain(largest, contact);
  }

  template <class V>
  [[gnu::always_inline]] static void point(Column<V>& column, V* data, std::size_t count) {
    column.data = data;
    column.count = count;
    column.stride = static_cast<std::ptrdiff_t>(sizeof(V));
  }
  template <class V, class From>
  [[gnu::always_inline]] void take(Column<const V>& column, V* to, From&& from) const {
    _Pragma("GCC unroll 4") for (std::size_t k = 0; k < count_; ++k) to[k] = from(order_[k]);
    point<const V>(column, to, count_);
  }
  template <class V>
  void take(Column<const V>& column, V* to) const {
    const Column<const V> host = column;
    if (is_contiguous(host))
      take(column, to, [from = host.data + first_](std::size_t i) { return from[i]; });
    else
      take(column, to, [&](std::size_t i) { return element(host, first_ + i); });
  }

  [[gnu::noinline]] void take_number(Column<const T>& column, T* to) const {
    const std::size_t block_bytes = job_.layout.block_bytes;
    if (block_bytes == 0) return take(column, to);
    const char* const from = reinterpret_cast<const char*>(column.data);
    take(column, to, [=, first = first_](std::size_t i) {
      return *reinterpret_cast<const T*>(from + offset_of<T>(first + i, block_bytes));
    });
  }

  void gather(Contacts<T>& contacts, bool mixed, unsigned laws) const {
    Column<const T>* columns[40];
    std::size_t count = 0;
    for_each_column(contacts, [&](Column<const T>& column) { columns[count++] = &column; });
    for (std::size_t c = 0; c < count; ++c) take_number(*columns[c], tile_.in[c]);
    if constexpr (indexed) {
      take(contacts.body_a, tile_.body_a);
      take(contacts.body_b, tile_.body_b);
    }
    if (mixed)
      take(contacts.law, tile_.law);
    else
      contacts.law.data = nullptr;
    if (contacts.restitution_law.data != nullptr) take(contacts.restitution_law, tile_.restitution_laws);
    const bool composite = (laws & bit_of(Law::composite)) != 0;
    std::size_t p = 0;
    columns::each_parameter([&](const columns::Label&, columns::Parameter parameter, Column<const T>& column)
                                __attribute__((always_inline)) {
                                  const bool read = (laws & columns::readers_of(parameter, false)) != 0;
                                  if ((read || composite) && column.data != nullptr)
                                    take_parameter(column, tile_.parameters[p]);
                                  ++p;
                                },
                            contacts);
  }

  [[gnu::noinline]] void take_parameter(Column<const T>& column, T* to) const { take(column, to); }

  void gather_members(Job<T, Contacts>& alone) const {
    std::size_t p = LawTile<T>::first_weight;
    columns::each_weight([&](const columns::Label&, Law, Column<const T>& weight) __attribute__((always_inline)) {
      if (weight.data != nullptr) take_parameter(weight, tile_.parameters[p]);
      ++p;
    },
                         alone.contacts.weight);
    if (job_.members.status == nullptr) return;
    const std::size_t before = first_ - job_.members.first;
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t c = 0; c < 3; ++c) tile_.member_impulse[c][k] = job_.members.impulse[c][before + order_[k]];
      tile_.member_status[k] = job_.members.status[before + order_[k]];
    }
    alone.members = {
        0, {tile_.member_impulse[0], tile_.member_impulse[1], tile_.member_impulse[2]}, tile_.member_status};
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
    if (is_contiguous(column)) {
      V* const to = column.data + first_;
      _Pragma("GCC unroll 4") for (std::size_t k = 0; k < count_; ++k) to[order_[k]] = from(k);
    } else {
      for (std::size_t k = 0; k < count_; ++k) element(column, first_ + order_[k]) = from(k);
    }
  }

  [[gnu::noinline]] void give_number(const Column<T>& column, const T* from) const {
    give(column, [=](std::size_t k) { return from[k]; });
  }

  void scatter() const {
    const Results<T>& results = job_.results;
    std::size_t c = 0;
    for_each_result(results, [&](const Column<T>& column) { give_number(column, tile_.out[c++]); });
    give(results.status, [&](std::size_t k) { return tile_.statuses[k]; });
    give(results.path, [&](std::size_t k) { return tile_.paths[k]; });
    give(results.work_compression, [](std::size_t) { return T(0); });
    give(results.work_decompression, [](std::size_t) { return T(0); });
    give(results.steps, [](std::size_t) { return 0; });
  }

  /// Of a group, whose contacts keep their order so that the first of equals stays it, and of those before.
  void find_largest_gain(double before, std::size_t contact) const {
    double& gain = tally_.largest_energy_gain;
    std::size_t& i = tally_.largest_energy_gain_contact;
    if (gain > 0) i = first_ + order_[i];
    if (!(gain > 0) || before > gain || (before == gain && contact < i)) {
      gain = before;
      i = contact;
    }
  }

  const Job<T, Contacts>& job_;
  GroupTile<T>& tile_;
  LawTile<T>& law_tile_;
  Tally& tally_;
  std::size_t first_ = 0, count_ = 0;  // of the contacts that are sorted at a time; of a group
  const std::uint32_t* order_ = nullptr;
  std::uint32_t begin_[groups + 1] = {};
};

/// Where it costs less than the laws side by side in the lanes: contacts between bodies have so many columns that
/// only the direct laws' way around the stages is worth to bring them together.
template <template <class> class Contacts>
constexpr bool comes_in_groups(unsigned laws) {
  const bool direct = (laws & direct_laws) != 0, others = (laws & ~direct_laws & ~bit_of(Law::incremental)) != 0;
  const bool iterative = (laws & iterative_laws) != 0;
  const bool has_bodies = !requires(const Contacts<double>& c) {
    c.separation_velocity;
  };
  return others && (has_bodies ? direct : iterative && (laws & (laws - 1)) != 0);
}

template <class A, class T, template <class> class Contacts>
void solve_algebraic(const Job<T, Contacts>& job, std::size_t first, std::size_t count, const Workspace<T>& workspace,
                     Tally& tally) {
  if (job.contacts.law.data != nullptr && comes_in_groups<Contacts>(job.laws))
    GroupedContacts<A, T, Contacts>(job, workspace, tally).solve(first, first + count);
  else
    AlgebraicPipeline<A, T, Contacts>(job, *workspace.law, tally).solve(first, first + count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr KernelsFor<T> algebraic_kernels_for() {
  return {&solve_algebraic<A, T, InlineContacts>, &solve_algebraic<A, T, IndexedContacts>,
          &solve_algebraic<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
