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

/// How an impulse came about: its size in the two calls before the last, and the substeps of its island, as a real
/// number.
template <class T>
struct ImpulseHistory {
  T earlier[2]{};
  T substeps = 0;
};

template <class T>
class Remembered {
 public:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  void reserve(std::size_t contacts, std::size_t rows) {
    contact_count_ = contacts;
    impulse_ = impulses_.at_least(3 * (contacts + 1));
    history_ = histories_.at_least(contacts + 1);
    manifold_ = manifolds_.at_least(contacts + 1);
    row_impulse_ = row_impulses_.at_least(rows + 1);
    row_history_ = row_histories_.at_least(rows + 1);
  }

  /// Looks up the keys of contacts. Makes room for as many of this call.
  void read_contacts(const Column<const std::uint64_t>& key) {
    contacts_.reserve(key.count);
    lost_.reserve(key.count);
    next_carried_.clear();
    next_carried_.reserve(key.count);
    new_contacts_ = 0;
    for (std::size_t i = 0; i < key.count; ++i) {
      const ContactRecord* const found = contacts_.find(key[i]);
      manifold_[i] = found != nullptr ? found->manifold : unknown;
      new_contacts_ += found == nullptr && key[i] != 0 ? 1u : 0u;
      for (std::size_t c = 0; c < 3; ++c) impulse(c)[i] = found != nullptr ? found->impulse[c] : T(0);
      history_[i] = found != nullptr ? found->history : ImpulseHistory<T>{};
    }
  }
  void read_rows(const Column<const std::uint64_t>& key) {
    rows_.reserve(key.count);
    for (std::size_t i = 0; i < key.count; ++i) {
      const RowRecord* const found = rows_.find(key[i]);
      row_impulse_[i] = found != nullptr ? found->impulse : T(0);
      row_history_[i] = found != nullptr ? found->history : ImpulseHistory<T>{};
    }
  }

  /// New contacts of a manifold share what those of it carried whose keys are gone: points of a manifold come and go,
  /// its load stays.
  void inherit(const Graph& graph, const Column<const std::uint64_t>& key) {
    if (new_contacts_ == 0 || carried_.empty()) return;
    lost_ = carried_;
    const auto is_known = [&](std::size_t i) { return manifold_[i] != unknown; };
    for (std::size_t i = 0; i < contact_count_; ++i)
      if (is_known(i)) lost_[manifold_[i]].add({impulse(0)[i], impulse(1)[i], impulse(2)[i]}, history_[i], T(-1));
    for (const Constraint& m : graph.manifolds) {
      const auto each = [&](const auto& f) {
        for (std::uint32_t k = 0; k < m.count; ++k) f(kernel::number_at(graph.of_contacts.at(), m.first + k));
      };
      int heirs = 0;
      each([&](std::size_t i) { heirs += !is_known(i) && key[i] != 0 ? 1 : 0; });
      if (heirs == 0) continue;
      Carried estate;
      each([&](std::size_t i) {
        if (!is_known(i) || lost_[manifold_[i]].contacts <= 0) return;
        estate.add(lost_[manifold_[i]].impulse, lost_[manifold_[i]].history, T(1));
        lost_[manifold_[i]] = {};
      });
      if (estate.contacts == 0) continue;
      const T share = T(1) / static_cast<T>(heirs);
      each([&](std::size_t i) {
        if (is_known(i) || key[i] == 0) return;
        for (std::size_t c = 0; c < 3; ++c) impulse(c)[i] = share * estate.impulse[c];
        history_[i] = {{share * estate.history.earlier[0], share * estate.history.earlier[1]}, estate.history.substeps};
      });
    }
  }

  /// What the next call will know. Manifolds come in the order of their numbers.
  void add(std::uint64_t key, const T (&impulse)[3], const ImpulseHistory<T>& history, std::uint32_t manifold) {
    contacts_.insert(key, {{impulse[0], impulse[1], impulse[2]}, history, manifold});
    if (next_carried_.size() <= manifold) next_carried_.resize(std::size_t{manifold} + 1);
    next_carried_[manifold].add(impulse, history, T(1));
  }
  void add_row(std::uint64_t key, T impulse, const ImpulseHistory<T>& history) {
    rows_.insert(key, {impulse, history});
  }
  void replace_contacts() {
    contacts_.replace();
    carried_.swap(next_carried_);
  }
  void replace_rows() { rows_.replace(); }
  void clear() {
    contacts_.clear();
    rows_.clear();
    carried_.clear();
  }

  T* impulse(std::size_t component) const { return impulse_ + component * contact_count_; }
  ImpulseHistory<T>* history() const { return history_; }
  T* row_impulse() const { return row_impulse_; }
  ImpulseHistory<T>* row_history() const { return row_history_; }

 private:
  struct ContactRecord {
    T impulse[3]{};
    ImpulseHistory<T> history;
    std::uint32_t manifold = unknown;  // of the call
  };
  struct RowRecord {
    T impulse = 0;
    ImpulseHistory<T> history;
  };
  /// Sums over contacts of a manifold.
  struct Carried {
    T impulse[3]{};
    ImpulseHistory<T> history;
    int contacts = 0;

    void add(const T (&more)[3], const ImpulseHistory<T>& of, T sign) {
      for (std::size_t c = 0; c < 3; ++c) impulse[c] += sign * more[c];
      for (std::size_t k = 0; k < 2; ++k) history.earlier[k] += sign * of.earlier[k];
      history.substeps = std::max(history.substeps, of.substeps);
      contacts += sign > T(0) ? 1 : -1;
    }
  };

  ImpulseMemory<ContactRecord> contacts_;
  ImpulseMemory<RowRecord> rows_;
  std::vector<Carried> carried_, next_carried_;  // of the manifolds of the last call, and of this one
  std::vector<Carried> lost_;                    // of those of the last call, without what this one has found
  Scratch<T> impulses_, row_impulses_;
  Scratch<ImpulseHistory<T>> histories_, row_histories_;
  Scratch<std::uint32_t> manifolds_;
  T *impulse_ = nullptr, *row_impulse_ = nullptr;
  ImpulseHistory<T>*history_ = nullptr, *row_history_ = nullptr;
  std::uint32_t* manifold_ = nullptr;
  std::size_t contact_count_ = 0, new_contacts_ = 0;
};

}  // namespace carom::scene
