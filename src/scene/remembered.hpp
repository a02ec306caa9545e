// The impulses that contacts and rows with a key had in the last call, and how they came about.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph.hpp"
#include "impulse_memory.hpp"
#include "scratch.hpp"

namespace carom::scene {

/// How an impulse came about: its size in the two calls before the last, and what its island took.
template <class T>
struct ImpulseHistory {
  T earlier[2]{};
  SubstepNeed need;

  /// The impulse of the last call is an earlier one for the next.
  void pass(T last) {
    earlier[1] = earlier[0];
    earlier[0] = last;
  }
};

/// Of a row the last call alone counts.
template <class T>
struct RememberedRow {
  T impulse = 0;
  SubstepNeed need;
};

template <class T>
class Remembered {
 public:
  void reserve(std::size_t contacts, std::size_t rows) {
    contact_count_ = contacts;
    impulse_ = impulses_.at_least(3 * (contacts + 1));
    history_ = histories_.at_least(contacts + 1);
    record_ = records_.at_least(contacts + 1);
    row_ = row_records_.at_least(rows + 1);
  }

  /// Looks up the keys of contacts, and makes room for as many of this call.
  void read_contacts(const Column<const std::uint64_t>& key) {
    contacts_.reserve(key.count);
    const std::vector<ContactRecord>& records = contacts_.records();
    taken_.reserve(std::max(records.size(), key.count));
    taken_.assign(records.size(), 0);
    has_new_ = false;
    for (std::size_t i = 0; i < key.count; ++i) {
      const std::uint32_t found = record_[i] = contacts_.find(key[i]);
      if (found == none) {
        has_new_ = has_new_ || key[i] != 0;
        for (std::size_t c = 0; c < 3; ++c) impulse(c)[i] = 0;
        history_[i] = {};
        continue;
      }
      taken_[found] = 1;
      for (std::size_t c = 0; c < 3; ++c) impulse(c)[i] = records[found].impulse[c];
      history_[i] = records[found].history;
    }
  }
  void read_rows(const Column<const std::uint64_t>& key) {
    rows_.reserve(key.count);
    for (std::size_t i = 0; i < key.count; ++i) {
      const std::uint32_t found = rows_.find(key[i]);
      row_[i] = found != none ? rows_.records()[found] : RememberedRow<T>{};
    }
  }

  /// New contacts of a manifold share what those of it carried whose keys are gone: points of a manifold come and go,
  /// its load stays.
  void inherit(const Graph& graph, const Column<const std::uint64_t>& key) {
    if (!has_new_) return;
    const auto is_new = [&](std::size_t i) { return record_[i] == none && key[i] != 0; };
    for (const Constraint& m : graph.manifolds) {
      const auto each = [&](const auto& f) {
        for (std::uint32_t k = 0; k < m.count; ++k) f(kernel::number_at(graph.of_contacts.at(), m.first + k));
      };
      int heirs = 0;
      each([&](std::size_t i) { heirs += is_new(i) ? 1 : 0; });
      if (heirs == 0) continue;
      ContactRecord estate;
      bool any = false;
      each([&](std::size_t i) { any = (record_[i] != none && take_what_is_left(record_[i], estate)) || any; });
      if (!any) continue;
      const T share = T(1) / static_cast<T>(heirs);
      each([&](std::size_t i) {
        if (!is_new(i)) return;
        for (std::size_t c = 0; c < 3; ++c) impulse(c)[i] = share * estate.impulse[c];
        history_[i] = {{share * estate.history.earlier[0], share * estate.history.earlier[1]}, estate.history.need};
      });
    }
  }

  /// What the next call will know, manifold by manifold.
  void add(std::uint64_t key, const T (&impulse)[3], const ImpulseHistory<T>& history, std::uint32_t manifold) {
    contacts_.insert(key, {{impulse[0], impulse[1], impulse[2]}, history, manifold});
  }
  void add_row(std::uint64_t key, T impulse, const SubstepNeed& need) { rows_.insert(key, {impulse, need}); }
  void replace_contacts() { contacts_.replace(); }
  void replace_rows() { rows_.replace(); }
  void clear() {
    contacts_.clear();
    rows_.clear();
  }

  T* impulse(std::size_t component) const { return impulse_ + component * contact_count_; }
  ImpulseHistory<T>* history() const { return history_; }
  RememberedRow<T>* rows() const { return row_; }

 private:
  struct ContactRecord {
    T impulse[3]{};
    ImpulseHistory<T> history;
    std::uint32_t manifold = 0;  // of the call; its records stand side by side
  };
  static constexpr std::uint32_t none = ImpulseMemory<ContactRecord>::none;

  /// Adds to `sum` the records of a record's manifold that nobody has taken; false if there are none.
  bool take_what_is_left(std::uint32_t record, ContactRecord& sum) {
    const std::vector<ContactRecord>& records = contacts_.records();
    const std::uint32_t manifold = records[record].manifold;
    std::size_t first = record;
    while (first > 0 && records[first - 1].manifold == manifold) --first;
    bool any = false;
    for (std::size_t r = first; r < records.size() && records[r].manifold == manifold; ++r) {
      if (taken_[r] != 0) continue;
      taken_[r] = 1;
      any = true;
      for (std::size_t c = 0; c < 3; ++c) sum.impulse[c] += records[r].impulse[c];
      for (std::size_t k = 0; k < 2; ++k) sum.history.earlier[k] += records[r].history.earlier[k];
      if (records[r].history.need.substeps > sum.history.need.substeps) sum.history.need = records[r].history.need;
    }
    return any;
  }

  ImpulseMemory<ContactRecord> contacts_;
  ImpulseMemory<RememberedRow<T>> rows_;
  std::vector<std::uint8_t> taken_;  // of the last call's records, by contacts of this one
  Scratch<T> impulses_;
  Scratch<ImpulseHistory<T>> histories_;
  Scratch<RememberedRow<T>> row_records_;
  Scratch<std::uint32_t> records_;
  T* impulse_ = nullptr;
  ImpulseHistory<T>* history_ = nullptr;
  RememberedRow<T>* row_ = nullptr;
  std::uint32_t* record_ = nullptr;  // of contacts; none of those that are new
  std::size_t contact_count_ = 0;
  bool has_new_ = false;
};

}  // namespace carom::scene
