// The impulses that contacts and rows with a key had in the last call, and how they came about.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "graph.hpp"
#include "key_index.hpp"
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

/// A row remembers the last call alone.
template <class T>
struct RememberedRow {
  T impulse = 0;
  SubstepNeed need;
};

template <class T>
class Remembered {
 public:
  using Keys = KeyIndex::Keys;

  /// Makes room for a call. Contacts have a history in substeps alone, and moments where they resist rolling.
  void reserve(std::size_t contacts, std::size_t rows, bool with_history, bool with_moments) {
    contact_count_ = contacts;
    with_history_ = with_history;
    components_ = with_moments ? most_components : 3;
    keys_.reserve(contacts);
    for (auto* impulses : {&last_.impulse, &next_.impulse, &stored_}) impulses->reserve(components_ * contacts);
    for (Records* records : {&last_, &next_}) {
      records->begins_manifold.reserve(contacts);
      if (with_history) records->history.reserve(contacts);
    }
    taken_.reserve(std::max(keys_.size(), contacts));
    new_.reserve(contacts);
    place_ = places_.at_least(contacts + 1);
    found_impulse_ = found_impulses_.at_least(components_ * (contacts + 1));
    if (with_history) history_ = histories_.at_least(contacts + 1);
    stored_.resize(components_ * contacts);

    row_keys_.reserve(rows);
    for (auto* records : {&rows_, &next_rows_}) records->reserve(rows);
    next_rows_.clear();
    row_ = row_records_.at_least(rows + 1);
  }

  /// Looks up the keys of contacts.
  void read_contacts(const Keys& key) {
    new_.clear();
    all_have_keys_ = true;
    is_unchanged_ =
        key.count == keys_.size() && last_.components >= components_ && keys_.count_expected(key, 0) == key.count;
    if (is_unchanged_) {
      // The impulses stay where they are.
      impulse_ = last_.impulse.data();
      stride_ = last_.stride;
      if (with_history_) take_histories(0, 0, key.count);
      return;
    }
    impulse_ = found_impulse_;
    stride_ = contact_count_;
    taken_.assign(keys_.size(), 0);
    // Runs of keys as they were are copied at once, until there have been many of them.
    std::size_t i = 0, runs = 0;
    while (i < key.count && runs <= key.count / 32) {
      const std::size_t n = keys_.count_expected(key, i);
      take_run(i, keys_.expected(), n);
      keys_.pass(n);
      i += n;
      if (i == key.count) return;
      find(i, key[i]);
      take_impulses(i, i + 1);
      ++i;
      ++runs;
    }
    const std::size_t first = i;
    constexpr std::size_t ahead = 16;
    for (; i < key.count; ++i) {
      if (i + ahead < key.count) keys_.prefetch(key[i + ahead]);
      find(i, key[i]);
    }
    take_impulses(first, key.count);
  }
  void read_rows(const Keys& key) {
    for (std::size_t i = 0; i < key.count; ++i) {
      const std::uint32_t found = row_keys_.find(key[i]);
      row_[i] = found != KeyIndex::none ? rows_[found] : RememberedRow<T>{};
    }
  }

  /// True if a call of the columns and options of the last one has its keys, too: the impulses stay where they are, and
  /// `keep_unchanged` takes those of this call.
  bool are_unchanged(const Keys& key) {
    if (!keys_.are(key)) return false;
    impulse_ = last_.impulse.data();
    stride_ = last_.stride;
    stored_.resize(last_.impulse.size());
    return true;
  }
  void keep_unchanged() { last_.impulse.swap(stored_); }

  /// New contacts of a manifold share what those of it carried whose keys are gone: points of a manifold come and go,
  /// its load stays.
  void inherit(const Graph& graph) {
    if (new_.empty()) return;
    const std::uint32_t* const at = graph.of_contacts.at();
    if (at != nullptr || new_.size() > graph.manifolds.size() / 8) {
      for (const Constraint& m : graph.manifolds) share_estate(m, at);
      return;
    }
    // Places are the numbers of contacts here; they ascend, and so do new contacts.
    auto next = graph.manifolds.begin();
    for (const std::uint32_t i : new_) {
      next = std::lower_bound(next, graph.manifolds.end(), i,
                              [](const Constraint& m, std::uint32_t x) { return m.first + m.count <= x; });
      if (next == graph.manifolds.end()) return;
      if (next->first <= i) share_estate(*next++, at);
    }
  }

  /// Takes from a contact what it begins with; false if that was nothing.
  bool drop(std::size_t contact) {
    bool any = false;
    for (std::size_t c = 0; c < components_; ++c) {
      any = any || impulse(c)[contact] != T(0);
      impulse(c)[contact] = 0;
    }
    if (with_history_) history_[contact] = {};
    return any;
  }

  /// Three columns for the impulses of this call's contacts, which the next one begins with, and three for moments.
  T* stored() { return stored_.data(); }

  bool all_have_keys() const { return all_have_keys_; }
  /// The next call will know all contacts, which have keys, no history, and the places of their numbers.
  void keep_all(const Keys& key, const std::vector<Constraint>& manifolds) {
    if (!is_unchanged_) {
      keys_.insert(key);
      keys_.replace();
    }
    next_.begins_manifold.assign(contact_count_, 0);
    for (const Constraint& m : manifolds) next_.begins_manifold[m.first] = 1;
    next_.history.clear();
    next_.impulse.swap(stored_);
    next_.stride = contact_count_;
    next_.components = components_;
    std::swap(last_, next_);
  }

  /// The next call will know those contacts that are added, manifold by manifold.
  void begin_to_add() {
    next_.impulse.resize(components_ * contact_count_);
    next_.stride = contact_count_;
    next_.components = components_;
    next_.begins_manifold.clear();
    next_.history.clear();
  }
  void add(std::uint64_t key, std::size_t contact, bool begins_manifold, const ImpulseHistory<T>& history) {
    const std::size_t place = next_.begins_manifold.size(), n = contact_count_;
    for (std::size_t c = 0; c < components_; ++c) next_.impulse[c * n + place] = stored_[c * n + contact];
    keys_.insert(key);
    next_.begins_manifold.push_back(begins_manifold ? 1 : 0);
    if (with_history_) next_.history.push_back(history);
  }
  void replace_contacts() {
    keys_.replace();
    std::swap(last_, next_);
  }

  void add_row(std::uint64_t key, T impulse, const SubstepNeed& need) {
    if (key == 0) return;
    row_keys_.insert(key);
    next_rows_.push_back({impulse, need});
  }
  void replace_rows() {
    row_keys_.replace();
    rows_.swap(next_rows_);
  }
  void clear() {
    keys_.clear();
    row_keys_.clear();
  }

  T* impulse(std::size_t component) const { return impulse_ + component * stride_; }
  ImpulseHistory<T>* history() const { return history_; }
  RememberedRow<T>* rows() const { return row_; }

 private:
  static constexpr std::size_t most_components = 6;  // of an impulse and of a moment

  /// These are of contacts in the order of their keys; those of a manifold stand side by side.
  struct Records {
    std::vector<T> impulse;  // columns
    std::size_t components = 0;
    std::size_t stride = 0;  // from one column to the next
    std::vector<std::uint8_t> begins_manifold;
    std::vector<ImpulseHistory<T>> history;  // none but of substeps
  };

  /// Contacts from i on are those of the last call from place `from` on.
  void take_run(std::size_t i, std::size_t from, std::size_t n) {
    for (std::size_t c = 0; c < components_; ++c)
      if (c < last_.components)
        std::copy_n(last_.impulse.data() + c * last_.stride + from, n, impulse(c) + i);
      else
        std::fill_n(impulse(c) + i, n, T(0));
    std::iota(place_ + i, place_ + i + n, static_cast<std::uint32_t>(from));
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(from), n, std::uint8_t{1});
    if (with_history_) take_histories(i, from, n);
  }
  void find(std::size_t i, std::uint64_t key) {
    const std::uint32_t found = keys_.find(key);
    place_[i] = found != KeyIndex::none ? found : key != 0 ? is_new : has_no_key;
    if (found != KeyIndex::none) {
      taken_[found] = 1;
      if (with_history_) take_histories(i, found, 1);
      return;
    }
    if (key != 0)
      new_.push_back(static_cast<std::uint32_t>(i));
    else
      all_have_keys_ = false;
    if (with_history_) history_[i] = {};
  }
  void take_impulses(std::size_t first, std::size_t end) {
    for (std::size_t c = 0; c < components_; ++c) {
      const bool is_known = c < last_.components;
      const T* const last = last_.impulse.data() + (is_known ? c * last_.stride : 0);
      T* const to = impulse(c);
      for (std::size_t i = first; i < end; ++i) to[i] = is_known && place_[i] < has_no_key ? last[place_[i]] : T(0);
    }
  }
  void take_histories(std::size_t i, std::size_t from, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k)
      history_[i + k] = last_.history.empty() ? ImpulseHistory<T>{} : last_.history[from + k];
  }

  struct Estate {
    T impulse[most_components]{};
    ImpulseHistory<T> history;
    bool is_any = false;
  };

  void share_estate(const Constraint& m, const std::uint32_t* at) {
    const auto each = [&](const auto& f) {
      for (std::uint32_t k = 0; k < m.count; ++k) f(kernel::number_at(at, m.first + k));
    };
    int heirs = 0;
    each([&](std::size_t i) { heirs += place_[i] == is_new ? 1 : 0; });
    if (heirs == 0) return;
    Estate estate;
    each([&](std::size_t i) {
      if (place_[i] < has_no_key) take_what_is_left(place_[i], estate);
    });
    if (!estate.is_any) return;
    const T share = T(1) / static_cast<T>(heirs);
    each([&](std::size_t i) {
      if (place_[i] != is_new) return;
      for (std::size_t c = 0; c < components_; ++c) impulse(c)[i] = share * estate.impulse[c];
      if (!with_history_) return;
      const ImpulseHistory<T>& history = estate.history;
      history_[i] = {{share * history.earlier[0], share * history.earlier[1]}, history.need};
    });
  }

  /// Adds to `sum` what nobody has taken of the manifold of the last call that a place belongs to.
  void take_what_is_left(std::size_t place, Estate& sum) {
    const auto& begins = last_.begins_manifold;
    while (place > 0 && begins[place] == 0) --place;
    for (bool is_first = true; place < begins.size() && (is_first || begins[place] == 0); ++place, is_first = false) {
      if (taken_[place] != 0) continue;
      taken_[place] = 1;
      sum.is_any = true;
      for (std::size_t c = 0; c < components_ && c < last_.components; ++c)
        sum.impulse[c] += last_.impulse[c * last_.stride + place];
      if (last_.history.empty()) continue;
      const ImpulseHistory<T>& history = last_.history[place];
      for (std::size_t k = 0; k < 2; ++k) sum.history.earlier[k] += history.earlier[k];
      if (history.need.substeps > sum.history.need.substeps) sum.history.need = history.need;
    }
  }

  static constexpr std::uint32_t is_new = KeyIndex::none, has_no_key = is_new - 1;

  KeyIndex keys_, row_keys_;
  Records last_, next_;
  std::vector<T> stored_;
  std::vector<std::uint8_t> taken_;  // of the last call's contacts, by those of this one
  std::vector<std::uint32_t> new_;   // contacts whose keys the last call did not have
  std::vector<RememberedRow<T>> rows_, next_rows_;
  Scratch<T> found_impulses_;
  Scratch<ImpulseHistory<T>> histories_;
  Scratch<RememberedRow<T>> row_records_;
  Scratch<std::uint32_t> places_;
  T *found_impulse_ = nullptr, *impulse_ = nullptr;  // of contacts; the latter in the last call, too
  std::size_t contact_count_ = 0, stride_ = 0, components_ = 3;
  ImpulseHistory<T>* history_ = nullptr;
  RememberedRow<T>* row_ = nullptr;
  std::uint32_t* place_ = nullptr;  // of contacts in the last call
  bool with_history_ = false, is_unchanged_ = false, all_have_keys_ = false;
};

}  // namespace carom::scene
